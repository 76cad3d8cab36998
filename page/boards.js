// The boards by game, each loaded when first shown; other games have a transcript and charts.

const BOARDS = {
  conversation: () => import("./boards/conversation.js"),
  deliberations: () => import("./boards/deliberations.js"),
  dilemma: () => import("./boards/dilemma.js"),
  guest: () => import("./boards/guest.js"),
  openspiel: () => import("./boards/grid.js"),
  talks: () => import("./boards/talks.js"),
  textarena: () => import("./boards/grid.js"),
};

/** Return the board of a game, null if it has none. */
export async function boardOf(name) {
  if (!Object.hasOwn(BOARDS, name)) return null;
  const found = await BOARDS[name]();
  return found[`${name}Board`];
}
