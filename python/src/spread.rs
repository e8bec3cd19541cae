//! A job spread over units: the functions that a distributed engine calls on its driver and in its tasks.

use crate::calls::{Asked, input};
use crate::capsules::Stream;
use crate::running::{Place, plain};
use hyperblock::spread::{Budget, Counts, Forest, UnitPlan};
use hyperblock::{Batches, Control, Error, Input, Threads};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};

/// How many records there are.
#[derive(FromPyObject)]
pub(crate) struct AskedCounts {
    #[pyo3(item)]
    records: Vec<u64>,
}

/// What there is to do it with.
#[derive(FromPyObject)]
pub(crate) struct AskedBudget {
    #[pyo3(item)]
    memory: u64,
    #[pyo3(item)]
    cores: u64,
    #[pyo3(item)]
    pairs: Option<u64>,
    #[pyo3(item)]
    side: Option<u64>,
    #[pyo3(item)]
    most_shuffle: Option<u64>,
    #[pyo3(item)]
    scored: bool,
}

/// The plan of a job, of whose tables samples are given, as bytes.
#[pyfunction]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    asked: Asked<'_>,
    counts: AskedCounts,
    budget: AskedBudget,
) -> PyResult<Bound<'py, PyBytes>> {
    let job = asked.job(py)?;
    let counts = Counts { records: counts.records };
    let AskedBudget { memory, cores, pairs, side, most_shuffle, scored } = budget;
    let budget = Budget { memory, cores, pairs, side, most_shuffle, is_scored: scored };
    let made = on_threads(py, None, |control| UnitPlan::new(&job, &counts, &budget, control)?.to_bytes());
    Ok(PyBytes::new(py, &plain(py, made)?))
}

/// What there is to do by a plan, as JSON.
#[pyfunction]
pub(crate) fn told(py: Python<'_>, plan: &[u8]) -> PyResult<String> {
    Ok(known(py, plan)?.told().to_owned())
}

/// The rows of a table, each as often as it is in a unit.
#[pyfunction]
pub(crate) fn cover(py: Python<'_>, plan: &[u8], batches: Bound<'_, PyAny>, side: usize) -> PyResult<Stream> {
    let (plan, batches) = (known(py, plan)?, some(py, &batches, "the records")?);
    // A task has a core, and a batch is soon done.
    let covered = on_threads(py, Some(1), |control| plan.cover(side, &batches, control));
    let (schema, batches) = plain(py, covered)?;
    Ok(Stream { schema, batches })
}

/// How many of a table's rows have each value whose frequency the score asks.
#[pyfunction]
pub(crate) fn count(py: Python<'_>, plan: &[u8], batches: Bound<'_, PyAny>, side: usize) -> PyResult<Stream> {
    let (plan, batches) = (known(py, plan)?, some(py, &batches, "the records")?);
    let counted = on_threads(py, Some(1), |control| plan.count(side, &batches, control));
    let (schema, batches) = plain(py, counted)?;
    Ok(Stream { schema, batches })
}

/// The plan with what was counted of whole tables, as bytes.
#[pyfunction]
pub(crate) fn with_terms<'py>(
    py: Python<'py>,
    plan: &[u8],
    counts: Bound<'_, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let counts = some(py, &counts, "the counts of values")?;
    let made = UnitPlan::from_bytes(plan).and_then(|plan| plan.with_terms(&counts)?.to_bytes());
    Ok(PyBytes::new(py, &plain(py, made)?))
}

/// The candidates of a unit.
#[pyfunction]
#[pyo3(signature = (plan, unit, left, right, place))]
pub(crate) fn solve(
    py: Python<'_>,
    plan: &[u8],
    unit: u64,
    left: Bound<'_, PyAny>,
    right: Option<Bound<'_, PyAny>>,
    place: Place,
) -> PyResult<Stream> {
    let plan = known(py, plan)?;
    let left = some(py, &left, "the left side of a unit")?;
    let right = right.map(|right| some(py, &right, "the right side of a unit")).transpose()?;
    place.run(py, |device, control| {
        let solved = plan.solve(unit, &left, right.as_ref(), device, control)?;
        Ok(Stream { schema: solved.schema, batches: solved.batches })
    })
}

/// Of pairs of ids as few as keep together what all of them put together.
#[pyfunction]
#[pyo3(signature = (pairs, place, two_tables = false))]
pub(crate) fn forest(
    py: Python<'_>,
    pairs: Bound<'_, PyAny>,
    place: Place,
    two_tables: bool,
) -> PyResult<Stream> {
    let pairs = some(py, &pairs, "the pairs")?;
    place.run(py, |_, control| {
        let Forest { schema, batches } = Forest::of(&pairs, two_tables, control)?;
        Ok(Stream { schema, batches })
    })
}

/// Does `work` on threads of its own, with the GIL released: what forks afterwards has none of them to wait for.
fn on_threads<T: Send>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Control) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    py.detach(|| {
        let control = Control::default();
        Threads::new(threads)?.run(|| control.guard(|| work(&control)))
    })
}

fn some(py: Python<'_>, table: &Bound<'_, PyAny>, name: &str) -> PyResult<Batches> {
    match input(py, table, name)? {
        Input::Memory(batches) => Ok(batches),
        Input::File(path) => plain(py, Err(Error::table(&path, "here tables are in memory"))),
    }
}

/// The plan with these bytes. A task is given the same ones for each batch and each unit, so they are read once.
fn known(py: Python<'_>, bytes: &[u8]) -> PyResult<Arc<UnitPlan>> {
    static LAST: Mutex<Option<(Vec<u8>, Arc<UnitPlan>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, plan)) = &*last
        && of == bytes
    {
        return Ok(plan.clone());
    }
    let plan = Arc::new(plain(py, UnitPlan::from_bytes(bytes))?);
    *last = Some((bytes.to_owned(), plan.clone()));
    Ok(plan)
}
