//! Open-addressing tables, built by compare-and-swap.
//!
//! Computes  an index: by key the first row of a sorted relation that has it, and how many do; or a set of tuples
//! Layout    a power of two of slots, `EMPTY` at first; by slot of an index how many rows
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      a row or tuple is read once, and some slots; a slot is only swapped if it was seen to be empty
//! Next      `measure` and `join` look keys up; what `deduplicate` appends is the outer relation of the next join
//!
//! The host sees to it that slots stay empty, so that looks end, and that there is room for all tuples that the set may
//! take.

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::lanes::{below, of_lane, warp_of_launch};
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::relation::{EMPTY, Slots, first_of, tuple};

/// Tuples that a lane takes at once.
const AT_ONCE: usize = 4;

/// Indexes a sorted relation by its first column.
#[inline(always)]
pub fn index(block: &impl Block, rows: &[u64], slots: &[AtomicU64], lens: &[AtomicU32]) {
    let order = Slots::new(slots.len() as u64);
    let key = |row: usize| rows.get(row).map(|&row| first_of(row));
    let mut row = (block.block_ix() * block.n_threads() + block.thread_ix()) as usize;
    while row < rows.len() {
        if row == 0 || key(row - 1) != key(row) {
            let own = key(row).unwrap_or(0);
            let mut slot = order.of_key(own);
            let word = tuple(own, row as u32);
            // A key comes here once, so whatever is in a slot is another.
            while slots[slot as usize].compare_exchange(EMPTY, word, Relaxed, Relaxed).is_err() {
                slot = order.after(slot);
            }
            lens[slot as usize].store(n_alike(row, rows.len(), |other| key(other) == Some(own)), Relaxed);
        }
        row += (block.n_blocks() * block.n_threads()) as usize;
    }
}

/// How many rows from one on are alike: in ever longer steps, and then by halves.
#[inline(always)]
fn n_alike(row: usize, n_rows: usize, is_alike: impl Fn(usize) -> bool) -> u32 {
    let mut step = 1;
    while row + step < n_rows && is_alike(row + step) {
        step *= 2;
    }
    let (mut from, mut upto) = (row + step / 2 + 1, n_rows.min(row + step));
    while from < upto {
        let middle = from + (upto - from) / 2;
        if is_alike(middle) {
            from = middle + 1;
        } else {
            upto = middle;
        }
    }
    (upto - row) as u32
}

/// A tuple on its way into a set: where it looks, and what it saw there.
#[derive(Clone, Copy)]
struct Look {
    slot: u64,
    held: u64,
}

#[inline(always)]
fn look(slots: &[AtomicU64], order: Slots, tuple: u64) -> Look {
    let slot = order.of_tuple(tuple);
    Look { slot, held: slots[slot as usize].load(Relaxed) }
}

/// Puts a tuple into a set: the slot that has it then.
#[inline(always)]
pub(crate) fn slot_of(slots: &[AtomicU64], order: Slots, tuple: u64) -> u64 {
    insert(slots, order, tuple, look(slots, order, tuple)).0
}

/// Puts a tuple into a set: the slot that has it then, and whether it was not there before.
#[inline(always)]
fn insert(slots: &[AtomicU64], order: Slots, tuple: u64, look: Look) -> (u64, bool) {
    let Look { mut slot, mut held } = look;
    loop {
        if held == EMPTY {
            match slots[slot as usize].compare_exchange(EMPTY, tuple, Relaxed, Relaxed) {
                Ok(_) => return (slot, true),
                Err(other) => held = other,
            }
        }
        if held == tuple {
            return (slot, false);
        }
        slot = order.after(slot);
        held = slots[slot as usize].load(Relaxed);
    }
}

/// Puts tuples into a set.
#[inline(always)]
pub fn fill(block: &impl Block, tuples: &[u64], slots: &[AtomicU64]) {
    let order = Slots::new(slots.len() as u64);
    for_each_batch(block, tuples.len() as u64, |first| {
        let place = |nth: usize| first + nth * WARP as usize;
        let mut own = [EMPTY; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| own[nth] = tuples.get(place(nth)).copied().unwrap_or(EMPTY));
        let mut looks = [Look { slot: 0, held: EMPTY }; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| looks[nth] = look(slots, order, own[nth]));
        unrolled::<AT_ONCE>(|nth| {
            if own[nth] != EMPTY {
                insert(slots, order, own[nth], looks[nth]);
            }
            block.warp_barrier();
        });
    });
}

/// Calls `step` with this lane's first place of each batch of its warp. All lanes take part in all of them.
#[inline(always)]
fn for_each_batch(block: &impl Block, n: u64, mut step: impl FnMut(usize)) {
    let (warp, n_warps) = warp_of_launch(block);
    let (warp, n_warps) = (u64::from(warp), u64::from(n_warps));
    let n_batch = (AT_ONCE as u32 * WARP) as u64;
    let mut first = warp * n_batch;
    while first < n {
        step(first as usize + block.lane() as usize);
        first += n_warps * n_batch;
    }
}

/// Tuples that may be new.
#[derive(Clone, Copy)]
pub struct Deduplicate<'a, W> {
    /// A part of what a join made, with room for more than there may be.
    pub joined: &'a [u64],
    /// How many it made, before this part and in all.
    pub n_joined: [u64; 2],
    /// The set.
    pub slots: &'a [AtomicU64],
    /// All tuples of the set, in any order.
    pub tuples: &'a W,
    /// How many there are.
    pub n_tuples: &'a AtomicU64,
}

/// Puts tuples into a set, and appends those that were not there.
#[inline(always)]
pub fn deduplicate<W: Words>(block: &impl Block, job: &Deduplicate<'_, W>) {
    let order = Slots::new(job.slots.len() as u64);
    let [n_before, n_all] = job.n_joined;
    let n = n_all.saturating_sub(n_before).min(job.joined.len() as u64);
    for_each_batch(block, n, |first| {
        let mut own = [EMPTY; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| {
            let place = first + nth * WARP as usize;
            if (place as u64) < n {
                own[nth] = job.joined.get(place).copied().unwrap_or(EMPTY);
            }
        });
        let mut looks = [Look { slot: 0, held: EMPTY }; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| looks[nth] = look(job.slots, order, own[nth]));
        let mut is_new = [false; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| {
            is_new[nth] = own[nth] != EMPTY && insert(job.slots, order, own[nth], looks[nth]).1;
            // Looks are of different lengths.
            block.warp_barrier();
        });
        let mut masks = [0; AT_ONCE];
        let mut n_new = 0;
        unrolled::<AT_ONCE>(|nth| {
            masks[nth] = block.ballot(is_new[nth]);
            n_new += masks[nth].count_ones();
        });
        if n_new > 0 {
            let mut start = 0;
            if block.lane() == 0 {
                start = job.n_tuples.fetch_add(u64::from(n_new), Relaxed);
            }
            let mut start = of_lane(block, start, 0);
            unrolled::<AT_ONCE>(|nth| {
                if is_new[nth] {
                    let rank = below(block, masks[nth]);
                    job.tuples.set(start + u64::from(rank), own[nth]);
                }
                start += u64::from(masks[nth].count_ones());
            });
        }
    });
}
