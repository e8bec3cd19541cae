//! Schedule: tasks, one after the other, on a device; their candidates, sorted, to whoever wants them.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::scan::{Outcome, Scan};
use crate::plan::partition::halves;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::window::Task;
use rayon::prelude::*;
use std::time::Instant;

/// The most candidates that are held in memory at once (400 MB).
pub const MOST_CANDIDATES: usize = 1 << 25;

/// Runs `tasks` in order and hands each one's candidates, sorted, to `sink`. A task with more than `most_candidates` is
/// done again in halves, so memory stays bounded whatever the rules let through.
pub fn run(
    scan: &mut dyn Scan,
    tasks: Vec<Task>,
    most_candidates: usize,
    control: &Control,
    sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
) -> Result<()> {
    let mut todo = tasks;
    todo.reverse();
    let mut found = Vec::new();
    while let Some(task) = todo.pop() {
        control.check()?;
        found.clear();
        let parts = halves(task);
        let before = control.n_compared();
        // A single pair has at most one: nothing is left to split.
        let most = if parts.is_some() { most_candidates } else { usize::MAX };
        let start = control.is_watched().then(Instant::now);
        let outcome = scan.run(&task, most, control, &mut found)?;
        if let Some(start) = start {
            control.watch(|latencies| latencies.tasks.record(start.elapsed()));
        }
        match (outcome, parts) {
            (Outcome::Done, _) => {
                // A pair is found once, so its rule need not be compared.
                found.par_sort_unstable_by_key(|found| u64::from(found.left) << 32 | u64::from(found.right));
                sink(&found)?;
            }
            (Outcome::TooMany, Some([first, second])) => {
                tracing::debug!(?task, "more than {most_candidates} candidates: done again in halves");
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
