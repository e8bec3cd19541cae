// Candidates by rule, in the order of the file: each bar begins where the rules before it end, so its length is what the rule adds. Then
// the largest blocks, which is where time goes, and often a placeholder in place of a value.

function rulesSection(report) {
  const rules = report.rules ?? [];
  const blocks = report.blocks ?? [];
  if (!rules.length && !blocks.length) return null;
  return section("rules", "Rules", rules.length ? rulesTable(rules) : null, blocks.length ? blocksTable(blocks, report.job.is_link) : null);
}

function rulesTable(rules) {
  const has = (read) => rules.some((it) => isNumber(read(it)));
  const all = Math.max(1, ...rules.map((it) => it.cumulative?.candidates ?? it.candidates ?? 0));
  let before = 0;
  const columns = [
    ["Adds", (it) => count(it.added), () => true],
    ["In all", (it) => count(it.cumulative?.candidates), () => has((it) => it.cumulative?.candidates)],
    ["Alone", (it) => count(it.alone), () => has((it) => it.alone)],
    ["Matches", (it) => count(it.true), () => has((it) => it.true)],
    ["Recall so far", (it) => share(it.cumulative?.recall), () => has((it) => it.cumulative?.recall)],
    ["Recall lost without it", (it) => share(it.recall_lost), () => has((it) => it.recall_lost)],
  ].filter(([, , isThere]) => isThere());
  const rows = rules.map((it) => {
    const until = it.cumulative?.candidates ?? before + (it.candidates ?? 0);
    const added = until - before;
    const drawn = track(bar(0, before / all, "before"), bar(before / all, until / all, "adds"));
    before = until;
    const name = it.when ? el("details", { class: "inline" }, el("summary", null, value(it.name)), el("pre", null, lines(it.when.trim()))) : value(it.name);
    return row(name, [drawn, "bars"], ...columns.map(([, write]) => [write({ ...it, added }), "number"]));
  });
  const heads = ["Rule", ["What it adds to those before it", "bars"], ...columns.map(([name]) => [name, "number"])];
  const notes = [
    has((it) => it.alone) && "Alone: candidates that no other rule allows.",
    has((it) => it.recall_lost) && "Recall lost: by how much recall falls if only this rule is left out.",
  ].filter(Boolean);
  return [scrolled("Candidates by rule", table("Candidates by rule, in the order of the file", heads, rows)), notes.length ? el("p", { class: "note" }, notes.join(" ")) : null];
}

function blocksTable(blocks, isLink) {
  const most = Math.max(1, ...blocks.map((it) => it.pairs));
  const rows = blocks.map((it) =>
    row(it.value === null || it.value === undefined ? el("span", { class: "dim" }, "withheld") : value(it.value), el("code", null, value(it.key)), value(it.rule ?? UNKNOWN),
      [count(it.records), "number"], [count(it.pairs), "number"], [track(bar(0, it.pairs / most, "adds")), "bars"]));
  const heads = ["Value", "Key", "Rule", ["Records", "number"], ["Pairs", "number"], ["", "bars"]];
  heads[5] = [heard("Pairs, drawn"), "bars"];
  return [el("h3", null, "Largest blocks"), el("p", { class: "note" }, `Records that agree on a key. ${isLink ? "A block has as many pairs as it has left records times right ones." : "A block of n records has about n²/2 pairs."}`),
    scrolled("Largest blocks", table("Blocks with the most pairs", heads, rows))];
}
