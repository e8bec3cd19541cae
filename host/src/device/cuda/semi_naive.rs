//! Semi-naive transitive closure on a GPU.
//!
//! ```text
//! edges ─► index                     ┌──────────────────────────────┐
//! edges of the sources ─► tuples ─► join ─► deduplicate ─► union ─► new tuples ─┘  until there are none
//! ```
//!
//! By a [`table`]: new tuples are appended to all others, so that those of the last round stand at the end, and nothing has
//! to be brought together or cleared; they are sorted once, when all are there. By [`sorting`], as in the paper: what is
//! joined is sorted, tuples that are known are taken out, and all are merged, every round. The host waits for a round once,
//! to learn how many tuples it made.

mod sorting;
mod table;

use super::Cuda;
use super::columns::Slices;
use super::relation::Index;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::operators::closure::{Deduplicate, Iteration, Piece, Rounds, Wanted};
use crate::operators::relations::LoadFactor;
use crate::read::edges::Graph;
use cudarc::driver::{CudaEvent, CudaSlice};
use hyperblock_shared::layout::DeviceSlice;
use hyperblock_shared::relation::first_of;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Of a hundred bytes that are free, those that are planned with: the driver gives memory in large pieces.
const PERCENT_PLANNED: u64 = 90;

/// The operators, in the order of the times of a round.
const OPERATORS: [&str; 4] = ["join", "deduplicate", "union", "clear"];

/// One of [`OPERATORS`].
#[derive(Clone, Copy)]
enum Operator {
    Join = 0,
    Deduplicate = 1,
    Union = 2,
    Clear = 3,
}

/// What some sources reach, if it fits into memory. A round is a join and what follows it; the last one finds nothing new.
pub(super) fn semi_naive(
    gpu: &Cuda,
    graph: &Graph,
    edges: &CudaSlice<u64>,
    sources: Range<u32>,
    rounds: Rounds,
    wanted: Wanted,
    control: &Control,
) -> Result<Option<Piece>> {
    let place = |source: u32| graph.edges.partition_point(|&edge| first_of(edge) < source);
    let job = Job {
        gpu,
        n_nodes: graph.n_nodes,
        edges: Slices(gpu).first(edges, graph.edges.len()),
        firsts: edges,
        of_sources: place(sources.start)..place(sources.end).max(place(sources.start)),
        bound: u64::from(sources.end.saturating_sub(sources.start)) * u64::from(graph.n_nodes),
        load: rounds.load,
        free: gpu.free_bytes()? / 100 * PERCENT_PLANNED,
        wanted,
        control,
    };
    let piece = match rounds.deduplicate {
        Deduplicate::Table => table::closure(&job),
        Deduplicate::Sort => sorting::closure(&job),
    };
    match piece {
        // It was planned, and is not there after all: someone else may use the device.
        Err(Error::DeviceMemory { .. }) => Ok(None),
        piece => piece,
    }
}

/// What is asked for.
struct Job<'a> {
    gpu: &'a Cuda,
    n_nodes: u32,
    /// All edges.
    edges: DeviceSlice<u64>,
    firsts: &'a CudaSlice<u64>,
    /// Which of them start from a source.
    of_sources: Range<usize>,
    /// Tuples that there may be at most.
    bound: u64,
    load: LoadFactor,
    /// Bytes that may be taken.
    free: u64,
    wanted: Wanted,
    control: &'a Control,
}

impl Job<'_> {
    /// The index of all edges, and the bytes that are left.
    fn index(&self) -> Result<Option<(Index, u64)>> {
        let n_keys = u64::from(self.n_nodes).min(self.edges.len());
        let Some(free) = self.free.checked_sub(Index::n_bytes(n_keys, self.load)) else { return Ok(None) };
        Ok(Some((Index::new(self.gpu, self.edges, n_keys, self.load)?, free)))
    }

    /// The edges that start from a source.
    fn edges_of_sources(&self) -> DeviceSlice<u64> {
        let Range { start, end } = self.of_sources;
        self.edges.part(start as u64..end as u64)
    }

    /// Sorted tuples, brought to the host if they are wanted.
    fn piece(&self, tuples: &CudaSlice<u64>, n_tuples: usize, clock: Clock<'_>) -> Result<Piece> {
        let mut piece = clock.piece()?;
        piece.n_tuples = n_tuples as u64;
        if self.wanted.tuples && n_tuples > 0 {
            let start = Instant::now();
            piece.tuples = vec![0; n_tuples];
            self.gpu.download(&tuples.slice(..n_tuples), &mut piece.tuples)?;
            piece.phases.push(("download", start.elapsed()));
        }
        Ok(piece)
    }
}

/// Notes what rounds did, and when operators ended, on the device; the times are only looked at when all is done.
struct Clock<'a> {
    gpu: &'a Cuda,
    started: Instant,
    phases: Vec<(&'static str, Duration)>,
    rounds: Vec<Round>,
}

struct Round {
    n_joined: u64,
    n_new: u64,
    start: CudaEvent,
    ends: Vec<(Operator, CudaEvent)>,
}

impl<'a> Clock<'a> {
    fn new(gpu: &'a Cuda) -> Result<Self> {
        gpu.synchronize()?;
        Ok(Self { gpu, started: Instant::now(), phases: Vec::new(), rounds: Vec::new() })
    }

    /// A phase has ended, and the device with it.
    fn end_phase(&mut self, phase: &'static str) -> Result<()> {
        self.gpu.synchronize()?;
        self.phases.push((phase, self.started.elapsed()));
        self.started = Instant::now();
        Ok(())
    }

    fn begin_round(&mut self) -> Result<()> {
        let (start, ends) = (self.gpu.mark()?, Vec::with_capacity(2));
        self.rounds.push(Round { n_joined: 0, n_new: 0, start, ends });
        Ok(())
    }

    /// An operator has been launched.
    fn end(&mut self, operator: Operator) -> Result<()> {
        let end = self.gpu.mark()?;
        if let Some(round) = self.rounds.last_mut() {
            round.ends.push((operator, end));
        }
        Ok(())
    }

    fn end_round(&mut self, n_joined: u64, n_new: u64) {
        if let Some(round) = self.rounds.last_mut() {
            (round.n_joined, round.n_new) = (n_joined, n_new);
        }
    }

    fn piece(self) -> Result<Piece> {
        let mut iterations = Vec::with_capacity(self.rounds.len());
        for Round { n_joined, n_new, start, ends } in &self.rounds {
            let mut times = OPERATORS.map(|operator| (operator, Duration::ZERO));
            let mut before = start;
            for (operator, end) in ends {
                times[*operator as usize].1 += self.gpu.between(before, end)?;
                before = end;
            }
            iterations.push(Iteration {
                n_joined: *n_joined,
                n_new: *n_new,
                times: times.into_iter().collect(),
            });
        }
        Ok(Piece { iterations, phases: self.phases, ..Piece::default() })
    }
}
