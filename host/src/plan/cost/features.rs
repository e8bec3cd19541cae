//! Features: what a model knows of a predicate. All of it is cheap: a look at some thousand records.
//!
//! Most pairs are told apart by their heads (lengths and signatures) alone, and only the rest pay for the measure. So
//! beside the measure and the lengths, what counts most is the share of pairs whose heads do not decide; it is estimated
//! on a sample of pairs. Sizes and shares are given as logarithms: what they do to time is to multiply.

use crate::encode::Encoded;
use crate::rules::measure::{By, CostsLike, Row};
use hyperblock_shared::columns::{Columns, Head, MISSING};
use hyperblock_shared::measure::{Asked, Measure};
use hyperblock_shared::predicate::{Predicate, Test};
use hyperblock_shared::threshold::{ArchivedThreshold, Threshold};

/// How many features there are.
pub const N_FEATURES: usize = 16;

/// Their names, in order. A model is about these, and says so in its file.
pub const FEATURES: [&str; N_FEATURES] = [
    // One of these is 1, the others are 0.
    "mark",
    "equal",
    "within",
    "levenshtein",
    "damerau",
    "hamming",
    "jaro",
    "sets",
    // log2(1 + mean) of the symbols, or tokens, of the values that records have on each side.
    "length_left",
    "length_right",
    // Their standard deviation, as a share of the mean.
    "spread_left",
    "spread_right",
    // log2 of the bytes a symbol.
    "alphabet",
    // The share of pairs in which a value is missing.
    "missing",
    // How far from equal two values may be: allowed edits as a share of the length, or 1 − threshold.
    "room",
    // log2 of the share of pairs that the heads do not decide.
    "passing",
];

const LENGTHS: usize = 8;
const SPREADS: usize = 10;
const ALPHABET: usize = 12;
const MISSING_SHARE: usize = 13;
const ROOM: usize = 14;
const PASSING: usize = 15;

/// Records of each side that are looked at; of very many predicates fewer, so that all of them are done in milliseconds.
const SAMPLE: usize = 2048;
const LEAST_SAMPLE: usize = 32;
/// Predicates up to which that is not so.
const FEW_PREDICATES: usize = 16;
/// Right records that each of them is paired with.
const ROUNDS: usize = 8;

/// What a model knows of a predicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Features(pub [f64; N_FEATURES]);

impl Features {
    /// The features of a predicate over an encoding's columns.
    pub fn of(encoded: &Encoded, predicate: &Predicate) -> Self {
        let n_predicates = encoded.predicates.len().max(1);
        let n_records = (SAMPLE * FEW_PREDICATES / n_predicates).clamp(LEAST_SAMPLE, SAMPLE);
        let mut features = [0.0; N_FEATURES];
        features[Kind::of(predicate) as usize] = 1.0;
        let Test::Compare { left, right, measure } = predicate.test else { return Self(features) };
        let (heads, bytes) = match measure {
            Measure::Texts { texts, .. } => {
                let texts = encoded.texts(texts);
                (Some(texts.heads), texts.bits / 8)
            }
            Measure::Sets { sets, .. } => (Some(encoded.sets(sets).heads), 1),
            Measure::Equal | Measure::Within { .. } | Measure::Near { .. } => (None, 1),
        };
        // An empty set counts as missing; an empty text does not.
        let is_set = matches!(measure, Measure::Sets { .. });
        let sides = [left, right].map(|operand| Values::of(encoded.codes(operand), heads, is_set, n_records));
        let [l, r] = &sides;
        let lengths = sides.each_ref().map(Values::lengths);
        for (side, (mean, deviation)) in lengths.into_iter().enumerate() {
            features[LENGTHS + side] = (1.0 + mean).log2();
            features[SPREADS + side] = if mean > 0.0 { deviation / mean } else { 0.0 };
        }
        features[ALPHABET] = f64::from(bytes).log2();
        features[MISSING_SHARE] = 1.0 - l.share_present() * r.share_present();
        if let Measure::Texts { asked, .. } | Measure::Sets { asked, .. } = measure {
            let [(left, _), (right, _)] = lengths;
            features[ROOM] = room(measure, asked, left.max(right)).clamp(0.0, 1.0);
            features[PASSING] = passing(l, r, measure).log2();
        }
        Self(features)
    }
}

/// The kinds of measures that a model tells apart, in the order of the first features.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Mark,
    Equal,
    Within,
    Levenshtein,
    Damerau,
    Hamming,
    Jaro,
    Sets,
}

impl Kind {
    pub(super) fn of(predicate: &Predicate) -> Self {
        match predicate.test {
            Test::Left { .. } | Test::Right { .. } => Self::Mark,
            Test::Compare { measure, .. } => match measure {
                Measure::Equal => Self::Equal,
                // Nothing was learnt of points: three differences are about what a range is.
                Measure::Within { .. } | Measure::Near { .. } => Self::Within,
                Measure::Texts { .. } | Measure::Sets { .. } => {
                    match row(measure).map(|row| row.costs_like) {
                        Some(CostsLike::Levenshtein) => Self::Levenshtein,
                        Some(CostsLike::Damerau) => Self::Damerau,
                        Some(CostsLike::Hamming) => Self::Hamming,
                        Some(CostsLike::Jaro) => Self::Jaro,
                        Some(CostsLike::Sets) | None => Self::Sets,
                    }
                }
            },
        }
    }
}

/// What the host knows of a measure.
fn row(measure: Measure) -> Option<&'static Row> {
    match measure {
        Measure::Texts { by, .. } => Row::of(By::Texts(by)),
        Measure::Sets { by, .. } => Row::of(By::Sets(by)),
        Measure::Equal | Measure::Within { .. } | Measure::Near { .. } => None,
    }
}

/// The values of a side's sampled records: code and head, or nothing where the value is missing.
struct Values(Vec<Option<(u32, Head)>>);

impl Values {
    fn of(codes: &[u32], heads: Option<&[Head]>, is_set: bool, most: usize) -> Self {
        let head = |code: u32| match heads {
            _ if code == MISSING => None,
            None => Some((code, Head::default())),
            Some(heads) => {
                heads.get(code as usize).filter(|head| !is_set || head.len > 0).map(|head| (code, *head))
            }
        };
        let n = codes.len().min(most);
        // Evenly spaced, whatever the number of records.
        Self((0..n).map(|ix| head(codes[ix * codes.len() / n])).collect())
    }

    fn present(&self) -> impl Iterator<Item = &(u32, Head)> {
        self.0.iter().flatten()
    }

    fn share_present(&self) -> f64 {
        if self.0.is_empty() { 1.0 } else { self.present().count() as f64 / self.0.len() as f64 }
    }

    /// Mean and standard deviation.
    fn lengths(&self) -> (f64, f64) {
        let lengths = || self.present().map(|(_, head)| f64::from(head.len));
        let n = (self.present().count() as f64).max(1.0);
        let mean = lengths().sum::<f64>() / n;
        let variance = lengths().map(|length| (length - mean) * (length - mean)).sum::<f64>() / n;
        (mean, variance.sqrt())
    }
}

/// How far from equal two values of that length may be: 0 is equal, 1 is anything.
fn room(measure: Measure, asked: Asked<Threshold>, length: f64) -> f64 {
    let counted = row(measure).and_then(|row| row.count).map(|(_, counted)| counted);
    match asked {
        Asked::Count(number) => {
            let share = f64::from(number) / length.max(1.0);
            if counted.is_some_and(|counted| counted.is_distance()) { share } else { 1.0 - share }
        }
        Asked::Similarity(Threshold { digits, scale, .. }) => {
            1.0 - f64::from(digits) / f64::from(scale.max(1))
        }
    }
}

/// Whether the heads of two values leave it open whether it holds on them.
fn is_open(measure: Measure, a: &Head, b: &Head) -> bool {
    let archived = |Threshold { digits, scale, strict }: Threshold| ArchivedThreshold {
        digits: digits.into(),
        scale: scale.into(),
        strict,
    };
    // Most alphabets are small.
    const BITS: u32 = 8;
    match measure {
        Measure::Texts { by, asked, .. } => {
            let asked = asked.map(archived);
            by.possible(a, b, BITS, asked.as_ref()) && !by.is_certain(a, b, asked.as_ref())
        }
        Measure::Sets { by, asked, .. } => by.possible(a, b, asked.map(archived).as_ref()),
        Measure::Equal | Measure::Within { .. } | Measure::Near { .. } => false,
    }
}

/// The share of pairs that the heads do not decide: at least half a pair of the sample.
fn passing(left: &Values, right: &Values, measure: Measure) -> f64 {
    let (n_left, n_right) = (left.0.len(), right.0.len());
    if n_left == 0 || n_right == 0 {
        return 1.0;
    }
    let n_rounds = ROUNDS.min(n_right);
    let pairs = (0..n_rounds).flat_map(|round| {
        // Never a record with itself, unless there are no others.
        let shift = 1 + round * n_right / n_rounds;
        (0..n_left).map(move |ix| (ix, (ix + shift) % n_right))
    });
    let open = pairs.filter(|&(l, r)| match (&left.0[l], &right.0[r]) {
        (Some((code_l, a)), Some((code_r, b))) => code_l != code_r && is_open(measure, a, b),
        _ => false,
    });
    let n_pairs = (n_left * n_rounds) as f64;
    (open.count() as f64 / n_pairs).max(0.5 / n_pairs)
}
