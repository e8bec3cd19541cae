//! Runs that one thread finds, while another takes those before.

use crate::base::error::Result;
use crate::base::threads::beside;
use crate::operators::scan::HandOn;
use hyperblock_shared::layout::Candidate;
use std::sync::mpsc;

/// Has `find` hand runs on, on a thread of its own, and `take` take them, here. Nothing is held between the two: one run is found
/// while another is taken, and what was taken is filled again.
pub(super) fn piped(
    find: impl FnOnce(HandOn<'_>) -> Result<()> + Send,
    take: &mut dyn FnMut(&mut [Candidate]) -> Result<()>,
    waiting: &dyn Fn(&mut dyn FnMut()),
) -> Result<()> {
    let (runs, found) = mpsc::sync_channel(0);
    let (emptied, buffers) = mpsc::channel::<Vec<Candidate>>();
    let produce = move || {
        find(&mut |run| {
            // Whoever is not listened to any more stops.
            runs.send(run).ok()?;
            let mut next = buffers.try_recv().unwrap_or_default();
            next.clear();
            Some(next)
        })
    };
    let consume = move || {
        let next = || {
            let mut next = None;
            waiting(&mut || next = found.recv().ok());
            next
        };
        // Both ends go with it.
        std::iter::from_fn(next).try_for_each(|mut run: Vec<Candidate>| {
            take(&mut run)?;
            // Who finds no more runs needs no buffers.
            emptied.send(run).ok();
            Ok(())
        })
    };
    let (produced, taken): (Result<()>, Result<()>) = beside("scan", produce, consume)?;
    taken.and(produced)
}
