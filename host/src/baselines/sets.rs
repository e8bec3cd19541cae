//! Joins of sets that fgssjoin (Quirino and others, 2017) compares itself with, on the CPU: the pairs of one collection that
//! are similar enough.
//!
//! | | finds pairs by | threads |
//! |---|---|---|
//! | [`all_pairs`] | an index of prefixes, and sizes | one |
//! | [`ppjoin`] | the same, and by where in them elements stand | one |
//! | [`gssjoin`] | an index of all elements, and a score for each pair | all, or a GPU |
//!
//! The first two have one thread, as their papers have. Sets come by record, in the form that the engine encodes them in:
//! elements are numbered from the rarest on, and ascend. How many of them two sets need in common is asked of the measure, as
//! everywhere ([`least_common`]), so integers decide here, too. A join begins with bringing sets into the order of their sizes
//! ([`ordered`]), since the engine's begins with that as well. An empty set is in no pair.

mod all_pairs;
mod by_size;
mod gssjoin;
mod ordered;
mod ppjoin;
mod prefix;

pub use by_size::BySize;

use super::sink::Sink;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::names::expected;
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::overlap::least_common;
use ordered::Ordered;
use strum::{Display, EnumString, VariantArray, VariantNames};

/// Which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantArray, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum Baseline {
    /// Bayardo, Ma and Srikant (WWW 2007), of sets.
    AllPairs,
    /// Xiao, Wang, Lin and Yu (WWW 2008).
    Ppjoin,
    /// Ribeiro-Junior, Quirino, Ribeiro and Martins (SBBD 2016), on the CPU.
    Gssjoin,
}

/// A collection of sets.
#[derive(Clone, Debug, Default)]
pub struct Sets {
    /// By set: one past its last element.
    ends: Vec<usize>,
    elements: Vec<u32>,
}

impl Sets {
    /// Of these, each with ascending elements that are numbered through: an index has a list for each number.
    pub fn new<'a>(sets: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut all = Self::default();
        for set in sets {
            all.elements.extend_from_slice(set);
            all.ends.push(all.elements.len());
        }
        all
    }

    /// How many there are.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    #[inline]
    fn get(&self, ix: u32) -> &[u32] {
        let ix = ix as usize;
        let start = if ix == 0 { 0 } else { self.ends[ix - 1] };
        &self.elements[start..self.ends[ix]]
    }

    #[inline]
    fn size(&self, ix: u32) -> u32 {
        self.get(ix).len() as u32
    }
}

impl Baseline {
    /// All there are.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// How many threads it has.
    pub fn n_threads(self) -> usize {
        match self {
            Self::AllPairs | Self::Ppjoin => 1,
            Self::Gssjoin => rayon::current_num_threads(),
        }
    }

    /// The pairs on which a measure of sets holds, and that have something in common, each once with the smaller number left;
    /// in any order.
    pub fn pairs(self, sets: &Sets, measure: &ArchivedMeasure, control: &Control) -> Result<Vec<(u32, u32)>> {
        Ok(self.run_into(sets, measure, control, Vec::new)?.concat())
    }

    /// How many they are.
    pub fn count(self, sets: &Sets, measure: &ArchivedMeasure, control: &Control) -> Result<u64> {
        Ok(self.run_into(sets, measure, control, || 0u64)?.into_iter().sum())
    }

    fn run_into<S: Sink>(
        self,
        sets: &Sets,
        measure: &ArchivedMeasure,
        control: &Control,
        sink: impl Fn() -> S + Sync,
    ) -> Result<Vec<S>> {
        check(measure)?;
        let sets = Ordered::new(sets, measure);
        match self {
            Self::AllPairs => Ok(vec![all_pairs::join(&sets, sink(), control)?]),
            Self::Ppjoin => Ok(vec![ppjoin::join(&sets, sink(), control)?]),
            Self::Gssjoin => gssjoin::join(&sets, sink, control),
        }
    }
}

/// An error, if it does not compare sets.
fn check(measure: &ArchivedMeasure) -> Result<()> {
    match measure {
        ArchivedMeasure::Sets { .. } => Ok(()),
        _ => Err(Error::Job("a baseline joins sets, by a measure of them".into())),
    }
}

/// How many elements sets of these sizes need in common, at least one; none if they cannot have as many. The larger either of
/// them is, the more; which all prefixes rest on.
fn least(measure: &ArchivedMeasure, x: u32, y: u32) -> Option<u32> {
    least_common(measure, 1, x, y).map(|least| least.max(1))
}

#[cfg(test)]
mod tests;
