// Nodes, and nothing but nodes: whatever a log says ends up in a text node or in a plain attribute.

const SVG = "http://www.w3.org/2000/svg";
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]/gu;

/** Return an HTML element; strings and numbers become text nodes, null and false are left out. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an SVG element, made as `el` makes one. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Set attributes (`on<event>` takes a function, true is an empty value) and append children. */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return add(node, ...children);
}

/** Append children as `el` takes them, and return the node. */
export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** Take all children out of a node, put these in, and return the node. */
export function clear(node, ...children) {
  node.replaceChildren();
  return add(node, ...children);
}

/** Return text with every control, invisible and bidi character written as a marked code. */
export function plain(text, most = Infinity) {
  const whole = String(text ?? "");
  const seen = whole.slice(0, most).replace(UNSEEN, code);
  return whole.length > most ? `${seen}…` : seen;
}

/** Return the mark that stands for one character that nobody would see. */
function code(character) {
  if (character === "\n" || character === "\t") return character;
  const number = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `⟦${number}⟧`;
}

/** Return strangers' words: isolated, as one text node, nothing in them hidden. */
export function words(text, most = Infinity) {
  return el("bdi", {}, plain(text, most));
}
