//! The kernel of scores on CPU threads.

use super::join::plain;
use super::{KernelOnThreads, UNWRITTEN, atomics, launch};
use hyperblock::encode::Encoded;
use hyperblock::operators::scores::{PairScores, Tests};
use hyperblock::{Control, Result};
use hyperblock_device::score::{ScoreWork, score};
use hyperblock_shared::score::Wanted;
use hyperblock_shared::text::scratch_words;
use std::sync::atomic::AtomicU32;

/// Scores on CPU threads.
pub(super) struct ThreadScores<'a> {
    pub(super) device: &'a KernelOnThreads,
    pub(super) encoded: &'a Encoded,
    pub(super) tests: Tests,
}

impl ThreadScores<'_> {
    /// Two words for each pair, and how many pairs are kept.
    fn results(&self, pairs: &[[u32; 2]], wanted: Wanted) -> (Vec<u32>, usize) {
        let words: Vec<u64> =
            pairs.iter().map(|&[left, right]| u64::from(right) << 32 | u64::from(left)).collect();
        let (results, n_kept) = (atomics(2 * pairs.len() as u32, UNWRITTEN), AtomicU32::new(0));
        let job = ScoreWork {
            columns: self.encoded,
            attributes: &self.tests.attributes,
            terms: &self.tests.terms,
            pairs: &words,
            wanted,
            results: &results,
            n_kept: &n_kept,
        };
        let n_scratch = scratch_words(self.encoded.longest()) as usize;
        launch(self.device.n_blocks, self.device.threads_per_block, 0, |thread| {
            let mut scratch = vec![0xdead_u64; n_scratch];
            score(thread, &job, scratch.as_mut_slice());
        });
        (plain(&results), n_kept.into_inner() as usize)
    }
}

impl PairScores for ThreadScores<'_> {
    fn kept(&mut self, pairs: &[[u32; 2]], wanted: Wanted, _: &Control) -> Result<Vec<(u32, u32)>> {
        let (words, n_kept) = self.results(pairs, wanted);
        let mut kept: Vec<(u32, u32)> =
            words.chunks(2).take(n_kept).map(|words| (words[0], words[1])).collect();
        kept.sort_unstable();
        Ok(kept)
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], _: &Control) -> Result<Vec<u64>> {
        let (words, _) = self.results(pairs, Wanted::Pattern);
        Ok(words.chunks(2).map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect())
    }
}
