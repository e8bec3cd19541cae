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
//! two. A [`round`] does so for tasks of any kind: those of a [`scan`], and [`stripe`]s of [`neighbours`] and of pairs to be
//! scored. What is not cut into tasks is done by one of them alone.

mod dealer;
mod neighbours;
mod rest;
mod round;
mod scan;
mod scores;
mod stripe;

pub use dealer::{Dealer, Next, Schedule, Speed};

use super::cpu;
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::operators::Backend;
use crate::plan::cost::BackendKind;
use rayon::ThreadPool;
use round::Part;
use std::fmt;
use std::sync::OnceLock;

/// Tasks for each place, if nobody asks for a number: so many that places end together.
const TASKS_PER_PLACE: usize = 8;
/// The same where some are far slower: so many that the last task of those does not keep the others waiting.
const TASKS_BESIDE: usize = 32;
/// Milliseconds that a task should take: dealing, sorting and merging cost some hundredths of one.
const LEAST_MILLISECONDS: f64 = 2.0;

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
    /// Its own threads, if it is of the CPU and shares it.
    pool: Option<Threads>,
}

/// So many threads, started when there is something to do.
struct Threads {
    n: usize,
    pool: OnceLock<ThreadPool>,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Place {
    /// Does work on the place's own threads.
    fn install<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let Some(Threads { n, pool }) = &self.pool else { return work() };
        if let Some(pool) = pool.get() {
            return pool.install(work);
        }
        let started = rayon::ThreadPoolBuilder::new().num_threads(*n).build().map_err(|error| {
            Error::Job(format!("threads cannot be started: {error}; ask for fewer with --threads"))
        })?;
        pool.get_or_init(|| started).install(work)
    }

    /// How many threads it has.
    fn n_threads(&self) -> usize {
        self.pool.as_ref().map_or_else(threads::n_threads, |threads| threads.n)
    }

    /// Tells that it failed, and the job goes on.
    fn is_left_out(&self, error: &Error) {
        tracing::warn!("{} is left out, and others do its work: {error}", self.name);
    }

    /// Whether it is of the CPU, and what it does was planned for a GPU.
    fn is_beside(&self, planned_for: BackendKind) -> bool {
        self.device.kind() != planned_for
    }

    /// How many times as fast it may be as what the plan expects of its kind, as long as nothing was seen of it.
    fn speed(&self, planned_for: BackendKind) -> Speed {
        let times = match self.device.kind() {
            BackendKind::Cuda => 1.0,
            BackendKind::Cpu => self.n_threads() as f64 / threads::n_threads() as f64,
        };
        Speed { times, is_beside: self.is_beside(planned_for) }
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
            let pool = n_threads.map(|n| Threads { n: n.max(1), pool: OnceLock::new() });
            let name = pool.as_ref().map_or_else(|| device.name(), |threads| cpu::name(threads.n));
            Place { name, device, pool }
        };
        let places: Vec<Place> = devices.into_iter().map(place).collect();
        match places.is_empty() {
            true => Err(Error::Job("there is no place to run at".into())),
            false => Ok(Self { places, schedule, partitions, fault: None }),
        }
    }

    /// With places that fail: a test's way to see that nothing is lost in that.
    pub fn with_fault(self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// By place: whether it does some of it. Somebody does, of those who hold what it takes.
    fn taking_part<T>(&self, whole: &impl Part, held: &[Option<T>]) -> Vec<bool> {
        let is_beside = |place: &Place| place.is_beside(self.kind());
        let mut own = self.places.iter().zip(held).filter(|(place, _)| !is_beside(place));
        let all = whole.pays_beside() || own.all(|(_, held)| held.is_none());
        let takes_part = |(place, held): (&Place, &Option<T>)| held.is_some() && (all || !is_beside(place));
        self.places.iter().zip(held).map(takes_part).collect()
    }

    /// Work as so many tasks as suits those who take part.
    fn cut<P: Part>(&self, whole: P, taking_part: &[bool]) -> Vec<P> {
        let useful = (whole.expected()[0] / LEAST_MILLISECONDS).ceil().max(1.0) as usize;
        let places = || self.places.iter().zip(taking_part).filter(|(_, takes_part)| **takes_part);
        let has_beside = places().any(|(place, _)| place.is_beside(self.kind()));
        let wanted = match places().count() {
            0 | 1 => 1,
            n if has_beside => TASKS_BESIDE * n,
            n => TASKS_PER_PLACE * n,
        };
        whole.cut(self.partitions.unwrap_or(wanted.min(useful)).max(1))
    }

    /// Has each place bring something to where it works; those that fail are left out, as long as there is another one.
    fn load_all<'a, T: Send>(&'a self, load: impl Fn(&'a Place) -> Result<T>) -> Result<Vec<Option<T>>> {
        let mut held = Vec::new();
        let mut last = Error::Job("there is no place to run at".into());
        for place in &self.places {
            match load(place) {
                Ok(loaded) => held.push(Some(loaded)),
                Err(error) if is_of_a_place(&error) => {
                    place.is_left_out(&error);
                    held.push(None);
                    last = error;
                }
                Err(error) => return Err(error),
            }
        }
        if held.iter().any(Option::is_some) { Ok(held) } else { Err(last) }
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
        | Error::Memory { .. }
        | Error::Interrupted
        | Error::Internal(_) => false,
    }
}
