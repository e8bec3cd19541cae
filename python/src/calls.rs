//! The functions, each a call of the crate's public face.

use crate::capsules::{Stream, taken};
use crate::running::{Place, plain};
use arrow_schema::{DataType, Field, Schema};
use hyperblock::closure::{
    self as graph, ClosureMethod, Deduplicate, EdgeList, LoadFactor, Options, Rounds, TupleRows, Wanted,
};
use hyperblock::device::gpus;
use hyperblock::{
    Backend, Batches, ClusterMethod, ClusterSummary, Decimal, EntityRows, Error, FitOptions, Found, Guards,
    IdSource, Input, Inquiry, Job, PairFile, PairSource, ReadOptions, Records, Resolve, Rows, RuleSource,
    Shown, Stages, Stopwatch, Summary, Truth, cluster as entities_of, indented_json as indented,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Tables and rules, as Python hands them over: checked there.
#[derive(FromPyObject)]
pub(crate) struct Asked<'py> {
    #[pyo3(item)]
    left: Bound<'py, PyAny>,
    #[pyo3(item)]
    right: Option<Bound<'py, PyAny>>,
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
}

impl Asked<'_> {
    fn job(&self, py: Python<'_>) -> PyResult<Job> {
        let rules = match (&self.rules_path, &self.rules_text) {
            (Some(path), _) => RuleSource::File(path.clone()),
            (None, text) => RuleSource::Text(text.clone().unwrap_or_default()),
        };
        let left = input(py, &self.left, if self.right.is_some() { "the left table" } else { "the table" })?;
        let right = self.right.as_ref().map(|table| input(py, table, "the right table")).transpose()?;
        let options = |id: Option<&String>| ReadOptions {
            id: id.map_or(IdSource::Usual, |name| IdSource::Column(name.clone())),
            ..ReadOptions::default()
        };
        let (id, right_id) = (self.id.as_ref(), self.right_id.as_ref().or(self.id.as_ref()));
        let guards = Guards { most_pairs: self.max_pairs, most_in_block: self.max_block };
        Ok(Job::over(left, right, rules).read_options(options(id), options(right_id)).guards(guards))
    }
}

fn input(py: Python<'_>, table: &Bound<'_, PyAny>, name: &str) -> PyResult<Input> {
    if let Ok(path) = table.extract::<PathBuf>() {
        return Ok(Input::File(path));
    }
    let (schema, batches) = taken(table)?;
    Ok(plain(py, Batches::new(name, schema, batches))?.into())
}

/// The pairs, and the summary as JSON.
#[pyfunction]
pub(crate) fn find(py: Python<'_>, asked: Asked<'_>, place: Place) -> PyResult<(Stream, String)> {
    let job = asked.job(py)?;
    place.run(py, |device, control| {
        if job.without_pairs(control)?.is_some() {
            // Whatever ids would be: of none, nobody can tell.
            let ids = |name: &str| Field::new(name, DataType::Int64, false);
            let rule = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            let schema = Schema::new(vec![ids("left"), ids("right"), Field::new("rule", rule, false)]);
            return Ok((Stream { schema: schema.into(), batches: Vec::new() }, nothing(device)));
        }
        let mut job = job.prepare(device, control)?;
        job.keep_ids();
        let found = Found::of(&job, device, control)?;
        let summary = found.summary.json().to_string();
        Ok((Stream { schema: found.schema, batches: found.batches }, summary))
    })
}

/// The summary of a job without pairs.
fn nothing(device: &dyn Backend) -> String {
    Summary { device: device.name(), ..Summary::default() }.json().to_string()
}

/// An entity for each record, and the summary as JSON.
#[pyfunction]
pub(crate) fn resolve(
    py: Python<'_>,
    asked: Asked<'_>,
    method: &str,
    truth: Option<PathBuf>,
    place: Place,
) -> PyResult<(Stream, String)> {
    let method: ClusterMethod = method.parse().map_err(PyValueError::new_err)?;
    let job = asked.job(py)?;
    let mut resolve = Resolve::new(job.clone()).method(method);
    if let Some(truth) = truth {
        resolve = resolve.truth(truth);
    }
    place.run(py, |device, control| {
        if let Some((left, right)) = job.without_pairs(control)? {
            // Every record is an entity of its own.
            let rows = EntityRows::new(&left.ids, right.as_ref().map(|right| &right.ids));
            let n_records = left.ids.len() + right.as_ref().map_or(0, |right| right.ids.len());
            let alone: Vec<(u32, u32)> = (0..n_records).map(|record| (record, record)).collect();
            let batch = rows.batch(&alone).map_err(|error| Error::Internal(error.to_string()))?;
            return Ok((Stream { schema: batch.schema(), batches: vec![batch] }, nothing(device)));
        }
        let resolve = resolve.prepare(device, control)?;
        control.begin_comparing(resolve.job.n_to_compare(), "pairs");
        let found = resolve.run_with(device, control, &mut |_| Ok(()))?;
        let rows = EntityRows::new(&resolve.job.left.ids, resolve.job.second().map(|right| &right.ids));
        let members: Vec<(u32, u32)> = (0..).zip(found.entities.iter().copied()).collect();
        let batch = rows.batch(&members).map_err(|error| Error::Internal(error.to_string()))?;
        Ok((Stream { schema: batch.schema(), batches: vec![batch] }, found.summary.json().to_string()))
    })
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
        n_rows: 0,
        n_pairs: 0,
        n_records: 0,
        n_entities: 0,
        largest: 0,
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
