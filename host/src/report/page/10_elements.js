// How everything comes onto the page: as elements and texts, one by one, and never as markup. Whatever the report says of tables,
// a value, an id, the name of a column or of a rule, goes through `value` or `visible`: characters that cannot be seen, or that would
// turn the line round, stand there by name.

const SVG = "http://www.w3.org/2000/svg";

/** Characters that show nothing by themselves: controls, marks of direction and width, halves of pairs, breaks of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u2800\u3164\uffa0\ufe00-\ufe0f]/u;

/** An element. Of attributes `on` has listeners, and `vars` numbers for the style sheet; what is null or false is left out. */
function el(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same, of a drawing. */
function svg(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, given] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(given)) element.addEventListener(event, listener);
    } else if (name === "vars") {
      for (const [variable, number] of Object.entries(given)) element.style.setProperty(`--${variable}`, number);
    } else if (given !== null && given !== undefined && given !== false) {
      element.setAttribute(name, given === true ? "" : String(given));
    }
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Those that most people know by another name. */
const NAMES = new Map([["\0", "NUL"], ["\t", "TAB"], ["\n", "LF"], ["\r", "CR"]]);

/** How a character that cannot be seen is named. Pictures of controls would do, but few fonts have them. */
function named(character) {
  const code = character.codePointAt(0);
  if (NAMES.has(character)) return `\u27e8${NAMES.get(character)}\u27e9`;
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
}

/** A text of the report as plain characters, for places that take no elements. */
function visible(text) {
  return Array.from(String(text), (character) => (UNSEEN.test(character) ? named(character) : character)).join("");
}

/** A text of the report, apart from the direction of what is around it. */
function value(text, ranges) {
  return el("bdi", { class: "value" }, pieces(Array.from(String(text)), ranges ?? []));
}

/** Characters in runs of three kinds: plain, in one of the ranges, and named. */
function pieces(characters, ranges) {
  const isMarked = new Array(characters.length).fill(false);
  for (const [from, to] of ranges) isMarked.fill(true, Math.max(0, from), Math.max(0, to));
  const made = [];
  let at = 0;
  while (at < characters.length) {
    const start = at;
    const mark = isMarked[start];
    const run = [];
    for (; at < characters.length && isMarked[at] === mark; at += 1) {
      const character = characters[at];
      const last = run.length - 1;
      if (UNSEEN.test(character)) run.push(el("span", { class: "named" }, named(character)));
      else if (typeof run[last] === "string") run[last] += character;
      else run.push(character);
    }
    made.push(...(mark ? [el("mark", null, run)] : run));
  }
  return made;
}

/** A text for those who listen to the page. */
function heard(...children) {
  return el("span", { class: "heard" }, ...children);
}

/** What is wider than the page scrolls by itself, and by keyboard too. */
function scrolled(label, ...children) {
  return el("div", { class: "scrolled", role: "region", "aria-label": label, tabindex: "0" }, ...children);
}

/** A part that opens. */
function opened(summary, ...children) {
  return el("details", null, el("summary", null, summary), ...children);
}

/** A table. Heads are texts, or [text, class]; rows are lists of cells, of which the first heads its row. */
function table(caption, heads, rows) {
  const head = (it) => (Array.isArray(it) ? el("th", { scope: "col", class: it[1] }, it[0]) : el("th", { scope: "col" }, it));
  return el("table", null, el("caption", null, caption), el("thead", null, el("tr", null, heads.map(head))), el("tbody", null, rows));
}

/** A row of it. A cell is a text, an element, or [text or element, class]. */
function row(first, ...cells) {
  const made = (name, it, scope) => {
    const [content, kind] = Array.isArray(it) ? it : [it, null];
    return el(name, { scope, class: kind }, content);
  };
  return el("tr", null, made("th", first, "row"), cells.map((cell) => made("td", cell, null)));
}

/** A section of the page. */
function section(id, title, ...children) {
  return el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), ...children);
}

/** Figures, each under its name. */
function figures(list) {
  return el("dl", { class: "figures" }, list.map(([name, figure, more]) =>
    el("div", null, el("dt", null, name), el("dd", null, figure, more ? el("small", null, more) : null))));
}
