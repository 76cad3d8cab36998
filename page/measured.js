// Measured models: bars with intervals, each of which leads to its games.

import { clear, el, svg, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { figure, grid } from "./controls.js";
import { pageBody } from "./parts.js";

// The ends of every bar's axis, in points: the floor script is 0, the ceiling script 100.
const LOW = -25;
const HIGH = 125;

/** Open the list of all measured models; or the games of one of them in one task. */
export async function openMeasured(main, suite, model, task) {
  if (task) return openTask(main, suite, model, task);
  const { suites } = await call("/measured");
  const none = el("p", {}, "No model is measured yet: ", el("code", {}, "uv run tournament.py measure scripted:greedy"));
  const tables = suites.map(({ name, models }) => el("section", {}, el("h2", {}, words(name)), models.map((one) => modelOf(name, one))));
  clear(main, pageBody("Measured models", null, suites.length ? tables : none));
}

/** Return one model: its score, and a bar for each task. */
function modelOf(suite, { folder, model, quick, draft, stale, score, rules, tasks }) {
  const facts = [
    score ? `arena score ${inWords(score)}` : "no arena score",
    rules && `${figure(rules.value, 1)} % legal at once`,
    quick && "half of the games",
    draft && "a draft of the suite",
  ];
  const rows = tasks.filter((task) => task.points).map((task) => [
    el("a", { href: linkOf(suite, folder, task.name) }, task.name),
    figure(Math.round(task.points.value) + 0),
    barOf(task.points, linkOf(suite, folder, task.name)),
  ]);
  const rest = tasks.filter((task) => !task.points);
  const missing = rest.map((task) => el("li", {}, `${task.name}: `, words(task.missing, 120)));
  return el(
    "article",
    { class: "measured" },
    el("h3", {}, words(model, 120)),
    el("p", { class: "quiet" }, facts.filter(Boolean).join(" · ")),
    stale && el("p", { class: "bad" }, words(stale, 240)),
    grid("Points, from the floor script (0) to the ceiling script (100)", ["task", "points", "interval"], rows),
    rest.length > 0 && el("details", {}, el("summary", {}, `${rest.length} tasks not measured`), el("ul", {}, missing)),
  );
}

function linkOf(suite, folder, task) {
  return `#${pathOf("measured", suite, folder)}?${new URLSearchParams({ task })}`;
}

function inWords({ value, low, high }) {
  const end = (one) => (one === null ? "open" : figure(one, 0));
  return `${figure(value, 0)} [${end(low)}, ${end(high)}]`;
}

/** Return the bar of some points with the line of their interval, as a link to their games. */
function barOf(points, href) {
  const at = (value) => (100 * (Math.min(HIGH, Math.max(LOW, value)) - LOW)) / (HIGH - LOW);
  const x = at(points.value);
  const zero = at(0);
  const [low, high] = [at(points.low ?? LOW), at(points.high ?? HIGH)];
  const line = (from, to, className) =>
    svg("line", { class: className, x1: `${from}%`, x2: `${to}%`, y1: 10, y2: 10 });
  const edge = (place) => svg("line", { class: "edge", x1: `${place}%`, x2: `${place}%`, y1: 0, y2: 20 });
  const bar = svg("rect", { x: `${Math.min(x, zero)}%`, width: `${Math.abs(x - zero)}%`, y: 4, height: 12 });
  const drawing = svg("svg", { class: "points", height: 20, role: "img", "aria-label": inWords(points) }, edge(zero), edge(at(100)), bar, line(low, high, "reach"));
  return el("a", { href, title: inWords(points) }, drawing);
}

/** Show the games of one model in one task, each as a file. */
async function openTask(main, suite, folder, task) {
  const path = pathOf("measured", suite, folder, task);
  const { model, games } = await call(path);
  const rows = games.map((game) => [
    el("a", { href: `api${path}/${game.number}.html` }, `game ${game.number + 1}`),
    figure(game.value),
    game.asks ? `${game.legal} of ${game.asks}` : "–",
    figure(game.tokens),
    words(game.rival || "–", 60),
  ]);
  const back = el("a", { class: "button", href: "#/measured" }, "All measured models");
  const head = ["game", "value", "legal at once", "tokens", "against"];
  const title = el("p", {}, words(model, 120), ": each game is a page for any browser.");
  clear(main, pageBody(`Games of ${task}`, back, title, grid(`Games of ${task}`, head, rows)));
}
