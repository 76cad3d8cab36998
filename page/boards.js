// The boards by game: a game without one has its transcript and charts.

const BOARDS = {};

/** Return the board of a game, null if it has none. */
export function boardOf(name) {
  return Object.hasOwn(BOARDS, name) ? BOARDS[name] : null;
}
