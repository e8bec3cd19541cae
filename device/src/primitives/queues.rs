//! Queues: what lanes of a warp found waits in shared memory, until there is some for every lane.
//!
//! Lanes find different numbers of things, and going on with them takes long. So they are put into a queue, and gone on with
//! when it has one for each lane: then none is idle. How many there are is the warp's to know; a queue says where they lie.

use super::lanes::below;
use super::unrolled::unrolled;
use crate::block::Block;
use hyperblock_shared::layout::WARP;

/// A warp's queue of entries of so many words, from a place in shared memory on.
#[derive(Clone, Copy)]
pub(crate) struct Queue<const WORDS: usize>(pub(crate) u32);

impl<const WORDS: usize> Queue<WORDS> {
    /// Words of shared memory that it takes: it has room for two entries a lane, so that whoever has less than one for each
    /// may add as many.
    pub(crate) const N_WORDS: u32 = 2 * WARP * WORDS as u32;

    /// Puts this lane's entry behind those that wait, if it is among the `adding` ones, which are the same for all lanes.
    /// A warp barrier must follow.
    #[inline(always)]
    pub(crate) fn push(self, block: &impl Block, n_waiting: u32, adding: u32, entry: [u32; WORDS]) {
        if adding >> block.lane() & 1 == 1 {
            let at = self.0 + WORDS as u32 * (n_waiting + below(block, adding));
            unrolled::<WORDS>(|ix| block.set_shared(at + ix as u32, entry[ix]));
        }
    }

    /// An entry. What was taken stays where it was until others are put there.
    #[inline(always)]
    pub(crate) fn entry(self, block: &impl Block, nth: u32) -> [u32; WORDS] {
        let at = self.0 + WORDS as u32 * nth;
        let mut entry = [0; WORDS];
        unrolled::<WORDS>(|ix| entry[ix] = block.shared(at + ix as u32));
        entry
    }

    /// This lane's of the last ones that wait, of which there is at least one; lanes for which there is none see another's.
    #[inline(always)]
    pub(crate) fn last(self, block: &impl Block, n_waiting: u32) -> [u32; WORDS] {
        let n_taken = taken(n_waiting);
        self.entry(block, n_waiting - n_taken + block.lane().min(n_taken - 1))
    }
}

/// How many are taken of so many that wait: one for each lane, as far as there are any.
#[inline(always)]
pub(crate) fn taken(n_waiting: u32) -> u32 {
    n_waiting.min(WARP)
}
