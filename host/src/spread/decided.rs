//! What the bytes of a plan hold.

use super::bytes::{opened, sealed};
use super::cover::Cover;
use super::terms::Terms;
use crate::base::error::{Error, Result};
use crate::job::Carried;
use crate::plan::PortablePlan;
use crate::read::table::Kind;
use rkyv::{Archive, Deserialize, Serialize};
use std::ops::Range;

/// All that was decided.
#[derive(Debug, Archive, Serialize, Deserialize)]
pub(super) struct Decided {
    pub(super) carried: Carried,
    /// By table: the columns that are needed, the one with the ids first.
    pub(super) columns: Vec<Vec<Needed>>,
    /// By table: the names of all others.
    pub(super) others: Vec<Vec<String>>,
    /// By table: whether ids are integers.
    pub(super) has_integers: Vec<bool>,
    /// The tree, and the order of its branches.
    pub(super) plan: PortablePlan,
    pub(super) branches: Vec<BranchUnits>,
    /// By unit.
    pub(super) packs: Vec<u32>,
    pub(super) scored: Option<Scored>,
    /// What `explain` tells, as JSON.
    pub(super) told: String,
}

/// How candidates are scored.
#[derive(Debug, Archive, Serialize, Deserialize)]
pub(super) struct Scored {
    /// The weights of Fellegi and Sunter's model, as the file has them; none, where a score is a mean.
    pub(super) weights: Option<String>,
    /// Of the attributes that weigh rare values otherwise, how frequent values are.
    pub(super) terms: Vec<Terms>,
}

/// A column that is needed.
#[derive(Clone, Debug, PartialEq, Eq, Archive, Serialize, Deserialize)]
pub(super) struct Needed {
    pub(super) name: String,
    /// What it holds, in words: types of which the same value is the same text are one.
    pub(super) holds: String,
    pub(super) kind: Kind,
}

/// The units of a branch.
#[derive(Debug, Archive, Serialize, Deserialize)]
pub(super) struct BranchUnits {
    /// The branch's steps.
    pub(super) steps: Range<u32>,
    pub(super) units: Range<u64>,
    pub(super) cover: Cover,
}

impl Decided {
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let held = rkyv::to_bytes::<rkyv::rancor::Error>(self)
            .map_err(|error| Error::Internal(format!("the plan cannot be written: {error}")))?;
        Ok(sealed(&held))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let held = opened(bytes)?;
        let mut aligned = rkyv::util::AlignedVec::<16>::with_capacity(held.len());
        aligned.extend_from_slice(held);
        rkyv::from_bytes::<Self, rkyv::rancor::Error>(&aligned)
            .map_err(|error| Error::Job(format!("the plan is damaged: {error}")))
    }
}
