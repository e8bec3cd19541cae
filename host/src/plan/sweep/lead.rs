//! Leads: which of the predicates that all rules of a branch ask for may order and screen its scan, and at what cost.
//!
//! What a lead costs is estimated: the pairs that its scan looks at, and, many times as dear, those it has to verify. An
//! equality looks at what it verifies. A similarity looks at pairs of distinct values, and how many of them its screen
//! passes is seen on a sample.

use super::list::{ListKey, Signed};
use super::{Block, NO_LEAD};
use crate::base::random::Random;
use crate::encode::{CodeColumn, Encoded};
use crate::plan::{BranchSteps, ScanOptions};
use hyperblock_shared::columns::{Columns, Head, MISSING};
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate::{ArchivedPredicate, Predicate, Test};
use hyperblock_shared::screen::Screen;
use hyperblock_shared::signature::fewest_unshared;
use std::ops::Range;

/// Verifying a pair costs as much as screening so many.
pub(crate) const VERIFYING: f64 = 60.0;
/// Pairs that a screen is tried on.
const N_SAMPLES: usize = 512;
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
            let len: f64 = heads.iter().map(|head| f64::from(head.len)).sum();
            let is_wide = len > LONG * heads.len() as f64;
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
            Measure::Sets { sets, .. } => {
                signed(encoded.sets(sets).heads, |sets, is_wide| Signed::Sets { sets, is_wide }, sets)
            }
        })
    }

    /// The keys of its two lists.
    pub(super) fn lists(&self, block: &Block) -> [ListKey; 2] {
        let key = |side: usize, records: &Range<u32>| ListKey {
            operand: self.operands.map(|operands| operands[side]),
            signed: self.signed,
            reaches: if side == 0 { self.reaches } else { None },
            is_grouped: self.is_grouped,
            records: records.clone(),
        };
        [key(0, &block.left), key(1, &block.right)]
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
    /// By side: how many items there are.
    n_items: [f64; 2],
}

impl Estimate {
    /// In pairs that are screened.
    pub(crate) fn cost(&self) -> f64 {
        self.screened + VERIFYING * self.verified
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
    pub(crate) fn cost_within(&self, n_records: [f64; 2]) -> f64 {
        let items = n_records[0].min(self.n_items[0]) * n_records[1].min(self.n_items[1]);
        items * self.near + VERIFYING * (items + n_records[0] * n_records[1]) * self.passed
    }

    /// Of a lead over a block, if it is one.
    pub(crate) fn new(encoded: &Encoded, lead: &Lead, block: &Block) -> Option<Self> {
        let [left, right] = lead.operands?.map(|operand| &encoded.codes[operand as usize]);
        let sides = [Codes::new(left, &block.left), Codes::new(right, &block.right)];
        let n_records = sides.each_ref().map(|side| side.codes.len() as f64);
        let all = n_records[0] * n_records[1];
        match lead.screen {
            Screen::Codes => {
                let counts = sides.each_ref().map(Codes::counts);
                let pairs = counts[0].iter().zip(&counts[1]).map(|(&l, &r)| f64::from(l) * f64::from(r));
                // Of one table with itself, no record is compared with itself.
                let own = if block.half && lead.is_symmetric { n_records[0] } else { 0.0 };
                let verified = (pairs.sum::<f64>() - own).max(0.0);
                Some(Self {
                    screened: 0.0,
                    verified,
                    near: 0.0,
                    passed: verified / all.max(1.0),
                    n_items: n_records,
                })
            }
            Screen::Reaches => {
                let reaches = encoded.reaches(lead.reaches?);
                let within =
                    |l: u32, r: u32| (reaches[l as usize].from..reaches[l as usize].upto).contains(&r);
                let passed = share(&sides, within);
                Some(Self { screened: 0.0, verified: all * passed, near: 0.0, passed, n_items: n_records })
            }
            Screen::Signatures | Screen::WideSignatures => {
                let n_values = |side: &Codes<'_>| side.counts().iter().filter(|&&n| n > 0).count() as f64;
                let n_items = if lead.is_grouped { sides.each_ref().map(n_values) } else { n_records };
                let items = n_items[0] * n_items[1];
                let heads = match lead.signed? {
                    Signed::Texts { texts, .. } => encoded.texts(texts).heads,
                    Signed::Sets { sets, .. } => encoded.sets(sets).heads,
                };
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
                share(&sides, screened);
                // What no sample shows is still there. Values that pass are compared once, their records for the rest.
                let (near, passed) = (near / N_SAMPLES as f64, (passed + 0.1) / N_SAMPLES as f64);
                let expanded = if lead.is_grouped { all } else { 0.0 };
                let (screened, verified) = (items * near, (items + expanded) * passed);
                Some(Self { screened, verified, near, passed, n_items })
            }
            Screen::None => {
                Some(Self { screened: 0.0, verified: all, near: 0.0, passed: 1.0, n_items: n_records })
            }
        }
    }
}

/// The codes of a side's records.
struct Codes<'a> {
    codes: &'a [u32],
    n_codes: usize,
}

impl<'a> Codes<'a> {
    fn new(column: &'a CodeColumn, records: &Range<u32>) -> Self {
        let codes = &column.codes[records.start as usize..records.end as usize];
        let n_codes =
            codes.iter().filter(|&&code| code != MISSING).max().map_or(0, |&code| code as usize + 1);
        Self { codes, n_codes }
    }

    /// By code: how many records have it.
    fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.n_codes];
        for &code in self.codes {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += 1;
            }
        }
        counts
    }
}

/// The share of some random pairs of codes for which `holds`; missing ones count as not.
fn share(sides: &[Codes<'_>; 2], mut holds: impl FnMut(u32, u32) -> bool) -> f64 {
    if sides.iter().any(|side| side.codes.is_empty()) {
        return 0.0;
    }
    let mut random = Random::new(SEED);
    let mut n_held = 0;
    for _ in 0..N_SAMPLES {
        let [l, r] = sides.each_ref().map(|side| side.codes[random.below(side.codes.len() as u64) as usize]);
        n_held += u32::from(l != MISSING && r != MISSING && holds(l, r));
    }
    f64::from(n_held) / N_SAMPLES as f64
}

fn archived(predicate: &Predicate) -> Option<rkyv::util::AlignedVec> {
    rkyv::to_bytes::<rkyv::rancor::Error>(predicate).ok()
}
