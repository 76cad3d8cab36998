// The guest: one moderator's room with its three agents, and how even all rooms are, step by step.

import { plain, svg } from "../dom.js";
import { idsOf, look } from "../players.js";
import { DASHES, EMPTY, area, chart, choiceOf, decimals, enlarged, explained, extend, faceAt, note, roomFor, rule, valuesOf } from "./pen.js";

// Each agent's defaults: energy to speak, energy lost and gained per step, phonemes per step.
const AGENTS = [
  [0.4, 0.08, 0.04, 2],
  [0.3, 0.1, 0.05, 1],
  [0.25, 0.12, 0.06, 1],
];
const PARAMS = ["min_energy_to_speak", "energy_decay", "energy_gain", "phonemes_per_step"];
const SIGNS = { stare: "○", encourage: "△", stop: "×" };
const KEPT = 240;
const ROW = 18;

export const guestBoard = {
  begin: openRooms,
  fold: foldStep,
  draw: drawRooms,
  say: sayRoom,
  pick: pickRoom,
};

function openRooms(game) {
  const params = game.settings.agent_params;
  const agents = AGENTS.map((agent, place) =>
    params ? PARAMS.map((name) => params[place][name]) : agent,
  );
  const ids = idsOf(game);
  return {
    game,
    agents,
    energy: [0, 0, 0],
    rooms: new Map(),
    chosen: ids.includes(game.view) ? game.view : ids[0],
  };
}

function pickRoom(state, chosen) {
  return { ...state, chosen };
}

/** Take in the energies at the start, or the steps of one room. */
function foldStep(state, { kind, facts = {}, data, visibility }) {
  if (kind === "narration" && facts.energy) return { ...state, energy: facts.energy };
  if (kind !== "step" || !facts.speakers) return state;
  let room = roomOf(state, visibility[0]);
  facts.speakers.forEach((speaker, place) => {
    const exact = data?.steps?.[place]?.energy;
    room = stepRoom(state, room, place ? "wait" : facts.action, speaker, exact);
  });
  const rooms = new Map(state.rooms).set(visibility[0], { ...room, action: facts.action });
  return { ...state, rooms };
}

function roomOf({ rooms, energy }, player_id) {
  const empty = { phonemes: [0, 0, 0], spoke: [], gini: EMPTY, action: "wait" };
  return rooms.get(player_id) ?? { step: 0, speaker: null, energy, ...empty };
}

/** Return a room after one step; without the log's `exact` energies they follow from the rules. */
function stepRoom({ agents, game }, room, action, speaker, exact) {
  const step = room.step + 1;
  const phonemes = room.phonemes.map(
    (count, place) => count + (place === speaker ? agents[place][3] : 0),
  );
  const [one, two, three] = phonemes;
  const gini =
    (Math.abs(one - two) + Math.abs(one - three) + Math.abs(two - three)) /
    (3 * (one + two + three) || 1);
  const [act] = action.split(" ");
  const target = { wait: null, stop: room.speaker }[act];
  const spoke = [
    ...room.spoke,
    { step, speaker, act, target: target === undefined ? Number(action.at(-1)) : target },
  ].slice(-KEPT);
  const energy =
    exact ?? moveEnergies(room, spoke.at(-1), agents, game.settings.imbalance_factor ?? 0);
  return {
    ...room,
    step,
    speaker,
    energy,
    phonemes,
    spoke,
    gini: extend(room.gini, gini),
    about: !exact,
  };
}

/** Return the energies after a step by the rules; the transcript rounds the first ones. */
function moveEnergies({ energy, speaker }, { act, target }, agents, favour) {
  const boost = { stare: 0.2, encourage: 0.3 }[act] ?? 0;
  return energy.map((own, place) => {
    const stopped = act === "stop" && place === target;
    const begin = stopped ? 0 : Math.min(1, own + (place === target ? boost * (1 - favour) : 0));
    const change =
      place === speaker && !stopped
        ? -agents[place][1]
        : agents[place][2] * (1 + favour * (place - 1));
    return Math.min(1, Math.max(0, begin + change));
  });
}

function sayRoom(state) {
  const { step, speaker, action, gini } = roomOf(state, state.chosen);
  if (!step) return plain(`No step of ${state.chosen}'s room is seen yet.`);
  const floor = speaker === null ? "nobody speaks" : `agent ${speaker} speaks`;
  return plain(
    `Step ${step} of ${state.game.settings.max_steps ?? step} in ${state.chosen}'s room: ${action}; ${floor}; Gini ${decimals(gini.last)}.`,
  );
}

/** Draw the way to the rooms, the chosen one, who spoke when, and the Gini of all. */
function drawRooms(state, full) {
  const width = roomFor(full);
  const room = roomOf(state, state.chosen);
  const doors = drawDoors(state, width);
  const agents = drawAgents(state, room, width, doors.end);
  const [left, right] = [64, width - 6];
  const all = Math.max(1, state.game.settings.max_steps ?? 0, room.step);
  const shown = Math.min(all, Math.floor((right - left) / 3));
  const first = all > shown ? Math.max(1, room.step - shown + 1) : 1;
  const across = (step) => left + ((step - 0.5) / all) * (right - left);
  const roll = drawRoll(room, { left, right, shown, first, top: agents.end + 34 });
  const ginis = drawGinis(state, { left, right, width, across, top: roll.end + 34 });
  const nodes = [doors.nodes, agents.nodes, roll.nodes, ginis.nodes];
  return enlarged(full, width, ginis.end + 8, sayRoom(state), nodes);
}

/** Draw a button a room, if there are several. */
function drawDoors({ rooms, chosen, game }, width) {
  if (rooms.size < 2) return { nodes: [], end: 0 };
  const per = Math.min(rooms.size, Math.floor(width / (rooms.size > 4 && width < 500 ? 48 : 88)));
  const room = Math.min(130, width / per);
  const nodes = [...rooms.keys()].map((player_id, place) => {
    const [x, y] = [(place % per) * room, Math.floor(place / per) * 46];
    const own = player_id === chosen;
    const box = area(x + 1, y + 1, room - 6, 40, "var(--card)", {
      rx: 6,
      stroke: own ? "var(--ink)" : "var(--line)",
      "stroke-width": own ? 2 : 1,
    });
    return choiceOf(
      player_id,
      `room of ${player_id}`,
      own,
      box,
      faceAt(game, player_id, x + 21, y + 21, 24),
      room > 60 && note(x + 37, y + 25, player_id, { room: room - 46 }),
    );
  });
  return { nodes, end: Math.ceil(rooms.size / per) * 46 };
}

/** Draw the Guest's gesture above its three agents. */
function drawAgents({ game, chosen, agents }, room, width, top) {
  const [middle, eyes] = [width / 2, top + 24];
  const y = top + 136;
  const acted = room.action === "wait" ? null : room.spoke.findLast(({ act }) => act !== "wait");
  const nodes = [];
  if (acted) {
    const aim = ((acted.target + 0.5) * width) / 3;
    const dash = acted.act === "stare" && "2 5";
    const look = { stroke: "var(--accent)", "stroke-width": 2, "stroke-dasharray": dash };
    nodes.push(rule(middle, eyes, aim, y - 58, look));
    nodes.push(drawGesture(acted.act, (middle + aim) / 2, (eyes + y - 58) / 2 + 4));
  }
  const fill = look(game, chosen).text;
  nodes.push(
    faceAt(game, chosen, middle, eyes, 32),
    note(middle - 22, eyes + 4, chosen, { room: middle - 24, end: true, bold: true, fill }),
    note(middle + 22, eyes + 4, room.step ? room.action : "", { room: middle - 24 }),
  );
  const total = room.phonemes.reduce((sum, count) => sum + count);
  agents.forEach(([least], agent) => {
    const x = ((agent + 0.5) * width) / 3;
    const speaks = room.speaker === agent;
    const share = total ? `${Math.round((100 * room.phonemes[agent]) / total)} %` : "none";
    const title = `agent ${agent}${speaks ? " speaks" : ""}`;
    const long = Math.min(150, width / 3 - 20);
    const count = `phonemes ${room.phonemes[agent]} · ${share}`;
    const energy = `energy ${room.about ? "≈ " : ""}${decimals(room.energy[agent])}`;
    const parts = [
      drawFace(x, y, speaks),
      note(x, y - 42, title, { mid: true, bold: speaks, halo: true }),
      drawEnergy(x, y + 46, long, room.energy[agent], least, energy),
      note(x, y + 106, count, { size: 11, mid: true }),
    ];
    const name = `agent ${agent}: ${energy}, ${count}`;
    nodes.push(explained(`agent ${agent}`, name, parts));
  });
  return { nodes, end: y + 106 };
}

/** Draw a gesture: an eye stares, a plus encourages, a cross in a stop sign stops. */
function drawGesture(act, x, y) {
  const signs = {
    stare: "M-9 0Q0-9 9 0Q0 9-9 0ZM-2 0A2 2 0 0 0 2 0A2 2 0 0 0-2 0",
    encourage: "M0-7V7M-7 0H7",
    stop: "M-5-5 5 5M5-5-5 5",
  };
  const look = {
    fill: "var(--card)",
    stroke: act === "stop" ? "var(--bad)" : "var(--accent)",
    "stroke-width": 2,
  };
  return svg(
    "g",
    { transform: `translate(${x} ${y})`, ...look },
    svg("path", { d: "M-6-14H6L14-6V6L6 14H-6L-14 6V-6Z" }),
    svg("path", { d: signs[act] }),
  );
}

/** Draw an agent's face, ringed and with an open mouth where it speaks. */
function drawFace(x, y, speaks) {
  const look = {
    fill: "var(--card)",
    stroke: speaks ? "var(--accent)" : "var(--edge)",
    "stroke-width": 2.5,
    "stroke-linecap": "round",
  };
  const mouth = speaks ? "M-6 11A6 6 0 1 0 6 11A6 6 0 1 0-6 11" : "M-7 11H7";
  return svg(
    "g",
    { transform: `translate(${x} ${y})`, ...look },
    speaks && svg("circle", { r: 33 }),
    svg("circle", { r: 27 }),
    svg("path", { d: `M-10-6h1M9-6h1${mouth}`, "stroke-width": 4 }),
  );
}

/** Draw an energy as a bar, and in words, with the mark from which its agent speaks. */
function drawEnergy(x, y, width, energy, least, words) {
  const left = x - width / 2;
  const mark = left + width * least;
  return [
    area(left, y, width, 9, "var(--wash)", { stroke: "var(--edge)" }),
    area(left, y, width * energy, 9, energy < least ? "var(--p9)" : "var(--good)"),
    rule(mark, y - 5, mark, y + 14, { stroke: "var(--ink)", "stroke-width": 2 }),
    note(x, y + 28, words, { size: 11, mid: true }),
    note(x, y + 43, `speaks from ${decimals(least)}`, { quiet: true, mid: true }),
  ];
}

/** Draw who spoke at each step, a row an agent, with what the Guest did to whom. */
function drawRoll({ spoke }, { left, right, shown, first, top }) {
  const wide = (right - left) / shown;
  const y = top + 12;
  const legend = Object.entries(SIGNS)
    .map(([act, sign]) => `${sign} ${act}`)
    .join("  ");
  const nodes = [
    note(0, top, "Who spoke when", { bold: true }),
    note(right, top, legend, { quiet: true, end: true }),
  ];
  for (const row of [1, 2, 3])
    nodes.push(
      note(0, y + row * ROW - 5, `agent ${row - 1}`, { quiet: true }),
      rule(left, y + row * ROW, right, y + row * ROW),
    );
  const signs = [];
  for (const { step, speaker, act, target } of spoke.filter((one) => one.step >= first)) {
    const x = left + (step - first) * wide;
    const block = [x, y + speaker * ROW + 4, Math.max(1, wide - 0.6), ROW - 6];
    if (speaker !== null) nodes.push(area(...block, "var(--accent)", { rx: 0 }));
    const sign = { mid: true, bold: true, halo: true };
    if (target !== null)
      signs.push(note(x + wide / 2, y + target * ROW + 14, SIGNS[act], sign));
  }
  const ends = [
    note(left, y + 68, `step ${first}`, { quiet: true }),
    note(right, y + 68, first + shown - 1, { quiet: true, end: true }),
  ];
  return { nodes: explained("roll", "Who spoke when", nodes, signs, ends), end: y + 68 };
}

/** Draw how uneven each room is after every step, the chosen one strong. */
function drawGinis({ game, rooms, chosen }, frame) {
  const names = [...rooms.keys()].sort((one, other) => (other === chosen) - (one === chosen));
  const curves = names.map((name) => {
    const { colour, index } = look(game, name);
    const pale = { stroke: colour, "stroke-width": 1.4, "stroke-dasharray": DASHES[index % 4] };
    return {
      name,
      points: valuesOf(rooms.get(name).gini),
      look: name === chosen ? { stroke: "var(--ink)", "stroke-width": 2.8 } : pale,
    };
  });
  return chart("gini", "Gini of the phonemes: 0 is even", curves, frame, [2 / 3, 0]);
}
