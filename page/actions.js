// The actions of a game: stop, go on, fork, share links, check the rules, download.

import { el, plain, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { button, notify } from "./controls.js";
import { houseStyle, named, openDialog } from "./parts.js";
import { parentOf } from "./compare.js";
import { seatsEditor } from "./seating.js";

const LOG = { name: "log", title: "Log, JSON" };

await houseStyle();

/** Return what the caller may do with a game, as buttons and links. */
export function actionsOf(source, show) {
  const { about, path } = source;
  const { may } = about;
  const trouble = el("div", {});
  const act = (way, body = {}) =>
    call(`${path}/${way}`, body)
      .then((done) =>
        done?.name && done.name !== about.name
          ? (location.hash = pathOf("game", done.name))
          : location.reload(),
      )
      .catch((error) => notify(trouble, error.message));
  const links = {
    ...about.seats,
    "to watch, as the public": about.watch?.public,
    "to watch everything": about.watch?.all,
  };
  const shared = Object.entries(links).filter(([, link]) => link);
  return [
    may.stop && button("Stop", () => act("stop")),
    may.resume && button("Resume…", () => openResume(act)),
    parentOf(about) && el("a", { class: "button", href: `#${pathOf("fork", about.name)}` }, "Beside its parent"),
    may.fork && button("Fork from here…", () => openFork(source, show)),
    shared.length > 0 && button("Links…", () => openLinks(shared)),
    may.see_all && button("Check the rules", () => openCheck(path)),
    [LOG, ...about.files].map(({ name, title }) => {
      const href = `/api${path}/${name}?as=${encodeURIComponent(show.view || "public")}`;
      const download = `${about.name}.${name.split(".").pop()}`;
      return el("a", { class: "button", href, download }, title);
    }),
    trouble,
  ];
}

/** Ask what the game may cost from now on, and go on. */
function openResume(act) {
  const cost = el("input", { type: "number", min: 0, step: "any" });
  openDialog("Resume this game", () => [
    named("Maximum dollars", cost, "empty: as before"),
    button("Resume", () => act("resume", cost.value ? { max_cost: Number(cost.value) } : {}), {
      class: "first",
    }),
  ]);
}

/** Show the links to seats and views. */
function openLinks(shared) {
  const onfocus = (event) => event.target.select();
  openDialog("Links to share", () =>
    shared.map(([name, value]) =>
      named(plain(name, 60), el("input", { readonly: true, value, onfocus })),
    ),
  );
}

/** Show whether the game keeps its rules. */
async function openCheck(path) {
  const found = await call(`${path}/check`).catch((error) => ({ error: error.message }));
  const verdict = found.fair ? "The game keeps its rules." : found.difference;
  openDialog("Rules of this game", () => [el("p", {}, words(found.error ?? verdict, 300))]);
}

/** Ask who takes over which seat, and begin a game that goes on behind the event shown. */
export async function openFork({ about, path }, show) {
  const offer = await call("/offer");
  const at = show.frames[show.at]?.index ?? 0;
  const box = el("div", {});
  const editor = seatsEditor(offer, about.game, about.players, true);
  openDialog(`Fork after event ${at}`, (close) => {
    const begin = () =>
      call(`${path}/fork`, { at, as: show.view, players: editor.read() })
        .then((done) => (close(), (location.hash = pathOf("fork", done.name))))
        .catch((error) => notify(box, error.message));
    return [
      el("p", { class: "quiet" }, "Choose who takes over; all other seats stay as they are."),
      editor.node,
      box,
      button("Start the fork", begin, { class: "first" }),
    ];
  });
}
