// What all charts are made of: bars that stand in the cells of tables, and drawings that are made anew when their width changes, so that
// their texts stay as large as those of the page.

/** A bar in a cell: from one share of its width to another. The figure stands beside it, so nobody has to hear of it. */
function bar(from, to, kind) {
  const [start, end] = from <= to ? [from, to] : [to, from];
  const within = (x) => Math.min(1, Math.max(0, Number.isFinite(x) ? x : 0));
  // Nothing is drawn as nothing; the least there is, as a line.
  if (!(end > start) || end <= 0 || start >= 1) return null;
  const vars = { from: within(start), size: Math.max(0, within(end) - within(start)) };
  return el("span", { class: `bar ${kind ?? ""}`, vars, "aria-hidden": "true" });
}

/** Bars on one track. */
function track(...bars) {
  return el("span", { class: "track", "aria-hidden": "true" }, bars);
}

/** A drawing. `draw` is given its width, and gives what is in it; it is asked again when the width changes, or by `again`. */
function drawing(label, height, draw) {
  const picture = svg("svg", { role: "img", "aria-label": label, height });
  const holder = el("div", { class: "drawing" }, picture);
  let width = 0;
  const again = () => {
    if (width < 1) return;
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("width", width);
    picture.replaceChildren(...draw(width).flat(9).filter(Boolean));
  };
  new ResizeObserver(() => {
    const now = Math.floor(holder.clientWidth);
    if (now !== width) {
      width = now;
      again();
    }
  }).observe(holder);
  return { holder, picture, again, width: () => width };
}

/** From numbers to places in a drawing. */
function scale(from, to, start, end) {
  const span = to - from || 1;
  return (x) => start + ((x - from) / span) * (end - start);
}

/** A text in a drawing, at a place, to one side of it. */
function label(x, y, side, text, kind) {
  return svg("text", { x, y, "text-anchor": side, class: kind }, text);
}

/** A line in a drawing. */
function line(x1, y1, x2, y2, kind) {
  return svg("line", { x1, y1, x2, y2, class: kind });
}

/** An area in a drawing. */
function area(x, y, width, height, kind) {
  return svg("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), class: kind });
}

/** What the colours of a drawing mean. */
function legend(entries) {
  return el("ul", { class: "legend" }, entries.map(([kind, text]) => el("li", null, el("span", { class: `key ${kind}` }), text)));
}
