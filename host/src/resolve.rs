//! Resolve: from tables to entities, in one go.
//!
//! ```text
//! link or dedupe ─► candidates ─► score, keep ─► pairs ─► cluster ─► an entity for each record
//! ```
//!
//! Candidates are scored as they are found, and only those that are kept stay in memory; where a budget bounds that, only so
//! many of them, and no more than it takes to make entities ([`pairs`]).

mod by_component;
mod curve;
mod measured;
mod pairs;
mod summary;

pub use summary::{ResolveSummary, StepQuality};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::memory::peak_memory;
use crate::base::stopwatch::{Stages, Stopwatch, time};
use crate::entities::cluster::{ClusterMethod, Clustered, Records, SAME};
use crate::entities::score::{Kept, Scoring};
use crate::entities::survival::Survival;
use crate::job::{Asked, Job, Prepared, Watch};
use crate::operators::Backend;
use crate::read::previous::Previous;
use crate::read::table::Input;
use crate::rules::ScoreMethod;
use crate::tell::apart::Apart;
use crate::tell::curve::Curve;
use crate::tell::evaluate::{Counts, Truth};
use measured::Measured;
use pairs::Pairs;
use std::path::{Path, PathBuf};

/// Entities, components and what methods and measures know of each record.
const BYTES_PER_RECORD: u64 = 32;

/// What sources take of each record, and what it takes to see where one is twice.
const BYTES_OF_SOURCE: u64 = 16;

/// What it takes of each record to see where old ids go.
const BYTES_OF_IDS: u64 = 40;

/// Pairs that are copied at once.
const AT_ONCE: usize = 1 << 18;

/// What to resolve, and how.
///
/// ```
/// use hyperblock::{ClusterMethod, Control, DeviceChoice, Job, Resolve, device};
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
    previous: Option<Input>,
    with_curve: bool,
}

impl Resolve {
    /// The records of a job.
    pub fn new(job: Job) -> Self {
        Self { job, method: ClusterMethod::default(), truth: None, previous: None, with_curve: false }
    }

    /// With entities made in this way.
    pub fn method(self, method: ClusterMethod) -> Self {
        Self { method, ..self }
    }

    /// With no two records of one source in an entity: of those that have the same value in this column, whatever the table.
    /// Records without one are of no source.
    pub fn source(self, column: &str) -> Self {
        Self { job: self.job.source(column), ..self }
    }

    /// With the ids that entities had before ([`Previous::read`]): those survive ([`Survival`]).
    pub fn previous(self, entities: impl Into<Input>) -> Self {
        Self { previous: Some(entities.into()), ..self }
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
        let watch = Stopwatch::default();
        self.check()?;
        self.prepared(self.job.prepare(device, control)?, &watch, control)
    }

    /// The same, with the device opened while the tables are read.
    pub fn prepare_while_opening(
        &self,
        open: impl FnOnce() -> Result<Box<dyn Backend>> + Send,
        control: &Control,
    ) -> Result<(Box<dyn Backend>, PreparedResolve)> {
        let watch = Stopwatch::default();
        self.check()?;
        let (device, job) = self.job.prepare_while_opening(open, control)?;
        Ok((device, self.prepared(job, &watch, control)?))
    }

    /// An error if the method does not go with the tables.
    fn check(&self) -> Result<()> {
        if !self.job.is_of_two_tables() && ClusterMethod::LINKS.contains(&self.method) {
            let method = self.method;
            let help = match self.job.n_tables() {
                0 | 1 => "and here is one; give the second table too, or take `complete`".to_owned(),
                2 => "across them, and here within them too; leave that out, or take `complete`".to_owned(),
                n => format!("and here are {n}; take `complete`"),
            };
            return Err(Error::Job(format!("`{method}` links the records of two tables, {help}")));
        }
        Ok(())
    }

    fn prepared(&self, job: Prepared, watch: &Stopwatch, control: &Control) -> Result<PreparedResolve> {
        let truth = match &self.truth {
            None => None,
            Some(path) => Some(watch.time("truth", || Truth::read(path, &job.left, job.second(), control))?),
        };
        let previous = self.previous.as_ref().map(|entities| {
            let right = job.second().map(|right| &right.ids);
            watch.time("read", || Previous::read(entities, &job.left.ids, right, control))
        });
        let previous = previous.transpose()?;
        if self.with_curve && (truth.is_none() || job.scoring().is_none()) {
            let lacks = if truth.is_none() {
                "a truth to measure against"
            } else {
                "a [score] section in the rule file"
            };
            return Err(Error::Job(format!("a curve over thresholds needs {lacks}")));
        }
        let (method, with_curve, stages) = (self.method, self.with_curve, watch.stages());
        Ok(PreparedResolve { job, method, truth, previous, with_curve, stages })
    }
}

/// Ready to run.
#[derive(Debug)]
pub struct PreparedResolve {
    /// What finds the candidates.
    pub job: Prepared,
    method: ClusterMethod,
    truth: Option<Truth>,
    previous: Option<Previous>,
    with_curve: bool,
    /// How long preparing took.
    stages: Stages,
}

/// What was found, but for the pairs.
#[derive(Debug)]
pub struct Entities {
    /// Of each record its entity, named by its first record. Records of a right table come after those of the left one.
    pub entities: Vec<u32>,
    /// What became of the ids that entities had before, if those are known.
    pub survival: Option<Survival>,
    /// How good the result would be at other thresholds, if that was asked for.
    pub curve: Option<Curve>,
    /// For people.
    pub summary: ResolveSummary,
}

/// What was found.
#[derive(Debug)]
pub struct Resolved {
    /// The candidates that were kept, in order, with their scores; all are [`SAME`] if the rule file does not say how to
    /// score.
    pub pairs: Vec<Kept>,
    /// Of each record its entity, named by its first record. Records of a right table come after those of the left one.
    pub entities: Vec<u32>,
    /// What became of the ids that entities had before, if those are known.
    pub survival: Option<Survival>,
    /// How good the result would be at other thresholds, if that was asked for.
    pub curve: Option<Curve>,
    /// For people.
    pub summary: ResolveSummary,
}

impl PreparedResolve {
    /// What is known of the pairs that match, if the truth was asked for.
    pub fn truth(&self) -> Option<&Truth> {
        self.truth.as_ref()
    }

    /// Finds, scores and clusters on `device`.
    pub fn run(&self, device: &dyn Backend, control: &Control) -> Result<Resolved> {
        let (mut pairs, mut held) = (Vec::new(), Vec::new());
        let found = self.run_with(device, control, &mut |kept| {
            // A list that grows has room for more.
            held.push(control.budget().reserve(2 * size_of_val(kept) as u64, "the pairs")?);
            pairs.extend_from_slice(kept);
            Ok(())
        })?;
        let Entities { entities, survival, curve, summary } = found;
        Ok(Resolved { pairs, entities, survival, curve, summary })
    }

    /// The same for who takes the pairs that are kept as they come, in order: they are in memory only where a method of
    /// clustering needs them, and as many of them as the budget allows.
    pub fn run_with(
        &self,
        device: &dyn Backend,
        control: &Control,
        sink: &mut dyn FnMut(&[Kept]) -> Result<()>,
    ) -> Result<Entities> {
        self.run_watched(device, control, None, sink)
    }

    /// The same with somebody who looks at all candidates, and at those of them that are kept, as they come.
    pub fn run_watched(
        &self,
        device: &dyn Backend,
        control: &Control,
        looking: Option<&mut Watch<'_>>,
        sink: &mut dyn FnMut(&[Kept]) -> Result<()>,
    ) -> Result<Entities> {
        self.run_looked(device, control, looking, false, sink)
    }

    /// The same; whoever looks is shown the scores of all candidates, if they are wanted, and not of those alone that are kept.
    #[doc(hidden)]
    pub fn run_looked(
        &self,
        device: &dyn Backend,
        control: &Control,
        mut looking: Option<&mut Watch<'_>>,
        all_scores: bool,
        sink: &mut dyn FnMut(&[Kept]) -> Result<()>,
    ) -> Result<Entities> {
        let watch = Stopwatch::default();
        let records = self.records();
        let of_source = records.sources.map_or(0, |_| BYTES_OF_SOURCE);
        let of_ids = self.previous.as_ref().map_or(0, |_| BYTES_OF_IDS);
        let n_bytes = (BYTES_PER_RECORD + of_source + of_ids) * u64::from(records.n);
        let _entities = control.budget().reserve(n_bytes, "entities")?;
        let scoring = self.job.scoring();
        let threshold = scoring.map_or(0, Scoring::threshold);
        // A curve begins with all of them.
        let are_all_scored = self.with_curve || all_scores;
        let least = if are_all_scored { 0 } else { threshold };
        let enough = scoring.map_or(0, Scoring::enough);
        let with_all = self.truth.is_some() || looking.is_some();
        let asked = scoring.map(|scoring| Asked { scoring, least, with_all });
        let mut candidates =
            self.truth.as_ref().map(|truth| Measured::new(truth, records, control)).transpose()?;
        let mut pairs = Pairs::new(self.method, records, self.with_curve, control)?;
        let (mut n_kept, mut of_kept) = (0, Counts::default());
        let mut take = |scored: &[Kept], kept: &[Kept]| {
            pairs.add(scored)?;
            n_kept += kept.len() as u64;
            if let Some(truth) = &self.truth {
                time("truth", || truth.add(&mut of_kept, kept, |(pair, _)| (pair.left, pair.right)));
            }
            time("write", || sink(kept))
        };
        let mut found = self.job.walk(device, control, asked, "keep", &mut |found, scored| {
            if let Some(candidates) = &mut candidates {
                time("truth", || candidates.add(found))?;
            }
            let is_kept = |&&(_, score): &&Kept| score >= enough;
            if let Some(look) = &mut looking {
                match scoring {
                    None => look(found, None)?,
                    Some(_) if are_all_scored && !all_scores => {
                        look(found, Some(&scored.iter().filter(is_kept).copied().collect::<Vec<_>>()))?;
                    }
                    Some(_) => look(found, Some(scored))?,
                }
            }
            match scoring {
                None => found.chunks(AT_ONCE).try_for_each(|some| {
                    let all: Vec<Kept> = some.iter().map(|candidate| (*candidate, SAME)).collect();
                    take(&all, &all)
                }),
                Some(_) if are_all_scored => scored.chunks(AT_ONCE).try_for_each(|all| {
                    let kept: Vec<Kept> = all.iter().filter(is_kept).copied().collect();
                    take(if self.with_curve { all } else { &kept }, &kept)
                }),
                Some(_) => take(scored, scored),
            }
        })?;
        let mut curve = None;
        if let Some(truth) = self.truth.as_ref().filter(|_| self.with_curve) {
            let (all, _held) = pairs.all()?;
            curve = Some(watch.time("curve", || self.curve(truth, all, device, control))?);
            pairs.retain(|pair| pair.score >= enough);
        }
        if let Some(tally) = found.scored.as_mut().filter(|_| are_all_scored) {
            (tally.n_kept, tally.threshold) = (n_kept, threshold);
        }
        let clustering = watch.enter("cluster");
        let with_components = self.truth.is_some() && scoring.is_some();
        let (Clustered { entities, n_refused }, components) = pairs.cluster(device, with_components)?;
        drop(clustering);
        let survival = self.previous.as_ref().map(|previous| {
            let (left, right) = (&self.job.left.ids, self.job.second().map(|right| &right.ids));
            watch.time("ids", || Survival::new(previous, &entities, left, right))
        });
        let mut steps = Vec::new();
        if let Some((truth, candidates)) = self.truth.as_ref().zip(candidates) {
            let _measuring = watch.enter("truth");
            steps.push(candidates.step("candidates"));
            if let Some(components) = components {
                let quality = truth.of_step(&components, &of_kept);
                steps.push(StepQuality { name: "kept", n_pairs: n_kept, quality });
            }
            let quality = truth.of_entities(&entities);
            steps.push(StepQuality { name: "entities", n_pairs: quality.n_pairs, quality });
        }
        found.peak_memory = peak_memory();
        let apart = records.sources.map(|sources| Apart::new(sources, n_refused));
        let ids = survival.as_ref().map(|survival| survival.counts);
        let mut summary = ResolveSummary::new(found, self.method, apart, &entities, ids, steps);
        summary.found.stages = self.stages.clone();
        summary.found.stages.extend(&watch.stages());
        Ok(Entities { entities, survival, curve, summary })
    }

    /// All records.
    fn records(&self) -> Records<'_> {
        let (n_left, n_right) = (self.job.left.n_records(), self.job.second().map(|right| right.n_records()));
        let method = self.job.scoring().map(Scoring::method);
        Records {
            n: n_left + n_right.unwrap_or(0),
            first_right: n_right.map(|_| n_left),
            are_weights: method == Some(ScoreMethod::FellegiSunter),
            sources: self.job.sources(),
        }
    }
}
