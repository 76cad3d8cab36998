// All games: live ones first, each with its board, and as many rows as can be seen.

import { clear, el, plain, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { choice, figure, notify } from "./controls.js";
import { dollars, named, pageBody } from "./parts.js";
import { mark } from "./players.js";
import { drawThumbnail } from "./thumbnail.js";

// As tall as the style has a row, where there is room for one column and for two.
const HEIGHTS = { narrow: 132, wide: 92 };
const AHEAD = 8;
const LIVE_EVERY = 5000;
const STATUSES = ["running", "finished", "unfinished", "stopped", "failed"];
const MOST_MARKS = 6;
// The filters by their names in the address; below, the less used ones with their kind and an example.
const FILTERS = ["q", "game", "status", "sort", "player", "model", "since", "until"];
const MORE = [
  ["player", "Player", "search", "Ada"],
  ["model", "Model", "search", "scripted:tit_for_tat"],
  ["since", "Begun on or after", "date"],
  ["until", "Begun on or before", "date"],
];

/** Open the list, with the filters that the fragment has. */
export function openList(main, address) {
  const wanted = Object.fromEntries(FILTERS.map((name) => [name, address.get(name) ?? ""]));
  let rows = [];
  let live = [];
  let next = null;
  let asked = 0;
  let busy = false;
  let loads = 0;
  // Before the first answer nobody knows whether there are games.
  let isKnown = false;
  const trouble = el("div", {});
  const count = el("span", { class: "quiet", role: "status" });
  const list = el("ul", { class: "games", "aria-label": "Games" });
  const any = (name, options) =>
    choice(`Only this ${name}`, [["", `any ${name}`], ...options], wanted[name], (value) =>
      filter(name, value),
    );
  const games = el("span", {}, any("game", []));
  const search = el("input", {
    type: "search",
    placeholder: "Search names, games, players, models",
    "aria-label": "Search",
    value: wanted.q,
    oninput: (event) => filter("q", event.target.value),
  });
  const sorts = [
    ["", "newest first"],
    ["began", "oldest first"],
    ["-events", "longest first"],
    ["-cost", "dearest first"],
  ];
  const field = (name, label, type, placeholder) => {
    const oninput = (event) => filter(name, event.target.value);
    return named(label, el("input", { type, placeholder, value: wanted[name], oninput }));
  };
  const fields = el("div", { class: "settings" }, MORE.map((one) => field(...one)));
  const isOpen = MORE.some(([name]) => wanted[name]);
  const more = el("details", { open: isOpen }, el("summary", {}, "More filters"), fields);
  const order = choice("Order", sorts, wanted.sort, (value) => filter("sort", value));
  const statuses = any("status", STATUSES);
  const bar = el("div", { class: "filters", role: "search" }, search, games, statuses, order, more);
  const begin = el("a", { class: "button", href: "#/new" }, "New game");
  clear(main, pageBody("Games", begin, bar, trouble, count, list));
  const timer = setInterval(() => document.hidden || refreshLive(), LIVE_EVERY);
  addEventListener("scroll", draw, { passive: true });
  addEventListener("resize", draw);
  load(true);
  const fill = ({ games: known, listed = [] }) => {
    const names = [...new Set([...Object.keys(known), ...listed])].sort();
    clear(games, any("game", names.map((one) => [one, plain(one, 40)])));
  };
  call("/offer").then(fill, () => {});

  function filter(name, value) {
    wanted[name] = value;
    const filters = new URLSearchParams(Object.entries(wanted).filter(([, one]) => one));
    history.replaceState(null, "", `#/?${filters}`);
    clearTimeout(asked);
    asked = setTimeout(() => load(true), 200);
  }

  function query(more) {
    return new URLSearchParams(
      Object.entries({ ...wanted, limit: 50, ...more }).filter(([, value]) => value),
    );
  }

  async function refreshLive() {
    const before = { games: live };
    const found = await call(`/games?${query({ status: "running" })}`).catch(() => before);
    const over = live.length > found.games.length;
    live = wanted.status && wanted.status !== "running" ? [] : found.games;
    if (over) await load(true);
    else draw();
  }

  async function load(anew) {
    if (busy && !anew) return;
    busy = true;
    loads += 1;
    const own = loads;
    try {
      const [page, playing] = await Promise.all([
        call(`/games?${query({ cursor: anew ? "" : next })}`),
        anew ? call(`/games?${query({ status: "running" })}`) : { games: live },
      ]);
      // A late answer must not replace a newer one.
      if (own !== loads) return;
      live = wanted.status && wanted.status !== "running" ? [] : playing.games;
      rows = anew ? page.games : [...rows, ...page.games];
      next = page.next;
      isKnown = true;
      notify(trouble, "");
    } catch (error) {
      if (own !== loads) return;
      isKnown = false;
      notify(trouble, error.message);
    }
    busy = false;
    draw();
  }

  /** Show the rows that can be seen, with room for the others above and below. */
  function draw() {
    const names = new Set(live.map((row) => row.name));
    const all = [...live, ...rows.filter((row) => !names.has(row.name))];
    const height = HEIGHTS[innerWidth < 760 ? "narrow" : "wide"];
    const top = Math.max(0, -list.getBoundingClientRect().top);
    const first = Math.max(0, Math.floor(top / height) - AHEAD);
    const last = Math.min(all.length, Math.ceil((top + innerHeight) / height) + AHEAD);
    list.style.setProperty("height", `${all.length * height}px`);
    const held = list.querySelector("a:focus")?.getAttribute("href");
    const nodes = all.slice(first, last).map((row, place) => {
      const node = rowOf(row, first + place, all.length, names.has(row.name));
      node.style.setProperty("top", `${(first + place) * height}px`);
      return node;
    });
    clear(list, nodes);
    const links = [...list.querySelectorAll("a")];
    links.find((link) => link.getAttribute("href") === held)?.focus({ preventScroll: true });
    const none = Object.values(wanted).some(Boolean)
      ? "No game matches."
      : "No games yet. Start one with New game.";
    const games = `${all.length}${next ? "+" : ""} ${all.length === 1 ? "game" : "games"}`;
    const found = games + (live.length ? `, ${live.length} live` : "");
    count.textContent = all.length ? found : isKnown ? none : "";
    if (next && last > all.length - AHEAD) load(false);
  }

  const keys = { "/": () => search.focus() };
  return {
    keys,
    end: () => (
      clearInterval(timer),
      clearTimeout(asked),
      removeEventListener("scroll", draw),
      removeEventListener("resize", draw)
    ),
  };
}

/** Return one game's row. */
function rowOf(row, place, total, live) {
  const players = row.players ?? [];
  const seats = { players: players.map((player_id) => ({ player_id })) };
  const rest = players.length - MOST_MARKS;
  const tiny = el(
    "div",
    { class: "tiny", "aria-hidden": "true", inert: true },
    players.slice(0, MOST_MARKS).map((player_id) => mark(seats, player_id, 18)),
    rest > 0 && el("small", {}, `+${rest}`),
  );
  const facts = [
    plain(row.game, 40),
    row.rounds !== null && `${row.rounds} rounds`,
    row.events !== null && `${figure(row.events)} events`,
    row.tokens && `${figure(row.tokens)} tokens`,
    row.cost && dollars(row.cost),
  ];
  const began = row.began
    ? new Date(row.began).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })
    : row.name;
  const line = el("span", { class: "line" }, words(row.result || row.reason, 160));
  const status = row.status !== "finished" && el("span", { class: `status ${plain(row.status)}` }, words(row.status));
  const title = el("b", {}, words(row.title || row.game || row.name, 120));
  const who = el("span", { class: "quiet line" }, words(row.who || players.join(", "), 160));
  const figures = el("span", {}, facts.filter(Boolean).join(" · "));
  const node = el(
    "li",
    { "aria-setsize": total, "aria-posinset": place + 1 },
    el(
      "a",
      { href: `#${pathOf("game", row.name)}` },
      tiny,
      el("div", { class: "what" }, title, line, who),
      el("div", { class: "quiet when" }, status, el("span", {}, words(began)), figures),
    ),
  );
  drawThumbnail(tiny, line, row, live).catch(() => {});
  return node;
}
