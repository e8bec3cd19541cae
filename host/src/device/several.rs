//! Several places as one device: tasks are dealt to them, and their runs put together.
//!
//! ```text
//! task ─► cut ─► dealer ─┬─► place: scan, sort ─┬─► runs ─► merged
//!                        └─► place: scan, sort ─┘
//! ```
//!
//! A place is a GPU, a pool of CPU threads, or a share of either, on a thread of its own. HyperBlocker (sections 3 and 5.3) calls
//! who hands out work and who takes results HostProducer and HostReceiver: here places ask the [`dealer`] when they are free, and
//! the thread that asked for all takes runs from a queue that is bounded, so that nobody runs ahead of it by much.
//!
//! A place may fail: what it had is dealt to the others, and the job goes on without it. A task that it has no room for is cut in
//! two. Everything but the scan is done by one
//! of them alone.

mod dealer;
mod rest;

pub use dealer::{Dealer, Next, Schedule};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::latency::TaskTime;
use crate::encode::Encoded;
use crate::operators::Backend;
use crate::operators::runs::{merge, sort};
use crate::operators::scan::{Outcome, Scan, ScanOperator};
use crate::plan::Program;
use crate::plan::cost::BackendKind;
use crate::plan::task::Task;
use hyperblock_shared::layout::Candidate;
use rayon::ThreadPool;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// Tasks for each place, if nobody asks for a number: so many that places end together.
const TASKS_PER_PLACE: usize = 8;
/// Milliseconds that a task should take: dealing, sorting and merging cost some hundredths of one.
const LEAST_MILLISECONDS: f64 = 2.0;
/// Runs of each place that may wait to be taken.
const RUNS_PER_PLACE: usize = 2;
/// CPU threads that do what a GPU does, as long as nothing was seen of them.
const THREADS_OF_GPU: f64 = 100.0;

/// Says of a place and a task, by their numbers, how the place fails at it: for tests.
pub type Fault = Box<dyn Fn(usize, usize) -> Option<Error> + Send + Sync>;

/// Places that share the tasks of a job.
pub struct Several {
    places: Vec<Place>,
    schedule: Schedule,
    /// How many tasks are wanted, if somebody asked.
    partitions: Option<usize>,
    fault: Option<Fault>,
}

impl fmt::Debug for Several {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Several").field("places", &self.places).field("schedule", &self.schedule).finish()
    }
}

struct Place {
    name: String,
    device: Box<dyn Backend>,
    /// Its own threads, if it is of the CPU.
    pool: Option<ThreadPool>,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Place {
    /// Does work on the place's own threads.
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// What it may do in a unit of time, of what the plan expects of a device of this kind, as long as nothing was seen of it.
    fn speed(&self, planned_for: BackendKind) -> f64 {
        let n_threads = || self.install(rayon::current_num_threads) as f64;
        match (self.device.kind(), planned_for) {
            (BackendKind::Cuda, _) => 1.0,
            (BackendKind::Cpu, BackendKind::Cuda) => n_threads() / THREADS_OF_GPU,
            (BackendKind::Cpu, BackendKind::Cpu) => n_threads() / rayon::current_num_threads() as f64,
        }
    }
}

impl Several {
    /// Devices, each with so many threads of its own if it is of the CPU and shares them with nobody; at least one.
    pub fn new(
        devices: Vec<(Box<dyn Backend>, Option<usize>)>,
        schedule: Schedule,
        partitions: Option<usize>,
    ) -> Result<Self> {
        let place = |(device, n_threads): (Box<dyn Backend>, Option<usize>)| {
            let pool = n_threads.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n.max(1)).build());
            let pool = pool.transpose().map_err(|error| {
                Error::Job(format!("threads cannot be started: {error}; ask for fewer with --threads"))
            })?;
            let name = pool.as_ref().map_or_else(|| device.name(), |pool| pool.install(|| device.name()));
            Ok(Place { name, device, pool })
        };
        let places = devices.into_iter().map(place).collect::<Result<Vec<_>>>()?;
        match places.is_empty() {
            true => Err(Error::Job("there is no place to run at".into())),
            false => Ok(Self { places, schedule, partitions, fault: None }),
        }
    }

    /// With places that fail: a test's way to see that nothing is lost in that.
    pub fn with_fault(self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// Into how many tasks something is cut that is expected to take so long.
    fn n_tasks(&self, milliseconds: f64) -> usize {
        let useful = (milliseconds / LEAST_MILLISECONDS).ceil().max(1.0);
        let wanted = if self.places.len() > 1 { TASKS_PER_PLACE * self.places.len() } else { 1 };
        self.partitions.unwrap_or(wanted.min(useful as usize)).max(1)
    }
}

/// Whether it is the place that failed, and another one may do better.
fn is_of_a_place(error: &Error) -> bool {
    match error {
        Error::Driver { .. } | Error::DeviceMemory { .. } | Error::NoDevice { .. } => true,
        Error::Io { .. }
        | Error::Table { .. }
        | Error::Rule(_)
        | Error::Job(_)
        | Error::Interrupted
        | Error::Internal(_) => false,
    }
}

/// What is told of a place that failed.
fn tell(place: &Place, error: &Error) {
    tracing::warn!("{} is left out, and others do its work: {error}", place.name);
}

impl ScanOperator for Several {
    fn load<'a>(&'a self, encoded: &'a Encoded, program: &'a Program) -> Result<Box<dyn Scan + 'a>> {
        let mut scans = Vec::new();
        let mut last = Error::Job("there is no place to run at".into());
        for place in &self.places {
            match place.install(|| place.device.load(encoded, program)) {
                Ok(scan) => scans.push(Some(scan)),
                Err(error) if is_of_a_place(&error) => {
                    tell(place, &error);
                    scans.push(None);
                    last = error;
                }
                Err(error) => return Err(error),
            }
        }
        match scans.iter().any(Option::is_some) {
            true => Ok(Box::new(SeveralScan { several: self, scans, room: Vec::new() })),
            false => Err(last),
        }
    }
}

/// A job at several places.
struct SeveralScan<'a> {
    several: &'a Several,
    /// By place: the job there; none, where it failed.
    scans: Vec<Option<Box<dyn Scan + 'a>>>,
    room: Vec<Candidate>,
}

impl Scan for SeveralScan<'_> {
    fn run(
        &mut self,
        task: &Task,
        most: usize,
        control: &Control,
        found: &mut Vec<Candidate>,
    ) -> Result<Outcome> {
        let several = self.several;
        let tasks = task.clone().cut(several.n_tasks(task.milliseconds()));
        let expected = tasks.iter().map(Task::milliseconds).collect();
        let speeds: Vec<f64> = several.places.iter().map(|place| place.speed(several.kind())).collect();
        let mut dealer = Dealer::new(several.schedule, expected, &speeds);
        for (nth, _) in self.scans.iter().enumerate().filter(|(_, scan)| scan.is_none()) {
            dealer.failed(nth);
        }
        let tasks = tasks.into_iter().map(Arc::new).collect();
        let state = Mutex::new(State { tasks, dealer, ended: None, n_found: found.len() });
        let round = Round { several, most, control, state, changed: Condvar::new() };
        let (sender, runs) = sync_channel(RUNS_PER_PLACE * several.places.len());
        let mut taken = vec![std::mem::take(found)];
        thread::scope(|scope| {
            let mut working = Vec::new();
            for (nth, scan) in self.scans.iter_mut().enumerate() {
                if scan.is_some() {
                    let (round, sender) = (&round, sender.clone());
                    working.push(scope.spawn(move || round.work(nth, scan, &sender)));
                }
            }
            drop(sender);
            taken.extend(runs);
            for thread in working {
                // What panics there is a defect here as well.
                thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        });
        let State { tasks, dealer, ended, .. } =
            round.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        tracing::debug!("{} tasks, {} of them stolen", tasks.len(), dealer.n_stolen());
        match ended {
            None => {
                *found = merge(taken, &mut self.room, control)?;
                Ok(Outcome::Done)
            }
            Some(Ok(outcome)) => Ok(outcome),
            Some(Err(error)) => Err(error),
        }
    }
}

/// A task that is done at several places.
struct Round<'a> {
    several: &'a Several,
    most: usize,
    control: &'a Control,
    state: Mutex<State>,
    /// Something was taken, done or given back.
    changed: Condvar,
}

/// What places tell each other.
struct State {
    /// By number; what was split stays, and its parts come after.
    tasks: Vec<Arc<Task>>,
    dealer: Dealer,
    /// Why nobody goes on, if so.
    ended: Option<Result<Outcome>>,
    n_found: usize,
}

impl State {
    /// Has a place do its task, which is too large, as two; whether it can be.
    fn split(&mut self, place: usize, task: &Task) -> bool {
        let parts = task.clone().cut(2);
        if parts.len() < 2 {
            return false;
        }
        let expected: Vec<f64> = parts.iter().map(Task::milliseconds).collect();
        self.dealer.split(place, &expected);
        self.tasks.extend(parts.into_iter().map(Arc::new));
        true
    }
}

impl Round<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked ends all of it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the place does next, if it is needed: its number, the task, and whether it had been dealt to another one.
    fn next(&self, place: usize) -> Option<(usize, Arc<Task>, bool)> {
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
                    return Some((task, state.tasks[task].clone(), was_stolen));
                }
                Next::Done => return None,
                Next::Wait => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Does tasks as long as there are any, and hands on their runs. A place that fails has no scan afterwards.
    fn work<'s>(
        &self,
        nth: usize,
        scan: &mut Option<Box<dyn Scan + 's>>,
        sender: &SyncSender<Vec<Candidate>>,
    ) {
        let _bell = Bell(self);
        let mut before = Instant::now();
        while let Some((ix, task, was_stolen)) = self.next(nth) {
            let start = Instant::now();
            let done = self.control.guard(|| self.run(nth, ix, &task, scan));
            let waited = start - before;
            let took = start.elapsed();
            before = start + took;
            let mut state = self.state();
            match done {
                Ok((Outcome::Done, run)) => {
                    self.control.watch(|latencies| {
                        let place = (nth, self.several.places[nth].name.as_str().into());
                        let (expected, n_candidates) = (task.milliseconds(), run.len());
                        latencies.tasks.record(took);
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
                        state.ended.get_or_insert(Ok(Outcome::TooMany));
                    }
                    drop(state);
                    self.changed.notify_all();
                    // Whoever takes them goes only after all places.
                    let _ = sender.send(run);
                }
                // There was no room for them there. If there is none here either, others have to be handed on first.
                Ok((Outcome::TooMany, run)) => {
                    let has_room = state.n_found + run.len() <= self.most;
                    if !(has_room && state.split(nth, &task)) {
                        state.ended.get_or_insert(Ok(Outcome::TooMany));
                    }
                }
                Err(Error::DeviceMemory { .. }) if state.split(nth, &task) => {}
                Err(error) if is_of_a_place(&error) => {
                    *scan = None;
                    let goes_on = state.dealer.failed(nth);
                    if goes_on {
                        tell(&self.several.places[nth], &error);
                    } else {
                        state.ended.get_or_insert(Err(error));
                    }
                }
                Err(error) => {
                    state.ended.get_or_insert(Err(error));
                }
            }
        }
    }

    /// A task's run.
    fn run<'s>(
        &self,
        nth: usize,
        ix: usize,
        task: &Task,
        scan: &mut Option<Box<dyn Scan + 's>>,
    ) -> Result<(Outcome, Vec<Candidate>)> {
        let Some(scan) = scan else { return Err(Error::Internal("a place without a job".into())) };
        let (mut run, mut room) = (Vec::new(), Vec::new());
        let place = &self.several.places[nth];
        let outcome = place.install(|| {
            let outcome = scan.run(task, self.most, self.control, &mut run)?;
            sort(&mut run, &mut room, self.control)?;
            Ok(outcome)
        })?;
        // As late as can be: everything was done, and all of it is lost.
        match self.several.fault.as_ref().and_then(|fault| fault(nth, ix)) {
            Some(error) => Err(error),
            None => Ok((outcome, run)),
        }
    }
}

/// Wakes all others when a place ends, however it does.
struct Bell<'a, 'b>(&'a Round<'b>);

impl Drop for Bell<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = Error::Internal("a place panicked".into());
            self.0.state().ended.get_or_insert(Err(error));
        }
        self.0.changed.notify_all();
    }
}
