// What is folded under an event: why it is so, the prompt, and each attempt at an answer.

import { clear, el, plain, words } from "./dom.js";
import { figure, grid } from "./controls.js";
import { dollars } from "./parts.js";
import { moveInWords } from "./players.js";

/** Show why this player spoke with this move, and what followed from it. */
export function fillWhy(box, _frame, _source, basis) {
  clear(box, basis.map(({ data, content }) => (data.wishes ? choiceIn(data) : words(content))));
}

/** Return how much each wanted to speak, and what each move was worth to the speaker. */
function choiceIn({ speaker, wishes, adjusted }) {
  const causes = ({ addressed, dominant }) => (addressed ? "was addressed" : dominant ? "speaks most" : "");
  const hopes = Object.entries(wishes).map(([name, wish]) => [
    words(name),
    figure(wish.urgency),
    figure(wish.score),
    causes(wish),
  ]);
  const moves = Object.entries(adjusted).map(([move, worth]) => [moveInWords(move), figure(worth)]);
  return [
    grid("Who wanted to speak: the highest score speaks", ["player", "urgency", "score", "because"], hopes),
    grid(`What each move was worth to ${plain(speaker, 40)}`, ["move", "payoff"], moves),
  ];
}

/** Show what the player read. */
export async function fillPrompt(box, frame, source) {
  const { text, system, transcript, question } = await source.prompt(frame);
  clear(box, words(text ?? `${system}\n\n${transcript}${question}`));
}

/** Show each attempt at an answer, and what all of them took. */
export function fillAttempts(box, { attempts, usage }) {
  const seconds = attempts.reduce((sum, attempt) => sum + (attempt.seconds ?? 0), 0);
  const tokens = usage ? usage.prompt_tokens + usage.completion_tokens : 0;
  const took = [
    tokens && `${figure(tokens)} tokens`,
    seconds && `${figure(seconds, 1)} s`,
    typeof usage?.cost === "number" && dollars(usage.cost),
  ];
  const rows = attempts.map(({ text, fault }) =>
    el(
      "div",
      { class: "attempt" },
      words(text || "no answer"),
      fault && el("div", { class: "bad" }, words(fault)),
    ),
  );
  clear(box, el("div", { class: "quiet" }, took.filter(Boolean).join(" · ")), rows);
}
