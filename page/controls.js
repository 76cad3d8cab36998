// Small parts that every page uses: icons, buttons, fields, notices.

import { clear, el, svg } from "./dom.js";

const ICONS = {
  play: "M7 4.5v15l12-7.5Z",
  pause: "M6 5h4v14H6ZM14 5h4v14h-4Z",
  back: "M15.5 5 8.5 12l7 7",
  next: "M8.5 5l7 7-7 7",
  help: "M9 9a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1-1.4 2.3M12 17.5v.5",
  close: "M6 6l12 12M18 6 6 18",
  theme: "M12 3a9 9 0 1 0 0 18ZM12 3a9 9 0 0 1 0 18",
};
const FILLED = new Set(["play", "pause"]);
const STROKED = {
  fill: "none",
  stroke: "currentColor",
  "stroke-width": 2,
  "stroke-linecap": "round",
  "stroke-linejoin": "round",
};

/** Return an icon. */
export function icon(name) {
  const paint = FILLED.has(name) ? { fill: "currentColor" } : STROKED;
  const box = { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" };
  return svg("svg", box, svg("path", { d: ICONS[name], ...paint }));
}

/** Return a button. */
export function button(name, onclick, more) {
  return el("button", { type: "button", onclick, ...more }, name);
}

/** Return a button that is only an icon; screen readers read its name. */
export function iconButton(picture, name, onclick, more) {
  return button(icon(picture), onclick, {
    class: "icon",
    "aria-label": name,
    title: name,
    ...more,
  });
}

/** Return a list to choose from; options are texts, or pairs of a value and a text. */
export function choice(name, options, value, onchange, more) {
  const items = options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return el("option", { value: key, selected: key === value }, text);
  });
  return el(
    "select",
    { "aria-label": name, onchange: (event) => onchange?.(event.target.value), ...more },
    items,
  );
}

/** Show a sentence where something went wrong, or went well. */
export function notify(box, text, kind = "bad") {
  clear(
    box,
    text && el("p", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status" }, text),
  );
}

/** Return a number as people read it. */
export function figure(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  return typeof value === "number"
    ? value.toLocaleString("en", { maximumFractionDigits: digits })
    : String(value);
}

/** Return what a view is called. */
export function viewName(view) {
  return view === "*" ? "Everything" : view ? `As ${view}` : "Public";
}

/** Return a table of a head and rows, whose cells are texts or nodes. */
export function grid(caption, head, rows) {
  const line = (cells, tag, scope) =>
    el("tr", {}, cells.map((cell) => el(tag, { class: isFigure(cell) && "number", scope }, cell)));
  const body = rows.map((row) => line(row, "td"));
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, line(head, "th", "col")),
      el("tbody", {}, body),
    ),
  );
}

function isFigure(cell) {
  return typeof cell === "number" || /^[-+$]?[\d,.]+( s|%)?$/.test(cell);
}
