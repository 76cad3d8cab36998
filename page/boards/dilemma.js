// The dilemma: points a move of each against each, places round by round, and the games of one pair.

import { plain, svg } from "../dom.js";
import { idsOf, look } from "../players.js";
import { area, choiceOf, curve, decimals, enlarged, explained, faceAt, note, roomFor } from "./pen.js";

const EVEN = 2;
const LAST_PLACE = 24;

export const dilemmaBoard = {
  begin: openDilemma,
  fold: foldDilemma,
  draw: drawDilemma,
  say: sayStanding,
  pick: pickPair,
};

function openDilemma(game) {
  return { game, rounds: [], scores: new Map(), pair: null };
}

/** Choose the pair whose games are drawn: two names with a colon between them. */
function pickPair(state, pair) {
  return { ...state, pair };
}

/** Take in a round's beginning, a game of two, or a table. */
function foldDilemma(state, { kind, round, facts = {}, data }) {
  if (kind === "match" && facts.moves)
    return takeGame(state, { round, ...facts, flips: new Map(Object.entries(data?.flips ?? {})) });
  if (kind !== "narration" && !facts.table) return state;
  return {
    ...state,
    rounds: [...state.rounds.filter((one) => one.round < round), { round, ...facts }],
  };
}

/** Add a game to both sides' points, and show it until a pair is chosen. */
function takeGame(state, game) {
  const [one, other] = Object.keys(game.moves);
  const scores = new Map(state.scores);
  for (const [row, column] of [
    [one, other],
    [other, one],
  ]) {
    const cells = new Map(scores.get(row));
    const { points, moves, games } = cells.get(column) ?? { points: 0, moves: 0, games: [] };
    const sum = {
      pair: `${one}:${other}`,
      points: points + game.points[row],
      moves: moves + game.moves[row].length,
    };
    scores.set(row, cells.set(column, { ...sum, games: [game, ...games].slice(0, 3) }));
  }
  return { ...state, scores, pair: `${one}:${other}` };
}

function sayStanding({ rounds }) {
  const { round, table, dropped } = rounds.at(-1) ?? {};
  if (!table) return round ? `Round ${round} is being played.` : "No round has begun.";
  const rows = Object.entries(table)
    .slice(0, 5)
    .map(([name, points]) => `${name} ${points}`);
  return plain(
    `Round ${round}: ${rows.join(", ")}; ${dropped.length ? dropped.join(" and ") : "nobody"} out.`,
  );
}

/** Draw the heat and the places beside or below each other, and the chosen games under them. */
function drawDilemma(state, full) {
  const width = roomFor(full);
  const beside = width > 500 && state.scores.size && state.game.players.length < 7;
  const heat = drawHeat(state, beside ? 320 : width);
  const top = beside || !heat.end ? 14 : heat.end + 34;
  const places = drawPlaces(state, beside ? 336 : 0, width, top);
  const games = drawGames(state, width, Math.max(places.end, heat.end) + 38);
  const nodes = [heat.nodes, places.nodes, games.nodes];
  return enlarged(full, width, games.end, sayStanding(state), nodes);
}

/** Draw points a move, row against column: blue above EVEN, orange below, the farther the stronger. */
function drawHeat({ game, scores, rounds, pair }, width) {
  if (!scores.size) return { nodes: [], end: 0 };
  const [left, top] = [84, 48];
  const ids = idsOf(game);
  const table = Object.keys(rounds.findLast((one) => one.table)?.table ?? {});
  const most = Math.min(LAST_PLACE, Math.floor((width - left) / 18));
  const shown = ids.length > most ? [...new Set([...table, ...ids])].slice(0, most) : ids;
  const size = Math.min(44, (width - left) / shown.length);
  const nodes = [note(0, 14, "Points per move, row against column", { bold: true, room: width })];
  shown.forEach((row, at) => {
    const middle = (at + 0.5) * size;
    nodes.push(
      note(left - 26, top + middle + 4, row, { room: left - 28, end: true }),
      faceAt(game, row, left - 13, top + middle, Math.min(20, size)),
      faceAt(game, row, left + middle, top - 13, Math.min(20, size)),
    );
    shown.forEach((column, over) => {
      const cell = scores.get(row)?.get(column);
      const [x, y] = [left + over * size, top + at * size];
      if (row !== column)
        nodes.push(
          cell
            ? drawCell(cell, `${row} against ${column}`, cell.pair === pair, x, y, size)
            : note(x + size / 2, y + size / 2 + 4, "·", { quiet: true, mid: true }),
        );
    });
  });
  const end = top + shown.length * size + 18;
  const rest = ids.length - shown.length;
  const legend = `Blue above ${EVEN}, orange below${rest ? `; ${rest} more players` : ""}`;
  nodes.push(note(0, end, legend, { quiet: true, room: width }));
  return { nodes: svg("g", { "data-legend": "points" }, nodes), end };
}

function drawCell({ points, moves, pair }, name, chosen, x, y, size) {
  const value = points / (moves || 1);
  const strength = Math.abs(value - EVEN) / (value > EVEN ? 3 : 2);
  const look = {
    "fill-opacity": 0.05 + 0.5 * strength,
    stroke: chosen && "var(--ink)",
    "stroke-width": 2,
  };
  const figure = decimals(value, size > 36 ? 2 : size > 22 ? 1 : 0);
  const text = note(x + size / 2, y + size / 2 + 4, figure, { size: 11.5, mid: true });
  const box = area(x + 1, y + 1, size - 2, size - 2, `var(--p${value < EVEN ? 1 : 0})`, look);
  return choiceOf(pair, `${name}: ${decimals(value)} points a move`, chosen, box, text);
}

/** Draw who stood where after each round, with points: whoever left is pale from then on. */
function drawPlaces({ game, rounds }, left, width, top) {
  const played = rounds.filter((one) => one.table).slice(-12);
  const title = "Places after each round, with points";
  const nodes = [note(left, top, title, { bold: true })];
  if (!played.length)
    return {
      nodes: [nodes, note(left, top + 26, "No round has ended yet", { quiet: true })],
      end: top + 26,
    };
  const tables = played.map(({ table }) => Object.keys(table).slice(0, LAST_PLACE));
  const begin = left + 100;
  const step = Math.min(110, (width - begin - 78) / Math.max(1, played.length - 1));
  const gap = tables[0].length > 12 ? 21 : 26;
  const spot = (at, name) => [begin + at * step, top + 50 + tables[at].indexOf(name) * gap];
  const over = [];
  played.forEach(({ round }, at) => {
    const head = step > 60 ? `round ${round}` : round;
    nodes.push(note(begin + at * step, top + 26, head, { quiet: true, mid: true }));
  });
  for (const name of tables[0]) {
    const path = tables.flatMap((table, at) => (table.includes(name) ? [spot(at, name)] : []));
    const out = played.some(({ dropped }) => dropped.includes(name));
    const pale = { opacity: out ? 0.5 : null };
    nodes.push(
      note(begin - 16, path[0][1] + 4, name, { room: 80, quiet: out, end: true }),
      curve(path, { stroke: look(game, name).colour, "stroke-width": out ? 2 : 3.5, ...pale }),
    );
    path.forEach(([x, y], at) => {
      const last = at === path.length - 1;
      const points = `${played[at].table[name]}${out && last ? " out" : ""}`;
      const mark = faceAt(game, name, x, y, 20);
      if (out) mark.setAttribute("opacity", 0.6);
      over.push(mark);
      if (last)
        over.push(
          note(x + 14, y + 4, points, { size: 11, quiet: out, room: width - x - 14, halo: true }),
        );
      else if (step > 56) over.push(note(x + 12, y - 6, points, { quiet: true, halo: true }));
    });
  }
  return { nodes: explained("places", title, nodes, over), end: top + 50 + tables[0].length * gap - 18 };
}

/** Draw the games of the chosen pair, the latest first and the earlier ones in short. */
function drawGames({ game, scores, pair }, width, top) {
  const sides = pair?.split(":") ?? [];
  const games = scores.get(sides[0])?.get(sides[1])?.games ?? [];
  if (!games.length) return { nodes: [], end: top - 24 };
  const pairing = sides.join(" against ");
  const nodes = [note(0, top, `${pairing} · ▾ ▴ flipped`, { bold: true, room: width })];
  const left = width > 500 ? 92 : 26;
  const per = Math.floor((width - left) / 18);
  let y = top + 26;
  games.forEach(({ round, moves, points, flips }, earlier) => {
    const length = moves[sides[0]].length;
    const lines = Math.min(earlier ? 1 : 3, Math.ceil(length / per));
    const some = length > lines * per ? `, the first ${lines * per}` : "";
    const [one, other] = sides.map((name) => points[name]);
    const title = `Round ${round}: ${one} to ${other} points in ${length} moves${some}`;
    nodes.push(note(0, y, title, { quiet: true, room: width }));
    for (let line = 0; line < lines; line += 1) {
      sides.forEach((name, side) => {
        const level = y + 18 + side * 20;
        if (!line)
          nodes.push(
            faceAt(game, name, 9, level + 9, 18),
            note(22, level + 13, name, { room: left - 28 }),
          );
        const strip = Array.from(moves[name]).slice(line * per, (line + 1) * per);
        strip.forEach((move, at) => {
          const flipped = flips.get(name)?.includes(line * per + at);
          nodes.push(drawMove(move, left + at * 18, level, side, flipped));
        });
      });
      y += 62;
    }
    y += 20;
  });
  return { nodes: explained("games", pairing, nodes), end: y - 12 };
}

function drawMove(move, x, y, side, flipped) {
  const defects = move === "D";
  const sign =
    flipped &&
    note(x + 9, side ? y + 29 : y - 2, side ? "▴" : "▾", { mid: true, fill: "var(--accent)" });
  return [
    area(x + 0.5, y, 17, 18, defects ? "var(--ink)" : "var(--wash)"),
    note(x + 9, y + 13, move, { size: 11, mid: true, fill: defects && "var(--paper)" }),
    sign,
  ];
}
