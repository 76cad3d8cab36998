// Help: what keys and marks mean.

import { el } from "./dom.js";
import { grid } from "./controls.js";
import { openDialog } from "./parts.js";

const KEYS = [
  ["← →", "one event back or forward"],
  ["Space", "play, pause"],
  ["Home, End", "first event, last or live"],
  ["[ ]", "previous or next round"],
  ["/", "search"],
  ["?", "this help"],
];
const MARKS = [
  ["whole line", "a round begins"],
  ["above", "a vote or a result"],
  ["middle", "an event of the player whose view it is"],
  ["below", "a fault, or a fallback that replaced an answer"],
];

/** Show what keys and marks mean. */
export function showHelp() {
  openDialog("Keys and marks", () => [
    grid(
      "Keys",
      ["key", "does"],
      KEYS.map(([key, does]) => [el("kbd", {}, key), does]),
    ),
    grid("Marks on the timeline", ["where", "means"], MARKS),
  ]);
}
