//! What clustering did, for people.

use crate::base::json::{SUMMARY_VERSION, seconds};
use crate::base::stopwatch::Stages;
use crate::entities::cluster::ClusterMethod;
use crate::tell::evaluate::{Agreement, EntityQuality};
use hashbrown::HashMap;
use indicatif::HumanCount;
use serde_json::{Value, json};
use std::fmt;

/// What clustering did.
#[derive(Clone, Debug)]
pub struct ClusterSummary {
    /// The device that ran it.
    pub device: String,
    /// The method that made the entities.
    pub method: ClusterMethod,
    /// Pairs in the file.
    pub n_rows: u64,
    /// Those that reach the threshold.
    pub n_pairs: u64,
    /// Records.
    pub n_records: u32,
    /// Entities, those of one record too.
    pub n_entities: u32,
    /// Records of the largest one.
    pub largest: u32,
    /// How good they are, where the truth is known.
    pub quality: Option<EntityQuality>,
    /// Time by stage, in order.
    pub stages: Stages,
}

impl ClusterSummary {
    /// How many entities there are, and how many records the largest has.
    pub fn sizes(entities: &[u32]) -> (u32, u32) {
        let mut sizes: HashMap<u32, u32> = HashMap::new();
        for &entity in entities {
            *sizes.entry(entity).or_default() += 1;
        }
        (sizes.len() as u32, sizes.into_values().max().unwrap_or(0))
    }
}

impl ClusterSummary {
    /// The summary for programs, as [`tell::json`](crate::tell::json) says.
    pub fn json(&self) -> Value {
        let of = |it: Agreement| json!({ "precision": it.precision, "recall": it.recall, "f1": it.f1 });
        let quality =
            self.quality.map(|it| json!({ "pairwise": of(it.pairwise), "b_cubed": of(it.b_cubed) }));
        json!({
            "version": SUMMARY_VERSION,
            "device": self.device,
            "method": self.method.to_string(),
            "records": { "all": self.n_records },
            "pairs": { "all": self.n_rows, "kept": self.n_pairs },
            "entities": { "all": self.n_entities, "largest": self.largest },
            "quality": quality,
            "seconds": seconds(&self.stages),
        })
    }
}

impl fmt::Display for ClusterSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device           {}", self.device)?;
        writeln!(f, "method           {} ({})", self.method, self.method.about())?;
        match self.n_rows == self.n_pairs {
            true => writeln!(f, "pairs            {}", HumanCount(self.n_pairs))?,
            false => {
                writeln!(f, "pairs            {} of {}", HumanCount(self.n_pairs), HumanCount(self.n_rows))?
            }
        }
        writeln!(f, "records          {}", HumanCount(self.n_records.into()))?;
        writeln!(f, "entities         {}", HumanCount(self.n_entities.into()))?;
        writeln!(f, "largest entity   {}", HumanCount(self.largest.into()))?;
        if let Some(EntityQuality { pairwise, b_cubed, .. }) = self.quality {
            for (name, Agreement { precision, recall, f1 }) in [("pairwise", pairwise), ("B-cubed", b_cubed)]
            {
                writeln!(f, "{name:16} precision {precision:.4}, recall {recall:.4}, F1 {f1:.4}")?;
            }
        }
        writeln!(f, "time             {}", self.stages)
    }
}
