//! The index of an overlap join: for each element, the values that have it in their prefix, in the order of values.
//!
//! Counted, summed up and filled as on a GPU. A part of the values belongs to one thread, and so do its slots: nobody waits
//! for anybody, and lists are in order.

use hyperblock_shared::overlap::{Overlap, Range32, Signature};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// A posting as a word, and the sketch of its value's signature: most hits are told apart without going to where signatures
/// are, which are too many to stay in a cache.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) posting: u64,
    pub(super) sketch: u64,
}

/// A signature, folded once more: bits in which two sketches differ stand for elements that one of the values lacks, too.
pub(super) fn sketch([a, b, c, d]: &Signature) -> u64 {
    a | b | c | d
}

/// Lists of postings.
pub(super) struct Index {
    /// By slot, where its postings start; and at the end, how many there are.
    starts: Vec<AtomicU32>,
    entries: Vec<Entry>,
}

impl Index {
    pub(super) fn new(overlap: &Overlap<'_>) -> Self {
        // A slot's number is that of the place behind it: filling moves it to its end, where the next one starts.
        let starts: Vec<AtomicU32> = (0..overlap.n_slots() + 1).map(|_| AtomicU32::new(0)).collect();
        let n_items = overlap.indexed.values.len();
        let parts: Vec<Range<u32>> = (0..n_items)
            .step_by(1 << overlap.sizes.part_bits)
            .map(|from| from as u32..n_items.min(from + (1 << overlap.sizes.part_bits)) as u32)
            .collect();
        let for_each = |visit: &(dyn Fn(u32, u32, &AtomicU32) + Sync)| {
            parts.par_iter().for_each(|part| {
                for item in part.clone() {
                    let prefix = overlap.indexed.class(item).prefix;
                    let elements = &overlap.indexed.elements(item)[..prefix as usize];
                    for (nth, &element) in elements.iter().enumerate() {
                        visit(item, nth as u32, &starts[overlap.slot(element, item) as usize + 1]);
                    }
                }
            });
        };
        for_each(&|_, _, count| count.store(count.load(Relaxed) + 1, Relaxed));
        let mut sum = 0;
        for start in &starts[1..] {
            let count = start.load(Relaxed);
            start.store(sum, Relaxed);
            sum += count;
        }
        let entries: Vec<[AtomicU64; 2]> = (0..sum).map(|_| [0, 0].map(AtomicU64::new)).collect();
        for_each(&|item, nth, place| {
            let at = place.load(Relaxed);
            let [posting, of_value] = &entries[at as usize];
            posting.store(overlap.posting(item, nth).word(), Relaxed);
            of_value.store(sketch(&overlap.indexed.signatures[item as usize]), Relaxed);
            place.store(at + 1, Relaxed);
        });
        let entries = entries.into_iter().map(|words| words.map(AtomicU64::into_inner));
        Self { starts, entries: entries.map(|[posting, sketch]| Entry { posting, sketch }).collect() }
    }

    /// The postings of some slots.
    #[inline]
    pub(super) fn entries(&self, slots: Range32) -> &[Entry] {
        let place = |slot: u32| self.starts[slot as usize].load(Relaxed) as usize;
        &self.entries[place(slots.from)..place(slots.upto)]
    }
}
