//! Sets as the kernels of gSSJoin take them.

use super::ordered::Ordered;
use super::{Sets, check};
use crate::base::error::Result;
use hyperblock_shared::baselines::SetsBySize;
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::overlap::NEVER;

/// The sets that are not empty, from small to large, and what two of them need in common.
pub struct BySize<'a> {
    ordered: Ordered<'a>,
    starts: Vec<u32>,
    sizes: Vec<u32>,
    least: Vec<u32>,
}

impl<'a> BySize<'a> {
    /// Of sets that a measure compares.
    pub fn new(sets: &Sets, measure: &'a ArchivedMeasure) -> Result<Self> {
        check(measure)?;
        let ordered = Ordered::new(sets, measure);
        let starts = std::iter::once(0).chain(ordered.sets.ends.iter().map(|&end| end as u32)).collect();
        let runs = (0..).zip(&ordered.runs);
        let sizes = runs.flat_map(|(nth, (_, places))| places.clone().map(move |_| nth)).collect();
        let all = || ordered.runs.iter().map(|(size, _)| *size);
        let least =
            all().flat_map(|x| all().map(move |y| (x, y))).map(|(x, y)| ordered.least(x, y).unwrap_or(NEVER));
        let least = least.collect();
        Ok(Self { ordered, starts, sizes, least })
    }

    /// The arrays.
    pub fn lists(&self) -> SetsBySize<'_> {
        SetsBySize {
            starts: &self.starts,
            elements: &self.ordered.sets.elements,
            n_elements: self.ordered.n_elements as u32,
            sizes: &self.sizes,
            n_sizes: self.ordered.runs.len() as u32,
            least: &self.least,
        }
    }

    /// Pairs of records for pairs of places, the smaller number left.
    pub fn records(&self, places: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
        places.into_iter().map(|(left, right)| self.ordered.pair(left, right)).collect()
    }
}
