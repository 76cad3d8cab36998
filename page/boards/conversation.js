// The conversation: a ribbon of turns, the points so far, and what each player holds.

import { plain, svg } from "../dom.js";
import { idsOf } from "../players.js";
import { DASHES, EMPTY, area, chart, decimals, enlarged, explained, extend, faceAt, fitted, note, roomFor, rule, valuesOf } from "./pen.js";

const PARTS = ["importance", "coherence", "freshness", "nonmonotonousness"];
const REACH = 3;

export const conversationBoard = { begin: openTalk, fold: hearTurn, draw: drawTalk, say: sayTurn };

function openTalk(game) {
  const kept = { hues: new Map(), spoken: new Set(), banks: new Map() };
  return { game, turns: [], count: 0, points: EMPTY, ...kept };
}

/** Take in what a player holds, what is said, or that nobody speaks. */
function hearTurn(state, { kind, player_id: by, facts = {}, data }) {
  if (kind === "setup") return { ...state, banks: new Map(state.banks).set(by, facts.bank ?? []) };
  if (kind === "pause") return takeTurn(state, { pause: facts.pause ?? 1 }, {});
  if (kind !== "speech" || !facts.item) return state;
  const name = `${by}: ${facts.item}`;
  const again = state.spoken.has(name);
  const hues = new Map(state.hues);
  for (const subject of facts.subjects) if (!hues.has(subject)) hues.set(subject, hues.size);
  const spoken = new Set(state.spoken).add(name);
  const next = { ...state, hues, spoken, exact: Boolean(data?.score) };
  const earned = data?.score ?? { importance: again ? 0 : facts.importance };
  return takeTurn(next, { ...facts, by, again }, earned);
}

/** Add a turn and what it earned: a player's view shows importance alone. */
function takeTurn(state, turn, earned) {
  const total = PARTS.map((part, place) => (state.points.last?.[place] ?? 0) + (earned[part] ?? 0));
  const number = state.count + 1;
  return {
    ...state,
    count: number,
    turns: [...state.turns, { ...turn, number }].slice(-40),
    points: extend(state.points, total),
  };
}

function sayTurn({ turns, count, game }) {
  const { by, item, importance, again, pause } = turns.at(-1) ?? {};
  const at = `Turn ${count} of ${game.settings.length ?? count}`;
  if (!by) return `${at}: nobody ${pause ? `speaks, pause ${pause} of 3` : "has spoken yet"}.`;
  const before = again ? ", said before" : "";
  return plain(`${at}: ${by} speaks of ${item}, importance ${decimals(importance)}${before}.`);
}

/** Draw the ribbon, the points below it, and the banks that this view may see. */
function drawTalk(state, full) {
  const width = roomFor(full);
  const left = width > 500 ? 112 : 72;
  const room = width - left - 4;
  const whole = Math.max(1, state.game.settings.length ?? 0, state.count);
  const columns = Math.min(whole, Math.floor(room / (width > 500 ? 21 : 15.5)));
  const shown = state.turns.slice(-columns);
  const step = Math.min(44, room / columns);
  const first = shown[0]?.number ?? 1;
  const place = (number) => left + (number - first) * step;
  const right = place(first + columns);
  const across = (number) =>
    whole > columns ? left + (number / whole) * (right - left) : place(number + 0.5);
  const ribbon = drawRibbon(state, { left, right, step, shown, first, place });
  const points = drawPoints(state, { left, right, width, across, top: ribbon.end + 30 });
  const banks = drawBanks(state, width, points.end + 30);
  return enlarged(full, width, banks.end, sayTurn(state), ribbon.nodes, points.nodes, banks.nodes);
}

/** Draw a lane a player and a block a turn, joined where a subject comes back soon. */
function drawRibbon({ game, hues }, { left, right, step, shown, first, place }) {
  const players = idsOf(game);
  const lane = players.length > 12 ? 22 : 34;
  const end = lane * players.length;
  const last = shown.at(-1);
  const nodes = [last && area(place(last.number), 0, step, end, "var(--wash)")];
  players.forEach((player_id, row) => {
    const y = lane * (row + 0.5);
    nodes.push(
      rule(left, y + lane / 2, right, y + lane / 2),
      faceAt(game, player_id, 9, y, 18),
      note(23, y + 4, player_id, { room: left - 28 }),
    );
  });
  const level = ({ by, subjects }, part) =>
    lane * players.indexOf(by) + 3 + ((lane - 9) / subjects.length) * part;
  const blocks = shown.map((turn, at) => {
    const x = place(turn.number) + 1;
    const { subjects, pause, again, importance } = turn;
    if (pause) {
      const dashed = { stroke: "var(--edge)", "stroke-dasharray": "2 3" };
      const count = note(x + step / 2 - 1, end / 2 + 4, pause, { quiet: true, mid: true });
      return [area(x, 1, step - 2, end - 2, "none", dashed), count];
    }
    const [y, below] = [level(turn, 0), level(turn, subjects.length)];
    const parts = subjects.map((subject, part) => {
      const hue = hues.get(subject);
      const from = earlier(shown, at, subject);
      if (from) {
        const [left, own] = [place(from.number + 1) - 1, from.subjects.indexOf(subject)];
        nodes.push(drawThread(left, level(from, own + 0.5), x, level(turn, part + 0.5), hue));
      }
      const height = (below - y) / subjects.length - 1;
      return drawSubject(subject, hue, x, level(turn, part), step - 2, height);
    });
    return [
      parts,
      again && rule(x, below - 1, x + step - 2, y, { stroke: "var(--ink)" }),
      area(x, below + 1, (step - 2) * importance, 3),
    ];
  });
  for (let number = first; place(number + 1) <= right + 1; number += 1) {
    if (step > 25 || number % 2 === 0)
      blocks.push(note(place(number + 0.5), end + 14, number, { quiet: true, mid: true }));
  }
  return { nodes: explained("ribbon", "Turns and their items", nodes, blocks), end: end + 14 };
}

/** Return the turn before that had this subject, at most REACH turns ago and with no pause since. */
function earlier(shown, at, subject) {
  for (let back = at - 1; back >= Math.max(0, at - REACH) && shown[back].by; back -= 1) {
    if (shown[back].subjects.includes(subject)) return shown[back];
  }
  return null;
}

function drawThread(x1, y1, x2, y2, hue) {
  const bend = Math.max(3, (x2 - x1) / 2);
  return svg("path", {
    d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
    fill: "none",
    stroke: `var(--p${hue % 10})`,
    "stroke-width": 2,
    opacity: 0.65,
  });
}

/** Draw one subject of a turn under its first letters; the second ten subjects are hollow. */
function drawSubject(subject, hue, x, y, width, height) {
  const solid = hue % 20 < 10;
  const colour = `var(--p${hue % 10})`;
  const size = height > 11 ? 10.5 : 7;
  const text = fitted(subject, width, size, "") || plain(subject).slice(0, 1);
  return [
    area(x, y, width, height, solid ? colour : "var(--card)", { stroke: !solid && colour }),
    note(x + width / 2, y + height / 2 + size * 0.35, text, {
      size,
      mid: true,
      fill: solid && "var(--on)",
    }),
  ];
}

/** Draw the points so far, part by part and together. */
function drawPoints({ points, exact }, frame) {
  const rows = valuesOf(points);
  const curves = PARTS.slice(0, exact ? 4 : 1).map((name, part) => ({
    name,
    points: rows.map(([number, parts]) => [number, parts[part]]),
    look: { stroke: `var(--p${part})`, "stroke-width": 1.8, "stroke-dasharray": DASHES[part] },
  }));
  const shared = rows.map(([at, parts]) => [at, parts.reduce((sum, part) => sum + part)]);
  const strong = { stroke: "var(--ink)", "stroke-width": 2.6 };
  if (exact) curves.unshift({ name: "all shared", points: shared, look: strong });
  const values = curves.flatMap((one) => one.points.map(([, value]) => value));
  const ticks = new Set([Math.max(1, ...values), 0, Math.min(0, ...values)]);
  return chart("shared", exact ? "Points so far" : "Importance so far", curves, frame, [...ticks]);
}

/** Draw what each player holds, the most important first, with what it has spoken struck. */
function drawBanks({ game, banks, spoken }, width, top) {
  const columns = width > 500 ? 4 : 2;
  const room = width / columns;
  const title = "Items: importance, + own bonus; spoken ones struck";
  const nodes = banks.size ? [note(0, top, title, { bold: true, room: width })] : [];
  let [y, end] = [top + 24, top - 24];
  [...banks].forEach(([player_id, bank], at) => {
    const x = (at % columns) * room;
    if (at && x === 0) y = end + 28;
    nodes.push(
      faceAt(game, player_id, x + 9, y - 4, 18),
      note(x + 22, y, player_id, { room: room - 34, bold: true }),
    );
    const held = [...bank]
      .sort((one, other) => other.importance - one.importance)
      .slice(0, banks.size > 4 ? 6 : 12);
    held.forEach(({ item, importance, bonus }, place) => {
      const quiet = spoken.has(`${player_id}: ${item}`);
      const line = y + 18 + place * 16;
      const struck = { room: room - 80, "text-decoration": quiet && "line-through" };
      const value = decimals(importance) + (bonus === undefined ? "" : ` +${decimals(bonus)}`);
      nodes.push(
        note(x, line, item, { size: 11, quiet, ...struck }),
        note(x + room - 10, line, value, { size: 11, quiet, end: true }),
      );
    });
    const more = bank.length - held.length;
    if (more) nodes.push(note(x, y + 18 + held.length * 16, `and ${more} more`, { quiet: true }));
    end = Math.max(end, y + 10 + 16 * (held.length + Boolean(more)));
  });
  return { nodes: banks.size > 0 && explained("bank", "Items of each player", nodes), end };
}
