//! Attributes of several predicates: `levenshtein(l.a, r.a) = 1` is at most 1, and not at most 0.
//!
//! Devices look at attributes of one predicate. A score with others is computed here, by all threads of the CPU: each
//! predicate is tested as it is everywhere, and what that comes to is decided as it is for a rule. All predicates of an
//! attribute look at the same two values, so either all of them have an outcome or none.

use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::operators::scores::PairScores;
use hyperblock_shared::score::{Attribute, BITS_PER_LEVEL, ONE};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;

/// Pairs that a thread takes at a time.
const PAIRS_PER_SHARE: usize = 1 << 10;

/// An attribute: at least one conjunction of at least one predicate. All are equal but for what they test.
#[derive(Debug)]
pub(super) struct Compound {
    conjunctions: Vec<Vec<Attribute>>,
    first: Attribute,
}

impl Compound {
    /// `None` if there is no predicate.
    pub(super) fn new(conjunctions: Vec<Vec<Attribute>>) -> Option<Self> {
        let first = *conjunctions.first()?.first()?;
        Some(Self { conjunctions, first })
    }

    /// The attribute, if it is of one predicate.
    pub(super) fn alone(&self) -> Option<Attribute> {
        let [conjunction] = &self.conjunctions[..] else { return None };
        (conjunction.len() == 1).then_some(self.first)
    }

    /// How alike two records are in it, in billionths, or `None` if one of them lacks it.
    pub(super) fn similarity(&self, encoded: &Encoded, pair: [u32; 2], scratch: &mut [u64]) -> Option<u32> {
        let mut of = |attribute: &Attribute| attribute.of_records(encoded, pair, &mut *scratch);
        let first = of(&self.first)?;
        if self.alone().is_some() {
            return Some(first);
        }
        let holds = |conjunction: &Vec<Attribute>| conjunction.iter().all(|test| of(test) == Some(ONE));
        Some(if self.conjunctions.iter().any(holds) { ONE } else { 0 })
    }
}

/// Columns to score by, where they lie.
pub(super) struct CompoundScores<'a> {
    pub(super) encoded: &'a Encoded,
    pub(super) attributes: &'a [Compound],
}

impl PairScores for CompoundScores<'_> {
    fn means(&mut self, pairs: &[[u32; 2]], _: u32, control: &Control) -> Result<Vec<u32>> {
        self.results(pairs, control, |similarities| {
            let (mut sum, mut weights) = (0, 0);
            for (attribute, similarity) in similarities {
                let weight = u64::from(attribute.weight);
                (sum, weights) = (sum + weight * u64::from(similarity), weights + weight);
            }
            // Rounded half up, as `hyperblock_shared::score` has it.
            if weights == 0 { 0 } else { ((2 * sum + weights) / (2 * weights)) as u32 }
        })
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        self.results(pairs, control, |similarities| {
            let level = |(attribute, similarity): (&Attribute, u32)| {
                u64::from(attribute.level(similarity)) << (BITS_PER_LEVEL * attribute.nth)
            };
            similarities.map(level).fold(0, |pattern, level| pattern | level)
        })
    }
}

impl CompoundScores<'_> {
    /// What `of` makes of the similarities of each pair that are not missing.
    fn results<'s, T: Copy + Default + Send>(
        &'s self,
        pairs: &[[u32; 2]],
        control: &Control,
        of: impl Fn(&mut dyn Iterator<Item = (&Attribute, u32)>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let mut results = vec![T::default(); pairs.len()];
        let shares = results.par_chunks_mut(PAIRS_PER_SHARE).zip(pairs.par_chunks(PAIRS_PER_SHARE));
        let scratch = || vec![0u64; scratch_words(self.encoded.longest()) as usize];
        shares.try_for_each_init(scratch, |scratch, (results, pairs)| {
            control.check()?;
            for (place, &pair) in results.iter_mut().zip(pairs) {
                let there = |attribute: &'s Compound| {
                    Some((&attribute.first, attribute.similarity(self.encoded, pair, scratch)?))
                };
                *place = of(&mut self.attributes.iter().filter_map(there));
            }
            Ok(())
        })?;
        Ok(results)
    }
}
