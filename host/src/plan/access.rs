//! Access paths: for each branch of the tree, how its scan comes by the pairs that it looks at.
//!
//! A branch is led by a number, and swept ([`crate::plan::sweep`]); or by a similarity, and swept or, if an index of rare elements
//! is expected to find its pairs sooner, joined by what values have in common ([`crate::plan::overlap`]); or the equalities
//! that all its rules ask for are taken together as one [`key`], and records are joined by it. Under a key, records that have
//! it alone are left out at once. Keys that few records have are *light*: they are joined ([`KeyJoin`]), and the rest of the
//! branch is decided for each of their pairs. *Heavy* keys have so many pairs that another predicate of the branch, the *inner
//! lead*, had better screen them: they are swept together, and no item meets one of another key.
//!
//! Rules may share a weak equality and go apart over stronger ones, or over different similarities. If all that a branch asks
//! for are equalities, the subtrees below them may be accessed each by a key of its own, which the shared equalities are part
//! of, and each with an inner lead of its own.
//!
//! What is expected to take least on the device is [`choose`]n once for a job, as nodes of its plan ([`AccessPath`]), by
//! the [`Work`] of each. [`accesses`] only carries that out: it lists records, numbers keys and gathers elements of a block. A
//! device that makes keys and lists itself is only told what of ([`Unlisted`]).

mod branch;
mod compared;
mod join;
mod key;
mod overlap;
mod scales;
mod split;
mod unlisted;

pub use join::{KeyJoin, KeyList};
pub(crate) use unlisted::unlisted;
pub use unlisted::{By, ByKey, Lists, Unlisted};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::timeline::Lane;
use crate::encode::Encoded;
use crate::plan::overlap::OverlapJoin;
use crate::plan::path::AccessPath;
use crate::plan::sweep;
use crate::plan::sweep::{Block, Lead, Led, Sweep, map};
use crate::plan::work::{Rates, Taking, Work};
use crate::plan::{BranchSteps, Program};
use branch::{Bound, Branch};
use hashbrown::{HashMap, HashSet};
use hyperblock_shared::path::Walk;
use key::{Drawn, Key};
use scales::{Estimated, Scales};
use std::ops::Range;

/// How a scan, or a part of it, comes by its pairs.
#[derive(Clone, Debug)]
pub enum Access {
    /// Items within reach of each other, through a screen.
    Sweep(Sweep),
    /// Records with the same key.
    Join(KeyJoin),
    /// Values that have enough in common.
    Overlap(OverlapJoin),
}

impl Access {
    /// The first step of the branch, or of the part of one, that it is of.
    pub fn first_step(&self) -> u32 {
        match self {
            Self::Sweep(sweep) => sweep.settings.from,
            Self::Join(join) => join.settings.from,
            Self::Overlap(join) => join.sweep.settings.from,
        }
    }
}

/// The path of a branch, or of a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// The steps of the branch.
    pub steps: Range<u32>,
    /// What was chosen from, with what each is expected to take: the first is taken.
    pub alternatives: Vec<Alternative>,
}

/// An access path that a branch may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The path.
    pub path: AccessPath,
    /// What it is expected to do.
    pub work: Work,
    /// And how long that takes.
    pub milliseconds: f64,
}

/// The paths of all branches over a block, each the one that is expected to take least. `costs` are nanoseconds by predicate.
pub fn choose(
    encoded: &Encoded,
    program: &Program,
    block: &Block,
    costs: &[f64],
    rates: &Rates,
) -> Result<Vec<Chosen>> {
    let branches = branches(encoded, program);
    let mut distinct: HashSet<&Key> = HashSet::new();
    branches.iter().for_each(|branch| branch.add_keys(&mut distinct));
    let distinct: Vec<&Key> = distinct.into_iter().collect();
    let drawn = Drawn::new(encoded, block, &distinct);
    let keys = map(&distinct, block.is_small(), |key| (*key, key.sampled(block, &drawn)));
    let keys: HashMap<&Key, _> = keys.into_iter().collect();
    // What a lead is expected to do is the same in all branches.
    let mut leads: HashMap<u32, &Lead> = HashMap::new();
    branches.iter().for_each(|branch| branch.add_leads(&mut leads));
    let leads: Vec<&Lead> = leads.into_values().collect();
    let scales = Scales::new(encoded, program, block, costs, rates, &leads)?;
    let estimates = map(&leads, block.is_small(), |lead| Some((lead.predicate, scales.estimated(lead)?)));
    let estimates: HashMap<u32, Estimated> = estimates.into_iter().flatten().collect();
    let alternatives = |branch: &Branch<'_>| {
        branch.alternatives(&scales, branch.key.as_ref().and_then(|key| keys.get(key)), &estimates)
    };
    let whole: Vec<&Branch<'_>> = branches.iter().collect();
    let chosen = map(&whole, block.is_small(), |branch| branch.cheapest(&alternatives).1);
    let chosen = chosen.into_iter().flatten();
    Ok(chosen
        .map(|(branch, alternatives)| Chosen { steps: branch.steps.steps.clone(), alternatives })
        .collect())
}

/// What is taken: by branch, or part of one, its steps and the path.
pub(crate) fn paths(chosen: &[Chosen]) -> Vec<(Range<u32>, AccessPath)> {
    let first = |it: &Chosen| Some((it.steps.clone(), it.alternatives.first()?.path.clone()));
    chosen.iter().filter_map(first).collect()
}

/// What each of those is expected to take, where it was planned for, and where a CPU beside that does it at such rates.
pub(crate) fn expected(chosen: &[Chosen], rates: &Rates, beside: Option<&Rates>) -> Vec<Taking> {
    let taking = |it: &Chosen| {
        let Alternative { work, milliseconds, .. } = it.alternatives.first()?;
        Some(Taking {
            planned: *milliseconds,
            of_host: beside.unwrap_or(rates).listing(work),
            beside: beside.map_or(*milliseconds, |rates| rates.milliseconds(work)),
        })
    };
    chosen.iter().filter_map(taking).collect()
}

fn branches<'a>(encoded: &Encoded, program: &'a Program) -> Vec<Branch<'a>> {
    let options = program.options();
    program.branches().iter().map(|steps: &BranchSteps| Branch::new(encoded, steps, &options)).collect()
}

/// The branch, or the part of one, with these steps.
fn find<'a, 'b>(branches: &'b [Branch<'a>], steps: &Range<u32>) -> Option<&'b Branch<'a>> {
    let own = branches.iter().find(|branch| branch.steps.steps == *steps);
    own.or_else(|| branches.iter().find_map(|branch| find(&branch.children, steps)))
}

/// The program's paths, each with its branch; or what is wrong with one.
fn bound<'a, 'b>(
    encoded: &Encoded,
    program: &Program,
    walk: Walk<'_>,
    branches: &'b [Branch<'a>],
) -> Result<Vec<(&'b Branch<'a>, Bound<'b>)>, &'static str> {
    let bound = program.paths().iter().map(|(steps, path)| {
        let branch = find(branches, steps).ok_or("an access path of no branch")?;
        Ok((branch, branch.bind(encoded, walk, path)?))
    });
    bound.collect()
}

/// What is wrong with the paths of a program that come from elsewhere, if anything is.
pub(super) fn check(encoded: &Encoded, program: &Program, walk: Walk<'_>) -> Result<(), &'static str> {
    let branches = branches(encoded, program);
    bound(encoded, program, walk, &branches)?;
    let n_paths = branches.iter().map(|branch| branch.n_paths(program.paths())).sum::<Option<usize>>();
    match n_paths == Some(program.paths().len()) {
        true => Ok(()),
        false => Err("a branch without an access path, or with several"),
    }
}

/// What the program's paths look at in a block, without what has no pair to look at.
pub fn accesses(
    encoded: &Encoded,
    program: &Program,
    block: &Block,
    control: &Control,
) -> Result<Vec<Access>> {
    let by_path = accesses_by_path(encoded, program, block, control)?;
    Ok(by_path.into_iter().map(|(_, access)| access).collect())
}

/// Accesses, each with the number of its path.
pub(crate) type ByPath = Vec<(usize, Access)>;

/// The same, each with the number of its path.
pub(crate) fn accesses_by_path(
    encoded: &Encoded,
    program: &Program,
    block: &Block,
    control: &Control,
) -> Result<ByPath> {
    let branches = branches(encoded, program);
    let bound = bound(encoded, program, program.walk()?, &branches);
    let bound = bound.map_err(|complaint| Error::Internal(complaint.into()))?;
    let all: Vec<_> = bound.into_iter().enumerate().collect();
    listed(encoded, program, block, &all, control)
}

/// The same for some paths, by their numbers.
fn listed(
    encoded: &Encoded,
    program: &Program,
    block: &Block,
    bound: &[(usize, (&Branch<'_>, Bound<'_>))],
    control: &Control,
) -> Result<ByPath> {
    let led = bound.iter().filter_map(|(_, (branch, bound))| match bound {
        Bound::Sweep(lead) => Some(Led { steps: branch.steps, lead: lead.clone(), most: None }),
        Bound::Overlap(lead, manner) => {
            Some(Led { steps: branch.steps, lead: (*lead).clone(), most: Some(manner.longest_swept()) })
        }
        Bound::Key { .. } => None,
    });
    let led: Vec<Led<'_>> = led.collect();
    let led = control.note(Lane::Scan, "lists", || sweep::sweeps(encoded, program, block, &led))?;
    let mut led = led.into_iter();
    // Branches often share a key.
    let distinct: HashSet<&Key> = bound
        .iter()
        .filter(|(_, (_, bound))| matches!(bound, Bound::Key { .. }))
        .filter_map(|(_, (branch, _))| branch.key.as_ref())
        .collect();
    let distinct: Vec<&Key> = distinct.into_iter().collect();
    let keys = map(&distinct, block.is_small(), |key| {
        (*key, control.note(Lane::Scan, "keys", || key.keys(encoded, block, control)))
    });
    let keys: HashMap<&Key, _> = keys.into_iter().collect();
    let by_key = map(bound, block.is_small(), |(_, (branch, bound))| match bound {
        Bound::Key { method, inner } => match branch.key.as_ref().and_then(|key| keys.get(key)) {
            Some(keys) => branch.by_key(encoded, program, keys, (*method, *inner), block, control),
            None => Ok(Vec::new()),
        },
        Bound::Sweep(_) | Bound::Overlap(..) => Ok(Vec::new()),
    });
    let mut accesses = Vec::new();
    for ((path, (_, bound)), by_key) in bound.iter().zip(by_key) {
        control.check()?;
        let own = match bound {
            Bound::Sweep(_) => led.next().map(Access::Sweep).into_iter().collect(),
            Bound::Overlap(lead, manner) => match led.next() {
                Some(sweep) => {
                    let all = vec![[0..sweep.left.len(), 0..sweep.right.len()]];
                    overlap::accesses(encoded, program, (*lead, manner), sweep, all, control)?
                }
                None => Vec::new(),
            },
            Bound::Key { .. } => by_key?,
        };
        accesses.extend(own.into_iter().map(|access| (*path, access)));
    }
    accesses.retain(|(_, access)| match access {
        Access::Sweep(sweep) => sweep.n_stretches() > 0,
        Access::Join(join) => join.n_pairs > 0,
        Access::Overlap(join) => join.lists.iter().all(|list| !list.is_empty()),
    });
    Ok(accesses)
}
