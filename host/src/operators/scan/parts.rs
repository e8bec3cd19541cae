//! A task in parts, where its candidates do not fit into memory at once.
//!
//! What a task will find is not known before, but parts of it find about as many for each millisecond that they are expected
//! to take. So whoever finds too many is cut into several, and with every part that is done it is known better into how many.

use super::{Outcome, TakeRun};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::operators::runs::sort;
use crate::plan::task::Task;
use hyperblock_shared::layout::Candidate;

/// How full a run is to be, so that few parts have more than fits.
const FULL: f64 = 0.7;

/// Parts of what had too many: it was left where it had the first of them.
const AGAIN: usize = 6;

/// How often a part of a part is cut: more parts than there are pairs would be of no use.
const MOST_CUTS: u32 = 14;

/// Parts at once: those that are cut off are lists in memory.
const MOST_PARTS: f64 = 64.0;

/// Has `run` find the candidates of parts of a task, none with more than `most`, and hands on each part's, sorted.
pub(super) fn in_parts(
    task: Task,
    most: usize,
    control: &Control,
    take: TakeRun<'_>,
    run: &mut dyn FnMut(&Task, &mut Vec<Candidate>) -> Result<Outcome>,
) -> Result<Outcome> {
    let full = (FULL * most as f64).max(1.0);
    let mut todo = vec![(task, 0)];
    // Of parts that are done.
    let (mut n_found, mut milliseconds) = (0.0, 0.0);
    while let Some((task, n_cuts)) = todo.pop() {
        control.check()?;
        let expected = task.milliseconds();
        let n_expected = if milliseconds > 0.0 { expected * n_found / milliseconds } else { 0.0 };
        let n_parts = (n_expected / full).ceil().min(MOST_PARTS) as usize;
        let mut parts = task.cut(n_parts);
        if parts.len() > 1 {
            todo.extend(parts.into_iter().rev().map(|part| (part, n_cuts)));
            continue;
        }
        let Some(task) = parts.pop() else { continue };
        let (mut found, before) = (Vec::new(), control.mark());
        match run(&task, &mut found)? {
            Outcome::Done => {
                n_found += found.len() as f64;
                milliseconds += expected;
                sort(&mut found, &mut Vec::new(), control)?;
                take(found)?;
            }
            Outcome::TooMany => {
                drop(found);
                control.back_to(before);
                let parts = if n_cuts < MOST_CUTS { task.cut(AGAIN) } else { Vec::new() };
                if parts.len() < 2 {
                    return Ok(Outcome::TooMany);
                }
                todo.extend(parts.into_iter().rev().map(|part| (part, n_cuts + 1)));
            }
        }
    }
    Ok(Outcome::Done)
}
