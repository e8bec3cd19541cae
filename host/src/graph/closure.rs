//! The driver: a closure in as many pieces as memory asks for, in the order of their sources.
//!
//! Where tuples stay on the device, the first piece is all of it. Where they come to the host, it is as many
//! sources as must fit, whatever they reach, and the next ones follow from what these did reach. What does
//! not fit is done in halves.

use super::report::Report;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::memory::peak_memory;
use crate::base::stopwatch::Stages;
use crate::operators::Backend;
use crate::operators::closure::{
    ClosureMethod, Condensed, Iteration, LoadedGraph, MOST_TUPLES, Piece, Rounds, Wanted,
};
use crate::read::edges::Graph;
use std::time::{Duration, Instant};

/// How much larger a piece may be than the one before it.
const GROWTH: u32 = 8;

/// How a closure is found, and what is wanted of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How it is found.
    pub method: ClosureMethod,
    /// How rounds are done, where there are rounds.
    pub rounds: Rounds,
    /// What is wanted.
    pub wanted: Wanted,
}

/// Finds the closure of `graph` on `device`, and hands its tuples, in order, to `sink`, if they are wanted.
pub fn run(
    device: &dyn Backend,
    graph: &Graph,
    options: &Options,
    control: &Control,
    sink: &mut dyn FnMut(&[u64]) -> Result<()>,
) -> Result<Report> {
    let start = Instant::now();
    device.watch(control.watcher());
    let loaded = device.load_graph(graph)?;
    let loading = start.elapsed();
    let report = run_loaded(&*loaded, graph, options, control, sink)?;
    let mut stages = Stages::from_iter([("load", loading)]);
    stages.extend(&report.stages);
    stages.fill(start.elapsed());
    Ok(Report { device: device.name(), stages, ..report })
}

/// The same of a graph that is on a device already.
pub fn run_loaded(
    loaded: &dyn LoadedGraph,
    graph: &Graph,
    options: &Options,
    control: &Control,
    sink: &mut dyn FnMut(&[u64]) -> Result<()>,
) -> Result<Report> {
    let (n_nodes, n_edges) = (graph.n_nodes, graph.edges.len() as u64);
    let mut report = Report { method: options.method, n_nodes, n_edges, ..Report::default() };
    let start = Instant::now();
    let condensed = match options.method {
        ClosureMethod::SemiNaive => None,
        ClosureMethod::Condense => Some(Condensed::new(n_nodes, &loaded.edges()?)),
    };
    if let Some(condensed) = &condensed {
        report.n_components = Some(condensed.n_components());
        report.stages.add("components", start.elapsed());
    }
    let mut size = Size::new(n_nodes, options.wanted);
    let (mut first, mut writing) = (0, Duration::ZERO);
    while first < n_nodes {
        control.check()?;
        let sources = first..first + size.next.min(n_nodes - first);
        let n_sources = sources.end - sources.start;
        let piece = match &condensed {
            Some(condensed) => loaded.condensed(condensed, sources, options.wanted, control)?,
            None => loaded.semi_naive(sources, options.rounds, options.wanted, control)?,
        };
        let Some(piece) = piece else {
            size.failed(n_sources).ok_or_else(too_much)?;
            control.is_at(first.into());
            continue;
        };
        first += n_sources;
        control.is_at(first.into());
        size.done(n_sources, piece.n_tuples);
        let start = Instant::now();
        sink(&piece.tuples)?;
        writing += start.elapsed();
        report.add_piece(piece);
    }
    if options.wanted.tuples {
        report.stages.add("write", writing);
    }
    report.peak_memory = peak_memory();
    Ok(report)
}

fn too_much() -> Error {
    let reason =
        "what one node reaches does not fit into the device's memory; free some, or use --device cpu";
    Error::Job(reason.into())
}

impl Report {
    fn add_piece(&mut self, piece: Piece) {
        self.n_tuples += piece.n_tuples;
        self.n_pieces += 1;
        for (stage, time) in piece.phases {
            self.stages.add(stage, time);
        }
        let n_rounds = self.iterations.len().max(piece.iterations.len());
        self.iterations.resize_with(n_rounds, Iteration::default);
        for (round, iteration) in self.iterations.iter_mut().zip(piece.iterations) {
            round.n_joined += iteration.n_joined;
            round.n_new += iteration.n_new;
            round.times.extend(&iteration.times);
        }
    }
}

/// How many sources the next piece has.
struct Size {
    next: u32,
    /// As many as may fit: fewer than did not.
    most: u32,
    wanted: Wanted,
}

impl Size {
    fn new(n_nodes: u32, wanted: Wanted) -> Self {
        let most = n_nodes.max(1);
        let fitting = (MOST_TUPLES / u64::from(most)).max(1) as u32;
        Self { next: if wanted.tuples { fitting.min(most) } else { most }, most, wanted }
    }

    /// So many did not fit; none, if fewer are not possible.
    fn failed(&mut self, n_sources: u32) -> Option<()> {
        self.most = n_sources / 2;
        self.next = self.most;
        (self.most > 0).then_some(())
    }

    /// So many made so many tuples.
    fn done(&mut self, n_sources: u32, n_tuples: u64) {
        if self.wanted.tuples {
            // Others may reach more: only half of the room is counted on.
            let fitting = u64::from(n_sources) * (MOST_TUPLES / 2) / n_tuples.max(1);
            let most = self.most.min(n_sources.saturating_mul(GROWTH));
            self.next = fitting.clamp(1, u64::from(most.max(1))) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_TUPLES, Size, Wanted};

    #[test]
    fn pieces_grow_with_what_they_find() {
        let mut size = Size::new(1 << 20, Wanted { tuples: true });
        assert_eq!(size.next, 64);
        size.done(64, 64);
        assert_eq!(size.next, 512);
        size.done(512, MOST_TUPLES);
        assert_eq!(size.next, 256);
        assert_eq!(size.failed(256), Some(()));
        size.done(128, 0);
        assert_eq!(size.next, 128);
        assert_eq!((size.failed(1), Size::new(5, Wanted { tuples: false }).next), (None, 5));
    }
}
