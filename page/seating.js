// Who plays: a line a seat, for new games and forks.

import { add, clear, el, plain } from "./dom.js";
import { button, choice, iconButton } from "./controls.js";

const NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gia", "Hal", "Ida", "Jon"];
// Seats begin with different scripts; the first ones of a game are its simplest.
const OFFSET = 3;

/** Make the lines of seats; a fork's seats keep their names, and unchanged ones are left out. */
export function seatsEditor(offer, game, players, forks = false) {
  const node = el("div", { class: "seats" });
  const { strategies, refused = [] } = offer.games[game];
  const able = Object.keys(strategies).filter((key) => !refused.includes(key));
  const kinds = offer.providers.map((provider) => [
    provider.name,
    { scripted: "a script", human: "a person" }[provider.name] ?? provider.name,
  ]);
  const seats = [];

  function addSeat(seat) {
    const kept = { ...seat };
    const line = el("div", { class: "seat row" });
    const name = el("input", {
      value: plain(seat.player_id),
      "aria-label": "Name",
      maxlength: 40,
      readonly: forks,
      required: true,
    });
    const model = el("span", {});
    const draw = (provider, chosen) => {
      kept.provider = provider;
      kept.model = chosen ?? "";
      const given = offer.providers.find((one) => one.name === provider);
      const set = (value) => (kept.model = value);
      if (provider === "human" || !provider) return clear(model);
      if (provider !== "scripted") {
        const placeholder = given?.default_model || "model";
        const oninput = (event) => set(event.target.value);
        const shown = { value: kept.model, placeholder, "aria-label": "Model", oninput };
        return clear(model, el("input", shown));
      }
      kept.model = chosen || able[(seats.length + OFFSET) % able.length];
      const meanings = Object.entries(strategies).map(([key, about]) => [key, `${key}: ${about}`.slice(0, 70)]);
      return clear(model, choice("Strategy", meanings, kept.model, set));
    };
    const options = forks ? [["", "as before"], ...kinds] : kinds;
    const known = kinds.some(([key]) => key === seat.provider);
    const first = forks ? "" : known ? seat.provider : "scripted";
    const character = el("input", {
      value: plain(seat.character_prompt ?? ""),
      placeholder: "character, if any",
      "aria-label": "Character",
    });
    const takeAway = () => (seats.splice(seats.indexOf(entry), 1), line.remove());
    const remove = !forks && iconButton("close", "Remove this seat", takeAway);
    const entry = {
      read: () => ({
        ...(seat.client_kwargs ? { client_kwargs: seat.client_kwargs } : {}),
        player_id: name.value,
        provider: kept.provider,
        ...(kept.model ? { model: kept.model } : {}),
        ...(character.value ? { character_prompt: character.value } : {}),
      }),
    };
    draw(first, known && !forks ? seat.model : "");
    const who = choice("Who plays", options, first, (value) => draw(value));
    add(line, name, who, model, character, remove);
    seats.push(entry);
    node.insertBefore(line, node.querySelector(":scope > button"));
  }

  const addScript = () => {
    const player_id = NAMES[seats.length] ?? `Player ${seats.length + 1}`;
    addSeat({ player_id, provider: "scripted" });
  };
  if (!forks) node.append(button("Add a seat", addScript));
  if (players?.length) for (const seat of players) addSeat(seat);
  else for (let number = 0; number < 3; number += 1) addScript();
  return { node, read: () => seats.map((seat) => seat.read()).filter((seat) => seat.provider) };
}
