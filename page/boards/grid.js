// The grid of a library's game: arrow keys read its cells, a click or Enter plays them.

import { clear, el, plain } from "../dom.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const SQUARE = /^[a-z]\d+$/i;
// The cell that has the focus, or would have it, and the moves of the piece that was picked up.
let at = "0,0";
let begun = { number: null, moves: [] };

/** The board of OpenSpiel's games; one without a grid shows nothing. */
export const openspielBoard = {
  begin: openGrid,
  fold: hearGrid,
  draw: drawGrid,
  say: sayGrid,
  // The texts of these games have boards too.
  mono: true,
};
export const textarenaBoard = openspielBoard;

function openGrid(game) {
  return { game, rows: [], last: "The game begins." };
}

function hearGrid(state, { player_id: by, facts = {} }) {
  const rows = facts.grid?.map((row) => Array.from(row, (text) => ({ text }))) ?? state.rows;
  const move = facts.move ?? facts.forced;
  return { ...state, rows, last: move ? `${by} plays ${move}.` : state.last };
}

function sayGrid({ last }) {
  return plain(last.replaceAll("\n", " "));
}

/** Draw the board; `turn` is the question that its cells answer, with `choose(moves)`. */
function drawGrid(state, _full, turn) {
  const rows = turn?.grid.length ? turn.grid : state.rows;
  if (!rows.length) return null;
  if (begun.number !== turn?.number) begun = { number: turn?.number, moves: [] };
  const box = el("div", { class: "grid", role: "grid", "aria-label": "Board", onclick: act, onkeydown: press });
  const wide = Math.max(...rows.map((row) => row.length));
  const isPaired = rows.flat().some((cell) => cell.begin);
  // A row of hexagons stands half a cell to the right of the one above it.
  const shift = /^hex\b/.test(state.game.settings.game) ? 50 / (wide + (rows.length - 1) / 2) : 0;
  box.style.setProperty("--wide", wide);
  return fill();

  /** Return the moves that a click on a cell leaves: one is played. */
  function open({ moves = [] }) {
    if (!turn || (isPaired && !begun.moves.length)) return [];
    return begun.moves.length ? moves.filter((move) => begun.moves.includes(move)) : moves;
  }

  function fill() {
    if (!rows[at.split(",")[0]]?.[at.split(",")[1]]) at = "0,0";
    return clear(box, rows.map((row, y) => {
      const line = el("div", { role: "row" }, row.map((cell, x) => drawCell(cell, y, x)));
      line.style.padding = `0 ${shift * (rows.length - 1 - y)}% 0 ${shift * y}%`;
      return line;
    }));
  }

  function drawCell(cell, y, x) {
    const sign = plain(cell.text).trim();
    const place = SQUARE.test(cell.name) ? cell.name : `row ${y + 1}, column ${x + 1}`;
    const isOpen = open(cell).length > 0 || Boolean(turn && cell.begin);
    const isPicked = cell.begin && cell.begin === begun.moves;
    return el("div", {
      role: "gridcell",
      class: `${isOpen ? "open" : ""} ${/^[ow]$/i.test(sign) ? "second" : ""}`,
      tabindex: at === `${y},${x}` ? 0 : -1,
      "data-pick": `${y},${x}`,
      "aria-label": `${place}: ${sign || "empty"}${isOpen ? ", can be played" : ""}`,
      "aria-selected": isPicked ? "true" : null,
    }, sign);
  }

  function act({ target }) {
    const pick = target.closest("[data-pick]")?.dataset.pick;
    if (!pick) return;
    const [y, x] = pick.split(",");
    const moves = open(rows[y][x]);
    if (moves.length) turn.choose(moves);
    else begun.moves = (turn && rows[y][x].begin) ?? [];
    goTo(pick);
  }

  function goTo(place) {
    at = place;
    fill();
    box.querySelector("[tabindex='0']").focus();
  }

  function press(event) {
    const step = ARROWS[event.key];
    if (!step && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (!step) return act(event);
    let [y, x] = at.split(",").map(Number);
    // The gap between two boards is stepped over.
    do [y, x] = [y + step[0], x + step[1]];
    while (rows[y] && !rows[y].length);
    if (rows[y]?.[x]) goTo(`${y},${x}`);
  }
}
