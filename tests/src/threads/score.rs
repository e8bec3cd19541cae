//! The kernel of scores on CPU threads.

use super::join::plain;
use super::{KernelOnThreads, UNWRITTEN, atomics, launch};
use hyperblock::encode::Encoded;
use hyperblock::operators::scores::PairScores;
use hyperblock::{Control, Result};
use hyperblock_device::score::{ScoreWork, score};
use hyperblock_shared::score::{Attribute, Wanted};
use hyperblock_shared::text::scratch_words;

/// Scores on CPU threads.
pub(super) struct ThreadScores<'a> {
    pub(super) device: &'a KernelOnThreads,
    pub(super) encoded: &'a Encoded,
    pub(super) attributes: &'a [Attribute],
}

impl ThreadScores<'_> {
    fn results(&self, pairs: &[[u32; 2]], wanted: Wanted, words_per_pair: u32) -> Vec<u32> {
        let words: Vec<u64> =
            pairs.iter().map(|&[left, right]| u64::from(right) << 32 | u64::from(left)).collect();
        let results = atomics(pairs.len() as u32 * words_per_pair, UNWRITTEN);
        let job = ScoreWork {
            columns: self.encoded,
            attributes: self.attributes,
            pairs: &words,
            wanted,
            results: &results,
        };
        let n_scratch = scratch_words(self.encoded.longest()) as usize;
        launch(self.device.n_blocks, self.device.threads_per_block, 0, |thread| {
            let mut scratch = vec![0xdead_u64; n_scratch];
            score(thread, &job, scratch.as_mut_slice());
        });
        plain(&results)
    }
}

impl PairScores for ThreadScores<'_> {
    fn means(&mut self, pairs: &[[u32; 2]], least: u32, _: &Control) -> Result<Vec<u32>> {
        Ok(self.results(pairs, Wanted::Mean { least }, 1))
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], _: &Control) -> Result<Vec<u64>> {
        let words = self.results(pairs, Wanted::Pattern, 2);
        Ok(words.chunks(2).map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect())
    }
}
