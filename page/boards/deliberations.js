// Deliberations: a ring of faces, what is said in its middle, votes as arrows, and who is out below.

import { plain, svg } from "../dom.js";
import { look } from "../players.js";
import { breadth, curve, enlarged, explained, fitted, note, roomFor } from "./pen.js";
import { arrow, ringOf, sitter, valueOf, towards, wrapped } from "./ring.js";

const LOCK = "M-4-1v-3a4 4 0 0 1 8 0v3h1.5v7h-11v-7zM-2-1h4v-3a2 2 0 0 0-4 0z";
const ALONE = {
  confessional: "to the log alone",
  summary: "in its own notes",
  debrief: "looks back, to the log alone",
  probe: "says to the log alone what it expects",
};
const BENCH = 68;
// Always this many lines, empty or not, so that the number of nodes never changes.
const MOST_LINES = 16;

/** The board of deliberations. */
export const deliberationsBoard = {
  begin: landAll,
  fold: hearIsland,
  draw: drawIsland,
  say: sayIsland,
};

function landAll(game) {
  return { game, round: 0, rounds: game.players.length - 1, out: [], now: null, ...newRound() };
}

function newRound() {
  return {
    votes: [],
    order: [],
    pitches: 0,
    immune: null,
    selected: null,
    winner: null,
    tally: {},
    expects: {},
  };
}

/** Add an event; a player that was voted out leaves the ring when the next round begins. */
function hearIsland(state, event) {
  const { kind, player_id: by, content: text, facts = {} } = event;
  if (kind === "fault" || kind === "flag") return state;
  const other = kind === "sidebar" ? event.visibility.find((id) => id !== by) : facts.answers;
  const [from, to] = facts.pair ?? [by, other];
  const aside = "partner" in facts ? `${by} takes ${to ?? "nobody"} aside` : askedAside(by, facts);
  const now = { kind, by, text, from, to: to ?? null, aside, named: facts.named ?? [] };
  const next = { ...state, now };
  if (event.round !== state.round) {
    const gone = state.winner === null && state.selected !== null ? [state.selected] : [];
    Object.assign(next, newRound(), { round: event.round, out: [...state.out, ...gone] });
  }
  if (facts.rounds) Object.assign(next, { rounds: facts.rounds, lacks: facts.lacks });
  if (facts.order) next.order = facts.order;
  if (kind === "pitch") next.pitches += 1;
  if (facts.immune) next.immune = facts.immune;
  if (facts.expects) next.expects = { ...next.expects, [by]: facts.expects };
  // Those who are tied speak before all vote again.
  if (kind === "statement") next.votes = [];
  if (kind === "vote") next.votes = [...next.votes, { by, to: facts.vote ?? facts.revote }];
  const selected = facts.winner ?? facts.eliminated;
  return selected
    ? {
        ...next,
        selected,
        winner: facts.winner ?? null,
        tally: facts.tally ?? { [selected]: facts.votes },
      }
    : next;
}

/** Return what precedes a talk aside, in a few words, or null. */
function askedAside(by, { asks, accepts, declines, ranking, pair, alone }) {
  if (asks) return `${by} asks ${asks} aside`;
  if (accepts) return `${by} talks with ${accepts}`;
  if (declines) return `${by} does not talk with ${declines}`;
  if (ranking) return `${by} ranks whom to talk to`;
  if (pair) return `${pair.join(" and ")} talk aside`;
  return alone ? `${alone} stays alone` : null;
}

function sayIsland(state) {
  if (!state.now) return `${state.game.players.length} players are about to begin.`;
  const left = state.out.length ? `; out: ${state.out.join(", ")}` : "";
  return plain(`${roundOf(state)}: ${doing(state)}${left}.`);
}

function roundOf({ round, rounds, lacks }) {
  if (round >= rounds) return `Round ${round}, the final`;
  return `Round ${round} of ${rounds}${lacks ? `, ${lacks}` : ""}`;
}

/** Return who does what, in a few words. */
function doing({ now, order, pitches, immune, selected, winner, tally, expects }) {
  const { kind, by, to } = now;
  const votes = valueOf(tally, selected);
  if (kind === "result")
    return selected
      ? `${selected} ${winner ? "wins" : "is out"} with ${counted(votes)}${foretold(expects, selected)}`
      : "the votes are counted";
  if (kind === "pitch")
    return `${by} pitches${order.length ? `, ${pitches} of ${order.length}` : ""}`;
  if (kind === "vote") return `${by} votes`;
  if (kind === "statement") return `${by}, tied, speaks before all vote again`;
  if (kind === "last_words") return `the last words of ${by}`;
  if (kind === "question") return `${by} asks the finalists`;
  if (kind === "answer") return to ? `${by} answers ${to}` : `${by} answers`;
  if (kind === "sidebar")
    return now.aside ?? (to ? `${by} to ${to} alone` : `${by} takes nobody aside`);
  if (by) return `${by} ${valueOf(ALONE, kind) ?? kind}`;
  if (order.length) return "the pitches begin";
  return immune ? `${immune} cannot be voted out` : "the round begins";
}

/** Return a number of votes in words. */
function counted(votes) {
  return `${votes} vote${votes === 1 ? "" : "s"}`;
}

/** Return which odds each who was asked gave to what happened then. */
function foretold(expects, selected) {
  const odds = Object.entries(expects)
    .map(([by, said]) => [by, valueOf(said, selected)])
    .filter(([, percent]) => percent !== undefined);
  const listed = odds.map(([by, percent]) => `${by} ${percent} %`).join(", ");
  return listed && `; expected by ${listed}`;
}

function drawIsland(state, full) {
  const width = roomFor(full);
  const table = layTable(state, width);
  const { now, game, out } = state;
  const round = roundOf(state);
  return enlarged(
    full,
    width,
    table.height,
    sayIsland(state),
    svg(
      "g",
      { "text-anchor": "middle" },
      svg("ellipse", {
        cx: table.x,
        cy: table.y,
        rx: table.rx,
        ry: table.ry,
        fill: "none",
        stroke: "var(--line)",
      }),
      now && explained("round", round, note(2, 14, round, { size: 14, bold: true, "text-anchor": "start" })),
      drawArrows(state, table),
      now && drawWords(state, table),
      game.players.map(({ player_id }) => drawSeat(state, table, player_id)),
      note(
        table.x,
        table.under,
        out.length ? "Out, and jurors in the final" : "No player is out yet",
        { quiet: true },
      ),
    ),
  );
}

/** Return where all sit: who is in on the ring, finalists apart, who is out on a bench below. */
function layTable({ game, out, round, rounds }, width) {
  const { players } = game;
  const wide = width > 500;
  const r = (wide ? 25 : 19) - (players.length > 9 ? 5 : 0);
  const table = {
    wide,
    x: width / 2,
    y: (wide ? 214 : 216) + r,
    rx: width / 2 - (wide ? 80 : 42),
    ry: wide ? 186 : 172,
  };
  const places = ringOf(players, { ...table, r });
  const left = players.filter(({ player_id }) => !out.includes(player_id));
  const final = left.length === 2 || round >= rounds;
  const apart = final ? ringOf(left, { ...table, r: 25 }) : [];
  for (const [id, place] of apart) places.set(id, place);
  for (const place of places.values())
    place.room = Math.min(
      (6 * table.ry) / (final ? left.length : players.length),
      2 * Math.min(place.x, width - place.x) - 4,
    );
  const columns = Math.floor(width / BENCH - 0.5);
  const bench = table.y + table.ry + r + 52;
  out.forEach((id, index) => {
    const row = Math.floor(index / columns);
    const beside = (index % columns) - (Math.min(columns, out.length) - 1 - (row % 2)) / 2;
    places.set(id, { x: table.x + beside * BENCH, y: bench + row * 48, r: 11, room: BENCH - 6 });
  });
  const below = (count) => bench + Math.ceil(count / columns) * 48;
  return {
    ...table,
    places,
    under: below(out.length) - 5,
    height: below(Math.max(1, players.length - 2)),
  };
}

/** Draw who sits there and its votes; ringed is who speaks, is out or wins. */
function drawSeat(state, table, id) {
  const { game, now, immune, selected, winner, votes, tally, round, rounds } = state;
  const place = table.places.get(id);
  const [fate, ring] =
    id !== selected
      ? [id === immune ? ": immune" : "", now?.by === id && now.kind !== "vote" && "var(--ink)"]
      : winner
        ? [": wins", "var(--good)"]
        : [": out", "var(--bad)"];
  const known = votes.filter((vote) => vote.to === id).length;
  const sum = valueOf(tally, id) ?? (!selected && game.view === "*" && known ? known : null);
  const [x, y] = [
    place.x + (place.x < table.x - 1 ? -1 : 1) * (place.r + 3),
    place.y - place.r * 0.6,
  ];
  const name = `${counted(sum)} ${round >= rounds ? "for" : "against"} ${id} in this round`;
  return [
    sitter(game, id, place, {
      name: fitted(id, place.room - breadth(fate, 14), 14) + fate,
      ring,
      dash: fate === ": out" && "4 3",
    }),
    sum !== null &&
      explained(
        `votes ${id}`,
        name,
        svg("circle", { cx: x, cy: y, r: 9, fill: sum ? "var(--ink)" : "var(--wash)" }),
        note(x, y + 4, sum, { size: 11, bold: true, fill: sum ? "var(--paper)" : "var(--soft)" }),
      ),
  ];
}

/** Draw who talks to whom, the names in a debrief, and votes: known ones from their voters, others one by one. */
function drawArrows({ game, now, votes, tally }, { x, y, places }) {
  const link = (by, to, pen) =>
    places.has(by) && places.has(to) && arrow(places.get(by), places.get(to), 0.2, pen);
  const inColour = ({ by, to }) => link(by, to, { stroke: look(game, by).colour });
  // Who looks back has left the votes behind.
  if (now?.kind === "debrief") return now.named.map((to) => inColour({ by: now.by, to }));
  const arrows = votes.map(inColour);
  if (now?.to) arrows.push(link(now.from, now.to, { stroke: "var(--edge)", width: 4 }));
  let turn = 0;
  for (const [id, sum] of Object.entries(tally)) {
    const place = places.get(id);
    const hidden = place ? sum - votes.filter(({ to }) => to === id).length : 0;
    for (let number = 0; number < hidden; number += 1) {
      const angle =
        Math.atan2(y - place.y, x - place.x) +
        (number - (hidden - 1) / 2) * Math.min(0.36, 2.4 / hidden);
      const reach = place.r + 46;
      const from = {
        x: place.x + Math.cos(angle) * reach,
        y: place.y + Math.sin(angle) * reach,
        r: 0,
      };
      const dart = arrow(from, { ...place, r: place.r + 4 }, 0, {
        stroke: "var(--edge)",
        class: "appear",
      });
      dart.style.setProperty("--turn", (turn += 1));
      arrows.push(dart);
    }
  }
  return arrows;
}

/** Draw the words in a bubble, cut at a word; its tip points to a public speaker, a lock means private. */
function drawWords(state, { wide, x, y, places }) {
  const { kind, by, to, text, aside: asked } = state.now;
  const aside = kind === "sidebar";
  const silent = !by || asked !== null || kind === "vote" || (aside && !to);
  const [size, room] = wide ? [13.5, 290] : [12.5, silent ? 108 : 164];
  const head = wrapped(doing(state), room, size, 4);
  const lines = silent ? head : [...head, ...wrapped(text, room, size, wide ? 10 : 12)];
  const broad = Math.max(...lines.map((line) => breadth(line, size))) + 22;
  const step = size * 1.35;
  const height = lines.length * step + (silent ? 18 : 26);
  const top = y - height / 2;
  const card = { fill: "var(--card)", stroke: "var(--edge)" };
  const speaker = places.get(!aside && kind !== "vote" && by);
  const side = speaker && towards({ x: 0, y: 0 }, { x: y - speaker.y, y: speaker.x - x }, 10);
  const end = speaker && towards(speaker, { x, y }, speaker.r + 9);
  const texts = Array.from({ length: MOST_LINES }, (_, row) =>
    note(x, top + 5 + (row + 1) * step + (row < head.length ? 0 : 8), lines[row] ?? "", {
      size,
      bold: row < head.length,
    }),
  );
  const isCounted = kind === "result" || kind === "pitch";
  return [
    speaker &&
      curve(
        [
          [x + side.x, y + side.y],
          [end.x, end.y],
          [x - side.x, y - side.y],
        ],
        card,
      ),
    svg("rect", { x: x - broad / 2, y: top, width: broad, height, rx: 12, ...card }),
    (aside || valueOf(ALONE, kind)) &&
      svg("path", {
        d: LOCK,
        transform: `translate(${x} ${top})`,
        "fill-rule": "evenodd",
        stroke: "var(--card)",
        "stroke-width": 5,
        "paint-order": "stroke",
      }),
    isCounted ? explained(kind, doing(state), texts) : texts,
  ];
}
