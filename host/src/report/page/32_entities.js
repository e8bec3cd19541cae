// Entities by size, and the weights of a score: how often a level is met among matches (m) and among all others (u), and the bits which
// that is worth.

function entitiesSection(report) {
  const entities = report.entities;
  if (!entities) return null;
  const sizes = entities.sizes ?? [];
  const most = Math.max(1, ...sizes.map((it) => it.entities));
  // By powers: there are thousands of ones for one of seven.
  const reach = (n) => (n > 0 ? (1 + Math.log10(n)) / (1 + Math.log10(most)) : 0);
  const rows = sizes.map((it) =>
    row(counted(it.size, "record"), [count(it.entities), "number"], [count(it.size * it.entities), "number"], [track(bar(0, reach(it.entities), "adds")), "bars"]));
  const largest = (entities.largest ?? []).map((it) => row(el("code", null, value(it.id)), [count(it.size), "number"]));
  return section("entities", "Entities",
    el("p", { class: "lead" }, `${counted(entities.records, "record")} are ${counted(entities.entities, "entity", "entities")}`, entities.method ? [", by ", value(entities.method)] : null, ".",
      entities.larger ? ` ${counted(entities.larger, "size")} more, all of them larger, ${entities.larger === 1 ? "is" : "are"} not in the table.` : null),
    el("div", { class: "beside" },
      sizes.length ? el("div", null, table("Entities by size; bars are logarithmic", ["Size", ["Entities", "number"], ["Records", "number"], [heard("Entities, drawn"), "bars"]], rows)) : null,
      largest.length ? el("div", null, table("The largest", ["Entity", ["Records", "number"]], largest)) : null));
}

function weightsSection(report) {
  const weights = report.weights;
  if (!weights?.attributes?.length) return null;
  const all = weights.attributes.flatMap((it) => it.levels);
  const most = Math.max(1, ...all.map((it) => Math.abs(it.weight ?? 0)));
  const groups = weights.attributes.map((it) =>
    el("tbody", null,
      el("tr", { class: "group" }, el("th", { scope: "rowgroup", colspan: 6 }, value(it.name))),
      it.levels.map((level) => {
        const x = (level.weight ?? 0) / most / 2;
        return row(value(level.name), [probability(level.m), "number"], [track(bar(0, level.m, "adds")), "bars"],
          [probability(level.u), "number"], [track(bar(0, level.u, "takes")), "bars"],
          [[added(level.weight, 2), track(bar(0.5, 0.5 + x, x < 0 ? "takes" : "adds"))], "number both"]);
      })));
  const head = (text, kind, n) => el("th", { scope: "col", class: kind, colspan: n }, text);
  return section("weights", "Weights",
    el("p", { class: "lead" }, "m: how often matches reach a level. u: how often other pairs do. The weight is log\u2082 of m / u, in bits."),
    isNumber(weights.prior) ? el("p", { class: "note" }, `A pair, before it is looked at, is a match with a probability of ${probability(weights.prior)}.`) : null,
    scrolled("Weights by attribute and level", el("table", null, el("caption", null, "Weights by attribute and level"),
      el("thead", null, el("tr", null, head("Level", null), head("m", "number spread", 2), head("u", "number spread", 2), head("Weight", "number"))), groups)));
}
