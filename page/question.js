// A person's seat: the open question, its form, and how long there is.

import { clear, el, plain, words } from "./dom.js";
import { call, pathOf } from "./api.js";
import { button, choice, notify } from "./controls.js";
import { houseStyle } from "./parts.js";

const MOST_BUTTONS = 12;
let clock = 0;

await houseStyle();

/** Show the open question of a seat in a box; null: there is none. */
export function fillQuestion(box, source, player_id, question) {
  clearInterval(clock);
  if (!question) {
    clear(box, el("p", { class: "question quiet" }, "No question for you right now."));
    return;
  }
  if (box.dataset.number === String(question.number) && box.querySelector("form")) return;
  box.dataset.number = question.number;
  const path = source.path + pathOf("seats", player_id);
  const trouble = el("div", {});
  const isGrid = question.grid.length > 0;
  const blanks = question.fields.map((field) => makeBlank(field, isGrid ? 0 : MOST_BUTTONS));
  const time = el("span", { class: "quiet" });
  const send = el("button", { class: "first" }, "Answer");
  const leave = button("Leave for good", () => {
    if (!confirm("Leave this seat for good? Its later questions get their fallbacks.")) return;
    call(path, {}, "DELETE")
      .then(() => fillQuestion(box, source, player_id, null))
      .catch((error) => notify(trouble, error.message));
  });
  const text = el("p", { class: "text" }, words(question.question));
  const form = el(
    "form",
    {
      class: "question",
      "aria-label": "Your turn",
      onsubmit: answer,
      onchoose: ({ detail }) => blanks[0].take(detail) && answer(),
      onkeydown: (event) => event.ctrlKey && event.key === "Enter" && answer(event),
    },
    el("h2", {}, "Your turn"),
    isGrid && el("p", {}, "Play on the board, or choose here."),
    isGrid ? el("details", {}, el("summary", {}, "The question in full"), text) : text,
    blanks.map((blank) => blank.node),
    trouble,
    el("div", { class: "row" }, send, leave, time),
  );
  const spoken = `Your turn: ${plain(question.question, 200)}`;
  clear(box, form, el("p", { class: "hidden", role: "status" }, spoken));
  if (document.activeElement === document.body && !isGrid)
    form.querySelector("input, select, textarea")?.focus();
  if (question.left !== null) count(question.left, time);

  async function answer(event) {
    event?.preventDefault();
    if (send.disabled) return;
    send.disabled = true;
    notify(trouble, "");
    const values = Object.fromEntries(blanks.map((blank) => [blank.name, blank.read()]));
    try {
      await call(path, { number: question.number, values });
      if (box.contains(form)) fillQuestion(box, source, player_id, null);
    } catch (error) {
      send.disabled = false;
      notify(trouble, error.message);
    }
  }
}

/** Count the seconds down. */
function count(left, time) {
  const end = Date.now() + 1000 * left;
  const tick = () => {
    const seconds = Math.max(0, Math.round((end - Date.now()) / 1000));
    time.textContent =
      seconds > 90 ? `${Math.round(seconds / 60)} minutes left` : `${seconds} s left`;
    time.classList.toggle("bad", seconds <= 10);
  };
  tick();
  clock = setInterval(tick, 1000);
}

/** Return one field of a question: buttons, a list, or room for words; `take` receives a board's moves. */
function makeBlank({ name, label: title, about, choices, words: most, notes }, mostButtons) {
  const head = plain(title);
  const label = el("span", { class: "label" }, words(title));
  const help = about && about !== title && el("small", {}, words(about));
  if (!choices) {
    const room = el("small", {}, most ? `${most} characters left` : "");
    const area = el("textarea", {
      rows: 3,
      maxlength: most,
      oninput: () => most && (room.textContent = `${most - area.value.length} characters left`),
    });
    const node = el("label", { class: "field" }, label, area, room, help);
    const take = ([move]) => (area.value = move);
    return { name, node, read: () => area.value, take };
  }
  if (choices.length > mostButtons) {
    const options = choices.map((one) => [one, plain(one, 80)]);
    const list = choice(head, options, choices[0]);
    const node = el("label", { class: "field" }, label, list, help);
    const take = (moves) => {
      for (const option of list.options) option.hidden = !moves.includes(option.value);
      list.value = moves[0];
      list.focus();
      return moves.length === 1;
    };
    return { name, node, read: () => list.value, take };
  }
  const checked = choices.length === 1;
  const options = choices.map((one) => {
    const input = el("input", { type: "radio", name, value: one, required: true, checked });
    const beside = notes[one] && el("small", {}, words(` ${notes[one]}`));
    return el("label", {}, input, el("span", {}, words(one), beside));
  });
  const legend = el("legend", { class: "label" }, words(title));
  const isShort = choices.every((one) => one.length === 1 && !notes[one]);
  const box = el("div", { class: isShort ? "options short" : "options" }, options);
  const node = el("fieldset", {}, legend, box, help);
  return { name, node, read: () => node.querySelector(":checked")?.value ?? "" };
}
