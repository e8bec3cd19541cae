// One pair: both records side by side, with the characters that differ marked; then why the rules allow it or not, and how its score comes
// about, step by step.

/** Everything of a pair. */
function pairView(report, pair) {
  const { pairs, scores } = report;
  const records = [pairs.records[pair.l], pairs.records[pair.r]];
  return [
    el("p", { class: "badges" }, badges(pair, scores)),
    pair.cause ? el("p", { class: "cause" }, pair.truth === "match" ? "Missed: " : "", value(pair.cause)) : null,
    recordsTable(report, pair, records),
    pairs.values === "none" ? el("p", { class: "note" }, "Values are withheld: the report was written without them.") : null,
    pair.why?.score ? waterfall(pair.why.score, scores) : null,
    pair.why?.rules?.length ? reasons(pair.why.rules) : null,
  ];
}

function badges(pair, scores) {
  const made = [];
  const add = (kind, ...content) => made.push(el("span", { class: `badge ${kind}` }, content), " ");
  if (isNumber(pair.score)) add("", `${scoreName(scores)} ${score(pair.score)}${unitOf(scores)}`);
  if (pair.kept === true) add("good", "kept");
  if (pair.kept === false) add("", "not kept");
  if (pair.truth) add(pair.truth === "match" ? "good" : "bad", `truth: ${visible(pair.truth)}`);
  const groups = new Map(GROUPS);
  for (const it of pair.group ?? []) if (it !== "drawn") add(it === "missed" || it === "wrong" ? "bad" : "", (groups.get(it) ?? visible(it)).toLowerCase());
  if (isNumber(pair.sampled_with)) add("", `drawn with probability ${probability(pair.sampled_with)}`);
  add("", pair.rule === null || pair.rule === undefined ? "no rule holds" : ["rule: ", value(pair.rule)]);
  return made;
}

function recordsTable(report, pair, records) {
  const { pairs, job } = report;
  const differing = new Map((pair.marks ?? []).map((it) => [it.column, it]));
  const sides = job.sides ?? ["left", "right"];
  const head = (record, ix) => {
    const from = record.source ?? (job.is_link ? sides[record.side] : null);
    return el("th", { scope: "col" }, from === null || from === undefined ? null : el("small", null, value(from)), el("code", null, value(record.id)), heard(ix ? ", right record" : ", left record"));
  };
  const rows = (pairs.values === "none" ? [] : (pairs.columns ?? [])).map((name, ix) => {
    const [a, b] = records.map((it) => it.values?.[ix] ?? null);
    const marked = differing.get(ix);
    const kind = a === b ? (a === null ? "missing" : "same") : "differs";
    return el("tr", { class: kind }, el("th", { scope: "row" }, value(name)), el("td", null, shownValue(a, marked?.left)), el("td", null, shownValue(b, marked?.right)));
  });
  return el("table", { class: "records" }, el("caption", { class: "heard" }, "Both records; differing characters are marked"),
    el("thead", null, el("tr", null, el("td", null), records.map(head))), el("tbody", null, rows));
}

/** So many characters of a value are shown at first. */
const SHOWN = 1500;

function shownValue(text, ranges) {
  if (text === null || text === undefined) return el("span", { class: "dim" }, "missing");
  if (text === "") return el("span", { class: "dim" }, "empty");
  const characters = Array.from(String(text));
  if (characters.length <= SHOWN) return value(text, ranges);
  const holder = el("span");
  const more = el("button", { type: "button", class: "quiet", on: { click: () => holder.replaceChildren(value(text, ranges)) } }, `Show ${count(characters.length - SHOWN)} more characters`);
  holder.append(value(characters.slice(0, SHOWN).join(""), ranges), "\u2026 ", more);
  return holder;
}

/** From the start to the total, each step from where the one before it ends. */
function waterfall(said, scores) {
  const steps = said.steps ?? [];
  let sum = said.start ?? 0;
  const places = [0, sum, said.total ?? 0];
  for (const it of steps) places.push((sum += it.adds ?? 0));
  if (isNumber(scores?.threshold)) places.push(scores.threshold);
  const [from, to] = [Math.min(...places), Math.max(...places)];
  const x = (points) => (points - from) / (to - from || 1);
  const limit = isNumber(scores?.threshold) ? el("span", { class: "limit", vars: { from: x(scores.threshold) } }) : null;
  const drawn = (a, b, kind) => el("span", { class: "track fall", "aria-hidden": "true" }, bar(x(a), x(b), kind), limit?.cloneNode() ?? null);
  sum = said.start ?? 0;
  const rows = steps.map((it) => {
    const before = sum;
    sum += it.adds ?? 0;
    return row(value(it.attribute), [[value(it.level ?? UNKNOWN), it.value === null || it.value === undefined ? null : [" \u00b7 ", el("small", null, value(it.value))]], "level"],
      [added(it.adds), "number"], [drawn(before, sum, it.adds < 0 ? "takes" : "adds"), "bars"]);
  });
  const total = row("Total", "", [score(said.total), "number"], [drawn(0, said.total ?? 0, "total"), "bars"]);
  total.className = "total";
  const start = isNumber(said.start) && said.start !== 0 ? row("Before looking", "", [added(said.start), "number"], [drawn(0, said.start, "before"), "bars"]) : null;
  return el("div", { class: "reason" }, el("h4", null, "How the score comes about"),
    scrolled("Steps of the score", el("table", null, el("caption", { class: "heard" }, `Steps of the score; the line is the threshold of ${score(scores?.threshold)}`),
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "Attribute"), el("th", { scope: "col" }, "Level"), el("th", { scope: "col", class: "number" }, "Adds"), el("th", { scope: "col", class: "bars" }, heard("Drawn")))),
      el("tbody", null, start, rows, total))));
}

/** Rule by rule, predicate by predicate. */
function reasons(rules) {
  const verdict = (holds) => el("span", { class: holds ? "holds" : "fails" }, holds ? "holds" : "fails");
  return el("div", { class: "reason" }, el("h4", null, "What the rules say"), rules.map((it) => {
    const part = opened([verdict(it.holds), " ", value(it.name)], el("ul", { class: "predicates" }, (it.predicates ?? []).map((predicate) =>
      el("li", null, verdict(predicate.holds), " ", el("code", null, value(predicate.text)),
        predicate.value === null || predicate.value === undefined ? null : [" ", el("small", null, value(predicate.value))]))));
    // What holds, or the only one, is why somebody looks.
    part.open = it.holds || rules.length === 1;
    return part;
  }));
}
