//! Schedule: areas, one after the other, on a device; their candidates, sorted, to whoever wants them.
//!
//! Where a budget bounds memory, or a job is on the device piece by piece, an area with more candidates than fit is cut into tasks, and what these find is kept in a file
//! meanwhile. Else it is done again in halves, which is sooner done than listing records as often as that takes.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::scan::{HandKept, HandOn, Keep, Outcome, Wanted};
use crate::plan::partition::{Area, halves};
use crate::run::gathered::{Gathered, granted};
use crate::run::loaded::{Loaded, Whole};
use crate::run::piped::piped;
use hyperblock_shared::layout::Candidate;
use std::cell::Cell;
use std::time::Instant;

/// The most candidates that are held in memory at once (400 MB).
pub const MOST_CANDIDATES: usize = 1 << 25;

/// The same of a job that is on the device piece by piece, before some are kept in a file (1.6 GB).
const MOST_OF_PIECES: usize = 1 << 27;

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
    let budget = wanted.control.budget();
    if !budget.is_limited() {
        if let Some(whole) = loaded.as_whole() {
            return piped(|hand_on| find(wanted, whole, areas, hand_on), sink, &|wait| wait());
        }
        // A piece takes long to load: none is done twice for what others have found.
        let find = |hand_on: HandOn<'_>| find_in_parts(wanted, MOST_OF_PIECES, loaded, areas, hand_on);
        return piped(find, sink, &|wait| wait());
    }
    let (n_held, _granted) = granted(budget)?;
    let wanted = &Wanted { most: wanted.most.min(n_held), ..*wanted };
    let at_once = budget.at_once(n_held);
    let take = &mut |run: &mut [Candidate]| run.chunks_mut(at_once).try_for_each(&mut *sink);
    piped(|hand_on| find_in_parts(wanted, n_held, loaded, areas, hand_on), take, &|wait| wait())
}

/// Finds the runs of areas, one after the other, in tasks that have no more than fits. So many candidates may be held in all.
fn find_in_parts(
    wanted: &Wanted<'_>,
    n_held: usize,
    loaded: &mut Loaded<'_>,
    areas: Vec<Area>,
    hand_on: HandOn<'_>,
) -> Result<()> {
    let Wanted { most, control, .. } = *wanted;
    let mut todo = areas;
    todo.reverse();
    let mut is_over = false;
    while let Some(area) = todo.pop().filter(|_| !is_over) {
        control.check()?;
        let before = control.mark();
        let mut runs = Gathered::new(n_held, control);
        match loaded.run_in_parts(&area, most, control, &mut |run| runs.add(run))? {
            Outcome::Done => runs.hand_on(&mut |run| {
                let next = hand_on(run);
                is_over = next.is_none();
                next
            })?,
            Outcome::TooMany => {
                tracing::debug!(?area, "more than {most} candidates in one part: done again in halves");
                control.back_to(before);
                again(halves(area), &mut todo)?;
            }
        }
    }
    Ok(())
}

/// Finds the runs of areas, one after the other, until nobody wants more.
fn find(wanted: &Wanted<'_>, whole: &mut Whole<'_>, areas: Vec<Area>, hand_on: HandOn<'_>) -> Result<()> {
    let control = wanted.control;
    let mut todo = areas;
    todo.reverse();
    let is_over = Cell::new(false);
    let mut hand_on = |run: Vec<Candidate>| {
        let next = hand_on(run);
        is_over.set(next.is_none());
        next
    };
    while let Some(area) = todo.pop().filter(|_| !is_over.get()) {
        control.check()?;
        let parts = halves(area);
        let before = control.mark();
        // A single pair has at most one: nothing is left to split.
        let most = if parts.is_some() { wanted.most } else { usize::MAX };
        let start = control.is_watched().then(Instant::now);
        let outcome = whole.run_on(&area, &Wanted { most, ..*wanted }, &mut hand_on)?;
        if let Some(start) = start {
            control.watch(|latencies| latencies.tasks.record(start.elapsed()));
        }
        if outcome == Outcome::TooMany {
            tracing::debug!(?area, "more than {most} candidates: done again in halves");
            control.back_to(before);
            again(parts, &mut todo)?;
        }
    }
    Ok(())
}

/// Has an area done in halves, before all that is left to do.
fn again(parts: Option<[Area; 2]>, todo: &mut Vec<Area>) -> Result<()> {
    let [first, second] = parts.ok_or_else(|| Error::Internal("a single pair cannot be split".into()))?;
    todo.extend([second, first]);
    Ok(())
}

/// Runs `areas` in order, and hands on what is kept of their candidates, which are scored where they are found. Those that are
/// left, where that cannot be, from the first on: their candidates are to be brought here.
pub fn run_kept(
    loaded: &mut Loaded<'_>,
    areas: Vec<Area>,
    keep: &Keep<'_>,
    control: &Control,
    hand_on: HandKept<'_>,
) -> Result<Vec<Area>> {
    let mut todo = areas;
    todo.reverse();
    while let Some(area) = todo.pop() {
        control.check()?;
        let before = control.mark();
        match loaded.run_kept(&area, keep, control, hand_on)? {
            Some(Outcome::Done) => {}
            Some(Outcome::TooMany) => {
                tracing::debug!(?area, "more candidates than there is room for: done again in halves");
                control.back_to(before);
                again(halves(area), &mut todo)?;
            }
            None => {
                tracing::debug!(?area, "no room to score candidates where they are found");
                control.back_to(before);
                todo.push(area);
                break;
            }
        }
    }
    todo.reverse();
    Ok(todo)
}
