// Where time went: what ran in which place from when to when, and the stages with what each took.

/** Colours, of which neighbours are told apart; a stage keeps its own on the whole page. */
const HUES = 6;

function timeSection(report) {
  const timeline = report.timeline;
  const spans = timeline?.spans ?? [];
  const stages = timeline?.stages ?? [];
  if (!spans.length && !stages.length) return null;
  const names = [...new Set(spans.map((it) => it.stage))];
  return section("time", "Time", spans.length ? timelineOf(timeline, names) : null, stages.length ? stagesTable(stages) : null);
}

function timelineOf(timeline, names) {
  const { places, spans } = timeline;
  const end = Math.max(1e-9, ...spans.map((it) => it.to_ms));
  const used = places.map((name, ix) => ({ name: visible(name), spans: spans.filter((it) => it.place === ix) })).filter((it) => it.spans.length);
  const gap = 46;
  const height = used.length * gap + 26;
  const picture = drawing(`Timeline of ${time(end)} in ${counted(used.length, "place")}: ${names.map(visible).join(", ")}. A table follows.`, height, (width) => {
    const x = scale(0, end, 0, width - 1);
    const made = ticks(0, end, Math.max(2, Math.min(8, Math.floor(width / 110)))).map((ms) =>
      [line(x(ms), 0, x(ms), height - 20, "grid"), label(Math.min(x(ms), width - 2), height - 5, ms === 0 ? "start" : x(ms) > width - 40 ? "end" : "middle", ms === 0 ? "0" : time(ms))]);
    used.forEach((place, ix) => {
      const top = ix * gap;
      made.push(area(0, top + 17, width, 22, "lane"), label(0, top + 12, "start", place.name, "axis"));
      for (const it of merged(place.spans, end / width)) {
        const size = Math.max(1, x(it.to_ms) - x(it.from_ms));
        const name = visible(it.stage);
        made.push(area(x(it.from_ms), top + 17, size, 22, `stage hue${names.indexOf(it.stage) % HUES}`));
        if (size > name.length * 7.5 + 10) made.push(label(x(it.from_ms) + 6, top + 32, "start", name, "inside"));
      }
    });
    return made;
  });
  const sums = new Map();
  for (const it of spans) {
    const key = `${it.place} ${it.stage}`;
    const sum = sums.get(key) ?? { place: places[it.place] ?? it.place, stage: it.stage, ms: 0, n: 0 };
    sums.set(key, { ...sum, ms: sum.ms + it.to_ms - it.from_ms, n: sum.n + 1 });
  }
  const rows = [...sums.values()].map((it) => row(value(it.place), value(it.stage), [count(it.n), "number"], [time(it.ms), "number"]));
  return [legend(names.map((name, ix) => [`hue${ix % HUES}`, value(name)])), picture.holder,
    opened("The same as a table", scrolled("Time by place", table("Time by place and stage", ["Place", "Stage", ["Spans", "number"], ["Time", "number"]], rows)))];
}

/** Spans of one stage that nobody could tell apart, as one. */
function merged(spans, least) {
  const made = [];
  for (const it of [...spans].sort((a, b) => a.from_ms - b.from_ms)) {
    const last = made.at(-1);
    if (last && last.stage === it.stage && it.from_ms - last.to_ms < least) last.to_ms = Math.max(last.to_ms, it.to_ms);
    else made.push({ ...it });
  }
  return made;
}

function stagesTable(stages) {
  const all = stages.filter((it) => !it.depth).reduce((sum, it) => sum + it.ms, 0) || 1;
  // Where the next stage begins, by depth: an inner one begins where the one around it does.
  const begins = [0];
  const rows = stages.map((it) => {
    const depth = Math.max(0, it.depth ?? 0);
    const isInner = depth > 0;
    const from = begins[depth] ?? begins[depth - 1] ?? 0;
    const drawn = bar(from / all, (from + it.ms) / all, isInner ? "before" : "adds");
    begins.length = Math.min(begins.length, depth);
    begins[depth] = from + it.ms;
    begins[depth + 1] = from;
    const made = row(value(it.name), [time(it.ms), "number"], [percent(it.ms / all), "number"], [track(drawn), "bars"]);
    if (isInner) made.className = "inner";
    return made;
  });
  return scrolled("Stages", table("Stages, one after the other", ["Stage", ["Time", "number"], ["Share", "number"], [heard("When, drawn"), "bars"]], rows));
}
