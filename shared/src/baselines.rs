//! Joins of others, as both sides compute with them: sizes, and the words of shared memory that their kernels take.

use crate::join::SUM_WORDS;
use crate::layout::WARP;

/// Rows that a thread holds at once where rows are moved.
pub const BATCH: u32 = 8;
/// What stands in the buffer for pairs where a warp had room left: no two rows are these.
pub const NO_PAIR: (u32, u32) = (u32::MAX - 1, u32::MAX);
/// The most keys of a partition that GSH joins apart: with the rest of the partition, one for each lane.
pub const MOST_TOP: u32 = WARP - 1;
/// Slots of its table of sampled keys.
pub const SAMPLE_SLOTS: u32 = 1 << 12;

/// Bits of a score of gSSJoin.
pub const SCORE_BITS: u32 = 16;
/// The most elements of a set, and so the highest score.
pub const MOST_ELEMENTS: u32 = (1 << SCORE_BITS) - 1;

/// Words of so many scores.
pub const fn n_score_words(n_sets: u32) -> u32 {
    n_sets.div_ceil(u32::BITS / SCORE_BITS)
}

/// Sets, from small to large.
#[derive(Clone, Copy, Debug)]
pub struct SetsBySize<'a> {
    /// By place where its elements start, and one more.
    pub starts: &'a [u32],
    /// Elements, numbered through.
    pub elements: &'a [u32],
    /// How many numbers there are.
    pub n_elements: u32,
    /// By place: which size it has, of all that there are.
    pub sizes: &'a [u32],
    /// How many.
    pub n_sizes: u32,
    /// By two sizes: how many elements sets of them need in common.
    pub least: &'a [u32],
}

// Words of shared memory that the kernels take.

/// To partition by so many classes into lists of buckets, with blocks of so many threads: four words a class, and a tile's
/// tuples.
pub const fn bucket_words(n_classes: u32, n_threads: u32) -> u32 {
    SUM_WORDS + 4 * n_classes + 2 * BATCH * n_threads
}

/// For a chained table of 2^`slot_bits` slots and so many rows: a word a slot; keys and what comes after them; and rows, if
/// they are wanted.
pub const fn chained_words(slot_bits: u32, n_rows: u32, sees_pairs: bool) -> u32 {
    (1 << slot_bits) + if sees_pairs { 3 * n_rows } else { 2 * n_rows }
}

/// To find skewed keys: a word a warp, and sampled keys with their counts.
pub const DETECT_WORDS: u32 = SUM_WORDS + 2 * SAMPLE_SLOTS;
/// To divide a partition: by class its key, its rows in a tile, and where they go.
pub const DIVIDE_WORDS: u32 = 3 * (MOST_TOP + 1);
/// To multiply: where pairs go.
pub const SKEWED_WORDS: u32 = 2;
