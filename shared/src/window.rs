//! A task cut into tiles: an interval of left records against a stretch of right ones.
//!
//! A thread block takes a tile at a time, a thread for each record of the interval, and walks the stretch. The window
//! is the set of tiles that are under way at once; it slides as blocks finish and take the next tile.

use bytemuck::{Pod, Zeroable};

/// Records in an interval, and so threads in a block (the paper's n_t).
pub const INTERVAL: u32 = 256;
/// Tiles under way at once, and so blocks in a launch (the paper's n_w).
pub const WINDOW: u32 = 1024;
/// Records in a stretch: long enough that taking a tile costs nothing, short enough that the last ones end together.
pub const STRETCH: u32 = 1024;

/// Work for one device: the pairs of a range of left records with a range of right ones.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct Task {
    /// The first left record.
    pub left_from: u32,
    /// One past the last left record.
    pub left_upto: u32,
    /// The first right record.
    pub right_from: u32,
    /// One past the last right record.
    pub right_upto: u32,
    /// 1 if both sides are one table and only pairs with left < right count, else 0.
    pub half: u32,
}

/// The pairs that one thread block takes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The first left record.
    pub left_from: u32,
    /// One past the last left record.
    pub left_upto: u32,
    /// The first right record.
    pub right_from: u32,
    /// One past the last right record.
    pub right_upto: u32,
}

impl Task {
    /// The number of tiles with intervals of `interval` and stretches of `stretch` records. It must fit in 32 bits,
    /// which the host sees to when it cuts tasks.
    pub fn n_tiles(&self, interval: u32, stretch: u32) -> u64 {
        u64::from((self.left_upto - self.left_from).div_ceil(interval)) * u64::from(self.n_stretches(stretch))
    }

    /// The tile at `ix`, below `n_tiles`.
    pub fn tile(&self, ix: u32, interval: u32, stretch: u32) -> Tile {
        let n_stretches = self.n_stretches(stretch);
        let left_from = self.left_from + ix / n_stretches * interval;
        let right_from = self.right_from + ix % n_stretches * stretch;
        let tile = Tile {
            left_from,
            left_upto: self.left_upto.min(left_from.saturating_add(interval)),
            right_from,
            right_upto: self.right_upto.min(right_from.saturating_add(stretch)),
        };
        if self.half == 0 {
            return tile;
        }
        // Nothing up to the first left record pairs with any of the interval.
        Tile { right_from: tile.right_from.max(tile.left_from + 1).min(tile.right_upto), ..tile }
    }

    /// Whether the task takes in the pair.
    pub fn holds(&self, left: u32, right: u32) -> bool {
        self.half == 0 || left < right
    }

    /// The number of pairs.
    pub fn n_pairs(&self) -> u64 {
        let lefts = u64::from(self.left_upto - self.left_from);
        let rights = u64::from(self.right_upto - self.right_from);
        if self.half == 0 {
            return lefts * rights;
        }
        // A left record below the right range pairs with all of it; one inside with the rights after itself.
        let below = self.right_from.clamp(self.left_from, self.left_upto);
        let inside = below..self.left_upto.min(self.right_upto).max(below);
        let (n_below, n_inside) = (u64::from(below - self.left_from), u64::from(inside.end - inside.start));
        let after = |left: u32| u64::from(self.right_upto.saturating_sub(left));
        n_below * rights + (after(inside.start) + after(inside.end)).saturating_sub(1) * n_inside / 2
    }

    fn n_stretches(&self, stretch: u32) -> u32 {
        (self.right_upto - self.right_from).div_ceil(stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn tiles_hold_each_pair_once(
            left_from in 0u32..20, lefts in 0u32..30, right_from in 0u32..20, rights in 0u32..30,
            half in 0u32..2, interval in 1u32..9, stretch in 1u32..9,
        ) {
            let task = Task {
                left_from, left_upto: left_from + lefts, right_from, right_upto: right_from + rights, half,
            };
            let mut seen = BTreeSet::new();
            for ix in 0..task.n_tiles(interval, stretch) as u32 {
                let tile = task.tile(ix, interval, stretch);
                for left in tile.left_from..tile.left_upto {
                    for right in (tile.right_from..tile.right_upto).filter(|&right| task.holds(left, right)) {
                        prop_assert!(seen.insert((left, right)));
                    }
                }
            }
            let all = (task.left_from..task.left_upto)
                .flat_map(|l| (task.right_from..task.right_upto).map(move |r| (l, r)))
                .filter(|&(l, r)| task.holds(l, r));
            prop_assert_eq!(&seen, &all.collect::<BTreeSet<_>>());
            prop_assert_eq!(seen.len() as u64, task.n_pairs());
        }
    }
}
