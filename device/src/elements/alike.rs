//! What a list's items have in common: runs of the same length, and records with the same value.
//!
//! Computes  (length, item) where a run of items of the same length begins; how many records share their value with others,
//!           and how many pairs those are; then the records, each with its item
//! Layout    a list as `shared::sweep::Items` has it; words in any order
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      a length for each item; for each record a search among the items
//! Next      the host sorts runs, which are few; records are joined by their items, or swept
//! Twin      `host::plan::overlap::lens`, and `same_value` in `host::plan::access::overlap`

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::appending::{AT_ONCE, append};
use crate::primitives::lanes::{stride, warp_of_launch};
use crate::primitives::sums::warp_total;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::listing::first_without;
use hyperblock_shared::relation::tuple;

/// A list whose items are values.
#[derive(Clone, Copy)]
pub struct Alike<'a> {
    /// By item.
    pub lens: &'a [u32],
    /// By item, and one more.
    pub starts: &'a [u32],
    /// The records.
    pub records: &'a [u32],
    /// Values of so many elements, or fewer, are left to others.
    pub longest_swept: u32,
}

impl Alike<'_> {
    /// How many records have an item's value, if they are to be paired.
    #[inline(always)]
    fn n_records(&self, item: usize) -> u32 {
        let n = self.starts[item + 1] - self.starts[item];
        if n > 1 && self.lens[item] > self.longest_swept { n } else { 0 }
    }
}

/// Appends where runs of items of the same length begin.
#[inline(always)]
pub fn runs(block: &impl Block, lens: &[u32], words: &impl Words, n_words: &AtomicU32) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_batch = AT_ONCE as u64 * u64::from(WARP);
    let mut first = u64::from(warp) * n_batch;
    while first < lens.len() as u64 {
        append(block, words, n_words, |nth| {
            let item = first as usize + nth * WARP as usize + block.lane() as usize;
            let len = *lens.get(item)?;
            (item == 0 || lens[item - 1] != len).then(|| tuple(len, item as u32))
        });
        first += u64::from(n_warps) * n_batch;
    }
}

/// Counts records that share their value with others, and pairs of them.
#[inline(always)]
pub fn same(block: &impl Block, list: &Alike<'_>, totals: &[AtomicU64]) {
    let (mut item, step) = stride(block);
    let (mut n_records, mut n_pairs) = (0, 0);
    while item < list.lens.len() {
        let n = u64::from(list.n_records(item));
        n_records += n;
        n_pairs += n * n.saturating_sub(1) / 2;
        item += step;
    }
    block.warp_barrier();
    let (n_records, n_pairs) = (warp_total(block, n_records), warp_total(block, n_pairs));
    if block.lane() == 0 && n_records > 0 {
        totals[0].fetch_add(n_records, Relaxed);
        totals[1].fetch_add(n_pairs, Relaxed);
    }
}

/// Appends those records, with their items.
#[inline(always)]
pub fn shared(
    block: &impl Block,
    list: &Alike<'_>,
    is_joined: bool,
    words: &impl Words,
    n_words: &AtomicU32,
) {
    let n_items = list.lens.len() as u32;
    let (warp, n_warps) = warp_of_launch(block);
    let n_batch = AT_ONCE as u64 * u64::from(WARP);
    let mut first = u64::from(warp) * n_batch;
    while first < list.records.len() as u64 {
        append(block, words, n_words, |nth| {
            let place = first as usize + nth * WARP as usize + block.lane() as usize;
            let record = *list.records.get(place)?;
            let item = first_without(0..n_items, |item| list.starts[item as usize + 1] as usize <= place);
            let word = if is_joined { tuple(record, item) } else { tuple(item, record) };
            (list.n_records(item as usize) > 0).then_some(word)
        });
        first += u64::from(n_warps) * n_batch;
    }
}
