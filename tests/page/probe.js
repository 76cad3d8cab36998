// What the tests of boards ask of them, in the page.

const SLACK = 1.5;
const probe = { measure, foldTwice, pickAll, roomOfView, arrowsOf, textsOf };
window.probe = probe;

function folded(board, state, frames) {
  return frames.reduce((one, frame) => board.fold(one, frame), state);
}

/** Fold all frames, draw some `times` between, and return what is wrong with what is drawn. */
function measure(game, frames, width, times) {
  const board = ownBoard;
  const every = Math.max(1, Math.floor(frames.length / times));
  const faults = new Set();
  const tags = new Set();
  const said = [];
  let elements = 0;
  let state = board.begin(game);
  for (let count = 0; count <= frames.length; count += 1) {
    if (count) state = board.fold(state, frames[count - 1]);
    if (count % every && count !== frames.length) continue;
    const drawn = board.draw(state, width);
    document.body.replaceChildren(drawn);
    said.push(board.say(state));
    for (const fault of faultsIn(drawn, width)) faults.add(`${count} events: ${fault}`);
    for (const node of drawn.querySelectorAll("*")) tags.add(node.tagName);
    elements += drawn.querySelectorAll("*").length;
  }
  return { faults: [...faults].slice(0, 12), tags: [...tags], said, elements };
}

/** Return the texts that leave the board or cover another, and a board of another width. */
function faultsIn(drawn, width) {
  const { width: breadth, height } = drawn.viewBox.baseVal;
  const faults = breadth === width ? [] : [`${breadth} units wide`];
  const root = drawn.getBoundingClientRect();
  const scale = breadth / root.width;
  const texts = [...drawn.querySelectorAll("text")].filter((text) => text.textContent);
  const boxes = texts.map((text) => {
    const box = text.getBoundingClientRect();
    const [left, right] = [(box.left - root.left) * scale, (box.right - root.left) * scale];
    const [top, bottom] = [(box.top - root.top) * scale, (box.bottom - root.top) * scale];
    return { left, right, top, bottom, words: text.textContent, loose: !text.closest("svg.mark") };
  });
  for (const { left, right, top, bottom, words } of boxes) {
    const inside = left > -SLACK && top > -SLACK && right < breadth + SLACK && bottom < height + SLACK;
    if (!inside) faults.push(`"${words}" leaves the board: ${[left, top, right, bottom].map(Math.round)}`);
  }
  const loose = boxes.filter((box) => box.loose);
  loose.forEach((one, place) => {
    for (const other of loose.slice(place + 1)) {
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide > 3 && high > 6) faults.push(`"${one.words}" covers "${other.words}"`);
    }
  });
  return faults;
}

/** Fold in one go, and on from a kept state, twice. */
function foldTwice(game, frames, cut) {
  const board = ownBoard;
  const shown = (state) => board.draw(state, 760).outerHTML + board.say(state);
  const kept = folded(board, board.begin(game), frames.slice(0, cut));
  const before = shown(kept);
  const whole = shown(folded(board, board.begin(game), frames));
  const later = shown(folded(board, kept, frames.slice(cut)));
  return { same: whole === later && whole === shown(folded(board, kept, frames.slice(cut))), unchanged: before === shown(kept) };
}

/** Pick whatever can be picked, and return what is then marked as picked. */
function pickAll(game, frames) {
  const board = ownBoard;
  const state = folded(board, board.begin(game), frames);
  return [...board.draw(state, 760).querySelectorAll("[data-pick]")].map((node) => {
    const asked = node.getAttribute("data-pick");
    const shown = board.draw(board.pick(state, asked), 760).querySelector("[aria-pressed=true]").getAttribute("data-pick");
    return { asked, shown, named: Boolean(node.getAttribute("aria-label")), focusable: node.tabIndex === 0 };
  });
}

function roomOfView(game, frames) {
  const board = ownBoard;
  return folded(board, board.begin(game), frames).rooms.get(game.view);
}

/** Draw the end of a game. */
function drawnEnd(game, frames) {
  const board = ownBoard;
  return board.draw(folded(board, board.begin(game), frames), 760);
}

/** Count the votes at the end: arrows in a voter's colour, and those that come out of the dark. */
function arrowsOf(game, frames) {
  const drawn = drawnEnd(game, frames);
  return { known: drawn.querySelectorAll("g[stroke^='var(--p']").length, dark: drawn.querySelectorAll(".appear").length };
}

/** Return every text at the end of a game. */
function textsOf(game, frames) {
  return [...drawnEnd(game, frames).querySelectorAll("text")].map((text) => text.textContent);
}
