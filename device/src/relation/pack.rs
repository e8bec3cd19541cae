//! Candidates as words that can be sorted.
//!
//! Computes  the word of each candidate, by a `Packing`
//! Layout    candidates as a scan appended them; as many words
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      12 bytes are read and 8 written for each
//! Next      the words are sorted, brought to the host and unpacked there

use crate::block::Block;
use crate::memory::Words;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::packing::Packing;

/// Packs all candidates.
#[inline(always)]
pub fn pack(block: &impl Block, candidates: &[Candidate], packing: Packing, words: &impl Words) {
    let mut ix = (block.block_ix() * block.n_threads() + block.thread_ix()) as usize;
    while let Some(&candidate) = candidates.get(ix) {
        words.set(ix as u64, packing.pack(candidate));
        ix += (block.n_blocks() * block.n_threads()) as usize;
    }
}
