// How players look: each has a colour, a shape and initials, so no one of them carries it alone.

import { el, plain, svg, words } from "./dom.js";

const COLOURS = 10;
const OUTLINES = {
  circle: "M-1 0A1 1 0 0 1 1 0A1 1 0 0 1-1 0Z",
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
const SHAPES = Object.keys(OUTLINES);

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

/** Return one or two initials of a player, unique among these players if possible. */
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
  const outline = { d: OUTLINES[shape], "stroke-linejoin": "round", fill: colour };
  return svg("svg", box, svg("path", outline), letter);
}

// The moves of a talk, alone and towards somebody.
const MOVES = {
  DEEPEN: ["goes deeper", "goes deeper with"],
  CHALLENGE: ["challenges", "challenges"],
  SUPPORT: ["supports", "supports"],
  QUESTION: ["questions", "questions"],
  SYNTHESIZE: ["brings views together", "brings views together with"],
  CONCLUDE: ["concludes", "concludes with"],
};

/** Return a move of a talk in words, with its target, if any: "challenges Cleo". */
export function moveInWords(move, target) {
  const [alone, towards] = Object.hasOwn(MOVES, move) ? MOVES[move] : [move, move];
  return target ? `${towards} ${target}` : alone;
}

/** Return a line of all players; who is thinking is said. */
export function playersLine(game, thinking) {
  const chips = game.players.map((player) => {
    const name = el("span", {}, words(player.player_id));
    name.style.color = look(game, player.player_id).text;
    return el(
      "li",
      {},
      mark(game, player.player_id, 22),
      name,
      thinking.includes(player.player_id) &&
        el("span", { class: "quiet" }, game.view === player.player_id ? "your turn" : "thinks…"),
    );
  });
  return el("ul", { class: "cast" }, chips);
}

/** Return a player's mark and name, for a table. */
export function playerName(game, player_id) {
  return el("span", { class: "who" }, mark(game, player_id, 22), words(player_id));
}
