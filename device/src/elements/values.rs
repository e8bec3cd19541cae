//! The values of a block of items, and the groups of elements that they look up.
//!
//! Computes  values[item] = where its elements begin, and its class; signatures[item]; then the groups of all values
//! Layout    as `shared::layout::DeviceOverlap` has them
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      a code and a head for each item, and all of its elements
//! Next      the overlap join
//! Twin      `host::plan::overlap::block`

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::stride;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::{Group, WARP};
use hyperblock_shared::listing::first_without;
use hyperblock_shared::overlap::{Class, sign_bit};

/// What elements are.
#[derive(Clone, Copy)]
pub enum Of<'a> {
    /// The tokens of these sets.
    Sets(u32),
    /// Q-grams: by code where they begin, and one more.
    Grams(&'a [u32]),
}

/// A block of items.
#[derive(Clone, Copy)]
pub struct Valued<'a, C> {
    /// The tables.
    pub columns: &'a C,
    /// Whose values are listed.
    pub operand: u32,
    /// What elements are.
    pub of: Of<'a>,
    /// Those of all values.
    pub elements: &'a [u32],
    /// By item of the list, and one more; none, if items are records.
    pub starts: &'a [u32],
    /// Of the list.
    pub records: &'a [u32],
    /// The first item of the block.
    pub first: u32,
    /// By ascending length.
    pub classes: &'a [Class],
    /// By item of the block.
    pub values: &'a [AtomicU64],
    /// By item of the block, four words.
    pub signatures: &'a [AtomicU64],
}

/// Fills a block.
#[inline(always)]
pub fn values<C: Columns>(block: &impl Block, job: &Valued<'_, C>) {
    let codes = job.columns.codes(job.operand);
    let (mut ix, step) = stride(block);
    while ix < job.values.len() {
        let item = job.first as usize + ix;
        let place = if job.starts.is_empty() { item } else { job.starts[item] as usize };
        let code = codes[job.records[place] as usize] as usize;
        let (start, len) = match job.of {
            Of::Sets(sets) => {
                let head = &job.columns.sets(sets).heads[code];
                (head.start, head.len)
            }
            Of::Grams(starts) => (starts[code], starts[code + 1] - starts[code]),
        };
        let class = first_without(0..job.classes.len() as u32, |class| job.classes[class as usize].len < len);
        job.values[ix].store(u64::from(start) | u64::from(class) << 32, Relaxed);
        let mut signature = [0u64; 4];
        for &element in &job.elements[start as usize..][..len as usize] {
            let (word, bit) = sign_bit(element);
            // By a number that is only known here, the array would have to be in memory.
            unrolled::<4>(|nth| signature[nth] |= if nth as u32 == word { bit } else { 0 });
        }
        unrolled::<4>(|nth| job.signatures[4 * ix + nth].store(signature[nth], Relaxed));
        ix += step;
    }
}

/// Writes the groups of all values: those of a class look up equally many elements, so a group's number says whose it is.
#[inline(always)]
pub fn groups(block: &impl Block, firsts: &[u32], values: &[u32], groups: &impl Words) {
    let n_classes = firsts.len() as u32 - 1;
    let (mut ix, step) = stride(block);
    while (ix as u64) < groups.len() {
        let class = first_without(0..n_classes, |class| firsts[class as usize + 1] as usize <= ix) as usize;
        let n_values = values[class + 1] - values[class];
        let per_value = (firsts[class + 1] - firsts[class]) / n_values;
        let nth = ix as u32 - firsts[class];
        let group = Group { item: values[class] + nth / per_value, first: nth % per_value * WARP };
        groups.set(ix as u64, group.word());
        ix += step;
    }
}
