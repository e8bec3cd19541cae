// Which pairs are in the list, and in which order: by group, rule, label, weight, and by a text in ids or values.

const GROUPS = [
  ["all", "All"],
  ["drawn", "Drawn"],
  ["near", "Near the threshold"],
  ["missed", "Missed"],
  ["wrong", "Wrong"],
  ["label", "To label"],
];
const ORDERS = [
  ["given", "as drawn"],
  ["high", "highest first"],
  ["low", "lowest first"],
  ["near", "nearest to the threshold"],
  ["rule", "by rule"],
];

/** The form. `changed` is called with what it asks for. */
function filters(report, changed) {
  const { pairs, scores, rules } = report;
  const asked = { group: "all", rule: "", label: "", least: null, most: null, text: "", order: "given" };
  const tell = (name, content) => {
    asked[name] = content;
    changed(asked);
  };
  const inGroup = (group) => pairs.list.filter((it) => group === "all" || (it.group ?? []).includes(group)).length;
  const there = GROUPS.filter(([group]) => group === "all" || inGroup(group));
  const groups = there.length > 2 ? el("fieldset", { class: "chips" }, el("legend", { class: "heard" }, "Group"),
    there.map(([group, name]) => el("label", null,
      el("input", { type: "radio", name: "group", value: group, checked: group === "all", on: { change: () => tell("group", group) } }),
      el("span", null, name, " ", el("small", null, count(inGroup(group))))))) : null;

  const choice = (name, text, options) => el("label", { class: "field" }, el("span", null, text),
    el("select", { name, on: { change: (event) => tell(name, event.target.value) } }, options.map(([key, it]) => el("option", { value: key }, it))));
  const inList = new Set(pairs.list.map((it) => it.rule));
  const order = (rules ?? []).map((it) => it.name);
  const names = [...new Set([...order, ...inList])].filter((it) => it !== null && it !== undefined && inList.has(it));
  const byRule = names.length ? choice("rule", "Rule", [["", "any"], ...names.map((it) => [`=${it}`, visible(it)]), ...(inList.has(null) ? [["none", "no rule holds"]] : [])]) : null;
  const byLabel = choice("label", "Label", [["", "any"], ["unmarked", "not marked"], ...LABELS.map((it) => [it, it])]);

  const hasScores = pairs.list.some((it) => isNumber(it.score));
  const limit = (name, text) => el("label", null, heard(text),
    el("input", { type: "number", step: "any", name, placeholder: name === "least" ? "from" : "to", on: { input: (event) => tell(name, event.target.value === "" ? null : Number(event.target.value)) } }));
  const what = scoreName(scores);
  const byScore = hasScores ? el("fieldset", { class: "field range" }, el("legend", null, what), limit("least", `${what} from`), limit("most", `${what} to`)) : null;
  const orders = ORDERS.filter(([key]) => hasScores || key === "given" || key === "rule").filter(([key]) => key !== "near" || isNumber(scores?.threshold));
  const search = el("label", { class: "field" }, el("span", null, "Find"),
    el("input", { type: "search", name: "text", placeholder: pairs.values === "none" ? "id" : "id or value", autocomplete: "off", spellcheck: "false", on: { input: (event) => tell("text", event.target.value) } }));
  const element = el("form", { class: "filters", "aria-label": "Which pairs", on: { submit: (event) => event.preventDefault() } },
    groups, el("div", { class: "fields" }, search, byRule, byLabel, byScore, choice("order", "Order", orders)));
  return { element, asked };
}

/** The pairs that are asked for, in order, by their places in the report's list. */
function chosen(report, marks, asked) {
  const { pairs, scores } = report;
  const wanted = asked.text.trim().toLowerCase();
  const isIn = (it) => {
    if (asked.group !== "all" && !(it.group ?? []).includes(asked.group)) return false;
    if (asked.rule === "none" ? it.rule !== null : asked.rule && `=${it.rule}` !== asked.rule) return false;
    if (asked.label) {
      const label = marks.of(pairKey(pairs, it));
      if (asked.label === "unmarked" ? label : label !== asked.label) return false;
    }
    if (asked.least !== null && !(it.score >= asked.least && isNumber(it.score))) return false;
    if (asked.most !== null && !(it.score <= asked.most && isNumber(it.score))) return false;
    return !wanted || [it.l, it.r].some((ix) => has(pairs.records[ix], wanted));
  };
  const found = pairs.list.map((_, ix) => ix).filter((ix) => isIn(pairs.list[ix]));
  const points = (ix) => pairs.list[ix].score;
  // Pairs without a score stand last, whatever the order.
  const by = (key) => (a, b) => (isNumber(points(b)) - isNumber(points(a))) || (isNumber(points(a)) ? key(points(a)) - key(points(b)) : 0) || a - b;
  if (asked.order === "high") found.sort(by((x) => -x));
  if (asked.order === "low") found.sort(by((x) => x));
  if (asked.order === "near") found.sort(by((x) => Math.abs(x - scores.threshold)));
  if (asked.order === "rule") {
    const order = new Map((report.rules ?? []).map((it, ix) => [it.name, ix]));
    const rank = (ix) => order.get(pairs.list[ix].rule) ?? order.size;
    found.sort((a, b) => rank(a) - rank(b) || a - b);
  }
  return found;
}

function has(record, wanted) {
  return [record.id, ...(record.values ?? [])].some((it) => it !== null && it !== undefined && String(it).toLowerCase().includes(wanted));
}
