//! Clustering: pairs of records that are alike, into entities.
//!
//! ```text
//! pairs ─► components ─┬─► entities
//!                      └─► center, complete: within each component ─► entities
//! pairs of two tables ─► links: fewer pairs ─► components ─► entities
//!
//! with sources: components, also those of links ─► apart: where one has a source twice ─► entities
//! ```
//!
//! Connected components put all records into one entity that pairs lead to from one another, however far
//! apart they are. Center clustering and complete linkage do not chain: they look at scores, and take
//! components apart. Links are for two tables that each have a thing once, or where one of them has: of the
//! pairs of a record only one stays. All of these run on the CPU after the device has found the components, one component beside the
//! other. Every method gives the same entities on every device and in every run.
//!
//! Where it is known which source each record is of, no entity has two records of one source, whatever the method.

mod apart;
mod center;
mod complete;
mod links;
mod parts;

pub(crate) use parts::{Batches, in_order};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::names::expected;
use crate::base::timeline::Lane;
use crate::operators::Backend;
use crate::operators::components::Components;
use crate::read::sources::Sources;
use parts::Parts;
use std::sync::atomic::AtomicU64;
use strum::{Display, EnumString, VariantNames};

use hyperblock_shared::layout::ScoredPair;

/// The score of two records that are the same.
pub const SAME: u32 = 1_000_000_000;

/// How entities are made of pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum ClusterMethod {
    /// Connected components: all records that pairs connect are one entity.
    #[default]
    Components,
    /// Center clustering: pairs are gone through from the most alike on. A record that is met for the first
    /// time becomes a centre, unless the other one is a centre already: then it joins that. Records that
    /// joined draw nobody after them.
    Center,
    /// Complete linkage: the two most alike entities become one, again and again. Two entities are as alike
    /// as the least alike of the pairs across them, and not at all if one of those pairs is missing.
    Complete,
    /// Connected components by the closure of a bit matrix, which grows with the square of the records: for
    /// comparison.
    TiledFw,
    /// Of two tables, each record is in one pair at most, and the pairs that stay weigh the most that they can.
    /// Very large components are gone through from the most alike pair on.
    OneToOne,
    /// Of two tables, each left record stays with the right one that it is most like.
    ManyToOne,
    /// Of two tables, a pair stays if it is the best one of both of its records.
    Best,
}

impl ClusterMethod {
    /// Those for any tables.
    pub const ALL: [Self; 4] = [Self::Components, Self::Center, Self::Complete, Self::TiledFw];
    /// Those for two tables.
    pub const LINKS: [Self; 3] = [Self::OneToOne, Self::ManyToOne, Self::Best];

    /// Whether scores matter.
    pub fn reads_scores(self) -> bool {
        !matches!(self, Self::Components | Self::TiledFw)
    }

    /// The bytes that it takes for each pair of what it has at once: as it comes from a file, and what it makes of it.
    pub(crate) fn bytes_per_pair(self, with_sources: bool) -> u64 {
        match self {
            // A tree, and sets of sources.
            Self::Components | Self::TiledFw if with_sources => 112,
            Self::Components => 0,
            Self::TiledFw => 12,
            Self::Center if with_sources => 80,
            Self::Center | Self::ManyToOne | Self::Best => 56,
            Self::OneToOne => 96,
            // Tables of what is alike to what, either way round, with room for more, and a heap.
            Self::Complete => 176,
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Components | Self::TiledFw => "all records that pairs connect, however long the chain",
            Self::Center => "records around a centre; what joined draws nobody after it",
            Self::Complete => "every two records of an entity are a pair",
            Self::OneToOne => "each record with one of the other table at most",
            Self::ManyToOne => "each left record with one right record at most",
            Self::Best => "pairs that are the best of both of their records",
        }
    }
}

/// What pairs are of.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    /// How many there are.
    pub n: u32,
    /// The first one of the right table, if there are two.
    pub first_right: Option<u32>,
    /// Whether scores are ranks of weights ([`hyperblock_shared::score::rank`]). Else they are billionths.
    pub are_weights: bool,
    /// Which source each record is of, if no two records of one source may be in an entity.
    pub sources: Option<&'a Sources>,
}

/// Of one table, with scores in billionths, from anywhere.
impl From<u32> for Records<'_> {
    fn from(n: u32) -> Self {
        Self { n, first_right: None, are_weights: false, sources: None }
    }
}

impl Records<'_> {
    /// Whether pairs are gone through by their scores.
    pub(crate) fn reads_scores(&self, method: ClusterMethod) -> bool {
        method.reads_scores() || self.sources.is_some()
    }
}

/// Entities, and what was not followed on the way to them.
#[derive(Clone, Debug)]
pub struct Clustered {
    /// Of each record its entity, named by its smallest record.
    pub entities: Vec<u32>,
    /// Pairs that were not followed because of the sources of records.
    pub n_refused: u64,
}

/// The entity of each record, named by its smallest record.
///
/// Pairs may come in any order, either way round, and repeatedly; of several scores of one pair the highest
/// counts. A record that is in no pair is an entity.
pub fn cluster<'a>(
    device: &dyn Backend,
    records: impl Into<Records<'a>>,
    pairs: &[ScoredPair],
    method: ClusterMethod,
    control: &Control,
) -> Result<Vec<u32>> {
    Ok(clustered(device, records.into(), pairs, method, control)?.entities)
}

/// The same, with what was not followed.
pub fn clustered(
    device: &dyn Backend,
    records: Records<'_>,
    pairs: &[ScoredPair],
    method: ClusterMethod,
    control: &Control,
) -> Result<Clustered> {
    if ClusterMethod::LINKS.contains(&method) && records.first_right.is_none() {
        return Err(Error::Job(format!(
            "`{method}` links the records of two tables, and here is one; `complete` keeps entities of one table small"
        )));
    }
    if let Some(sources) = records.sources.filter(|sources| sources.len() != records.n as usize) {
        let message = format!("there are {} records, and sources of {}", records.n, sources.len());
        return Err(Error::Job(message));
    }
    let components = match method {
        ClusterMethod::TiledFw => labels(device.load_matrix(records.n, pairs)?, control)?,
        _ => labels(device.load_components(records.n, pairs)?, control)?,
    };
    cluster_within(device, records, components, &pairs, method, control)
}

/// The same with connected components that are known already. Of what is in one, all pairs come at once.
pub(crate) fn cluster_within(
    device: &dyn Backend,
    records: Records<'_>,
    components: Vec<u32>,
    pairs: &dyn Batches,
    method: ClusterMethod,
    control: &Control,
) -> Result<Clustered> {
    let (n_refused, sources) = (AtomicU64::new(0), records.sources);
    let parts = Parts { components: &components, pairs, sources, n_refused: &n_refused, control };
    let of_links = |choice: links::Choice| {
        let links = links::within(&parts, records.are_weights, choice)?;
        let components = labels(device.load_components(records.n, &links)?, control)?;
        match sources {
            Some(sources) => {
                apart::apart(&Parts { components: &components, pairs: &&links[..], ..parts }, sources)
            }
            None => Ok(components),
        }
    };
    let entities = match (method, sources) {
        (ClusterMethod::Center, _) => center::center(&parts)?,
        (ClusterMethod::Complete, _) => complete::complete(&parts)?,
        (ClusterMethod::OneToOne, _) => of_links(links::one_to_one)?,
        (ClusterMethod::ManyToOne, _) => of_links(links::many_to_one)?,
        (ClusterMethod::Best, _) => of_links(links::best)?,
        (ClusterMethod::Components | ClusterMethod::TiledFw, Some(sources)) => apart::apart(&parts, sources)?,
        (ClusterMethod::Components | ClusterMethod::TiledFw, None) => components,
    };
    Ok(Clustered { entities, n_refused: n_refused.into_inner() })
}

/// The connected components of pairs that are loaded.
fn labels(mut loaded: Box<dyn Components + '_>, control: &Control) -> Result<Vec<u32>> {
    control.note(Lane::here(), "components", || loaded.run(control))?;
    let components = loaded.labels()?;
    control.check()?;
    Ok(components)
}
