// The bar at the bottom: steps, play, a slider with marks, speed, the live edge.

import { clear, el, svg } from "./dom.js";
import { choice, icon, iconButton } from "./controls.js";

const SPEEDS = ["0.5", "1", "2", "5", "10", "20"];
const BINS = 500;
// The marks, with the top and bottom of their lines, from 0 to 10.
const LINES = { round: [0, 10], vote: [0, 3.4], own: [3.6, 6.4], fault: [6.6, 10] };

/** Return how long an event stays before the next, in milliseconds. */
export function pauseAfter(frame, speed) {
  return Math.min(4000, 400 + 25 * (frame?.content.length ?? 0)) / speed;
}

/** Make the bar; `acts` has step(by), go(at), turn(), live() and speed(value). */
export function makeTimeline(acts) {
  const marks = svg("svg", {
    class: "marks",
    viewBox: `0 0 ${BINS} 10`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const slider = el("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": "Event",
    oninput: () => acts.go(Number(slider.value)),
  });
  const play = iconButton("play", "Play", acts.turn, { class: "icon play" });
  const count = el("span", { class: "count" });
  const live = el("button", { type: "button", class: "live", hidden: true, onclick: acts.live });
  const speeds = SPEEDS.map((value) => [value, `${value}×`]);
  const speed = choice("Speed", speeds, "1", (value) => acts.speed(Number(value)));
  const steps = el(
    "div",
    { class: "steps" },
    iconButton("back", "One back", () => acts.step(-1)),
    play,
    iconButton("next", "One forward", () => acts.step(1)),
  );
  const node = el(
    "section",
    { class: "bar", "aria-label": "Timeline" },
    steps,
    el("div", { class: "track" }, marks, slider),
    count,
    speed,
    live,
  );
  let drawn = -1;

  /** Draw a mark for each round, vote, fault or fallback, and own turn. */
  function drawMarks(frames, view) {
    if (drawn === frames.length) return;
    drawn = frames.length;
    const spots = Object.fromEntries(Object.keys(LINES).map((name) => [name, new Set()]));
    let round = 0;
    frames.forEach((frame, place) => {
      const bin = Math.round((place / Math.max(1, frames.length - 1)) * BINS);
      if (frame.round !== round) spots.round.add(bin);
      round = frame.round;
      if (frame.kind === "vote" || frame.kind === "result") spots.vote.add(bin);
      if (frame.kind === "fault" || frame.fell_back) spots.fault.add(bin);
      if (view && frame.player_id === view) spots.own.add(bin);
    });
    if (spots.round.size > BINS / 5) spots.round.clear();
    const paths = Object.entries(LINES).map(([name, [top, bottom]]) => {
      const lines = [...spots[name]].map((x) => `M${x} ${top}V${bottom}`);
      return svg("path", { class: name, d: lines.join("") });
    });
    clear(marks, paths);
  }

  /** Show where the game stands. */
  function draw(show) {
    const { frames, at, playing, running } = show;
    const frame = frames[at];
    drawMarks(frames, show.view);
    slider.max = Math.max(0, frames.length - 1);
    slider.value = Math.max(0, at);
    const place = frame && `event ${at + 1} of ${frames.length}, round ${frame.round}`;
    slider.setAttribute("aria-valuetext", place ?? "no event yet");
    const done = frames.length > 1 ? Math.max(0, at) / (frames.length - 1) : 1;
    slider.style.setProperty("--done", `${100 * done}%`);
    clear(count, el("b", {}, String(at + 1)), ` / ${frames.length}`);
    const word = playing ? "Pause" : "Play";
    if (play.title !== word) clear(play, icon(word.toLowerCase()));
    play.title = word;
    play.setAttribute("aria-label", word);
    const waiting = frames.length - 1 - at;
    live.hidden = !running;
    live.classList.toggle("on", waiting === 0);
    clear(live, waiting > 0 ? `${waiting} more` : "Live");
  }

  return { node, draw, forget: () => (drawn = -1) };
}
