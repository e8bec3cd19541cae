//! Which keys are heavy: some keys of both sides are counted, and those that come up most are chosen.
//!
//! Computes  slots, numbers = a table of the at most `MOST_HEAVY` keys that came up at least `least` times among every
//!           `step`-th key, those that came up most first
//! Layout    a table of keys and their counts in device memory, then one of heavy keys
//! Launch    `sample`: 1-D, any; `select`: one block, `SELECT_WORDS`
//! Cost      a cache line and an atomic a sample; one block reads the list twice
//! Next      `count` and `partition` look keys up in the table
//!
//! Nothing depends on being right: a heavy key that is missed is joined as a light one, and a light one that is taken for heavy is
//! joined as well.

use super::classes::first_slot;
use crate::block::Block;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::join::{HEAVY_SLOTS, MISSING, MOST_HEAVY, SELECT_WORDS, hash};

/// Slots that are looked at for a key: one that finds no room among them is not counted.
const MOST_LOOKS: u32 = 32;

/// Some keys, counted.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// The keys of both sides; the second may be empty.
    pub keys: [&'a [u32]; 2],
    /// One key of so many is looked at.
    pub step: u32,
    /// Slots of keys, all [`MISSING`] at first; a power of two.
    pub slots: &'a [AtomicU32],
    /// By slot: how often its key came up; 0 at first.
    pub counts: &'a [AtomicU32],
    /// The fewest times that a heavy key comes up; at least 1.
    pub least: u32,
    /// Room for the slots of keys that came up as often.
    pub list: &'a [AtomicU32],
    /// How many those are, also beyond the room.
    pub n_listed: &'a AtomicU32,
}

/// Counts the keys of the sample.
#[inline(always)]
pub fn sample(block: &impl Block, sample: &Sample<'_>) {
    let [left, right] = sample.keys;
    add_some(block, sample, left);
    add_some(block, sample, right);
}

#[inline(always)]
fn add_some(block: &impl Block, sample: &Sample<'_>, keys: &[u32]) {
    let mut nth = block.block_ix() * block.n_threads() + block.thread_ix();
    loop {
        // Somewhere in the step: rows may come in a rhythm.
        let ix = u64::from(nth) * u64::from(sample.step) + u64::from(hash(nth) % sample.step);
        let Some(&key) = keys.get(ix as usize) else { break };
        if key != MISSING {
            add(sample, key);
        }
        nth += block.n_threads() * block.n_blocks();
    }
}

#[inline(always)]
fn add(sample: &Sample<'_>, key: u32) {
    let last = sample.slots.len() as u32 - 1;
    let mut slot = hash(key) & last;
    for _ in 0..MOST_LOOKS {
        let seen = match sample.slots[slot as usize].load(Relaxed) {
            MISSING => match sample.slots[slot as usize].compare_exchange(MISSING, key, Relaxed, Relaxed) {
                Ok(_) => key,
                Err(seen) => seen,
            },
            seen => seen,
        };
        if seen == key {
            if sample.counts[slot as usize].fetch_add(1, Relaxed) + 1 == sample.least {
                let nth = sample.n_listed.fetch_add(1, Relaxed);
                if let Some(listed) = sample.list.get(nth as usize) {
                    listed.store(slot, Relaxed);
                }
            }
            return;
        }
        slot = (slot + 1) & last;
    }
}

/// The heavy keys among those of a sample.
#[derive(Clone, Copy)]
pub struct Select<'a> {
    /// As [`sample()`] left them.
    pub slots: &'a [u32],
    /// Likewise.
    pub counts: &'a [u32],
    /// The slots of keys that may be heavy.
    pub list: &'a [u32],
    /// The fewest times that they came up; at least 1.
    pub least: u32,
    /// [`HEAVY_SLOTS`] slots for heavy keys, all [`MISSING`] at first.
    pub heavy_slots: &'a [AtomicU32],
    /// By slot: which heavy key it is.
    pub heavy_numbers: &'a [AtomicU32],
    /// How many there are.
    pub n_heavy: &'a AtomicU32,
}

/// Counts above this are all the same.
const MOST_COUNT: u32 = 255;
const N_CHOSEN: u32 = MOST_COUNT + 1;
const LEAST: u32 = MOST_COUNT + 2;

const _: () = assert!(SELECT_WORDS == LEAST + 1);

/// Chooses the heavy keys, and makes their table.
#[inline(always)]
pub fn select(block: &impl Block, select: &Select<'_>) {
    let (thread, n_threads) = (block.thread_ix(), block.n_threads());
    // How many keys came up how often.
    let mut ix = thread;
    while ix < SELECT_WORDS {
        block.set_shared(ix, 0);
        ix += n_threads;
    }
    block.barrier();
    let mut nth = thread as usize;
    while let Some(&slot) = select.list.get(nth) {
        block.shared_add(select.counts[slot as usize].min(MOST_COUNT), 1);
        nth += n_threads as usize;
    }
    block.barrier();
    if thread == 0 {
        let (mut least, mut n_keys) = (MOST_COUNT, block.shared(MOST_COUNT));
        while least > select.least.max(1) && n_keys + block.shared(least - 1) <= MOST_HEAVY {
            least -= 1;
            n_keys += block.shared(least);
        }
        block.set_shared(LEAST, least);
    }
    block.barrier();
    let least = block.shared(LEAST);
    let mut nth = thread as usize;
    while let Some(&slot) = select.list.get(nth) {
        if select.counts[slot as usize] >= least {
            let number = block.shared_add(N_CHOSEN, 1);
            if number < MOST_HEAVY {
                enter(select, select.slots[slot as usize], number);
            }
        }
        nth += n_threads as usize;
    }
    block.barrier();
    if thread == 0 {
        select.n_heavy.store(block.shared(N_CHOSEN).min(MOST_HEAVY), Relaxed);
    }
}

/// Enters a heavy key, of which there is room for four times as many as there may be.
#[inline(always)]
fn enter(select: &Select<'_>, key: u32, number: u32) {
    let mut slot = first_slot(key);
    while select.heavy_slots[slot as usize].compare_exchange(MISSING, key, Relaxed, Relaxed).is_err() {
        slot = (slot + 1) & (HEAVY_SLOTS - 1);
    }
    select.heavy_numbers[slot as usize].store(number, Relaxed);
}
