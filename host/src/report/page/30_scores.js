// How scores are distributed, and what another threshold would bring: a slider walks along the curve that the program worked out, and
// nothing is estimated here.

function scoresSection(report) {
  const scores = report.scores;
  if (!scores?.bins?.length) return null;
  const curve = scores.curve?.length ? scores.curve : null;
  let at = curve ? nearest(curve, scores.threshold) : 0;
  const threshold = () => (curve ? curve[at].threshold : scores.threshold);
  const unit = unitOf(scores);
  const what = scoreName(scores);
  const hasTruth = scores.bins.some((it) => isNumber(it.true));
  const hasQuality = Boolean(curve?.some((it) => isNumber(it.precision) || isNumber(it.recall)));

  const height = hasQuality ? 300 : 210;
  const picture = drawing(describe(scores, what, unit), height, (width) => histogram(scores, curve, threshold(), width, height, hasQuality));
  const made = [
    el("p", { class: "lead" }, `${count(scores.of)} pairs were scored. Those of ${score(scores.threshold)}${unit} or more are kept.`),
    legend([["pairs", "pairs"], hasTruth && ["true", "known matches"], hasQuality && ["precision", "precision"], hasQuality && ["recall", "recall"]].filter(Boolean)),
    picture.holder,
  ];
  if (curve) {
    const parts = moving(scores, curve, what, unit, at, (now) => {
      at = now;
      picture.again();
    });
    dragged(picture, scores, curve, parts.set);
    made.push(parts.element);
    if (scores.decided) made.push(el("p", { class: "note" }, value(scores.decided)));
  }
  made.push(opened("The same as tables", binsTable(scores, what, hasTruth), curve ? curveTable(curve, what) : null));
  return section("scores", `${what}s and threshold`, made);
}

function describe(scores, what, unit) {
  const tallest = scores.bins.reduce((best, it) => (it.pairs > best.pairs ? it : best));
  return `${what}s of ${count(scores.of)} pairs. Most lie from ${score(tallest.from)} to ${score(tallest.to)}${unit}. The threshold is ${score(scores.threshold)}${unit}. A table follows.`;
}

/** The slider, and the figures that it moves. */
function moving(scores, curve, what, unit, start, moved) {
  const shown = [
    ["kept", "Kept", count],
    ["precision", "Precision", share],
    ["recall", "Recall", share],
    ["f1", "F1", share],
    ["entities", "Entities", count],
  ].filter(([key]) => curve.some((point) => isNumber(point[key])));
  const cells = shown.map(() => el("dd"));
  const said = el("output", { class: "heard", for: "threshold", "aria-live": "polite" });
  const chosen = el("strong", { class: "chosen" });
  const slider = el("input", { type: "range", id: "threshold", min: 0, max: curve.length - 1, step: 1, value: start });
  const back = el("button", { type: "button", class: "quiet", on: { click: () => set(start) } }, `Back to ${score(curve[start].threshold)}`);
  let later = 0;

  function set(ix) {
    const point = curve[ix];
    slider.value = ix;
    const at = `${score(point.threshold)}${unit}`;
    chosen.textContent = at;
    slider.setAttribute("aria-valuetext", at);
    back.disabled = ix === start;
    shown.forEach(([key, , write], n) => {
      const difference = isNumber(point[key]) && isNumber(curve[start][key]) ? point[key] - curve[start][key] : 0;
      const digits = write(Math.abs(difference));
      const more = Number(digits.replaceAll(",", "")) === 0 ? "as asked" : `${difference > 0 ? "+" : "\u2212"}${digits}`;
      cells[n].replaceChildren(write(point[key]), el("small", null, more));
      cells[n].dataset.figure = key;
    });
    // Once the slider rests: nobody listens to each step.
    clearTimeout(later);
    later = setTimeout(() => {
      said.textContent = `${what} ${at}: ${shown.map(([key, name, write]) => `${name} ${write(point[key])}`).join(", ")}`;
    }, 300);
    moved(ix);
  }
  slider.addEventListener("input", () => set(Number(slider.value)));
  set(start);
  const names = shown.map(([, name], n) => el("div", null, el("dt", null, name), cells[n]));
  const element = el("div", { class: "threshold" },
    el("div", { class: "slide" }, el("label", { for: "threshold" }, "Threshold ", chosen), slider, back),
    el("dl", { class: "figures" }, names), said);
  return { element, set };
}

const SIDES = { left: 44, right: 12 };

/** The ends of the axis. */
function ends(scores) {
  return [scores.bins[0].from, scores.bins.at(-1).to];
}

/** The chart takes a pointer too, where it is. */
function dragged(picture, scores, curve, set) {
  const take = (event) => {
    const box = picture.picture.getBoundingClientRect();
    const place = scale(SIDES.left, picture.width() - SIDES.right, ...ends(scores));
    set(nearest(curve, place(event.clientX - box.left)));
  };
  picture.picture.addEventListener("pointerdown", (event) => {
    picture.picture.setPointerCapture(event.pointerId);
    take(event);
  });
  picture.picture.addEventListener("pointermove", (event) => {
    if (event.buttons) take(event);
  });
  picture.holder.classList.add("dragged");
}

/** Bars by score, with precision and recall below them on the same axis. */
function histogram(scores, curve, threshold, width, height, hasQuality) {
  const [from, to] = ends(scores);
  const [left, right] = [SIDES.left, width - SIDES.right];
  const floor = hasQuality ? 160 : height - 24;
  const x = scale(from, to, left, right);
  const most = Math.max(1, ...scores.bins.map((it) => it.pairs));
  const sorted = scores.bins.map((it) => it.pairs).filter(Boolean).sort((a, b) => a - b);
  // A few high bars would hide all others.
  const isLog = most > 50 * (sorted[sorted.length >> 1] ?? 1) || most > 200 * (sorted[0] ?? 1);
  const level = isLog ? (n) => Math.log10(1 + n) : (n) => n;
  const y = scale(0, level(most), floor, 18);
  const made = [];
  const heights = isLog ? powers(most) : ticks(0, most, 3);
  for (const n of heights) {
    made.push(line(left, y(level(n)), right, y(level(n)), "grid"), isLog && n === 0 ? null : label(left - 6, y(level(n)) + 4, "end", short(n)));
  }
  for (const it of scores.bins) {
    const gap = x(it.to) - x(it.from) > 4 ? 1 : 0;
    const kind = it.from >= threshold ? "" : " out";
    const size = x(it.to) - x(it.from) - gap;
    if (it.pairs) made.push(area(x(it.from), y(level(it.pairs)), size, floor - y(level(it.pairs)), `pairs${kind}`));
    if (it.true) made.push(area(x(it.from), y(level(it.true)), size, floor - y(level(it.true)), `true${kind}`));
  }
  made.push(label(left, 10, "start", isLog ? "pairs, logarithmic" : "pairs", "axis"));
  if (hasQuality) made.push(quality(curve, x, left, right, floor + 30, height - 24));
  const about = Math.max(2, Math.min(10, Math.floor(width / 80)));
  for (const n of ticks(from, to, about)) made.push(label(x(n), height - 6, "middle", short(n)));
  const at = Math.min(right, Math.max(left, x(threshold)));
  made.push(line(at, 4, at, height - 20, "threshold-line"));
  return made;
}

function powers(most) {
  const made = [0];
  for (let n = 1; n <= most; n *= 10) made.push(n);
  return made.length > 5 ? made.filter((_, ix) => ix % 2 === made.length % 2) : made;
}

function quality(curve, x, left, right, top, floor) {
  const y = scale(0, 1, floor, top);
  const made = [0, 0.5, 1].map((n) => [line(left, y(n), right, y(n), "grid"), label(left - 6, y(n) + 4, "end", String(n))]);
  for (const name of ["precision", "recall"]) {
    const points = curve.filter((it) => isNumber(it[name])).map((it) => `${x(it.threshold).toFixed(1)},${y(it[name]).toFixed(1)}`);
    if (points.length) made.push(svg("polyline", { points: points.join(" "), class: `curve ${name}` }));
  }
  return made;
}

function binsTable(scores, what, hasTruth) {
  const heads = [`${what} from`, ["to", "number"], ["Pairs", "number"]].concat(hasTruth ? [["Known matches", "number"]] : []);
  const rows = scores.bins.filter((it) => it.pairs).map((it) =>
    row([score(it.from), "number"], [score(it.to), "number"], [count(it.pairs), "number"], ...(hasTruth ? [[count(it.true), "number"]] : [])));
  return scrolled("Pairs by score", table(`Pairs by ${what.toLowerCase()}`, heads, rows));
}

function curveTable(curve, what) {
  const heads = ["Threshold", ["Kept", "number"], ["Precision", "number"], ["Recall", "number"], ["F1", "number"], ["Entities", "number"]];
  const rows = curve.map((it) => row([score(it.threshold), "number"], ...[count(it.kept), share(it.precision), share(it.recall), share(it.f1), count(it.entities)].map((text) => [text, "number"])));
  return scrolled("What each threshold brings", table(`What each threshold brings, by ${what.toLowerCase()}`, heads, rows));
}
