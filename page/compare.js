// A fork beside the game it came from: two timelines aligned where it branches off, and what differs.

import { clear, el, plain, svg, words } from "./dom.js";
import { call, follow, pathOf } from "./api.js";
import { byline, headingOf } from "./feed.js";
import { idsOf } from "./players.js";

const BEFORE = 2;
const MOST_PAIRS = 400;
// The largest distance between the events of a pair.
const NEAR = 12;

/** Return the game and the event that a game was forked from, null if it is no fork. */
export function parentOf({ config }) {
  const last = config?.handovers?.at(-1);
  return last?.game_id ? { name: last.game_id, after: last.after } : null;
}

/** Open a fork beside its parent; both are read on while the fork is played. */
export async function openCompare(main, name) {
  const fork = await call(pathOf("games", name));
  const branch = parentOf(fork);
  if (!branch) throw new Error("This game is not a fork, or you may not see all of it.");
  const parent = await call(pathOf("games", branch.name));
  const sides = [parent, fork].map((about) => ({ about, frames: [] }));
  const strip = el("div", { class: "strip" });
  const pairs = el("ol", { class: "pairs" });
  const count = el("p", { class: "quiet", role: "status" });
  const heads = el("div", { class: "pair heads" });
  const heirs = fork.config.handovers
    .filter((one) => one.after === branch.after && one.game_id === branch.name)
    .map(({ player }) => `${player.player_id} is played by ${[player.provider, player.model].filter(Boolean).join(" ")}`);
  const about = el("p", { class: "quiet" }, words(`After event ${branch.after} ${heirs.join(", ")}.`, 300));
  const page = [el("h1", {}, words(fork.title)), about, heads, strip, count, pairs];
  clear(main, el("div", { class: "page compare" }, page));
  let due = 0;
  const shut = sides.map((side) =>
    follow(`${pathOf("games", side.about.name, "events")}?as=*`, (kind, data) => {
      if (kind === "reset") side.frames = [];
      if (kind === "event") side.frames.push(data);
      if (kind === "end") call(pathOf("games", side.about.name)).then((about) => ((side.about = about), draw()), () => {});
      due ||= setTimeout(draw, 60);
    }),
  );

  function draw() {
    due = 0;
    const [one, other] = sides.map(({ frames }) => frames.filter(({ index }) => index > branch.after));
    const all = paired(one, other).slice(0, MOST_PAIRS);
    const differing = all.filter(differ).length;
    const before = sides[0].frames.filter(({ index }) => index <= branch.after).slice(-BEFORE);
    clear(heads, sides.map(headOf));
    clear(strip, drawStrip(sides.map(({ frames }) => frames.length), branch.after, all));
    clear(count, `${differing} of ${all.length} events behind the fork differ`);
    clear(pairs, before.map((frame) => comparedRow([frame, frame], sides)), all.map((pair) => comparedRow(pair, sides)));
  }

  draw();
  return { title: fork.title, end: () => (clearTimeout(due), shut.forEach((close) => close())) };
}

/** Return what stands above a side: which game it is, and how it ended. */
function headOf({ about }, place) {
  return el(
    "div",
    {},
    el("b", {}, place ? "The fork" : "The original game"),
    el("p", {}, el("a", { href: `#${pathOf("game", about.name)}` }, words(about.name))),
    el("p", { class: "summary" }, words(about.result || about.status)),
  );
}

/** Return pairs of nearby events of the same player and kind; other events stay alone. */
function paired(one, other) {
  const key = ({ round, kind, player_id: by }) => JSON.stringify([round, kind, by]);
  const find = (frames, from, wanted) =>
    frames.slice(from, from + NEAR).findIndex((frame) => key(frame) === wanted);
  const pairs = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const skipped = find(other, right, key(one[left]));
    const missed = find(one, left, key(other[right]));
    if (skipped === 0) pairs.push([one[left++], other[right++]]);
    else if (missed < 0 || (skipped > 0 && skipped < missed)) pairs.push([null, other[right++]]);
    else pairs.push([one[left++], null]);
  }
  const rest = one.slice(left).map((frame) => [frame, null]);
  return [...pairs, ...rest, ...other.slice(right).map((frame) => [null, frame])];
}

function differ([one, other]) {
  return one?.content !== other?.content || one?.heading !== other?.heading;
}

/** Draw both timelines, one line up to the fork, with a mark for each event that differs. */
function drawStrip(lengths, after, pairs) {
  const most = Math.max(2, ...lengths);
  const x = (index) => 8 + (984 * index) / (most - 1);
  const line = (from, to) =>
    svg("path", { d: `M${from}L${to}`, fill: "none", stroke: "var(--edge)", "stroke-width": 4 });
  const fork = x(after);
  const marks = pairs.filter(differ).flatMap((pair) =>
    pair.map((frame, side) => frame && svg("circle", { cx: x(frame.index), cy: side ? 50 : 14, r: 5, fill: "var(--accent)" })),
  );
  const box = { viewBox: "0 0 1000 64", class: "board", role: "img", "aria-label": "Both timelines" };
  return svg(
    "svg",
    box,
    line("8 14", `${x(Math.max(after, lengths[0] - 1))} 14`),
    line(`${fork} 14`, `${fork + 14} 50 ${x(Math.max(after, lengths[1] - 1))} 50`),
    marks,
    svg("circle", { cx: fork, cy: 14, r: 9, fill: "var(--card)", stroke: "var(--ink)", "stroke-width": 4 }),
  );
}

/** Return one row: the event of each side, and whether they differ. */
function comparedRow(pair, sides) {
  const differs = differ(pair);
  const cells = pair.map((frame, place) => cellOf(frame, sides[place].about));
  return el("li", { class: `pair ${differs ? "differs" : ""}` }, cells);

  function cellOf(frame, about) {
    if (!frame) return el("div", { class: "quiet" }, "no such event");
    const game = { ...about, players: idsOf(about).map((player_id) => ({ player_id })) };
    const title = el("span", { class: "heading" }, words(headingOf(frame) || (frame.player_id ? "" : frame.kind)));
    const tag = differs && el("span", { class: "tag" }, "differs");
    const head = el("header", {}, byline(frame, game, 22), title, tag, el("span", { class: "at" }, frame.index));
    return el("div", {}, head, el("p", { class: "text" }, plain(frame.content, 400)));
  }
}
