//! What a branch looks at in a block, said and not listed: for a device that makes keys and lists itself, from the columns that
//! it holds.

use super::branch::{Bound, Branch};
use super::{Access, ByPath, JOIN, OVERLAP, SWEEP, bound, branches, listed};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use crate::plan::Program;
use crate::plan::overlap::Manner;
use crate::plan::path::KeyMethod;
use crate::plan::sweep::{Block, Lead, settings};
use crate::plan::work::Taking;
use hyperblock_shared::listing::Listing;
use hyperblock_shared::sweep::Settings;

/// A block's records by one access path, before anybody has listed them.
#[derive(Clone, Debug)]
pub struct Unlisted {
    /// The records.
    pub block: Block,
    /// What is to be made of them.
    pub by: By,
    /// What it is expected to take.
    pub expected: Taking,
    /// The number of the path.
    path: usize,
}

/// What is to be made of records.
#[derive(Clone, Debug)]
pub enum By {
    /// Two lists in the order of a lead.
    Lead(Lists),
    /// Those with the same key are brought together.
    Key(ByKey),
}

/// Two lists, and what is done with them.
#[derive(Clone, Debug)]
pub struct Lists {
    /// What they are of; all records as they are, if nothing leads.
    pub of: [Option<Listing>; 2],
    /// The sweep. Of one list with itself if pairs are unordered.
    pub settings: Settings,
    /// How values are joined by what they have in common, if they are: then only short ones are swept.
    pub overlap: Option<Manner>,
}

/// Records by their key.
#[derive(Clone, Debug)]
pub struct ByKey {
    /// By equality: the operand left and right.
    pub operands: Vec<[u32; 2]>,
    /// Whether both sides are one.
    pub is_symmetric: bool,
    /// The join of light keys.
    pub light: Settings,
    /// How records with the same light key are found.
    pub found_by: KeyMethod,
    /// Heavy keys, if any may be: above how many pairs they are, and what is done with their records.
    pub heavy: Option<(u64, Lists)>,
}

impl Unlisted {
    /// Of a branch, if a device can list what its path looks at.
    fn new(
        program: &Program,
        block: &Block,
        (path, branch, bound): (usize, &Branch<'_>, &Bound<'_>),
    ) -> Option<Self> {
        let options = program.options();
        let lists = |lead: &Lead, is_symmetric: bool, overlap: Option<Manner>| Lists {
            of: lead.listings(),
            settings: settings(branch.steps, lead, block.order(is_symmetric), &options),
            overlap: overlap.filter(|_| lead.operands.is_some()),
        };
        let by = match bound {
            Bound::Sweep(lead) => By::Lead(lists(lead, lead.is_symmetric, None)),
            Bound::Overlap(lead, manner) => By::Lead(lists(lead, lead.is_symmetric, Some(*manner))),
            Bound::Key { method, inner } => {
                let (key, first) = (branch.key.as_ref()?, branch.equalities().first()?);
                let is_symmetric = key.is_symmetric(block);
                let heavy = |(lead, overlap): (&Lead, Option<Manner>)| {
                    (options.heavy, lists(lead, is_symmetric && lead.is_symmetric, overlap))
                };
                By::Key(ByKey {
                    operands: key.operands().to_vec(),
                    is_symmetric,
                    light: settings(branch.steps, first, block.order(is_symmetric), &options),
                    found_by: *method,
                    heavy: inner.map(heavy),
                })
            }
        };
        Some(Self { block: block.clone(), by, expected: program.expected(path), path })
    }

    /// The first step of the branch, or of the part of one, that it is of.
    pub fn first_step(&self) -> u32 {
        match &self.by {
            By::Lead(lists) => lists.settings.from,
            By::Key(by) => by.light.from,
        }
    }

    /// What kind of path it is, for people.
    pub fn kind(&self) -> &'static str {
        match &self.by {
            By::Lead(Lists { overlap: None, .. }) => SWEEP,
            By::Lead(Lists { overlap: Some(_), .. }) => OVERLAP,
            By::Key(_) => JOIN,
        }
    }

    /// The same, listed.
    pub fn listed(&self, encoded: &Encoded, program: &Program, control: &Control) -> Result<Vec<Access>> {
        let branches = branches(encoded, program);
        let bound = bound(encoded, program, program.walk()?, &branches);
        let bound = bound.map_err(|complaint| Error::Internal(complaint.into()))?;
        let own: Vec<_> = bound.into_iter().enumerate().filter(|(path, _)| *path == self.path).collect();
        let by_path = listed(encoded, program, &self.block, &own, control)?;
        Ok(by_path.into_iter().map(|(_, access)| access).collect())
    }
}

/// What the program's paths look at in a block: what a device lists itself, unlisted; the rest with the numbers of its paths.
pub(crate) fn unlisted(
    encoded: &Encoded,
    program: &Program,
    block: &Block,
    is_left: impl Fn(&By) -> bool,
    control: &Control,
) -> Result<(Vec<Unlisted>, ByPath)> {
    let branches = branches(encoded, program);
    let bound = bound(encoded, program, program.walk()?, &branches);
    let bound = bound.map_err(|complaint| Error::Internal(complaint.into()))?;
    let is_worth_it = block.left.len() + block.right.len() >= program.options().unlisted as usize;
    let (mut all, mut rest) = (Vec::new(), Vec::new());
    for (path, (branch, bound)) in bound.into_iter().enumerate() {
        let one = Unlisted::new(program, block, (path, branch, &bound));
        match one.filter(|one| is_worth_it && is_left(&one.by)) {
            Some(one) => all.push(one),
            None => rest.push((path, (branch, bound))),
        }
    }
    Ok((all, listed(encoded, program, block, &rest, control)?))
}
