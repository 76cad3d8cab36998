// Measured models: bars with intervals, each of which leads to its games.

import { clear, el, svg, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { figure, grid } from "./controls.js";
import { pageBody } from "./parts.js";

// Where a bar's axis begins and how long it is: the floor script is at 0, the ceiling script at 100.
const LEAST = -25;
const WIDE = 150;

/** Open the list of all measured models; or the games of one of them in one task. */
export async function openMeasured(main, suite, model, task) {
  if (task) return openTask(main, task, pathOf("measured", suite, model, task));
  const { suites } = await call("/measured");
  const none = el("p", {}, "No model has been measured yet: ", el("code", {}, "uv run tournament.py measure scripted:greedy"));
  const models = suites.map((one) => [el("h2", {}, words(one.name)), one.models.map((each) => modelOf(one.name, each))]);
  clear(main, pageBody("Measured models", null, suites.length ? models : none));
}

/** Return one model: its score, and a bar for each task. */
function modelOf(suite, { folder, model, quick, draft, stale, score, rules, tasks }) {
  const facts = [
    score ? `arena score ${inWords(score)}` : "no arena score",
    rules && `${figure(rules.value, 1)} % legal at once`,
    quick && "half of the games",
    draft && "a draft of the suite",
  ];
  const rows = tasks.map(({ name, points, missing }) => {
    const href = `#${pathOf("measured", suite, folder)}?${new URLSearchParams({ task: name })}`;
    const bar = points ? el("a", { href }, barOf(points)) : words(missing, 90);
    return [el("a", { href }, name), points ? figure(Math.round(points.value) + 0) : "–", bar];
  });
  const caption = "Points, from the floor script (0) to the ceiling script (100)";
  return el(
    "article",
    { class: "measured" },
    el("h3", {}, words(model, 120)),
    el("p", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
    stale && el("p", { class: "bad" }, words(stale, 240)),
    grid(caption, ["task", "points", "interval"], rows),
  );
}

function inWords({ value, low, high }) {
  const [least, most] = [low, high].map((end) => (end === null ? "open" : figure(end, 0)));
  return `${figure(value, 0)} [${least}, ${most}]`;
}

/** Return the bar of some points, from 0, with the line of their interval. */
function barOf(points) {
  const at = (value) => Math.min(100, Math.max(0, (100 * (value - LEAST)) / WIDE));
  const line = (name, from, to, y) =>
    svg("line", { class: name, x1: `${from}%`, x2: `${to}%`, y1: 10 - y, y2: 10 + y });
  return svg(
    "svg",
    { height: 20, role: "img", "aria-label": inWords(points) },
    line("edge", at(0), at(0), 10),
    line("edge", at(100), at(100), 10),
    line("bar", at(0), at(points.value), 0),
    line("reach", at(points.low ?? LEAST), at(points.high ?? WIDE), 0),
  );
}

/** Show the games of one model in one task, each as a file. */
async function openTask(main, task, path) {
  const { model, games } = await call(path);
  const rows = games.map(({ number, value, legal, asks, tokens, rival }) => [
    el("a", { href: `api${path}/${number}.html` }, `game ${number + 1}`),
    figure(value),
    `${legal} of ${asks}`,
    figure(tokens),
    words(rival, 60),
  ]);
  const back = el("a", { class: "button", href: "#/measured" }, "All measured models");
  const about = el("p", {}, words(model, 120), ": each game is a page for any browser.");
  const head = ["game", "value", "legal at once", "tokens", "against"];
  clear(main, pageBody(`Games of ${task}`, back, about, grid("Games", head, rows)));
}
