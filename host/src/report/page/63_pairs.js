// The browser of pairs: filters, the list, one pair of it, and what a person says of it. Everything has a button, and most have a key; keys
// can be switched off, and are left alone where somebody types.

const KEYS = [
  ["j or \u2193", "next pair"],
  ["k or \u2191", "previous pair"],
  ["m", "match"],
  ["n", "no match"],
  ["u", "unsure"],
  ["z", "undo"],
  ["?", "this help"],
];

function pairsSection(report) {
  const pairs = report.pairs;
  if (!pairs) return null;
  if (!pairs.list?.length) return section("pairs", "Pairs", el("p", { class: "lead" }, "There is no pair to show."), pairs.why_drawn ? el("p", { class: "note" }, value(pairs.why_drawn)) : null);
  const marks = marksOf(report.job);
  const made = pairBrowser(report, marks);
  return section("pairs", "Pairs",
    el("p", { class: "lead" }, `${counted(pairs.list.length, "pair")} are here${pairs.why_drawn ? "." : `, of ${counted(pairs.found, "candidate")}.`} `, pairs.why_drawn ? value(pairs.why_drawn) : null),
    pairs.values === "none" ? el("p", { class: "note" }, "Values are withheld (", el("code", null, "--report-values none"), "): records are shown by their ids.") : null,
    made);
}

function pairBrowser(report, marks) {
  const { pairs } = report;
  let places = [];
  let at = 0;
  let keysOn = true;

  const status = el("p", { class: "heard", role: "status" });
  const position = el("p", { class: "position" });
  const found = el("p", { class: "found" });
  const view = el("div", { class: "view" });
  const list = pairList(report, marks, show);
  const asking = filters(report, refill);
  const button = (text, key, click, kind) => el("button", { type: "button", class: kind, "aria-keyshortcuts": key, on: { click } }, text, el("kbd", { "aria-hidden": "true" }, key));
  const previous = button("Previous", "k", () => step(-1), "quiet");
  const next = button("Next", "j", () => step(1), "quiet");
  const says = LABELS.map((label) => [label, button(label[0].toUpperCase() + label.slice(1), label[0], () => say(label), `say ${label.replace(" ", "-")}`)]);
  const undo = button("Undo", "z", takeBack, "quiet");
  const goesOn = el("input", { type: "checkbox", checked: true });
  const progress = progressOf(report, marks);
  const help = helpDialog((isOn) => {
    keysOn = isOn;
  });
  const helpButton = button("Help", "?", () => help.showModal(), "quiet");

  function refill() {
    const shownNow = places[at];
    places = chosen(report, marks, asking.asked);
    list.fill(places);
    found.textContent = places.length === pairs.list.length ? counted(places.length, "pair") : `${count(places.length)} of ${counted(pairs.list.length, "pair")}`;
    show(Math.max(0, places.indexOf(shownNow)));
  }

  function show(place) {
    at = Math.max(0, place);
    const ix = places[at];
    const pair = pairs.list[ix];
    previous.disabled = at <= 0;
    next.disabled = at >= places.length - 1;
    for (const [, it] of says) it.disabled = !pair;
    position.textContent = pair ? `Pair ${count(at + 1)} of ${count(places.length)}` : "No pair is like that";
    view.replaceChildren(...(pair ? pairView(report, pair) : [el("p", { class: "note" }, "Ask for less: no pair has all that the filters name.")]).flat(9).filter(Boolean));
    list.choose(at);
    marked();
    status.textContent = pair ? `${position.textContent}: ${visible(pairs.records[pair.l].id)} and ${visible(pairs.records[pair.r].id)}, ${marks.of(pairKey(pairs, pair)) ?? "not marked"}` : position.textContent;
  }

  /** Shows marks as they are now. */
  function marked() {
    const pair = pairs.list[places[at]];
    const label = pair ? marks.of(pairKey(pairs, pair)) : null;
    for (const [name, it] of says) it.setAttribute("aria-pressed", String(name === label));
    undo.disabled = !marks.canUndo();
    progress.refresh();
  }

  function step(by) {
    if (places[at + by] !== undefined) show(at + by);
  }

  function say(label) {
    const ix = places[at];
    if (ix === undefined) return;
    const key = pairKey(pairs, pairs.list[ix]);
    marks.set(key, label);
    list.mark(ix);
    const isMarked = marks.of(key) !== null;
    if (isMarked && goesOn.checked && at < places.length - 1) step(1);
    else marked();
    status.textContent = `${isMarked ? `Marked: ${label}` : "Mark taken away"}. ${position.textContent}`;
  }

  function takeBack() {
    const key = marks.undo();
    if (key === null) return;
    const ix = pairs.list.findIndex((it) => pairKey(pairs, it) === key);
    if (ix >= 0) list.mark(ix);
    const place = places.indexOf(ix);
    if (place >= 0) show(place);
    else marked();
    status.textContent = `Undone. ${position.textContent}`;
  }

  const actions = { j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1), m: () => say("match"), n: () => say("no match"), u: () => say("unsure"), z: takeBack, "?": () => help.showModal() };
  document.addEventListener("keydown", (event) => {
    if (!keysOn || help.open || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const on = event.target instanceof Element ? event.target : document.body;
    if (on.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=range])")) return;
    // Arrows belong to the page, unless the list or the pair has been entered.
    if (event.key.startsWith("Arrow") && (!browser.contains(on) || on.matches("input"))) return;
    if (!browser.contains(on) && !isSeen(browser)) return;
    const action = actions[event.key] ?? (on === list.element ? { Home: () => show(0), End: () => show(places.length - 1) }[event.key] : null);
    if (!action) return;
    event.preventDefault();
    action();
  });

  const browser = el("div", { class: "browser" },
    asking.element, progress.element,
    el("div", { class: "panes" },
      el("div", { class: "pane" }, found, list.element),
      el("div", { class: "pane pair" },
        el("div", { class: "at" }, position, el("label", { class: "check" }, goesOn, " Go to the next pair after a mark")),
        el("div", { class: "bar-of-keys", role: "group", "aria-label": "This pair" }, previous, next, el("span", { class: "says" }, says.map(([, it]) => it)), undo, helpButton),
        el("h3", { class: "heard" }, "The chosen pair"), view)),
    status, help);
  refill();
  return browser;
}

/** Whether a person can see what a key would change. */
function isSeen(element) {
  const box = element.getBoundingClientRect();
  return box.top < innerHeight * 0.8 && box.bottom > innerHeight * 0.2;
}

/** How much is marked, and the files that it can be handed out as. */
function progressOf(report, marks) {
  const { pairs, labels } = report;
  const drawn = pairs.list.filter((it) => isNumber(it.sampled_with));
  const all = drawn.length ? drawn : pairs.list;
  const meter = el("progress", { max: all.length, value: 0, "aria-label": "Pairs marked" });
  const text = el("span", { class: "progress-text" });
  const trouble = el("p", { class: "warnings", role: "alert", hidden: true });
  const file = (name, title, isSampled) => el("button", { type: "button", on: { click: () => save(name, labelsFile(report, marks, isSampled)) } }, title);
  const files = drawn.length
    ? [[file("labels.csv", "Export labels of the sample", true), drawn], [file("marks.csv", "Export all marks", false), pairs.list]]
    : [[file("labels.csv", "Export labels", false), pairs.list]];
  const isMarked = (it) => marks.of(pairKey(pairs, it)) !== null;
  const notes = labels ? (labels.text ?? []).map((it) => [value(it), " "]) : null;
  const element = el("div", { class: "progress" },
    el("div", null, meter, " ", text), el("div", { class: "buttons" }, files.map(([it]) => it)),
    el("p", { class: "note" }, notes, "Marks stay in this browser, under this job. ", el("code", null, "--truth"), " takes the exported file as it is."), trouble);
  const refresh = () => {
    const n = all.filter(isMarked).length;
    meter.value = n;
    const others = drawn.length ? pairs.list.filter((it) => isMarked(it) && !isNumber(it.sampled_with)).length : 0;
    text.textContent = `${count(n)} of ${counted(all.length, "pair")}${drawn.length ? " of the sample" : ""} marked${others ? `, and ${count(others)} more` : ""}`;
    for (const [it, list] of files) it.disabled = !list.some(isMarked);
    const problem = marks.problem();
    trouble.hidden = !problem;
    if (problem && trouble.textContent !== problem) trouble.textContent = problem;
  };
  return { element, refresh };
}

function helpDialog(switched) {
  const dialog = el("dialog", { "aria-labelledby": "help-title" },
    el("h3", { id: "help-title" }, "Keys"),
    el("dl", { class: "keys" }, KEYS.map(([key, does]) => el("div", null, el("dt", null, key.split(" or ").map((it, ix) => [ix ? " or " : "", el("kbd", null, it)])), el("dd", null, does)))),
    el("p", { class: "note" }, "The same mark once more takes it away. Arrows work where the list or the pair has been entered. Undo goes back step by step, until the page is left."),
    el("label", { class: "check" }, el("input", { type: "checkbox", checked: true, on: { change: (event) => switched(event.target.checked) } }), " Keys are on"),
    el("p", null, el("button", { type: "button", on: { click: () => dialog.close() } }, "Close")));
  return dialog;
}
