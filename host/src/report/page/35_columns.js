// What is in the columns: how many values are missing, how many are distinct, which come up most, and which look as if they stood for
// none.

function columnsSection(report) {
  const tables = (report.profile ?? []).filter((it) => it?.columns?.length);
  if (!tables.length) return null;
  return section("columns", "Columns", tables.map((it) => [
    tables.length > 1 ? el("h3", null, value(it.table)) : null,
    scrolled(`Columns of ${visible(it.table)}`, profileTable(it)),
    it.note ? el("p", { class: "note" }, value(it.note)) : null,
  ]));
}

function profileTable(profile) {
  const n = profile.records || 1;
  const rows = profile.columns.map((it) =>
    row([value(it.name), it.id ? [" ", el("span", { class: "kind" }, "id")] : null], it.kind ? value(it.kind) : UNKNOWN,
      [[percent((it.missing ?? 0) / n), track(bar(0, (it.missing ?? 0) / n, "takes"))], "number both"],
      [[count(it.distinct), it.key?.unique ? [" ", el("span", { class: "kind" }, "unique")] : null], "number"],
      [isNumber(it.bits) ? it.bits.toFixed(1) : UNKNOWN, "number"],
      [it.lengths ? `${count(it.lengths.least)} \u2013 ${count(it.lengths.median)} \u2013 ${count(it.lengths.most)}` : UNKNOWN, "number"],
      often(it)));
  const heads = ["Column", "Kind", ["Missing", "number"], ["Distinct", "number"], ["Bits", "number"], ["Shortest \u2013 median \u2013 longest", "number"], "Most frequent values"];
  return table(["Columns of ", value(profile.table), `, ${counted(profile.records, "record")}`], heads, rows);
}

function often(column) {
  const suspects = new Set((column.placeholders ?? []).map((it) => it.value));
  const heavy = (column.heavy ?? []).slice(0, 4);
  const seen = new Set(heavy.map((it) => it.value));
  const more = (column.placeholders ?? []).filter((it) => !seen.has(it.value)).slice(0, 3);
  const list = [...heavy, ...more];
  if (!list.length) return el("span", { class: "dim" }, UNKNOWN);
  return el("ul", { class: "values" }, list.map((it) =>
    el("li", null, value(clipped(it.value)), " ", el("small", null, count(it.records)), suspects.has(it.value) ? [" ", el("span", { class: "kind doubt" }, "placeholder?")] : null)));
}

/** The beginning of a long text, where the whole would be in the way. */
function clipped(text) {
  const characters = Array.from(String(text ?? ""));
  return characters.length > 48 ? `${characters.slice(0, 47).join("")}\u2026` : characters.join("");
}
