// A game out of the file that the page is.

import { idsOf, isIn } from "./players.js";

/** Return a frame as a view sees it, null if hidden; it keeps its number in the file. */
function frameIn(frame, view, ids) {
  if (view === "*") return frame;
  if (!isIn(frame, view, ids)) return null;
  const shared = { ...frame, data: {}, prompt: null, attempts: [] };
  if (view && frame.player_id === view) return shared;
  return { ...shared, reasoning: "", usage: null, fell_back: false };
}

/** Return the frames of a log, each with its round, facts and prompt. */
function framesOf(log, facts, prompts) {
  return log.rounds.flatMap(({ round_index: round, events }) =>
    events.map((event) => ({
      ...event,
      round,
      facts: facts[event.index] ?? {},
      prompt: prompts[event.index] ?? null,
    })),
  );
}

/** Return the game that a file holds. */
export function fileSource({ log, about, facts, prompts, charts, view }) {
  const ids = idsOf(log);
  const frames = framesOf(log, facts, prompts);
  return {
    about: { ...log, ...about, charts },
    views: view === "*" ? ["*", "", ...ids] : [view],
    charts: () =>
      Promise.all(
        charts.map(async (chart) => ({
          title: chart.title,
          src: `data:image/svg+xml,${encodeURIComponent(await unpack(chart.svg))}`,
        })),
      ),
    carry: (show) => show.frames[show.at]?.index,
    prompt: (frame) => frame.prompt,
    open(seen, hear) {
      const own =
        seen === view ? frames : frames.map((frame) => frameIn(frame, seen, ids)).filter(Boolean);
      hear("events", own);
      hear("end", log);
      return () => {};
    },
  };
}

/** Return the text that a gzip in base64 holds. */
async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).text();
}
