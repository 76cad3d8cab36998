// A talk at one moment: why this speaker and move, how deep and agreed it is, and who wants to speak.

import { look, moveInWords } from "../players.js";
import { area, bars, breadth, decimals, explained, note } from "./pen.js";
import { valueOf, wrapped } from "./ring.js";

const LINE = 15;

/** Draw the words of a private thesis, or why this speaker and this move; below that two thin bars. */
export function drawMoment({ last, choice, check, game }, width) {
  const lines = last?.words
    ? wrapped(last.words, width, 11, 3)
    : reasonsFor(last, choice, game, width);
  const notes = lines.map((line, row) => note(0, 8 + row * LINE, line, { size: 11, room: width }));
  const below = lines.length * LINE;
  const target = game.settings.depth;
  const bars = check ? [
    ["depth", check.depth / target, `${check.depth} of ${target}`],
    [
      "convergence",
      check.convergence,
      `${decimals(check.convergence)}, ends above ${check.min_convergence}`,
      check.min_convergence,
    ],
  ] : [];
  return {
    nodes: [
      notes.length && !last.words ? explained("reason", "Why this speaker and move", notes) : notes,
      bars.map((bar, row) => drawThin(bar, below + 12 + row * LINE, width)),
    ],
    end: below + (check ? 2 * LINE + 12 : 0),
  };
}

function drawThin([name, share, words, mark], y, width) {
  const room = width - 206;
  return explained(
    name,
    `${name} ${words}`,
    note(0, y, name, { size: 11, quiet: true }),
    area(78, y - 7, room, 5, "var(--line)"),
    area(78, y - 7, Math.max(1, room * Math.min(1, share)), 5, "var(--accent)"),
    mark && area(77 + room * mark, y - 9, 2, 9, "var(--ink)"),
    note(width, y, words, { size: 11, end: true, room: 124 }),
  );
}

/** Return why a participant speaks, in one line, and what its move is worth beside the best other one. */
function reasonsFor(last, choice, game, width) {
  const own = last?.wishes && valueOf(last.wishes, choice.speaker);
  if (!own) return [];
  const { speaker, before, move, wishes, adjusted, chances } = choice;
  const rivals = Object.entries(wishes).filter(([name]) => name !== speaker && name !== before);
  const near = bestOf(rivals.map(([name, { score }]) => [name, score]));
  const score = near ? `, score ${decimals(own.score)}; next ${near[0]} ${decimals(near[1])}` : "";
  const who = game.settings.turns === "round_robin" ? ", the next in turn" : score;
  const worth = adjusted[move];
  const isLegal = ([name, value]) => (chances ? Object.hasOwn(chances, name) : value <= worth);
  const best = bestOf(Object.entries(adjusted).filter((one) => one[0] !== move && isLegal(one)));
  const chance = chances ? `, chance ${decimals(100 * chances[move], 0)} %` : "";
  const beside = best?.[1] > worth ? "drawn, best" : "next";
  const other = best ? `; ${beside} ${moveInWords(best[0])} ${decimals(best[1])}` : "";
  return [
    `Urgency ${decimals(own.urgency)}${who}`,
    ...wrapped(`${moveInWords(move)}: payoff ${decimals(worth)}${chance}${other}`, width, 11, 2),
  ];
}

function bestOf(pairs) {
  return pairs.reduce((best, one) => (best && best[1] >= one[1] ? best : one), null);
}

/** Draw how much each wants to speak; who spoke last may not, and is faint. */
export function drawWishes({ game, choice: { speaker, before, wishes } }, width) {
  const all = Object.entries(wishes);
  const most = Math.max(1, ...all.map(([, { score }]) => score));
  const words = all.map(
    ([, { score, owes_answer, unheard, dominant }]) =>
      decimals(score) +
      (owes_answer
        ? " · owes an answer"
        : unheard
          ? " · not heard yet"
          : dominant
            ? " · dominant"
            : ""),
  );
  const room = Math.max(...words.map((one) => breadth(one, 12)));
  const rows = all.map(([name, { score }], row) => ({
    name,
    long: ((width - 108 - room) * score) / most,
    fill: look(game, name).colour,
    opacity: name === before ? 0.35 : 1,
    value: words[row],
    bold: name === speaker,
  }));
  return bars("wishes", "How much each wants to speak", rows, width);
}
