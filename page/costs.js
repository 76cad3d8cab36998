// What games cost: by day, game, model or player.

import { clear, el, words } from "./dom.js";
import { call } from "./api.js";
import { choice, figure, grid } from "./controls.js";
import { dollars, pageBody } from "./parts.js";

const WAYS = ["day", "game", "model", "player"];

/** Open the page of costs. */
export async function openCosts(main) {
  const box = el("div", {});
  const ways = WAYS.map((way) => [way, `by ${way}`]);
  clear(main, pageBody("Costs", choice("Sums by", ways, "day", draw), box));
  await draw("day");

  async function draw(by) {
    const { rows, all } = await call(`/costs?by=${by}`);
    const most = Math.max(...rows.map((row) => row.cost), 1e-9);
    const line = (name, row) => {
      const bar = el("span", { class: "share" });
      bar.style.setProperty("--share", `${(100 * row.cost) / most}%`);
      return [
        name,
        figure(row.games),
        figure(row.tokens),
        dollars(row.cost),
        row.unknown ? `${figure(row.unknown)} of unknown price` : "",
        bar,
      ];
    };
    const counted = by === "model" || by === "player" ? "seats" : "games";
    const head = [by, counted, "tokens", "cost", "besides", "share"];
    const lines = rows.map((row) => line(words(row.key, 60), row));
    lines.push(line(el("b", {}, "all"), all));
    clear(box, grid(`Games, tokens and dollars by ${by}`, head, lines));
  }
}
