//! What resolving did, for people.

use crate::entities::cluster::ClusterMethod;
use crate::entities::survival::ChangeCounts;
use crate::tell::apart::Apart;
use crate::tell::evaluate::{Agreement, Beside, Coverage, EntityQuality, cell};
use crate::tell::report::Summary;
use crate::tell::survived;
use indicatif::HumanCount;
use serde_json::{Value, json};
use std::fmt;

/// What resolving did.
#[derive(Clone, Debug)]
pub struct ResolveSummary {
    /// What was found, and how long all of it took.
    pub found: Summary,
    /// How entities were made.
    pub method: ClusterMethod,
    /// That records of one source stayed apart, if so.
    pub apart: Option<Apart>,
    /// Entities, also those of one record.
    pub n_entities: u64,
    /// Entities of several records.
    pub n_joined: u64,
    /// Records of the largest one.
    pub largest: u64,
    /// What became of the ids that entities had before, if those are known.
    pub ids: Option<ChangeCounts>,
    /// How good the result of each step is, where the truth is known.
    pub steps: Vec<StepQuality>,
}

/// How good the result of a step is.
#[derive(Clone, Copy, Debug)]
pub struct StepQuality {
    /// What it made.
    pub name: &'static str,
    /// Its pairs.
    pub n_pairs: u64,
    /// How good they are, and the entities that they make by closure.
    pub quality: EntityQuality,
}

impl ResolveSummary {
    /// Over entities, one for each record.
    pub(super) fn new(
        found: Summary,
        method: ClusterMethod,
        apart: Option<Apart>,
        entities: &[u32],
        ids: Option<ChangeCounts>,
        steps: Vec<StepQuality>,
    ) -> Self {
        let mut sizes = vec![0u32; entities.len()];
        for entity in entities {
            sizes[*entity as usize] += 1;
        }
        let n_of = |least: u32| sizes.iter().filter(|size| **size >= least).count() as u64;
        let largest = sizes.iter().max().copied().unwrap_or(0).into();
        Self { found, method, apart, n_entities: n_of(1), n_joined: n_of(2), largest, ids, steps }
    }
}

impl ResolveSummary {
    /// What the truth covers, if there is one.
    fn coverage(&self) -> Option<Coverage> {
        self.steps.first().map(|step| step.quality.coverage)
    }

    /// The summary for programs: that of what was found, and `entities`.
    pub fn json(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            let quality = &step.quality;
            json!({
                "name": step.name,
                "pairs": step.n_pairs,
                "decided": quality.n_decided,
                "pairwise": quality.pairwise.json(),
                "intervals": quality.intervals.map(|intervals| intervals.json()),
                "b_cubed": quality.b_cubed.map(|b_cubed| b_cubed.json()),
            })
        });
        let coverage = self.coverage().map(|coverage| {
            let records = json!({ "all": coverage.n_records, "named": coverage.n_named });
            json!({ "decided": coverage.n_decided, "records": records, "unknown": coverage.n_unknown })
        });
        let mut summary = self.found.json();
        summary["entities"] = json!({
            "method": self.method.to_string(),
            "apart": self.apart.as_ref().map(Apart::json),
            "all": self.n_entities,
            "of_several_records": self.n_joined,
            "largest": self.largest,
            "ids": self.ids.as_ref().map(survived::json),
            "coverage": coverage,
            "steps": steps.collect::<Vec<_>>(),
        });
        summary
    }
}

impl fmt::Display for ResolveSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.found)?;
        writeln!(
            f,
            "entities         {} by {}, {} of several records, the largest of {}",
            HumanCount(self.n_entities),
            self.method,
            HumanCount(self.n_joined),
            HumanCount(self.largest)
        )?;
        write!(f, "                 ({}", self.method.about())?;
        if let Some(apart) = &self.apart {
            write!(f, "{apart}")?;
        }
        writeln!(f, ")")?;
        if let Some(ids) = &self.ids {
            survived::line(ids, f)?;
        }
        if self.steps.is_empty() {
            return Ok(());
        }
        let part = self.coverage().filter(|coverage| !coverage.is_complete);
        if let Some(coverage) = part {
            writeln!(f, "labels           {coverage}")?;
            if coverage.n_unknown > 0 {
                let n = HumanCount(coverage.n_unknown);
                writeln!(f, "truth left out   {n} (rows with ids that are in no table)")?;
            }
        }
        writeln!(f, "{:28}precision  recall      F1  B³ precision  recall      F1", "quality")?;
        for StepQuality { name, n_pairs, quality } in &self.steps {
            let Agreement { precision, recall, f1 } = quality.pairwise;
            let [precision, recall, f1] = [precision, recall, f1].map(cell);
            let n = HumanCount(*n_pairs).to_string();
            write!(f, "  {name:10}  {n:>14}{precision:>9}  {recall:>6}  {f1:>6}")?;
            let [precision, recall, f1] = match quality.b_cubed {
                Some(Agreement { precision, recall, f1 }) => [precision, recall, f1].map(cell),
                None => [f64::NAN; 3].map(cell),
            };
            writeln!(f, "  {precision:>12}  {recall:>6}  {f1:>6}")?;
            if let Some(intervals) = &quality.intervals {
                let beside = Beside { n_decided: quality.n_decided, n_pairs: *n_pairs, intervals };
                writeln!(f, "    {beside}")?;
            }
        }
        Ok(())
    }
}
