// A new game: a form made from the game's own settings, and what it may cost before it begins.

import { clear, el, plain, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { button, choice, figure, grid, notify } from "./controls.js";
import { dollars, named } from "./parts.js";
import { seatsEditor } from "./seating.js";

// What a newcomer begins with: a game that reads well, and needs no model.
const FIRST = "first_island";

/** Open the form, filled in with a ready-made game or the game in the address. */
export async function openForm(main, query) {
  const from = query.get("from");
  const [offer, before] = await Promise.all([call("/offer"), from && call(pathOf("games", from))]);
  const names = Object.keys(offer.games);
  const ready = offer.configs.filter((one) => one.config.game?.name ?? one.config.game);
  const games = el("div", { class: "tiles", role: "group", "aria-label": "Game" });
  const form = el("form", { onsubmit: (event) => event.preventDefault() });
  const titles = ready.map(({ name, about }) => [
    name,
    `${name.replaceAll("_", " ")}: ${about}`.slice(0, 90),
  ]);
  const list = choice("Ready-made game", [["", "none"], ...titles], FIRST, takeReady);
  const begun = ready.length > 0 && named("Or start from a ready-made one", list);
  clear(main, el("div", { class: "page" }, el("h1", {}, "New game"), games, begun, form));
  for (const name of names) {
    const text = [el("b", {}, name), el("small", {}, offer.games[name].about)];
    games.append(button(text, () => fill(name, {}), { "data-game": name }));
  }
  if (before) fill(before.game, { player_configs: before.players, ...before.config, seed: undefined });
  else takeReady(list.value);

  function takeReady(name) {
    const config = ready.find((one) => one.name === name)?.config;
    if (config) fill(config.game.name ?? config.game, config);
    else fill(names[0], {});
  }

  function fill(name, config) {
    for (const tile of games.children)
      tile.setAttribute("aria-pressed", String(tile.dataset.game === name));
    const { settings, basic } = offer.games[name];
    const fields = Object.entries(settings.properties).map(([key, schema]) =>
      makeSetting(key, schema, config.game?.[key]),
    );
    const part = (isBasic) =>
      el("div", { class: "settings" }, fields.filter(({ key }) => basic.includes(key) === isBasic).map(({ node }) => node));
    const seats = seatsEditor(offer, name, config.player_configs);
    const seed = el("input", { type: "number", step: 1, value: config.seed ?? "" });
    const value = Math.min(1, offer.max_cost);
    const cost = el("input", { type: "number", min: 0, step: "any", value });
    const many = el("input", { type: "number", min: 1, max: 200, value: 1 });
    const found = el("div", { "aria-live": "polite" });
    const read = () => ({
      config: {
        game: Object.assign({ name }, ...fields.map((field) => field.read())),
        player_configs: seats.read(),
        ...(seed.value ? { seed: Number(seed.value) } : {}),
        limits: { ...config.limits, ...(cost.value ? { max_cost: Number(cost.value) } : {}) },
      },
      games: Number(many.value),
    });
    const ask = (path, then) => async () => {
      notify(found, "…", "good");
      try {
        then(await call(path, read()));
      } catch (error) {
        notify(found, error.message);
        if (error.games) found.append(begunCard(error.games));
      }
    };
    const bounds = ask("/games?dry_run=1", (bounds) => showBounds(found, bounds));
    const begin = ask("/games", (begun) => showBegun(found, begun.games));
    const start = button("Start", begin, { class: "first", disabled: offer.read_only });
    clear(
      form,
      el("h2", {}, "Players"),
      seats.node,
      el("h2", {}, "Settings"),
      part(true),
      el("details", {}, el("summary", {}, "Advanced settings"), part(false)),
      el("h2", {}, "Limits"),
      el(
        "div",
        { class: "settings" },
        named("Maximum dollars", cost, "for paid models"),
        named("Seed", seed, "empty: random"),
        named("Games", many, "each with the next seed"),
      ),
      found,
      el("div", { class: "row" }, button("What could it cost?", bounds), start),
    );
  }
}

/** Show what a game may take at most. */
function showBounds(box, bounds) {
  const rows = [...Object.entries(bounds.seats), ["all", bounds.all]].map(([name, one]) => [
    words(name),
    figure(one.calls),
    figure(one.prompt_tokens),
    figure(one.completion_tokens),
    dollars(one.cost),
  ]);
  const head = ["seat", "calls", "prompt tokens", "answer tokens", "cost"];
  clear(box, grid(`At most, in ${figure(bounds.events)} events`, head, rows));
}

/** Go to a game that began; where people sit in it, show their links first. */
function showBegun(box, games) {
  const [{ name, seats }] = games;
  const links = Object.entries(seats);
  if (games.length === 1 && !links.length) location.hash = `#${pathOf("game", name)}`;
  else if (games.length > 1) location.hash = "#/";
  clear(box, begunCard([games[0]]));
}

/** Return the links to games and seats. */
function begunCard(games) {
  const parts = games.map(({ name, seats }) => [
    Object.entries(seats).map(seatRow),
    el("p", {}, el("a", { href: `#${pathOf("game", name)}` }, "Watch")),
  ]);
  return el("div", { class: "card" }, el("h2", {}, "The game has started"), parts);
}

/** Return the link to one seat. */
function seatRow([player, link]) {
  const { hash } = new URL(link, location.href);
  const about = `Link of ${plain(player, 40)}`;
  return el(
    "p",
    { class: "row" },
    words(player),
    el("a", { class: "button", href: hash }, "Sit down"),
    el("input", { readonly: true, value: link, "aria-label": about }),
  );
}

/** Return a field for one setting of a JSON Schema, and how to read it. */
function makeSetting(key, schema, given) {
  const value = given ?? schema.default;
  const about = schema.description;
  const { control, read } = makeControl(schema, value);
  const changed = () => {
    const now = read();
    return JSON.stringify(now) === JSON.stringify(schema.default) ? {} : { [key]: now };
  };
  const words = key.replaceAll("_", " ");
  // Pydantic makes a title of the key where the game has none of its own.
  const isOwn = schema.title && schema.title.toLowerCase() !== words;
  return { key, node: named(isOwn ? schema.title : words, control, about), read: changed };
}

/** Return a control that fits a schema: a box to tick, a list, a number, words; JSON for all else. */
function makeControl(schema, value) {
  if (schema.type === "boolean") {
    const control = el("input", { type: "checkbox", checked: value });
    return { control, read: () => control.checked };
  }
  if (schema.enum) {
    const control = choice(schema.title, schema.enum.map(String), String(value));
    return { control, read: () => schema.enum.find((one) => String(one) === control.value) };
  }
  const numeric = schema.type === "integer" || schema.type === "number";
  if (numeric) {
    const control = el("input", {
      type: "number",
      min: schema.minimum,
      max: schema.maximum,
      step: schema.type === "integer" ? 1 : "any",
      value,
    });
    return { control, read: () => (control.value === "" ? schema.default : Number(control.value)) };
  }
  const isText = schema.type === "string";
  const isPlain = isText || typeof value === "string";
  const isEmpty = typeof (value ?? {}) === "object" && !Object.keys(value ?? {}).length;
  const [example] = schema.examples ?? [];
  const control = el("input", {
    value: isEmpty ? "" : isPlain ? value : JSON.stringify(value),
    placeholder: example && JSON.stringify(example),
  });
  if (isText) return { control, read: () => control.value };
  const read = () => (control.value === "" ? schema.default : readJson(control.value));
  return { control, read };
}

/** Return what a text means: JSON if it is any, else the text. */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
