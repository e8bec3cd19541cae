//! Heavy keys: found in a sample, before anything is partitioned, and looked up for every row.
//!
//! The sample is one row in a hundred, drawn with a seed. A key is heavy if one of the sides seems to have
//! enough rows of it. Whatever the sample says, the join is exact: a heavy key that nobody noticed is joined
//! with the light ones, and a light one that looked heavy is joined apart.
//!
//! Every row asks whether its key is heavy, so the answer must cost next to nothing: a key has one place in a
//! small table, and nothing else is looked at. A heavy key whose place is taken, by one that has more rows,
//! stays light.

use super::Sizes;
use crate::base::random::Random;
use crate::plan::join::KeyColumn;
use hyperblock_shared::join::{MISSING, hash};
use multiversion::multiversion;
use std::hint::select_unpredictable;

/// One row in so many is drawn,
const ONE_IN: usize = 100;
/// but at least so many,
const AT_LEAST: usize = 1 << 10;
/// and at most so many.
const AT_MOST: usize = 1 << 16;
/// A key that was drawn less often than this may be there by chance.
const LEAST_HITS: usize = 8;
/// More keys would need a table that leaves no room in the nearest cache.
const MOST_KEYS: usize = 256;
/// Places of the table, for each key.
const PLACES_PER_KEY: usize = 16;
/// Ways of giving out places that are tried.
const N_TRIES: u32 = 64;
const SEED: u64 = 0x6a6f_696e;

/// The heavy keys, by their hashes.
pub(super) struct Heavy {
    /// By place: a hash, and the number of the key in the lower half. Places without a key have the hash of a
    /// missing one, which no row has that takes part.
    places: Vec<u64>,
    multiplier: u32,
    shift: u32,
    n_keys: u32,
}

impl Heavy {
    /// All keys are light.
    pub(super) fn none() -> Self {
        Self::place(&[], 0, 1)
    }

    /// What a sample finds.
    pub(super) fn sample(sides: &[KeyColumn<'_>], sizes: &Sizes) -> Self {
        let mut found: Vec<(usize, u32)> = sides.iter().flat_map(|side| frequent(side.keys, sizes)).collect();
        // The most rows first, and of a key that is frequent on both sides the greater number.
        found.sort_unstable_by_key(|&(n_rows, hash)| (hash, std::cmp::Reverse(n_rows)));
        found.dedup_by_key(|&mut (_, hash)| hash);
        found.sort_unstable_by_key(|&(n_rows, hash)| (std::cmp::Reverse(n_rows), hash));
        found.truncate(MOST_KEYS);
        let hashes: Vec<u32> = found.into_iter().map(|(_, hash)| hash).collect();
        let bits = (hashes.len() * PLACES_PER_KEY).next_power_of_two().trailing_zeros().max(1);
        let mut random = Random::new(SEED);
        let mut best = Self::place(&hashes, bits, 1);
        for _ in 0..N_TRIES {
            if best.n_keys as usize == hashes.len() {
                break;
            }
            let other = Self::place(&hashes, bits, random.next() as u32 | 1);
            if other.n_keys > best.n_keys {
                best = other;
            }
        }
        best
    }

    /// Gives out places, 2 to the `bits`, in the order of the hashes; who finds a place taken gets none.
    fn place(hashes: &[u32], bits: u32, multiplier: u32) -> Self {
        let nobody = u64::from(hash(MISSING)) << 32;
        let bits = bits.max(1);
        let mut heavy =
            Self { places: vec![nobody; 1 << bits], multiplier, shift: u32::BITS - bits, n_keys: 0 };
        for &hash in hashes {
            let at = heavy.place_of(hash);
            if heavy.places[at] == nobody {
                heavy.places[at] = u64::from(hash) << 32 | u64::from(heavy.n_keys);
                heavy.n_keys += 1;
            }
        }
        heavy
    }

    pub(super) fn n_keys(&self) -> u32 {
        self.n_keys
    }

    #[inline]
    fn place_of(&self, hash: u32) -> usize {
        (hash.wrapping_mul(self.multiplier) >> self.shift) as usize
    }

    /// Numbers the hashes of heavy keys, from `first` on, and leaves the others as they are.
    pub(super) fn number(&self, hashes: &[u32], first: u16, numbers: &mut [u16]) {
        number(self, hashes, first, numbers);
    }
}

/// There is no branch that could be mispredicted.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2", "x86_64+avx2+bmi1+bmi2"))]
fn number(heavy: &Heavy, hashes: &[u32], first: u16, numbers: &mut [u16]) {
    for (&hash, number) in hashes.iter().zip(numbers) {
        let place = heavy.places[heavy.place_of(hash)];
        let is_heavy = (place >> 32) as u32 == hash;
        *number = select_unpredictable(is_heavy, first + place as u16, *number);
    }
}

/// Keys that seem to have many rows: how many, and their hashes.
fn frequent(keys: &[u32], sizes: &Sizes) -> Vec<(usize, u32)> {
    if keys.len() < sizes.heavy {
        return Vec::new();
    }
    let n = (keys.len() / ONE_IN).clamp(AT_LEAST.min(keys.len()), AT_MOST);
    let mut random = Random::new(SEED);
    let mut drawn: Vec<u32> = (0..n).map(|_| keys[random.below(keys.len() as u64) as usize]).collect();
    drawn.sort_unstable();
    let rows_of = |n_hits: usize| (n_hits as u128 * keys.len() as u128 / n as u128) as usize;
    drawn
        .chunk_by(|a, b| a == b)
        .filter(|run| run.len() >= LEAST_HITS && run[0] != MISSING && rows_of(run.len()) >= sizes.heavy)
        .map(|run| (rows_of(run.len()), hash(run[0])))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { light: 64, heavy: 100, piece: 16, per_thread: 1 << 14, of_pairs: 0 };

    fn number_of(heavy: &Heavy, key: u32) -> Option<u16> {
        let mut numbers = [u16::MAX];
        heavy.number(&[hash(key)], 0, &mut numbers);
        Some(numbers[0]).filter(|&number| number != u16::MAX)
    }

    fn is_heavy(heavy: &Heavy, key: u32) -> bool {
        number_of(heavy, key).is_some()
    }

    #[test]
    fn frequent_keys_of_either_side_are_heavy() {
        let left: Vec<u32> = (0..4000).map(|row| if row % 4 == 0 { 1 } else { 1000 + row }).collect();
        let right: Vec<u32> = (0..4000).map(|row| if row % 8 == 0 { 2 } else { MISSING }).collect();
        let sides = [&left, &right].map(|keys| KeyColumn { keys, rows: None });
        let heavy = Heavy::sample(&sides, &SIZES);
        assert_eq!(heavy.n_keys(), 2);
        assert!(is_heavy(&heavy, 1) && is_heavy(&heavy, 2));
        assert!(!is_heavy(&heavy, 1001) && !is_heavy(&Heavy::none(), 1));
    }

    #[test]
    fn few_keys_lose_their_place() {
        let keys: Vec<u32> = (0..100_000).map(|row| row % 60).collect();
        let heavy = Heavy::sample(&[KeyColumn { keys: &keys, rows: None }], &SIZES);
        // Some of the 60 may be drawn too seldom.
        assert!(heavy.n_keys() > 50, "{}", heavy.n_keys());
        let mut numbers: Vec<u16> = (0..60).filter_map(|key| number_of(&heavy, key)).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..heavy.n_keys() as u16));
    }

    #[test]
    fn short_sides_are_not_sampled() {
        let keys = [7; 99];
        assert_eq!(Heavy::sample(&[KeyColumn { keys: &keys, rows: None }], &SIZES).n_keys(), 0);
    }
}
