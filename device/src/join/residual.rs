//! The residual: of each pair of records with the same key, what the rest of the branch says.
//!
//! Computes  results += {(l, r, witness) : l and r have the same key, and the branch is the first to admit the pair}
//! Layout    light partitions of records by key (`crate::join`), the columns and the path as in `crate::scan`
//! Launch    as `light`, with `residual_words`; scratch a column a thread
//! Cost      a glance for each pair; a walk of the path for what may hold
//! Next      the host downloads the results
//! Twin      `host::cpu`, whose joins hand their pairs to the same path
//!
//! Pairs never reach device memory. A warp glances at 32 of them, queues those that may hold in shared memory, and walks the
//! path when there is a pair for every lane.

use super::light::{Consumer, Light, light};
use crate::block::Block;
use crate::primitives::queues::{Queue, taken};
use crate::walk::Way;
use crate::work::Results;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::join::{RESIDUAL_WORDS, light_words};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::path::{Branch, Walk};
use hyperblock_shared::sweep::Order;
use hyperblock_shared::text::Scratch;

/// What a pair is decided by, and where candidates go.
#[derive(Clone, Copy)]
pub struct Residual<'a, C> {
    /// The tables.
    pub columns: &'a C,
    /// The rules.
    pub path: Walk<'a>,
    /// The branch, with what equal keys tell.
    pub branch: Branch,
    /// Which pairs of records count.
    pub order: Order,
    /// Candidates.
    pub results: Results<'a>,
}

/// The kernel's body.
#[inline(always)]
pub fn residual(
    block: &impl Block,
    partitions: &Light<'_>,
    residual: &Residual<'_, impl Columns>,
    way: impl Way,
    scratch: &mut (impl Scratch + ?Sized),
) {
    let own = light_words(partitions.n_slots, block.n_threads(), true) + block.warp_ix() * RESIDUAL_WORDS;
    if block.lane() == 0 {
        block.set_shared(own, 0);
    }
    block.warp_barrier();
    light::<false, _>(block, partitions, &mut Decided { residual, way, own, scratch });
}

/// Words of a queued pair.
const PAIR_WORDS: usize = 2;

/// A warp's pairs that are decided. Its own words of shared memory: how many wait to be walked, and their queue.
struct Decided<'a, C, W, S: ?Sized> {
    residual: &'a Residual<'a, C>,
    way: W,
    own: u32,
    scratch: &'a mut S,
}

const _: () = assert!(RESIDUAL_WORDS == 1 + Queue::<PAIR_WORDS>::N_WORDS);

impl<C: Columns, W: Way, S: Scratch + ?Sized> Consumer for Decided<'_, C, W, S> {
    const SEES_PAIRS: bool = true;
    const IS_LARGE: bool = true;

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.residual.results.is_full()
    }

    #[inline(always)]
    fn begin(&self, _: &impl Block, _: u32) -> u64 {
        0
    }

    #[inline(always)]
    fn pair(&mut self, block: &impl Block, _: (u64, u32), pair: Option<(u32, u32)>, is_left: bool) {
        let Residual { columns, path, branch, order, results } = *self.residual;
        let may_hold = pair.and_then(|(left, right)| order.pair(left, right));
        let may_hold = may_hold
            .filter(|&(left, right)| !W::GLANCES || path.may_have_witness(branch, columns, left, right));
        let waiting = block.ballot(may_hold.is_some());
        let queue = Queue::<PAIR_WORDS>(self.own + 1);
        let mut n_queued = block.shared(self.own);
        let (left, right) = may_hold.unwrap_or_default();
        queue.push(block, n_queued, waiting, [left, right]);
        n_queued += waiting.count_ones();
        block.warp_barrier();
        let n_taken = taken(n_queued);
        if n_taken == WARP || (!is_left && n_taken > 0) {
            let [left, right] = queue.last(block, n_queued);
            n_queued -= n_taken;
            let mut witness = None;
            if block.lane() < n_taken {
                witness = self.way.witness(path, branch, columns, (left, right), self.scratch);
            }
            results.emit(block, left, right, witness);
        }
        block.warp_barrier();
        if block.lane() == 0 {
            block.set_shared(self.own, n_queued);
        }
        block.warp_barrier();
    }

    #[inline(always)]
    fn end(&self, _: &impl Block, _: u64) {}
}
