// The plan as a tree: what each node was expected to let through beside what it did. How far the two are apart is drawn to one side or
// the other, by powers of two.

/** Which pairs are counted: the same in estimates and in counts. */
const OF_BRANCH = "Of a branch: candidates that no branch before it finds.";
const COUNTED = {
  expected: `Of a predicate and of a rule: pairs that pass it, of all that there are. ${OF_BRANCH}`,
  named: `Of a rule: candidates that name it, since it is the first rule of the file that holds; one that stands in several places is counted at the first. Of a predicate: pairs that pass it, of all that there are; to count them takes time, so only explain does it, with --analyze. ${OF_BRANCH}`,
  brought: `Of a predicate and of a rule: pairs that pass it, of those that the access path of the branch brings; what a key or a lead rules out comes to no node. ${OF_BRANCH}`,
};

const KINDS = { rule: "rule", branch: "branch", predicate: "predicate", access: "access path", neighbourhood: "neighbourhood" };

function planSection(report) {
  const nodes = report.plan?.nodes ?? [];
  if (!nodes.length) return null;
  const has = (name) => nodes.some((it) => isNumber(it[name]));
  const depths = new Map();
  for (const it of nodes) depths.set(it.id, (depths.get(it.parent) ?? -1) + 1);
  const isKnown = has("actual");
  const columns = [
    ["Estimated", (it) => count(about(it.estimated)), has("estimated")],
    ["Actual", (it) => count(it.actual), isKnown],
    ["Off by", (it) => off(it), isKnown && has("estimated")],
    ["Expected", (it) => time(it.ms_expected), has("ms_expected")],
    ["Took", (it) => time(it.ms), has("ms")],
    ["Under way", (it) => time(it.ms_under_way), has("ms_under_way")],
  ].filter(([, , isThere]) => isThere);
  const rows = nodes.map((it) => {
    const depth = depths.get(it.id);
    const node = el("span", { class: "node", vars: { depth: Math.min(depth, 12) } },
      heard(`Level ${depth + 1}, `), el("span", { class: `kind ${it.kind === "rule" ? "rule" : ""}` }, KINDS[it.kind] ?? visible(it.kind ?? "")), " ",
      el(it.kind === "rule" ? "strong" : "code", null, value(it.text)));
    return row(node, ...columns.map(([, write]) => cellOf(write(it))));
  });
  return section("plan", "Plan",
    el("p", { class: "lead" }, isKnown ? "What was expected of each node, beside what it did." : "What is expected of each node."),
    el("p", { class: "note" }, COUNTED[report.plan.counts] ?? null, has("ms_under_way") ? " Under way: what of the scan a branch was looked at; what is listed for it beforehand is expected too, and stands under Time." : null),
    scrolled("The plan, as a tree", table("The plan, as a tree: pairs that each node lets through", ["Node", ...columns.map(([name]) => [name, "number"])], rows)),
    report.plan.left_out ? el("p", { class: "note" }, `${counted(report.plan.left_out, "node")} more of the plan are not told of.`) : null);
}

/** An estimate, with as many digits as it deserves. */
function about(n) {
  return isNumber(n) && n >= 1000 ? Number(n.toPrecision(3)) : n;
}

/** What is not known of a node is left blank: most nodes have no time of their own. */
function cellOf(content) {
  return [content === UNKNOWN ? "" : content, Array.isArray(content) ? "number both" : "number"];
}

/** By what the estimate was wrong: drawn, and as a factor. */
function off(node) {
  if (!isNumber(node.estimated) || !isNumber(node.actual)) return "";
  if (node.estimated <= 0 || node.actual <= 0) return node.estimated === node.actual ? "1.0×" : UNKNOWN;
  const factor = node.actual / node.estimated;
  const x = Math.max(-0.5, Math.min(0.5, Math.log2(factor) / 8));
  const times = Math.max(factor, 1 / factor);
  const written = times < 9.95 ? times.toFixed(1) : count(times);
  return [`${factor < 1 && written !== "1.0" ? "1/" : ""}${written}×`, track(bar(0.5, 0.5 + x, x < 0 ? "takes" : "adds"))];
}
