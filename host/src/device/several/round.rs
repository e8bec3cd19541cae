//! A round: work that is cut into tasks, dealt to places, and what they make of it.

use super::dealer::{Dealer, Expected, Next};
use super::{Several, is_of_a_place};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::latency::TaskTime;
use crate::base::timeline::{Lane, at_place};
use crate::operators::Backend;
use crate::operators::scan::Outcome;
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Runs of each place that may wait to be taken.
const RUNS_PER_PLACE: usize = 2;

/// How often a part of a part is split: more parts than there are pairs would be of no use.
const MOST_SPLITS: u32 = 32;

/// Work that can be cut.
pub(super) trait Part: Clone + Send + Sync {
    /// What a place is noted to be at when it does some of it, unless that is noted deeper inside.
    fn kind(&self) -> Option<&'static str>;

    /// What it is expected to take: where it was planned for, and on a CPU beside that.
    fn expected(&self) -> Expected;

    /// Whether a CPU beside what it was planned for should do some of it.
    fn pays_beside(&self) -> bool;

    /// About so many parts of it, that make up all of it.
    fn cut(self, n: usize) -> Vec<Self>;
}

/// A part, and what became of it.
pub(super) type Run<P, R> = (Arc<P>, Vec<R>);

/// The number of a part, and of how many that the work was cut into; later ones are parts of those.
#[derive(Clone, Copy)]
pub(super) struct Nth {
    pub(super) ix: usize,
    pub(super) n: usize,
}

/// What a place does with a part and with what it holds: whether that is all, and what was made.
type Work<'w, P, S, R> = dyn Fn(&P, Nth, &mut S) -> Result<(Outcome, Vec<R>)> + Sync + 'w;

/// Does all of the work at the places that hold something; nobody does, afterwards, where a place failed. Runs come in any
/// order. There are none if all together have more than `most`.
pub(super) fn share<P: Part, S: Send, R: Send>(
    several: &Several,
    whole: P,
    held: &mut [Option<S>],
    most: usize,
    control: &Control,
    work: &Work<'_, P, S, R>,
) -> Result<Option<Vec<Run<P, R>>>> {
    let mut taken = Vec::new();
    let outcome = share_with(several, whole, held, most, control, work, &mut |run| {
        taken.push(run);
        Ok(())
    })?;
    Ok((outcome == Outcome::Done).then_some(taken))
}

/// The same for who takes runs as they come. If there are too many, what was taken is not all.
pub(super) fn share_with<P: Part, S: Send, R: Send>(
    several: &Several,
    whole: P,
    held: &mut [Option<S>],
    most: usize,
    control: &Control,
    work: &Work<'_, P, S, R>,
    take: &mut dyn FnMut(Run<P, R>) -> Result<()>,
) -> Result<Outcome> {
    let taking_part = several.taking_part(&whole, held);
    let parts = several.cut(whole, &taking_part);
    let n_parts = parts.len();
    let expected = parts.iter().map(Part::expected).collect();
    let speeds: Vec<_> = several.places.iter().map(|place| place.speed(several.kind())).collect();
    let mut dealer = Dealer::new(several.schedule, expected, &speeds);
    for (nth, _) in taking_part.iter().enumerate().filter(|(_, takes_part)| !**takes_part) {
        dealer.failed(nth);
    }
    let parts = parts.into_iter().map(Arc::new).collect();
    let state = Mutex::new(State { parts, n_splits: vec![0; n_parts], dealer, ended: None, n_found: 0 });
    let round = Round { several, most, n_parts, control, work, state, changed: Condvar::new() };
    let (sender, runs) = sync_channel(RUNS_PER_PLACE * several.places.len());
    thread::scope(|scope| {
        let mut working = Vec::new();
        for (nth, held) in held.iter_mut().enumerate() {
            if taking_part[nth] {
                let (round, sender) = (&round, sender.clone());
                working.push(scope.spawn(move || round.work(nth, held, &sender)));
            }
        }
        drop(sender);
        for run in runs {
            if let Err(error) = take(run) {
                // Places stop before their next task; what they are about is taken by nobody.
                round.state().ended.get_or_insert(Err(error));
                round.changed.notify_all();
                break;
            }
        }
        for thread in working {
            // What panics there is a defect here as well.
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let State { parts, dealer, ended, .. } = round.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    tracing::debug!("{} tasks, {} of them stolen", parts.len(), dealer.n_stolen());
    match ended {
        None => Ok(Outcome::Done),
        Some(Ok(())) => Ok(Outcome::TooMany),
        Some(Err(error)) => Err(error),
    }
}

struct Round<'a, P, S, R> {
    several: &'a Several,
    most: usize,
    n_parts: usize,
    control: &'a Control,
    work: &'a Work<'a, P, S, R>,
    state: Mutex<State<P>>,
    /// Something was taken, done or given back.
    changed: Condvar,
}

/// What places tell each other.
struct State<P> {
    /// By number; what was split stays, and its parts come after.
    parts: Vec<Arc<P>>,
    /// By number: how often that was split which it is a part of.
    n_splits: Vec<u32>,
    dealer: Dealer,
    /// Why nobody goes on, if so: there are too many, or an error.
    ended: Option<Result<()>>,
    n_found: usize,
}

impl<P: Part> State<P> {
    /// Has a place do its task, which is too large, as two; whether it can be.
    fn split(&mut self, place: usize, ix: usize, part: &P) -> bool {
        let n_splits = self.n_splits[ix] + 1;
        let parts = if n_splits <= MOST_SPLITS { part.clone().cut(2) } else { Vec::new() };
        if parts.len() < 2 {
            return false;
        }
        self.n_splits.extend(parts.iter().map(|_| n_splits));
        let expected: Vec<Expected> = parts.iter().map(Part::expected).collect();
        self.dealer.split(place, &expected);
        self.parts.extend(parts.into_iter().map(Arc::new));
        true
    }
}

impl<P: Part, S: Send, R: Send> Round<'_, P, S, R> {
    fn state(&self) -> MutexGuard<'_, State<P>> {
        // Whoever panicked ends all of it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the place does next, if it is needed: its number, the part, and whether it had been dealt to another one.
    fn next(&self, place: usize) -> Option<(usize, Arc<P>, bool)> {
        let mut state = self.state();
        loop {
            if state.ended.is_some() {
                return None;
            }
            let n_stolen = state.dealer.n_stolen();
            match state.dealer.next(place) {
                Next::Task(task) => {
                    self.changed.notify_all();
                    let was_stolen = state.dealer.n_stolen() > n_stolen;
                    return Some((task, state.parts[task].clone(), was_stolen));
                }
                Next::Done => return None,
                Next::Wait => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Does tasks as long as there are any, and hands on their runs. A place that fails holds nothing afterwards.
    fn work(&self, nth: usize, held: &mut Option<S>, sender: &SyncSender<Run<P, R>>) {
        let _bell = Bell(self);
        let mut before = Instant::now();
        while let Some((ix, part, was_stolen)) = self.next(nth) {
            let start = Instant::now();
            let done = self.control.guard(|| self.run(nth, ix, &part, held));
            let waited = start - before;
            let took = start.elapsed();
            before = start + took;
            let mut state = self.state();
            let mut found = None;
            match done {
                Ok((Outcome::Done, run)) => {
                    self.control.watch(|latencies| {
                        let place: (usize, Arc<str>) = (nth, self.several.places[nth].name.as_str().into());
                        let [expected, _] = part.expected();
                        let n_candidates = run.len();
                        latencies.tasks.record(took);
                        latencies.waits.record(waited);
                        latencies.timeline.name_place(place_number(nth), &place.1);
                        latencies.shared.push(TaskTime {
                            place,
                            expected,
                            took,
                            waited,
                            n_candidates,
                            was_stolen,
                        });
                    });
                    state.dealer.done(nth, took.as_secs_f64() * 1e3);
                    state.n_found += run.len();
                    if state.n_found > self.most {
                        state.ended.get_or_insert(Ok(()));
                    }
                    found = Some(run);
                }
                // There was no room for them there. If there is none here either, others have to be handed on first.
                Ok((Outcome::TooMany, run)) => {
                    let has_room = state.n_found.saturating_add(run.len()) <= self.most;
                    if !(has_room && state.split(nth, ix, &part)) {
                        state.ended.get_or_insert(Ok(()));
                    }
                }
                Err(Error::DeviceMemory { .. }) if state.split(nth, ix, &part) => {}
                Err(error) if is_of_a_place(&error) => {
                    *held = None;
                    if state.dealer.failed(nth) {
                        self.several.places[nth].is_left_out(&error);
                    } else {
                        state.ended.get_or_insert(Err(error));
                    }
                }
                Err(error) => {
                    state.ended.get_or_insert(Err(error));
                }
            }
            drop(state);
            // Also of parts: they may be dealt to a place that waits, while this one has to.
            self.changed.notify_all();
            if let Some(run) = found {
                // Whoever takes them goes only after all places.
                let _ = sender.send((part, run));
            }
        }
        self.control.watch(|latencies| latencies.waits.record(before.elapsed()));
    }

    /// A task, on the place's own threads.
    fn run(&self, nth: usize, ix: usize, part: &P, held: &mut Option<S>) -> Result<(Outcome, Vec<R>)> {
        let Some(held) = held else { return Err(Error::Internal("a place without a job".into())) };
        let number = Nth { ix, n: self.n_parts };
        let work = || match part.kind() {
            None => (self.work)(part, number, held),
            Some(kind) => self.control.note(Lane::here(), kind, || (self.work)(part, number, held)),
        };
        let done = self.several.places[nth].install(|| at_place(place_number(nth), work))?;
        // As late as can be: everything was done, and all of it is lost.
        match self.several.fault.as_ref().and_then(|fault| fault(nth, ix)) {
            Some(error) => Err(error),
            None => Ok(done),
        }
    }
}

/// As the timeline counts places.
fn place_number(nth: usize) -> u16 {
    u16::try_from(nth + 1).unwrap_or(u16::MAX)
}

/// Wakes all others when a place ends, however it does.
struct Bell<'a, 'b, P: Part, S: Send, R: Send>(&'a Round<'b, P, S, R>);

impl<P: Part, S: Send, R: Send> Drop for Bell<'_, '_, P, S, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = Error::Internal("a place panicked".into());
            self.0.state().ended.get_or_insert(Err(error));
        }
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
