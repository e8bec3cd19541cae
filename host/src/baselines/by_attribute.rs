//! Pairs as 'Duplicate Detection on GPUs' (Forchhammer and others, BTW 2013) scores them: by one sorted order for each attribute.
//!
//! In the order of an attribute's key a record is compared with its neighbours by that attribute alone; those that are alike
//! enough make a list. The lists are sorted and merged, and a pair's score is the weighted mean of what lists say of it: an
//! attribute by whose order two records are far apart adds nothing, however alike they are. The engine scores each pair
//! that any order has by all attributes.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::entities::score::{Kept, Scoring};
use crate::job::Prepared;
use crate::operators::Backend;
use crate::operators::neighbours::Orders;
use crate::rules::{Missing, ScoreMethod};
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;

/// The pairs whose mean comes to the threshold, in order, with it in billionths. The job's neighbourhoods belong to the attributes
/// of its score, one each; its rules are not looked at.
pub fn by_attribute(prepared: &Prepared, device: &dyn Backend, control: &Control) -> Result<Vec<Kept>> {
    let unfit = || {
        Error::Job(
            "scores by attribute need a weighted mean with missing = \"zero\", and as many neighbourhoods as \
             attributes"
                .into(),
        )
    };
    let score = prepared.scoring().ok_or_else(unfit)?.score();
    let n_lists = prepared.neighbourhoods.len();
    if score.method != ScoreMethod::WeightedMean
        || score.missing != Missing::Zero
        || score.attributes.len() != n_lists
    {
        return Err(unfit());
    }
    let (left, right) = (&prepared.left, prepared.second());
    let orders = Orders::new(left, right, &prepared.neighbourhoods, control)?;
    // By list one after the other: a pair, and what it adds to its sum.
    let mut lists: Vec<(Candidate, u64)> = Vec::new();
    for (nth, attribute) in score.attributes.iter().enumerate() {
        let mut alone = score.clone();
        alone.attributes = vec![attribute.clone()];
        let scoring = Scoring::new(alone, left, right, control)?;
        let (order, mut pairs) = (orders.only(nth), Vec::new());
        device.load_neighbours(&order)?.pairs(0..orders.n_left, control, &mut pairs)?;
        let kept = scoring.load(device)?.kept(&pairs, attribute.threshold.max(1), control)?;
        let added = |(place, similarity): (usize, u32)| {
            let pair = Candidate { rule: 0, ..pairs[place] };
            (pair, u64::from(attribute.weight) * u64::from(similarity))
        };
        lists.extend(kept.into_iter().map(added));
    }
    lists.par_sort_unstable();
    let weight: u64 = score.attributes.iter().map(|attribute| u64::from(attribute.weight)).sum();
    let mean = |parts: &[(Candidate, u64)]| {
        let sum: u64 = parts.iter().map(|(_, added)| added).sum();
        // Half up, as means are; weights are below 2^32 together.
        ((sum + weight / 2) / weight) as u32
    };
    let merged = lists.chunk_by(|one, other| one.0 == other.0);
    let merged = merged.filter_map(|parts| Some((parts.first()?.0, mean(parts))));
    Ok(merged.filter(|(_, mean)| *mean >= score.threshold).collect())
}
