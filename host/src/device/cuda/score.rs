//! Scores on the GPU: columns are brought there once, lists of pairs come and go.

use super::Cuda;
use super::columns::UploadedColumns;
use super::launch::{SCORE_THREADS, ScoreBuffers, launch_score, words_per_pair};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::operators::scores::{PairScores, ScoresOperator};
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use cudarc::driver::CudaSlice;
use hyperblock_shared::score::{Attribute, Wanted};
use hyperblock_shared::text::scratch_words;

impl ScoresOperator for Cuda {
    fn load_scores<'a>(
        &'a self,
        encoded: &'a Encoded,
        attributes: &'a [Attribute],
    ) -> Result<Box<dyn PairScores + 'a>> {
        Ok(Box::new(CudaScores::load(self, encoded, attributes)?))
    }
}

/// Columns in device memory, and room for pairs.
struct CudaScores<'a> {
    gpu: &'a Cuda,
    columns: UploadedColumns,
    attributes: CudaSlice<u32>,
    scratch: CudaSlice<u64>,
    scratch_words: u32,
}

impl<'a> CudaScores<'a> {
    fn load(gpu: &'a Cuda, encoded: &Encoded, attributes: &[Attribute]) -> Result<Self> {
        let columns = UploadedColumns::new(gpu, encoded)?;
        let attributes = gpu.upload::<u32>(cast_slice(attributes))?;
        // Long values need scratch in every thread: fewer blocks keep that within a quarter of what is free.
        let scratch_words = scratch_words(encoded.longest());
        let words_per_block = u64::from(scratch_words) * u64::from(SCORE_THREADS);
        let affordable = (gpu.free_bytes()? / 4 / 8).checked_div(words_per_block).unwrap_or(u64::MAX);
        let filling = gpu.kernels.load_score(&gpu.context, &gpu.name)?.n_blocks();
        let n_blocks = affordable.clamp(1, u64::from(filling));
        let scratch = gpu.zeros::<u64>(((words_per_block * n_blocks) as usize).max(1))?;
        Ok(Self { gpu, columns, attributes, scratch, scratch_words })
    }

    /// What is wanted of each pair.
    fn results<T: Pod>(&mut self, pairs: &[[u32; 2]], wanted: Wanted, control: &Control) -> Result<Vec<T>> {
        control.check()?;
        let mut found = vec![T::zeroed(); pairs.len()];
        if pairs.is_empty() {
            return Ok(found);
        }
        let pairs = self.gpu.upload::<u32>(cast_slice(pairs))?;
        let mut results = self.gpu.zeros::<u32>(found.len() * words_per_pair(wanted))?;
        let buffers = ScoreBuffers {
            columns: &self.columns,
            attributes: &self.attributes,
            pairs: &pairs,
            wanted,
            results: &mut results,
            scratch: &mut self.scratch,
            scratch_words: self.scratch_words,
        };
        launch_score(self.gpu, buffers)?;
        self.gpu.download(&results, cast_slice_mut::<T, u32>(&mut found))?;
        Ok(found)
    }
}

impl PairScores for CudaScores<'_> {
    fn means(&mut self, pairs: &[[u32; 2]], least: u32, control: &Control) -> Result<Vec<u32>> {
        self.results(pairs, Wanted::Mean { least }, control)
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        self.results(pairs, Wanted::Pattern, control)
    }
}
