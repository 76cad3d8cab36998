// How a game ended: who won, the table, where it turned, and what to do next.

import { clear, el, plain, words } from "./dom.js";
import { button, figure, grid } from "./controls.js";
import { playerName } from "./players.js";

/** Fill the card of a finished game; `go` moves to an event, `replay` restarts, `next` adds the source's steps. */
export function fillResult(box, { about, game, next }, { go, replay }) {
  const turns = (about.turns ?? []).map(({ event, label, text }) =>
    el("li", {}, button([el("b", {}, plain(label, 60)), " ", words(text, 200)], () => go(event), { class: "turn" })),
  );
  const { summary, shared } = about.outcome;
  const figures = Object.entries(shared ?? {}).map(([name, value]) =>
    el("li", {}, `${plain(name).replaceAll("_", " ")} `, el("b", {}, figure(value, 3))),
  );
  clear(
    box,
    el("h2", {}, words(about.result || "The game is over")),
    el("p", { class: "summary", hidden: !(summary?.length > about.result?.length + 1) }, words(summary)),
    turns.length > 0 && el("div", {}, el("h3", {}, "Turning points"), el("ul", {}, turns)),
    el("p", { class: "row" }, button("Replay", replay, { class: "first" }), next?.()),
    table(about.outcome, game),
    figures.length > 0 && el("ul", { class: "figures" }, figures),
  );
}

/** Return places, scores and the game's own figures. */
function table({ placements, scores, figures }, game) {
  const names = [...new Set(Object.values(figures ?? {}).flatMap(Object.keys))].slice(0, 6);
  const heads = names.map((name) => plain(name, 30).replaceAll("_", " "));
  const ids = Object.keys(placements).sort((one, other) => placements[one] - placements[other]);
  const rows = ids.map((id) => [
    figure(placements[id]),
    playerName(game, id),
    figure(scores[id], 3),
    ...names.map((name) => figure(figures[id]?.[name], 3)),
  ]);
  return grid("Places and scores", ["place", "player", "score", ...heads], rows);
}
