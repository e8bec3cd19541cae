//! Scores on the CPU: lists of pairs, divided among the threads of a pool.

use super::Cpu;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::encode::Encoded;
use crate::operators::scores::{PairScores, ScoresOperator, Tests};
use hyperblock_shared::score::{Wanted, result};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;

/// Pairs that a thread takes at a time: some tenths of a millisecond.
const PAIRS_PER_SHARE: usize = 1 << 10;

impl ScoresOperator for Cpu {
    fn load_scores<'a>(&'a self, encoded: &'a Encoded, tests: Tests) -> Result<Box<dyn PairScores + 'a>> {
        Ok(Box::new(CpuScores { encoded, tests }))
    }
}

/// Columns to score by, where they lie.
struct CpuScores<'a> {
    encoded: &'a Encoded,
    tests: Tests,
}

impl PairScores for CpuScores<'_> {
    fn kept(&mut self, pairs: &[[u32; 2]], wanted: Wanted, control: &Control) -> Result<Vec<(u32, u32)>> {
        let shares = self.shares(pairs, control, |place, pair, scratch| {
            let result = self.result(pair, wanted, scratch);
            // Neither a mean nor a rank is more than a word.
            wanted.keeps(result).then_some((place, result as u32))
        })?;
        Ok(shares.concat())
    }

    fn scores(
        &mut self,
        pairs: &[[u32; 2]],
        wanted: Wanted,
        control: &Control,
        into: &mut [u32],
    ) -> Result<()> {
        let wanted = wanted.of_all();
        let share = |scratch: &mut Vec<u64>, (pairs, into): (&[[u32; 2]], &mut [u32])| {
            control.check()?;
            let scores = pairs.iter().map(|&pair| self.result(pair, wanted, scratch) as u32);
            into.iter_mut().zip(scores).for_each(|(place, score)| *place = score);
            Ok(())
        };
        let shares = pairs.par_chunks(PAIRS_PER_SHARE).zip(into.par_chunks_mut(PAIRS_PER_SHARE));
        shares.map_init(|| self.scratch(), share).collect()
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        let shares = self
            .shares(pairs, control, |_, pair, scratch| Some(self.result(pair, Wanted::Pattern, scratch)))?;
        Ok(shares.concat())
    }
}

impl CpuScores<'_> {
    fn result(&self, pair: [u32; 2], wanted: Wanted, scratch: &mut [u64]) -> u64 {
        result(&self.tests.attributes, &self.tests.terms, self.encoded, pair, wanted, scratch)
    }

    /// For one thread.
    fn scratch(&self) -> Vec<u64> {
        vec![0; scratch_words(self.encoded.longest()) as usize]
    }

    /// What `of` makes of each pair and its place, share by share.
    fn shares<T: Send>(
        &self,
        pairs: &[[u32; 2]],
        control: &Control,
        of: impl Fn(u32, [u32; 2], &mut [u64]) -> Option<T> + Sync,
    ) -> Result<Vec<Vec<T>>> {
        let share = |scratch: &mut Vec<u64>, (nth, pairs): (usize, &[[u32; 2]])| {
            control.check()?;
            let first = (nth * PAIRS_PER_SHARE) as u32;
            Ok((first..).zip(pairs).filter_map(|(place, &pair)| of(place, pair, scratch)).collect())
        };
        pairs.par_chunks(PAIRS_PER_SHARE).enumerate().map_init(|| self.scratch(), share).gather_all()
    }
}
