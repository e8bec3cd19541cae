// The list of pairs: each with the beginnings of its two records, its score, and how it is marked. It is one thing to the keyboard, and the
// pair that is shown is the one that is chosen in it.

/** What stands for a record where there is little room. */
function nameOf(pairs, record) {
  const values = (record.values ?? []).filter((it) => it !== null && it !== "").slice(0, 3);
  return values.length ? values.map((it, ix) => [ix ? " \u00b7 " : "", value(clipped(it))]) : [value(record.id)];
}

/** The list. `shown` is called with the place in it that is chosen. */
function pairList(report, marks, shown) {
  const { pairs } = report;
  const made = new Map();
  const element = el("div", { class: "list", role: "listbox", tabindex: "0", "aria-label": "Pairs" });
  let places = [];
  let at = -1;

  const option = (ix) => {
    if (!made.has(ix)) {
      const pair = pairs.list[ix];
      made.set(ix, el("div", { id: `pair-${ix}`, role: "option", class: "option", "aria-selected": "false", on: { click: () => shown(places.indexOf(ix)) } },
        el("span", { class: "names" }, el("span", null, nameOf(pairs, pairs.records[pair.l])), el("span", null, nameOf(pairs, pairs.records[pair.r]))),
        el("span", { class: "points" }, isNumber(pair.score) ? score(pair.score) : "", el("span", { class: "state" }))));
      mark(ix);
    }
    return made.get(ix);
  };

  /** Shows how a pair is marked. */
  function mark(ix) {
    const label = marks.of(pairKey(pairs, pairs.list[ix]));
    const state = made.get(ix)?.querySelector(".state");
    if (!state) return;
    state.className = `state ${label ? label.replace(" ", "-") : ""}`;
    state.textContent = label ?? "";
  }

  return {
    element,
    mark,
    /** Puts other pairs into the list. */
    fill(found) {
      places = found;
      at = -1;
      element.removeAttribute("aria-activedescendant");
      for (const it of element.querySelectorAll('[aria-selected="true"]')) it.setAttribute("aria-selected", "false");
      element.replaceChildren(...places.map(option));
    },
    /** Chooses one of them. */
    choose(place) {
      if (at >= 0 && places[at] !== undefined) option(places[at]).setAttribute("aria-selected", "false");
      at = place;
      if (places[at] === undefined) return;
      const it = option(places[at]);
      it.setAttribute("aria-selected", "true");
      element.setAttribute("aria-activedescendant", it.id);
      // Only the list scrolls, never the page.
      const [top, bottom] = [it.offsetTop, it.offsetTop + it.offsetHeight];
      if (top < element.scrollTop) element.scrollTop = top;
      else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    },
  };
}
