//! Looking values up: hits are gathered first, then screened by their signatures, then compared.
//!
//! Few hits pass, but which is anybody's guess: a processor that guesses wrong loses more time than a hit takes. So the
//! first two steps do not branch. They append every hit, and move on by one only where it passes.

use super::index::Index;
use super::{Pairs, room};
use hyperblock_shared::overlap::{Posting, Range32, Signature, Value, holds, unshared};
use multiversion::multiversion;

/// Hits that are gathered before they are screened: they stay in the first cache.
const GATHERED: usize = 1 << 11;

/// A thread that looks values up.
pub(super) struct Probe<'a> {
    pub(super) pairs: Pairs<'a>,
    index: &'a Index,
    /// Whose turn it is.
    class: u32,
    /// By class of indexed values: how many elements the two may lack of each other, for the class at hand.
    room: Vec<i32>,
    hits: Vec<u64>,
    passed: Vec<u32>,
    /// By indexed value: the last probing value that it was compared with. Of several hits of a pair only the first can be its
    /// first element in common.
    compared: Vec<u32>,
}

impl<'a> Probe<'a> {
    pub(super) fn new(pairs: Pairs<'a>, index: &'a Index) -> Self {
        let (hits, passed) = (vec![0; GATHERED], vec![0; GATHERED]);
        let compared = vec![u32::MAX; pairs.overlap.indexed.values.len()];
        Self { pairs, index, class: u32::MAX, room: Vec::new(), hits, passed, compared }
    }

    /// All pairs of a probing value.
    pub(super) fn look_up(&mut self, item: u32) {
        let Value { class, .. } = self.pairs.overlap.probing.values[item as usize];
        if class != self.class {
            self.class = class;
            self.room = room(&self.pairs.overlap, class);
        }
        for nth in 0..self.pairs.overlap.probing.classes[class as usize].prefix {
            let Some(lookup) = self.pairs.overlap.lookup(item, nth) else { continue };
            let index = self.index;
            for postings in index.postings(lookup.slots).chunks(GATHERED) {
                self.postings(item, nth, lookup.items, postings);
            }
        }
    }

    fn postings(&mut self, item: u32, nth: u32, items: Range32, postings: &[u64]) {
        let n_hits = gather(postings, self.class, items, &mut self.hits[..postings.len()]);
        let hits = &self.hits[..n_hits];
        let n_passed = if self.pairs.overlap.sizes.has_bitmap == 1 {
            let signature = &self.pairs.overlap.probing.signatures[item as usize];
            let signatures = self.pairs.overlap.indexed.signatures;
            screen(hits, signature, signatures, &self.room, &mut self.passed[..n_hits])
        } else {
            let passed = (0..)
                .zip(hits)
                .filter(|(_, hit)| self.room[usize::from(Posting::from_word(**hit).class)] >= 0);
            passed.zip(&mut self.passed).map(|((ix, _), passed)| *passed = ix).count()
        };
        for ix in 0..n_passed {
            let posting = Posting::from_word(self.hits[self.passed[ix] as usize]);
            let last = &mut self.compared[posting.item as usize];
            if std::mem::replace(last, item) == item {
                continue;
            }
            let least = self.pairs.overlap.least(self.class, posting.class.into());
            let (own, other) = (
                self.pairs.overlap.probing.elements(item),
                self.pairs.overlap.indexed.elements(posting.item),
            );
            if holds(own, other, nth, least) {
                self.pairs.found(posting.item, item);
            }
        }
    }
}

/// `Overlap::is_hit`, for many postings: writes those that are to `hits`, which is as long; how many they are.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt"))]
fn gather(postings: &[u64], class: u32, items: Range32, hits: &mut [u64]) -> usize {
    let n_items = items.upto - items.from;
    let mut n = 0;
    for &word in postings {
        let posting = Posting::from_word(word);
        hits[n] = word;
        let is_hit = (class < u32::from(posting.reach)) & (posting.item.wrapping_sub(items.from) < n_items);
        n += usize::from(is_hit);
    }
    n
}

/// `Overlap::may_hold`, for many hits: writes the places of those that may to `passed`, which is as long; how many they
/// are.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq+bmi1+bmi2+popcnt",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt"
))]
fn screen(
    hits: &[u64],
    signature: &Signature,
    signatures: &[Signature],
    room: &[i32],
    passed: &mut [u32],
) -> usize {
    let mut n = 0;
    for (ix, &word) in hits.iter().enumerate() {
        let posting = Posting::from_word(word);
        passed[n] = ix as u32;
        let differing = unshared(signature, &signatures[posting.item as usize]);
        n += usize::from(differing as i32 <= room[usize::from(posting.class)]);
    }
    n
}
