//! Orders of records by a key: what neighbourhoods are found in.
//!
//! Computes  records by the rank of their key, then by number, a left one before the right one of the same number; and where
//!           each left record stands
//! Layout    words, the rank in the upper half, the record in the lower; records of the right table numbered after the left's
//! Launch    1-D, any number of blocks, no shared memory; `place`, then `order`
//! Cost      `place` writes a word for each record, and `order` reads it; two numbers are written for it
//! Next      between the two, words are sorted by rank, which leaves those of one rank as they stand; then `crate::neighbours`
//! Twin      `host::operators::neighbours`, which counts

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::for_each;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::neighbours::{NOWHERE, turn};

/// Writes the words of all records in the order in which those of one rank are to stand. Records without a key come last.
#[inline(always)]
pub fn place(block: &impl Block, [lefts, rights]: [&[u32]; 2], n_keys: u32, words: &impl Words) {
    let n_records = [lefts.len() as u32, rights.len() as u32];
    for_each(block, lefts.len() + rights.len(), |ix| {
        let rank = if ix < lefts.len() { lefts[ix] } else { rights[ix - lefts.len()] };
        let word = u64::from(rank.min(n_keys)) << 32 | ix as u64;
        words.set(u64::from(turn(ix as u32, n_records)), word);
    });
}

/// Writes the order of sorted words, of which `records` has room for those with a key.
#[inline(always)]
pub fn order(block: &impl Block, words: &[u64], records: &[AtomicU32], places: &[AtomicU32]) {
    for_each(block, words.len(), |ix| {
        let record = words[ix] as u32;
        let mut place = NOWHERE;
        if let Some(slot) = records.get(ix) {
            slot.store(record, Relaxed);
            place = ix as u32;
        }
        // Others are of the right table.
        if let Some(slot) = places.get(record as usize) {
            slot.store(place, Relaxed);
        }
    });
}
