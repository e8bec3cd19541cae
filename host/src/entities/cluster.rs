//! Clustering: pairs of records that are alike, into entities.
//!
//! ```text
//! pairs ─► components ─┬─► entities
//!                      └─► center, complete: within each component ─► entities
//! ```
//!
//! Connected components put all records into one entity that pairs lead to from one another, however far
//! apart they are. Center clustering and complete linkage do not chain: they look at scores, and take
//! components apart. They run on the CPU after the device has found the components, one component beside the
//! other. Every method gives the same entities on every device and in every run.

mod center;
mod complete;
mod parts;

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::names::expected;
use crate::operators::Backend;
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
}

impl ClusterMethod {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Components, Self::Center, Self::Complete, Self::TiledFw];

    /// Whether scores matter.
    pub fn reads_scores(self) -> bool {
        matches!(self, Self::Center | Self::Complete)
    }
}

/// The entity of each record, named by its smallest record.
///
/// Pairs may come in any order, either way round, and repeatedly; of several scores of one pair the highest
/// counts. A record that is in no pair is an entity.
pub fn cluster(
    device: &dyn Backend,
    n_records: u32,
    pairs: &[ScoredPair],
    method: ClusterMethod,
    control: &Control,
) -> Result<Vec<u32>> {
    let mut loaded = match method {
        ClusterMethod::TiledFw => device.load_matrix(n_records, pairs)?,
        _ => device.load_components(n_records, pairs)?,
    };
    loaded.run(control)?;
    let components = loaded.labels()?;
    control.check()?;
    match method {
        ClusterMethod::Components | ClusterMethod::TiledFw => Ok(components),
        ClusterMethod::Center => center::center(&components, pairs, control),
        ClusterMethod::Complete => complete::complete(&components, pairs, control),
    }
}
