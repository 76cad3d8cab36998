// Larger parts of pages: heads, fields with help, dialogs, dollars.

import { add, el } from "./dom.js";
import { button } from "./controls.js";

let style = null;

/** Read the style of the pages around games, once. */
export function houseStyle() {
  style ??= new Promise((onload) => {
    document.head.append(el("link", { rel: "stylesheet", href: "house.css", onload, onerror: onload }));
  });
  return style;
}

/** Return a page of its own: its title, what stands beside it, and all below. */
export function pageBody(title, beside, ...parts) {
  const head = el("div", { class: "head" }, el("h1", {}, title), beside);
  return el("div", { class: "page" }, head, parts);
}

/** Return a field with its name above it and a word of help below. */
export function named(name, control, about) {
  return el(
    "label",
    { class: "field" },
    el("span", { class: "label" }, name),
    control,
    about && el("small", {}, about),
  );
}

/** Open a dialog with this head; `fill(close)` returns its content. */
export function openDialog(head, fill) {
  const dialog = el("dialog", { "aria-label": head, onclose: () => dialog.remove() });
  const close = () => dialog.close();
  add(dialog, el("h2", {}, head), fill(close), el("p", { class: "row" }, button("Close", close)));
  document.querySelectorAll(".menu[open]").forEach((menu) => (menu.open = false));
  document.body.append(dialog);
  dialog.showModal();
  const field = dialog.querySelector("input:not([readonly]), select");
  (field ?? dialog.querySelector("p:last-child button")).focus();
}

/** Return dollars as people read them; an unknown price is said to be unknown. */
export function dollars(cost) {
  if (cost === null || cost === undefined) return "unknown";
  return cost === 0 ? "free" : `$${cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(2)}`;
}
