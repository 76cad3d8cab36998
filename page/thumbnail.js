// A game drawn small: its board as the public sees it; one under way is said in a sentence too.

import { clear, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { boardOf } from "./boards.js";

const EVERY = 4000;
const AT_ONCE = 400;
const LOOKED_AT = 300;
const known = new Map();

/**
 * Draw a game's board into the box of its row. One under way is read on every few seconds, and its
 * line says where it is; any other is read once, if its row stays in view: nobody who scrolls by
 * asks for a game.
 */
export async function drawThumbnail(box, line, row, live) {
  if (!live && !known.has(row.name)) {
    await new Promise((resolve) => setTimeout(resolve, LOOKED_AT));
    if (!box.isConnected) return;
  }
  const board = await boardOf(row.game);
  if (!board) return;
  const tiny = known.get(row.name) ?? unread(board, row);
  known.set(row.name, tiny);
  if (tiny.drawn) show();
  if (Date.now() >= tiny.due) {
    tiny.due = live ? Date.now() + EVERY : Infinity;
    tiny.reading = read(tiny, board, row.name);
  }
  await tiny.reading;
  if (tiny.drawn) show();

  function show() {
    clear(box, tiny.drawn);
    if (live) clear(line, words(board.say(tiny.state), 160));
  }
}

/** Return what is known of a game before any event is read. */
function unread(board, { name, game, players }) {
  const seats = (players ?? []).map((player_id) => ({ player_id }));
  const state = board.begin({ name, game, players: seats, settings: {}, view: "" });
  return { state, last: -1, due: 0, drawn: null, reading: null };
}

/** Read what happened since the game was last asked for, and draw it. */
async function read(tiny, board, name) {
  const since = `after=${tiny.last}&limit=${AT_ONCE}`;
  const { events } = await call(`${pathOf("games", name, "events")}?as=public&${since}`);
  tiny.state = events.reduce(board.fold, tiny.state);
  tiny.last = events.at(-1)?.index ?? tiny.last;
  // Where the public sees the narrator alone there is nothing to draw yet.
  const tells = events.some((event) => event.kind !== "narration");
  if (tells || tiny.drawn) tiny.drawn = board.draw(tiny.state, 360);
}
