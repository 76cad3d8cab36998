// One game: its board, the event of the moment, the transcript, and the bar that moves through it.

import { clear, el, plain, words } from "./dom.js";
import { byline, fold, headingOf, makeFeed, tagsOf } from "./feed.js";
import { makeTimeline, pauseAfter } from "./timeline.js";
import { choice, viewName } from "./controls.js";
import { playersLine } from "./players.js";

const PANELS = { Players: "fillPlayers", Settings: "fillSettings", Charts: "fillCharts" };
const STRIDE_OF_STATES = 200;
const WIDE_BOARD = 560;

/** Return a board's state at any event; one in 200 is kept. */
function makeStates(board, game) {
  const kept = [board.begin(game)];
  let near = { count: 0, state: kept[0] };
  return (frames, at) => {
    const count = at + 1;
    const stride = Math.min(Math.floor(count / STRIDE_OF_STATES), kept.length - 1);
    if (near.count > count || near.count < stride * STRIDE_OF_STATES)
      near = { count: stride * STRIDE_OF_STATES, state: kept[stride] };
    while (near.count < count) {
      near = { count: near.count + 1, state: board.fold(near.state, frames[near.count]) };
      if (near.count % STRIDE_OF_STATES === 0) kept[near.count / STRIDE_OF_STATES] = near.state;
    }
    return near.state;
  };
}

/** Return the game as boards take it. */
function gameOf({ game_id, game, players, config }, view) {
  const { name: _, ...settings } = config.game ?? {};
  return { name: game_id, game, players, settings, view };
}

/** Return a place in a game as a fragment has it. */
export function fragmentOf({ view, event }) {
  return new URLSearchParams({ ...(event !== undefined && { event }), as: view });
}

/** Show a game in `root` at `place` {view, event}, with its board, if any; return its keys and how to end it. */
export function openViewer(root, given, board, place, tell = () => {}) {
  const view = given.views.includes(place.view) ? place.view : given.views[0];
  const game = gameOf(given.about, view);
  const source = { ...given, game, view };
  const show = { frames: [], at: -1, view, playing: false, running: true, speed: 1, status: null };
  let wanted = place.event ?? null;
  let states = board && makeStates(board, game);
  let picked = null;
  let timer = 0;
  let due = 0;
  let expected = 0;

  const heading = el("div", { class: "title" });
  const acts = { onpointerover: explain, onfocusin: explain, onclick: pick, onkeydown: pick };
  const picture = el("div", { class: "board", ...acts });
  const said = el("p", { class: "said" });
  const moment = el("section", { class: "moment", "aria-label": "This event" });
  const extra = el("div", { class: "extra" });
  const panels = el("div", { class: "panels" });
  const spoken = el("p", { class: "hidden", role: "status", "aria-live": "polite" });
  const goTo = (index) => jump(show.frames.findIndex((frame) => frame.index === index));
  const feed = makeFeed(source, goTo, () => feed.draw(show.frames, show.at));
  const setSpeed = (value) => (show.speed = value);
  const bar = makeTimeline({ step, go: jump, turn: togglePlay, live: toEdge, speed: setSpeed });
  const views =
    source.views.length > 1 &&
    choice(
      "View",
      source.views.map((one) => [one, plain(viewName(one), 40)]),
      view,
      (one) => tell({ view: one, event: source.carry(show, one) }, true),
      { class: "views" },
    );
  const seen = views || el("span", { class: "tag" }, words(viewName(view)));
  const actions = el("div", {}, source.actions?.(show));
  const head = el("div", { class: "head" }, heading, el("div", { class: "row" }, seen, actions));
  const figure = board && el("figure", {}, picture, said);
  const card = el("section", { class: "card result", "aria-label": "Result", hidden: true });
  const left = el("div", { class: "left" }, card, figure, moment, panels);
  const right = el("div", { class: "right" }, feed.node);
  clear(root, el("div", { class: "viewer" }, head, extra, left, right, spoken), bar.node);
  root.classList.toggle("boardless", !board);
  root.classList.toggle("mono", Boolean(board?.mono));
  refresh();

  /** Show anew what is known of the game beside its events. */
  function refresh() {
    const parts = Object.entries(PANELS).filter(([name]) => name !== "Charts" || source.about.charts?.length);
    const load = (part) => async (box) => (await import("./panels.js"))[part](box, source);
    clear(panels, parts.map(([name, part]) => fold(name, load(part), {})));
    clear(heading, titleOf(source, show));
    // A closed menu is filled when it is opened.
    actions.querySelector(".menu[open]")?.dispatchEvent(new Event("toggle"));
    if (show.frames.length) draw(false);
  }

  /** Return the place of the newest event. */
  function edge() {
    return show.frames.length - 1;
  }

  /** Return whether the end of a game that is over is shown. */
  function isOver() {
    return !show.running && show.at >= edge();
  }

  function step(by) {
    jump(show.at + by);
  }

  /** Go to a place among the events of this view, and stay there. */
  function jump(at) {
    show.playing = false;
    move(at);
  }

  function move(at) {
    show.at = Math.max(Math.min(0, edge()), Math.min(at, edge()));
    clearTimeout(timer);
    timer = 0;
    keepTime();
    draw(true);
  }

  /** While the game plays, show the next event once there was time to read this one. */
  function keepTime() {
    if (isOver()) show.playing = false;
    if (timer || show.at >= edge() || !show.playing) return;
    timer = setTimeout(() => move(show.at + 1), pauseAfter(show.frames[show.at], show.speed));
  }

  function togglePlay() {
    if (isOver()) return replay();
    show.playing = !show.playing;
    move(show.at);
  }

  function toEdge() {
    show.playing = true;
    move(edge());
  }

  function turnRound(by) {
    const now = show.frames[show.at]?.round ?? 0;
    const at = show.frames.findIndex((frame) => frame.round >= now + by);
    jump(at < 0 ? edge() : at);
  }

  function hear(kind, data) {
    if (kind === "hello") expected = data.events ?? 0;
    if (kind === "reset") forget();
    if (kind === "events") show.frames.push(...data);
    if (kind === "event") show.frames.push(data);
    if (kind === "end") clear(extra);
    if (kind === "question") show.asked = data;
    if (kind === "end") show.asked = null;
    if (kind === "status" || kind === "end") {
      show.status = data;
      show.running = kind === "status" && ["running", "waiting"].includes(data.status);
    }
    source.hear?.(kind, data, extra);
    if (!due) due = setTimeout(settle, 30);
    if (kind !== "question" || !data) return;
    // Whoever is asked sees all events so far, and the board of this question.
    Object.assign(show, { at: edge(), playing: true });
    clearTimeout(due);
    settle();
  }

  /** Begin anew: the game is no longer what was shown. */
  function forget() {
    show.frames = [];
    show.at = -1;
    states = board && makeStates(board, game);
    feed.forget();
    bar.forget();
  }

  /** Show what came: at once while the past is read, then an event a beat. */
  function settle() {
    due = 0;
    const { frames } = show;
    const last = edge();
    const reading = show.at < 0 || frames[show.at].index < expected - 1;
    feed.offer(frames);
    if (wanted !== null && (frames[last]?.index >= wanted || !show.running)) {
      const found = frames.findLastIndex((frame) => frame.index <= wanted);
      show.at = Math.max(0, found);
      wanted = null;
      expected = 0;
    } else if (reading && wanted === null) {
      show.at = last;
      show.playing = show.running;
    }
    keepTime();
    draw(false);
  }

  function draw(moved) {
    const frame = show.frames[show.at];
    if (board) drawBoard();
    drawMoment(frame);
    bar.draw(show);
    showResult();
    clear(heading, titleOf(source, show));
    feed.draw(show.frames, show.at, moved);
    if (!moved || !frame) return;
    const words = [frame.player_id, headingOf(frame), frame.content].filter(Boolean).join(": ");
    spoken.textContent = plain(words, 300);
    tell({ view, event: frame.index }, false);
  }

  /** Show the result at the end of the game, and hide it on the way there. */
  async function showResult() {
    const shown = Boolean(isOver() && given.about.outcome);
    const fill = shown && card.hidden;
    card.hidden = !shown;
    if (fill) (await import("./result.js")).fillResult(card, source, { go: goTo, replay });
  }

  function replay() {
    show.playing = true;
    move(0);
  }

  function drawBoard() {
    const found = states(show.frames, show.at);
    const state = picked !== null && board.pick ? board.pick(found, picked) : found;
    const keyOf = (node) => node?.dataset.pick ?? node?.dataset.legend;
    const held = keyOf(picture.querySelector(":focus"));
    const turn = show.asked && show.at === edge() ? { ...show.asked, choose } : null;
    clear(picture, board.draw(state, picture.clientWidth < WIDE_BOARD ? 360 : 760, turn));
    clear(said, plain(board.say(state), 400));
    const nodes = [...picture.querySelectorAll("[data-pick], [data-legend]")];
    const isNew = turn?.grid.length && document.activeElement === document.body;
    nodes.find((node) => (isNew ? node.tabIndex === 0 : keyOf(node) === held))?.focus();
  }

  /** Answer with the board's moves: a single one is sent, for several the form asks which. */
  function choose(moves) {
    extra.querySelector("form")?.dispatchEvent(new CustomEvent("choose", { detail: moves }));
  }

  function drawMoment(frame) {
    moment.classList.toggle("narrated", Boolean(frame && !frame.player_id));
    if (!frame) return clear(moment);
    const { content, kind, player_id } = frame;
    const title = words(headingOf(frame) || (player_id ? "" : kind));
    const heading = el("span", { class: "heading" }, title);
    return clear(
      moment,
      el("header", {}, byline(frame, game, 34), heading, tagsOf(frame, game)),
      el("p", { class: "text", tabindex: (content.length > 200 || content.split("\n").length > 5) && 0 }, words(content, 1200)),
    );
  }

  function pick(event) {
    const node = event.target.closest?.("[data-pick]");
    if (!board.pick || !node || !["Enter", " ", undefined].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    picked = node.dataset.pick;
    drawBoard();
  }

  async function explain() {
    (await import("./legends.js")).explainNumbers(picture);
  }

  const watcher = new ResizeObserver(() => board && drawBoard());
  watcher.observe(picture);
  const shut = source.open(view, hear);
  const keys = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    " ": togglePlay,
    Home: () => jump(0),
    End: () => (show.running ? toEdge() : jump(edge())),
    "[": () => turnRound(-1),
    "]": () => turnRound(1),
    "/": () => feed.search.focus(),
  };

  function end() {
    shut();
    clearTimeout(timer);
    clearTimeout(due);
    watcher.disconnect();
  }
  return { end, keys, refresh };
}

/** Return the head of a game's page: what is played, how it stands, who plays. */
function titleOf(source, show) {
  const { about } = source;
  const status = show.status?.status ?? about.status ?? "running";
  const rounds = show.frames[show.at]?.round;
  const over = !show.running && show.at === show.frames.length - 1;
  const facts = [words(about.game), rounds && `round ${rounds}`, words(about.game_id), words(about.who, 160)];
  return [
    el("h1", {}, words(about.title || about.game)),
    el(
      "p",
      { class: "facts" },
      el("span", { class: `status ${status}` }, status),
      facts.filter(Boolean).map((fact) => el("span", {}, fact)),
      over && about.result && el("b", {}, words(about.result)),
    ),
    about.void && el("p", { class: "bad" }, words(`void: ${about.void}`)),
    about.void_seats && el("p", { class: "bad" }, words(`seat void: ${about.void_seats}`)),
    playersLine(source.game, show.status?.thinking ?? []),
  ];
}
