// Who plays: a line a seat, for new games and forks.

import { clear, el, plain } from "./dom.js";
import { button, choice, iconButton } from "./controls.js";

const NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gia", "Hal", "Ida", "Jon"];
// Seats begin with different scripts; the first ones of a game are its simplest.
const OFFSET = 3;

/** Make the lines of seats; a fork's seats keep their names, and those left as they are are left out. */
export function seatsEditor(offer, game, players, forks = false) {
  const node = el("div", { class: "seats" });
  const { strategies } = offer.games[game];
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
      if (provider === "scripted") {
        const every = Object.keys(strategies);
        kept.model = chosen || every[(seats.length + OFFSET) % every.length];
        clear(
          model,
          choice(
            "Strategy",
            Object.entries(strategies).map(([key, about]) => [
              key,
              `${key}: ${about}`.slice(0, 70),
            ]),
            kept.model,
            set,
          ),
        );
      } else if (provider === "human" || !provider) clear(model);
      else
        clear(
          model,
          el("input", {
            value: kept.model,
            placeholder: given?.default_model || "model",
            "aria-label": "Model",
            oninput: (event) => set(event.target.value),
          }),
        );
    };
    const options = forks ? [["", "as before"], ...kinds] : kinds;
    const known = kinds.some(([key]) => key === seat.provider);
    const first = forks ? "" : known ? seat.provider : "scripted";
    const character = el("input", {
      value: plain(seat.character_prompt ?? ""),
      placeholder: "character, if any",
      "aria-label": "Character",
    });
    const remove =
      !forks &&
      iconButton(
        "close",
        "Take this seat away",
        () => (seats.splice(seats.indexOf(entry), 1), line.remove()),
      );
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
    line.append(
      name,
      choice("Who plays", options, first, (value) => draw(value)),
      model,
      character,
      ...(remove ? [remove] : []),
    );
    seats.push(entry);
    node.insertBefore(line, node.querySelector(":scope > button"));
  }

  if (!forks)
    node.append(
      button("Add a seat", () =>
        addSeat({
          player_id: NAMES[seats.length] ?? `Player ${seats.length + 1}`,
          provider: "scripted",
        }),
      ),
    );
  const begun = players?.length
    ? players
    : NAMES.slice(0, 3).map((player_id) => ({ player_id, provider: "scripted" }));
  for (const seat of begun) addSeat(seat);
  return { node, read: () => seats.map((seat) => seat.read()).filter((seat) => seat.provider) };
}
