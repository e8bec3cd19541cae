//! The report: what a job did, for people.

use crate::base::billionths::Billionths;
use crate::base::compared::Compared;
use crate::base::shown::shown;
use crate::base::stopwatch::Stages;
use crate::entities::score::Tally;
use crate::tell::each_rule::{RuleCounts, Table};
use crate::tell::errors::ErrorCounts;
use crate::tell::evaluate::{Quality, Told, percent};
use crate::tell::left_out::LeftOut;
use indicatif::HumanCount;
use std::fmt;

/// What a job did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The device that ran it.
    pub device: String,
    /// Left records.
    pub n_left: u32,
    /// Right records, if there are two tables.
    pub n_right: Option<u32>,
    /// Where several tables are compared as one: what each is called, and its records.
    pub tables: Vec<(String, u32)>,
    /// The column that the ids of each table come from; none where they are row numbers.
    pub ids: Vec<Option<String>>,
    /// All pairs there are.
    pub n_pairs: u64,
    /// Pairs of records that were compared: put beside each other by an access path, a neighbourhood, or since all are. The
    /// others were ruled out unseen.
    pub compared: Compared,
    /// Candidates by rule, with the rule's name; those of neighbourhoods after them, or all pairs.
    pub by_rule: Vec<(String, u64)>,
    /// What may miss pairs: the sorted neighbourhoods, with key and window.
    pub approximate: Vec<String>,
    /// What may miss pairs too: blocks that were left out, by rule.
    pub left_out: Vec<LeftOut>,
    /// What became of them, where they were scored.
    pub scored: Option<Tally>,
    /// What each rule and neighbourhood finds by itself, if that was asked for.
    pub each_rule: Option<Vec<RuleCounts>>,
    /// How good they are, where the truth is known.
    pub quality: Option<Quality>,
    /// How many pairs are missed and wrong, by cause, if that was asked for.
    pub errors: Option<ErrorCounts>,
    /// Time by stage, in order: of preparing and of running the job, or of a whole process. What is in no other is `other`.
    pub stages: Stages,
    /// The most memory that the process held, where the system tells.
    pub peak_memory: Option<u64>,
    /// The most memory of a GPU that was used at once.
    pub peak_device_memory: Option<u64>,
}

impl Summary {
    /// All candidates.
    pub fn n_candidates(&self) -> u64 {
        self.by_rule.iter().map(|(_, n)| n).sum()
    }

    /// Pairs that were ruled out unseen: so many, or at least so many if those that were compared are no more than a bound.
    pub fn n_unseen(&self) -> u64 {
        self.n_pairs - self.compared.most.min(self.n_pairs)
    }

    /// Where ids come from: said once, if it is the same for all tables, and of several by their names.
    fn write_ids(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = |column: &Option<String>| match column {
            None => "row numbers".to_owned(),
            Some(column) => format!("column {}", shown(column)),
        };
        let all: Vec<String> = self.ids.iter().map(from).collect();
        let Some(first) = all.first() else { return Ok(()) };
        let ids = if all.iter().all(|ids| ids == first) {
            first.clone()
        } else if self.tables.len() == all.len() {
            let named =
                self.tables.iter().zip(&all).map(|((name, _), ids)| format!("{}: {ids}", shown(name)));
            named.collect::<Vec<_>>().join(", ")
        } else {
            all.join(" × ")
        };
        writeln!(f, "ids from         {ids}")
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_candidates = self.n_candidates();
        let cssr = if self.n_pairs == 0 { 0.0 } else { n_candidates as f64 / self.n_pairs as f64 };
        writeln!(f, "device           {}", self.device)?;
        match self.n_right {
            None => writeln!(f, "records          {}", HumanCount(self.n_left.into()))?,
            Some(right) => writeln!(
                f,
                "records          {} × {}",
                HumanCount(self.n_left.into()),
                HumanCount(right.into())
            )?,
        }
        let width = self.tables.iter().map(|(name, _)| shown(name).chars().count()).max().unwrap_or(0);
        for (name, n) in &self.tables {
            writeln!(f, "  {:width$}  {}", shown(name).to_string(), HumanCount((*n).into()))?;
        }
        self.write_ids(f)?;
        let Compared { most, is_exact } = self.compared;
        let [compared, all, unseen] = [most, self.n_pairs, self.n_unseen()].map(HumanCount);
        match (is_exact, self.n_unseen()) {
            (true, 0) => writeln!(f, "pairs compared   {compared} of {all}")?,
            (true, _) => writeln!(f, "pairs compared   {compared} of {all} ({unseen} ruled out unseen)")?,
            (false, 0) => writeln!(f, "pairs compared   at most {compared} of {all}")?,
            (false, _) => {
                let unseen = format_args!("at least {unseen} ruled out unseen");
                writeln!(f, "pairs compared   at most {compared} of {all} ({unseen})")?;
            }
        }
        writeln!(f, "candidates       {}", HumanCount(n_candidates))?;
        let by_rule = self.by_rule.iter().map(|(name, n)| (shown(name), n)).collect::<Vec<_>>();
        let width = by_rule.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, n) in by_rule {
            writeln!(f, "  {name:width$}  {}", HumanCount(*n))?;
        }
        for name in self.approximate.iter().map(|name| shown(name)) {
            let said = "pairs outside the windows are not looked at";
            writeln!(f, "approximate      sorted neighbourhood {name}: {said}")?;
        }
        for left_out in &self.left_out {
            writeln!(f, "approximate      {left_out}")?;
        }
        if let Some(Tally { n_scored, n_kept, threshold }) = self.scored {
            writeln!(f, "scored           {}", HumanCount(n_scored))?;
            writeln!(
                f,
                "kept             {} (a score of {} or more)",
                HumanCount(n_kept),
                Billionths(threshold)
            )?;
        }
        writeln!(f, "reduction ratio  {:.6}", 1.0 - cssr)?;
        if let Some(quality) = self.quality {
            let Quality { n_matches, n_found, recall, precision, f1, n_unknown, .. } = quality;
            writeln!(f, "matches found    {} of {}", HumanCount(n_found), HumanCount(n_matches))?;
            if n_unknown > 0 {
                writeln!(
                    f,
                    "truth left out   {} (rows with ids that are in no table)",
                    HumanCount(n_unknown)
                )?;
            }
            if !quality.coverage.is_complete {
                writeln!(f, "labels           {}", quality.coverage)?;
            }
            let intervals = quality.intervals.unwrap_or_default();
            writeln!(f, "recall           {}", Told(recall, intervals.recall))?;
            write!(f, "precision        {}", Told(precision, intervals.precision))?;
            if !quality.coverage.is_complete {
                let Quality { n_candidates, n_decided, .. } = quality;
                let what = if self.scored.is_some() { "kept" } else { "candidates" };
                write!(f, ", decided {} of {}", percent(n_decided, n_candidates), HumanCount(n_candidates))?;
                write!(f, " {what}")?;
            }
            writeln!(f)?;
            writeln!(f, "F1               {}", Told(f1, intervals.f1))?;
            writeln!(f, "CSSR             {cssr:.3e}")?;
        }
        if let Some(errors) = &self.errors {
            write!(f, "{errors}")?;
        }
        if let Some(each_rule) = &self.each_rule {
            write!(f, "{}", Table(each_rule))?;
        }
        writeln!(f, "time             {}", self.stages)?;
        if let Some(bytes) = self.peak_memory {
            writeln!(f, "peak memory      {:.1} MiB", bytes as f64 / f64::from(1 << 20))?;
        }
        if let Some(bytes) = self.peak_device_memory {
            writeln!(f, "on the device    {:.1} MiB", bytes as f64 / f64::from(1 << 20))?;
        }
        Ok(())
    }
}
