//! Relations of two columns, as both sides compute with them: tuples, the digits they are sorted by, and where in an
//! open-addressing table they stand.
//!
//! A tuple is one word, its first column in the upper half: the order of words is the order of tuples.
//!
//! Tables have a power of two of slots and are probed linearly. A *set* has a tuple in a slot. An *index* of a relation
//! that is sorted has a key and the first row that has it, and in another array how many rows have it.

use crate::join::hash;

/// The tuple of two values.
#[inline]
pub const fn tuple(first: u32, second: u32) -> u64 {
    (first as u64) << 32 | second as u64
}

/// Its first value.
#[inline]
pub const fn first_of(tuple: u64) -> u32 {
    (tuple >> 32) as u32
}

/// Its second value.
#[inline]
pub const fn second_of(tuple: u64) -> u32 {
    tuple as u32
}

/// What a slot holds that nothing was put into; no tuple of a set is this, and no key and row.
pub const EMPTY: u64 = u64::MAX;

/// Mixes a tuple, so that every bit of it moves every bit of the result (the last steps of MurmurHash3's 128-bit form, by
/// Austin Appleby, in the public domain).
#[inline]
pub fn mix(tuple: u64) -> u64 {
    let mut h = tuple;
    h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

/// The fewest slots of a table.
pub const FEWEST_SLOTS: u64 = 32;

/// The slots of a table, and the order in which one looks at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    mask: u64,
    shift: u32,
}

impl Slots {
    /// Of a table with so many, a power of two from [`FEWEST_SLOTS`] on.
    #[inline]
    pub fn new(n_slots: u64) -> Self {
        Self { mask: n_slots - 1, shift: n_slots.leading_zeros() + 1 }
    }

    /// Where a tuple is looked for first: by the upper bits of its hash.
    #[inline]
    pub fn of_tuple(self, tuple: u64) -> u64 {
        mix(tuple) >> self.shift
    }

    /// Where a key is looked for first.
    #[inline]
    pub fn of_key(self, key: u32) -> u64 {
        u64::from(hash(key)) << 32 >> self.shift
    }

    /// Where one looks next.
    #[inline]
    pub fn after(self, slot: u64) -> u64 {
        (slot + 1) & self.mask
    }
}

/// How much of a table of so many slots may be filled, by a load factor in percent, 1 to 99. Some slot stays empty, or
/// looks would not end.
pub const fn most_filled(n_slots: u64, percent: u32) -> u64 {
    // The slots are at most 2^57 bytes of memory: no overflow.
    n_slots * percent as u64 / 100
}

/// The fewest slots that so many tuples or keys fill no more than they may.
pub const fn n_slots_for(n: u64, percent: u32) -> u64 {
    let mut n_slots = FEWEST_SLOTS;
    while most_filled(n_slots, percent) < n {
        n_slots *= 2;
    }
    n_slots
}

/// The rows of an index that have a key: the first of them, and how many.
#[inline(always)]
pub fn rows_of_key(slots: &[u64], lens: &[u32], key: u32) -> (u32, u32) {
    let order = Slots::new(slots.len() as u64);
    let mut slot = order.of_key(key);
    while let Some(&held) = slots.get(slot as usize) {
        if held == EMPTY {
            return (0, 0);
        }
        if first_of(held) == key {
            return (second_of(held), lens.get(slot as usize).copied().unwrap_or(0));
        }
        slot = order.after(slot);
    }
    (0, 0)
}

/// How many of the first `n` words of two sorted arrays together are left ones, where of equal words the left comes first
/// (Odeh et al., 'Merge Path', 2012). The arrays have so many words, and are read through functions.
#[inline(always)]
pub fn n_left_of(
    n: usize,
    [n_left, n_right]: [usize; 2],
    left: impl Fn(usize) -> u64,
    right: impl Fn(usize) -> u64,
) -> usize {
    let (mut from, mut upto) = (n.saturating_sub(n_right), n.min(n_left));
    while from < upto {
        let middle = from + (upto - from) / 2;
        if left(middle) <= right(n - 1 - middle) {
            from = middle + 1;
        } else {
            upto = middle;
        }
    }
    from
}

/// Bits of a word that one pass of a sort looks at: up to [`DIGIT_BITS`] of them, from one place, or from two with those of
/// the second above those of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// The first bit and how many, of the lower place and of the upper.
    fields: [(u32, u32); 2],
}

/// Bits of a digit at most.
pub const DIGIT_BITS: u32 = 8;
/// Values of a digit at most.
pub const DIGITS: u32 = 1 << DIGIT_BITS;

impl Digit {
    /// Of two places, each the first bit and how many; the second may have none.
    pub const fn new(lower: (u32, u32), upper: (u32, u32)) -> Self {
        Self { fields: [lower, upper] }
    }

    /// The digit of a word.
    #[inline(always)]
    pub fn of(self, word: u64) -> u32 {
        let [(first, n), (second, more)] = self.fields;
        let field = |shift: u32, n: u32| (word >> shift) as u32 & ((1 << n) - 1);
        field(first, n) | field(second, more) << n
    }

    /// As one word, as kernels take it.
    pub const fn packed(self) -> u64 {
        let [(first, n), (second, more)] = self.fields;
        first as u64 | (n as u64) << 8 | (second as u64) << 16 | (more as u64) << 24
    }

    /// From what [`Digit::packed`] made.
    #[inline(always)]
    pub fn unpacked(word: u64) -> Self {
        let byte = |nth: u32| (word >> (8 * nth)) as u32 & 0xff;
        Self { fields: [(byte(0), byte(1)), (byte(2), byte(3))] }
    }
}

/// Words of a tile for each thread that sorts it.
pub const SORT_ITEMS: u32 = 9;
/// Words that a warp selects from at once: a mask of 32 for each lane.
pub const SELECT_TILE: u32 = 32 * 32;
/// Words of a tile for each thread that merges.
pub const MERGE_ITEMS: u32 = 6;
/// Tuples that a join writes at once at most, for each thread.
pub const JOIN_ITEMS: u32 = 8;

// Words of shared memory that the kernels take.

/// For 64-bit sums over a block.
pub const WIDE_SUM_WORDS: u32 = 64;

/// To count digits.
pub const HISTOGRAM_WORDS: u32 = DIGITS;

/// To count candidates by rule: so many rules at most.
pub const RULE_WORDS: u32 = 1 << 12;

/// To place words by digit, with blocks of so many threads: sums, counts for each warp, what leads to places in device
/// memory, and the tile's words.
pub const fn scatter_words(n_threads: u32) -> u32 {
    crate::join::SUM_WORDS + (n_threads / crate::layout::WARP + 1) * DIGITS + 2 * SORT_ITEMS * n_threads
}

/// To merge, with blocks of so many threads: sums, and the tile's words.
pub const fn merge_words(n_threads: u32) -> u32 {
    crate::join::SUM_WORDS + 2 * MERGE_ITEMS * n_threads
}

/// To write what a join makes: sums, and by outer tuple of a tile its first value, where its matches end, and what leads from
/// there to rows.
pub const fn join_words(n_threads: u32) -> u32 {
    WIDE_SUM_WORDS + 3 * n_threads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mixer_is_the_published_one() {
        // fmix64 of MurmurHash3, worked out by hand from its definition.
        assert_eq!(mix(0), 0);
        assert_eq!(mix(1), 0xb456_bcfc_34c2_cb2c);
    }

    #[test]
    fn tables_are_as_small_as_they_may_be() {
        for percent in [1, 30, 50, 95, 99] {
            for n in [0, 1, 31, 32, 1000, 1 << 20, (1 << 33) + 1] {
                let n_slots = n_slots_for(n, percent);
                assert!(n_slots.is_power_of_two() && n <= most_filled(n_slots, percent));
                assert!(most_filled(n_slots, percent) < n_slots);
                assert!(n_slots == FEWEST_SLOTS || most_filled(n_slots / 2, percent) < n);
            }
        }
    }

    #[test]
    fn looks_begin_within_the_table_and_go_round() {
        for n_slots in [FEWEST_SLOTS, 1 << 20, 1 << 34] {
            let slots = Slots::new(n_slots);
            for tuple in [0, 1, tuple(7, 9), u64::MAX - 1] {
                assert!(slots.of_tuple(tuple) < n_slots);
                assert!(slots.of_key(tuple as u32) < n_slots);
            }
            assert_eq!(slots.after(n_slots - 1), 0);
            assert_eq!(slots.after(0), 1);
        }
    }

    #[test]
    fn digits_of_two_places_are_put_together() {
        let word = tuple(0b1010, 0b110_0111);
        let digit = Digit::new((4, 3), (32, 4));
        assert_eq!(digit.of(word), 0b101_0110);
        assert_eq!(Digit::unpacked(digit.packed()), digit);
        assert_eq!(Digit::new((0, 8), (0, 0)).of(word), 0b110_0111);
        assert_eq!(Digit::new((56, 8), (0, 0)).of(u64::MAX), 255);
    }
}
