//! The pairs that a report may show, chosen when the job has run, with the text of their records.

use super::blocks::{Block, examples};
use super::cells::Grid;
use super::labels::{Bands, Label, labels};
use super::records::Records;
use super::sample::{DRAWN, Size, evenly};
use super::strata::Strata;
use super::watching::Watching;
use super::{Outcome, strata};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::inspect::errors::SomeErrors;
use crate::inspect::sample::Drawn;
use crate::job::Prepared;
use crate::rules::Side;
use crate::tell::errors::Missed;
use hashbrown::HashMap;
use hyperblock_shared::layout::Candidate;

/// The key of the order that pairs stand in: none that has to do with why they were chosen.
const ORDER: u64 = 2;
/// No rule: a pair that no rule allows.
pub(super) const NO_RULE: u32 = u32::MAX;

/// Pairs that may be shown.
pub(super) struct Chosen<'a> {
    pub(super) job: &'a Prepared,
    pub(super) grid: Option<Grid>,
    /// By rule: those with the lowest tickets.
    drawn: Vec<Vec<Drawn>>,
    counts: Vec<u64>,
    near: Vec<Candidate>,
    strata: Strata,
    bands: Option<Bands>,
    pub(super) errors: Option<SomeErrors>,
    pub(super) records: Records,
}

/// A pair, and why it is shown.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// Its rule is [`NO_RULE`], if none allows it.
    pub(super) pair: Candidate,
    pub(super) groups: Vec<&'static str>,
    pub(super) chance: Option<f64>,
    pub(super) missed: Option<Missed>,
}

impl<'a> Chosen<'a> {
    pub(super) fn new(
        mut watching: Watching<'a>,
        outcome: &Outcome<'_>,
        blocks: &[Block],
        control: &Control,
    ) -> Result<Self> {
        let job = watching.job();
        let errors = watching.errors(outcome.truth, outcome.entities.map(|(entities, _)| entities))?;
        let near: Vec<Candidate> = watching.near().collect();
        let Watching { grid, bands, drawn, labels, .. } = watching;
        let counts = drawn.counts().to_vec();
        let shares = evenly(DRAWN, &counts);
        let of_rule = |(rule, n): (usize, &usize)| {
            let mut drawn = drawn.lowest(rule..rule + 1);
            drawn.truncate(*n);
            drawn
        };
        let drawn: Vec<Vec<Drawn>> = shares.iter().enumerate().map(of_rule).collect();
        let all_labels = (0..labels.counts().len()).flat_map(|nth| labels.lowest(nth..nth + 1));
        let pairs = drawn.iter().flatten().copied().chain(all_labels).map(|drawn| drawn.pair);
        let pairs = pairs.chain(near.iter().copied()).map(|pair| [pair.left, pair.right]);
        let wrong = errors.iter().flat_map(|errors| &errors.wrong).map(|pair| [pair.left, pair.right]);
        let missed = errors.iter().flat_map(|errors| &errors.missed).map(|pair| [pair.left, pair.right]);
        let pairs = pairs.chain(wrong).chain(missed);
        let mut wanted: Vec<(Side, u32)> =
            pairs.flat_map(|[left, right]| [(Side::Left, left), (Side::Right, right)]).collect();
        wanted.extend(examples(blocks));
        let records = Records::read(job, &wanted, control)?;
        Ok(Self { job, grid, drawn, counts, near, strata: labels, bands, errors, records })
    }

    /// Candidates that there are.
    pub(super) fn n_candidates(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The pairs of a report of some size, in an order of its own: whoever stops anywhere has seen some by chance.
    pub(super) fn shown(&self, size: &Size) -> Vec<Shown> {
        let mut all: HashMap<(u32, u32), Shown> = HashMap::new();
        let mut add = |pair: Candidate, group, chance: Option<f64>, missed: Option<Missed>| {
            let (groups, rule) = (Vec::new(), NO_RULE);
            let none = Shown { pair: Candidate { rule, ..pair }, groups, chance: None, missed: None };
            let shown = all.entry((pair.left, pair.right)).or_insert(none);
            shown.pair.rule = shown.pair.rule.min(pair.rule);
            shown.groups.push(group);
            (shown.chance, shown.missed) = (shown.chance.or(chance), shown.missed.or(missed));
        };
        for (drawn, n) in self.drawn.iter().zip(evenly(size.drawn, &self.counts)) {
            drawn.iter().take(n).for_each(|drawn| add(drawn.pair, "drawn", None, None));
        }
        self.near.iter().take(size.near).for_each(|pair| add(*pair, "near", None, None));
        if let Some(errors) = &self.errors {
            for missed in errors.missed.iter().take(size.errors) {
                let rule = missed.witness.unwrap_or(NO_RULE);
                let pair = Candidate { left: missed.left, right: missed.right, rule };
                add(pair, "missed", None, Some(*missed));
            }
            errors.wrong.iter().take(size.errors).for_each(|pair| add(*pair, "wrong", None, None));
        }
        for Label { pair, chance } in labels(&self.strata, self.bands.as_ref(), size.labels) {
            add(pair, "label", Some(chance), None);
        }
        let mut all: Vec<Shown> = all.into_values().collect();
        let key = strata::key(ORDER);
        all.sort_unstable_by_key(|shown| Drawn::new(key, Candidate { rule: 0, ..shown.pair }));
        all
    }
}
