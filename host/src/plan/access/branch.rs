//! A branch with the access paths that it may have, and what they are expected to take.

use super::key::{Key, Keys, SampledKeys};
use super::scales::{Estimated, Scales, is_forced, may_be_joined};
use super::split::{Split, split};
use super::{Access, Alternative, KeyJoin};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::timeline::Lane;
use crate::encode::Encoded;
use crate::plan::join::JoinMethod;
use crate::plan::overlap;
use crate::plan::path::{
    AccessPath, ElementKind, Inner, KeyMethod, KeyPairs, KeyPath, OverlapMethod, OverlapPath, SweepPath,
};
use crate::plan::sweep::{Block, Estimate, Lead, Sweep, Within, settings};
use crate::plan::work::{PerPair, Unit, Work};
use crate::plan::{AccessChoice, BranchSteps, JoinChoice, Program, ScanOptions};
use hashbrown::{HashMap, HashSet};
use hyperblock_shared::path::Walk;
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

/// A path, with what it names found in a table's columns.
pub(super) enum Bound<'a> {
    Sweep(Lead),
    Overlap(&'a Lead, overlap::Manner),
    Key { method: KeyMethod, inner: Option<(&'a Lead, Option<overlap::Manner>)> },
}

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
        let children = steps.children.iter().filter(|_| steps.required.iter().all(is_equality));
        let children: Vec<Self> =
            children.map(|child| Self::below(encoded, child, &equalities, options)).collect();
        // A child that adds nothing to the key, and cannot sweep heavy ones, looks at all the pairs that its parent does.
        let is_better = |child: &Self| child.equalities.len() > equalities.len() || !child.leads.is_empty();
        let are_better = children.iter().all(is_better);
        let children = if are_better { children } else { Vec::new() };
        let key = (!equalities.is_empty()).then(|| Key::new(&equalities));
        Self { steps, leads, key, equalities, n_own, children }
    }

    /// The equalities of its key.
    pub(super) fn equalities(&self) -> &[Lead] {
        &self.equalities
    }

    /// Its leads and those of its parts, by predicate.
    pub(super) fn add_leads<'b>(&'b self, distinct: &mut HashMap<u32, &'b Lead>) {
        distinct.extend(self.leads.iter().map(|lead| (lead.predicate, lead)));
        self.children.iter().for_each(|child| child.add_leads(distinct));
    }

    /// Its key and those of its parts, each once.
    pub(super) fn add_keys<'b>(&'b self, distinct: &mut HashSet<&'b Key>) {
        distinct.extend(&self.key);
        self.children.iter().for_each(|child| child.add_keys(distinct));
    }

    /// How many of a program's paths are its own, or those of its parts; none if some of its pairs have no path.
    pub(super) fn n_paths(&self, paths: &[(Range<u32>, AccessPath)]) -> Option<usize> {
        match paths.iter().any(|(steps, _)| *steps == self.steps.steps) {
            true => Some(1),
            false if self.children.is_empty() => None,
            false => self.children.iter().map(|child| child.n_paths(paths)).sum(),
        }
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

    /// The paths that it may have, with what each is expected to take, the least first. `estimates` are by predicate.
    pub(super) fn alternatives(
        &self,
        scales: &Scales<'_>,
        keys: Option<&SampledKeys>,
        estimates: &HashMap<u32, Estimated>,
    ) -> Vec<Alternative> {
        let Scales { block, ref options, .. } = *scales;
        let mut all: Vec<(AccessPath, Work)> = Vec::new();
        let estimates: Vec<(u32, &Estimated)> = self
            .leads
            .iter()
            .filter_map(|lead| Some((lead.predicate, estimates.get(&lead.predicate)?)))
            .collect();
        if let Some(keys) = keys {
            self.add_by_key(scales, keys, &estimates, &mut all);
        }
        // A part of a branch is looked at only where the equalities above it hold: its key alone says where.
        if self.equalities.len() == self.n_own {
            for &(lead, Estimated { swept, joined }) in &estimates {
                let per_pair = swept.comparing.unwrap_or_else(|| self.deciding(scales));
                all.extend(joined.iter().map(|it| {
                    let of = &scales.encoded.predicates[lead as usize];
                    let elements = ElementKind::of(of, it.elements.grams());
                    let path = OverlapPath { lead, elements, method: it.method };
                    (AccessPath::Overlap(path), OverlapPath::work(it.method, &it.counts, per_pair))
                }));
                let is_swept = joined.is_empty() || !is_forced(options);
                let path = AccessPath::Sweep(SweepPath { lead: Some(lead) });
                all.extend(is_swept.then(|| (path, SweepPath::work(&swept.counts(), per_pair))));
            }
        }
        if all.is_empty() {
            let work = SweepPath::work(&Estimate::of_all(block).counts(), self.deciding(scales));
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
        estimates: &[(u32, &Estimated)],
        all: &mut Vec<(AccessPath, Work)>,
    ) {
        let options = &scales.options;
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
        for &(lead, Estimated { swept, joined }) in estimates {
            let inner = |overlap| Some(Inner { lead, overlap });
            // Sets alone: of texts, short ones would have to be swept beside it. And an index for each key, of which there
            // may be thousands, only if it must be.
            let is_wanted = |it: &&overlap::Estimate| {
                it.elements.grams().is_none() && (is_forced(options) || it.method == OverlapMethod::Dense)
            };
            let joined: Vec<_> = joined.iter().filter(is_wanted).collect();
            let is_swept = joined.is_empty() || !is_forced(options);
            let n_items = swept.n_items();
            for overlap in joined {
                let within = |[l, r]: [f64; 2]| {
                    let n_values = [l.min(n_items[0]), r.min(n_items[1])];
                    OverlapPath::work_within(overlap.method, &overlap.counts, n_values)
                };
                let mut pairs = keys.pairs(Some((options.heavy, &within)));
                // A sample shows few of the keys that some hundred of very many records have, and each is a join of its own.
                let n_unseen = self.most_heavy_keys(scales, &pairs) - pairs.n_heavy_keys;
                if !keys.is_exact() && n_unseen > 0.0 {
                    pairs.heavy += Work::of([(Unit::Group, n_unseen)]);
                }
                if pairs.n_heavy > 0.0 || !keys.is_exact() {
                    add(pairs, inner(Some(overlap.method)));
                }
            }
            let per_pair = swept.comparing.unwrap_or_else(|| self.deciding(scales));
            let within = |n_records| SweepPath::work_within(&swept.counts_within(n_records), per_pair);
            let pairs = keys.pairs(Some((options.heavy, &within)));
            if is_swept && (pairs.n_heavy > 0.0 || !keys.is_exact()) {
                add(pairs, inner(None));
            }
        }
        if !keys.is_exact() {
            add(without, None);
        }
    }

    /// How many keys can be heavy, at most: no more than there are, and each has some records.
    fn most_heavy_keys(&self, scales: &Scales<'_>, pairs: &KeyPairs) -> f64 {
        let n_codes = |&[left, _]: &[u32; 2]| f64::from(scales.encoded.n_codes(left));
        let n_keys: f64 = self.key.iter().flat_map(|key| key.operands()).map(n_codes).product();
        n_keys.min(pairs.n_heavy / (2.0 * scales.options.heavy as f64).sqrt().max(1.0))
    }

    /// What it takes to decide a pair on which the equalities hold, and that nothing screened: the first other predicate
    /// decides most.
    fn deciding(&self, scales: &Scales<'_>) -> PerPair {
        let is_other = |&&(_, ix): &&(u32, u32)| self.equalities.iter().all(|lead| lead.predicate != ix);
        let first = self.steps.required.iter().find(is_other);
        (Unit::Decided, first.map_or(DECIDED, |&(_, ix)| scales.costs[ix as usize]))
    }

    /// A path in these columns, or why it is none of this branch. Where values cannot be joined as it says, since their
    /// alphabet is another, they are swept.
    pub(super) fn bind(
        &self,
        encoded: &Encoded,
        walk: Walk<'_>,
        path: &AccessPath,
    ) -> Result<Bound<'_>, &'static str> {
        let lead = |ix: u32| {
            let found = self.leads.iter().chain(&self.equalities).find(|lead| lead.predicate == ix);
            found.ok_or("an access path by what is no lead")
        };
        let manner = |lead: &Lead, q: Option<u32>, method| {
            let measure = walk.predicate(lead.predicate).measure()?;
            let all = overlap::Sampled::all(encoded, measure);
            let elements = all.into_iter().find(|elements| elements.grams() == q)?;
            Some(overlap::Manner { elements, bare: elements.bare(encoded, measure), method })
        };
        let is_by_key = matches!(path, AccessPath::Join(_));
        if !is_by_key && self.equalities.len() > self.n_own {
            return Err("an access path of a part of a branch, and not by its key");
        }
        Ok(match path {
            AccessPath::Sweep(SweepPath { lead: None }) => Bound::Sweep(Lead::none()),
            AccessPath::Sweep(SweepPath { lead: Some(ix) }) => Bound::Sweep(lead(*ix)?.clone()),
            AccessPath::Overlap(OverlapPath { lead: ix, elements, method }) => {
                let lead = lead(*ix)?;
                match manner(lead, elements.grams(), *method) {
                    Some(manner) => Bound::Overlap(lead, manner),
                    None => Bound::Sweep(lead.clone()),
                }
            }
            AccessPath::Join(KeyPath { equalities, method, inner }) => {
                let own = self.equalities.iter().map(|lead| lead.predicate);
                if equalities.is_empty() || !own.eq(equalities.iter().copied()) {
                    return Err("an access path by another key");
                }
                let bound = |inner: &Inner| -> Result<_, &'static str> {
                    let lead = self.leads.iter().find(|lead| lead.predicate == inner.lead);
                    let lead = lead.ok_or("an inner lead that is none")?;
                    Ok((lead, inner.overlap.and_then(|method| manner(lead, None, method))))
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
        keys: &Keys<'_>,
        (found_by, inner): (KeyMethod, Option<(&Lead, Option<overlap::Manner>)>),
        block: &Block,
        control: &Control,
    ) -> Result<Vec<Access>> {
        let options = program.options();
        let Some(first) = self.equalities.first() else { return Ok(Vec::new()) };
        let Split { light, heavy, n_keys, n_pairs } =
            control.note(Lane::Scan, "split", || split(keys, block, inner.map(|_| options.heavy)));
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
            let (sweep, groups) = control.note(Lane::Scan, "lists", || {
                Sweep::within(encoded, program, (self.steps, lead), [&left, right], block, order)
            })?;
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

/// How records with the same key may be found.
fn methods(options: &ScanOptions) -> &'static [KeyMethod] {
    match options.join {
        _ if options.access == AccessChoice::Sweep => &[KeyMethod::Sweep],
        JoinChoice::Skew | JoinChoice::Plain => &[KeyMethod::Hash],
        JoinChoice::Cheapest | JoinChoice::None => &[KeyMethod::Hash, KeyMethod::Sweep],
    }
}
