//! Schedule: areas, one after the other, on a device; their candidates, sorted, to whoever wants them.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::runs::sort;
use crate::operators::scan::Outcome;
use crate::plan::partition::{Area, halves};
use crate::run::loaded::Loaded;
use hyperblock_shared::layout::Candidate;
use std::time::Instant;

/// The most candidates that are held in memory at once (400 MB).
pub const MOST_CANDIDATES: usize = 1 << 25;

/// Runs `areas` in order and hands each one's candidates, sorted, to `sink`, which may number them as the tables do. An area with more than `most_candidates` is
/// done again in halves, so memory stays bounded whatever the rules let through.
pub fn run(
    loaded: &mut Loaded<'_>,
    areas: Vec<Area>,
    most_candidates: usize,
    control: &Control,
    sink: &mut dyn FnMut(&mut [Candidate]) -> Result<()>,
) -> Result<()> {
    let mut todo = areas;
    todo.reverse();
    let (mut found, mut room) = (Vec::new(), Vec::new());
    while let Some(area) = todo.pop() {
        control.check()?;
        found.clear();
        let parts = halves(area);
        let before = control.n_compared();
        // A single pair has at most one: nothing is left to split.
        let most = if parts.is_some() { most_candidates } else { usize::MAX };
        let start = control.is_watched().then(Instant::now);
        let outcome = loaded.run(&area, most, control, &mut found)?;
        if let Some(start) = start {
            control.watch(|latencies| latencies.tasks.record(start.elapsed()));
        }
        match (outcome, parts) {
            (Outcome::Done, _) => {
                sort(&mut found, &mut room, control)?;
                sink(&mut found)?;
            }
            (Outcome::TooMany, Some([first, second])) => {
                tracing::debug!(?area, "more than {most_candidates} candidates: done again in halves");
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
