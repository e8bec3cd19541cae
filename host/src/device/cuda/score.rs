//! Scores on the GPU: columns are brought there once, lists of pairs come and go.

use super::Cuda;
use super::columns::UploadedColumns;
use super::launch::{SCORE_THREADS, ScoreBuffers, launch_score};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::operators::scores::{PairScores, ScoresOperator, Tests};
use bytemuck::{cast_slice, cast_slice_mut};
use cudarc::driver::CudaSlice;
use hyperblock_shared::score::Wanted;
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;

impl ScoresOperator for Cuda {
    fn load_scores<'a>(&'a self, encoded: &'a Encoded, tests: Tests) -> Result<Box<dyn PairScores + 'a>> {
        Ok(Box::new(CudaScores::load(self, encoded, &tests)?))
    }
}

/// Columns in device memory, and room for pairs.
struct CudaScores<'a> {
    gpu: &'a Cuda,
    columns: UploadedColumns,
    attributes: CudaSlice<u32>,
    terms: CudaSlice<i32>,
    scratch: CudaSlice<u64>,
    scratch_words: u32,
}

impl<'a> CudaScores<'a> {
    fn load(gpu: &'a Cuda, encoded: &Encoded, tests: &Tests) -> Result<Self> {
        let columns = UploadedColumns::new(gpu, encoded)?;
        let attributes = gpu.upload::<u32>(cast_slice(&tests.attributes))?;
        // There is no empty array on a device.
        let terms = gpu.upload::<i32>(if tests.terms.is_empty() { &[0] } else { &tests.terms })?;
        // Long values need scratch in every thread: fewer blocks keep that within a quarter of what is free.
        let scratch_words = scratch_words(encoded.longest());
        let words_per_block = u64::from(scratch_words) * u64::from(SCORE_THREADS);
        let affordable = (gpu.free_bytes()? / 4 / 8).checked_div(words_per_block).unwrap_or(u64::MAX);
        let filling = gpu.kernels.load_score(&gpu.context, &gpu.name)?.n_blocks();
        let n_blocks = affordable.clamp(1, u64::from(filling));
        let scratch = gpu.zeros::<u64>(((words_per_block * n_blocks) as usize).max(1))?;
        Ok(Self { gpu, columns, attributes, terms, scratch, scratch_words })
    }

    /// What is wanted of pairs, in device memory, and how many are kept.
    fn results(
        &mut self,
        pairs: &[[u32; 2]],
        wanted: Wanted,
        control: &Control,
    ) -> Result<(CudaSlice<u32>, u32)> {
        control.check()?;
        let n_words = 2 * pairs.len();
        let pairs = self.gpu.upload::<u32>(cast_slice(pairs))?;
        let mut results = self.gpu.zeros::<u32>(n_words)?;
        let mut n_kept = self.gpu.zeros::<u32>(1)?;
        let buffers = ScoreBuffers {
            columns: &self.columns,
            attributes: &self.attributes,
            terms: &self.terms,
            pairs: &pairs,
            wanted,
            results: &mut results,
            n_kept: &mut n_kept,
            scratch: &mut self.scratch,
            scratch_words: self.scratch_words,
        };
        launch_score(self.gpu, buffers)?;
        let mut n = [0];
        self.gpu.download(&n_kept, &mut n)?;
        Ok((results, n[0]))
    }
}

impl PairScores for CudaScores<'_> {
    fn kept(&mut self, pairs: &[[u32; 2]], wanted: Wanted, control: &Control) -> Result<Vec<(u32, u32)>> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let (results, n_kept) = self.results(pairs, wanted, control)?;
        let mut kept = vec![[0u32; 2]; n_kept as usize];
        self.gpu.download(&results.slice(..2 * kept.len()), cast_slice_mut(&mut kept))?;
        // In no order, but each place once: they are put where they belong, and gone through.
        let mut by_place = vec![u64::MAX; pairs.len()];
        for &[place, score] in &kept {
            by_place[place as usize] = score.into();
        }
        let there = by_place.par_iter().enumerate().filter(|(_, score)| **score != u64::MAX);
        Ok(there.map(|(place, &score)| (place as u32, score as u32)).collect())
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        let mut patterns = vec![0u64; pairs.len()];
        if !pairs.is_empty() {
            let (results, _) = self.results(pairs, Wanted::Pattern, control)?;
            self.gpu.download(&results, cast_slice_mut(&mut patterns))?;
        }
        Ok(patterns)
    }
}
