//! Scores on the GPU: columns are brought there once, lists of pairs come and go; or pairs are there already, and come from a
//! scan (`scan::kept`).

use super::Cuda;
use super::copies::HeldColumns;
use super::launch::{SCORE_THREADS, ScoreBuffers, launch_score};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::operators::scores::{PairScores, ScoresOperator, Tests};
use bytemuck::{cast_slice, cast_slice_mut};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::score::Wanted;
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;

impl ScoresOperator for Cuda {
    fn load_scores<'a>(&'a self, encoded: &'a Encoded, tests: Tests) -> Result<Box<dyn PairScores + 'a>> {
        Ok(Box::new(CudaScores::load(self, encoded, &tests)?))
    }
}

/// Columns in device memory, and room for pairs.
pub(super) struct CudaScores<'a> {
    gpu: &'a Cuda,
    columns: HeldColumns<'a>,
    attributes: CudaSlice<u32>,
    terms: CudaSlice<i32>,
    scratch: CudaSlice<u64>,
    scratch_words: u32,
    /// Blocks that scratch was asked for, whether there was so much or not.
    n_blocks: u32,
    /// Where scores come to: touching memory for the first time takes longer than they do.
    downloaded: Vec<u32>,
}

/// What became of pairs, in device memory: see `device::score`.
pub(super) struct Scored {
    results: CudaSlice<u32>,
    pub(super) warps: CudaSlice<u32>,
    n_kept: CudaSlice<u32>,
}

impl Scored {
    /// Room for so many pairs.
    pub(super) fn new(gpu: &Cuda, n_pairs: usize, wanted: Wanted) -> Result<Self> {
        let words_per_pair = if wanted == Wanted::Pattern { 2 } else { 1 };
        Ok(Self {
            results: gpu.room(words_per_pair * n_pairs)?,
            warps: gpu.room(2 * n_pairs.div_ceil(WARP as usize))?,
            n_kept: gpu.room(1)?,
        })
    }
}

impl<'a> CudaScores<'a> {
    pub(super) fn load(gpu: &'a Cuda, encoded: &'a Encoded, tests: &Tests) -> Result<Self> {
        let columns = gpu.columns(encoded)?;
        let attributes = gpu.upload::<u32>(cast_slice(&tests.attributes))?;
        // There is no empty array on a device.
        let terms = gpu.upload::<i32>(if tests.terms.is_empty() { &[0] } else { &tests.terms })?;
        let (scratch, scratch_words) = (gpu.zeros::<u64>(1)?, scratch_words(encoded.longest()));
        let downloaded = Vec::new();
        Ok(Self { gpu, columns, attributes, terms, scratch, scratch_words, n_blocks: 0, downloaded })
    }

    /// Long values need scratch in every thread: fewer blocks keep that within a quarter of what is free.
    pub(super) fn make_room(&mut self, wanted: Wanted) -> Result<()> {
        let words_per_block = u64::from(self.scratch_words) * u64::from(SCORE_THREADS);
        let n_blocks = self.gpu.kernels.load_score(&self.gpu.context, &self.gpu.name, wanted)?.n_blocks();
        if n_blocks <= self.n_blocks {
            return Ok(());
        }
        // What is there is free again before it is asked how much there is.
        self.scratch = self.gpu.zeros::<u64>(1)?;
        let affordable = (self.gpu.free_bytes()? / 4 / 8).checked_div(words_per_block).unwrap_or(u64::MAX);
        let n_words = words_per_block * affordable.clamp(1, u64::from(n_blocks));
        self.scratch = self.gpu.zeros::<u64>((n_words as usize).max(1))?;
        self.n_blocks = n_blocks;
        Ok(())
    }

    /// Scores the first so many pairs. There is room for what is wanted of them.
    pub(super) fn score(
        &mut self,
        pairs: &CudaSlice<u32>,
        n_pairs: usize,
        wanted: Wanted,
        scored: &mut Scored,
    ) -> Result<()> {
        self.gpu.clear(&mut scored.n_kept)?;
        let buffers = ScoreBuffers {
            columns: &self.columns,
            attributes: &self.attributes,
            terms: &self.terms,
            pairs,
            n_pairs,
            wanted,
            results: &mut scored.results,
            warps: &mut scored.warps,
            n_kept: &mut scored.n_kept,
            scratch: &mut self.scratch,
            scratch_words: self.scratch_words,
        };
        launch_score(self.gpu, buffers)
    }

    /// Scores pairs that come from the host.
    fn scored(&mut self, pairs: &[[u32; 2]], wanted: Wanted, control: &Control) -> Result<Scored> {
        control.check()?;
        self.make_room(wanted)?;
        let mut scored = Scored::new(self.gpu, pairs.len(), wanted)?;
        let uploaded = self.gpu.upload::<u32>(cast_slice(pairs))?;
        self.score(&uploaded, pairs.len(), wanted, &mut scored)?;
        Ok(scored)
    }

    /// The scores that were kept of so many pairs, those of a warp together and in order; and of each warp in order, which of
    /// its pairs they are of and where they begin.
    pub(super) fn download(&mut self, scored: &Scored, n_pairs: usize) -> Result<(&[u32], Vec<[u32; 2]>)> {
        let mut n_kept = [0];
        self.gpu.download(&scored.n_kept, &mut n_kept)?;
        let n_kept = n_kept[0] as usize;
        self.downloaded.resize(self.downloaded.len().max(n_kept), 0);
        let scores = &mut self.downloaded[..n_kept];
        if n_kept > 0 {
            self.gpu.download(&scored.results.slice(..n_kept), scores)?;
        }
        let mut warps = vec![[0u32; 2]; n_pairs.div_ceil(WARP as usize)];
        self.gpu.download(&scored.warps.slice(..2 * warps.len()), cast_slice_mut(&mut warps))?;
        Ok((scores, warps))
    }
}

impl PairScores for CudaScores<'_> {
    fn kept(&mut self, pairs: &[[u32; 2]], wanted: Wanted, control: &Control) -> Result<Vec<(u32, u32)>> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let scored = self.scored(pairs, wanted, control)?;
        let (scores, warps) = self.download(&scored, pairs.len())?;
        let kept = warps.par_iter().enumerate().flat_map_iter(|(nth, &[kept, start])| {
            let first = nth as u32 * WARP;
            let places = (first..first + WARP).filter(move |place| kept >> (place % WARP) & 1 == 1);
            places.zip(scores[start as usize..].iter().copied())
        });
        Ok(kept.collect())
    }

    fn scores(
        &mut self,
        pairs: &[[u32; 2]],
        wanted: Wanted,
        control: &Control,
        into: &mut [u32],
    ) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let scored = self.scored(pairs, wanted.of_all(), control)?;
        let (scores, warps) = self.download(&scored, pairs.len())?;
        into.par_chunks_mut(WARP as usize).zip(&warps).for_each(|(into, &[_, start])| {
            into.copy_from_slice(&scores[start as usize..][..into.len()]);
        });
        Ok(())
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        let mut patterns = vec![0u64; pairs.len()];
        if !pairs.is_empty() {
            let scored = self.scored(pairs, Wanted::Pattern, control)?;
            self.gpu.download(&scored.results, cast_slice_mut(&mut patterns))?;
        }
        Ok(patterns)
    }
}
