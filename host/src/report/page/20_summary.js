// What was asked, and what was found, at a glance; beneath it the whole summary, the rules as they were written, and warnings.

/** The name of the job: its command and tables. */
function titleOf(job) {
  return [job.command, " ", (job.tables ?? []).map((it, ix) => [ix ? ", " : "", value(it.name)])];
}

function summarySection(report) {
  const job = report.job;
  return section("summary", "Summary",
    el("p", { class: "asked" }, heard("What was asked: "), el("code", null, "hyperblock ", job.command,
      (job.asked ?? []).map((word) => [" ", value(quoted(word))]))),
    (report.warnings ?? []).length
      ? el("div", { class: "warnings", role: "note" }, el("h3", null, "Warnings"), el("ul", null, report.warnings.map((it) => el("li", null, value(it)))))
      : null,
    figures(headline(report)),
    (report.truth?.text ?? []).map((it) => el("p", null, value(it))),
    allFigures(report),
    tablesOf(job),
    job.rules_text
      ? opened(["The rules, as in ", job.rules_file ? value(job.rules_file) : "their file"], scrolled("The rules", el("pre", null, lines(job.rules_text))))
      : null);
}

/** A text of several lines, whose breaks stay breaks. */
function lines(text) {
  return String(text).split(/\r?\n/).map((it) => [value(it), "\n"]);
}

/** A word as a shell takes it. */
function quoted(word) {
  return /^[\w@%+=:,.\/-]+$/.test(word) ? word : `'${String(word).replaceAll("'", "'\\''")}'`;
}

/** The figures that most people look for first. */
function headline(report) {
  const { job, scores, entities, pairs } = report;
  const list = [];
  const tables = job.tables ?? [];
  if (tables.length) {
    const n = tables.reduce((sum, it) => sum + (it.records ?? 0), 0);
    list.push(["Records", ...large(n, tables.length > 1 ? `of ${count(tables.length)} tables` : null)]);
  }
  if (isNumber(job.comparisons?.all)) list.push(["Pairs", short(Number(job.comparisons.all.toPrecision(3))), `${percent(unseen(job.comparisons))} never looked at`]);
  if (isNumber(pairs?.found)) list.push(["Candidates", ...large(pairs.found, "some rule holds")]);
  const kept = atThreshold(scores);
  if (kept) list.push(["Kept", ...large(kept.kept, `at ${score(scores.threshold)}${unitOf(scores)}`)]);
  if (entities) list.push(["Entities", ...large(entities.entities, entities.method ? `by ${visible(entities.method)}` : null)]);
  for (const name of ["precision", "recall"]) {
    const said = (report.summary ?? []).find((it) => it.name === name);
    const last = (report.rules ?? []).at(-1)?.cumulative?.recall;
    if (isNumber(kept?.[name])) list.push([name === "recall" ? "Recall" : "Precision", share(kept[name]), "of what is kept"]);
    else if (said) list.push([name === "recall" ? "Recall" : "Precision", value(said.value), null]);
    else if (name === "recall" && isNumber(last)) list.push(["Recall", share(last), "of the candidates"]);
  }
  if (isNumber(job.time_ms)) list.push(["Time", time(job.time_ms), job.device ? visible(job.device) : null]);
  return list;
}

/** A count that may be too wide for its place: then it is rounded there, and stands below in full. */
function large(n, more) {
  return n < 1e7 ? [count(n), more] : [short(Number(n.toPrecision(3))), count(n)];
}

function unseen(comparisons) {
  return comparisons.all ? comparisons.ruled_out_unseen / comparisons.all : 0;
}

/** The point of the curve at the job's own threshold. */
function atThreshold(scores) {
  const curve = scores?.curve ?? [];
  return curve[nearest(curve, scores?.threshold)] ?? null;
}

/** Which point of a curve is nearest to a threshold. */
function nearest(curve, threshold) {
  let best = 0;
  curve.forEach((point, ix) => {
    if (Math.abs(point.threshold - threshold) < Math.abs(curve[best].threshold - threshold)) best = ix;
  });
  return best;
}

function allFigures(report) {
  const said = report.summary ?? [];
  if (!said.length) return null;
  const rows = said.map((it) => el("tr", { class: it.depth ? "inner" : null }, el("th", { scope: "row" }, value(it.name)), el("td", null, value(it.value))));
  return opened("All of the summary", el("table", { class: "plain" }, el("caption", { class: "heard" }, "All of the summary"), el("tbody", null, rows)));
}

function tablesOf(job) {
  const tables = job.tables ?? [];
  if (tables.length < 2) return null;
  return table("Tables", ["Table", ["Records", "number"], "Side"],
    tables.map((it) => row(value(it.name), [count(it.records), "number"], it.side ?? UNKNOWN)));
}
