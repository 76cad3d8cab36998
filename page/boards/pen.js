// The pen of boards: letters that fit their room, lines, and series that stay short.

import { plain, svg } from "../dom.js";
import { mark } from "../players.js";

const BREADTHS = [
  [/[ilIjtfr.,:;'|!()[\]\s-]/, 0.36],
  [/[mwMW@%—…⟦⟧]/, 1],
  [/[A-Z&0-9_+−=$]/, 0.7],
  [/[!-ɏͰ-ӿ]/, 0.6],
];
const HALO = { stroke: "var(--card)", "stroke-width": 3, "paint-order": "stroke" };
const MOST = 400;

export const DASHES = [null, "7 4", "2 4", "9 4 2 4"];
export const EMPTY = { stride: 1, count: 0, values: [], last: null };

/** Return a board of this size in units, with its name. */
export function sheet(width, height, name, ...children) {
  const box = {
    class: "board",
    viewBox: `0 0 ${width} ${Math.ceil(height)}`,
    role: "group",
    fill: "var(--ink)",
  };
  return svg("svg", box, svg("title", {}, name), children);
}

/** Return a board drawn in `width` units and shown in `full`, so that letters stay large. */
export function enlarged(full, width, height, name, ...children) {
  const by = full / width;
  return sheet(full, height * by, name, svg("g", { transform: `scale(${by})` }, children));
}

/** Return the units to draw a board in that is shown in `full` of them. */
export function roomFor(full) {
  return Math.min(full, 640);
}

/** Return about how many units a text takes: rather too many than too few. */
export function breadth(text, size = 12) {
  let sum = 0;
  for (const letter of text) sum += (BREADTHS.find(([kind]) => kind.test(letter)) ?? [0, 1.25])[1];
  return sum * size;
}

/** Return a text cut to `room` units, nothing in it hidden; `end` stands for what is cut. */
export function fitted(text, room, size = 12, end = "…") {
  const whole = plain(text);
  if (breadth(whole, size) <= room) return whole;
  const kept = Array.from(whole.slice(0, 200));
  while (kept.length && breadth(kept.join("") + end, size) > room) kept.pop();
  return kept.length ? kept.join("").trimEnd() + end : "";
}

/** Return text at a place, cut to `room`; `mid` and `end` say which part of it stands there. */
export function note(
  x,
  y,
  text,
  { room = Infinity, quiet, size = quiet ? 11 : 12, bold, mid, end, halo, ...more } = {},
) {
  const look = {
    x,
    y,
    "font-size": size,
    fill: quiet && "var(--soft)",
    "font-weight": bold && 600,
    "text-anchor": mid ? "middle" : end && "end",
  };
  return svg(
    "text",
    { ...look, ...(halo && HALO), ...more },
    fitted(text, bold ? room / 1.1 : room, size),
  );
}

/** Return a player's mark with its middle at a place. */
export function faceAt(game, player_id, x, y, size) {
  const node = mark(game, player_id, size);
  node.setAttribute("x", x - size / 2);
  node.setAttribute("y", y - size / 2);
  return node;
}

/** Return a box. */
export function area(x, y, width, height, fill, more) {
  return svg("rect", { x, y, width, height, fill, rx: 2, ...more });
}

/** Return a line through these points, a hairline by default. */
export function curve(points, more) {
  const steps = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  return svg("path", {
    d: `M${steps.join("L")}`,
    fill: "none",
    stroke: "var(--line)",
    "stroke-linejoin": "round",
    ...more,
  });
}

/** Return a straight line, a hairline by default. */
export function rule(x1, y1, x2, y2, more) {
  return curve([[x1, y1], [x2, y2]], more);
}

/** Draw rows below a title: a name, a bar with an optional mark, and a figure. */
export function bars(key, title, rows, width) {
  const nodes = rows.map(({ name, long, fill, opacity, mark, value, bold }, row) => {
    const y = 14 + row * 20;
    return [
      note(94, y + 11, name, { size: 11, end: true, bold, room: 92 }),
      area(100, y, Math.max(1, long), 14, fill, { opacity }),
      mark && rule(100 + mark, y, 100 + mark, y + 14, { stroke: "var(--ink)", "stroke-width": 2 }),
      note(width, y + 11, value, { size: 11, end: true, bold }),
    ];
  });
  nodes.unshift(note(0, 0, title, { bold: true, room: width }));
  return { nodes: explained(key, title, nodes), end: 8 + rows.length * 20 };
}

/** Return what is drawn as a button that picks something. */
export function choiceOf(pick, name, chosen, ...children) {
  return svg(
    "g",
    {
      "data-pick": pick,
      role: "button",
      tabindex: 0,
      "aria-label": plain(name),
      "aria-pressed": String(chosen),
    },
    children,
  );
}

/** Return a focusable group with a legend; its key begins with the kind of number. */
export function explained(key, name, ...children) {
  const box = { "data-legend": key, role: "group", tabindex: 0, "aria-label": plain(name) };
  return svg("g", box, children);
}

/** Return a number with a true minus. */
export function decimals(number, places = 2) {
  return number.toFixed(places).replace("-", "−");
}

/** Return a series with one more value; a long one keeps every second of its values. */
export function extend({ stride, count, values }, value) {
  const more = count % stride ? values : [...values, value];
  const long = more.length > MOST;
  return {
    stride: long ? stride * 2 : stride,
    count: count + 1,
    values: long ? more.filter((_, place) => place % 2 === 0) : more,
    last: value,
  };
}

/** Return the kept values of a series and its last one, each with its place from 1. */
export function valuesOf({ stride, count, values, last }) {
  const points = values.map((value, place) => [place * stride + 1, value]);
  if (count && points.at(-1)[0] !== count) points.push([count, last]);
  return points;
}

/** Draw curves `{name, points, look}` between `ticks`, their names and last values above; `level` places a value. */
export function chart(key, title, curves, { top, left, right, width, across }, ticks) {
  const nodes = [note(0, top, title, { bold: true })];
  let [x, y] = [0, top + 18];
  for (const { name, points, look } of curves) {
    const text = fitted(
      points.length ? `${name} ${decimals(points.at(-1)[1]).replace(".00", "")}` : name,
      width - 40,
    );
    if (x && x + 27 + breadth(text) > width) [x, y] = [0, y + 17];
    nodes.push(
      rule(x, y - 4, x + 22, y - 4, look),
      note(x + 27, y, text),
    );
    x += 42 + breadth(text);
  }
  const end = y + 112;
  const [least, most] = [Math.min(...ticks), Math.max(...ticks)];
  const level = (value) => end - ((value - least) / (most - least)) * 96;
  for (const tick of ticks) {
    if (tick && Math.abs(level(tick) - level(0)) < 12) continue;
    nodes.push(
      rule(left, level(tick), right, level(tick)),
      note(left - 6, level(tick) + 4, decimals(tick, 1).replace(".0", ""), {
        quiet: true,
        end: true,
      }),
    );
  }
  for (const { points, look } of curves.toReversed()) {
    const line = points.map(([place, value]) => [across(place), level(value)]);
    if (line.length)
      nodes.push(
        curve(line, look),
        svg("circle", { cx: line.at(-1)[0], cy: line.at(-1)[1], r: 2.5, fill: look.stroke }),
      );
  }
  return { nodes: explained(key, title, nodes), end, level };
}
