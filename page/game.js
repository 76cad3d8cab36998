// A game of the server: its stage, and what may be done with it.

import { el, plain, words } from "./dom.js";
import { call } from "./api.js";
import { button, named, notify, openDialog } from "./controls.js";
import { seatsEditor } from "./seats.js";
import { fillSeat } from "./seat.js";
import { serverSource } from "./served.js";
import { openStage } from "./stage.js";

const FORMS = [["page.html", "One page, offline"], ["log", "Log, JSON"], ["log.csv", "Events, CSV"], ["log.pdf", "Document, PDF"]];

/** Open a game, or a seat in it; a game that somebody plays in is first seen as the public does. */
export async function openGame(main, name, place) {
  const about = await call(`/games/${encodeURIComponent(name)}`);
  const source = serverSource(about);
  const views = source.views;
  const sat = about.status !== "finished" && Object.keys(about.seats ?? {}).length > 0;
  const usual = about.may?.sit?.[0] ?? (sat || !views.includes("*") ? "" : "*");
  const view = place.view === "public" ? "" : place.view ?? usual;
  const base = place.seat ? `#/seat/${encodeURIComponent(name)}/${encodeURIComponent(place.seat)}` : `#/game/${encodeURIComponent(name)}`;
  let timer = 0;
  let stage = null;
  let ended = false;

  function tell(now, anew) {
    clearTimeout(timer);
    const link = `#/game/${encodeURIComponent(name)}?${new URLSearchParams({ ...(now.event === undefined ? {} : { event: now.event }), as: now.view })}`;
    if (anew) location.hash = link;
    else if (!place.seat) timer = setTimeout(() => history.replaceState(null, "", link), 300);
  }

  /** Read how the game ended, and show it. */
  async function again() {
    Object.assign(about, await call(source.path).catch(() => ({})));
    stage?.refresh();
  }

  source.actions = (show) => actionsOf(source, about, show);
  source.hear = (kind, data, box) => {
    if (kind === "question") fillSeat(box, source, view, data);
    if (kind === "end" || (kind === "status" && ended)) again();
    if (kind === "end" || kind === "status") ended = kind === "end";
  };
  const event = place.event === null || place.event === undefined ? null : Number(place.event);
  stage = openStage(main, source, { view, event }, tell);
  if (base.startsWith("#/seat")) document.title = plain(`${place.seat} · ${name}`, 120);
  return { keys: stage.keys, end: () => (clearTimeout(timer), stage.end()) };
}

/** Return what the caller may do with a game, folded into one menu. */
function actionsOf(source, about, show) {
  const { path } = source;
  const may = about.may ?? {};
  const box = el("div", {});
  const act = (way, body) => () => call(`${path}/${way}`, body ?? {}).then((done) => (done?.name && done.name !== about.name ? (location.hash = `#/game/${done.name}`) : location.reload())).catch((error) => notify(box, error.message));
  const links = { ...about.seats, "to watch, as the public": about.watch?.public, "to watch everything": about.watch?.all };
  const shared = Object.entries(links).filter(([, link]) => link);
  return el("details", { class: "menu" }, el("summary", { class: "button" }, "Actions"), el("div", { class: "card" },
    may.stop && button("Stop", act("stop")),
    may.resume && button("Go on…", () => openResume(act)),
    may.fork && button("Fork from here…", () => openFork(about, show, path)),
    shared.length > 0 && button("Links…", () => openLinks(shared)),
    may.see_all && button("Check the rules", () => openCheck(path)),
    FORMS.map(([file, text]) => el("a", { class: "button", href: `/api${path}/${file}?as=${encodeURIComponent(show.view || "public")}`, download: `${about.name}.${file.split(".").pop()}` }, text)), box));
}

function openResume(act) {
  const cost = el("input", { type: "number", min: 0, step: "any" });
  openDialog("Go on with this game", () => [named("Dollars at most", cost, "empty: as before"), button("Go on", () => act("resume", cost.value ? { max_cost: Number(cost.value) } : {})(), { class: "first" })]);
}

function openLinks(shared) {
  openDialog("Links to give away", () => shared.map(([name, link]) => named(plain(name, 60), el("input", { readonly: true, value: link, onfocus: (event) => event.target.select() }))));
}

async function openCheck(path) {
  const found = await call(`${path}/check`).catch((error) => ({ error: error.message }));
  const rules = Object.entries(found.rules ?? {}).map(([rule, breaches]) => el("li", {}, el("span", { class: breaches.length ? "bad" : "good" }, breaches.length ? "broken " : "holds "), words(rule), breaches.map((one) => el("p", { class: "bad" }, words(one, 300)))));
  openDialog("Rules of this game", () => [el("p", {}, found.error ?? (found.fair ? `All ${rules.length} rules hold.` : "Some rules are broken.")), el("ul", {}, rules)]);
}

/** Ask who takes over which seat, and begin a game that goes on behind the event shown. */
async function openFork(about, show, path) {
  const offer = await call("/offer");
  const at = show.frames[show.at]?.index ?? 0;
  const box = el("div", {});
  const editor = seatsEditor(offer, about.game, about.players, true);
  openDialog(`Fork behind event ${at}`, (close) => {
    const begin = () => call(`${path}/fork`, { at, players: editor.read() }).then((done) => (close(), (location.hash = `#/game/${encodeURIComponent(done.name)}`))).catch((error) => notify(box, error.message));
    return [el("p", { class: "quiet" }, "Choose who takes over; all others play on as they are."), editor.node, box, button("Begin the fork", begin, { class: "first" })];
  });
}
