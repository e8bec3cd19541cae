// Where time went: a lane for the stages of the job, for what goes on beside them, and for each device. It is drawn in the cells of a table,
// so who listens to it hears what each took, and who looks sees when.

function timeSection(report) {
  const lanes = report.timeline?.lanes ?? [];
  if (!lanes.length) return null;
  const total = Math.max(1e-9, report.timeline.total_ms ?? 0);
  const marks = ticks(0, total, 5);
  const head = (text, kind, ...more) => el("th", { scope: "col", class: kind }, text, more);
  return section("time", "Time",
    el("p", { class: "lead" }, `From the first moment to the last: ${time(total)}. Lanes go on beside each other, and so may what stands in one lane.`),
    legend([["job", "stages, one after the other"], ["host", "beside them, on the host"], ["device", "devices"]].filter(([kind]) => lanes.some((it) => kindOf(it) === kind))),
    scrolled("Timeline", el("table", { class: "timeline", vars: { step: marks.length > 1 ? marks[1] / total : 1 } },
      el("caption", null, "Lanes, when each was busy, and with what"),
      el("thead", null, el("tr", null, head("Lane", null), head(heard("When, drawn"), "when", axis(marks, total)), head("Time", "number"), head("Share", "number share"))),
      lanes.map((lane) => laneRows(lane, total)))));
}

/** What a lane is drawn as: a device by its own clock is one, too. */
function kindOf(lane) {
  return lane.kind === "job" || lane.kind === "host" ? lane.kind : "device";
}

/** Moments on the axis of time, each over its mark; none where it would run out of the picture. */
function axis(marks, total) {
  return el("span", { class: "axis", "aria-hidden": "true" }, marks.filter((ms) => ms <= total * 0.88).map((ms) =>
    el("span", { vars: { from: ms / total }, class: ms === 0 ? "first" : null }, ms === 0 ? "0" : time(ms))));
}

/** A lane: when it was busy at all, and then with what. */
function laneRows(lane, total) {
  const drawn = (spans) => track(spans.map(([from, to]) => bar(from / total, Math.max(to, from + total * 1e-5) / total, kindOf(lane))));
  const cells = (ms) => [[time(ms), "number"], [percent(ms / total), "number share"]];
  const all = (lane.rows ?? []).flatMap((it) => it.spans);
  const head = row(value(lane.name), [drawn(merged(all, total / 2000)), "when"], ...cells(lane.busy_ms));
  head.className = "group";
  head.firstChild.setAttribute("scope", "rowgroup");
  const rows = lane.rows.map((it) => {
    const name = [value(it.name), it.n > 1 ? [" ", el("small", null, `${count(it.n)}\u00d7`)] : null];
    const made = row(name, [drawn(it.spans), "when"], ...cells(it.ms));
    made.className = "inner";
    return made;
  });
  return el("tbody", null, head, rows);
}

/** Spans that nobody could tell apart, as one. */
function merged(spans, least) {
  const made = [];
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = made.at(-1);
    if (last && from - last[1] < least) last[1] = Math.max(last[1], to);
    else made.push([from, to]);
  }
  return made;
}
