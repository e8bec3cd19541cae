// What a person says of pairs: match, no match, unsure. Marks outlive the page in the browser's storage, under the key of the job; what was
// done can be undone step by step, until the page is left.

const LABELS = ["match", "no match", "unsure"];

/** By what a pair is known from one report to the next of the same job. */
function pairKey(pairs, pair) {
  if (!MADE.has(pair)) {
    const [left, right] = [pairs.records[pair.l], pairs.records[pair.r]];
    MADE.set(pair, JSON.stringify([left.source ?? left.side ?? 0, left.id, right.source ?? right.side ?? 0, right.id]));
  }
  return MADE.get(pair);
}

const MADE = new WeakMap();

/** Marks by key of pair. `problem` says why they would not outlive the page. */
function marksOf(job) {
  const place = `hyperblock:${job.key}`;
  const marks = new Map();
  const done = [];
  const kept = { problem: null };
  try {
    const read = JSON.parse(localStorage.getItem(place) ?? "{}");
    for (const [key, label] of Object.entries(read)) if (LABELS.includes(label)) marks.set(key, label);
  } catch {
    kept.problem = "This browser does not let the page keep anything. Export marks before you leave the page.";
  }

  function write() {
    try {
      localStorage.setItem(place, JSON.stringify(Object.fromEntries(marks)));
      kept.problem = null;
    } catch {
      kept.problem = "Marks could not be kept in this browser. Export them before you leave the page.";
    }
  }

  function put(key, label) {
    if (label) marks.set(key, label);
    else marks.delete(key);
    write();
  }

  return {
    of: (key) => marks.get(key) ?? null,
    problem: () => kept.problem,
    canUndo: () => done.length > 0,
    /** Marks a pair; the same mark once more takes it away. */
    set(key, label) {
      const before = marks.get(key) ?? null;
      done.push([key, before]);
      put(key, before === label ? null : label);
    },
    /** Takes the last step back, and says which pair it was of. */
    undo() {
      const last = done.pop();
      if (!last) return null;
      put(...last);
      return last[0];
    },
  };
}
