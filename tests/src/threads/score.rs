//! The kernel of scores on CPU threads.

use super::join::plain;
use super::{KernelOnThreads, UNWRITTEN, atomics, launch};
use hyperblock::encode::Encoded;
use hyperblock::operators::scores::{PairScores, Tests};
use hyperblock::{Control, Result};
use hyperblock_device::score::{ScoreWork, score};
use hyperblock_shared::layout::WARP;
use hyperblock_shared::score::Wanted;
use hyperblock_shared::text::scratch_words;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Scores on CPU threads.
pub(super) struct ThreadScores<'a> {
    pub(super) device: &'a KernelOnThreads,
    pub(super) encoded: &'a Encoded,
    pub(super) tests: Tests,
}

impl ThreadScores<'_> {
    /// What became of pairs: results, and what is known of each warp's.
    pub(super) fn results(&self, pairs: &[[u32; 2]], wanted: Wanted) -> (Vec<u32>, Vec<u32>) {
        let word = |&[left, right]: &[u32; 2]| AtomicU64::new(u64::from(right) << 32 | u64::from(left));
        let words: Vec<AtomicU64> = pairs.iter().map(word).collect();
        let n_pairs = pairs.len() as u32;
        let n_words = if wanted == Wanted::Pattern { 2 * n_pairs } else { n_pairs };
        let (results, n_kept) = (atomics(n_words, UNWRITTEN), AtomicU32::new(0));
        let warps = atomics(2 * n_pairs.div_ceil(WARP), UNWRITTEN);
        let job = ScoreWork {
            columns: self.encoded,
            attributes: &self.tests.attributes,
            terms: &self.tests.terms,
            pairs: &words,
            wanted,
            results: &results,
            warps: &warps,
            n_kept: &n_kept,
        };
        let n_scratch = scratch_words(self.encoded.longest()) as usize;
        launch(self.device.n_blocks, self.device.threads_per_block, 0, |thread| {
            let mut scratch = vec![0xdead_u64; n_scratch];
            score(thread, &job, scratch.as_mut_slice());
        });
        let mut results = plain(&results);
        if wanted != Wanted::Pattern {
            // Those that are kept, and no others, are written.
            let rest = results.split_off(n_kept.into_inner() as usize);
            assert!(
                results.iter().all(|word| *word != UNWRITTEN) && rest.iter().all(|word| *word == UNWRITTEN)
            );
        }
        (results, plain(&warps))
    }
}

impl PairScores for ThreadScores<'_> {
    fn kept(&mut self, pairs: &[[u32; 2]], wanted: Wanted, _: &Control) -> Result<Vec<(u32, u32)>> {
        let (scores, warps) = self.results(pairs, wanted);
        let of_warp = |(nth, words): (u32, &[u32])| {
            let (kept, start) = (words[0], words[1] as usize);
            let places =
                (0..WARP).filter(move |lane| kept >> lane & 1 == 1).map(move |lane| WARP * nth + lane);
            places.zip(scores[start..].to_vec()).collect::<Vec<_>>()
        };
        Ok((0..).zip(warps.chunks(2)).flat_map(of_warp).collect())
    }

    fn scores(
        &mut self,
        pairs: &[[u32; 2]],
        wanted: Wanted,
        control: &Control,
        into: &mut [u32],
    ) -> Result<()> {
        let all = self.kept(pairs, wanted.of_all(), control)?;
        assert_eq!(all.len(), into.len());
        all.into_iter().for_each(|(place, score)| into[place as usize] = score);
        Ok(())
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], _: &Control) -> Result<Vec<u64>> {
        let (words, _) = self.results(pairs, Wanted::Pattern);
        Ok(words.chunks(2).map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0])).collect())
    }
}
