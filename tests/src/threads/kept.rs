//! Candidates that are scored where they were found, by kernels on CPU threads, as `cuda::scan::kept` launches them. Each
//! kernel is held to what the host would make of the same words.

use super::join::{Checked, plain};
use super::score::ThreadScores;
use super::{KernelOnThreads, atomics, launch};
use hyperblock::Result;
use hyperblock::operators::scan::{HandKept, Keep, Told};
use hyperblock_device::relation as kernels;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::packing::Packing;
use hyperblock_shared::relation::RULE_WORDS;

/// Candidates of a piece: few, so that there are several, and the last lanes of each have none.
const AT_ONCE: usize = 75;

/// Candidates as words in order.
pub(super) struct SortedWords<'a> {
    pub(super) device: &'a KernelOnThreads,
    pub(super) words: Vec<u64>,
    pub(super) packing: Packing,
}

impl SortedWords<'_> {
    /// Hands on what is kept of them.
    pub(super) fn keep_on(&self, n_rules: u32, keep: &Keep<'_>, hand_on: HandKept<'_>) -> Result<()> {
        if self.words.is_empty() {
            return Ok(());
        }
        hand_on(Told::Counted(&self.by_rule(n_rules)))?;
        let (device, encoded, tests) = (self.device, keep.encoded, keep.tests.clone());
        let scores = ThreadScores { device, encoded, tests };
        for piece in self.words.chunks(AT_ONCE) {
            let (results, warps) = scores.results(&self.pairs(piece, keep), keep.wanted);
            let words = self.kept(piece, &warps, results.len());
            let of_warp = |warp: &[u32]| warp[1] as usize..(warp[1] + warp[0].count_ones()) as usize;
            let one =
                |place: usize| (keep.selection.candidate(&self.packing.unpack(words[place])), results[place]);
            let kept: Vec<_> = warps.chunks(2).flat_map(of_warp).map(one).collect();
            hand_on(Told::Kept(&kept))?;
        }
        Ok(())
    }

    fn launch(&self, n_shared: u32, body: impl Fn(&super::Thread<'_>) + Sync) {
        launch(self.device.n_blocks, self.device.threads_per_block, n_shared, body);
    }

    fn by_rule(&self, n_rules: u32) -> Vec<u64> {
        let counts = atomics(n_rules, 0);
        self.launch(RULE_WORDS, |thread| kernels::rules(thread, &self.words, self.packing, &counts));
        let mut wanted = vec![0; n_rules as usize];
        self.words.iter().for_each(|&word| wanted[self.packing.unpack(word).rule as usize] += 1);
        assert_eq!(plain(&counts), wanted, "candidates by rule");
        wanted.into_iter().map(u64::from).collect()
    }

    fn pairs(&self, words: &[u64], keep: &Keep<'_>) -> Vec<[u32; 2]> {
        let (packing, selection) = (self.packing, keep.selection);
        let numbers = [&selection.left, &selection.right].map(|of| of.as_deref().unwrap_or_default());
        let pairs = Checked::new(words.len(), false);
        self.launch(0, |thread| kernels::pairs(thread, words, packing, numbers, &pairs));
        let pairs = pairs.written().into_iter().map(|pair| [pair as u32, (pair >> 32) as u32]);
        let pairs: Vec<[u32; 2]> = pairs.collect();
        let named = words.iter().map(|&word| selection.candidate(&packing.unpack(word)));
        assert!(named.map(|it| [it.left, it.right]).eq(pairs.iter().copied()), "records by their numbers");
        pairs
    }

    /// The words whose scores were kept, so many, where those stand.
    fn kept(&self, words: &[u64], warps: &[u32], n_kept: usize) -> Vec<u64> {
        let kept = Checked::new(words.len(), false);
        self.launch(0, |thread| kernels::kept(thread, words, warps, &kept));
        let kept = kept.written_upto(n_kept);
        for (words, warp) in words.chunks(WARP as usize).zip(warps.chunks(2)) {
            let is_kept = |lane: usize| warp[0] >> lane & 1 == 1;
            let wanted = (0..words.len()).filter(|&lane| is_kept(lane)).map(|lane| words[lane]);
            let start = warp[1] as usize;
            assert!(wanted.eq(kept[start..][..warp[0].count_ones() as usize].iter().copied()), "kept words");
        }
        kept
    }
}
