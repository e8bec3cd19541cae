//! What resolving did, for people.

use crate::entities::cluster::ClusterMethod;
use crate::tell::evaluate::{Agreement, EntityQuality};
use crate::tell::report::Summary;
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
    /// Entities, also those of one record.
    pub n_entities: u64,
    /// Entities of several records.
    pub n_joined: u64,
    /// Records of the largest one.
    pub largest: u64,
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
        entities: &[u32],
        steps: Vec<StepQuality>,
    ) -> Self {
        let mut sizes = vec![0u32; entities.len()];
        for entity in entities {
            sizes[*entity as usize] += 1;
        }
        let n_of = |least: u32| sizes.iter().filter(|size| **size >= least).count() as u64;
        let largest = sizes.iter().max().copied().unwrap_or(0).into();
        Self { found, method, n_entities: n_of(1), n_joined: n_of(2), largest, steps }
    }
}

impl ResolveSummary {
    /// The summary for programs: that of what was found, and `entities`.
    pub fn json(&self) -> Value {
        let of = |it: Agreement| json!({ "precision": it.precision, "recall": it.recall, "f1": it.f1 });
        let steps = self.steps.iter().map(|step| {
            let (pairwise, b_cubed) = (of(step.quality.pairwise), of(step.quality.b_cubed));
            json!({ "name": step.name, "pairs": step.n_pairs, "pairwise": pairwise, "b_cubed": b_cubed })
        });
        let mut summary = self.found.json();
        summary["entities"] = json!({
            "method": self.method.to_string(),
            "all": self.n_entities,
            "of_several_records": self.n_joined,
            "largest": self.largest,
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
        writeln!(f, "                 ({})", self.method.about())?;
        if self.steps.is_empty() {
            return Ok(());
        }
        writeln!(f, "{:28}precision  recall      F1  B³ precision  recall      F1", "quality")?;
        for StepQuality { name, n_pairs, quality } in &self.steps {
            let Agreement { precision, recall, f1 } = quality.pairwise;
            write!(
                f,
                "  {name:10}  {:>14}{precision:>9.4}  {recall:.4}  {f1:.4}",
                HumanCount(*n_pairs).to_string()
            )?;
            let Agreement { precision, recall, f1 } = quality.b_cubed;
            writeln!(f, "  {precision:>12.4}  {recall:.4}  {f1:.4}")?;
        }
        Ok(())
    }
}
