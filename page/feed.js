// The transcript: at most 200 rows at once, each an event with what stands behind it.

import { clear, el, plain, words } from "./dom.js";
import { look, mark } from "./players.js";
import { button, choice, dollars, figure } from "./controls.js";

const MOST_ROWS = 200;
const STRIDE = 150;
const REASONS = ["rationale", "explanation", "reason", "reasoning"];

/** Return an event's heading without the player's name, "" where it says no more than its kind. */
export function headingOf(frame) {
  const heading = frame.heading.startsWith(`${frame.player_id} `)
    ? frame.heading.slice(frame.player_id.length + 1)
    : frame.heading;
  return heading.toLowerCase() === frame.kind ? "" : heading;
}

/** Return whether all of a game's players see an event. */
function isShared(frame, game) {
  return game.players.every((player) => frame.visibility.includes(player.player_id));
}

/** Return the marks of an event: who alone sees it, whether it is a fault, or a fallback. */
export function tagsOf(frame, game) {
  const seen = frame.visibility;
  const only = seen.length ? `only ${seen.join(", ")}` : "seen by nobody";
  const isPrivate = !isShared(frame, game) && frame.kind !== "fault";
  return [
    isPrivate && el("span", { class: "tag" }, words(only, 90)),
    frame.kind === "fault" && el("span", { class: "tag bad" }, "fault"),
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

/** Make the transcript of a source; `go(index)` moves to an event, and `onfilter` tells of a new filter. */
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
    const found = [...new Set(frames.map((frame) => frame.kind))].sort();
    if (found.join() === known) return;
    known = found.join();
    const options = [["", "all events"], ...found];
    const choose = (value) => filter("kind", value);
    clear(kinds, choice("Only this kind of event", options, wanted.kind, choose));
  }

  function rowOf(frame, before) {
    if (rows.has(frame.index)) return rows.get(frame.index);
    const row = eventRow(frame, source, go, before?.round !== frame.round);
    rows.set(frame.index, row);
    return row;
  }

  /** Show the events up to place `at`, the last 200 of those that fit the filters. */
  function draw(frames, at, moved) {
    if (moved) end = null;
    const shown = frames.slice(0, at + 1);
    const fitting = wanted.text || wanted.kind || wanted.player ? shown.filter(fits) : shown;
    total = fitting.length;
    const last = end ?? total;
    const first = Math.max(0, last - MOST_ROWS);
    const nodes = fitting
      .slice(first, last)
      .map((frame, place) => rowOf(frame, fitting[first + place - 1]));
    const more = (text, place) => button(text, () => turnTo(place), { class: "more" });
    const before = Math.max(MOST_ROWS, last - STRIDE);
    const earlier = first > 0 && more(`${first} earlier`, before);
    const later = last < total && more(`${total - last} later`, last + STRIDE);
    const reason = shown.length ? "No event fits." : "No event yet that this view sees.";
    const none = total === 0 && el("p", { class: "quiet none" }, reason);
    swap(list, [none, earlier, ...nodes, later].filter(Boolean));
    for (const old of list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    rows.get(frames[at]?.index)?.setAttribute("aria-current", "true");
    clear(count, total === shown.length ? "" : `${total} of ${shown.length}`);
    if (rows.size > 3 * MOST_ROWS) rows.clear();
    if (end === null) list.scrollTop = list.scrollHeight;
  }

  return { node, draw, offer, search, forget: () => rows.clear() };
}

/** Let a node have these children, and touch only what changed: mostly the two ends. */
function swap(parent, nodes) {
  const kept = new Set(nodes);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  nodes.forEach((node, place) => {
    if (parent.children[place] !== node) parent.insertBefore(node, parent.children[place] ?? null);
  });
}

/** Return the row of one event. */
function eventRow(frame, source, go, begins) {
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
    { class: `event ${kind}`, "data-index": frame.index },
    begins && el("h2", {}, `Round ${frame.round}`),
    el("header", {}, byline(frame, game, 26), title, tagsOf(frame, game), at),
    frame.content && el("p", { class: "text" }, words(frame.content)),
    behind(frame, source),
  );
}

/** Return what stands behind an event: reasoning, reason, prompt and attempts, folded. */
function behind(frame, source) {
  const attempts = frame.attempts ?? [];
  const reasons = REASONS.map((name) => frame.data?.[name]).filter(
    (text) => typeof text === "string" && text && !frame.content.includes(text),
  );
  return [
    frame.reasoning && fold("Reasoning", words(frame.reasoning)),
    reasons.map((text) => fold("Reason", words(text))),
    source.prompt(frame, source.view) &&
      fold("Prompt", null, async (box) => {
        const { text, system, transcript, question } = await source.prompt(frame, source.view);
        clear(box, words(text ?? `${system}\n\n${transcript}${question}`));
      }),
    attempts.length > 0 &&
      fold(
        usageOf(frame),
        attempts.map((attempt) =>
          el(
            "div",
            { class: "attempt" },
            words(attempt.text || "no answer"),
            attempt.fault && el("div", { class: "bad" }, words(attempt.fault)),
          ),
        ),
      ),
  ];
}

/** Return what an event's answer took, in words. */
function usageOf(frame) {
  const seconds = frame.attempts.reduce((sum, attempt) => sum + (attempt.seconds ?? 0), 0);
  const tokens = frame.usage ? frame.usage.prompt_tokens + frame.usage.completion_tokens : 0;
  const count = frame.attempts.length;
  const parts = [`${count} ${count === 1 ? "attempt" : "attempts"}`];
  if (tokens) parts.push(`${figure(tokens)} tokens`);
  if (seconds) parts.push(`${figure(seconds, 1)} s`);
  if (typeof frame.usage?.cost === "number") parts.push(dollars(frame.usage.cost));
  return parts.join(" · ");
}

/** Return a folded text; `load` fills it when it is first opened. */
function fold(name, inside, load) {
  const box = el("div", { class: "behind", tabindex: 0, role: "group", "aria-label": name }, inside ?? "…");
  let fresh = Boolean(load);
  const open = (event) => {
    if (!event.target.open || !fresh) return;
    fresh = false;
    load(box).catch((error) => clear(box, error.message));
  };
  return el("details", { ontoggle: open }, el("summary", {}, name), box);
}
