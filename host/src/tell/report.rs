//! The report: what a job did, for people.

use crate::base::billionths::Billionths;
use crate::base::shown::shown;
use crate::base::stopwatch::Stages;
use crate::entities::score::Tally;
use crate::tell::evaluate::Quality;
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
    /// All pairs there are.
    pub n_pairs: u64,
    /// Pairs of records that were decided: all there are of those that some rule is about.
    pub n_compared: u64,
    /// Candidates by rule, with the rule's name; those of neighbourhoods after them, or all pairs.
    pub by_rule: Vec<(String, u64)>,
    /// What may miss pairs: the sorted neighbourhoods, with key and window.
    pub approximate: Vec<String>,
    /// What may miss pairs too: blocks that were left out, by rule.
    pub left_out: Vec<LeftOut>,
    /// What became of them, where they were scored.
    pub scored: Option<Tally>,
    /// How good they are, where the truth is known.
    pub quality: Option<Quality>,
    /// Time by stage, in order.
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
        writeln!(f, "pairs compared   {} of {}", HumanCount(self.n_compared), HumanCount(self.n_pairs))?;
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
        if let Some(Quality { n_matches, n_found, recall, precision, f1, n_unknown }) = self.quality {
            writeln!(f, "matches found    {} of {}", HumanCount(n_found), HumanCount(n_matches))?;
            if n_unknown > 0 {
                writeln!(
                    f,
                    "truth left out   {} (rows with ids that are in no table)",
                    HumanCount(n_unknown)
                )?;
            }
            writeln!(f, "recall           {recall:.4}")?;
            writeln!(f, "precision        {precision:.4}")?;
            writeln!(f, "F1               {f1:.4}")?;
            writeln!(f, "CSSR             {cssr:.3e}")?;
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
