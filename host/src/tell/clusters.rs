//! What clustering did, for people.

use crate::base::json::{SUMMARY_VERSION, seconds};
use crate::base::stopwatch::Stages;
use crate::entities::cluster::ClusterMethod;
use crate::entities::survival::ChangeCounts;
use crate::tell::apart::Apart;
use crate::tell::evaluate::{Agreement, EntityQuality, Told, percent};
use crate::tell::survived;
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
    /// That records of one source stayed apart, if so.
    pub apart: Option<Apart>,
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
    /// What became of the ids that entities had before, if those are known.
    pub ids: Option<ChangeCounts>,
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
        let quality = self.quality.map(|it| {
            json!({
                "pairwise": it.pairwise.json(),
                "b_cubed": it.b_cubed.map(|it| it.json()),
                "decided": it.n_decided,
                "coverage": it.coverage.json(it.n_pairs, it.n_decided),
                "intervals": it.intervals.map(|it| it.json()),
            })
        });
        json!({
            "version": SUMMARY_VERSION,
            "device": self.device,
            "method": self.method.to_string(),
            "apart": self.apart.as_ref().map(Apart::json),
            "records": { "all": self.n_records },
            "pairs": { "all": self.n_rows, "kept": self.n_pairs },
            "entities": { "all": self.n_entities, "largest": self.largest },
            "ids": self.ids.as_ref().map(survived::json),
            "quality": quality,
            "seconds": seconds(&self.stages),
        })
    }
}

impl fmt::Display for ClusterSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device           {}", self.device)?;
        write!(f, "method           {} ({}", self.method, self.method.about())?;
        if let Some(apart) = &self.apart {
            write!(f, "{apart}")?;
        }
        writeln!(f, ")")?;
        match self.n_rows == self.n_pairs {
            true => writeln!(f, "pairs            {}", HumanCount(self.n_pairs))?,
            false => {
                writeln!(f, "pairs            {} of {}", HumanCount(self.n_pairs), HumanCount(self.n_rows))?
            }
        }
        writeln!(f, "records          {}", HumanCount(self.n_records.into()))?;
        writeln!(f, "entities         {}", HumanCount(self.n_entities.into()))?;
        writeln!(f, "largest entity   {}", HumanCount(self.largest.into()))?;
        if let Some(ids) = &self.ids {
            survived::line(ids, f)?;
        }
        if let Some(quality) = self.quality {
            let EntityQuality { pairwise, b_cubed, intervals, coverage, .. } = quality;
            if !coverage.is_complete {
                let decided = percent(quality.n_decided, quality.n_pairs);
                let n_pairs = HumanCount(quality.n_pairs);
                writeln!(f, "labels           {coverage}: {decided} of {n_pairs} in entities")?;
            }
            let measures = [("pairwise", Some(pairwise), intervals), ("B-cubed", b_cubed, None)];
            for (name, measures, intervals) in measures {
                let Some(Agreement { precision, recall, f1 }) = measures else {
                    writeln!(f, "{name:16} unknown: labels of pairs do not say who is of an entity")?;
                    continue;
                };
                let intervals = intervals.unwrap_or_default();
                let precision = Told(precision, intervals.precision);
                let (recall, f1) = (Told(recall, intervals.recall), Told(f1, intervals.f1));
                writeln!(f, "{name:16} precision {precision}, recall {recall}, F1 {f1}")?;
            }
        }
        writeln!(f, "time             {}", self.stages)
    }
}
