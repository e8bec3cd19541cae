//! Connected components: pairs are hooked into a forest of records, a share of them at a time.
//!
//! ```text
//! begin ─► hook ─► compress ─► choose ─► mark ─► hook ─► … ─► compress
//! ```
//!
//! Computes  parents[record] = the smallest record of its component
//! Layout    pairs as they come, three times four words for four of them; a parent for each record, itself at first
//! Launch    1-D, any number of blocks, no shared memory; `choose`: one block, a word for each thread
//! Cost      two scattered loads a pair, and a compare-and-swap for each record at most; two bits, once there is a giant
//! Next      the host copies parents
//! Twin      `host::cpu::components`; the steps are `shared::components`
//!
//! Where there are many pairs, most of them are within one component, the *giant*, and nearly all of it is there after a
//! share of them. Parents of all records are more than a cache holds, a bit for each is not. So between shares trees are
//! made flat ([`compress`]), the giant is found by sampling ([`choose`]) and its records are marked ([`mark`]): a pair of two
//! marked ones is done, and for one that is marked the root is known. Where there is no giant nothing is marked. The
//! sample decides what is looked at, never the result.

use crate::block::Block;
use crate::memory::Quads;
use crate::primitives::lanes::warp_of_launch;
use crate::primitives::unrolled::unrolled;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use hyperblock_shared::components::{NO_RECORD, parent, root, unite_knowing};
use hyperblock_shared::join::hash;
use hyperblock_shared::layout::{LANE_PAIRS, LANE_QUADS, WARP};

/// Records that a lane does at once.
const AT_ONCE: usize = 4;
/// A giant has at least one sampled record of so many.
const LEAST_SHARE: u32 = 8;

/// Pairs to be hooked.
pub struct Hook<'a, P> {
    /// All pairs, of which a share is taken.
    pub pairs: &'a P,
    /// By record.
    pub parents: &'a [AtomicU32],
    /// By record a bit, of use if there is a giant.
    pub members: &'a [u32],
    /// Its root, or [`NO_RECORD`].
    pub giant: u32,
    /// The first tile of the share.
    pub first: u32,
    /// Every how many-th is in it.
    pub step: u32,
}

/// Makes every record its own parent.
#[inline(always)]
pub fn begin(block: &impl Block, parents: &[AtomicU32]) {
    for_each_row(block, parents.len() as u32, |first| {
        unrolled::<AT_ONCE>(|nth| {
            let record = first + nth as u32 * WARP + block.lane();
            if let Some(parent) = parents.get(record as usize) {
                parent.store(record, Relaxed);
            }
        });
    });
}

/// Hooks a share of the pairs.
#[inline(always)]
pub fn hook(block: &impl Block, job: &Hook<'_, impl Quads>) {
    let giant = job.giant;
    let n_tiles = job.pairs.len().div_ceil(WARP * LANE_QUADS);
    let (warp, n_warps) = warp_of_launch(block);
    let mut tile = job.first + job.step * warp;
    while tile < n_tiles {
        let at = (tile * WARP + block.lane()) * LANE_QUADS;
        if at < job.pairs.len() {
            let pairs = four_pairs(job.pairs, at);
            let ends = if giant == NO_RECORD { job.parents_of(pairs) } else { job.known(pairs, giant) };
            unrolled::<{ LANE_PAIRS as usize }>(|nth| {
                let [left, right] = ends[nth];
                unite_knowing(job.parents, left, right, giant);
            });
        }
        block.warp_barrier();
        tile += job.step * n_warps;
    }
}

/// The pairs of a lane; their scores are left where they are.
#[inline(always)]
fn four_pairs(pairs: &impl Quads, at: u32) -> [[u32; 2]; LANE_PAIRS as usize] {
    let [a, b, _, c] = pairs.get(at);
    let [d, _, e, f] = pairs.get(at + 1);
    let [_, g, h, _] = pairs.get(at + 2);
    [[a, b], [c, d], [e, f], [g, h]]
}

impl<P> Hook<'_, P> {
    /// Two records of the trees of each pair: the parents, all read at once.
    #[inline(always)]
    fn parents_of(&self, pairs: [[u32; 2]; LANE_PAIRS as usize]) -> [[u32; 2]; LANE_PAIRS as usize] {
        let mut ends = [[0; 2]; LANE_PAIRS as usize];
        unrolled::<{ LANE_PAIRS as usize }>(|nth| {
            let [left, right] = pairs[nth];
            ends[nth] = [parent(self.parents, left), parent(self.parents, right)];
        });
        ends
    }

    /// The same, where the giant's root stands for its members: most pairs then have it twice.
    #[inline(always)]
    fn known(&self, pairs: [[u32; 2]; LANE_PAIRS as usize], giant: u32) -> [[u32; 2]; LANE_PAIRS as usize] {
        let mut are_members = [[false; 2]; LANE_PAIRS as usize];
        unrolled::<{ LANE_PAIRS as usize }>(|nth| {
            let [left, right] = pairs[nth];
            are_members[nth] = [self.is_member(left), self.is_member(right)];
        });
        let mut ends = [[giant; 2]; LANE_PAIRS as usize];
        unrolled::<{ LANE_PAIRS as usize }>(|nth| {
            let ([left, right], [is_left, is_right]) = (pairs[nth], are_members[nth]);
            if !is_left {
                ends[nth][0] = parent(self.parents, left);
            }
            if !is_right {
                ends[nth][1] = parent(self.parents, right);
            }
        });
        ends
    }

    #[inline(always)]
    fn is_member(&self, record: u32) -> bool {
        self.members[(record / u32::BITS) as usize] >> (record % u32::BITS) & 1 == 1
    }
}

/// Gives every record its root for a parent. The root of the giant, if there is one, is `known`.
#[inline(always)]
pub fn compress(block: &impl Block, parents: &[AtomicU32], known: u32) {
    // Most ways end there: it is looked up once, not by everybody at the same place.
    let above_known = if known == NO_RECORD { NO_RECORD } else { root(parents, known) };
    let n_records = parents.len() as u32;
    for_each_row(block, n_records, |first| {
        let record = |nth: usize| first + nth as u32 * WARP + block.lane();
        let mut own = [NO_RECORD; AT_ONCE];
        unrolled::<AT_ONCE>(|nth| {
            if record(nth) < n_records {
                own[nth] = parent(parents, record(nth));
            }
        });
        let mut above = own;
        unrolled::<AT_ONCE>(|nth| {
            if own[nth] == known {
                above[nth] = above_known;
            } else if own[nth] != NO_RECORD {
                above[nth] = parent(parents, own[nth]);
            }
        });
        unrolled::<AT_ONCE>(|nth| {
            if above[nth] != own[nth] {
                parents[record(nth) as usize].store(root(parents, above[nth]), Relaxed);
            }
        });
        block.warp_barrier();
    });
}

/// Finds the root that most of some records have, drawn at random, one by each thread. One block; parents are roots.
#[inline(always)]
pub fn choose(block: &impl Block, parents: &[u32], giant: &AtomicU32) {
    let (own_ix, n_threads) = (block.thread_ix(), block.n_threads());
    let drawn = (u64::from(hash(own_ix)) * parents.len() as u64) >> 32;
    let own = parents.get(drawn as usize).copied().unwrap_or(NO_RECORD);
    block.set_shared(own_ix, own);
    block.barrier();
    let (mut n_same, mut is_first) = (0, true);
    let mut ix = 0;
    while ix < n_threads {
        if block.shared(ix) == own {
            n_same += 1;
            is_first &= ix >= own_ix;
        }
        ix += 1;
    }
    // At most so many roots are frequent enough to come here, each by its first thread.
    block.barrier();
    if own_ix == 0 {
        giant.store(NO_RECORD, Relaxed);
        block.set_shared(0, 0);
    }
    block.barrier();
    let may_be = is_first && own != NO_RECORD && n_same * LEAST_SHARE >= n_threads;
    // The most frequent wins, and among equals any: marks only save work.
    if may_be {
        let mut most = block.shared(0);
        while most < n_same {
            most = block.shared_swap(0, most, n_same);
        }
    }
    block.barrier();
    if may_be && block.shared(0) == n_same {
        giant.store(own, Relaxed);
    }
}

/// Marks the records of the giant, if there is one. Parents are roots.
#[inline(always)]
pub fn mark(block: &impl Block, parents: &[u32], giant: u32, members: &[AtomicU32]) {
    if giant == NO_RECORD {
        return;
    }
    for_each_row(block, parents.len() as u32, |first| {
        unrolled::<AT_ONCE>(|nth| {
            let first = first + nth as u32 * WARP;
            let own = parents.get((first + block.lane()) as usize).copied().unwrap_or(NO_RECORD);
            let word = block.ballot(own == giant);
            if block.lane() == 0
                && let Some(member) = members.get((first / WARP) as usize)
            {
                member.store(word, Relaxed);
            }
        });
    });
}

/// The first of the records that a warp does at once, one row of them after the other.
#[inline(always)]
fn for_each_row(block: &impl Block, n_records: u32, mut step: impl FnMut(u32)) {
    const ROW: u32 = WARP * AT_ONCE as u32;
    let (warp, n_warps) = warp_of_launch(block);
    let n_rows = n_records.div_ceil(ROW);
    let mut row = warp;
    while row < n_rows {
        step(row * ROW);
        row += n_warps;
    }
}
