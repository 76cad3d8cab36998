// Talks: who likes whom, who speaks and why, and how deep, new and agreed the talk is.

import { plain, svg } from "../dom.js";
import { moveInWords } from "../players.js";
import { drawMoment, drawWishes } from "./moment.js";
import { EMPTY, area, bars, chart, choiceOf, decimals, enlarged, explained, extend, faceAt, note, roomFor, rule, valuesOf } from "./pen.js";
import { arrow, dot, ringOf, sitter, valueOf, wrapped } from "./ring.js";

// Coalitions may overlap: the largest few are drawn.
const GROUPS = 3;
const FAINT = 0.005;

/** The board of talks. */
export const talksBoard = {
  begin: openTable,
  fold: hearTable,
  draw: drawTable,
  say: sayTable,
  pick: pickPerson,
};

function openTable(game) {
  return {
    game,
    host: null,
    count: 0,
    turns: new Map(),
    links: new Map(),
    last: null,
    choice: null,
    check: null,
    over: false,
    spoke: null,
    theses: new Map(),
    picked: null,
    depth: EMPTY,
    novelty: EMPTY,
    convergence: EMPTY,
  };
}

/** Show the relations of one alone; of nobody: all. */
function pickPerson(state, what) {
  return { ...state, picked: what || null };
}

/** Return all but the host, who takes no turns. */
function talkersOf({ game, host }) {
  return game.players.filter(({ player_id: id }) => id !== host);
}

/** Add an event: a choice, an utterance, or its effects; a view without data has moves alone. */
function hearTable(state, { kind, player_id: by, facts = {}, data = {} }) {
  if (kind === "selection" && data.adjusted) {
    const choice = { ...data, before: state.spoke };
    return { ...state, choice, last: { ...data, by: data.speaker } };
  }
  if (kind === "check" && data.relationships)
    return { ...state, check: data, convergence: extend(state.convergence, data.convergence) };
  if (kind === "stop") return { ...state, over: true };
  if (facts.host) return { ...state, host: facts.host };
  if (facts.part) return { ...state, last: { by, part: facts.part } };
  if (facts.position) {
    const theses = new Map(state.theses).set(by, facts.position);
    return { ...state, theses, last: { by, move: "thesis", words: facts.position } };
  }
  if (kind !== "utterance") return state;
  const { turns, links, count, depth, novelty } = state;
  const wishes = state.choice?.speaker === by && state.choice.wishes;
  const last = { by, wishes, ...facts };
  const next = { ...state, count: count + 1, turns: moreOf(turns, by), last, spoke: by };
  if (facts.target) next.links = moreOf(links, pairOf(by, facts.target));
  return data.depth
    ? { ...next, depth: extend(depth, data.depth), novelty: extend(novelty, data.novelty) }
    : next;
}

function moreOf(counts, key) {
  return new Map(counts).set(key, (counts.get(key) ?? 0) + 1);
}

function pairOf(one, other) {
  return JSON.stringify([one, other]);
}

function sayTable(state) {
  const { last, count, over, check } = state;
  if (!last) return `${talkersOf(state).length} participants are about to talk.`;
  const agreed = check ? `, convergence ${decimals(check.convergence)}` : "";
  return plain(`Exchange ${count}: ${moveOf(last)}${agreed}${over ? "; the talk is over" : ""}.`);
}

function moveOf({ by, move, target, part }) {
  if (part) return `${by} (host) · ${part}`;
  if (move === "thesis") return `${by} states a thesis`;
  return `${by} ${move ? moveInWords(move, target) : "speaks"}`;
}

/** Draw the graph, and beside or below it what only data tells. */
function drawTable(state, full) {
  const width = roomFor(full);
  const { game, choice, check } = state;
  const wide = width > 500;
  const half = wide && game.view === "*" ? 350 : width;
  const moment = drawMoment(state, half);
  const graph = drawGraph(state, half, moment);
  const room = wide ? width - 378 : width;
  const course = choice && drawCourse(state, room);
  const payoffs = choice && drawPayoffs(choice, wide ? half : room);
  const wishes = choice && drawWishes(state, room);
  const matrix = check && drawMatrix(state, room);
  const [first, second] = [[graph, payoffs], [wishes, course, matrix]];
  const columns = wide ? [first, second] : [[graph, wishes, course, payoffs, matrix]];
  const ends = [];
  const nodes = columns.map((parts, column) =>
    parts.filter(Boolean).map((part) => {
      const top = ends[column] ?? 15;
      ends[column] = top + part.end + 34;
      return svg("g", { transform: `translate(${column * 378} ${top})` }, part.nodes);
    }),
  );
  return enlarged(full, width, Math.max(...ends) - 30, sayTable(state), nodes);
}

/** Draw the participants: larger with more turns, joined by how they like or else address each other. */
function drawGraph(state, width, moment) {
  const { game, last, check, turns, picked, count, over, theses } = state;
  const [rx, ry] = [width / 2 - 62, Math.min(width / 2 - 62, 150)];
  const places = ringOf(talkersOf(state), { x: width / 2, y: ry + 74 + moment.end, rx, ry });
  const most = Math.max(1, ...turns.values());
  const seats = [...places].map(([id, place]) => {
    Object.assign(place, {
      r: 10 + 11 * Math.sqrt((turns.get(id) ?? 0) / most),
      room: Math.min(2 * Math.min(place.x, width - place.x) - 2, 96),
    });
    const look = {
      reach: Math.max(20, place.r + 5),
      ring: (last?.by === id || picked === id) && "var(--ink)",
      dash: picked === id && "2 3",
    };
    const face = sitter(game, id, place, look);
    return choiceOf(id, `${id}, ${turns.get(id) ?? 0} turns`, picked === id, face);
  });
  const bottom = 2 * ry + 130 + moment.end;
  const groups = check?.coalitions.slice(0, GROUPS) ?? [];
  const [by, to] = [places.get(last?.by), places.get(last?.target)];
  const small = { quiet: true, room: width };
  const title = last ? moveOf(last) : "No one has spoken yet";
  const room = area(width - 44, moment.end + 14, 44, 32, "transparent");
  const fill = picked ? "var(--accent)" : "var(--soft)";
  const all = note(width, moment.end + 34, picked ? "show all" : "all shown", { end: true, fill });
  const lines = check ? "liking; dashed: dislike" : "who spoke to whom";
  const allies = groups.map((group) => group.join(" + ")).join(", ") || "none yet";
  const exchange = `${over ? "The end, after exchange" : "Exchange"} ${count}`;
  const nodes = [
    note(0, 0, title, { size: 15, bold: true, room: width }),
    explained("exchange", exchange, note(0, 18, exchange, { quiet: true })),
    svg("g", { transform: "translate(0 28)" }, moment.nodes),
    groups.map((group) => drawHull(group, places)),
    choiceOf("", "the relations of all", !picked, room, all),
    drawBonds(state, places),
    by && to && arrow(by, to, 0.3, { stroke: "var(--ink)", width: 3.5 }),
    svg("g", { "data-legend": "turns" }, seats),
    note(0, bottom, `Lines: ${lines}. Faces: turns.`, small),
    check && note(0, bottom + 17, `Allies: ${allies}`, small),
  ];
  const held = theses.get(picked) && `${picked} held: ${theses.get(picked)}`;
  const thesis = held ? wrapped(held, width, 11, 3) : [];
  const end = bottom + (check ? 17 : 0);
  thesis.forEach((line, row) => nodes.push(note(0, end + 17 * (row + 1), line, small)));
  return { nodes, end: end + 17 * thesis.length };
}

/** Draw a group in which all like all as one shape behind its members. */
function drawHull(group, places) {
  const members = [...places].filter(([id]) => group.includes(id)).map(([, place]) => dot(place));
  return svg("path", {
    d: `M${members.join("L")}Z`,
    fill: "var(--line)",
    stroke: "var(--line)",
    "stroke-width": 58,
    "stroke-linejoin": "round",
    opacity: 0.45,
  });
}

/** Draw a line between each pair: their liking, dashed below 0, or how often they spoke to each other. */
function drawBonds({ check, links, picked }, places) {
  const ids = [...places.keys()];
  return ids.flatMap((one, index) =>
    ids.slice(index + 1).map((other) => {
      const value = (from, to) =>
        check ? feeling(check, from, to) : (links.get(pairOf(from, to)) ?? 0);
      const sum = value(one, other) + value(other, one);
      if (Math.abs(sum) < FAINT || (picked && picked !== one && picked !== other)) return null;
      const [from, to] = [places.get(one), places.get(other)];
      const liking = {
        stroke: sum > 0 ? "var(--good)" : "var(--bad)",
        "stroke-width": 1 + 6 * Math.sqrt(Math.abs(sum) / 2),
        "stroke-dasharray": sum < 0 && "7 5",
      };
      const talk = { stroke: "var(--edge)", "stroke-width": Math.min(9, sum) };
      return rule(from.x, from.y, to.x, to.y, check ? liking : talk);
    }),
  );
}

function feeling({ relationships }, from, to) {
  return valueOf(valueOf(relationships, from), to) ?? 0;
}

/** Draw how deep the talk is, and how new and agreed, with the levels at which it may stop. */
function drawCourse({ depth, novelty, convergence, check, game }, width) {
  const left = 22;
  const across = (number) =>
    left + ((number - 1) / Math.max(9, depth.count - 1)) * (width - left - 4);
  const frame = { left, right: width, width, across };
  const target = game.settings.depth;
  const steps = valuesOf(depth).flatMap(([at, value], index, all) => [
    [all[Math.max(0, index - 1)][0], value],
    [at, value],
  ]);
  const depths = {
    name: target ? `depth, towards ${target}:` : "depth",
    points: steps,
    look: { stroke: "var(--ink)", "stroke-width": 2 },
  };
  const deep = chart("depth course", "How deep", [depths], { ...frame, top: 0 }, [1, 2, 3, 4, 5]);
  const series = [
    ["novelty, may end below", novelty, check?.min_novelty ?? 0, "var(--p0)"],
    ["convergence, above", convergence, check?.min_convergence ?? 1, "var(--p1)", "7 4"],
  ];
  const curves = series.map(([name, values, bound, colour, dash]) => ({
    name: `${name} ${bound}:`,
    points: valuesOf(values),
    look: { stroke: colour, "stroke-width": 2, "stroke-dasharray": dash },
  }));
  const below = { ...frame, top: deep.end + 34 };
  const agreed = chart("agreement", "Novelty and convergence", curves, below, [0, 0.5, 1]);
  const bound = ({ level }, value, colour) =>
    rule(left, level(value), width, level(value), { stroke: colour, "stroke-dasharray": "1 4" });
  return {
    nodes: [
      deep.nodes,
      agreed.nodes,
      target && bound(deep, target, "var(--soft)"),
      series.map(([, , value, colour]) => bound(agreed, value, colour)),
    ],
    // The figure of the lowest level hangs below its line.
    end: agreed.end + 6,
  };
}

/** Draw the payoff of each move: the bar counts, the mark shows it before the loss for repeating. */
function drawPayoffs({ speaker, move, payoffs, adjusted }, width) {
  const rows = Object.entries(adjusted).map(([name, value]) => ({
    name: moveInWords(name),
    long: (width - 140) * value,
    fill: name === move ? "var(--accent)" : "var(--edge)",
    mark: payoffs[name] > value && (width - 140) * payoffs[name],
    value: decimals(value),
    bold: name === move,
  }));
  return bars("payoffs", `What each move was worth to ${speaker}`, rows, width);
}

/** Draw what each, a row, feels for each other one, in hundredths. */
function drawMatrix(state, width) {
  const { game, check, picked } = state;
  const left = Math.min(90, width / 4.4);
  const talkers = talkersOf(state);
  const cell = Math.min(34, (width - left) / talkers.length);
  const rows = talkers.map(({ player_id: one }, row) => {
    const y = 14 + cell * (row + 1);
    const cells = talkers.map(({ player_id: other }, column) => {
      if (one === other) return null;
      const value = feeling(check, one, other);
      const x = left + cell * column;
      const opacity = Math.min(0.4, Math.sqrt(Math.abs(value)) * 0.6);
      const look = { size: Math.min(11, cell / 2.4), mid: true, quiet: !value };
      const fill = value < 0 ? "var(--bad)" : "var(--good)";
      return [
        area(x + 1, y + 1, cell - 2, cell - 2, fill, { opacity }),
        note(x + cell / 2, y + cell / 2 + 4, decimals(100 * value, 0), look),
      ];
    });
    const face = faceAt(game, one, left + cell * (row + 0.5), 14 + cell / 2, Math.min(20, cell));
    const look = { size: 11, room: left - 8, end: true, bold: picked === one };
    return [face, note(left - 6, y + cell / 2 + 4, one, look), cells];
  });
  const title = "Who likes whom, −100 to 100";
  return {
    nodes: explained("liking", title, note(0, 0, title, { bold: true, room: width }), rows),
    end: 14 + cell * (rows.length + 1),
  };
}
