// The boards by game, a line each: a game without one has its transcript and charts, and a file has its own alone.

import { conversationBoard } from "./boards/conversation.js";
import { dilemmaBoard } from "./boards/dilemma.js";
import { guestBoard } from "./boards/guest.js";

const BOARDS = {
  conversation: conversationBoard,
  dilemma: dilemmaBoard,
  guest: guestBoard,
};

/** Return the board of a game, null if it has none. */
export function boardOf(name) {
  return Object.hasOwn(BOARDS, name) ? BOARDS[name] : null;
}
