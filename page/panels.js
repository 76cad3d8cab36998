// What stands below a board: how the game ended, who played, what it cost, and its charts.

import { add, clear, el, plain, words } from "./dom.js";
import { look, mark } from "./players.js";
import { dollars, figure, grid } from "./controls.js";

/** Return a line of all players; who is thinking is said. */
export function playersLine(game, thinking) {
  const chips = game.players.map((player) => {
    const name = el("span", {}, words(player.player_id));
    name.style.color = look(game, player.player_id).text;
    return el(
      "li",
      {},
      mark(game, player.player_id, 22),
      name,
      thinking.includes(player.player_id) &&
        el("span", { class: "quiet" }, game.view === player.player_id ? "your turn" : "thinks…"),
    );
  });
  return el("ul", { class: "cast" }, chips);
}

/** Fill a box with all that is known of a game beside its events. */
export function fillPanels(box, source) {
  const { about, game } = source;
  const pictures = el("div", { class: "charts" });
  const charts = panel("Charts", pictures);
  clear(box, about.outcome && result(about, game), seats(about, game), settings(game), charts);
  charts.hidden = true;
  source
    .charts()
    .then((found) => {
      charts.hidden = !found.length;
      for (const { src, title } of found) {
        const image = el("img", { src, alt: plain(title, 200), loading: "lazy" });
        add(pictures, el("figure", {}, image));
      }
    })
    .catch((error) => clear(pictures, error.message));
}

/** Return a part that folds. */
function panel(name, ...inside) {
  return el("details", { class: `panel ${name.toLowerCase()}` }, el("summary", {}, name), inside);
}

/** Return a player's mark and name, for a table. */
function who(game, player_id) {
  return el("span", { class: "who" }, mark(game, player_id, 22), words(player_id));
}

/** Return how a game ended: places, scores, the game's own figures, one sentence. */
function result(about, game) {
  const { placements, scores, figures, summary } = about.outcome;
  const names = [...new Set(Object.values(figures ?? {}).flatMap(Object.keys))].slice(0, 6);
  const heads = names.map((name) => plain(name, 30).replaceAll("_", " "));
  const ids = Object.keys(placements).sort((one, other) => placements[one] - placements[other]);
  const rows = ids.map((id) => [
    figure(placements[id]),
    who(game, id),
    figure(scores[id], 3),
    ...names.map((name) => figure(figures[id]?.[name], 3)),
  ]);
  const shared = Object.entries(about.outcome.shared ?? {}).map(([name, value]) =>
    el("li", {}, `${plain(name).replaceAll("_", " ")} `, el("b", {}, figure(value, 3))),
  );
  return panel(
    "Result",
    summary && el("p", { class: "summary" }, words(summary)),
    grid("Places and scores", ["place", "player", "score", ...heads], rows),
    shared.length > 0 && el("ul", { class: "figures" }, shared),
  );
}

/** Return who sat where, and what each seat used and cost, as far as this view knows. */
function seats(about, game) {
  const usage = about.usage ?? {};
  const costs = about.costs ?? {};
  const rows = about.players.map((seat) => {
    const used = usage[seat.player_id];
    const tokens = used?.tokens ? used.tokens.prompt_tokens + used.tokens.completion_tokens : null;
    const model = [seat.provider, seat.model].filter(Boolean).join(" · ");
    return [
      who(game, seat.player_id),
      words(model || "–", 60),
      figure(used?.asks),
      figure(used?.fallbacks),
      figure(tokens),
      used?.seconds ? `${figure(used.seconds, 1)} s` : "–",
      seat.player_id in costs ? dollars(costs[seat.player_id]) : "–",
    ];
  });
  const characters = about.players
    .filter((seat) => seat.character_prompt)
    .map((seat) => el("p", {}, who(game, seat.player_id), " ", words(seat.character_prompt)));
  const head = ["player", "played by", "asked", "fallbacks", "tokens", "time", "cost"];
  return panel("Players", grid("Seats, tokens and costs", head, rows), characters);
}

/** Return what the game was made from. */
function settings(game) {
  const facts = Object.entries(game.settings).map(([name, value]) => [
    el("dt", {}, plain(name, 40).replaceAll("_", " ")),
    el("dd", {}, words(typeof value === "string" ? value : JSON.stringify(value), 300)),
  ]);
  return facts.length > 0 && panel("Settings", el("dl", {}, facts));
}
