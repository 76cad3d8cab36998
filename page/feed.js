// The transcript: at most 200 rows at once, each an event with what stands behind it.

import { clear, el, plain, words } from "./dom.js";
import { look, mark, moveInWords } from "./players.js";
import { button, choice } from "./controls.js";

const MOST_ROWS = 200;
const STRIDE = 150;
const REASONS = ["rationale", "explanation", "reason", "reasoning", "plan"];

/** Return an event's heading without the player's name, "" where it says no more than its kind. */
export function headingOf(frame) {
  const { move, target } = frame.facts ?? {};
  if (frame.kind === "utterance" && move) return moveInWords(move, target);
  if (frame.kind === "selection" && frame.data.speaker)
    return `${frame.data.speaker} ${moveInWords(frame.data.move, frame.data.target)}`;
  const heading = frame.heading.startsWith(`${frame.player_id} `)
    ? frame.heading.slice(frame.player_id.length + 1)
    : frame.heading;
  return heading.toLowerCase() === frame.kind ? "" : heading;
}

/** Return whether an event only explains another one, and is folded under it. */
function isBasis({ kind, player_id: by }) {
  return !by && (kind === "selection" || kind === "check");
}

/** Return the events that explain an utterance; only the view of everything has them. */
function basisOf(frames, { kind, index }) {
  if (kind !== "utterance") return [];
  const at = frames.findLastIndex((frame) => frame.index === index);
  const before = frames.slice(0, at).findLast((frame) => frame.kind !== "fault");
  return [before, frames[at + 1]].filter((frame) => frame && isBasis(frame));
}

/** Return the marks of an event: who alone sees it, whether it is a fault, or a fallback. */
export function tagsOf(frame, game) {
  const seen = frame.visibility;
  const only = seen.length ? `only ${seen.join(", ")}` : "seen by nobody";
  const isFault = frame.kind === "fault";
  const isShared = game.players.every(({ player_id }) => seen.includes(player_id));
  return [
    !isShared && !isFault && el("span", { class: "tag" }, words(only, 90)),
    isFault && el("span", { class: "tag bad" }, "fault"),
    frame.fell_back && el("span", { class: "tag bad" }, "fallback"),
  ];
}

/** Return who an event is by: mark and name, or the narrator. */
export function byline(frame, game, size) {
  if (!frame.player_id) return null;
  const name = el("span", { class: "name" }, words(frame.player_id));
  name.style.color = look(game, frame.player_id).text;
  return [mark(game, frame.player_id, size), name];
}

/** Make the transcript of a source; `go(index)` moves to an event, `onfilter` hears of new filters. */
export function makeFeed(source, go, onfilter) {
  const rows = new Map();
  const wanted = { text: "", kind: "", player: "" };
  let end = null;
  let total = 0;
  const search = el("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search the events",
    oninput: (event) => filter("text", event.target.value.toLowerCase()),
  });
  const count = el("span", { class: "quiet", "aria-live": "off" });
  const kinds = el("span", {});
  const players = [
    ["", "all players"],
    ...source.game.players.map((player) => [player.player_id, plain(player.player_id, 40)]),
  ];
  const only = choice("Only this player", players, "", (value) => filter("player", value));
  const bar = el("div", { class: "filters", role: "search" }, search, kinds, only, count);
  const role = { role: "log", "aria-live": "off", "aria-label": "Events" };
  const list = el("div", { class: "rows", tabindex: 0, ...role });
  const node = el("section", { class: "feed", "aria-label": "Transcript" }, bar, list);
  let known = "";

  function filter(name, value) {
    wanted[name] = value;
    end = null;
    onfilter();
  }

  function fits(frame) {
    if (wanted.kind && frame.kind !== wanted.kind) return false;
    if (wanted.player && frame.player_id !== wanted.player) return false;
    const text = `${frame.player_id ?? ""} ${frame.heading} ${frame.content}`;
    return text.toLowerCase().includes(wanted.text);
  }

  function turnTo(place) {
    end = place >= total ? null : place;
    onfilter();
  }

  /** Offer the kinds of event that there are. */
  function offer(frames) {
    const rows = frames.filter((frame) => !isBasis(frame));
    const found = [...new Set(rows.map((frame) => frame.kind))].sort();
    if (found.join() === known) return;
    known = found.join();
    const options = [["", "all events"], ...found];
    const choose = (value) => filter("kind", value);
    clear(kinds, choice("Only this kind of event", options, wanted.kind, choose));
  }

  function rowOf(frame, before, basis) {
    const known = rows.get(frame.index);
    if (known?.dataset.basis === String(basis.length)) return known;
    const row = eventRow(frame, basis, source, go, before?.round !== frame.round);
    rows.set(frame.index, row);
    return row;
  }

  /** Show the events up to place `at`, the last 200 of those that fit the filters. */
  function draw(frames, at, moved) {
    if (moved) end = null;
    const past = frames.slice(0, at + 1);
    const shown = past.filter((frame) => !isBasis(frame));
    const fitting = wanted.text || wanted.kind || wanted.player ? shown.filter(fits) : shown;
    total = fitting.length;
    const last = end ?? total;
    const first = Math.max(0, last - MOST_ROWS);
    const nodes = fitting
      .slice(first, last)
      .map((frame, place) => rowOf(frame, fitting[first + place - 1], basisOf(past, frame)));
    const more = (text, place) => button(text, () => turnTo(place), { class: "more" });
    const before = Math.max(MOST_ROWS, last - STRIDE);
    const earlier = first > 0 && more(`${first} earlier`, before);
    const later = last < total && more(`${total - last} later`, last + STRIDE);
    const reason = shown.length ? "No event matches." : "No event is visible in this view yet.";
    const none = total === 0 && el("p", { class: "quiet none" }, reason);
    swap(list, [none, earlier, ...nodes, later].filter(Boolean));
    for (const old of list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    rows.get(shown.at(-1)?.index)?.setAttribute("aria-current", "true");
    clear(count, total === shown.length ? "" : `${total} of ${shown.length}`);
    if (rows.size > 3 * MOST_ROWS) rows.clear();
    if (end === null) list.scrollTop = list.scrollHeight;
  }

  return { node, draw, offer, search, forget: () => rows.clear() };
}

/** Replace a node's children, touching only those that changed. */
function swap(parent, nodes) {
  const kept = new Set(nodes);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  nodes.forEach((node, place) => {
    if (parent.children[place] !== node) parent.insertBefore(node, parent.children[place] ?? null);
  });
}

/** Return the row of one event. */
function eventRow(frame, basis, source, go, begins) {
  const { game } = source;
  const heading = headingOf(frame);
  const at = el(
    "a",
    {
      class: "at",
      href: source.link({ view: source.view, event: frame.index }),
      "aria-label": `Go to event ${frame.index}`,
      onclick: (event) => (event.preventDefault(), go(frame.index)),
    },
    String(frame.index),
  );
  const title = heading && el("span", { class: "heading" }, words(heading));
  const kind = `${frame.player_id ? "" : "narrated"} ${frame.kind === "fault" ? "broken" : ""}`;
  return el(
    "article",
    { class: `event ${kind}`, "data-index": frame.index, "data-basis": basis.length },
    begins && el("h2", {}, `Round ${frame.round}`),
    el("header", {}, byline(frame, game, 26), title, tagsOf(frame, game), at),
    frame.content && el("p", { class: "text" }, words(frame.content)),
    behind(frame, basis, source),
  );
}

/** Return an event's folded details: its causes, reasoning, reason, plan, prompt and attempts. */
function behind(frame, basis, source) {
  const { attempts = [], player_id: by, prompt } = frame;
  // A plan may be what was said then, word for word.
  const reasons = REASONS.map((name) => [name, frame.data?.[name]]).filter(
    ([name, text]) =>
      typeof text === "string" && text && (name === "plan" || !frame.content.includes(text)),
  );
  const more = (name, part) =>
    fold(name, async (box) => (await import("./behind.js"))[part](box, frame, source, basis));
  const isWhole = source.view === "*";
  return [
    basis.length > 0 && more(`Why ${plain(by, 40)} spoke`, "fillWhy"),
    frame.reasoning && fold("Reasoning", (box) => clear(box, words(frame.reasoning))),
    reasons.map(([name, text]) =>
      fold(name === "plan" ? "Plan" : "Reason", (box) => clear(box, words(text))),
    ),
    isWhole && prompt && more("Prompt", "fillPrompt"),
    isWhole && attempts.length > 0 && more("Attempts", "fillAttempts"),
  ];
}

/** Return what is folded under a name; `load` fills its box when it is first opened. */
export function fold(name, load, look = { class: "behind", tabindex: 0, role: "group", "aria-label": name }) {
  const box = el("div", look, "…");
  const open = async ({ target }) => {
    if (!target.open || !load) return;
    const fill = load;
    load = null;
    try {
      await fill(box);
    } catch (error) {
      clear(box, error.message);
    }
  };
  return el("details", { ontoggle: open }, el("summary", {}, name), box);
}
