// Who sits on a ring, the arrows between them, and the words in its middle.

import { plain, svg } from "../dom.js";
import { breadth, faceAt, fitted, note } from "./pen.js";

/** Return each player's place on an ellipse, clockwise from the top (two players: from the left), with its radius. */
export function ringOf(players, { x, y, rx, ry, r }) {
  const places = new Map();
  players.forEach(({ player_id }, index) => {
    const angle = Math.PI * ((2 * index) / players.length - (players.length === 2 ? 1 : 0.5));
    places.set(player_id, {
      x: x + rx * Math.cos(angle),
      y: y + ry * Math.sin(angle),
      r,
      above: Math.sin(angle) < -0.3,
    });
  });
  return places;
}

/** Draw a player: a face, a name above or below it, and a ring if `ring` is a colour. */
export function sitter(
  game,
  player_id,
  { x, y, r, above, room },
  { name = player_id, reach = r + 5, ring, dash },
) {
  const size = r > 19 ? 13 : 11;
  return [
    svg("circle", {
      cx: x,
      cy: y,
      r: reach,
      fill: "transparent",
      stroke: ring,
      "stroke-width": 2.5,
      "stroke-dasharray": dash,
    }),
    faceAt(game, player_id, x, y, 2.3 * r),
    note(x, above ? y - reach - 4 : y + reach + size, name, {
      size,
      mid: true,
      bold: ring,
      halo: true,
      room,
    }),
  ];
}

/** Return the place so many units from one place towards another. */
export function towards(from, to, units) {
  const share = units / (Math.hypot(to.x - from.x, to.y - from.y) || 1);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** Return a place as a path has it. */
export function dot({ x, y }) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

/** Draw an arrow between the rims of two places; it is bent, so that arrows in both directions stay apart. */
export function arrow(from, to, bend, { stroke, width = 2.5, ...more }) {
  const middle = {
    x: (from.x + to.x - (to.y - from.y) * bend) / 2,
    y: (from.y + to.y + (to.x - from.x) * bend) / 2,
  };
  const tip = towards(to, middle, to.r + 4);
  const neck = towards(tip, middle, 5 + width * 1.6);
  const [x, y] = [(neck.y - tip.y) / 2, (tip.x - neck.x) / 2];
  const head = [tip, { x: neck.x + x, y: neck.y + y }, { x: neck.x - x, y: neck.y - y }]
    .map(dot)
    .join("L");
  return svg(
    "g",
    { fill: stroke, stroke, ...more },
    svg("path", {
      d: `M${dot(towards(from, middle, from.r + 4))}Q${dot(middle)} ${dot(neck)}`,
      fill: "none",
      "stroke-width": width,
    }),
    svg("path", { d: `M${head}Z`, stroke: "none" }),
  );
}

/** Return a text as at most so many lines, cut at a word. */
export function wrapped(text, room, size, most) {
  const lines = [];
  for (const word of plain(text).split(/\s+/).filter(Boolean)) {
    const last = lines.length - 1;
    const longer = `${lines[last]} ${word}`;
    if (last >= 0 && breadth(longer, size) <= room) lines[last] = longer;
    else if (lines.length < most) lines.push(fitted(word, room, size));
    else
      return [
        ...lines.slice(0, last),
        fitted(`${lines[last]} …………`, room, size).replace(/[\s…]*$/, " …"),
      ];
  }
  return lines;
}

/** Return a name's own value or undefined: a player may be called like a method. */
export function valueOf(values, name) {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}
