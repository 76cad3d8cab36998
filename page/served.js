// A game out of the server.

import { call, follow } from "./api.js";
import { gameOf } from "./source.js";

/** Return a game of the server. */
export function serverSource(about) {
  const path = `/games/${encodeURIComponent(about.name)}`;
  const ids = about.players.map((player) => player.player_id);
  return {
    about,
    path,
    game: gameOf(about, ""),
    views: about.views ?? ["", "*", ...ids],
    charts: async () => (about.charts ?? []).map((stem) => ({ title: stem.title ?? stem, src: `/api${path}/charts/${encodeURIComponent(stem.stem ?? stem)}.svg` })),
    prompt: (frame) => frame.prompt && call(`${path}/events/${frame.index}/prompt`).then((told) => told.prompt),
    open: (view, hear) => follow(`${path}/events?as=${encodeURIComponent(view)}`, hear),
  };
}
