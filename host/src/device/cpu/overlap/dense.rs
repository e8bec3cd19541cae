//! All pairs whose sizes go together, by their signatures: where an index would find so many that it had better not be asked.
//!
//! Signatures are laid out by word, so that a loop over values is vector code. A tile of them stays in the first cache while a
//! batch of probing values goes over it.

use super::Pairs;
use hyperblock_shared::measure::sets::share;
use hyperblock_shared::overlap::{Overlap, Signature, Value};
use multiversion::multiversion;
use std::ops::Range;

/// Indexed values of a tile.
const TILE: u32 = 1 << 9;

/// The signatures of a block's values, by word.
pub(super) struct Signatures([Vec<u64>; 4]);

impl Signatures {
    pub(super) fn new(overlap: &Overlap<'_>) -> Self {
        let word = |ix: usize| overlap.indexed.signatures.iter().map(|signature| signature[ix]).collect();
        Self([0, 1, 2, 3].map(word))
    }
}

/// A thread that compares values.
pub(super) struct Dense<'a> {
    pub(super) pairs: Pairs<'a>,
    signatures: &'a Signatures,
    class: u32,
    /// By indexed value: how many elements it and one of the class at hand may lack of each other.
    room: Vec<i64>,
    passed: Vec<u8>,
}

impl<'a> Dense<'a> {
    pub(super) fn new(pairs: Pairs<'a>, signatures: &'a Signatures) -> Self {
        Self { pairs, signatures, class: u32::MAX, room: Vec::new(), passed: vec![0; TILE as usize] }
    }

    /// All pairs of some probing values.
    pub(super) fn compare(&mut self, items: Range<u32>) {
        let overlap = self.pairs.overlap;
        let reach = items.clone().map(|item| self.reach(item)).filter(|reach| !reach.is_empty());
        let Some(all) = reach.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)) else { return };
        for from in all.clone().step_by(TILE as usize) {
            let tile = from..all.end.min(from + TILE);
            for item in items.clone() {
                let class = overlap.probing.values[item as usize].class;
                if class != self.class {
                    self.class = class;
                    self.room = rooms(&overlap, class);
                }
                let Range { start, end } = self.reach(item);
                let range = start.max(tile.start)..end.min(tile.end);
                if !range.is_empty() {
                    self.tile(item, range);
                }
            }
        }
    }

    /// The indexed values that a probing one may meet, by their sizes and by their order.
    fn reach(&self, item: u32) -> Range<u32> {
        let overlap = &self.pairs.overlap;
        let class = overlap.probing.class(item);
        if class.prefix == 0 {
            return 0..0;
        }
        let upto = overlap.probing.bounds[class.bounds as usize];
        class.from..if overlap.sizes.is_self == 1 { upto.min(item) } else { upto }
    }

    fn tile(&mut self, item: u32, range: Range<u32>) {
        let overlap = self.pairs.overlap;
        let of = range.start as usize..range.end as usize;
        let words = self.signatures.0.each_ref().map(|words| &words[of.clone()]);
        let signature = &overlap.probing.signatures[item as usize];
        let passed = &mut self.passed[..of.len()];
        let is_any = if overlap.sizes.has_bitmap == 1 {
            screen(signature, words, &self.room[of], passed)
        } else {
            passed.iter_mut().zip(&self.room[of]).for_each(|(passed, &room)| *passed = u8::from(room >= 0));
            true
        };
        if !is_any {
            return;
        }
        let own = overlap.probing.elements(item);
        for (place, other) in range.enumerate() {
            if self.passed[place] == 1 {
                let Value { class, .. } = overlap.indexed.values[other as usize];
                let least = overlap.least(self.class, class);
                if share(own, overlap.indexed.elements(other), least) {
                    self.pairs.found(other, item);
                }
            }
        }
    }
}

fn rooms(overlap: &Overlap<'_>, class: u32) -> Vec<i64> {
    let by_class = super::room(overlap, class);
    overlap.indexed.values.iter().map(|value| i64::from(by_class[value.class as usize])).collect()
}

/// `Overlap::may_hold`, for many values: flags those that may; whether there is any.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt"
))]
fn screen(own: &Signature, words: [&[u64]; 4], room: &[i64], passed: &mut [u8]) -> bool {
    let n = passed.len();
    let [a, b, c, d] = words.map(|words| &words[..n]);
    let room = &room[..n];
    let mut any = 0;
    for ix in 0..n {
        let differing = i64::from((a[ix] ^ own[0]).count_ones())
            + i64::from((b[ix] ^ own[1]).count_ones())
            + i64::from((c[ix] ^ own[2]).count_ones())
            + i64::from((d[ix] ^ own[3]).count_ones());
        let flag = u8::from(differing <= room[ix]);
        passed[ix] = flag;
        any |= flag;
    }
    any != 0
}
