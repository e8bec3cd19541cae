//! Access paths: for each branch of the tree, how its scan comes by the pairs that it looks at.
//!
//! A branch is led by a number, and swept ([`crate::plan::sweep`]); or by a similarity, and swept or, if an index of rare elements
//! is expected to find its pairs at less cost, joined by what values have in common ([`crate::plan::overlap`]); or the equalities
//! that all its rules ask for are taken together as one [`key`], and records are joined by it. What is expected to cost least
//! is chosen ([`branch`]). Under a key, records that have it alone are left out at once. Keys that few records have are
//! *light*: they are joined ([`KeyJoin`]), and the rest of the branch is decided for each of their pairs. *Heavy* keys have so
//! many pairs that another predicate of the branch, the *inner lead*, had better screen them: they are swept together, and no
//! item meets one of another key.
//!
//! Rules may share a weak equality and go apart over stronger ones, or over different similarities. If all that a branch asks
//! for are equalities, the subtrees below them may be accessed each by a key of its own, which the shared equalities are part
//! of, and each with an inner lead of its own.

mod branch;
mod join;
mod key;
mod overlap;
mod split;

pub use branch::{Alternative, Way};
pub use join::{KeyJoin, KeyList};

use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::Encoded;
use crate::plan::Program;
use crate::plan::overlap::OverlapJoin;
use crate::plan::sweep;
use crate::plan::sweep::{Block, Led, Sweep, map};
use branch::{Branch, Choice, Chosen};
use hashbrown::{HashMap, HashSet};
use key::{Key, Keys};

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

/// The access paths of all branches over a block, without those that have no pair to look at.
pub fn accesses(
    encoded: &Encoded,
    program: &Program,
    block: &Block,
    control: &Control,
) -> Result<Vec<Access>> {
    let branches = Branches::new(encoded, program, block);
    let chosen = branches.choose(encoded, program, block)?;
    let led = chosen.iter().filter_map(|(branch, choice)| match &choice.chosen {
        Chosen::Sweep(lead) => Some(Led { steps: branch.steps, lead: lead.clone(), most: None }),
        Chosen::Overlap(lead, estimate) => {
            Some(Led { steps: branch.steps, lead: lead.clone(), most: Some(estimate.longest_swept()) })
        }
        Chosen::Key { .. } => None,
    });
    let mut led = sweep::sweeps(encoded, program, block, &led.collect::<Vec<_>>())?.into_iter();
    let by_key = map(&chosen, block.is_small(), |(branch, choice)| match &choice.chosen {
        Chosen::Key { inner } => match branches.keys_of(branch) {
            Some(keys) => branch.by_key(encoded, program, keys, inner.as_ref(), block, control),
            None => Ok(Vec::new()),
        },
        Chosen::Sweep(_) | Chosen::Overlap(..) => Ok(Vec::new()),
    });
    let mut accesses = Vec::new();
    for ((_, choice), by_key) in chosen.iter().zip(by_key) {
        control.check()?;
        match &choice.chosen {
            Chosen::Sweep(_) => accesses.extend(led.next().map(Access::Sweep)),
            Chosen::Overlap(lead, estimate) => {
                if let Some(sweep) = led.next() {
                    let all = vec![[0..sweep.left.len(), 0..sweep.right.len()]];
                    accesses.extend(overlap::accesses(
                        encoded,
                        program,
                        (lead, estimate),
                        sweep,
                        all,
                        control,
                    )?);
                }
            }
            Chosen::Key { .. } => accesses.extend(by_key?),
        }
    }
    accesses.retain(|access| match access {
        Access::Sweep(sweep) => sweep.n_stretches() > 0,
        Access::Join(join) => join.n_pairs > 0,
        Access::Overlap(join) => join.lists.iter().all(|list| !list.is_empty()),
    });
    Ok(accesses)
}

/// What was considered for each branch, or part of one, over a block: the cheapest first, which is taken.
pub fn alternatives(encoded: &Encoded, program: &Program, block: &Block) -> Result<Vec<Vec<Alternative>>> {
    let branches = Branches::new(encoded, program, block);
    let chosen = branches.choose(encoded, program, block)?;
    Ok(chosen.into_iter().map(|(_, choice)| choice.alternatives).collect())
}

/// The branches of a program, and the keys that they may be joined by.
struct Branches<'a> {
    all: Vec<Branch<'a>>,
    /// Each once: branches often share one.
    keys: HashMap<Key, Keys>,
}

impl<'a> Branches<'a> {
    fn new(encoded: &Encoded, program: &'a Program, block: &Block) -> Self {
        let options = program.options();
        let all: Vec<Branch<'_>> =
            program.branches().iter().map(|steps| Branch::new(encoded, steps, &options)).collect();
        let mut distinct: HashSet<&Key> = HashSet::new();
        all.iter().for_each(|branch| branch.add_keys(&mut distinct));
        let distinct: Vec<&Key> = distinct.into_iter().collect();
        let keys = map(&distinct, block.is_small(), |key| ((*key).clone(), key.keys(encoded, block)));
        let keys = keys.into_iter().collect();
        Self { all, keys }
    }

    fn keys_of(&self, branch: &Branch<'_>) -> Option<&Keys> {
        self.keys.get(branch.key.as_ref()?)
    }

    /// For each branch, or each part of one that is better taken apart, what costs least.
    fn choose(
        &self,
        encoded: &Encoded,
        program: &Program,
        block: &Block,
    ) -> Result<Vec<(&Branch<'a>, Choice)>> {
        let walk = program.walk()?;
        let options = program.options();
        let n_leads = self.all.iter().map(|branch| branch.n_joinable(&options)).sum();
        let choose = |branch: &Branch<'_>| {
            branch.choose(encoded, walk, self.keys_of(branch), block, (&options, n_leads))
        };
        let whole: Vec<&Branch<'a>> = self.all.iter().collect();
        let chosen = map(&whole, block.is_small(), |branch| branch.cheapest(&choose).1);
        Ok(chosen.into_iter().flatten().collect())
    }
}
