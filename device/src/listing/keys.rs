//! Keys: a number for each record, and what becomes of the records that share one.
//!
//! Computes  keys[record] = the slot of its combination of codes; counts[key]; kinds[key] = light, heavy by its group, or
//!           without a pair; then the records of light keys, and those of heavy ones
//! Layout    an open-addressing table of combinations; by key a count for each side, and a kind
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      codes are read once, and some slots of the table; keys are read twice more
//! Next      light records are joined, heavy ones become lists
//! Twin      `host::plan::access::key` and `split`

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::appending::{AT_ONCE, append};
use crate::primitives::lanes::{below, of_lane, stride, warp_of_launch};
use crate::primitives::sums::warp_total;
use crate::primitives::unrolled::unrolled;
use crate::relation::slot_of;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::columns::MISSING;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::listing::{LIGHT, N_TOTALS, NO_PAIRS, Total, n_pairs_of_key};
use hyperblock_shared::relation::{Slots, tuple};

/// Numbers combinations: of what keys were before, and of codes. Slots are as many as keys may be, and more.
#[inline(always)]
pub fn number(block: &impl Block, [firsts, seconds]: [&[u32]; 2], slots: &[AtomicU64], keys: &[AtomicU32]) {
    let order = Slots::new(slots.len() as u64);
    let (mut ix, step) = stride(block);
    while ix < keys.len() {
        let (first, second) = (firsts[ix], seconds[ix]);
        let is_there = first != MISSING && second != MISSING;
        let key = if is_there { slot_of(slots, order, tuple(first, second)) as u32 } else { MISSING };
        keys[ix].store(key, Relaxed);
        ix += step;
    }
}

/// Counts the records of each key.
#[inline(always)]
pub fn count(block: &impl Block, keys: &[u32], counts: &[AtomicU32]) {
    let (mut ix, step) = stride(block);
    while ix < keys.len() {
        if keys[ix] != MISSING {
            counts[keys[ix] as usize].fetch_add(1, Relaxed);
        }
        ix += step;
    }
}

/// What is decided for each key.
#[derive(Clone, Copy)]
pub struct Kinds<'a> {
    /// By key, how many left and right records have it.
    pub counts: [&'a [u32]; 2],
    /// Whether both sides are one.
    pub is_symmetric: bool,
    /// Above how many pairs it is heavy.
    pub most: u64,
    /// By key.
    pub kinds: &'a [AtomicU32],
    /// By [`Total`].
    pub totals: &'a [AtomicU64],
}

/// Says what becomes of each key's records, and sums up how many they are.
#[inline(always)]
pub fn kinds(block: &impl Block, job: &Kinds<'_>) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_keys = job.kinds.len() as u64;
    let mut sums = [0u64; N_TOTALS];
    let mut first = u64::from(warp) * u64::from(WARP);
    while first < n_keys {
        let key = first as usize + block.lane() as usize;
        let mut counts = [0; 2];
        if key < job.kinds.len() {
            counts = [job.counts[0][key], job.counts[1][key]];
        }
        let n_pairs = n_pairs_of_key(counts, job.is_symmetric);
        let is_heavy = n_pairs > job.most;
        let heavies = block.ballot(is_heavy);
        let mut group = 0;
        if heavies != 0 {
            if block.lane() == 0 {
                let n_heavy = u64::from(heavies.count_ones());
                group = job.totals[Total::HeavyKeys as usize].fetch_add(n_heavy, Relaxed);
            }
            group = of_lane(block, group, 0) + u64::from(below(block, heavies));
        }
        if key < job.kinds.len() {
            let kind = match n_pairs {
                0 => NO_PAIRS,
                _ if is_heavy => group as u32,
                _ => LIGHT,
            };
            job.kinds[key].store(kind, Relaxed);
        }
        let (left, right) = (u64::from(counts[0]), u64::from(counts[1]));
        if is_heavy {
            sums[Total::HeavyRecords as usize] += left;
            sums[Total::HeavyRecords as usize + 1] += right;
        } else if n_pairs > 0 {
            sums[Total::LightKeys as usize] += 1;
            sums[Total::LightPairs as usize] += n_pairs;
            sums[Total::LightRecords as usize] += left;
            sums[Total::LightRecords as usize + 1] += right;
        }
        first += u64::from(n_warps) * u64::from(WARP);
    }
    unrolled::<N_TOTALS>(|nth| {
        let sum = warp_total(block, sums[nth]);
        // Heavy keys were numbered on the way.
        if block.lane() == 0 && sum > 0 && nth != Total::HeavyKeys as usize {
            job.totals[nth].fetch_add(sum, Relaxed);
        }
    });
}

/// Where records go.
#[derive(Clone, Copy)]
pub struct Dealt<'a, W> {
    /// By record.
    pub keys: &'a [u32],
    /// By key.
    pub kinds: &'a [u32],
    /// The number of the first record.
    pub first: u32,
    /// Whether light records are joined: then words have the key in the lower half.
    pub is_joined: bool,
    /// Records with light keys, in any order.
    pub light: &'a W,
    /// Records with heavy keys, in any order.
    pub heavy: &'a W,
    /// How many of either there are.
    pub n_dealt: &'a [AtomicU32],
}

/// Deals the records of one side.
#[inline(always)]
pub fn deal<W: Words>(block: &impl Block, job: &Dealt<'_, W>) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_batch = AT_ONCE as u64 * u64::from(WARP);
    let mut first = u64::from(warp) * n_batch;
    while first < job.keys.len() as u64 {
        let place = |nth: usize| first as usize + nth * WARP as usize + block.lane() as usize;
        let mut keys = [MISSING; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| keys[nth] = job.keys.get(place(nth)).copied().unwrap_or(MISSING));
        let mut found = [NO_PAIRS; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| {
            if keys[nth] != MISSING {
                found[nth] = job.kinds[keys[nth] as usize];
            }
        });
        let record = |nth: usize| job.first + place(nth) as u32;
        append(block, job.light, &job.n_dealt[0], |nth| {
            let word = match job.is_joined {
                true => tuple(record(nth), keys[nth]),
                false => tuple(keys[nth], record(nth)),
            };
            (found[nth] == LIGHT).then_some(word)
        });
        append(block, job.heavy, &job.n_dealt[1], |nth| {
            (found[nth] < LIGHT).then(|| tuple(found[nth], record(nth)))
        });
        first += u64::from(n_warps) * n_batch;
    }
}
