//! The functions, each a call of the crate's public face.

use crate::capsules::{Stream, taken};
use crate::running::{Place, plain};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use hyperblock::base::paths::keep_apart;
use hyperblock::base::target::Target;
use hyperblock::closure::{
    self as graph, ClosureMethod, Deduplicate, EdgeList, LoadFactor, Options, Rounds, TupleRows, Wanted,
};
use hyperblock::device::gpus;
use hyperblock::inspect::closer::Lookers;
use hyperblock::job::Looking;
use hyperblock::tell::output::Format;
use hyperblock::{
    Backend, Batches, ChangeRows, ClusterMethod, ClusterSummary, Control, Decimal, EntityRows, Error,
    FitOptions, Found, Guards, IdSource, Ids, Input, Inquiry, Job, PairFile, PairSource, Prepared, Previous,
    ReadOptions, Records, Resolve, Rows, RuleSource, Shown, Stages, Stopwatch, Summary, Survival, Truth,
    Watch, cluster as entities_of, indented_json as indented,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Tables and rules, as Python hands them over: checked there.
#[derive(FromPyObject)]
pub(crate) struct Asked<'py> {
    #[pyo3(item)]
    tables: Vec<Bound<'py, PyAny>>,
    /// What several tables are called, if that was said.
    #[pyo3(item)]
    names: Vec<String>,
    /// Whether the tables are several that are taken as one, and pairs are of different ones, and of one too.
    #[pyo3(item)]
    several: bool,
    #[pyo3(item)]
    across: bool,
    /// Whether one table, which has none to be across with, is an error.
    #[pyo3(item)]
    link: bool,
    #[pyo3(item)]
    within: bool,
    #[pyo3(item)]
    map: Vec<(String, Vec<String>)>,
    #[pyo3(item)]
    rules_path: Option<PathBuf>,
    #[pyo3(item)]
    rules_text: Option<String>,
    #[pyo3(item)]
    id: Option<String>,
    #[pyo3(item)]
    right_id: Option<String>,
    #[pyo3(item)]
    max_pairs: Option<u64>,
    #[pyo3(item)]
    max_block: Option<u32>,
    /// Where errors go, and whether rules are told of one by one.
    #[pyo3(item)]
    errors: Option<PathBuf>,
    #[pyo3(item)]
    each_rule: bool,
}

impl Asked<'_> {
    pub(crate) fn job(&self, py: Python<'_>) -> PyResult<Job> {
        let rules = match (&self.rules_path, &self.rules_text) {
            (Some(path), _) => RuleSource::File(path.clone()),
            (None, text) => RuleSource::Text(text.clone().unwrap_or_default()),
        };
        let (inputs, has_pattern) = self.inputs(py)?;
        let is_several = self.several || has_pattern || inputs.len() > 2;
        let across = self.across && (self.link || inputs.len() > 1);
        let job = match (&inputs[..], across) {
            ([left, others @ ..], _) if !is_several => {
                Job::over(left.clone(), others.first().cloned(), rules)
            }
            (_, true) => Job::link_all(inputs, rules),
            (_, false) => Job::dedupe_all(inputs, rules),
        };
        let job = if self.within && across { job.within() } else { job };
        let options = |id: Option<&String>| ReadOptions {
            id: id.map_or(IdSource::Usual, |name| IdSource::Column(name.clone())),
            ..ReadOptions::default()
        };
        let (id, right_id) = (self.id.as_ref(), self.right_id.as_ref().or(self.id.as_ref()));
        let guards = Guards { most_pairs: self.max_pairs, most_in_block: self.max_block };
        let job = job.read_options(options(id), options(right_id)).guards(guards);
        let job = if self.errors.is_some() { job.looked_at() } else { job };
        Ok(job.columns(self.map.clone()).names(self.names.clone()))
    }

    /// What else is looked at while the job runs. A file that cannot be, or is one that is read, is an error before any work.
    fn closer(&self, py: Python<'_>, truth: Option<&PathBuf>) -> PyResult<Closer> {
        if let Some(errors) = &self.errors {
            // A stream is taken once, by the job.
            let mut files = Vec::new();
            for path in self.tables.iter().filter_map(|table| table.extract::<PathBuf>().ok()) {
                match plain(py, Input::matching(&path))? {
                    None => files.push(Input::File(path)),
                    Some(more) => files.extend(more),
                }
            }
            let tables = files.iter().filter_map(|table| Some(("one of the tables", table.file()?)));
            let rules = self.rules_path.iter().map(|path| ("the file of rules", path.as_path()));
            let truth = truth.map(|path| ("the truth", path.as_path()));
            let reads: Vec<_> = tables.chain(rules).chain(truth).collect();
            let checked =
                Format::of(errors).and_then(|_| keep_apart(&[("errors", errors.as_path())], &reads));
            plain(py, checked)?;
        }
        Ok(Closer { errors: self.errors.clone(), each_rule: self.each_rule })
    }

    /// The tables, and whether some are what a pattern of files stands for.
    fn inputs(&self, py: Python<'_>) -> PyResult<(Vec<Input>, bool)> {
        let (mut inputs, mut has_pattern) = (Vec::new(), false);
        for (nth, table) in self.tables.iter().enumerate() {
            let numbered = format!("table_{}", nth + 1);
            let name = match (self.names.get(nth), nth, self.tables.len()) {
                (Some(name), ..) => name,
                _ if self.several => &numbered,
                (_, 0, 1) => "the table",
                (_, 0, 2) => "the left table",
                (_, _, 2) => "the right table",
                _ => &numbered,
            };
            let one = input(py, table, name)?;
            match one.file().map(Input::matching).transpose() {
                Ok(Some(Some(files))) => {
                    has_pattern = true;
                    inputs.extend(files);
                }
                Ok(_) => inputs.push(one),
                Err(error) => return plain(py, Err(error)),
            }
        }
        Ok((inputs, has_pattern))
    }
}

/// What else is looked at while a job runs.
struct Closer {
    errors: Option<PathBuf>,
    each_rule: bool,
}

impl Closer {
    fn lookers<'a>(
        &self,
        job: &'a Prepared,
        truth: Option<&Truth>,
        control: &'a Control,
    ) -> Result<Lookers<'a>, Error> {
        Lookers::new(job, self.errors.as_deref(), self.each_rule, truth, control)
    }
}

pub(crate) fn input(py: Python<'_>, table: &Bound<'_, PyAny>, name: &str) -> PyResult<Input> {
    if let Ok(path) = table.extract::<PathBuf>() {
        return Ok(Input::File(path));
    }
    let (schema, batches) = taken(table)?;
    Ok(plain(py, Batches::new(name, schema, batches))?.into())
}

/// The pairs, and the summary as JSON.
#[pyfunction]
pub(crate) fn find(
    py: Python<'_>,
    asked: Asked<'_>,
    truth: Option<PathBuf>,
    place: Place,
) -> PyResult<(Stream, String)> {
    let (job, closer) = (asked.job(py)?, asked.closer(py, truth.as_ref())?);
    place.run(py, |device, control| {
        if let Some((left, _)) = job.without_pairs(control)? {
            // Whatever ids would be: of none, nobody can tell.
            let ids = |name: &str| Field::new(name, DataType::Int64, false);
            let words = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            let words = |name: &str| Field::new(name, words.clone(), false);
            let schema = match left.ids.tables().len() {
                0 => vec![ids("left"), ids("right"), words("rule")],
                _ => vec![
                    words("left_source"),
                    ids("left"),
                    words("right_source"),
                    ids("right"),
                    words("rule"),
                ],
            };
            let schema = Schema::new(schema);
            return Ok((Stream { schema: schema.into(), batches: Vec::new() }, nothing(device)));
        }
        let mut job = job.prepare(device, control)?;
        job.keep_ids();
        let mut truth = truth.map(|path| Truth::read(&path, &job.left, job.second(), control)).transpose()?;
        let mut lookers = closer.lookers(&job, truth.as_ref(), control)?;
        let is_watched = lookers.are_there();
        let watch: &mut Looking<'_> = &mut |found, kept, truth| lookers.look(found, kept, truth);
        let mut found = Found::watched(&job, device, control, truth.as_mut(), is_watched.then_some(watch))?;
        let errors = lookers.tell(truth.as_ref(), None, &mut found.summary, (device, control))?;
        errors.map_or(Ok(()), Target::finish)?;
        let summary = found.summary.json().to_string();
        Ok((Stream { schema: found.schema, batches: found.batches }, summary))
    })
}

/// The summary of a job without pairs.
fn nothing(device: &dyn Backend) -> String {
    Summary { device: device.name(), ..Summary::default() }.json().to_string()
}

/// An entity for each record, what became of ids that entities had before, and the summary as JSON.
#[pyfunction]
pub(crate) fn resolve(
    py: Python<'_>,
    asked: Asked<'_>,
    method: &str,
    truth: Option<PathBuf>,
    source: Option<&str>,
    previous: Option<Bound<'_, PyAny>>,
    place: Place,
) -> PyResult<(Stream, Option<Stream>, String)> {
    let method: ClusterMethod = method.parse().map_err(PyValueError::new_err)?;
    let (job, closer) = (asked.job(py)?, asked.closer(py, truth.as_ref())?);
    let previous = previous.map(|entities| input(py, &entities, "the previous entities")).transpose()?;
    let mut resolve = Resolve::new(job.clone()).method(method);
    if let Some(truth) = truth {
        resolve = resolve.truth(truth);
    }
    if let Some(source) = source {
        resolve = resolve.source(source);
    }
    if let Some(previous) = &previous {
        resolve = resolve.previous(previous.clone());
    }
    place.run(py, |device, control| {
        if let Some((left, right)) = job.without_pairs(control)? {
            // Every record is an entity of its own.
            let (left, right) = (&left.ids, right.as_ref().map(|right| &right.ids));
            let alone: Vec<u32> = (0..left.len() + right.map_or(0, Ids::len)).collect();
            let survival = match &previous {
                None => None,
                Some(entities) => {
                    let previous = Previous::read(entities, left, right, control)?;
                    Some(Survival::new(&previous, &alone, left, right))
                }
            };
            let (entities, changes) = entities_as_rows(EntityRows::new(left, right), &alone, survival)?;
            return Ok((entities, changes, nothing(device)));
        }
        let resolve = resolve.prepare(device, control)?;
        control.begin_comparing(resolve.job.n_to_compare(), "pairs");
        let mut lookers = closer.lookers(&resolve.job, resolve.truth(), control)?;
        let is_watched = lookers.are_there();
        let watch: &mut Watch<'_> = &mut |found, kept| lookers.look(found, kept, resolve.truth());
        let mut found = resolve.run_watched(device, control, is_watched.then_some(watch), &mut |_| Ok(()))?;
        let told = (device, control);
        let errors = lookers.tell(resolve.truth(), Some(&found.entities), &mut found.summary.found, told)?;
        errors.map_or(Ok(()), Target::finish)?;
        let rows = EntityRows::new(&resolve.job.left.ids, resolve.job.second().map(|right| &right.ids));
        let (entities, changes) = entities_as_rows(rows, &found.entities, found.survival)?;
        Ok((entities, changes, found.summary.json().to_string()))
    })
}

/// The entity of each record, and what became of ids, if that is known.
fn entities_as_rows(
    rows: EntityRows<'_>,
    entities: &[u32],
    survival: Option<Survival>,
) -> Result<(Stream, Option<Stream>), Error> {
    let stream = |batch: Result<RecordBatch, ArrowError>| {
        let batch = batch.map_err(|error| Error::Internal(error.to_string()))?;
        Ok::<_, Error>(Stream { schema: batch.schema(), batches: vec![batch] })
    };
    let members: Vec<(u32, u32)> = (0..).zip(entities.iter().copied()).collect();
    let Some(Survival { ids, changes, .. }) = survival else {
        return Ok((stream(rows.batch(&members))?, None));
    };
    let ids = OnceLock::from(ids);
    let changes = stream(ChangeRows::new(rows.clone(), &ids).batch(&changes))?;
    Ok((stream(rows.named(&ids).batch(&members))?, Some(changes)))
}

/// The weights as TOML, and what is said of them.
#[pyfunction]
pub(crate) fn fit(
    py: Python<'_>,
    asked: Asked<'_>,
    seed: u64,
    truth: Option<PathBuf>,
    place: Place,
) -> PyResult<(String, String, Vec<String>)> {
    let job = asked.job(py)?;
    place.run(py, |device, control| {
        let job = job.prepare(device, control)?;
        let truth = truth.map(|path| Truth::read(&path, &job.left, job.second(), control)).transpose()?;
        control.begin_comparing(job.n_to_compare(), "pairs");
        let fit = job.fit(device, control, FitOptions { seed, ..FitOptions::default() }, truth.as_ref())?;
        let doubts = fit.doubts.iter().map(ToString::to_string).collect();
        Ok((fit.weights.to_string(), fit.to_string(), doubts))
    })
}

/// The plan, as text or JSON.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, asked: Asked<'_>, json: bool, place: Place) -> PyResult<String> {
    let job = asked.job(py)?;
    place.run(py, |device, control| {
        let job = job.only_planned().prepare(device, control)?;
        let explained = job.explain(control)?;
        Ok(if json { indented(&explained.json()) } else { Shown(&explained).to_string() })
    })
}

/// Every verdict on a pair, as text or JSON.
#[pyfunction]
pub(crate) fn why(
    py: Python<'_>,
    asked: Asked<'_>,
    left: String,
    right: String,
    json: bool,
    place: Place,
) -> PyResult<String> {
    let job = asked.job(py)?;
    place.run(py, |_, control| {
        let why = Inquiry::new(&job, control)?.why(&left, &right, control)?;
        Ok(if json { indented(&why.json()) } else { Shown(&why).to_string() })
    })
}

/// Entities of pairs, and the summary as JSON.
#[pyfunction]
pub(crate) fn cluster(
    py: Python<'_>,
    pairs: Bound<'_, PyAny>,
    method: &str,
    threshold: Option<String>,
    two_tables: bool,
    place: Place,
) -> PyResult<(Stream, String)> {
    let method: ClusterMethod = method.parse().map_err(PyValueError::new_err)?;
    let wrong = || PyValueError::new_err("threshold: a number from 0 to 1");
    let threshold = threshold.map(|text| Decimal::parse(&text).ok_or_else(wrong)).transpose()?;
    let pairs = input(py, &pairs, "the pairs")?;
    if pairs.has_no_rows() {
        let ids = |name: &str| Field::new(name, DataType::Int64, false);
        let schema = Schema::new(vec![ids("id"), ids("entity_id")]);
        let none = Stream { schema: schema.into(), batches: Vec::new() };
        return Ok((none, no_entities(method).json().to_string()));
    }
    let (path, memory) = match pairs {
        Input::File(path) => (path, None),
        Input::Memory(batches) => (batches.name().to_owned(), Some(batches)),
    };
    let source = PairSource { path, memory, threshold, two_tables, ..PairSource::default() };
    place.run(py, |device, control| {
        let watch = Stopwatch::default();
        let file = watch.time("read", || PairFile::read(&source, control))?;
        let records = Records {
            n: file.n_records(),
            first_right: file.right.as_ref().map(|_| file.left.len()),
            are_weights: file.are_weights,
            sources: None,
        };
        let entities =
            watch.time("cluster", || entities_of(device, records, &file.pairs, method, control))?;
        let members: Vec<(u32, u32)> = (0..).zip(entities.iter().copied()).collect();
        let batch = EntityRows::new(&file.left, file.right.as_ref()).batch(&members);
        let batch = batch.map_err(|error| Error::Internal(error.to_string()))?;
        let (n_entities, largest) = ClusterSummary::sizes(&entities);
        let summary = ClusterSummary {
            device: device.name(),
            n_rows: file.n_rows,
            n_pairs: file.pairs.len() as u64,
            n_records: file.n_records(),
            n_entities,
            largest,
            stages: watch.stages(),
            ..no_entities(method)
        };
        Ok((Stream { schema: batch.schema(), batches: vec![batch] }, summary.json().to_string()))
    })
}

/// What is told of none.
fn no_entities(method: ClusterMethod) -> ClusterSummary {
    ClusterSummary {
        device: String::new(),
        method,
        apart: None,
        n_rows: 0,
        n_pairs: 0,
        n_records: 0,
        n_entities: 0,
        largest: 0,
        ids: None,
        quality: None,
        stages: Stages::default(),
    }
}

/// Which nodes of a graph reach which, and the summary as JSON.
#[pyfunction]
pub(crate) fn closure(py: Python<'_>, edges: Bound<'_, PyAny>, place: Place) -> PyResult<(Stream, String)> {
    let edges = input(py, &edges, "the edges")?;
    if edges.has_no_rows() {
        let nodes = |name: &str| Field::new(name, DataType::Int64, false);
        let schema = Schema::new(vec![nodes("src"), nodes("dst")]);
        let none = Stream { schema: schema.into(), batches: Vec::new() };
        return Ok((none, graph::Report::default().json().to_string()));
    }
    place.run(py, |device, control| {
        let EdgeList { graph, names, .. } = match &edges {
            Input::File(path) => EdgeList::read(path, false, None, control)?,
            Input::Memory(batches) => EdgeList::of_batches(batches, control)?,
        };
        let rounds = Rounds { deduplicate: Deduplicate::default(), load: LoadFactor::default() };
        let options = Options { method: ClosureMethod::default(), rounds, wanted: Wanted { tuples: true } };
        let rows = TupleRows { names: &names };
        let mut batches = Vec::new();
        control.begin_comparing(graph.n_nodes.into(), "nodes");
        let report = graph::run(device, &graph, &options, control, &mut |tuples| {
            batches.push(rows.batch(tuples).map_err(|error| Error::Internal(error.to_string()))?);
            Ok(())
        })?;
        Ok((Stream { schema: rows.schema(), batches }, report.json().to_string()))
    })
}

/// What `device` can be: names, and what they stand for.
#[pyfunction]
pub(crate) fn devices() -> Vec<(String, String)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = ("cpu".to_owned(), format!("{cores} threads"));
    // Without a driver there is no GPU.
    let gpus = gpus().unwrap_or_default();
    let gpus = gpus.iter().enumerate().map(|(nth, gpu)| (format!("cuda:{nth}"), gpu.name.clone()));
    [cpu].into_iter().chain(gpus).collect()
}
