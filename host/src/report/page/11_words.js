// How numbers read: counts in groups of three, shares as the summary has them, times in the unit that fits.

const COUNTS = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const UNKNOWN = "\u2013";

const isNumber = (it) => typeof it === "number" && Number.isFinite(it);

/** How many. */
function count(n) {
  return isNumber(n) ? COUNTS.format(n) : UNKNOWN;
}

/** How many of what, by one name. */
function counted(n, one, many) {
  return `${count(n)} ${n === 1 ? one : (many ?? `${one}s`)}`;
}

/** Precision, recall: four digits. */
function share(x) {
  return isNumber(x) ? x.toFixed(4) : UNKNOWN;
}

/** A part of a whole. */
function percent(x) {
  if (!isNumber(x)) return UNKNOWN;
  if (x === 0) return "0%";
  const hundredths = 100 * x;
  return `${hundredths.toFixed(Math.abs(hundredths) < 0.1 ? 2 : 1)}%`;
}

/** A time. */
function time(ms) {
  if (!isNumber(ms)) return UNKNOWN;
  if (ms >= 120000) return `${(ms / 60000).toFixed(1)} min`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  if (ms >= 10) return `${ms.toFixed(0)} ms`;
  return `${ms.toFixed(2)} ms`;
}

/** How many digits scores have: weights in bits are large, all others lie from 0 to 1. */
let scoreDigits = 4;

function scoresAre(scores) {
  scoreDigits = scores?.kind === "weight" ? 2 : 4;
}

/** A score, or a weight. */
function score(x) {
  return isNumber(x) ? x.toFixed(scoreDigits).replace("-", "\u2212") : UNKNOWN;
}

/** What is added to another, with its sign. */
function added(x, digits) {
  if (!isNumber(x)) return UNKNOWN;
  const text = Math.abs(x).toFixed(digits ?? scoreDigits);
  return `${x < 0 ? "\u2212" : "+"}${text}`;
}

/** A probability of any size. */
function probability(x) {
  if (!isNumber(x)) return UNKNOWN;
  return x === 0 || x >= 0.0001 ? x.toFixed(4) : x.toExponential(1);
}

/** The unit of scores, with a space before it. */
function unitOf(scores) {
  return scores?.unit ? ` ${visible(scores.unit)}` : "";
}

/** What scores are called. */
function scoreName(scores) {
  return { weight: "Weight", probability: "Probability" }[scores?.kind] ?? "Score";
}

/** Round numbers from one end to the other, about so many. */
function ticks(from, to, about) {
  const rough = (to - from) / Math.max(1, about);
  if (!(rough > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((it) => it * power >= rough) ?? 10);
  const made = [];
  for (let at = Math.ceil(from / step); at * step <= to + step * 1e-9; at += 1) made.push(Number((at * step).toPrecision(12)));
  return made;
}

/** A number beside an axis. */
function short(n) {
  if (n >= 1e9) return `${Number((n / 1e9).toPrecision(3))} G`;
  if (n >= 1e6) return `${Number((n / 1e6).toPrecision(3))} M`;
  if (n >= 10000) return `${Number((n / 1e3).toPrecision(3))} k`;
  return String(n).replace("-", "\u2212");
}
