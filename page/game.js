// A game of the server: its viewer, and what may be done with it.

import { clear, el } from "./dom.js";
import { call, follow, pathOf } from "./api.js";
import { boardOf } from "./boards.js";
import { button } from "./controls.js";
import { idsOf, isIn } from "./players.js";
import { fragmentOf, openViewer } from "./viewer.js";

/** Open a game, or a seat in it; a game that somebody plays in is first seen as the public does. */
export async function openGame(main, name, place) {
  const about = await call(pathOf("games", name));
  const source = serverSource(about);
  const board = await boardOf(about.game);
  const { views } = source;
  const sat = about.status !== "finished" && Object.keys(about.seats ?? {}).length > 0;
  const usual = about.may.sit[0] ?? (sat || !views.includes("*") ? "" : "*");
  const view = place.view === "public" ? "" : (place.view ?? usual);
  let timer = 0;
  let viewer = null;
  let ended = false;

  function tell(now, anew) {
    clearTimeout(timer);
    const link = source.link(now);
    if (anew) location.hash = link;
    else if (!place.seat) timer = setTimeout(() => history.replaceState(null, "", link), 300);
  }

  /** Read how the game ended, and show it. */
  async function again() {
    Object.assign(about, await call(source.path).catch(() => ({})));
    viewer?.refresh();
  }

  source.actions = (show) => menuOf(source, show);
  source.next = () => about.may.fork && nextSteps(source);
  source.hear = (kind, data, box) => {
    if (kind === "question")
      import("./question.js").then(({ fillQuestion }) => fillQuestion(box, source, view, data));
    if (kind === "end" || (kind === "status" && ended)) again();
    if (kind === "end" || kind === "status") ended = kind === "end";
  };
  const event = place.event === null || place.event === undefined ? null : Number(place.event);
  viewer = openViewer(main, source, board, { view, event }, tell);
  return { title: about.title, keys: viewer.keys, end: () => (clearTimeout(timer), viewer.end()) };
}

/** Return the menu of what the caller may do with a game; it is made when it is opened. */
function menuOf(source, show) {
  const box = el("div", { class: "card" });
  const fill = async () => clear(box, (await import("./actions.js")).actionsOf(source, show));
  return el(
    "details",
    { class: "menu", ontoggle: (event) => event.target.open && fill() },
    el("summary", { class: "button" }, "Actions"),
    box,
  );
}

/** Return what may follow a game that is over: to fork it where it turned, or to play it again. */
function nextSteps(source) {
  const index = source.about.turns[0]?.event ?? 0;
  const fork = async () =>
    (await import("./actions.js")).openFork(source, { frames: [{ index }], at: 0, view: "*" });
  const again = `#/new?${new URLSearchParams({ from: source.about.name })}`;
  return [
    button(`Fork at event ${index}…`, fork),
    el("a", { class: "button", href: again }, "Again with other seats"),
  ];
}

/** Return a game of the server. */
function serverSource(about) {
  const path = pathOf("games", about.name);
  const ids = idsOf(about);
  return {
    about,
    path,
    views: about.views,
    link: (place) => `#${pathOf("game", about.name)}?${fragmentOf(place)}`,
    // Each view counts its own events; only who sees everything can tell another view's number.
    carry(show, view) {
      if (show.view !== "*") return undefined;
      const seen = show.frames.slice(0, show.at + 1).filter((one) => isIn(one, view, ids));
      return Math.max(0, seen.length - 1);
    },
    charts: async () =>
      about.charts.map(({ stem, title }) => ({
        title,
        src: `/api${path}${pathOf("charts", stem)}.svg`,
      })),
    prompt: async ({ index }) => (await call(`${path}/events/${index}/prompt?as=*`)).prompt,
    open: (view, hear) => follow(`${path}/events?as=${encodeURIComponent(view)}`, hear),
  };
}
