// The server's page: its place is in the fragment, which no log of a server sees.

import { add, clear, el, plain } from "./dom.js";
import { call } from "./api.js";
import { notify } from "./controls.js";
import { listenToKeys, pageButtons } from "./keys.js";

const PAGES = [
  ["", "Games"],
  ["new", "New game"],
  ["costs", "Costs"],
  ["measured", "Measured"],
];
const links = PAGES.map(([path, name]) => el("a", { href: `#/${path}` }, name));
let main = newMain();
let shown = null;
let turns = 0;

/** Return the room of a page: one that comes late fills its own. */
function newMain() {
  return el("main", { id: "main", tabindex: -1 });
}

/** Return the fragment as its parts and its words. */
function readPlace() {
  const [path, search] = location.hash
    .replace(/^#(?=[a-z]+=)/, "#/?")
    .slice(1)
    .split("?");
  return {
    parts: path.split("/").slice(1).map(decodeURIComponent),
    query: new URLSearchParams(search ?? ""),
  };
}

/** Trade the token or key of a link for a cookie, and wipe it from the address. */
async function enter() {
  const { query } = readPlace();
  const secret = query.get("token") ?? query.get("key");
  if (!secret) return;
  const rest = [...query].filter(([name]) => name !== "token" && name !== "key");
  const path = location.hash.startsWith("#/") ? location.hash.split("?")[0] : "#/";
  history.replaceState(null, "", rest.length ? `${path}?${new URLSearchParams(rest)}` : path);
  await call("/session", {}, "POST", { Authorization: `Bearer ${secret}` });
}

/** Show what the fragment names. */
async function show() {
  const turn = ++turns;
  shown?.end?.();
  shown = null;
  document.querySelector("dialog")?.close();
  const own = add(newMain(), el("p", { class: "quiet wait" }, "…"));
  main.replaceWith(own);
  main = own;
  try {
    await enter();
    if (turn !== turns) return;
    const { parts, query } = readPlace();
    const [page = "", name, player] = parts;
    for (const link of links) link.removeAttribute("aria-current");
    const current = PAGES.findIndex(([path]) => path === page);
    links[current]?.setAttribute("aria-current", "page");
    document.title = plain([player, name, "Arena"].filter(Boolean).join(" · "), 120);
    const opened = await openPage(own, page, name, player, query);
    if (turn === turns && opened?.title) document.title = plain(`${opened.title} · Arena`, 160);
    if (turn === turns) shown = opened;
    else opened?.end?.();
  } catch (error) {
    const box = el("div", { class: "page" });
    clear(own, box);
    notify(box, error.message);
    box.prepend(el("h1", {}, "That did not work"));
    box.append(el("p", {}, el("a", { class: "button", href: "#/" }, "All games")));
  }
}

/** Open one page by its name; what only this page needs is read when it is first opened. */
async function openPage(main, page, name, player, query) {
  if (page !== "game" && page !== "seat") await (await import("./parts.js")).houseStyle();
  if (page === "") return (await import("./list.js")).openList(main, query);
  if (page === "new") return (await import("./new_game.js")).openForm(main, query);
  if (page === "costs") return (await import("./costs.js")).openCosts(main);
  if (page === "measured") return (await import("./measured.js")).openMeasured(main, name, player, query.get("task"));
  if (page === "fork") return (await import("./compare.js")).openCompare(main, name);
  const place = {
    game: { view: query.get("as"), event: query.get("event") },
    seat: { view: player, seat: player },
  }[page];
  if (!place) throw new Error("There is nothing at this address: go to Games.");
  return (await import("./game.js")).openGame(main, name, place);
}

/** Begin. */
function begin() {
  const top = el(
    "header",
    { class: "top" },
    el("a", { class: "brand", href: "#/" }, "arena"),
    el("nav", { "aria-label": "Pages" }, links),
    pageButtons(),
  );
  add(clear(document.getElementById("app")), top, main);
  listenToKeys(() => shown?.keys ?? {});
  addEventListener("hashchange", show);
  show();
}

begin();
