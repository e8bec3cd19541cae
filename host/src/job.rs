//! A job: tables and rules in, candidates out. The stages of the whole house, in order, each timed.

use crate::access::{Access, Alternative, Way, accesses, alternatives};
use crate::analyze::{Analysis, OnDevice, analyze};
use crate::backend::Backend;
use crate::control::Control;
use crate::cost::{self, CostModel, CostSource};
use crate::encode::{Encoded, Selection, encode};
use crate::error::{Error, Result};
use crate::neighbours::{Orders, Stream};
use crate::overlap::{Elements, Method};
use crate::partition::{blocks, whole};
use crate::pieces;
use crate::plan::explain::{BranchScan, Considered, Explained, Near};
use crate::plan::{Evidence, Plan, ScanOptions, Variant};
use crate::report::{Scored, Summary, peak_memory};
use crate::rules::{self, Neighbourhood, Rule, RuleFile, Score, Side, Subsumed};
use crate::schedule;
use crate::score::Scoring;
use crate::statistics::{ColumnStatistics, Effort, Pairs};
use crate::sweep::Sweep;
use crate::table::{ReadOptions, Table};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::path::UNKNOWN;
use hyperblock_shared::screen::Screen;
use hyperblock_shared::window::Task;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What to compare, and how.
///
/// ```no_run
/// use hyperblock::{backend, Control, DeviceChoice, Job};
///
/// let device = backend::open(DeviceChoice::Auto, None)?;
/// let job = Job::dedupe("people.csv", "rules.toml").prepare(&*device)?;
/// let summary = job.run(&*device, &Control::default(), &mut |candidates| {
///     for candidate in candidates {
///         println!("{} {}", job.left.ids.text(candidate.left), job.right().ids.text(candidate.right));
///     }
///     Ok(())
/// })?;
/// println!("{summary}");
/// # Ok::<(), hyperblock::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Job {
    left: PathBuf,
    right: Option<PathBuf>,
    rules: PathBuf,
    left_options: ReadOptions,
    right_options: ReadOptions,
    variants: Vec<Variant>,
    scan: ScanOptions,
    cost: CostSource,
}

impl Job {
    /// Pairs within one table.
    pub fn dedupe(table: impl AsRef<Path>, rules: impl AsRef<Path>) -> Self {
        Self {
            left: table.as_ref().to_owned(),
            right: None,
            rules: rules.as_ref().to_owned(),
            left_options: ReadOptions::default(),
            right_options: ReadOptions::default(),
            variants: Vec::new(),
            scan: ScanOptions::default(),
            cost: CostSource::default(),
        }
    }

    /// Pairs across two tables.
    pub fn link(left: impl AsRef<Path>, right: impl AsRef<Path>, rules: impl AsRef<Path>) -> Self {
        Self { right: Some(right.as_ref().to_owned()), ..Self::dedupe(left, rules) }
    }

    /// How to read the left table, and the right one.
    pub fn read_options(self, left: ReadOptions, right: ReadOptions) -> Self {
        Self { left_options: left, right_options: right, ..self }
    }

    /// With other sizes of intervals and windows.
    pub fn scan_options(self, scan: ScanOptions) -> Self {
        Self { scan, ..self }
    }

    /// With parts of the engine switched off.
    pub fn variants(self, variants: Vec<Variant>) -> Self {
        Self { variants, ..self }
    }

    /// Where the planner takes the cost of predicates from.
    pub fn cost(self, cost: CostSource) -> Self {
        Self { cost, ..self }
    }

    /// Reads, checks, encodes and plans everything, up to the point where pairs are compared on `device`.
    pub fn prepare(&self, device: &dyn Backend) -> Result<Prepared> {
        let mut stages = Stages::default();
        let Read { left, right, rules, neighbourhoods, score } = self.read()?;
        stages.end("read");
        let predicates = rules::predicates(&rules);
        let encoded = encode(&left, right.as_ref(), &predicates)?;
        let (encoded, selection) = encoded.select(&rules::conjunctions(&rules, &predicates), right.is_none());
        let encoded =
            if self.variants.contains(&Variant::NoFilter) { encoded.without_signatures() } else { encoded };
        let scoring = score.map(|score| Scoring::new(score, &left, right.as_ref())).transpose()?;
        stages.end("encode");
        let subsumed = rules::subsumed(&rules);
        let costs = match &self.cost {
            CostSource::Measured => cost::measured(device, &encoded, SEED)?,
            CostSource::Model => cost::costs(&CostModel::builtin(device.kind())?, &encoded),
            CostSource::File(path) => {
                cost::costs(&CostModel::read(path)?.for_device(path, device)?, &encoded)
            }
            CostSource::Static => cost::static_costs(&encoded),
        };
        let statistics = Pairs::new(&encoded, right.is_none(), Effort::Quick)?.statistics()?;
        let evidence = Evidence { statistics, costs };
        let plan = Plan::new(rules, predicates, &encoded, evidence, &self.variants, self.scan)?;
        stages.end("plan");
        let orders = Orders::new(&left, right.as_ref(), &neighbourhoods)?;
        if !orders.is_empty() {
            stages.end("sort");
        }
        let stages = stages.done;
        Ok(Prepared {
            left,
            right,
            encoded,
            selection,
            plan,
            subsumed,
            neighbourhoods,
            orders,
            scoring,
            stages,
        })
    }

    /// Reads the tables and the rules, and binds them.
    pub(crate) fn read(&self) -> Result<Read> {
        let file = RuleFile::read(&self.rules)?;
        let read = |path: &Path, options: &ReadOptions, sides: &[Side]| {
            let wanted = |name: &str| {
                file.columns()
                    .any(|(side, column)| sides.contains(&side) && column.eq_ignore_ascii_case(name))
            };
            Table::read(path, options, &wanted)
        };
        let (left, right) = match &self.right {
            None => (read(&self.left, &self.left_options, &[Side::Left, Side::Right])?, None),
            Some(right) => (
                read(&self.left, &self.left_options, &[Side::Left])?,
                Some(read(right, &self.right_options, &[Side::Right])?),
            ),
        };
        let right_schema = right.as_ref().map_or(&left.schema, |right| &right.schema);
        let rules = rules::bind(&file, &left.schema, right_schema, right.is_none())?;
        let neighbourhoods = rules::bind_neighbourhoods(&file, &left.schema, right_schema, right.is_none())?;
        let score = rules::bind_score(&file, &left.schema, right_schema)?;
        Ok(Read { left, right, rules, neighbourhoods, score })
    }
}

/// A candidate that is alike enough, and its score in billionths.
pub type Kept = (Candidate, u32);

/// What takes candidates, and those of them that are kept.
pub type ScoredSink<'a> = dyn FnMut(&[Candidate], &[Kept]) -> Result<()> + 'a;

/// Records that predicates are timed on.
const SEED: u64 = 1;

/// What a job is about, as it was read.
pub(crate) struct Read {
    pub(crate) left: Table,
    pub(crate) right: Option<Table>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) neighbourhoods: Vec<Neighbourhood>,
    pub(crate) score: Option<Score>,
}

/// A job that is ready to run.
#[derive(Debug)]
pub struct Prepared {
    /// The left table, or the only one.
    pub left: Table,
    right: Option<Table>,
    /// What is compared: the records that some rule is about, numbered anew.
    pub encoded: Encoded,
    /// Which records those are.
    pub selection: Selection,
    /// How.
    pub plan: Plan,
    /// Rules that allow no pair that another one does not allow.
    pub subsumed: Vec<Subsumed>,
    /// Keys that records are sorted by, to be paired with those near them.
    pub neighbourhoods: Vec<Neighbourhood>,
    orders: Orders,
    scoring: Option<Scoring>,
    stages: Vec<(&'static str, Duration)>,
}

impl Prepared {
    /// The right table; when one table is deduplicated, that one.
    pub fn right(&self) -> &Table {
        self.right.as_ref().unwrap_or(&self.left)
    }

    /// The right table, if there are two.
    pub fn second(&self) -> Option<&Table> {
        self.right.as_ref()
    }

    /// How candidates are scored, if the rule file says so.
    pub fn scoring(&self) -> Option<&Scoring> {
        self.scoring.as_ref()
    }

    /// What may be the `rule` of a candidate: the names of the rules, then of the neighbourhoods.
    pub fn witnesses(&self) -> Vec<String> {
        let rules = self.plan.rules.iter().map(|rule| &rule.name);
        rules.chain(self.neighbourhoods.iter().map(|near| &near.name)).cloned().collect()
    }

    /// All pairs of the tables.
    pub fn n_pairs(&self) -> u64 {
        whole(self.left.n_records(), self.right().n_records(), self.right.is_none()).n_pairs()
    }

    /// The pairs to compare.
    pub fn task(&self) -> Task {
        whole(self.encoded.n_left, self.encoded.n_right, self.right.is_none())
    }

    /// How long planning took.
    pub fn planning(&self) -> Duration {
        self.stages.iter().filter(|(stage, _)| *stage == "plan").map(|(_, time)| *time).sum()
    }

    /// The plan beside what it is expected to do.
    pub fn explain(&self) -> Result<Explained<'_>> {
        let mut pairs = Pairs::new(&self.encoded, self.right.is_none(), Effort::Thorough)?;
        Ok(Explained {
            plan: &self.plan,
            encoded: &self.encoded,
            n_records: [self.left.n_records(), self.right().n_records()],
            n_pairs: self.task().n_pairs(),
            subsumed: &self.subsumed,
            passing: self.plan.passing(&mut pairs)?,
            scans: self.scans()?,
            considered: self.considered()?,
            analysis: None,
            columns: Vec::new(),
            neighbourhoods: self
                .neighbourhoods
                .iter()
                .zip(self.orders.iter())
                .map(|(near, order)| Near { neighbourhood: near, n_records: order.records.len() })
                .collect(),
        })
    }

    /// How branches are scanned.
    fn scans(&self) -> Result<Vec<BranchScan>> {
        let mut scans = Vec::new();
        for block in blocks(&self.task()) {
            for access in accesses(&self.encoded, self.plan.program(), &block)? {
                scans.push(self.scan(&access));
            }
        }
        Ok(scans)
    }

    /// The ways that branches may be scanned, where there are several.
    fn considered(&self) -> Result<Vec<Vec<Considered>>> {
        let mut all = Vec::new();
        for block in blocks(&self.task()) {
            for ways in alternatives(&self.encoded, self.plan.program(), &block)? {
                let way = |it: &Alternative| Some(Considered { way: self.way(&it.way), cost: it.cost? });
                let ways: Vec<Considered> = ways.iter().filter_map(way).collect();
                all.extend((ways.len() > 1).then_some(ways));
            }
        }
        Ok(all)
    }

    fn way(&self, way: &Way) -> String {
        let predicate = |ix: &u32| self.plan.predicates[*ix as usize].to_string();
        match way {
            Way::Sweep(None) => "sweep without a lead".into(),
            Way::Sweep(Some(lead)) => format!("sweep led by {}", predicate(lead)),
            Way::Overlap { method, lead, q } => {
                let how = found_by(*method);
                format!("overlap join by {how} of {} for {}", elements(*q), predicate(lead))
            }
            Way::Join { equalities, inner } => {
                let on = equalities.iter().map(predicate).collect::<Vec<_>>().join(" AND ");
                let heavy = inner.iter().map(|(lead, method)| match method {
                    None => format!(", heavy keys swept by {}", predicate(lead)),
                    Some(method) => {
                        format!(", heavy keys joined by {} of {}", found_by(*method), predicate(lead))
                    }
                });
                format!("hash join on {on}{}", heavy.collect::<String>())
            }
        }
    }

    fn scan(&self, access: &Access) -> BranchScan {
        let predicate = |ix: u32| self.plan.predicates[ix as usize].to_string();
        let equalities = |predicates: &[u32]| predicates.iter().map(|&ix| predicate(ix)).collect();
        let within =
            |sweep: &Sweep| sweep.within.as_ref().map(|keys| (equalities(&keys.predicates), keys.n_keys));
        match access {
            Access::Overlap(join) => BranchScan::Overlap {
                lead: predicate(join.sweep.settings.lead),
                elements: match &join.kind {
                    Elements::Tokens(_) => elements(None),
                    Elements::Grams(grams) => elements(Some(grams.q)),
                },
                n_values: join.lists.each_ref().map(|list| list.len()),
                within: within(&join.sweep),
                found_by: found_by(join.method),
                n_hits: join.expected.n_hits,
            },
            Access::Join(join) if join.is_same_value => BranchScan::SameValue {
                lead: predicate(join.settings.lead),
                n_values: join.n_keys,
                n_pairs: join.n_pairs,
            },
            Access::Join(join) => BranchScan::Join {
                equalities: equalities(&join.predicates),
                n_records: [join.left.rows.len(), join.right.rows.len()],
                n_keys: join.n_keys,
                n_pairs: join.n_pairs,
            },
            Access::Sweep(sweep) => BranchScan::Sweep {
                within: within(sweep),
                lead: (sweep.settings.lead_step != UNKNOWN).then(|| predicate(sweep.settings.lead)),
                n_items: [sweep.left.len(), sweep.right.len()],
                of_values: !sweep.left.starts.is_empty(),
                n_reached: sweep.n_pairs(),
                screen: match sweep.settings.screen {
                    Screen::None => "none",
                    Screen::Codes => "equal codes",
                    Screen::Reaches => "codes in reach",
                    Screen::Signatures => "signatures of 64 bits",
                    Screen::WideSignatures => "signatures of 128 bits",
                },
            },
        }
    }

    /// Runs the plan on the CPU, watching every node of its tree.
    pub fn analyze(&self, control: &Control) -> Result<Analysis> {
        analyze(&self.encoded, &self.plan, &self.task(), control)
    }

    /// Runs the plan on `device`; if `control` watches, how long each part of it took.
    pub fn analyze_on(&self, device: &dyn Backend, control: &Control) -> Result<OnDevice> {
        let start = Instant::now();
        self.run(device, control, &mut |_| Ok(()))?;
        Ok(OnDevice { name: device.name(), time: start.elapsed(), latencies: control.latencies() })
    }

    /// What is in the columns that the rules look at.
    pub fn columns(&self) -> Result<Vec<ColumnStatistics>> {
        let tables = [&self.left, self.right()];
        self.encoded.codes.iter().map(|column| ColumnStatistics::of(tables, column)).collect()
    }

    /// Compares all pairs on `device` and hands the candidates, in order, to `sink`.
    pub fn run(
        &self,
        device: &dyn Backend,
        control: &Control,
        sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
    ) -> Result<Summary> {
        let mut by_rule: Vec<_> = self.witnesses().into_iter().map(|name| (name, 0)).collect();
        let mut stages = Stages::default();
        device.watch(control.watcher());
        // Without rules there is nothing to load, and nothing to scan.
        let mut scan = match self.plan.rules.is_empty() {
            true => None,
            false => Some(pieces::load(device, &self.encoded, &self.plan)?),
        };
        let mut near = Stream::load(device, &self.orders, self.plan.rules.len() as u32, control)?;
        stages.end("load");
        let mut writing = Duration::ZERO;
        let mut counted = |candidates: &[Candidate]| {
            let start = Instant::now();
            for candidate in candidates {
                by_rule[candidate.rule as usize].1 += 1;
            }
            sink(candidates)?;
            writing += start.elapsed();
            Ok(())
        };
        if let Some(scan) = &mut scan {
            let mut named = Vec::new();
            let most = schedule::MOST_CANDIDATES;
            schedule::run(&mut **scan, vec![self.task()], most, control, &mut |candidates| {
                named.clear();
                named.extend(candidates.iter().map(|candidate| self.selection.candidate(candidate)));
                near.merge(&named, &mut counted)
            })?;
        }
        near.finish(&mut counted)?;
        stages.end("scan");
        if let Some((_, scanning)) = stages.done.last_mut() {
            *scanning = scanning.saturating_sub(writing + near.took());
        }
        if !self.orders.is_empty() {
            stages.done.push(("neighbours", near.took()));
        }
        stages.done.push(("write", writing));
        Ok(Summary {
            device: device.name(),
            n_left: self.left.n_records(),
            n_right: self.right.as_ref().map(Table::n_records),
            n_pairs: self.n_pairs(),
            n_compared: control.n_compared(),
            by_rule,
            approximate: self.neighbourhoods.iter().map(|near| format!("{} ({near})", near.name)).collect(),
            scored: None,
            quality: None,
            stages: self.stages.iter().chain(&stages.done).copied().collect(),
            peak_memory: peak_memory(),
        })
    }

    /// The same, with candidates scored on `device`: `sink` is given the candidates, and those of them whose score reaches
    /// the threshold, with it. An error if the rule file has no score.
    pub fn run_scored(
        &self,
        device: &dyn Backend,
        control: &Control,
        sink: &mut ScoredSink<'_>,
    ) -> Result<Summary> {
        let no_score = || Error::Job("the rule file has no [score] section".into());
        let scoring = self.scoring().ok_or_else(no_score)?;
        scoring.check()?;
        // Brought to the device when there is something to score: until then the scan has all of it.
        let mut scores = None;
        let (mut kept, mut scored, mut scoring_took) = (Vec::new(), Scored::default(), Duration::ZERO);
        scored.threshold = scoring.threshold();
        let mut summary = self.run(device, control, &mut |candidates| {
            let start = Instant::now();
            if scores.is_none() {
                scores = Some(scoring.load(device)?);
            }
            let Some(scores) = &mut scores else { return Ok(()) };
            let all =
                candidates.iter().copied().zip(scores.score_from(candidates, scored.threshold, control)?);
            kept.clear();
            kept.extend(all.filter(|(_, score)| *score >= scored.threshold));
            scored.n_scored += candidates.len() as u64;
            scored.n_kept += kept.len() as u64;
            scoring_took += start.elapsed();
            sink(candidates, &kept)
        })?;
        if let Some((_, writing)) = summary.stages.last_mut() {
            *writing = writing.saturating_sub(scoring_took);
        }
        let before = summary.stages.len().saturating_sub(1);
        summary.stages.insert(before, ("score", scoring_took));
        summary.scored = Some(scored);
        Ok(summary)
    }
}

/// How pairs of values are found, for people.
fn found_by(method: Method) -> &'static str {
    match method {
        Method::Index => "index",
        Method::Dense => "signatures",
    }
}

/// What values have in common, for people.
fn elements(q: Option<u32>) -> String {
    match q {
        None => "tokens".into(),
        Some(1) => "symbols".into(),
        Some(q) => format!("{q}-grams"),
    }
}

/// A stopwatch that notes each stage as it ends.
struct Stages {
    since: Instant,
    done: Vec<(&'static str, Duration)>,
}

impl Default for Stages {
    fn default() -> Self {
        Self { since: Instant::now(), done: Vec::new() }
    }
}

impl Stages {
    fn end(&mut self, stage: &'static str) {
        self.done.push((stage, self.since.elapsed()));
        self.since = Instant::now();
    }
}
