// A game's data out of a file: its events as frames, by view.

/** Return what a view may see of a frame; null if nothing. Views: "" public, "*" all, else a player. */
export function frameIn(frame, view, ids) {
  if (view === "*") return frame;
  const seen = view ? frame.visibility.includes(view) : ids.every((id) => frame.visibility.includes(id));
  if (!seen) return null;
  const shared = { ...frame, data: {} };
  if (view && frame.player_id === view) return shared;
  return { ...shared, prompt: null, reasoning: "", usage: null, attempts: [], fell_back: false };
}

/** Return the frames of a log, each with its round and with what its text tells. */
export function framesOf(log, told) {
  const frames = [];
  for (const round of log.rounds) {
    for (const event of round.events) {
      frames.push({ ...event, round: round.round_index, told: told[event.index] ?? {} });
    }
  }
  return frames;
}

/** Return the game as boards take it. */
export function gameOf(log, view) {
  const { name: _, ...settings } = log.config.game ?? {};
  return { name: log.game_id, game: log.game, players: log.players, settings, view };
}
