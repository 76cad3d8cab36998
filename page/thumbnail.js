// A game under way, drawn small and said in a sentence: its board as the public sees it.

import { clear, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { boardOf } from "./boards.js";

const EVERY = 4000;
const AT_ONCE = 400;
const known = new Map();

/** Draw the board of a live game into a box and say it in a line, with what happened since it was last asked for. */
export async function drawThumbnail(box, line, { name, game, players }) {
  const board = await boardOf(game);
  if (!board) return;
  const seats = players.map((player_id) => ({ player_id }));
  const tiny = known.get(name) ?? {
    state: board.begin({ name, game, players: seats, settings: {}, view: "" }),
    last: -1,
    due: 0,
    drawn: null,
  };
  known.set(name, tiny);
  const show = () => {
    clear(box, tiny.drawn);
    clear(line, words(board.say(tiny.state), 160));
  };
  if (tiny.drawn) show();
  if (Date.now() < tiny.due) return;
  tiny.due = Date.now() + EVERY;
  const { events } = await call(
    `${pathOf("games", name, "events")}?as=public&after=${tiny.last}&limit=${AT_ONCE}`,
  );
  tiny.state = events.reduce(board.fold, tiny.state);
  tiny.last = events.at(-1)?.index ?? tiny.last;
  // Where the public sees the narrator alone there is nothing to draw yet.
  const tells = events.some((event) => event.kind !== "narration");
  if (!tells && !tiny.drawn) return;
  tiny.drawn = board.draw(tiny.state, 360);
  show();
}
