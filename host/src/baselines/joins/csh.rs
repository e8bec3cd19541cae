//! CSH: Cbase, with heavy keys found before and joined on the way.
//!
//! ```text
//! sample of the left side ─► heavy keys ─┐
//! left ─► partition ─┬─► rows of each heavy key ──┐
//!                    └─► light partitions ─┐      │
//! right ─► partition ┬─► light partitions ─┴► NM-join, as Cbase
//!                    └─► with all left rows of its heavy key, at once
//! ```
//!
//! Right tuples of heavy keys are read once and never copied, and their keys are not compared again.

use super::radix::{Aside, partition};
use super::{Detection, Joined, Sink, Tuple, cbase};
use crate::base::random::Random;
use crate::operators::join::phases::Phases;
use hashbrown::HashMap;
use hyperblock_shared::join::hash;

/// Left rows of a heavy key may be in another order from run to run; which keys are heavy is not.
const SEED: u64 = 0x637368;

pub(super) fn join<S: Sink>(
    left: &[Tuple],
    right: &[Tuple],
    detection: Detection,
    sink: impl Fn() -> S + Sync,
) -> (Vec<S>, Joined) {
    let mut phases = Phases::new();
    let heavy = Heavy::sample(left, detection);
    phases.end("sample");
    let (lefts, kept) = partition(left, &Lefts(&heavy));
    let rows = heavy.rows(&kept);
    drop(kept);
    let (rights, mut sinks) = partition(right, &Rights { heavy: &heavy, rows: &rows, sink: &sink });
    let tasks = cbase::tasks(&lefts, &rights, left.len().max(right.len()));
    phases.end("partition");
    sinks.extend(cbase::run(&tasks, sink));
    phases.end("nm-join");
    (sinks, Joined { n_heavy: heavy.n_keys, phases: phases.list, ..Joined::default() })
}

/// The table of heavy keys: each with the number of its partition.
struct Heavy {
    /// By hash, open: a key and its partition from 1 on; 0 for nothing.
    slots: Vec<(u32, u32)>,
    n_keys: u32,
}

impl Heavy {
    fn sample(left: &[Tuple], Detection { one_of, at_least }: Detection) -> Self {
        let mut random = Random::new(SEED);
        let n_sampled = left.len() / one_of.max(1) as usize;
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for _ in 0..n_sampled {
            *counts.entry(left[random.below(left.len() as u64) as usize].key).or_default() += 1;
        }
        let mut keys: Vec<u32> =
            counts.into_iter().filter(|(_, count)| *count >= at_least.max(1)).map(|(key, _)| key).collect();
        keys.sort_unstable();
        let mut heavy =
            Self { slots: vec![(0, 0); (4 * keys.len()).next_power_of_two()], n_keys: keys.len() as u32 };
        for (partition, key) in (1..).zip(keys) {
            let free = heavy.look(key).1;
            heavy.slots[free] = (key, partition);
        }
        heavy
    }

    /// The key's partition from 1 on, or 0; and the slot where it stands, or would.
    #[inline]
    fn look(&self, key: u32) -> (u32, usize) {
        let mask = self.slots.len() - 1;
        let mut at = hash(key) as usize & mask;
        loop {
            let (found, partition) = self.slots[at];
            if found == key || partition == 0 {
                return (partition, at);
            }
            at = (at + 1) & mask;
        }
    }

    /// By partition: the left rows of its key.
    fn rows(&self, kept: &[Vec<Vec<u32>>]) -> Vec<Vec<u32>> {
        let of = |partition: usize| kept.iter().flat_map(|kept| &kept[partition]).copied().collect();
        (0..self.n_keys as usize).map(of).collect()
    }
}

/// Left rows of heavy keys are kept by key.
struct Lefts<'a>(&'a Heavy);

impl Aside for Lefts<'_> {
    type Kept = Vec<Vec<u32>>;

    fn none(&self) -> Self::Kept {
        vec![Vec::new(); self.0.n_keys as usize]
    }

    #[inline]
    fn takes(&self, key: u32) -> bool {
        self.0.look(key).0 > 0
    }

    fn take(&self, kept: &mut Self::Kept, tuple: Tuple) {
        kept[self.0.look(tuple.key).0 as usize - 1].push(tuple.row);
    }
}

/// Right rows of heavy keys are joined.
struct Rights<'a, F> {
    heavy: &'a Heavy,
    rows: &'a [Vec<u32>],
    sink: F,
}

impl<S: Sink, F: Fn() -> S + Sync> Aside for Rights<'_, F> {
    type Kept = S;

    fn none(&self) -> S {
        (self.sink)()
    }

    #[inline]
    fn takes(&self, key: u32) -> bool {
        self.heavy.look(key).0 > 0
    }

    fn take(&self, sink: &mut S, tuple: Tuple) {
        for &left in &self.rows[self.heavy.look(tuple.key).0 as usize - 1] {
            sink.pair(left, tuple.row);
        }
    }
}
