//! How a set of tuples takes what a join makes, where neither has room for all of it: step by step, and the set grows
//! between steps. Whoever has the set does the steps.

use super::LoadFactor;
use hyperblock_shared::relation::{most_filled, n_slots_for};

/// How many times as large a set becomes when it grows: much where that costs little, and else no more than it must.
const GROWTHS: [u64; 2] = [4, 2];
/// The slots from which on it costs more: they are 128 MB.
const LARGE: u64 = 1 << 24;
/// A set with less than this part of its room left grows rather than take so little.
const WORTHWHILE: u64 = 8;

/// A set, and the part of a join that it has taken.
#[derive(Clone, Copy, Debug)]
pub struct Taking {
    n_slots: u64,
    load: LoadFactor,
    /// More tuples there are none.
    bound: u64,
    /// Tuples that a step makes at most.
    buffer: u64,
    n_tuples: u64,
    n_taken: u64,
    /// Unknown before the first step.
    n_joined: Option<u64>,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The set is to have so many slots.
    Grow {
        /// A power of two.
        n_slots: u64,
    },
    /// The join is to make at most so many tuples, and the set to take them.
    Take {
        /// The number of the first, among all that the join makes.
        from: u64,
        /// How many.
        n: u64,
    },
    /// Nothing: all that the join makes was taken.
    Nothing,
}

impl Taking {
    /// A set of so many slots that has `n_tuples` of the `bound` tuples that there may be, and a buffer for some, at least
    /// 1.
    pub fn new(n_slots: u64, load: LoadFactor, bound: u64, buffer: u64, n_tuples: u64) -> Self {
        Self { n_slots, load, bound, buffer: buffer.max(1), n_tuples, n_taken: 0, n_joined: Some(0) }
    }

    /// Tuples in the set.
    pub fn n_tuples(&self) -> u64 {
        self.n_tuples
    }

    /// Tuples that a set of so many slots may have.
    pub fn most(&self, n_slots: u64) -> u64 {
        most_filled(n_slots, self.load.percent())
    }

    /// Another join is to be taken.
    pub fn begin(&mut self) {
        (self.n_taken, self.n_joined) = (0, None);
    }

    /// What is to be done.
    pub fn step(&self) -> Turn {
        let left = self.n_joined.map_or(self.buffer, |n_joined| (n_joined - self.n_taken).min(self.buffer));
        if left == 0 {
            return Turn::Nothing;
        }
        let most = self.most(self.n_slots);
        if most >= self.bound {
            return Turn::Take { from: self.n_taken, n: left };
        }
        let room = most - self.n_tuples;
        if room == 0 || room < left && room < most / WORTHWHILE {
            let growth = GROWTHS[usize::from(self.n_slots >= LARGE)];
            let enough = n_slots_for(self.bound, self.load.percent());
            return Turn::Grow { n_slots: (growth * self.n_slots).min(enough) };
        }
        Turn::Take { from: self.n_taken, n: left.min(room) }
    }

    /// The set has grown.
    pub fn grew(&mut self, n_slots: u64) {
        self.n_slots = n_slots;
    }

    /// At most `n` tuples were taken: the join makes so many, and the set has so many.
    pub fn took(&mut self, n: u64, n_joined: u64, n_tuples: u64) {
        self.n_taken = n_joined.min(self.n_taken + n);
        (self.n_joined, self.n_tuples) = (Some(n_joined), n_tuples);
    }
}

#[cfg(test)]
mod tests {
    use super::{Taking, Turn};
    use crate::operators::relations::LoadFactor;

    /// Takes a join of which one tuple in `every` is new; how often the set grew.
    fn take(taking: &mut Taking, n_joined: u64, every: u64) -> u32 {
        let (mut n_tuples, mut n_seen, mut n_grown) = (taking.n_tuples(), 0, 0);
        taking.begin();
        loop {
            match taking.step() {
                Turn::Nothing => break,
                Turn::Grow { n_slots } => {
                    n_grown += 1;
                    taking.grew(n_slots);
                }
                Turn::Take { from, n } => {
                    assert_eq!(from, n_seen);
                    let n_made = n.min(n_joined - from);
                    n_seen += n_made;
                    n_tuples += n_made / every;
                    assert!(n > 0 && n_tuples <= taking.most(taking.n_slots));
                    taking.took(n, n_joined, n_tuples);
                }
            }
        }
        assert_eq!((n_seen, taking.n_tuples()), (n_joined, n_tuples));
        n_grown
    }

    #[test]
    fn everything_is_taken() {
        for percent in [1, 50, 99] {
            for (n_slots, buffer) in [(32, 1), (32, 1000), (1 << 12, 100)] {
                let load = LoadFactor::from_percent(percent).unwrap();
                let mut taking = Taking::new(n_slots, load, 20_000, buffer, 0);
                for (n_joined, every) in [(0, 1), (1, 1), (5000, 1), (7000, 3), (0, 1)] {
                    take(&mut taking, n_joined, every);
                }
                assert!(taking.n_tuples() > 5000);
            }
        }
    }

    #[test]
    fn a_set_grows_only_when_it_is_nearly_full() {
        let mut taking = Taking::new(1 << 12, LoadFactor::default(), 1 << 30, 1 << 20, 0);
        assert_eq!(take(&mut taking, 100_000, 100_000), 0);
        assert_eq!(take(&mut taking, 1_700, 1), 0);
        assert_eq!(take(&mut taking, 1_000, 1), 1);
    }

    #[test]
    fn a_set_that_holds_all_there_may_be_does_not_grow() {
        let mut taking = Taking::new(32, LoadFactor::default(), 1000, 1 << 20, 0);
        assert_eq!(take(&mut taking, 1000, 1), 3);
        assert_eq!(take(&mut taking, 50_000, 50_001), 0);
        assert_eq!(taking.n_slots, 2048);
    }
}
