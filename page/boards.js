// The boards by game, a line each: a game without one has its transcript and charts, and a file has its own alone.

const BOARDS = {};

/** Return the board of a game, null if it has none. */
export function boardOf(name) {
  return Object.hasOwn(BOARDS, name) ? BOARDS[name] : null;
}
