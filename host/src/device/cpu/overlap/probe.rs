//! Looking values up: hits are gathered first, as far as their sketches let them pass, then screened by their signatures,
//! then compared.
//!
//! Few hits pass, but which is anybody's guess: a processor that guesses wrong loses more time than a hit takes. So the
//! first two steps do not branch. They append every hit, and move on by one only where it passes.

use super::index::{Entry, Index, sketch};
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
    /// The most of it that any class has.
    most: u32,
    /// Whether one element in common is enough: then whatever is a hit has as much.
    is_one_enough: bool,
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
        let (room, is_one_enough) = (Vec::new(), false);
        Self { pairs, index, class: u32::MAX, room, most: 0, is_one_enough, hits, passed, compared }
    }

    /// All pairs of a probing value. How many pairs of records that are at most.
    pub(super) fn look_up(&mut self, item: u32) -> u64 {
        let mut n_named = 0;
        let Value { class, .. } = self.pairs.overlap.probing.values[item as usize];
        if class != self.class {
            self.class = class;
            self.room = room(&self.pairs.overlap, class);
            let has_bitmap = self.pairs.overlap.sizes.has_bitmap == 1;
            let most = self.room.iter().max().filter(|_| has_bitmap);
            self.most = most.map_or(u32::MAX, |&most| most.max(0) as u32);
            let overlap = &self.pairs.overlap;
            let least = (0..overlap.indexed.classes.len() as u32).map(|other| overlap.least(class, other));
            self.is_one_enough = { least }.all(|least| least == 1);
        }
        for nth in 0..self.pairs.overlap.probing.classes[class as usize].prefix {
            let Some(lookup) = self.pairs.overlap.lookup(item, nth) else { continue };
            let index = self.index;
            let entries = index.entries(lookup.slots);
            n_named += entries.len() as u64;
            for entries in entries.chunks(GATHERED) {
                self.entries(item, nth, lookup.items, entries);
            }
        }
        self.pairs.n_compared(item, n_named)
    }

    fn entries(&mut self, item: u32, nth: u32, items: Range32, entries: &[Entry]) {
        let signature = &self.pairs.overlap.probing.signatures[item as usize];
        let within = Within { class: self.class, items, sketch: sketch(signature), most: self.most };
        let n_hits = gather(entries, &within, &mut self.hits[..entries.len()]);
        if self.is_one_enough {
            return self.first_hits(item, n_hits);
        }
        let hits = &self.hits[..n_hits];
        let n_passed = if self.pairs.overlap.sizes.has_bitmap == 1 {
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

impl Probe<'_> {
    /// Gathered hits of a value that needs one element in common: of several of a pair, the first.
    fn first_hits(&mut self, item: u32, n_hits: usize) {
        for ix in 0..n_hits {
            let posting = Posting::from_word(self.hits[ix]);
            if std::mem::replace(&mut self.compared[posting.item as usize], item) != item {
                self.pairs.found(posting.item, item);
            }
        }
    }
}

/// What a hit must be within.
struct Within {
    class: u32,
    items: Range32,
    sketch: u64,
    most: u32,
}

/// `Overlap::is_hit`, for many postings, and by their sketches: writes those that are to `hits`, which is as long; how many
/// they are.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+popcnt", "x86_64+popcnt"))]
fn gather(entries: &[Entry], within: &Within, hits: &mut [u64]) -> usize {
    let &Within { class, items, sketch, most } = within;
    let n_items = items.upto - items.from;
    let mut n = 0;
    for entry in entries {
        let posting = Posting::from_word(entry.posting);
        hits[n] = entry.posting;
        let is_hit = (class < u32::from(posting.reach))
            & (posting.item.wrapping_sub(items.from) < n_items)
            & ((entry.sketch ^ sketch).count_ones() <= most);
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
