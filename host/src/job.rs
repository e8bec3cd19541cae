//! A job: tables and rules in, candidates out. The stages of the whole house, in order, each timed.

mod again;
mod alone;
mod beside;
mod carried;
mod checkpoint;
mod complaints;
mod each_rule;
mod find;
mod guards;
mod input;
mod kept;
mod looked;
mod options;
mod several;
mod source;
mod stream;
mod texts;
mod values;
mod wanted;
mod witness;

pub use beside::Beside;
pub use each_rule::EachRule;
pub use guards::Guards;
pub use source::RuleSource;
#[doc(hidden)]
pub use stream::Looking;
pub use stream::{Found, Pull};

pub(crate) use carried::Carried;
pub(crate) use input::Bound;
pub(crate) use source::quoted;

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::memory::peak_memory;
use crate::base::stopwatch::{Stages, Stopwatch};
use crate::encode::{Encoded, Selection};
use crate::entities::score::{Keeping, Kept, Scoring};
use crate::operators::Backend;
use crate::operators::neighbours::Orders;
use crate::operators::scan::Wanted;
use crate::plan::cost::{self, BackendKind, CostModel, CostSource};
use crate::plan::partition::{Area, whole};
use crate::plan::statistics::{Effort, Pairs, SelectivitySource};
use crate::plan::{Evidence, Plan, ScanOptions, Variant};
use crate::read::sources::Sources;
use crate::read::table::{Cache, Input, ReadOptions, Table, Words};
use crate::rules::{AllPairs, Listed, Neighbourhood, Predicate, RuleSet, Subsumed};
use crate::run::calibrated::calibrated;
use crate::run::loaded::Loaded;
use crate::run::measured::measured;
use crate::run::neighbours::Stream;
use crate::run::schedule;
use crate::tell::left_out::LeftOut;
use crate::tell::output::Values;
use crate::tell::report::Summary;
use again::Again;
use hyperblock_shared::layout::Candidate;
use input::Read;
use several::Pairing;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use texts::Texts;
use witness::counts_by_rule;

/// What to compare, and how.
///
/// ```no_run
/// use hyperblock::{Control, DeviceChoice, Job, device};
///
/// // Whoever else holds it may cancel the job.
/// let control = Control::default();
/// let device = device::open(DeviceChoice::Auto, None)?;
/// let job = Job::dedupe("people.csv", "rules.toml").prepare(&*device, &control)?;
/// let summary = job.run(&*device, &control, &mut |candidates| {
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
    tables: Vec<Input>,
    pairing: Pairing,
    rules: RuleSource,
    left_options: ReadOptions,
    right_options: ReadOptions,
    columns: Vec<(String, Vec<String>)>,
    names: Vec<String>,
    variants: Vec<Variant>,
    scan: ScanOptions,
    cost: CostSource,
    selectivity: SelectivitySource,
    guards: Guards,
    cache: Option<Cache>,
    /// The column that says which source a record is of, if somebody asks.
    source: Option<String>,
    beside: Vec<Beside>,
    is_only_planned: bool,
    is_looked_at: bool,
    is_looked_at_whole: bool,
    is_reported: bool,
    /// What rules look values up in, where it came along with them.
    listed: Option<Listed>,
}

impl Job {
    /// Pairs within one table.
    pub fn dedupe(table: impl AsRef<Path>, rules: impl AsRef<Path>) -> Self {
        Self::over(table.as_ref().into(), None, rules.as_ref().into())
    }

    /// Pairs across two tables.
    pub fn link(left: impl AsRef<Path>, right: impl AsRef<Path>, rules: impl AsRef<Path>) -> Self {
        Self::over(left.as_ref().into(), Some(right.as_ref().into()), rules.as_ref().into())
    }

    /// Pairs within one table or across two, wherever tables and rules are.
    pub fn over(left: Input, right: Option<Input>, rules: RuleSource) -> Self {
        let pairing = if right.is_some() { Pairing::Two } else { Pairing::One };
        Self::of([left].into_iter().chain(right).collect(), pairing, rules)
    }

    fn of(tables: Vec<Input>, pairing: Pairing, rules: RuleSource) -> Self {
        Self {
            tables,
            pairing,
            rules,
            left_options: ReadOptions::default(),
            right_options: ReadOptions::default(),
            columns: Vec::new(),
            names: Vec::new(),
            variants: Vec::new(),
            scan: ScanOptions::default(),
            cost: CostSource::default(),
            selectivity: SelectivitySource::default(),
            guards: Guards::default(),
            cache: None,
            source: None,
            beside: Vec::new(),
            is_only_planned: false,
            is_looked_at: false,
            is_looked_at_whole: false,
            is_reported: false,
            listed: None,
        }
    }

    /// The tables, if one that is in memory has no rows: then there are no pairs, and nothing to prepare. The rules are looked at all
    /// the same, and may be wrong.
    pub fn without_pairs(&self, control: &Control) -> Result<Option<(Table, Option<Table>)>> {
        let is_without = match self.pairing {
            Pairing::Several { .. } => self.tables.iter().all(Input::has_no_rows),
            Pairing::One | Pairing::Two => self.tables.iter().any(Input::has_no_rows),
        };
        if !is_without {
            return Ok(None);
        }
        let Bound { left, right, .. } = self.read_even_empty(control)?.bind()?;
        Ok(Some((left, right)))
    }

    /// Whether pairs are found across two tables, each by itself.
    pub(crate) fn is_of_two_tables(&self) -> bool {
        self.pairing == Pairing::Two
    }

    /// How many tables there are.
    pub(crate) fn n_tables(&self) -> usize {
        self.tables.len()
    }

    /// Reads, checks, encodes and plans everything, up to the point where pairs are compared on `device`.
    pub fn prepare(&self, device: &dyn Backend, control: &Control) -> Result<Prepared> {
        control.guard(|| {
            let watch = Stopwatch::default();
            let read = watch.time("read", || self.read(control))?;
            self.prepared(read, device, &watch, control)
        })
    }

    /// The same, with the device opened while the tables are read: to set up a GPU takes some tenths of a second. Where it
    /// cannot be opened, nothing is read any further.
    pub fn prepare_while_opening(
        &self,
        open: impl FnOnce() -> Result<Box<dyn Backend>> + Send,
        control: &Control,
    ) -> Result<(Box<dyn Backend>, Prepared)> {
        let watch = Stopwatch::default();
        let is_open = || open().inspect_err(|_| control.cancel());
        let (read, device) = thread::scope(|scope| {
            let opening = thread::Builder::new().name("open".into()).spawn_scoped(scope, is_open);
            let opening = opening.map_err(Error::no_thread)?;
            let read = control.guard(|| watch.time("read", || self.read(control)));
            let device = watch.time("open", || opening.join().unwrap_or_else(|panic| resume_unwind(panic)));
            Ok::<_, Error>((read, device))
        })?;
        let device = device?;
        let prepared = control.guard(|| self.prepared(read?, &*device, &watch, control))?;
        Ok((device, prepared))
    }

    fn prepared(
        &self,
        read: Read,
        device: &dyn Backend,
        watch: &Stopwatch,
        control: &Control,
    ) -> Result<Prepared> {
        let bound = watch.time("plan", || read.bind())?;
        watch.time("read", || bound.warn())?;
        let Bound {
            left,
            right,
            wanted,
            columns_beside,
            again,
            rules,
            neighbourhoods,
            all,
            score,
            sources,
            lookups,
            missing,
        } = bound;
        let mut texts = Texts::new(self, left, right, wanted);
        let mut rules = watch.time("plan", || RuleSet::new(rules));
        let encoding = watch.enter("encode");
        let mut encoded = self.encoded(&mut texts, &rules.predicates, device, control)?;
        control.check()?;
        let left_out = self.guards.leave_out(&mut rules, &mut encoded, &mut texts, control)?;
        let (encoded, selection) = encoded.select(&rules.conjunctions, texts.sides());
        let encoded =
            if self.variants.contains(&Variant::NoFilter) { encoded.without_signatures() } else { encoded };
        let conjunctions = rules.owners().zip(rules.conjunctions.iter().cloned()).collect();
        let encode = |predicates: &[Predicate]| texts.encoded(predicates, control, &|_| {});
        let scoring = score.map(|score| Scoring::of(score, encode)).transpose()?;
        let sources = sources.map(|columns| texts.sources(&columns, control)).transpose()?;
        drop(encoding);
        control.check()?;
        let planning = watch.enter("plan");
        control.begin(0, "");
        let model = match &self.cost {
            CostSource::File(path) if self.is_only_planned => CostModel::read(path)?,
            CostSource::File(path) => {
                CostModel::read(path)?.for_device(path, device.kind(), &device.name())?
            }
            CostSource::Model | CostSource::Measured | CostSource::Static => {
                CostModel::builtin(device.kind())?
            }
        };
        let model = model.on(device.figures());
        let costs = match &self.cost {
            CostSource::Measured => measured(device, &encoded, SEED)?,
            CostSource::Model | CostSource::File(_) => cost::costs(&model, &encoded),
            CostSource::Static => cost::static_costs(&encoded),
        };
        control.check()?;
        let is_one_table = texts.right.is_none();
        let (subsumed, statistics) = rayon::join(
            || rules.subsumed(),
            || Pairs::new(&encoded, is_one_table, Effort::Quick)?.statistics(),
        );
        let statistics = statistics?.from_source(&encoded, self.selectivity);
        let beside = device.has_cpu_beside().then(|| cost::beside(&encoded, &costs)).transpose()?;
        let evidence = Evidence { statistics, costs, rates: model.rates(), beside, is_one_table };
        control.check()?;
        let mut plan = Plan::new(rules, &encoded, evidence, &self.variants, self.scan)?;
        if self.cost == CostSource::Measured {
            let rates = calibrated(device, &encoded, &plan, is_one_table, SEED);
            control.check()?;
            plan = plan.at(rates, &encoded, is_one_table)?;
        }
        let planned_for = (model.backend != device.kind()).then_some(model.backend);
        drop(planning);
        let orders = match neighbourhoods.is_empty() {
            true => Orders::default(),
            false => watch.time("sort", || texts.orders(&neighbourhoods, control))?,
        };
        let beside = watch.time("read", || texts.beside(&columns_beside, control))?;
        let Texts { left, right, .. } = texts;
        let stages = watch.stages();
        control.note_stages(watch);
        Ok(Prepared {
            left,
            right,
            beside,
            again,
            encoded,
            selection,
            conjunctions,
            plan,
            planned_for,
            subsumed,
            neighbourhoods,
            all,
            orders,
            scoring,
            sources,
            names_rules: self.scan.names_rules(),
            guards: self.guards,
            left_out,
            lookups,
            missing,
            stages,
        })
    }
}

/// How candidates are to be scored.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) scoring: &'a Scoring,
    /// Billionths that a score must come to.
    pub(crate) least: u32,
    /// Whether those that do not are wanted, too.
    pub(crate) with_all: bool,
}

/// Who looks at all candidates, and at those that are kept with their scores; nothing is scored, and all are kept, where there is no
/// second list.
pub type Watch<'a> = dyn FnMut(&[Candidate], Option<&[Kept]>) -> Result<()> + 'a;

/// What takes candidates, unless only those are wanted that are kept; and these.
pub(crate) type ScoredSink<'a> = dyn FnMut(&[Candidate], &[Kept]) -> Result<()> + 'a;

/// Bytes of an id and its place, and of all lists that a record is in at once, as they were seen to be.
const BYTES_PER_ID: u64 = 16;
const LIST_BYTES: u64 = 96;

/// Records that predicates and paths are timed on.
const SEED: u64 = 1;

/// A job that is ready to run.
#[derive(Debug)]
pub struct Prepared {
    /// The left table, or the only one.
    pub left: Table,
    right: Option<Table>,
    /// The values that are wanted beside ids.
    beside: Values,
    /// How to look at the tables again, if somebody will.
    again: Option<Again>,
    /// What is compared: the records that some rule is about, numbered anew.
    #[doc(hidden)]
    pub encoded: Encoded,
    /// Which records those are.
    #[doc(hidden)]
    pub selection: Selection,
    /// All that the rules say, before a plan leaves out what follows from the rest: the rule, and its predicates as they were
    /// encoded. Blocks that a guard leaves out are not in it.
    conjunctions: Vec<(usize, Vec<usize>)>,
    /// The order in which predicates are tested, and how each branch comes by its pairs.
    #[doc(hidden)]
    pub plan: Plan,
    /// The kind of device that the plan is for, if it is not that of the job's own.
    #[doc(hidden)]
    pub planned_for: Option<BackendKind>,
    /// Rules that allow no pair that another one does not allow.
    #[doc(hidden)]
    pub subsumed: Vec<Subsumed>,
    /// Keys that records are sorted by, to be paired with those near them.
    #[doc(hidden)]
    pub neighbourhoods: Vec<Neighbourhood>,
    /// That all pairs are candidates, if so. Then there are no rules and no neighbourhoods.
    #[doc(hidden)]
    pub all: Option<AllPairs>,
    pub(crate) orders: Orders,
    scoring: Option<Scoring>,
    sources: Option<Sources>,
    /// Whether candidates name the rule that allows them.
    names_rules: bool,
    guards: Guards,
    /// Blocks that are too large for them.
    #[doc(hidden)]
    pub left_out: Vec<LeftOut>,
    /// Tables that the rules look values up in, which were read.
    #[doc(hidden)]
    pub lookups: Vec<PathBuf>,
    /// What the rules say counts as missing.
    missing: Words,
    stages: Stages,
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
    #[doc(hidden)]
    pub fn scoring(&self) -> Option<&Scoring> {
        self.scoring.as_ref()
    }

    /// Which source each record is of, if that was asked for. Records of a right table come after those of the left one.
    pub(crate) fn sources(&self) -> Option<&Sources> {
        self.sources.as_ref()
    }

    /// All pairs of the tables.
    pub fn n_pairs(&self) -> u64 {
        self.wholes().iter().map(Area::n_pairs).sum()
    }

    /// How many pairs a run goes through.
    pub fn n_to_compare(&self) -> u64 {
        if self.all.is_some() { self.n_pairs() } else { self.area().n_pairs() }
    }

    /// What stays in memory while pairs are compared: encoded columns, ids, values beside them, and what is listed of records.
    pub(crate) fn n_bytes_held(&self) -> u64 {
        let n_records =
            u64::from(self.left.n_records()) + self.second().map_or(0, |it| it.n_records().into());
        let scored = self.scoring().map_or(0, Scoring::n_bytes);
        self.encoded.n_bytes() + scored + self.beside.n_bytes() + (BYTES_PER_ID + LIST_BYTES) * n_records
    }

    /// The pairs to compare by rules.
    #[doc(hidden)]
    pub fn area(&self) -> Area {
        whole(self.encoded.n_left, self.encoded.n_right, self.right.is_none())
    }

    /// How long preparing took, by stage.
    pub(crate) fn stages(&self) -> &Stages {
        &self.stages
    }

    /// How long reading, encoding and planning took.
    pub(crate) fn preparing(&self) -> Duration {
        self.stages.total()
    }

    /// How long planning took.
    pub fn planning(&self) -> Duration {
        self.stages.of("plan")
    }

    /// Compares all pairs on `device` and hands the candidates, in order, to `sink`. The summary's time is that of preparing the job and
    /// of this run, each from its beginning to its end.
    pub fn run(
        &self,
        device: &dyn Backend,
        control: &Control,
        sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
    ) -> Result<Summary> {
        self.walk(device, control, None, "write", &mut |candidates, _| sink(candidates))
    }

    /// The same for whoever only counts: candidates come in any order, which is sooner than in theirs.
    #[doc(hidden)]
    pub fn run_unsorted(
        &self,
        device: &dyn Backend,
        control: &Control,
        sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
    ) -> Result<Summary> {
        let sink: &mut ScoredSink<'_> = &mut |candidates, _| sink(candidates);
        control.guard(|| self.walked(device, control, None, "count", false, sink))
    }

    /// The same, with candidates scored on `device`: `sink` is given those whose score reaches the threshold, with it. An error
    /// if the rule file has no score.
    pub fn run_scored(
        &self,
        device: &dyn Backend,
        control: &Control,
        sink: &mut dyn FnMut(&[Kept]) -> Result<()>,
    ) -> Result<Summary> {
        let no_score = || Error::Job("the rule file has no [score] section".into());
        let scoring = self.scoring().ok_or_else(no_score)?;
        let asked = Asked { scoring, least: scoring.threshold(), with_all: false };
        self.walk(device, control, Some(asked), "write", &mut |_, kept| sink(kept))
    }

    /// The same for who looks at all candidates, and at those of them that are kept.
    pub fn run_all(&self, device: &dyn Backend, control: &Control, watch: &mut Watch<'_>) -> Result<Summary> {
        let asked = self.scoring().map(|scoring| {
            let least = scoring.threshold();
            Asked { scoring, least, with_all: true }
        });
        let is_scored = asked.is_some();
        self.walk(device, control, asked, "write", &mut |found, kept| watch(found, is_scored.then_some(kept)))
    }

    /// The way of the candidates: the scan finds them, neighbourhoods add theirs, or all pairs are; a score keeps those that come to a threshold
    /// (billionths), and `sink` takes them, in a stage of this name.
    pub(crate) fn walk(
        &self,
        device: &dyn Backend,
        control: &Control,
        asked: Option<Asked<'_>>,
        taking: &'static str,
        sink: &mut ScoredSink<'_>,
    ) -> Result<Summary> {
        control.guard(|| self.walked(device, control, asked, taking, true, sink))
    }

    fn walked(
        &self,
        device: &dyn Backend,
        control: &Control,
        asked: Option<Asked<'_>>,
        taking: &'static str,
        is_sorted: bool,
        sink: &mut ScoredSink<'_>,
    ) -> Result<Summary> {
        let watch = Stopwatch::default();
        asked.map_or(Ok(()), |asked| asked.scoring.check())?;
        let _held =
            control.budget().hold(self.n_bytes_held(), "encoded columns, ids and lists of records")?;
        device.watch(control.watcher());
        control.take_compared();
        let loading = watch.enter("load");
        // Without rules there is nothing to load, and nothing to scan.
        let mut loaded = match self.plan.rules.is_empty() {
            true => None,
            false => Some(Loaded::new(device, &self.encoded, self.plan.program())?),
        };
        let mut near = Stream::load(device, &self.orders, self.plan.rules.len() as u32, control, &watch)?;
        drop(loading);
        let scanning = watch.enter("scan");
        let mut by_rule: Vec<_> = self.witnesses().into_iter().map(|name| (name, 0)).collect();
        let mut areas = vec![self.area()];
        let mut keeping =
            asked.map(|asked| Keeping::new(asked.scoring, asked.least, device, control, &watch));
        // Neighbours would be merged with all candidates.
        let are_all_wanted = asked.is_none_or(|asked| asked.with_all) || !self.orders.is_empty();
        if let (Some(loaded), Some(keeping)) = (&mut loaded, keeping.as_mut().filter(|_| !are_all_wanted)) {
            let mut take = |kept: &[Kept]| watch.time(taking, || sink(&[], kept));
            areas = self.keep_there(loaded, areas, keeping, &mut by_rule, control, &mut take)?;
        }
        let mut hand_on = |candidates: &[Candidate]| {
            let counts = counts_by_rule(candidates, by_rule.len());
            by_rule.iter_mut().zip(counts).for_each(|((_, sum), n)| *sum += n);
            self.guards.check(by_rule.iter().map(|(_, n)| n).sum())?;
            let kept = match &mut keeping {
                Some(keeping) => keeping.keep(candidates)?,
                None => &[],
            };
            watch.time(taking, || sink(candidates, kept))
        };
        if let Some(loaded) = loaded.as_mut().filter(|_| !areas.is_empty()) {
            let most = schedule::MOST_CANDIDATES;
            // Neighbours are merged with candidates that are sorted.
            let is_sorted = is_sorted || !self.orders.is_empty();
            let wanted = Wanted { most, is_sorted, control };
            schedule::run_as(&wanted, loaded, areas, &mut |candidates| {
                self.selection.name(candidates);
                near.merge(candidates, &mut hand_on)
            })?;
        }
        near.finish(&mut hand_on)?;
        self.product(control, &mut hand_on)?;
        drop(scanning);
        let mut stages = self.stages.clone();
        stages.extend(&watch.stages());
        control.note_stages(&watch);
        if !self.names_rules {
            by_rule = vec![("any rule".to_owned(), by_rule.iter().map(|(_, n)| n).sum())];
        }
        Ok(Summary {
            device: device.name(),
            n_left: self.left.n_records(),
            n_right: self.right.as_ref().map(Table::n_records),
            n_pairs: self.n_pairs(),
            tables: self.tables(),
            ids: self.id_columns(),
            compared: self.compared(control.take_compared()),
            by_rule,
            approximate: self.neighbourhoods.iter().map(|near| format!("{} ({near})", near.name)).collect(),
            left_out: self.left_out.clone(),
            scored: keeping.map(|keeping| keeping.tally()),
            each_rule: None,
            quality: None,
            errors: None,
            stages,
            peak_memory: peak_memory(),
            peak_device_memory: device.peak_memory(),
        })
    }
}
