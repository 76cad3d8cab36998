// The page of one game in a file.

import { clear, el, words } from "./dom.js";
import { mark } from "./players.js";
import { boardOf } from "./boards.js";
import { framesOf, gameOf } from "./source.js";

/** Draw the game that the file holds. */
function openFile() {
  const { log, told, view } = JSON.parse(document.getElementById("data").textContent);
  const game = gameOf(log, view);
  const frames = framesOf(log, told);
  const board = boardOf(log.game);
  const place = el("div", {});
  const said = el("p", {});
  const feed = el("div", {});
  const slider = el("input", { type: "range", min: 0, max: frames.length - 1, value: frames.length - 1, "aria-label": "event", oninput: show });
  clear(document.getElementById("app"), place, said, slider, feed);
  show();

  function show() {
    const upto = frames.slice(0, Number(slider.value) + 1);
    let state = board?.begin(game);
    for (const frame of board ? upto : []) state = board.fold(state, frame);
    if (board) clear(place, board.draw(state, innerWidth < 760 ? 360 : 760));
    if (board) clear(said, board.say(state));
    clear(feed, upto.slice(-200).map((frame) => el("p", {}, frame.player_id && mark(game, frame.player_id, 24), words(`${frame.heading}: ${frame.content}`))));
  }
}

openFile();
