//! Leads: which of the predicates that all rules of a branch ask for may order and screen its scan, and at what cost.
//!
//! What a lead takes is estimated: the records that are listed, the pairs that its scan looks at, and those it has to verify.
//! An equality looks at what it verifies. A similarity looks at pairs of distinct values, and how many of them its screen
//! passes is seen on a sample. Of large tables records are sampled too: what is counted of all takes longer than it saves.

use super::list::ListKey;
use super::{Block, NO_LEAD};
use crate::base::random::Random;
use crate::encode::{CodeColumn, Encoded};
use crate::plan::path::SweepCounts;
use crate::plan::work::{PerPair, Unit};
use crate::plan::{BranchSteps, ScanOptions};
use hyperblock_shared::columns::{Columns, Head, MISSING};
use hyperblock_shared::listing::{Listing, Signed};
use hyperblock_shared::measure::{Measure, OfTexts};
use hyperblock_shared::predicate::{ArchivedPredicate, Predicate, Test};
use hyperblock_shared::screen::Screen;
use hyperblock_shared::signature::fewest_unshared;
use hyperblock_shared::sweep::Order;
use hyperblock_shared::text::BLOCK;
use std::ops::Range;

/// Records whose values are counted for all leads together, about; of a side for each of them, at most and at least. Of more,
/// as many are drawn.
const N_COUNTED: usize = 1 << 16;
const MOST_COUNTED: usize = 1 << 14;
const LEAST_COUNTED: usize = 1 << 12;
/// Values whose lengths are looked at.
const N_MEASURED: usize = 1 << 8;
/// Pairs that screens are tried on, for all leads together, about; for each of them, at most and at least.
const N_SAMPLES: usize = 1 << 14;
const MOST_SAMPLES: usize = 1 << 11;
const LEAST_SAMPLES: usize = 1 << 9;
const SEED: u64 = 0x6c65_6164;
/// Values longer than this, on average, take wide signatures: more elements than that fill half of 64 bits.
const LONG: f64 = 24.0;

/// The lead of a branch.
#[derive(Clone, Debug)]
pub(crate) struct Lead {
    /// Its step, or `UNKNOWN` if there is none.
    pub(crate) step: u32,
    pub(crate) predicate: u32,
    pub(crate) screen: Screen,
    /// Whether it says the same of a pair either way round, and looks at the same column on both sides.
    pub(crate) is_symmetric: bool,
    /// The two operands.
    pub(crate) operands: Option<[u32; 2]>,
    /// What its screen's signatures are of.
    pub(super) signed: Option<Signed>,
    /// The reaches of a numeric predicate.
    pub(super) reaches: Option<u32>,
    /// Whether items are distinct values.
    pub(super) is_grouped: bool,
}

impl Lead {
    /// No predicate leads: all pairs are verified.
    pub(crate) fn none() -> Self {
        let (step, predicate) = NO_LEAD;
        Self {
            step,
            predicate,
            screen: Screen::None,
            is_symmetric: true,
            operands: None,
            signed: None,
            reaches: None,
            is_grouped: false,
        }
    }

    /// All predicates that can lead a branch, each once.
    pub(crate) fn all(encoded: &Encoded, branch: &BranchSteps, options: &ScanOptions) -> Vec<Self> {
        let mut leads: Vec<Self> = Vec::new();
        for &(step, predicate) in &branch.required {
            if leads.iter().all(|lead| lead.predicate != predicate) {
                leads.extend(Self::of(encoded, step, predicate, options));
            }
        }
        leads
    }

    /// Whether it asks for equal values.
    pub(crate) fn is_equality(&self) -> bool {
        self.screen == Screen::Codes
    }

    /// Whether it compares values by what they are made of.
    pub(crate) fn is_similarity(&self) -> bool {
        matches!(self.screen, Screen::Signatures | Screen::WideSignatures)
    }

    /// What a predicate would be as lead, if it can be one.
    fn of(encoded: &Encoded, step: u32, ix: u32, options: &ScanOptions) -> Option<Self> {
        let Predicate { test: Test::Compare { left, right, measure }, negated: false } =
            encoded.predicates[ix as usize]
        else {
            return None;
        };
        let lead = Self {
            step,
            predicate: ix,
            operands: Some([left, right]),
            is_symmetric: left == right,
            ..Self::none()
        };
        let signed = |heads: &[Head], signed: fn(u32, bool) -> Signed, number: u32| {
            let seen = || heads.iter().step_by(heads.len().div_ceil(N_MEASURED).max(1));
            let len: f64 = seen().map(|head| f64::from(head.len)).sum();
            let is_wide = len > LONG * seen().count() as f64;
            let screen = if is_wide { Screen::WideSignatures } else { Screen::Signatures };
            let signed = Some(signed(number, is_wide));
            Self { screen, signed, is_grouped: options.dictionary, ..lead.clone() }
        };
        Some(match measure {
            Measure::Equal => Self { screen: Screen::Codes, ..lead },
            Measure::Within { reaches } => {
                Self { screen: Screen::Reaches, reaches: Some(reaches), is_symmetric: false, ..lead }
            }
            Measure::Texts { texts, .. } => {
                signed(encoded.texts(texts).heads, |texts, is_wide| Signed::Texts { texts, is_wide }, texts)
            }
            // The cells of points.
            Measure::Sets { sets, .. } | Measure::Near { cells: sets, .. } => {
                signed(encoded.sets(sets).heads, |sets, is_wide| Signed::Sets { sets, is_wide }, sets)
            }
        })
    }

    /// The keys of its two lists.
    pub(super) fn lists(&self, block: &Block) -> [ListKey; 2] {
        let [left, right] = self.listings();
        let key = |of: Option<Listing>, records: &Range<u32>| ListKey { of, records: records.clone() };
        [key(left, &block.left), key(right, &block.right)]
    }

    /// What its two lists are of.
    pub(crate) fn listings(&self) -> [Option<Listing>; 2] {
        [0, 1].map(|side: usize| {
            let operands = self.operands?;
            Some(Listing {
                operand: operands[side],
                signed: self.signed,
                reaches: if side == 0 { self.reaches } else { None },
                is_grouped: self.is_grouped,
            })
        })
    }
}

/// What a lead is expected to do.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// Pairs of items that are screened.
    screened: f64,
    /// Pairs of records or of items that are verified.
    verified: f64,
    /// The share of pairs that are near enough to be screened.
    near: f64,
    /// The share of pairs that are verified.
    passed: f64,
    /// By side: how many items there are, and of how many records; of one side with itself there is no second list.
    n_items: [f64; 2],
    n_records: [f64; 2],
    n_lists: usize,
    /// What it takes to compare two values, if that is what a pair is verified by.
    pub(crate) comparing: Option<PerPair>,
}

impl Estimate {
    /// How much a sweep has to do.
    pub(crate) fn counts(&self) -> SweepCounts {
        let n = |of: &[f64; 2]| of[..self.n_lists].iter().sum::<f64>();
        SweepCounts {
            n_records: n(&self.n_records),
            n_items: n(&self.n_items),
            n_screened: self.screened,
            n_verified: self.verified,
        }
    }

    /// Pairs that are verified.
    pub(crate) fn verified(&self) -> f64 {
        self.verified
    }

    /// By side: how many items there are.
    pub(crate) fn n_items(&self) -> [f64; 2] {
        self.n_items
    }

    /// The same for the pairs within a group of so many left and right records.
    pub(crate) fn counts_within(&self, n_records: [f64; 2]) -> SweepCounts {
        let items = [n_records[0].min(self.n_items[0]), n_records[1].min(self.n_items[1])];
        let n_pairs = items[0] * items[1];
        SweepCounts {
            n_records: n_records[..self.n_lists].iter().sum(),
            n_items: items[..self.n_lists].iter().sum(),
            n_screened: n_pairs * self.near,
            n_verified: (n_pairs + n_records[0] * n_records[1]) * self.passed,
        }
    }

    /// All pairs are verified.
    pub(crate) fn of_all(block: &Block) -> Self {
        let n_records = [block.left.len() as f64, block.right.len() as f64];
        let (share, n_lists) = halved(block.order(true));
        let verified = share * n_records[0] * n_records[1];
        Self {
            screened: 0.0,
            verified,
            near: 0.0,
            passed: share,
            n_items: n_records,
            n_records,
            n_lists,
            comparing: None,
        }
    }

    /// Of a lead over a block, if it is one; it is one of so many.
    pub(crate) fn new(encoded: &Encoded, lead: &Lead, block: &Block, n_leads: usize) -> Option<Self> {
        let [left, right] = lead.operands?.map(|operand| &encoded.codes[operand as usize]);
        let most = (N_COUNTED / n_leads.max(1)).clamp(LEAST_COUNTED, MOST_COUNTED);
        let n_samples = (N_SAMPLES / n_leads.max(1)).clamp(LEAST_SAMPLES, MOST_SAMPLES);
        let sides = [Codes::new(left, &block.left, most), Codes::new(right, &block.right, most)];
        let n_records = sides.each_ref().map(|side| side.codes.len() as f64);
        let (share_of_pairs, n_lists) = halved(block.order(lead.is_symmetric));
        let all = share_of_pairs * n_records[0] * n_records[1];
        let of = |screened, verified, near, passed, n_items| Self {
            screened,
            verified,
            near: near * share_of_pairs,
            passed: passed * share_of_pairs,
            n_items,
            n_records,
            n_lists,
            comparing: None,
        };
        match lead.screen {
            Screen::Codes => {
                let passed = equal(&sides, block.half && lead.is_symmetric);
                Some(of(0.0, all * passed, 0.0, passed, n_records))
            }
            Screen::Reaches => {
                let reaches = encoded.reaches(lead.reaches?);
                let within =
                    |l: u32, r: u32| (reaches[l as usize].from..reaches[l as usize].upto).contains(&r);
                let passed = share(&sides, n_samples, within);
                Some(of(0.0, all * passed, 0.0, passed, n_records))
            }
            Screen::Signatures | Screen::WideSignatures => {
                let heads = match lead.signed? {
                    Signed::Texts { texts, .. } => encoded.texts(texts).heads,
                    Signed::Sets { sets, .. } => encoded.sets(sets).heads,
                };
                let n_values = |side: usize| sides[side].n_values(heads.len());
                let n_items = match lead.is_grouped {
                    false => n_records,
                    true if block.half && lead.is_symmetric => [n_values(0); 2],
                    true => [n_values(0), n_values(1)],
                };
                let items = share_of_pairs * n_items[0] * n_items[1];
                let archive = archived(&encoded.predicates[lead.predicate as usize])?;
                let measure =
                    rkyv::access::<ArchivedPredicate, rkyv::rancor::Error>(&archive).ok()?.measure()?;
                let (mut near, mut passed) = (0.0, 0.0);
                let screened = |l: u32, r: u32| {
                    let (l, r) = (&heads[l as usize], &heads[r as usize]);
                    if l.len == 0 || r.len == 0 {
                        return false;
                    }
                    let limits = measure.limits(l.len, r.len);
                    near += f64::from(u8::from(limits.is_possible()));
                    let (only_l, only_r) = fewest_unshared(l.signature, r.signature);
                    // First symbols mostly differ.
                    let allowed = limits.unlike;
                    let passes = 2 * only_l as i32 <= allowed.left && 2 * only_r as i32 <= allowed.right;
                    passed += f64::from(u8::from(passes));
                    false
                };
                share(&sides, n_samples, screened);
                // What no sample shows is still there. Values that pass are compared once, their records for the rest.
                let (near, passed) = (near / n_samples as f64, (passed + 0.1) / n_samples as f64);
                let expanded = if lead.is_grouped { all } else { 0.0 };
                let comparing = Some(comparing(encoded, lead, heads));
                Some(Self {
                    comparing,
                    ..of(items * near, (items + expanded) * passed, near, passed, n_items)
                })
            }
            Screen::None => Some(Self::of_all(block)),
        }
    }
}

/// What it takes to compare two values of usual length.
fn comparing(encoded: &Encoded, lead: &Lead, heads: &[Head]) -> PerPair {
    let seen = || heads.iter().step_by(heads.len().div_ceil(N_MEASURED).max(1));
    let len = seen().map(|head| f64::from(head.len)).sum::<f64>() / seen().count().max(1) as f64;
    match encoded.predicates[lead.predicate as usize].test {
        Test::Compare { measure: Measure::Sets { .. }, .. } => (Unit::Tokens, 2.0 * len),
        Test::Compare { measure: Measure::Texts { by, .. }, .. } => {
            let is_matched = matches!(by, OfTexts::Jaro | OfTexts::JaroWinkler);
            let unit = if is_matched { Unit::Matches } else { Unit::Edits };
            (unit, len * (len / f64::from(BLOCK)).ceil())
        }
        _ => (Unit::Decided, 0.0),
    }
}

/// The share of all pairs that count in an order, and how many lists there are.
fn halved(order: Order) -> (f64, usize) {
    match order {
        Order::AsTheyAre | Order::Ascending => (1.0, 2),
        Order::Unordered => (0.5, 1),
    }
}

/// The codes of a side's records.
struct Codes<'a> {
    codes: &'a [u32],
    /// Of how many records values are counted.
    most: usize,
}

impl<'a> Codes<'a> {
    fn new(column: &'a CodeColumn, records: &Range<u32>, most: usize) -> Self {
        Self { codes: &column.codes[records.start as usize..records.end as usize], most }
    }

    /// Some records' codes, ascending, and how many records those are.
    fn some(&self) -> (Vec<u32>, usize) {
        let records = drawn(self.codes.len(), self.most);
        let codes = records.iter().map(|&record| self.codes[record as usize]);
        let mut codes: Vec<u32> = codes.filter(|&code| code != MISSING).collect();
        codes.sort_unstable();
        (codes, records.len())
    }

    /// How many values there are, of a domain that has so many: as many as a sample has, or if nearly each of its records has
    /// one of its own, as there may be.
    fn n_values(&self, n_heads: usize) -> f64 {
        let (mut some, n_some) = self.some();
        some.dedup();
        let scale = self.codes.len() as f64 / n_some.max(1) as f64;
        (some.len() as f64 * scale).min(n_heads as f64)
    }
}

/// The share of pairs of records with equal codes; of one side with itself, no record is compared with itself.
fn equal(sides: &[Codes<'_>; 2], is_self: bool) -> f64 {
    let [(left, n_left), (right, n_right)] = sides.each_ref().map(Codes::some);
    let (mut n_equal, mut from) = (0.0, 0);
    for run in left.chunk_by(|a, b| a == b) {
        from += right[from..].partition_point(|&code| code < run[0]);
        let n = right[from..].partition_point(|&code| code == run[0]) - usize::from(is_self);
        n_equal += (run.len() * n) as f64;
    }
    n_equal / (n_left * n_right).max(1) as f64
}

/// All of so many records, or at most so many, ascending: always the same.
pub(crate) fn drawn(n_records: usize, most: usize) -> Vec<u32> {
    if n_records <= most {
        return (0..n_records as u32).collect();
    }
    let mut random = Random::new(SEED);
    let mut drawn: Vec<u32> = (0..most).map(|_| random.below(n_records as u64) as u32).collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}

/// The share of so many random pairs of codes for which `holds`; missing ones count as not.
fn share(sides: &[Codes<'_>; 2], n_samples: usize, mut holds: impl FnMut(u32, u32) -> bool) -> f64 {
    if sides.iter().any(|side| side.codes.is_empty()) {
        return 0.0;
    }
    let mut random = Random::new(SEED);
    let mut n_held = 0;
    for _ in 0..n_samples {
        let [l, r] = sides.each_ref().map(|side| side.codes[random.below(side.codes.len() as u64) as usize]);
        n_held += u32::from(l != MISSING && r != MISSING && holds(l, r));
    }
    f64::from(n_held) / n_samples as f64
}

fn archived(predicate: &Predicate) -> Option<rkyv::util::AlignedVec> {
    rkyv::to_bytes::<rkyv::rancor::Error>(predicate).ok()
}
