// What is folded below a board: who played, what it cost, the settings, and the charts.

import { clear, el, plain, words } from "./dom.js";
import { playerName } from "./players.js";
import { figure, grid } from "./controls.js";
import { dollars } from "./parts.js";

/** Show who sat where, and what each seat used and cost, as far as this view knows. */
export function fillPlayers(box, { about, game }) {
  const usage = about.usage ?? {};
  const costs = about.costs ?? {};
  const rows = about.players.map((seat) => {
    const used = usage[seat.player_id];
    const tokens = used?.tokens ? used.tokens.prompt_tokens + used.tokens.completion_tokens : null;
    const model = [seat.provider, seat.model].filter(Boolean).join(" · ");
    return [
      playerName(game, seat.player_id),
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
    .map((seat) => el("p", {}, playerName(game, seat.player_id), " ", words(seat.character_prompt)));
  const head = ["player", "played by", "asked", "fallbacks", "tokens", "time", "cost"];
  clear(box, grid("Seats, tokens and costs", head, rows), characters);
}

/** Show what the game was made from. */
export function fillSettings(box, { game }) {
  const facts = Object.entries(game.settings).map(([name, value]) => [
    el("dt", {}, plain(name, 40).replaceAll("_", " ")),
    el("dd", {}, words(typeof value === "string" ? value : JSON.stringify(value), 300)),
  ]);
  clear(box, el("dl", {}, facts));
}

/** Show the game's charts. */
export async function fillCharts(box, source) {
  const pictures = (await source.charts()).map(({ src, title }) =>
    el("figure", {}, el("img", { src, alt: plain(title, 200), loading: "lazy" })),
  );
  clear(box, el("div", { class: "charts" }, pictures));
}
