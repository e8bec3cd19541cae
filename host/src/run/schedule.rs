//! Schedule: areas, one after the other, on a device; their candidates, sorted, to whoever wants them.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::scan::{Outcome, Wanted};
use crate::plan::partition::{Area, halves};
use crate::run::loaded::Loaded;
use hyperblock_shared::layout::Candidate;
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Instant;

/// The most candidates that are held in memory at once (400 MB).
pub const MOST_CANDIDATES: usize = 1 << 25;

/// Runs `areas` in order and hands each one's candidates, sorted, to `sink`, which may number them as the tables do, some at a
/// time. An area with more than `most_candidates` is done again in halves where they cannot stay on the device, so memory
/// stays bounded whatever the rules let through. While `sink` takes one run, the next is found by a thread of its own.
pub fn run(
    loaded: &mut Loaded<'_>,
    areas: Vec<Area>,
    most_candidates: usize,
    control: &Control,
    sink: &mut dyn FnMut(&mut [Candidate]) -> Result<()>,
) -> Result<()> {
    run_as(&Wanted { most: most_candidates, is_sorted: true, control }, loaded, areas, sink)
}

/// The same, with candidates as they are wanted: whoever only counts has them as they are found.
pub fn run_as(
    wanted: &Wanted<'_>,
    loaded: &mut Loaded<'_>,
    areas: Vec<Area>,
    sink: &mut dyn FnMut(&mut [Candidate]) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        // Nothing is held between the two: one run is found while another is taken.
        let (runs, found) = mpsc::sync_channel(0);
        let (emptied, buffers) = mpsc::channel();
        let produce = move || find(wanted, loaded, areas, &runs, &buffers);
        let producer = thread::Builder::new().name("scan".into()).spawn_scoped(scope, produce);
        let producer = producer.map_err(Error::no_thread)?;
        let taken = found.iter().try_for_each(|mut run| {
            sink(&mut run)?;
            // Who finds no more runs needs no buffers.
            emptied.send(run).ok();
            Ok(())
        });
        // Whoever is not listened to any more stops.
        drop(found);
        let produced = producer.join().unwrap_or_else(|panic| resume_unwind(panic));
        taken.and(produced)
    })
}

/// Finds the runs of areas, one after the other, until nobody wants more. What was taken comes back to be filled again.
fn find(
    wanted: &Wanted<'_>,
    loaded: &mut Loaded<'_>,
    areas: Vec<Area>,
    runs: &SyncSender<Vec<Candidate>>,
    buffers: &Receiver<Vec<Candidate>>,
) -> Result<()> {
    let control = wanted.control;
    let mut todo = areas;
    todo.reverse();
    let is_over = Cell::new(false);
    let mut hand_on = |run: Vec<Candidate>| {
        is_over.set(runs.send(run).is_err());
        let mut next = buffers.try_recv().unwrap_or_default();
        next.clear();
        (!is_over.get()).then_some(next)
    };
    while let Some(area) = todo.pop().filter(|_| !is_over.get()) {
        control.check()?;
        let parts = halves(area);
        let before = control.n_compared();
        // A single pair has at most one: nothing is left to split.
        let most = if parts.is_some() { wanted.most } else { usize::MAX };
        let start = control.is_watched().then(Instant::now);
        let outcome = loaded.run_on(&area, &Wanted { most, ..*wanted }, &mut hand_on)?;
        if let Some(start) = start {
            control.watch(|latencies| latencies.tasks.record(start.elapsed()));
        }
        match (outcome, parts) {
            (Outcome::Done, _) => {}
            (Outcome::TooMany, Some([first, second])) => {
                tracing::debug!(?area, "more than {most} candidates: done again in halves");
                control.back_to(before);
                todo.extend([second, first]);
            }
            (Outcome::TooMany, None) => {
                return Err(Error::Internal("a single pair cannot be split".into()));
            }
        }
    }
    Ok(())
}
