//! The index of an overlap join: for each element, the values that have it in their prefix, in the order of values.
//!
//! Counted, summed up and filled as on a GPU. A part of the values belongs to one thread, and so do its slots: nobody waits
//! for anybody, and lists are in order.

use hyperblock_shared::overlap::{Overlap, Range32};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Lists of postings.
pub(super) struct Index {
    /// By slot, where its postings start; and at the end, how many there are.
    starts: Vec<AtomicU32>,
    postings: Vec<u64>,
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
        let postings: Vec<AtomicU64> = (0..sum).map(|_| AtomicU64::new(0)).collect();
        for_each(&|item, nth, place| {
            let at = place.load(Relaxed);
            postings[at as usize].store(overlap.posting(item, nth).word(), Relaxed);
            place.store(at + 1, Relaxed);
        });
        Self { starts, postings: postings.into_iter().map(AtomicU64::into_inner).collect() }
    }

    /// The postings of some slots.
    #[inline]
    pub(super) fn postings(&self, slots: Range32) -> &[u64] {
        let place = |slot: u32| self.starts[slot as usize].load(Relaxed) as usize;
        &self.postings[place(slots.from)..place(slots.upto)]
    }
}
