// The legends of the numbers on boards: what each kind of number is, and its unit or range.

import { clear, el, words } from "./dom.js";

const LEGENDS = {
  // Conversation.
  ribbon: "Turns are numbered from 1. The bar below an item is its importance, from 0 to 1. A number alone counts silent turns.",
  shared: "Points that all players share, summed over the turns so far. Each kind has its own line and can fall below 0.",
  bank: "An item's importance, from 0 to 1. After the plus: the bonus for its owner alone.",
  // Deliberations.
  votes: "From 0 to the number of voters. The most votes eliminate a player; in the final they win.",
  round: "Rounds are counted from 1. The last one is the final.",
  result: "The votes of this round. A percentage is the chance that a player gave this result beforehand.",
  pitch: "How many of this round's players have pitched.",
  // Dilemma.
  points: "Mean points per move of the row against the column, from 0 to 5.",
  places: "Points of each player after each round, with the best place at the top.",
  games: "Points of both players in each game, and how many moves it had. C cooperates, D defects.",
  // Guest.
  agent: "Energy, from 0 to 1; the agent can speak from the mark up. Phonemes: all it has spoken, with its share of the room's.",
  roll: "Steps are counted from 1. A block is a step in which the agent spoke.",
  gini: "How unevenly the agents of a room have spoken: 0 if equally, 0.67 if only one spoke.",
  // Talks.
  exchange: "How many times participants have spoken.",
  turns: "How many times this participant has spoken. Larger faces have spoken more.",
  reason: "Urgency and score: how much a participant wants to speak, from 0 up. The highest score speaks, unless all speak in turn. Payoff: how well a move fits, from 0 up.",
  depth: "How deep the talk is, from 1 to 5, and the depth it aims at.",
  convergence: "How much the participants agree and like each other, from 0 to 1. The talk may end above the mark.",
  wishes: "The score of each participant, from 0 up. The highest speaks, unless all speak in turn. The last speaker is pale and waits.",
  payoffs: "How well each move fits now, from 0 up. The bar counts; the mark shows the payoff before the loss for repeating a move.",
  agreement: "Novelty: how little the last words repeat earlier ones. Convergence: how much participants agree. Both from 0 to 1.",
  liking: "What the participant of the row feels for that of the column, from −100 (dislike) to 100 (liking).",
};

/** Show the legend of the number under the pointer, or else of the focused one; hide it if there is none. */
export function explainNumbers(picture) {
  const tip = picture.parentNode.querySelector("[role=tooltip]") ?? addTip(picture);
  if (tip.matches(":hover")) return;
  const node = ["hover", "focus-within"]
    .map((state) => picture.querySelector(`[data-legend]:${state}`))
    .find(Boolean);
  picture.querySelector("[aria-describedby]")?.removeAttribute("aria-describedby");
  tip.togglePopover(Boolean(node));
  if (!node) return;
  const stop = node.querySelector("[aria-label]:hover, [aria-label]:focus") ?? node;
  const [kind] = node.dataset.legend.split(" ");
  stop.setAttribute("aria-describedby", "legend");
  const name = stop.getAttribute("aria-label");
  clear(tip, name && el("b", {}, words(name, 200)), el("div", { id: "legend" }, LEGENDS[kind]));
  place(tip, node.querySelector("text:hover") ?? stop);
}

/** Return a new tooltip beside a board, hidden when its number is left or drawn anew. */
function addTip(picture) {
  const tip = el("div", { class: "card", role: "tooltip", popover: "auto" });
  const look = { inset: "auto", margin: 0, padding: "8px 12px", color: "inherit" };
  Object.assign(tip.style, look, { maxWidth: "min(340px, 94vw)" });
  const update = () => explainNumbers(picture);
  picture.parentNode.addEventListener("pointerleave", update);
  picture.addEventListener("focusout", update);
  new MutationObserver(update).observe(picture, { childList: true });
  picture.after(tip);
  return tip;
}

/** Put the tooltip right below a node, inside the window. */
function place(tip, node) {
  const { left, bottom } = node.getBoundingClientRect();
  tip.style.left = `${Math.max(0, Math.min(left, innerWidth - tip.offsetWidth))}px`;
  tip.style.top = `${Math.max(0, Math.min(bottom, innerHeight - tip.offsetHeight))}px`;
}
