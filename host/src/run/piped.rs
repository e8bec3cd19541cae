//! Runs that one thread finds, while another takes those before.

use crate::base::error::{Error, Result};
use crate::operators::scan::HandOn;
use hyperblock_shared::layout::Candidate;
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread;

/// Has `find` hand runs on, on a thread of its own, and `take` take them, here. Nothing is held between the two: one run is found
/// while another is taken, and what was taken is filled again.
pub(super) fn piped(
    find: impl FnOnce(HandOn<'_>) -> Result<()> + Send,
    take: &mut dyn FnMut(&mut [Candidate]) -> Result<()>,
    waiting: &dyn Fn(&mut dyn FnMut()),
) -> Result<()> {
    thread::scope(|scope| {
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
        let producer = thread::Builder::new().name("scan".into()).spawn_scoped(scope, produce);
        let producer = producer.map_err(Error::no_thread)?;
        let next = || {
            let mut next = None;
            waiting(&mut || next = found.recv().ok());
            next
        };
        let taken = std::iter::from_fn(next).try_for_each(|mut run: Vec<Candidate>| {
            take(&mut run)?;
            // Who finds no more runs needs no buffers.
            emptied.send(run).ok();
            Ok(())
        });
        drop(found);
        let produced = producer.join().unwrap_or_else(|panic| resume_unwind(panic));
        taken.and(produced)
    })
}
