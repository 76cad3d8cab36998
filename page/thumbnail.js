// A game drawn small: its glyph as the public sees it; one under way is said in a sentence too.

import { clear, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { boardOf } from "./boards.js";
import { GLYPHS, glyphOf } from "./glyphs.js";

const EVERY = 4000;
const AT_ONCE = 400;
const LOOKED_AT = 300;
const known = new Map();

/**
 * Draw a game's glyph into the box of its row. A running game is read again every few seconds, and
 * its line says how far it is; any other is read once, if its row stays in view.
 */
export async function drawThumbnail(box, line, row, live) {
  if (!Object.hasOwn(GLYPHS, row.game)) return;
  if (!live && !known.has(row.name)) {
    await new Promise((resolve) => setTimeout(resolve, LOOKED_AT));
    if (!box.isConnected) return;
  }
  const { name, game, kind } = row;
  const players = (row.players ?? []).map((player_id) => ({ player_id }));
  const about = { name, game, kind, players, settings: {}, view: "" };
  const tiny = known.get(name) ?? { frames: [], last: -1, due: 0, reading: null };
  known.set(name, tiny);
  show();
  if (Date.now() >= tiny.due) {
    tiny.due = live ? Date.now() + EVERY : Infinity;
    tiny.reading = read(tiny, about, row.status === "finished");
  }
  await tiny.reading;
  const board = live && tiny.frames.length > 0 && (await boardOf(game));
  show();
  if (board) clear(line, words(board.say(tiny.frames.reduce(board.fold, board.begin(about))), 160));

  function show() {
    const glyph = tiny.frames.length && glyphOf(about, tiny.frames);
    if (glyph) clear(box, glyph);
  }
}

/** Read new events; if the public saw too little of a game that is over, read all of them. */
async function read(tiny, about, over) {
  const since = `after=${tiny.last}&limit=${AT_ONCE}`;
  const ask = (view) => call(`${pathOf("games", about.name, "events")}?as=${view}&${since}`);
  let { events } = await ask("public");
  if (over && !glyphOf(about, events)) ({ events } = await ask("*"));
  tiny.frames = [...tiny.frames, ...events].slice(-AT_ONCE);
  tiny.last = events.at(-1)?.index ?? tiny.last;
}
