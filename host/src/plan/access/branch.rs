//! A branch with the access paths that it may have, and what they are expected to take.

use super::key::{Key, Keys, SampledKeys};
use super::split::{Split, split};
use super::{Access, Alternative, KeyJoin};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use crate::plan::join::JoinMethod;
use crate::plan::overlap;
use crate::plan::path::{
    AccessPath, Inner, KeyMethod, KeyPairs, KeyPath, OverlapMethod, OverlapPath, SweepPath,
};
use crate::plan::sweep::{Block, Estimate, Lead, Sweep, Within, settings};
use crate::plan::work::{PerPair, Rates, Unit, Work};
use crate::plan::{BranchSteps, JoinChoice, Program, ScanOptions, SimilarityChoice};
use hashbrown::HashSet;
use hyperblock_shared::columns::Columns as _;
use hyperblock_shared::path::Walk;
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
    pub(super) children: Vec<Self>,
}

/// What paths are weighed by.
pub(super) struct Scales<'a> {
    pub(super) encoded: &'a Encoded,
    pub(super) walk: Walk<'a>,
    pub(super) block: &'a Block,
    pub(super) options: &'a ScanOptions,
    /// By predicate: nanoseconds.
    pub(super) costs: &'a [f64],
    pub(super) rates: &'a Rates,
    /// Leads of all branches that may be joined by what values have in common.
    pub(super) n_leads: usize,
}

/// A path, with what it names found in a table's columns.
pub(super) enum Bound<'a> {
    Sweep(Lead),
    Overlap(&'a Lead, overlap::Manner),
    Key { method: KeyMethod, inner: Option<(&'a Lead, Option<overlap::Manner>)> },
}

/// Fewer pairs of items than this are swept before an overlap join is estimated.
const FEW_PAIRS: f64 = 4e6;
/// Nanoseconds to decide a pair of a branch that asks for nothing beside its key.
const DECIDED: f64 = 1.0;

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

    /// The paths that take least, of the whole or of its parts each, and how long.
    pub(super) fn cheapest<'b>(
        &'b self,
        alternatives: &impl Fn(&Branch<'_>) -> Vec<Alternative>,
    ) -> (f64, Vec<(&'b Branch<'a>, Vec<Alternative>)>) {
        let whole = alternatives(self);
        let took = whole.first().map_or(0.0, |first| first.milliseconds);
        let parts: Vec<_> = self.children.iter().map(|child| child.cheapest(alternatives)).collect();
        let of_parts: f64 = parts.iter().map(|(took, _)| took).sum();
        if parts.is_empty() || took <= of_parts {
            return (took, vec![(self, whole)]);
        }
        (of_parts, parts.into_iter().flat_map(|(_, chosen)| chosen).collect())
    }

    /// The paths that it may have, with what each is expected to take, the least first.
    pub(super) fn alternatives(&self, scales: &Scales<'_>, keys: Option<&SampledKeys>) -> Vec<Alternative> {
        let Scales { encoded, block, options, .. } = *scales;
        let mut all: Vec<(AccessPath, Work)> = Vec::new();
        let estimates: Vec<(&Lead, Estimate)> =
            self.leads.iter().filter_map(|lead| Some((lead, Estimate::new(encoded, lead, block)?))).collect();
        let joined: Vec<Vec<overlap::Estimate>> =
            estimates.iter().map(|it| overlaps(scales, (it.0, &it.1))).collect();
        if let Some(keys) = keys {
            self.add_by_key(scales, keys, &estimates, &joined, &mut all);
        }
        // A part of a branch is looked at only where the equalities above it hold: its key alone says where.
        if self.equalities.len() == self.n_own {
            for ((lead, estimate), joined) in estimates.iter().zip(&joined) {
                let per_pair = estimate.comparing.unwrap_or_else(|| self.deciding(scales));
                all.extend(joined.iter().map(|it| {
                    let path =
                        OverlapPath { lead: lead.predicate, q: it.elements.grams(), method: it.method };
                    (AccessPath::Overlap(path), it.work(per_pair))
                }));
                let is_swept = joined.is_empty() || !is_forced(options);
                let path = AccessPath::Sweep(SweepPath { lead: Some(lead.predicate) });
                all.extend(is_swept.then(|| (path, estimate.work(per_pair))));
            }
        }
        if all.is_empty() {
            let work = Estimate::of_all(block).work(self.deciding(scales));
            all.push((AccessPath::Sweep(SweepPath { lead: None }), work));
        }
        let weighed =
            |(path, work)| Alternative { path, milliseconds: scales.rates.milliseconds(&work), work };
        let mut all: Vec<Alternative> = all.into_iter().map(weighed).collect();
        all.sort_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
        all
    }

    /// The paths by its key.
    fn add_by_key(
        &self,
        scales: &Scales<'_>,
        keys: &SampledKeys,
        estimates: &[(&Lead, Estimate)],
        joined: &[Vec<overlap::Estimate>],
        all: &mut Vec<(AccessPath, Work)>,
    ) {
        let options = scales.options;
        let mut add = |pairs: KeyPairs, inner: Option<Inner>| {
            for &method in methods(options) {
                let equalities = self.equalities.iter().map(|lead| lead.predicate).collect();
                let path = AccessPath::Join(KeyPath { equalities, method, inner });
                all.push((path, KeyPath::work(method, &pairs, self.deciding(scales))));
            }
        };
        let without = keys.pairs(None);
        if options.join == JoinChoice::Plain {
            return add(without, None);
        }
        // Where all records were counted and no key is heavy, there is nothing to screen. Where some were, a key that none of
        // them showed may still be: at the same cost, it had better be screened.
        if keys.is_exact() {
            add(without, None);
        }
        for ((lead, estimate), joined) in estimates.iter().zip(joined) {
            let inner = |overlap| Some(Inner { lead: lead.predicate, overlap });
            // Sets alone: of texts, short ones would have to be swept beside it. And an index for each key, of which there
            // may be thousands, only if it must be.
            let is_wanted = |it: &&overlap::Estimate| {
                it.elements.grams().is_none() && (is_forced(options) || it.method == OverlapMethod::Dense)
            };
            let joined: Vec<_> = joined.iter().filter(is_wanted).collect();
            let is_swept = joined.is_empty() || !is_forced(options);
            let n_items = estimate.n_items();
            for overlap in joined {
                let within = |[l, r]: [f64; 2]| overlap.work_within([l.min(n_items[0]), r.min(n_items[1])]);
                let pairs = keys.pairs(Some((options.heavy, &within)));
                if pairs.n_heavy > 0.0 || !keys.is_exact() {
                    add(pairs, inner(Some(overlap.method)));
                }
            }
            let per_pair = estimate.comparing.unwrap_or_else(|| self.deciding(scales));
            let within = |n_records| estimate.work_within(n_records, per_pair);
            let pairs = keys.pairs(Some((options.heavy, &within)));
            if is_swept && (pairs.n_heavy > 0.0 || !keys.is_exact()) {
                add(pairs, inner(None));
            }
        }
        if !keys.is_exact() {
            add(without, None);
        }
    }

    /// What it takes to decide a pair on which the equalities hold, and that nothing screened: the first other predicate
    /// decides most.
    fn deciding(&self, scales: &Scales<'_>) -> PerPair {
        let is_other = |&&(_, ix): &&(u32, u32)| self.equalities.iter().all(|lead| lead.predicate != ix);
        let first = self.steps.required.iter().find(is_other);
        (Unit::Decided, first.map_or(DECIDED, |&(_, ix)| scales.costs[ix as usize]))
    }

    /// A path in these columns. Where values cannot be joined as it says, since their alphabet is another, they are swept.
    pub(super) fn bind(&self, encoded: &Encoded, walk: Walk<'_>, path: &AccessPath) -> Result<Bound<'_>> {
        let lead = |ix: u32| {
            let found = self.leads.iter().chain(&self.equalities).find(|lead| lead.predicate == ix);
            found.ok_or_else(|| Error::Internal("an access path by what is no lead".into()))
        };
        let manner = |lead: &Lead, q: Option<u32>, method| {
            let measure = walk.predicate(lead.predicate).measure()?;
            let all = overlap::Sampled::all(encoded, measure);
            let elements = all.into_iter().find(|elements| elements.grams() == q)?;
            Some(overlap::Manner { elements, bare: elements.bare(encoded, measure), method })
        };
        Ok(match path {
            AccessPath::Sweep(SweepPath { lead: None }) => Bound::Sweep(Lead::none()),
            AccessPath::Sweep(SweepPath { lead: Some(ix) }) => Bound::Sweep(lead(*ix)?.clone()),
            AccessPath::Overlap(OverlapPath { lead: ix, q, method }) => {
                let lead = lead(*ix)?;
                match manner(lead, *q, *method) {
                    Some(manner) => Bound::Overlap(lead, manner),
                    None => Bound::Sweep(lead.clone()),
                }
            }
            AccessPath::Join(KeyPath { method, inner, .. }) => {
                let bound = |inner: &Inner| {
                    let lead = lead(inner.lead)?;
                    Ok::<_, Error>((lead, inner.overlap.and_then(|method| manner(lead, None, method))))
                };
                Bound::Key { method: *method, inner: inner.as_ref().map(bound).transpose()? }
            }
        })
    }

    /// The join of light keys, and the sweep of heavy ones.
    pub(super) fn by_key(
        &self,
        encoded: &Encoded,
        program: &Program,
        keys: &Keys,
        (found_by, inner): (KeyMethod, Option<(&Lead, Option<overlap::Manner>)>),
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
                JoinChoice::Cheapest | JoinChoice::Skew | JoinChoice::None => JoinMethod::Skew,
            },
            found_by,
            predicates: predicates.clone(),
            is_same_value: false,
            n_keys,
            n_pairs,
        };
        let mut accesses = vec![Access::Join(join)];
        if let (Some((lead, overlap)), Some((left, right))) = (inner, heavy) {
            let order = block.order(keys.is_symmetric() && lead.is_symmetric);
            let right = right.as_ref().unwrap_or(&left);
            let (sweep, groups) =
                Sweep::within(encoded, program, (self.steps, lead), [&left, right], block, order)?;
            let sweep = Sweep { within: Some(Within { predicates, n_keys: left.len() }), ..sweep };
            match overlap {
                None => accesses.push(Access::Sweep(sweep)),
                Some(manner) => {
                    let sweep = sweep.without_intervals();
                    accesses.extend(super::overlap::accesses(
                        encoded,
                        program,
                        (lead, &manner),
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
    &Scales { encoded, walk, block, options, n_leads, .. }: &Scales<'_>,
    (lead, swept): (&Lead, &Estimate),
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
        SimilarityChoice::Join => estimate.method == OverlapMethod::Index,
        SimilarityChoice::Dense => estimate.method == OverlapMethod::Dense,
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

/// How records with the same key may be found. A walk by descent has no kernel for a hash join.
fn methods(options: &ScanOptions) -> &'static [KeyMethod] {
    match options.join {
        _ if !options.sequential => &[KeyMethod::Sweep],
        JoinChoice::Skew | JoinChoice::Plain => &[KeyMethod::Hash],
        JoinChoice::Cheapest | JoinChoice::None => &[KeyMethod::Hash, KeyMethod::Sweep],
    }
}
