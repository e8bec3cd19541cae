//! A branch with the access paths that it may have, and what they are expected to cost.

use super::key::{Key, Keys};
use super::split::{Split, split};
use super::{Access, KeyJoin};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::plan::join::JoinMethod;
use crate::plan::overlap;
use crate::plan::sweep::{Block, Estimate, Lead, Sweep, VERIFYING, Within, settings};
use crate::plan::{BranchSteps, JoinChoice, Program, ScanOptions, SimilarityChoice};
use hashbrown::HashSet;
use hyperblock_shared::columns::Columns as _;
use hyperblock_shared::path::{UNKNOWN, Walk};
use hyperblock_shared::sweep::Order;
use std::ops::Range;

/// A branch with what it may be accessed by.
pub(super) struct Branch<'a> {
    pub(super) steps: &'a BranchSteps,
    /// The predicates that all its rules ask for and that can lead it; if there is a key, without the equalities.
    leads: Vec<Lead>,
    pub(super) key: Option<Key>,
    /// The equalities of the key: the branch's own, then those of the branches it is a part of.
    equalities: Vec<Lead>,
    /// How many of them are its own.
    n_own: usize,
    /// Branches that it may be taken apart into, each by its key.
    children: Vec<Self>,
}

/// A branch's access path.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    Sweep(Lead),
    /// The lead, and what its elements are.
    Overlap(Lead, overlap::Estimate),
    /// The key, and of heavy ones the inner lead.
    Key {
        inner: Option<Inner>,
    },
}

/// What heavy keys are swept by, or joined by what values have in common.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    lead: Lead,
    overlap: Option<overlap::Estimate>,
}

/// What was chosen for a branch, and what it was chosen from.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) chosen: Chosen,
    /// The cheapest first.
    pub(super) alternatives: Vec<Alternative>,
}

/// An access path that a branch may have.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The access path.
    pub way: Way,
    /// What it is expected to cost, in pairs that are screened; nothing is known if there was no choice.
    pub cost: Option<f64>,
}

/// A way to come by pairs, with its predicates by their places among the path's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Items are swept, led by a predicate if there is one.
    Sweep(Option<u32>),
    /// Values are joined by what they have in common: by tokens, or by q-grams of so many symbols.
    Overlap {
        /// How pairs are found.
        method: overlap::OverlapMethod,
        /// The predicate.
        lead: u32,
        /// Symbols of a q-gram, if elements are not tokens.
        q: Option<u32>,
    },
    /// Records are joined by equalities, and heavy keys swept by another predicate.
    Join {
        /// The equalities.
        equalities: Vec<u32>,
        /// The inner lead, if there is one, and how pairs are found if it does not sweep.
        inner: Option<(u32, Option<overlap::OverlapMethod>)>,
    },
}

/// Fewer pairs of items than this are swept before an overlap join is estimated.
const FEW_PAIRS: f64 = 4e6;

impl<'a> Branch<'a> {
    pub(super) fn new(encoded: &Encoded, steps: &'a BranchSteps, options: &ScanOptions) -> Self {
        Self::below(encoded, steps, &[], options)
    }

    /// A branch of pairs on which the equalities `above` hold.
    fn below(encoded: &Encoded, steps: &'a BranchSteps, above: &[Lead], options: &ScanOptions) -> Self {
        let mut leads = Lead::all(encoded, steps, options);
        // Without filters there is no screen; what is left is an index of all elements, if that is asked for.
        leads.retain(|lead| options.filter || is_forced(options) && may_be_joined(lead, options));
        let (mut equalities, leads): (Vec<Lead>, Vec<Lead>) = leads.into_iter().partition(Lead::is_equality);
        if options.join == JoinChoice::None {
            // An equality leads only where nothing else can.
            let leads = if leads.is_empty() { equalities } else { leads };
            return Self { steps, leads, key: None, equalities: Vec::new(), n_own: 0, children: Vec::new() };
        }
        let n_own = equalities.len();
        let is_new = |lead: &&Lead| equalities.iter().all(|own| own.predicate != lead.predicate);
        let more: Vec<Lead> = above.iter().filter(is_new).cloned().collect();
        equalities.extend(more);
        let is_equality = |&(_, ix): &(u32, u32)| equalities.iter().any(|lead| lead.predicate == ix);
        let children = steps.children.iter();
        // A walk by descent begins at a child of the root.
        let children = children.filter(|_| options.sequential && steps.required.iter().all(is_equality));
        let children: Vec<Self> =
            children.map(|child| Self::below(encoded, child, &equalities, options)).collect();
        // A child that adds nothing to the key, and cannot sweep heavy ones, looks at all the pairs that its parent does.
        let is_better = |child: &Self| child.equalities.len() > equalities.len() || !child.leads.is_empty();
        let are_better = children.iter().all(is_better);
        let children = if are_better { children } else { Vec::new() };
        let key = (!equalities.is_empty()).then(|| Key::new(&equalities));
        Self { steps, leads, key, equalities, n_own, children }
    }

    /// Its leads, and those of its parts, that may be joined by what values have in common.
    pub(super) fn n_joinable(&self, options: &ScanOptions) -> usize {
        let own = self.leads.iter().filter(|lead| may_be_joined(lead, options)).count();
        own + self.children.iter().map(|child| child.n_joinable(options)).sum::<usize>()
    }

    /// Its key and those of its parts, each once.
    pub(super) fn add_keys<'b>(&'b self, distinct: &mut HashSet<&'b Key>) {
        distinct.extend(&self.key);
        self.children.iter().for_each(|child| child.add_keys(distinct));
    }

    /// The access path that costs least, of the whole or of its parts each, and what it costs.
    pub(super) fn cheapest<'b>(
        &'b self,
        choose: &impl Fn(&Branch<'_>) -> (f64, Choice),
    ) -> (f64, Vec<(&'b Branch<'a>, Choice)>) {
        let (cost, chosen) = choose(self);
        let parts: Vec<_> = self.children.iter().map(|child| child.cheapest(choose)).collect();
        let cost_of_parts: f64 = parts.iter().map(|(cost, _)| cost).sum();
        if parts.is_empty() || cost <= cost_of_parts {
            return (cost, vec![(self, chosen)]);
        }
        (cost_of_parts, parts.into_iter().flat_map(|(_, chosen)| chosen).collect())
    }

    /// What is expected to cost least, and how much.
    pub(super) fn choose(
        &self,
        encoded: &Encoded,
        walk: Walk<'_>,
        keys: Option<&Keys>,
        block: &Block,
        (options, n_leads): (&ScanOptions, usize),
    ) -> (f64, Choice) {
        let mut all: Vec<(f64, Chosen)> = Vec::new();
        // Nothing to choose from needs no estimate.
        if self.leads.len() < 2
            && keys.is_none()
            && !self.leads.iter().any(|lead| may_be_joined(lead, options))
        {
            let lead = self.leads.first().cloned().unwrap_or_else(Lead::none);
            all.push((f64::INFINITY, Chosen::Sweep(lead)));
            return self.taken(all);
        }
        let estimates: Vec<(&Lead, Estimate)> =
            self.leads.iter().filter_map(|lead| Some((lead, Estimate::new(encoded, lead, block)?))).collect();
        let joined: Vec<Vec<overlap::Estimate>> = estimates
            .iter()
            .map(|it| overlaps(encoded, walk, (it.0, &it.1), block, options, n_leads))
            .collect();
        if let Some(keys) = keys {
            all.push((cost(keys, None, options), Chosen::Key { inner: None }));
            let skew = options.join == JoinChoice::Skew;
            for ((lead, estimate), joined) in estimates.iter().zip(&joined).filter(|_| skew) {
                let inner = |overlap| Chosen::Key { inner: Some(Inner { lead: (*lead).clone(), overlap }) };
                // Sets alone: of texts, short ones would have to be swept beside it. And an index for each key, of which there
                // may be thousands, only if it must be.
                let is_wanted = |it: &&overlap::Estimate| {
                    it.elements.grams().is_none()
                        && (is_forced(options) || it.method == overlap::OverlapMethod::Dense)
                };
                let joined: Vec<_> = joined.iter().filter(is_wanted).collect();
                let is_swept = joined.is_empty() || !is_forced(options);
                all.extend(joined.into_iter().map(|overlap| {
                    let n_items = estimate.n_items();
                    let within =
                        |[l, r]: [f64; 2]| overlap.cost_within([l.min(n_items[0]), r.min(n_items[1])]);
                    (cost(keys, Some(&within), options), inner(Some(*overlap)))
                }));
                let within = |n_records| estimate.cost_within(n_records);
                all.extend(is_swept.then(|| (cost(keys, Some(&within), options), inner(None))));
            }
        }
        // A part of a branch is looked at only where the equalities above it hold: its key alone says where.
        if self.equalities.len() == self.n_own {
            for ((lead, estimate), joined) in estimates.iter().zip(&joined) {
                let is_swept = joined.is_empty() || !is_forced(options);
                all.extend(joined.iter().map(|it| (it.expected.cost, Chosen::Overlap((*lead).clone(), *it))));
                all.extend(is_swept.then(|| (estimate.cost(), Chosen::Sweep((*lead).clone()))));
            }
        }
        if all.is_empty() {
            all.push((f64::INFINITY, Chosen::Sweep(Lead::none())));
        }
        self.taken(all)
    }

    /// The first of those that cost least, with all others.
    fn taken(&self, mut all: Vec<(f64, Chosen)>) -> (f64, Choice) {
        all.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let alternatives = all.iter().map(|(cost, chosen)| {
            let way = match chosen {
                Chosen::Sweep(lead) => Way::Sweep((lead.step != UNKNOWN).then_some(lead.predicate)),
                Chosen::Overlap(lead, estimate) => {
                    let q = estimate.elements.grams();
                    Way::Overlap { method: estimate.method, lead: lead.predicate, q }
                }
                Chosen::Key { inner } => Way::Join {
                    equalities: self.equalities.iter().map(|lead| lead.predicate).collect(),
                    inner: inner
                        .as_ref()
                        .map(|inner| (inner.lead.predicate, inner.overlap.map(|estimate| estimate.method))),
                },
            };
            Alternative { way, cost: cost.is_finite().then_some(*cost) }
        });
        let alternatives = alternatives.collect();
        let (cost, chosen) = all.swap_remove(0);
        (cost, Choice { chosen, alternatives })
    }

    /// The join of light keys, and the sweep of heavy ones.
    pub(super) fn by_key(
        &self,
        encoded: &Encoded,
        program: &Program,
        keys: &Keys,
        inner: Option<&Inner>,
        block: &Block,
        control: &Control,
    ) -> Result<Vec<Access>> {
        let options = program.options();
        let Some(first) = self.equalities.first() else { return Ok(Vec::new()) };
        let Split { light, heavy, n_keys, n_pairs } = split(keys, block, inner.map(|_| options.heavy));
        let predicates: Vec<u32> = self.equalities.iter().map(|lead| lead.predicate).collect();
        let [left, right] = light;
        let join = KeyJoin {
            left,
            right,
            settings: settings(self.steps, first, block.order(keys.is_symmetric()), &options),
            method: match options.join {
                JoinChoice::Plain => JoinMethod::Plain,
                JoinChoice::Skew | JoinChoice::None => JoinMethod::Skew,
            },
            predicates: predicates.clone(),
            is_same_value: false,
            n_keys,
            n_pairs,
        };
        let mut accesses = vec![Access::Join(join)];
        if let (Some(inner), Some((left, right))) = (inner, heavy) {
            let Inner { lead, overlap } = inner;
            let order = block.order(keys.is_symmetric() && lead.is_symmetric);
            let right = right.as_ref().unwrap_or(&left);
            let (sweep, groups) =
                Sweep::within(encoded, program, (self.steps, lead), [&left, right], block, order)?;
            let sweep = Sweep { within: Some(Within { predicates, n_keys: left.len() }), ..sweep };
            match overlap {
                None => accesses.push(Access::Sweep(sweep)),
                Some(estimate) => {
                    let sweep = sweep.without_intervals();
                    accesses.extend(super::overlap::accesses(
                        encoded,
                        program,
                        (lead, estimate),
                        sweep,
                        groups,
                        control,
                    )?);
                }
            }
        }
        Ok(accesses)
    }
}

/// The overlap joins that a lead may have.
fn overlaps(
    encoded: &Encoded,
    walk: Walk<'_>,
    (lead, swept): (&Lead, &Estimate),
    block: &Block,
    options: &ScanOptions,
    n_leads: usize,
) -> Vec<overlap::Estimate> {
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
        SimilarityChoice::Join => estimate.method == overlap::OverlapMethod::Index,
        SimilarityChoice::Dense => estimate.method == overlap::OverlapMethod::Dense,
        SimilarityChoice::Cheapest | SimilarityChoice::Sweep => true,
    };
    let all = overlap::Sampled::all(encoded, measure);
    let n_estimates = n_leads * all.len();
    let estimates = |elements: overlap::Sampled| {
        let n_samples = elements.n_samples(encoded, n_estimates, swept.verified())?;
        Some(overlap::estimates(encoded, measure, elements, &values(n_samples), options))
    };
    all.into_iter().filter_map(estimates).flatten().filter(is_wanted).collect()
}

/// Whether a lead may be joined by what values have in common. A walk by descent has no kernel for it.
fn may_be_joined(lead: &Lead, options: &ScanOptions) -> bool {
    lead.is_similarity() && options.sequential && options.similarity != SimilarityChoice::Sweep
}

/// Whether they are to be, whatever that costs.
fn is_forced(options: &ScanOptions) -> bool {
    matches!(options.similarity, SimilarityChoice::Join | SimilarityChoice::Dense)
}

/// What pairs with the same key cost; of heavy ones, `inner` says it for so many left and right records.
fn cost(keys: &Keys, inner: Option<&dyn Fn([f64; 2]) -> f64>, options: &ScanOptions) -> f64 {
    let cost = |[left, right]: [u32; 2]| {
        let (n_left, n_right) = (f64::from(left), f64::from(right));
        match inner.filter(|_| keys.n_pairs([left, right]) > options.heavy) {
            Some(inner) => inner([n_left, n_right]),
            // Of one side with itself, no record is compared with itself.
            None => VERIFYING * n_left * (n_right - f64::from(u8::from(keys.is_symmetric()))),
        }
    };
    keys.counts().map(cost).sum()
}
