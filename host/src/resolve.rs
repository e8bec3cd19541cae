//! Resolve: from tables to entities, in one go.
//!
//! ```text
//! link or dedupe ─► candidates ─► score, keep ─► pairs ─► cluster ─► an entity for each record
//! ```
//!
//! Candidates are scored as they are found, and only those that are kept stay in memory.

mod curve;
mod summary;

pub use summary::{ResolveSummary, StepQuality};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::memory::peak_memory;
use crate::base::stopwatch::Stopwatch;
use crate::entities::cluster::{ClusterMethod, Records, SAME, cluster};
use crate::entities::score::{Kept, Scoring, least_weight};
use crate::job::{Asked, Job, Prepared};
use crate::operators::Backend;
use crate::rules::ScoreMethod;
use crate::tell::curve::Curve;
use crate::tell::evaluate::Truth;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::layout::ScoredPair;
use hyperblock_shared::score::rank;
use std::path::{Path, PathBuf};

/// What to resolve, and how.
///
/// ```
/// use hyperblock::entities::cluster::ClusterMethod;
/// use hyperblock::{Control, DeviceChoice, Job, Resolve, device};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let (table, rules) = (folder.path().join("people.csv"), folder.path().join("rules.toml"));
/// std::fs::write(&table, "id,name,city\n1,Ann Smith,Leeds\n2,Anne Smith,Leeds\n3,Bob Jones,York\n").unwrap();
/// std::fs::write(
///     &rules,
///     r#"
///     [[rules]]
///     name = "same city"
///     when = "l.city = r.city"
///
///     [score]
///     threshold = 0.9
///     [[score.attributes]]
///     measure = "jaro_winkler(l.name, r.name)"
///     "#,
/// )
/// .unwrap();
/// let device = device::open(DeviceChoice::Cpu, None)?;
/// let resolve = Resolve::new(Job::dedupe(&table, &rules)).method(ClusterMethod::Complete);
/// let control = Control::default();
/// let resolved = resolve.prepare(&*device, &control)?.run(&*device, &control)?;
/// // Of each record the first one of its entity.
/// assert_eq!(resolved.entities, [0, 0, 2]);
/// println!("{}", resolved.summary);
/// # Ok::<(), hyperblock::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Resolve {
    job: Job,
    method: ClusterMethod,
    truth: Option<PathBuf>,
    with_curve: bool,
}

impl Resolve {
    /// The records of a job.
    pub fn new(job: Job) -> Self {
        Self { job, method: ClusterMethod::default(), truth: None, with_curve: false }
    }

    /// With entities made in this way.
    pub fn method(self, method: ClusterMethod) -> Self {
        Self { method, ..self }
    }

    /// With every step measured against the truth in a file ([`Truth::read`]).
    pub fn truth(self, path: impl AsRef<Path>) -> Self {
        Self { truth: Some(path.as_ref().to_owned()), ..self }
    }

    /// With how good the result would be at other thresholds: then all scored pairs stay in memory. That takes a truth, and
    /// a score.
    pub fn with_curve(self) -> Self {
        Self { with_curve: true, ..self }
    }

    /// Reads, checks, encodes and plans everything, up to the point where pairs are compared on `device`.
    pub fn prepare(&self, device: &dyn Backend, control: &Control) -> Result<PreparedResolve> {
        self.check()?;
        self.prepared(self.job.prepare(device, control)?, control)
    }

    /// The same, with the device opened while the tables are read.
    pub fn prepare_while_opening(
        &self,
        open: impl FnOnce() -> Result<Box<dyn Backend>> + Send,
        control: &Control,
    ) -> Result<(Box<dyn Backend>, PreparedResolve)> {
        self.check()?;
        let (device, job) = self.job.prepare_while_opening(open, control)?;
        Ok((device, self.prepared(job, control)?))
    }

    /// An error if the method does not go with the tables.
    fn check(&self) -> Result<()> {
        if self.job.is_of_one_table() && ClusterMethod::LINKS.contains(&self.method) {
            let method = self.method;
            return Err(Error::Job(format!(
                "`{method}` links the records of two tables, and here is one; give the second table too, or take `complete`"
            )));
        }
        Ok(())
    }

    fn prepared(&self, job: Prepared, control: &Control) -> Result<PreparedResolve> {
        let truth = match &self.truth {
            None => None,
            Some(path) => Some(Truth::read(path, &job.left, job.second(), control)?),
        };
        if self.with_curve && (truth.is_none() || job.scoring().is_none()) {
            let lacks = if truth.is_none() {
                "a truth to measure against"
            } else {
                "a [score] section in the rule file"
            };
            return Err(Error::Job(format!("a curve over thresholds needs {lacks}")));
        }
        Ok(PreparedResolve { job, method: self.method, truth, with_curve: self.with_curve })
    }
}

/// Ready to run.
#[derive(Debug)]
pub struct PreparedResolve {
    /// What finds the candidates.
    pub job: Prepared,
    method: ClusterMethod,
    truth: Option<Truth>,
    with_curve: bool,
}

/// What was found.
#[derive(Debug)]
pub struct Resolved {
    /// The candidates that were kept, in order, with their scores; all are [`SAME`] if the rule file does not say how to
    /// score.
    pub pairs: Vec<Kept>,
    /// Of each record its entity, named by its first record. Records of a right table come after those of the left one.
    pub entities: Vec<u32>,
    /// How good the result would be at other thresholds, if that was asked for.
    pub curve: Option<Curve>,
    /// For people.
    pub summary: ResolveSummary,
}

impl PreparedResolve {
    /// Finds, scores and clusters on `device`.
    pub fn run(&self, device: &dyn Backend, control: &Control) -> Result<Resolved> {
        // All candidates, if the truth asks how good they were.
        let mut before: Vec<ScoredPair> = Vec::new();
        let mut note = |candidates: &[Candidate]| {
            if self.truth.is_some() {
                before.extend(candidates.iter().map(|candidate| self.pair(candidate, SAME)));
            }
        };
        let mut pairs = Vec::new();
        let scoring = self.job.scoring();
        let threshold = scoring.map_or(0, Scoring::threshold);
        // A curve begins with all of them.
        let least = if self.with_curve { 0 } else { threshold };
        let asked = scoring.map(|scoring| Asked { scoring, least, with_all: self.truth.is_some() });
        let mut found = self.job.walk(device, control, asked, "keep", &mut |candidates, kept| {
            note(candidates);
            match scoring {
                None => pairs.extend(candidates.iter().map(|candidate| (*candidate, SAME))),
                Some(_) => pairs.extend_from_slice(kept),
            }
            Ok(())
        })?;
        let watch = Stopwatch::default();
        let mut curve = None;
        if let Some(truth) = self.truth.as_ref().filter(|_| self.with_curve) {
            let all: Vec<ScoredPair> = pairs.iter().map(|(pair, score)| self.pair(pair, *score)).collect();
            curve = Some(watch.time("curve", || self.curve(truth, &all, device, control))?);
            let are_weights = self.records().are_weights;
            let least = if are_weights { rank(least_weight(threshold)) } else { threshold };
            pairs.retain(|(_, score)| *score >= least);
            if let Some(tally) = &mut found.scored {
                (tally.n_kept, tally.threshold) = (pairs.len() as u64, threshold);
            }
        }
        let clustering = watch.enter("cluster");
        let kept: Vec<ScoredPair> = pairs.iter().map(|(pair, score)| self.pair(pair, *score)).collect();
        let entities = cluster(device, self.records(), &kept, self.method, control)?;
        drop(clustering);
        found.stages.extend(&watch.stages());

        let mut steps = Vec::new();
        if let Some(truth) = &self.truth {
            let components = |pairs: &[ScoredPair]| {
                cluster(device, self.records(), pairs, ClusterMethod::Components, control)
            };
            steps.push(self.step("candidates", truth, &before, &components(&before)?));
            if self.job.scoring().is_some() {
                steps.push(self.step("kept", truth, &kept, &components(&kept)?));
            }
            let quality = truth.of_entities(&entities);
            steps.push(StepQuality { name: "entities", n_pairs: quality.n_pairs, quality });
        }
        found.peak_memory = peak_memory();
        let summary = ResolveSummary::new(found, self.method, &entities, steps);
        Ok(Resolved { pairs, entities, curve, summary })
    }

    /// All records.
    fn records(&self) -> Records {
        let (n_left, n_right) = (self.job.left.n_records(), self.job.second().map(|right| right.n_records()));
        let method = self.job.scoring().map(Scoring::method);
        Records {
            n: n_left + n_right.unwrap_or(0),
            first_right: n_right.map(|_| n_left),
            are_weights: method == Some(ScoreMethod::FellegiSunter),
        }
    }

    /// A pair as clustering knows records: those of a right table after those of the left one.
    fn pair(&self, candidate: &Candidate, score: u32) -> ScoredPair {
        let first_right = self.job.second().map_or(0, |_| self.job.left.n_records());
        ScoredPair { left: candidate.left, right: first_right + candidate.right, score }
    }

    /// How good pairs are, and the entities that they make.
    fn step(
        &self,
        name: &'static str,
        truth: &Truth,
        pairs: &[ScoredPair],
        components: &[u32],
    ) -> StepQuality {
        let first_right = self.job.second().map_or(0, |_| self.job.left.n_records());
        let mut quality = truth.of_entities(components);
        quality.pairwise = truth.of_pairs(pairs.iter().map(|pair| (pair.left, pair.right - first_right)));
        StepQuality { name, n_pairs: pairs.len() as u64, quality }
    }
}
