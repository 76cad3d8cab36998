// The boards by game, a line each: a game without one has its transcript and charts, and a file has its own alone.

import { conversationBoard } from "./boards/conversation.js";
import { deliberationsBoard } from "./boards/deliberations.js";
import { dilemmaBoard } from "./boards/dilemma.js";
import { guestBoard } from "./boards/guest.js";
import { talksBoard } from "./boards/talks.js";

const BOARDS = {
  conversation: conversationBoard,
  deliberations: deliberationsBoard,
  dilemma: dilemmaBoard,
  guest: guestBoard,
  talks: talksBoard,
};

/** Return the board of a game, null if it has none. */
export function boardOf(name) {
  return Object.hasOwn(BOARDS, name) ? BOARDS[name] : null;
}
