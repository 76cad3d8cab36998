// Keys: what the keyboard does on every page, and the buttons that every page has.

import { el } from "./dom.js";
import { iconButton } from "./controls.js";

const THEMES = ["", "light", "dark"];
let theme = 0;

/** Show what keys and marks mean. */
async function openHelp() {
  (await import("./help.js")).showHelp();
}

/** Turn from the system's colours to light, to dark, and back. */
function turnTheme() {
  theme = (theme + 1) % THEMES.length;
  document.documentElement.dataset.theme = THEMES[theme];
}

/** Return the buttons for help and for light or dark. */
export function pageButtons() {
  return el(
    "div",
    { class: "row" },
    iconButton("theme", "Light or dark", turnTheme),
    iconButton("help", "Keys and marks", openHelp),
  );
}

/** Let keys act: `actsNow` returns what each does on the page that is shown. */
export function listenToKeys(actsNow) {
  const shutMenus = (event) =>
    document
      .querySelectorAll(".menu[open]")
      .forEach((menu) => (menu.open = event.key !== "Escape" && menu.contains(event.target)));
  document.addEventListener("pointerdown", shutMenus);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") shutMenus(event);
    const { target, key, ctrlKey, metaKey, altKey, defaultPrevented } = event;
    if (ctrlKey || metaKey || altKey || defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
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
