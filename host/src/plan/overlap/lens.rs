//! How many elements the items of a list have: runs of items that have equally many. Lists stand by length, so runs are few,
//! and all that is cut from a list (blocks, classes, what fits) is cut from them.

use std::ops::Range;

/// The lengths of a list's items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lens {
    /// By run: its first item, and how many elements its items have.
    runs: Vec<(u32, u32)>,
    n_items: u32,
}

impl Lens {
    /// By item.
    pub fn new(lens: &[u32]) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        let mut first = 0;
        for run in lens.chunk_by(|a, b| a == b) {
            runs.push((first, run[0]));
            first += run.len() as u32;
        }
        Self { runs, n_items: first }
    }

    /// Of runs in any order, each by its first item and what its items have; `None`, if that cannot be.
    pub fn of_runs(mut runs: Vec<(u32, u32)>, n_items: u32) -> Option<Self> {
        runs.sort_unstable();
        let ends = runs.iter().map(|&(first, _)| first).chain([n_items]);
        let is_sound = match runs.first() {
            Some(&(first, _)) => first == 0 && ends.is_sorted_by(|a, b| a < b),
            None => n_items == 0,
        };
        is_sound.then_some(Self { runs, n_items })
    }

    /// The same, of items with as many elements more or less as `change` makes of them.
    pub fn map(self, change: impl Fn(u32) -> u32) -> Self {
        let runs = self.runs.into_iter().map(|(first, len)| (first, change(len))).collect();
        Self { runs, ..self }
    }

    /// How many items there are.
    pub fn len(&self) -> u32 {
        self.n_items
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.n_items == 0
    }

    /// Which run an item is in.
    fn run_of(&self, item: u32) -> usize {
        self.runs.partition_point(|&(first, _)| first <= item).saturating_sub(1)
    }

    /// How many elements an item has.
    pub fn at(&self, item: u32) -> u32 {
        self.runs[self.run_of(item)].1
    }

    /// What of each run is within a range of items: how many elements they have, and which they are. Runs next to each other
    /// may have equally many.
    pub fn runs(&self, items: Range<u32>) -> impl Iterator<Item = (u32, Range<u32>)> {
        let Range { start, end } = items;
        let first = if start < end { self.run_of(start) } else { self.runs.len() };
        let ends = self.runs.iter().skip(first + 1).map(|&(next, _)| next).chain([self.n_items]);
        self.runs.iter().skip(first).zip(ends).map_while(move |(&(from, len), upto)| {
            (from < end).then(|| (len, from.max(start)..upto.min(end)))
        })
    }

    /// Those of all items.
    pub fn all(&self) -> impl Iterator<Item = (u32, Range<u32>)> {
        self.runs(0..self.n_items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_what_items_have() {
        let lens = [0, 0, 3, 3, 3, 7, 9, 2, 2];
        let runs = Lens::new(&lens);
        assert_eq!(runs.len(), 9);
        assert_eq!((0..9).map(|item| runs.at(item)).collect::<Vec<_>>(), lens);
        assert_eq!(runs.all().collect::<Vec<_>>(), [(0, 0..2), (3, 2..5), (7, 5..6), (9, 6..7), (2, 7..9)]);
        assert_eq!(runs.runs(3..6).collect::<Vec<_>>(), [(3, 3..5), (7, 5..6)]);
        assert_eq!(runs.runs(8..9).collect::<Vec<_>>(), [(2, 8..9)]);
        assert_eq!(runs.runs(4..4).count(), 0);
        assert_eq!(Lens::default().all().count(), 0);
        let again = Lens::of_runs(vec![(5, 7), (0, 0), (7, 2), (2, 3), (6, 9)], 9);
        assert_eq!(again.as_ref(), Some(&runs));
        assert_eq!(Lens::of_runs(vec![], 0), Some(Lens::default()));
        for wrong in [vec![(1, 2)], vec![], vec![(0, 1), (0, 2)], vec![(0, 1), (9, 1)]] {
            assert_eq!(Lens::of_runs(wrong, 9), None);
        }
    }
}
