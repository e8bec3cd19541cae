//! Sums of what comes before: of the lanes of a warp, the threads of a block, the words of an array in device memory.
//!
//! Computes  words[ix] = words[0] + … + words[ix − 1]
//! Layout    tiles of `SUM_TILE` words, a word for each and one more; tiles of others, too, of 32 bits or 64
//! Launch    `totals`, `spread`: 1-D, any number of blocks, no shared memory; `starts`: one block, `SUM_WORDS`, or where sums
//!           have 64 bits `WIDE_SUM_WORDS`
//! Cost      words are read twice and written once
//! Next      whoever finds its place in them

use super::lanes::{of_lane, warp_of_launch};
use super::unrolled::unrolled;
use crate::block::Block;
use core::ops::{Add, AddAssign, Sub};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::join::SUM_WORDS;
use hyperblock_shared::layout::{SUM_TILE, WARP};
use hyperblock_shared::relation::WIDE_SUM_WORDS;

/// What is summed up: words of 32 bits, or of 64.
pub trait Number: Copy + Default + Add<Output = Self> + AddAssign + Sub<Output = Self> {
    /// It, where threads share it.
    type Atomic;
    /// Words of shared memory for one of each warp.
    const SHARED_WORDS: u32;

    /// The value of another lane. All lanes come here together.
    fn of_lane(self, block: &impl Block, lane: u32) -> Self;
    /// The value of a warp, in shared memory.
    fn shared(block: &impl Block, at: u32, warp: u32) -> Self;
    /// Sets it.
    fn set_shared(self, block: &impl Block, at: u32, warp: u32);
    /// What threads share.
    fn load(of: &Self::Atomic) -> Self;
    /// Sets it.
    fn store(self, of: &Self::Atomic);
}

impl Number for u32 {
    type Atomic = AtomicU32;
    const SHARED_WORDS: u32 = WARP;

    #[inline(always)]
    fn of_lane(self, block: &impl Block, lane: u32) -> Self {
        block.broadcast(self, lane)
    }

    #[inline(always)]
    fn shared(block: &impl Block, at: u32, warp: u32) -> Self {
        block.shared(at + warp)
    }

    #[inline(always)]
    fn set_shared(self, block: &impl Block, at: u32, warp: u32) {
        block.set_shared(at + warp, self);
    }

    #[inline(always)]
    fn load(of: &AtomicU32) -> Self {
        of.load(Relaxed)
    }

    #[inline(always)]
    fn store(self, of: &AtomicU32) {
        of.store(self, Relaxed);
    }
}

impl Number for u64 {
    type Atomic = AtomicU64;
    const SHARED_WORDS: u32 = 2 * WARP;

    #[inline(always)]
    fn of_lane(self, block: &impl Block, lane: u32) -> Self {
        of_lane(block, self, lane)
    }

    #[inline(always)]
    fn shared(block: &impl Block, at: u32, warp: u32) -> Self {
        u64::from(block.shared(at + warp)) | u64::from(block.shared(at + WARP + warp)) << 32
    }

    #[inline(always)]
    fn set_shared(self, block: &impl Block, at: u32, warp: u32) {
        block.set_shared(at + warp, self as u32);
        block.set_shared(at + WARP + warp, (self >> 32) as u32);
    }

    #[inline(always)]
    fn load(of: &AtomicU64) -> Self {
        of.load(Relaxed)
    }

    #[inline(always)]
    fn store(self, of: &AtomicU64) {
        of.store(self, Relaxed);
    }
}

// A block has at most as many warps as a warp has lanes.
const _: () = assert!(SUM_WORDS == u32::SHARED_WORDS && WIDE_SUM_WORDS == u64::SHARED_WORDS);

/// The sum of what the lanes up to this one bring, this one's included.
#[inline(always)]
pub(crate) fn warp_sums<T: Number>(block: &impl Block, value: T) -> T {
    let lane = block.lane();
    let mut sum = value;
    let mut distance = 1;
    while distance < WARP {
        let before = sum.of_lane(block, lane.wrapping_sub(distance) % WARP);
        if lane >= distance {
            sum += before;
        }
        distance *= 2;
    }
    sum
}

/// The sum of what all lanes bring.
#[inline(always)]
pub(crate) fn warp_total(block: &impl Block, value: u64) -> u64 {
    let mut sum = value;
    let mut distance = WARP / 2;
    while distance > 0 {
        sum += of_lane(block, sum, block.lane() ^ distance);
        distance /= 2;
    }
    sum
}

/// The sum of what the threads before this one bring, and of all. All threads come here together; `at` are
/// [`Number::SHARED_WORDS`] words of shared memory.
#[inline(always)]
pub(crate) fn block_sums<T: Number>(block: &impl Block, value: T, at: u32) -> (T, T) {
    let (lane, warp, n_warps) = (block.lane(), block.warp_ix(), block.n_threads() / WARP);
    let upto_here = warp_sums(block, value);
    if lane == WARP - 1 {
        upto_here.set_shared(block, at, warp);
    }
    block.barrier();
    if warp == 0 {
        let of_warp = if lane < n_warps { T::shared(block, at, lane) } else { T::default() };
        let upto_warp = warp_sums(block, of_warp);
        if lane < n_warps {
            upto_warp.set_shared(block, at, lane);
        }
    }
    block.barrier();
    let before_warp = if warp == 0 { T::default() } else { T::shared(block, at, warp - 1) };
    let all = T::shared(block, at, n_warps - 1);
    // The words may be used again.
    block.barrier();
    (before_warp + upto_here - value, all)
}

/// Words that a lane loads at once.
const AT_ONCE: usize = 8;
/// Tiles that a thread sums up at once.
const TILES: usize = 4;

const _: () = assert!(SUM_TILE.is_multiple_of(WARP * AT_ONCE as u32));

/// The sum of each tile.
#[inline(always)]
pub fn totals(block: &impl Block, words: &[u32], tiles: &[AtomicU32]) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_tiles = tiles.len() as u32 - 1;
    let mut tile = warp;
    while tile < n_tiles {
        let mut sum = 0;
        for_each_row(tile, |first| {
            unrolled::<AT_ONCE>(|nth| {
                let ix = first + nth * WARP as usize + block.lane() as usize;
                sum += words.get(ix).copied().unwrap_or(0);
            });
        });
        let sum = warp_total(block, u64::from(sum)) as u32;
        if block.lane() == 0 {
            tiles[tile as usize].store(sum, Relaxed);
        }
        tile += n_warps;
    }
}

/// The sum of the tiles before each, and of all, which `total` becomes too, if there is one. One block.
#[inline(always)]
pub fn starts<T: Number>(block: &impl Block, tiles: &[T::Atomic], total: Option<&T::Atomic>) {
    let n_tiles = tiles.len() - 1;
    let mut start = T::default();
    let mut first = 0;
    while first < n_tiles {
        let own = first + block.thread_ix() as usize * TILES;
        let mut sums = [T::default(); TILES];
        unrolled::<TILES>(|nth| {
            if own + nth < n_tiles {
                sums[nth] = T::load(&tiles[own + nth]);
            }
        });
        let own_sum = sums.iter().fold(T::default(), |sum, &next| sum + next);
        let (before, all) = block_sums(block, own_sum, 0);
        let mut sum = start + before;
        unrolled::<TILES>(|nth| {
            if own + nth < n_tiles {
                sum.store(&tiles[own + nth]);
            }
            sum += sums[nth];
        });
        start += all;
        first += block.n_threads() as usize * TILES;
    }
    if block.thread_ix() == 0 {
        start.store(&tiles[n_tiles]);
        if let Some(total) = total {
            start.store(total);
        }
    }
}

/// The sum of the words before each.
#[inline(always)]
pub fn spread(block: &impl Block, words: &[AtomicU32], tiles: &[u32]) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_tiles = tiles.len() as u32 - 1;
    let mut tile = warp;
    while tile < n_tiles {
        let mut start = tiles[tile as usize];
        for_each_row(tile, |first| {
            let place = |nth: usize| first + nth * WARP as usize + block.lane() as usize;
            let mut own = [0; AT_ONCE];
            unrolled::<AT_ONCE>(|nth| {
                if place(nth) < words.len() {
                    own[nth] = words[place(nth)].load(Relaxed);
                }
            });
            unrolled::<AT_ONCE>(|nth| {
                let upto_here = warp_sums(block, own[nth]);
                if place(nth) < words.len() {
                    words[place(nth)].store(start + upto_here - own[nth], Relaxed);
                }
                start += block.broadcast(upto_here, WARP - 1);
            });
        });
        tile += n_warps;
    }
}

/// The first words of what a warp loads at once, one after the other.
#[inline(always)]
fn for_each_row(tile: u32, mut step: impl FnMut(usize)) {
    let mut row = 0;
    while row < SUM_TILE {
        step(tile as usize * SUM_TILE as usize + row as usize);
        row += WARP * AT_ONCE as u32;
    }
}
