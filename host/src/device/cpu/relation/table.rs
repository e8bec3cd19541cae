//! Open-addressing tables of one thread, or of many that only read: an index of a relation, and a set of tuples.

use crate::base::error::{Error, Result};
use crate::operators::relations::LoadFactor;
use hyperblock_shared::relation::{
    EMPTY, FEWEST_SLOTS, Slots, first_of, most_filled, n_slots_for, rows_of_key, tuple,
};

/// A sorted relation, indexed by its first column.
pub(in crate::device::cpu) struct Index<'a> {
    rows: &'a [u64],
    slots: Vec<u64>,
    lens: Vec<u32>,
}

impl<'a> Index<'a> {
    pub(in crate::device::cpu) fn new(rows: &'a [u64], load: LoadFactor) -> Result<Self> {
        if rows.len() >= u32::MAX as usize {
            return Err(Error::Job(format!("{} rows are too many to index", rows.len())));
        }
        let runs = || rows.chunk_by(|a, b| first_of(*a) == first_of(*b));
        let n_slots = n_slots_for(runs().count() as u64, load.percent());
        let (mut slots, mut lens) = (vec![EMPTY; n_slots as usize], vec![0; n_slots as usize]);
        let order = Slots::new(n_slots);
        let mut row = 0;
        for run in runs() {
            let key = run.first().map_or(0, |&first| first_of(first));
            let mut slot = order.of_key(key);
            while slots[slot as usize] != EMPTY {
                slot = order.after(slot);
            }
            slots[slot as usize] = tuple(key, row);
            lens[slot as usize] = run.len() as u32;
            row += run.len() as u32;
        }
        Ok(Self { rows, slots, lens })
    }

    /// The rows that have a key.
    #[inline]
    pub(in crate::device::cpu) fn rows(&self, key: u32) -> &'a [u64] {
        let (first, len) = rows_of_key(&self.slots, &self.lens, key);
        self.rows.get(first as usize..first as usize + len as usize).unwrap_or_default()
    }
}

/// A set of tuples, which grows.
pub(in crate::device::cpu) struct TupleSet {
    slots: Vec<u64>,
    order: Slots,
    load: LoadFactor,
    n_tuples: u64,
    most: u64,
}

impl TupleSet {
    pub(in crate::device::cpu) fn new(load: LoadFactor) -> Self {
        let most = most_filled(FEWEST_SLOTS, load.percent());
        let slots = vec![EMPTY; FEWEST_SLOTS as usize];
        Self { slots, order: Slots::new(FEWEST_SLOTS), load, n_tuples: 0, most }
    }

    /// Puts a tuple into it; whether it was not there before.
    #[inline]
    pub(in crate::device::cpu) fn insert(&mut self, tuple: u64) -> bool {
        let slot = self.slot_of(tuple);
        if self.slots[slot] == tuple {
            return false;
        }
        if self.n_tuples == self.most {
            self.grow();
            return self.insert(tuple);
        }
        self.slots[slot] = tuple;
        self.n_tuples += 1;
        true
    }

    /// Where a tuple is, or would go.
    #[inline]
    fn slot_of(&self, tuple: u64) -> usize {
        let mut slot = self.order.of_tuple(tuple);
        loop {
            let held = self.slots[slot as usize];
            if held == EMPTY || held == tuple {
                return slot as usize;
            }
            slot = self.order.after(slot);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let n_slots = 2 * self.slots.len();
        let before = std::mem::replace(&mut self.slots, vec![EMPTY; n_slots]);
        self.order = Slots::new(n_slots as u64);
        self.most = most_filled(n_slots as u64, self.load.percent());
        for tuple in before.into_iter().filter(|&held| held != EMPTY) {
            let slot = self.slot_of(tuple);
            self.slots[slot] = tuple;
        }
    }

    /// Takes everything out.
    pub(in crate::device::cpu) fn clear(&mut self) {
        self.slots.fill(EMPTY);
        self.n_tuples = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, TupleSet};
    use crate::operators::relations::LoadFactor;
    use hyperblock_shared::relation::{first_of, mix, tuple};
    use std::collections::BTreeSet;

    fn loads() -> impl Iterator<Item = LoadFactor> {
        [1, 30, 50, 80, 95, 99].into_iter().filter_map(LoadFactor::from_percent)
    }

    #[test]
    fn a_set_says_what_is_new() {
        for load in loads() {
            let mut set = TupleSet::new(load);
            for _ in 0..2 {
                let mut expected = BTreeSet::new();
                for ix in 0..5000 {
                    let tuple = mix(ix) % 1500;
                    assert_eq!(set.insert(tuple), expected.insert(tuple), "{load}");
                }
                set.clear();
            }
        }
    }

    #[test]
    fn an_index_has_all_rows_of_a_key() {
        let mut rows: Vec<u64> = (0..3000).map(|ix| tuple((mix(ix) % 700) as u32, ix as u32)).collect();
        rows.extend((0..500).map(|ix| tuple(900, ix)));
        rows.sort_unstable();
        for load in loads() {
            let index = Index::new(&rows, load).unwrap();
            for key in 0..1000 {
                let expected: Vec<u64> = rows.iter().copied().filter(|&row| first_of(row) == key).collect();
                assert_eq!(index.rows(key), expected, "{key} at {load}");
            }
        }
        assert!(Index::new(&[], LoadFactor::default()).unwrap().rows(0).is_empty());
    }
}
