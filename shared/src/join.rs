//! Hash joins, as both sides compute them: where a key goes.
//!
//! The hash is a bijection of 32 bits: different keys never have the same one. Its upper bits say which partition a key
//! belongs to, the next ones where in the partition's table it stands. Keys that share those are told apart by comparing
//! them, however many they are.

use crate::layout::WARP;

pub use crate::columns::MISSING;

/// Mixes a key, so that every bit of it moves every bit of the result (the last steps of MurmurHash3, by Austin Appleby,
/// in the public domain).
#[inline]
pub fn hash(key: u32) -> u32 {
    let mut h = key;
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// The upper `bits` of a hash, at most 32 of them.
#[inline]
pub fn upper(hash: u32, bits: u32) -> u32 {
    // Shifting by 32 would shift by nothing.
    (u64::from(hash) >> (u32::BITS - bits)) as u32
}

/// The most heavy keys on a device.
pub const MOST_HEAVY: u32 = 1 << 8;
/// Slots of its table of heavy keys: so many that nearly all looks end at once.
pub const HEAVY_SLOTS: u32 = 16 * MOST_HEAVY;
/// Sampled keys that may be heavy: one that finds no room among them is light.
pub const MOST_LISTED: u32 = 1 << 13;
/// Rows of a tile for each thread that partitions it.
pub const ITEMS: u32 = 7;
/// Rows that each thread builds at once, when light partitions are joined.
pub const BUILT: u32 = 4;
/// Threads of a block that multiplies.
pub const PRODUCT_THREADS: u32 = 256;
/// Left rows of a part of a product.
pub const PRODUCT_LEFTS: u32 = 64;

// Words of shared memory that the kernels take.

/// For sums over a block.
pub const SUM_WORDS: u32 = 32;
/// To choose heavy keys: one for each number of times that a key may have come up, and two more.
pub const SELECT_WORDS: u32 = 256 + 2;
/// To number the parts of products through: two for each heavy key.
pub const PRODUCTS_WORDS: u32 = 2 * MOST_HEAVY;
/// To multiply: where pairs go, and left rows.
pub const PRODUCT_WORDS: u32 = 4 + PRODUCT_LEFTS;

/// To count the rows of so many classes.
pub const fn count_words(n_classes: u32) -> u32 {
    HEAVY_SLOTS + n_classes
}

/// To partition by so many classes, with blocks of so many threads: two words a class, and a tile's tuples.
pub const fn partition_words(n_classes: u32, n_threads: u32) -> u32 {
    SUM_WORDS + HEAVY_SLOTS + 2 * n_classes + 2 * ITEMS * n_threads
}

/// To join light partitions with blocks of so many threads: a table of `n_slots` slots, two words each, and the rows that are built, if they are wanted.
pub const fn light_words(n_slots: u32, n_threads: u32, sees_pairs: bool) -> u32 {
    let rows = if sees_pairs { BUILT * n_threads } else { 0 };
    LIGHT_OWN_WORDS + 2 * n_slots + rows
}

/// For each warp that also decides the pairs: a queue of two warps' pairs, and how many they are.
pub const RESIDUAL_WORDS: u32 = 1 + 2 * 2 * WARP;

/// To join light partitions and decide their pairs.
pub const fn residual_words(n_slots: u32, n_threads: u32) -> u32 {
    light_words(n_slots, n_threads, true) + n_threads / WARP * RESIDUAL_WORDS
}

/// Of those, what is there whatever the sizes.
pub const LIGHT_OWN_WORDS: u32 = 4;

#[cfg(test)]
mod tests {
    use super::{hash, upper};
    use std::collections::BTreeSet;

    #[test]
    fn different_keys_have_different_hashes() {
        let keys = (0..1u32 << 16).chain((0..1 << 16).map(|key| key << 16 | 0xffff));
        let hashes: BTreeSet<u32> = keys.map(hash).collect();
        // 0xffff is in both.
        assert_eq!(hashes.len(), (1 << 17) - 1);
    }

    #[test]
    fn upper_bits_may_be_none_or_all() {
        assert_eq!([0, 4, 32].map(|bits| upper(0xdead_beef, bits)), [0, 0xd, 0xdead_beef]);
    }
}
