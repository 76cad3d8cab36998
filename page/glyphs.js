// Glyphs: a game drawn without words in 104 by 72 units, from what all its players saw.

import { svg } from "./dom.js";
import { idsOf, look } from "./players.js";

const [WIDTH, HEIGHT] = [104, 72];
// As many turns, players and moves as can still be distinguished.
const TURNS = 40;
const LANES = 8;
const CELLS = 96;
export const GLYPHS = {
  conversation: ribbon,
  deliberations: ring,
  dilemma: heat,
  guest: rooms,
  openspiel: moves,
  talks: graph,
  textarena: moves,
};

/** Draw the glyph of a game {game, kind, players} from its frames; null if they show nothing. */
export function glyphOf(game, frames) {
  const nodes = GLYPHS[game.game](game, frames);
  const box = { class: "glyph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" };
  return nodes && svg("svg", box, nodes);
}

function rect(x, y, width, height, fill, more) {
  return svg("rect", { x, y, width, height, fill, rx: Math.min(2, width / 4), ...more });
}

function disc({ x, y }, r, fill, more) {
  return svg("circle", { cx: x, cy: y, r, fill, ...more });
}

function path(points, more) {
  return svg("path", { d: `M${points.map(({ x, y }) => `${x} ${y}`).join("L")}`, fill: "none", ...more });
}

/** Return the places of all players on an ellipse, by id. */
function around({ players }, rx, ry) {
  const places = players.map(({ player_id }, place) => {
    const angle = Math.PI * ((2 * place) / players.length - 0.5);
    return [player_id, { x: WIDTH / 2 + rx * Math.cos(angle), y: HEIGHT / 2 + ry * Math.sin(angle) }];
  });
  return new Map(places);
}

/** Return the size of a face on that ellipse. */
function faceSize({ players }) {
  return Math.max(4, Math.min(10, 56 / players.length));
}

/** A conversation: a lane a player, a block a turn, as high as what is said matters; a gap is a pause. */
function ribbon(game, frames) {
  const turns = frames.filter(({ kind }) => kind === "speech" || kind === "pause").slice(-TURNS);
  if (!turns.length) return null;
  const lanes = Math.min(LANES, game.players.length);
  const [step, lane] = [Math.min(13, 96 / turns.length), 62 / lanes];
  const middles = [];
  const blocks = turns.map(({ player_id: by, facts = {} }, at) => {
    const x = 4 + at * step;
    if (!by) return rect(x + step / 3, 5, 1, 62, "var(--line)");
    const { index, colour } = look(game, by);
    const y = 5 + (index % lanes) * lane;
    middles.push({ x: x + step / 2, y: y + lane / 2 });
    const high = lane * (0.35 + 0.55 * Math.min(1, facts.importance ?? 0.5));
    return rect(x, y + (lane - high) / 2, Math.max(1.5, step - 1), high, colour);
  });
  return [path(middles, { stroke: "var(--edge)" }), blocks];
}

/** Deliberations: a ring of faces; who left is hollow, paler the earlier, and the winner is ringed. */
function ring(game, frames) {
  const out = frames.map(({ facts }) => facts?.eliminated).filter(Boolean);
  const winner = frames.findLast(({ facts }) => facts?.winner)?.facts.winner;
  if (!out.length && !winner) return null;
  const [places, size] = [around(game, 40, 25), faceSize(game)];
  const votes = frames.filter(({ facts }) => facts?.vote === winner && winner);
  return [
    svg("ellipse", { cx: 52, cy: 36, rx: 40, ry: 25, fill: "none", stroke: "var(--line)" }),
    votes.map(({ player_id: by }) => path([places.get(by), places.get(winner)], { stroke: look(game, by).colour })),
    [...places].map(([id, place]) => {
      const { colour } = look(game, id);
      const left = out.indexOf(id);
      if (left < 0) return disc(place, size, colour, id === winner ? WON : {});
      const pale = { stroke: colour, "stroke-width": 2, opacity: 0.4 + (0.5 * left) / out.length };
      return disc(place, size * 0.6, "var(--card)", pale);
    }),
  ];
}

const WON = { stroke: "var(--ink)", "stroke-width": 3 };

/** A talk: faces as large as their turns, lines as thick as their exchanges. */
function graph(game, frames) {
  const said = frames.filter(({ kind }) => kind === "utterance");
  if (!said.length) return null;
  const places = around(game, 38, 23);
  const count = (fits) => said.filter(fits).length;
  const ids = [...places.keys()];
  const bonds = ids.flatMap((one, index) =>
    ids.slice(index + 1).map((other) => {
      const pair = new Set([one, other]);
      const sum = count(({ player_id: by, facts }) => pair.has(by) && by !== facts?.target && pair.has(facts?.target));
      const width = Math.min(7, 1 + sum);
      return sum > 0 && path([places.get(one), places.get(other)], { stroke: "var(--edge)", "stroke-width": width });
    }),
  );
  const most = Math.max(...ids.map((id) => count(({ player_id: by }) => by === id)));
  const faces = ids.map((id) => {
    const share = count(({ player_id: by }) => by === id) / most;
    return disc(places.get(id), 3 + (faceSize(game) - 2) * Math.sqrt(share), look(game, id).colour);
  });
  return [bonds, faces];
}

/** The dilemma: points a move, row against column: blue above 2, orange below, stronger farther away. */
function heat(game, frames) {
  const points = new Map();
  for (const { facts } of frames) {
    for (const [name, moves] of Object.entries(facts?.moves ?? {})) {
      const other = Object.keys(facts.moves).find((one) => one !== name);
      const key = JSON.stringify([name, other]);
      const [sum, count] = points.get(key) ?? [0, 0];
      if (facts.points) points.set(key, [sum + facts.points[name], count + moves.length]);
    }
  }
  if (!points.size) return null;
  const ids = idsOf(game).slice(0, 12);
  const size = Math.min(20, 64 / ids.length);
  const [left, top] = [(WIDTH - size * (ids.length - 1)) / 2, (HEIGHT - size * ids.length) / 2];
  return ids.map((row, at) => [
    disc({ x: left - size / 2, y: top + (at + 0.5) * size }, Math.max(2, size / 3), look(game, row).colour),
    ids.map((column, over) => {
      const [sum, count] = points.get(JSON.stringify([row, column])) ?? [0, 0];
      const value = sum / (count || 1) - 2;
      const strength = { "fill-opacity": 0.15 + Math.abs(value) / (value > 0 ? 3.6 : 2.4) };
      const fill = count ? `var(--p${value < 0 ? 1 : 0})` : "var(--line)";
      return rect(left + over * size, top + at * size, size - 1, size - 1, fill, count ? strength : {});
    }),
  ]);
}

/** The guest: a block a room, in it a row an agent and a cell a step, full where the agent speaks. */
function rooms(game, frames) {
  const steps = new Map();
  for (const { facts, visibility } of frames)
    if (facts?.speakers) steps.set(visibility[0], [...(steps.get(visibility[0]) ?? []), ...facts.speakers]);
  if (!steps.size) return null;
  const shown = [...steps].slice(0, 4);
  const room = 68 / shown.length;
  const size = Math.min(8, (room - 2) / 3);
  return shown.map(([id, speakers], at) =>
    speakers.slice(-Math.floor(96 / size)).map((speaker, step) =>
      [0, 1, 2].map((agent) => {
        const fill = agent === speaker ? look(game, id).colour : "var(--wash)";
        return rect(4 + step * size, 3 + at * room + agent * size, size - 0.8, size - 0.8, fill);
      }),
    ),
  );
}

/** A game of a library: each move where its words say it is on a grid, else one cell after another. */
function moves(game, frames) {
  const played = frames.filter(({ kind, facts, player_id: by }) => by && facts?.[kind]);
  if (!played.length) return null;
  const heights = new Map();
  const drops = /connect_?four/i.test(game.kind ?? "");
  const places = played.map(({ kind, facts }) => (drops ? dropped(facts[kind], heights) : placeOf(facts[kind])));
  const across = places.every(Boolean) ? 1 + Math.max(2, ...places.flat()) : 12;
  const all = across > 19 || !places.every(Boolean) ? played.map((_, at) => [Math.floor(at / 12), at % 12]) : places;
  const fits = all.slice(0, CELLS * 4);
  const [wide, high] = [1 + Math.max(2, ...fits.map(([, x]) => x)), 1 + Math.max(2, ...fits.map(([y]) => y))];
  const size = Math.min(20, 96 / wide, 66 / high);
  const [left, top] = [(WIDTH - size * wide) / 2, (HEIGHT + size * high) / 2 - size];
  const cell = ([y, x], fill, more) => rect(left + x * size, top - y * size, size - 1, size - 1, fill, more);
  const empty = Array.from({ length: wide * high }, (_, at) =>
    cell([Math.floor(at / wide), at % wide], "var(--wash)"),
  );
  return [empty, fits.map((place, at) => cell(place, look(game, played[at].player_id).colour))];
}

/** Return [row, column] of a move such as "x(1,2)", "Nc3" or "B a8", null if it names none. */
function placeOf(words) {
  const pair = /(\d+), ?(\d+)/.exec(words);
  if (pair) return [Number(pair[1]), Number(pair[2])];
  const square = [...words.matchAll(/([a-t])(\d{1,2})/g)].at(-1);
  return square ? [Number(square[2]) - 1, square[1].charCodeAt(0) - 97] : null;
}

/** Return where a move falls that names a column alone. */
function dropped(words, heights) {
  const column = Number(/\d+/.exec(words)?.[0] ?? 0);
  const row = heights.get(column) ?? 0;
  heights.set(column, row + 1);
  return [row, column];
}
