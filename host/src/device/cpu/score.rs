//! Scores on the CPU: lists of pairs, divided among the threads of a pool.

use super::Cpu;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::operators::scores::{PairScores, ScoresOperator};
use hyperblock_shared::score::{Attribute, Wanted, result};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;

/// Pairs that a thread takes at a time: some tenths of a millisecond.
const PAIRS_PER_SHARE: usize = 1 << 10;

impl ScoresOperator for Cpu {
    fn load_scores<'a>(
        &'a self,
        encoded: &'a Encoded,
        attributes: &'a [Attribute],
    ) -> Result<Box<dyn PairScores + 'a>> {
        Ok(Box::new(CpuScores { encoded, attributes }))
    }
}

/// Columns to score by, where they lie.
struct CpuScores<'a> {
    encoded: &'a Encoded,
    attributes: &'a [Attribute],
}

impl PairScores for CpuScores<'_> {
    fn means(&mut self, pairs: &[[u32; 2]], least: u32, control: &Control) -> Result<Vec<u32>> {
        // At most 1, which is 10^9.
        self.results(pairs, Wanted::Mean { least }, control, |mean| mean as u32)
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        self.results(pairs, Wanted::Pattern, control, |pattern| pattern)
    }
}

impl CpuScores<'_> {
    fn results<T: Copy + Default + Send>(
        &self,
        pairs: &[[u32; 2]],
        wanted: Wanted,
        control: &Control,
        of: impl Fn(u64) -> T + Sync,
    ) -> Result<Vec<T>> {
        let mut results = vec![T::default(); pairs.len()];
        let shares = results.par_chunks_mut(PAIRS_PER_SHARE).zip(pairs.par_chunks(PAIRS_PER_SHARE));
        let scratch = || vec![0u64; scratch_words(self.encoded.longest()) as usize];
        shares.try_for_each_init(scratch, |scratch, (results, pairs)| {
            control.check()?;
            for (place, &pair) in results.iter_mut().zip(pairs) {
                *place = of(result(self.attributes, self.encoded, pair, wanted, scratch.as_mut_slice()));
            }
            Ok(())
        })?;
        Ok(results)
    }
}
