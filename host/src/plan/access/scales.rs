//! What paths are weighed by: what each lead is expected to do, the same in all branches, and what that takes on the device.

use crate::base::error::Result;
use crate::encode::Encoded;
use crate::plan::overlap;
use crate::plan::path::OverlapMethod;
use crate::plan::sweep::{Block, Estimate, Lead};
use crate::plan::work::Rates;
use crate::plan::{AccessChoice, Program, ScanOptions, SimilarityChoice};
use hyperblock_shared::columns::Columns as _;
use hyperblock_shared::path::Walk;
use hyperblock_shared::sweep::Order;
use std::ops::Range;

/// Fewer pairs of items than this are swept before an overlap join is estimated.
const FEW_PAIRS: f64 = 4e6;

/// What paths are weighed by.
pub(super) struct Scales<'a> {
    pub(super) encoded: &'a Encoded,
    walk: Walk<'a>,
    pub(super) block: &'a Block,
    pub(super) options: ScanOptions,
    /// By predicate: nanoseconds.
    pub(super) costs: &'a [f64],
    pub(super) rates: &'a Rates,
    /// How many leads there are, and how many of them may be joined by what values have in common.
    n_leads: usize,
    n_joinable: usize,
}

/// What a lead is expected to do: swept, and in each way that its values may be joined.
pub(super) struct Estimated {
    pub(super) swept: Estimate,
    pub(super) joined: Vec<overlap::Estimate>,
}

impl<'a> Scales<'a> {
    /// For leads of a program over a block, each once.
    pub(super) fn new(
        encoded: &'a Encoded,
        program: &'a Program,
        block: &'a Block,
        costs: &'a [f64],
        rates: &'a Rates,
        leads: &[&Lead],
    ) -> Result<Self> {
        let (walk, options) = (program.walk()?, program.options());
        let n_joinable = leads.iter().filter(|lead| may_be_joined(lead, &options)).count();
        Ok(Self { encoded, walk, block, options, costs, rates, n_leads: leads.len(), n_joinable })
    }

    /// What a lead is expected to do, if it is one.
    pub(super) fn estimated(&self, lead: &Lead) -> Option<Estimated> {
        let swept = Estimate::new(self.encoded, lead, self.block, self.n_leads)?;
        let joined = self.overlaps(lead, &swept);
        Some(Estimated { swept, joined })
    }

    /// The overlap joins that a lead may have.
    fn overlaps(&self, lead: &Lead, swept: &Estimate) -> Vec<overlap::Estimate> {
        let Self { encoded, walk, block, ref options, n_joinable, .. } = *self;
        let n_items = swept.n_items();
        let is_small = !is_forced(options) && n_items[0] * n_items[1] < FEW_PAIRS;
        let measure = walk.predicate(lead.predicate).measure();
        let (Some(measure), Some(operands)) = (measure, lead.operands) else { return Vec::new() };
        if is_small || !may_be_joined(lead, options) {
            return Vec::new();
        }
        let [left, right] = operands.map(|operand| encoded.codes(operand));
        let of = |records: &Range<u32>| records.start as usize..records.end as usize;
        let values = |n_samples: usize| overlap::Columns {
            codes: [&left[of(&block.left)], &right[of(&block.right)]],
            n_items,
            is_self: block.order(lead.is_symmetric) == Order::Unordered,
            n_samples,
        };
        let is_wanted = |estimate: &overlap::Estimate| match options.similarity {
            SimilarityChoice::Join => estimate.method == OverlapMethod::Index,
            SimilarityChoice::Dense => estimate.method == OverlapMethod::Dense,
            SimilarityChoice::Cheapest | SimilarityChoice::Sweep => true,
        };
        let all = overlap::Sampled::all(encoded, measure);
        let n_estimates = n_joinable * all.len();
        let estimates = |elements: overlap::Sampled| {
            let n_samples = elements.n_samples(encoded, n_estimates, swept.verified())?;
            Some(overlap::estimates(encoded, measure, elements, &values(n_samples), options))
        };
        all.into_iter().filter_map(estimates).flatten().filter(is_wanted).collect()
    }
}

/// Whether a lead may be joined by what values have in common.
pub(super) fn may_be_joined(lead: &Lead, options: &ScanOptions) -> bool {
    lead.is_similarity()
        && options.access == AccessChoice::Cheapest
        && options.similarity != SimilarityChoice::Sweep
}

/// Whether they are to be, whatever that costs.
pub(super) fn is_forced(options: &ScanOptions) -> bool {
    matches!(options.similarity, SimilarityChoice::Join | SimilarityChoice::Dense)
}
