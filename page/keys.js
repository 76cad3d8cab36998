// Keys and help: what the keyboard does on every page.

import { el } from "./dom.js";
import { grid, iconButton, openDialog } from "./controls.js";

const KEYS = [
  ["← →", "one event back, one on"],
  ["Space", "play, pause"],
  ["Home, End", "first event, last or live"],
  ["[ ]", "round before, round after"],
  ["/", "search"],
  ["?", "this help"],
];
const MARKS = [
  ["whole line", "a round begins"],
  ["above", "a vote or a result"],
  ["middle", "an event of the player whose view it is"],
  ["below", "a fault, or a fallback that stood for an answer"],
];
const THEMES = ["", "light", "dark"];
let theme = 0;

/** Show what keys and marks mean. */
function openHelp() {
  openDialog("Keys and marks", () => [
    grid("Keys", ["key", "does"], KEYS.map(([key, does]) => [el("kbd", {}, key), does])),
    grid("Marks on the timeline", ["where", "means"], MARKS),
  ]);
}

/** Turn from the system's colours to light, to dark, and back. */
function turnTheme() {
  theme = (theme + 1) % THEMES.length;
  document.documentElement.dataset.theme = THEMES[theme];
}

/** Return the buttons for help and for light or dark. */
export function pageButtons() {
  return el("div", { class: "row" }, iconButton("theme", "Light or dark", turnTheme), iconButton("help", "Keys and marks", openHelp));
}

/** Let keys act: `actsNow` returns what each does on the page that is shown. */
export function listenToKeys(actsNow) {
  const shutMenus = (event) => document.querySelectorAll(".menu[open]").forEach((menu) => (menu.open = event.key !== "Escape" && menu.contains(event.target)));
  document.addEventListener("pointerdown", shutMenus);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") shutMenus(event);
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const { target, key } = event;
    const slides = target.type === "range";
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !slides) return;
    if (key === " " && /^(BUTTON|SUMMARY|A)$/.test(target.tagName)) return;
    if (slides && /^(Arrow|Home|End)/.test(key)) return;
    if (/^(Home|End)$/.test(key) && target.closest(".rows")) return;
    const act = key === "?" ? openHelp : actsNow()[key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
