// How players look: each has a colour, a shape and initials, so no one of them carries it alone.

import { plain, svg } from "./dom.js";

const COLOURS = 10;
const SHAPES = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "pentagon",
  "hexagon",
  "star",
  "plus",
  "kite",
  "drop",
];
const OUTLINES = {
  square: "M-.86-.86H.86V.86H-.86Z",
  triangle: "M0-1 1 .82H-1Z",
  diamond: "M0-1.08 1 0 0 1.08-1 0Z",
  pentagon: "M0-1 1-.22.62.95H-.62L-1-.22Z",
  hexagon: "M-.55-.95H.55L1.05 0 .55.95H-.55L-1.05 0Z",
  star: "M0-1.1.34-.5 1-.62.68 0 1 .62.34.5 0 1.1-.34.5-1 .62-.68 0-1-.62-.34-.5Z",
  plus: "M-.45-1H.45V-.45H1V.45H.45V1H-.45V.45H-1V-.45H-.45Z",
  kite: "M-1-.9H1L.4.95H-.4Z",
  drop: "M0-1.1C.3-.6 1-.3 1 .2A1 .85 0 0 1-1 .2C-1-.3-.3-.6 0-1.1Z",
};

/** Return the names of those who play. */
export function idsOf({ players }) {
  return players.map((player) => player.player_id);
}

/** Return whether a view has a frame. Views: "" public, "*" all, else a player. */
export function isIn(frame, view, ids) {
  if (view === "*") return true;
  return (view ? [view] : ids).every((id) => frame.visibility.includes(id));
}

/** Return how a player looks in this game: place, colours as CSS values, shape and initials. */
export function look(game, player_id) {
  const ids = idsOf(game);
  const index = Math.max(0, ids.indexOf(player_id));
  const hue = index % COLOURS;
  const turn = Math.floor(index / COLOURS);
  const shape = SHAPES[(index + turn) % SHAPES.length];
  return {
    index,
    colour: `var(--p${hue})`,
    text: `var(--t${hue})`,
    shape,
    initials: initials(ids, player_id),
  };
}

/** Return one or two letters for a player that no other of these begins with, where there are such. */
function initials(ids, player_id) {
  const own = letters(player_id);
  const alike = ids.some((id) => id !== player_id && letters(id)[0] === own[0]);
  const last = own.at(-1);
  const number = /\p{N}/u.test(last ?? "");
  if (!own.length) return "?";
  return (alike || number) && own.length > 1
    ? own[0] + (number ? last : own[1].toLowerCase())
    : own[0];
}

/** Return the letters and digits of a name, the first one large. */
function letters(name) {
  const found = String(name).match(/[\p{L}\p{N}]/gu) ?? [];
  return found.length ? [found[0].toUpperCase(), ...found.slice(1)] : [];
}

/** Return the outline of a shape of radius 1 around 0, 0; more attributes go to its node. */
function outline(shape, attributes) {
  if (shape === "circle") return svg("circle", { r: 1, ...attributes });
  return svg("path", { d: OUTLINES[shape], "stroke-linejoin": "round", ...attributes });
}

/** Return a player's mark, `size` pixels wide: shape in its colour, with initials where they fit. */
export function mark(game, player_id, size) {
  const { colour, shape, initials: text } = look(game, player_id);
  const letter =
    size >= 20 &&
    svg(
      "text",
      {
        class: "initials",
        "text-anchor": "middle",
        y: shape === "triangle" ? 0.62 : 0.34,
        "font-size": text.length > 1 ? 0.8 : 0.98,
      },
      plain(text),
    );
  const box = {
    class: "mark",
    viewBox: "-1.15 -1.15 2.3 2.3",
    width: size,
    height: size,
    "aria-hidden": "true",
  };
  return svg("svg", box, outline(shape, { fill: colour }), letter);
}
