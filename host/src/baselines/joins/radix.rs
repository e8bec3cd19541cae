//! Partitioning by the bits of keys, in two passes.
//!
//! ```text
//! segments of a side, one a thread ─► first pass: 2^7 classes ─► second pass, a task a class: 2^14 partitions
//! ```
//!
//! Each pass reads its tuples twice: to count them by class, and to copy them. They are copied through buffers of a cache line for each
//! class, so that few pages are written to at a time. In the first pass a thread's tuples stay in an array of its own, in the
//! order of their classes, where the original has one array for all threads with a place for each: the second pass reads both alike.

use super::{Tuple, segments};
use crate::base::gather::Gather;
use rayon::prelude::*;

/// Bits that a pass looks at.
pub(super) const BITS: u32 = 7;
/// Bits that both look at: the lowest ones of a key.
pub(super) const PASSED: u32 = 2 * BITS;
const N_CLASSES: usize = 1 << BITS;
/// Tuples of a cache line.
const LINE: usize = 8;

/// The class of a key, by the bits from `shift` on.
fn class(key: u32, shift: u32) -> usize {
    (u64::from(key) >> shift) as usize & (N_CLASSES - 1)
}

/// What becomes of some tuples on the way: they are not copied.
pub(super) trait Aside: Sync {
    /// What a thread has of them.
    type Kept: Send;

    fn none(&self) -> Self::Kept;

    /// Whether tuples of this key go aside.
    fn takes(&self, key: u32) -> bool;

    fn take(&self, kept: &mut Self::Kept, tuple: Tuple);
}

/// Nothing goes aside.
pub(super) struct Nothing;

impl Aside for Nothing {
    type Kept = ();

    fn none(&self) {}

    #[inline]
    fn takes(&self, _: u32) -> bool {
        false
    }

    fn take(&self, (): &mut (), _: Tuple) {}
}

/// Tuples in the order of their classes.
struct Sorted {
    tuples: Vec<Tuple>,
    /// By class: where it begins; and the end.
    starts: Vec<usize>,
}

impl Sorted {
    fn class(&self, class: usize) -> &[Tuple] {
        &self.tuples[self.starts[class]..self.starts[class + 1]]
    }
}

/// A side after both passes: its partitions, by class of the first pass.
pub(super) struct Partitions(Vec<Sorted>);

impl Partitions {
    /// In the order of their numbers, which are the same for both sides.
    pub(super) fn all(&self) -> impl Iterator<Item = &[Tuple]> {
        self.0.iter().flat_map(|sorted| (0..N_CLASSES).map(|class| sorted.class(class)))
    }
}

/// Both passes. What goes aside does so in the first one.
pub(super) fn partition<A: Aside>(tuples: &[Tuple], aside: &A) -> (Partitions, Vec<A::Kept>) {
    let segments: Vec<&[Tuple]> = segments(tuples).collect();
    let first = |segment: &&[Tuple]| {
        let mut kept = aside.none();
        let sorted = sort(&[*segment], 0, aside, &mut kept);
        (sorted, kept)
    };
    let (sorted, kept): (Vec<Sorted>, Vec<A::Kept>) = segments.par_iter().map(first).unzip();
    let second = |class: usize| {
        let parts: Vec<&[Tuple]> = sorted.iter().map(|sorted| sorted.class(class)).collect();
        sort(&parts, BITS, &Nothing, &mut ())
    };
    // A task for each class: whoever has done one takes the next.
    (Partitions((0..N_CLASSES).into_par_iter().with_max_len(1).map(second).gather()), kept)
}

/// A partition, broken up by the bits from `shift` on.
pub(super) fn broken_up(tuples: &[Tuple], shift: u32) -> Vec<Vec<Tuple>> {
    let sorted = sort(&[tuples], shift, &Nothing, &mut ());
    (0..N_CLASSES).map(|class| sorted.class(class).to_vec()).collect()
}

fn sort<A: Aside>(parts: &[&[Tuple]], shift: u32, aside: &A, kept: &mut A::Kept) -> Sorted {
    let mut starts = vec![0; N_CLASSES + 1];
    for tuple in parts.iter().copied().flatten() {
        if !aside.takes(tuple.key) {
            starts[class(tuple.key, shift) + 1] += 1;
        }
    }
    for class in 0..N_CLASSES {
        starts[class + 1] += starts[class];
    }
    let mut tuples = vec![Tuple::default(); starts[N_CLASSES]];
    let mut ends = starts.clone();
    let mut lines = vec![[Tuple::default(); LINE]; N_CLASSES];
    for &tuple in parts.iter().copied().flatten() {
        if aside.takes(tuple.key) {
            aside.take(kept, tuple);
            continue;
        }
        let class = class(tuple.key, shift);
        let end = ends[class];
        lines[class][end % LINE] = tuple;
        ends[class] = end + 1;
        if (end + 1).is_multiple_of(LINE) {
            flush(&mut tuples, &lines[class], starts[class].max(end + 1 - LINE), end + 1);
        }
    }
    for class in 0..N_CLASSES {
        let end = ends[class];
        flush(&mut tuples, &lines[class], starts[class].max(end - end % LINE), end);
    }
    Sorted { tuples, starts }
}

/// Copies what a line has of the places from `from` to `end`, which are all of one line.
fn flush(tuples: &mut [Tuple], line: &[Tuple; LINE], from: usize, end: usize) {
    let in_line = from % LINE;
    tuples[from..end].copy_from_slice(&line[in_line..in_line + end - from]);
}
