//! gSSJoin on a GPU: sets in the order of their sizes, all elements indexed, a score for each pair.

use super::PairBuffer;
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::clock::Clock;
use crate::device::cuda::columns::Slices;
use crate::operators::join::{Joined, Output};
use hyperblock_shared::baselines::{MOST_ELEMENTS, SetsBySize, n_score_words};
use hyperblock_shared::layout::{DeviceGssjoin, n_sum_tiles};

/// Of the bytes that are free, what scores take at most: one part of so many.
const SCORE_PART: u64 = 2;

impl Cuda {
    /// The pairs of places that gSSJoin finds, the lower one first, in any order. If there are more than were expected, it is done
    /// again.
    pub fn gssjoin_pairs(&self, sets: SetsBySize<'_>, expected: usize) -> Result<Vec<(u32, u32)>> {
        let (joined, pairs) = self.gssjoin(sets, Output::Pairs { capacity: expected })?;
        let n_pairs = joined.n_pairs as usize;
        if pairs.len() == n_pairs {
            return Ok(pairs);
        }
        Ok(self.gssjoin(sets, Output::Pairs { capacity: n_pairs })?.1)
    }

    /// Joins sets with each other, and how that went; the pairs are of places, the lower one first, and some of them if the buffer
    /// is too small for all.
    pub fn gssjoin(&self, sets: SetsBySize<'_>, output: Output) -> Result<(Joined, Vec<(u32, u32)>)> {
        let n_sets = sets.sizes.len();
        let fits = sets.starts.len() == n_sets + 1
            && sets.starts.last() == Some(&(sets.elements.len() as u32))
            && sets.least.len() == sets.n_sizes as usize * sets.n_sizes as usize
            && sets.sizes.iter().all(|size| *size < sets.n_sizes)
            && sets.elements.iter().all(|element| *element < sets.n_elements);
        if !fits {
            return Err(Error::Internal("sets that do not fit together".into()));
        }
        if sets.starts.windows(2).any(|of_set| of_set[1].saturating_sub(of_set[0]) > MOST_ELEMENTS) {
            return Err(Error::Job(format!(
                "a set has more than {MOST_ELEMENTS} elements, too many for a score"
            )));
        }
        let (slice, launches) = (Slices(self), self.baseline_launches()?);
        let (starts, elements) = (self.upload(sets.starts)?, self.upload(sets.elements)?);
        let (sizes, least) = (self.upload(sets.sizes)?, self.upload(sets.least)?);
        let (n_elements, n_slots) = (sets.elements.len(), sets.n_elements as usize);
        let (slots, postings) = (self.zeros::<u32>(n_slots.max(1))?, self.room::<u32>(n_elements)?);
        let tiles = self.room::<u32>(n_sum_tiles(n_slots as u64) as usize + 1)?;
        let n_words = n_score_words(n_sets as u32).max(1) as usize;
        let each = 4 * n_words as u64;
        let n_blocks = (self.free_bytes()? / SCORE_PART / each).min(u64::from(launches.n_scoring())) as u32;
        if n_blocks == 0 {
            return Err(self.no_memory(2 * each as usize));
        }
        let scores = self.zeros::<u32>(n_blocks as usize * n_words)?;
        let mut buffer = PairBuffer::new(&launches)?;
        let sees_pairs = buffer.begin(self, output)?;
        let join = DeviceGssjoin {
            starts: slice.of(&starts),
            elements: slice.first(&elements, n_elements),
            slots: slice.of(&slots).atomic(),
            postings: slice.first(&postings, n_elements).atomic(),
            sizes: slice.first(&sizes, n_sets),
            least: slice.first(&least, sets.least.len()),
            scores: slice.of(&scores).atomic(),
            output: buffer.on_device(self),
            n_sizes: sets.n_sizes,
            padding: 0,
        };
        let mut clock = Clock::new(self)?;
        launches.count_postings(join)?;
        self.relation_launches()?.sums(slice.first(&slots, n_slots), slice.of(&tiles))?;
        launches.fill_postings(join)?;
        clock.end("index")?;
        launches.scored(join, n_blocks, sees_pairs)?;
        clock.end("score")?;
        let joined = Joined { n_pairs: buffer.n_pairs(self)?, n_heavy: 0, phases: clock.phases()? };
        Ok((joined, buffer.pairs(self)?))
    }
}
