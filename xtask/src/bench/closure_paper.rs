//! The closure as 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023) has it, on a GPU: in three kinds of memory
//! (its figure 2), and with a join that is not fused with the projection after it.
//!
//! What is timed begins with edges on the host, and ends with tuples there that were read once. Beside it stands the engine's own
//! way to sort and merge, from and to ordinary memory. All must find the tuples that are known. Ways take turns.

use super::closure::{GRAPHS, all, read};
use super::graph_args::ClosurePaperArgs;
use super::measure::Times;
use crate::record;
use anyhow::{Result, ensure};
use hyperblock::device::cuda::{Cuda, MemoryKind, PaperClosure, PaperTimes};
use hyperblock::graph::closure::{Options, run_loaded};
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureMethod, ClosureOperator, Deduplicate, Rounds, Wanted};
use hyperblock::operators::relations::LoadFactor;
use hyperblock::read::edges::Graph;
use hyperblock::{Control, Error};
use std::time::{Duration, Instant};

/// Runs that count, after one that does not.
const RUNS: usize = 3;
/// What the paper's rounds are done with, fused and pinned first.
const WAYS: [(&str, bool, MemoryKind); 4] = [
    ("pinned", true, MemoryKind::Pinned),
    ("pageable", true, MemoryKind::Pageable),
    ("unified", true, MemoryKind::Unified),
    ("unfused", false, MemoryKind::Pinned),
];

pub(super) fn run(args: &ClosurePaperArgs) -> Result<()> {
    let gpu = Cuda::open(args.gpu)?;
    println!("{}", gpu.name());
    let mut lines = vec!["graph,tuples,way,total_s,joins_s,copies_s,device_bytes,rounds,ratio".to_owned()];
    let is_asked = |name: &str| match &args.graph[..] {
        [] => GRAPHS.iter().any(|graph| graph.0 == name),
        asked => asked.iter().any(|asked| asked == name),
    };
    for (name, n_tuples, _) in all().filter(|graph| is_asked(graph.0)) {
        let Some(graph) = read(name)? else { continue };
        println!("{name}: {} edges, {n_tuples} tuples", graph.edges.len());
        for (way, seen) in measured(&gpu, &graph, n_tuples)? {
            println!("  {way:12} {}", seen.print());
            lines.push(format!("{name},{n_tuples},{way},{}", seen.csv()));
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "closure-paper", &lines),
        None => Ok(()),
    }
}

/// Medians of a way.
struct Seen {
    seconds: [f64; 3],
    last: PaperTimes,
    /// To the first way, which is the paper's own.
    ratio: f64,
}

impl Seen {
    fn print(&self) -> String {
        let [total, joins, copies] = self.seconds.map(|seconds| seconds * 1e3);
        format!(
            "{total:10.2} ms ({:5.2}), joins {joins:9.2}, copies {copies:9.2}, {:8.1} MiB, {} rounds",
            self.ratio,
            self.last.most_bytes as f64 / f64::from(1 << 20),
            self.last.n_rounds,
        )
    }

    fn csv(&self) -> String {
        let [total, joins, copies] = self.seconds;
        let PaperTimes { most_bytes, n_rounds, .. } = self.last;
        format!("{total:.6},{joins:.6},{copies:.6},{most_bytes},{n_rounds},{:.3}", self.ratio)
    }
}

/// All ways that the device has memory for.
fn measured(gpu: &Cuda, graph: &Graph, n_tuples: u64) -> Result<Vec<(&'static str, Seen)>> {
    let mut runs: Vec<(&str, Option<Vec<PaperTimes>>)> =
        WAYS.iter().map(|(way, ..)| *way).chain(["engine"]).map(|way| (way, Some(Vec::new()))).collect();
    for run in 0..=RUNS {
        for (nth, (way, times)) in runs.iter_mut().enumerate() {
            let Some(taken) = times else { continue };
            let found = match WAYS.get(nth) {
                Some(&(_, is_fused, memory)) => as_in_paper(gpu, graph, is_fused, memory),
                None => by_engine(gpu, graph),
            };
            match found {
                Ok(found) => {
                    ensure!(found.n_tuples == n_tuples, "{way}: {} tuples, not {n_tuples}", found.n_tuples);
                    if run > 0 {
                        taken.push(found);
                    }
                }
                Err(error @ Error::DeviceMemory { .. }) => {
                    println!("  {way:12} left out: {error}");
                    *times = None;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    let mut first = None;
    let seen = runs.into_iter().filter_map(|(way, times)| {
        let times = times?;
        let median =
            |part: fn(&PaperTimes) -> Duration| Times::new(times.iter().map(part).collect()).median();
        let seconds =
            [median(|times| times.total), median(|times| times.joins), median(|times| times.copies)];
        let ratio = seconds[0] / *first.get_or_insert(seconds[0]);
        Some((way, Seen { seconds, last: *times.last()?, ratio }))
    });
    Ok(seen.collect())
}

fn as_in_paper(
    gpu: &Cuda,
    graph: &Graph,
    is_fused: bool,
    memory: MemoryKind,
) -> hyperblock::Result<PaperTimes> {
    let closure = PaperClosure { is_fused, memory, load: LoadFactor::default() };
    let mut sum = 0;
    let times = gpu.close_as_in_paper(graph, closure, &mut |tuples| sum = added(tuples))?;
    std::hint::black_box(sum);
    Ok(times)
}

/// The engine's own rounds, with all copies; it does not say what its arrays take.
fn by_engine(gpu: &Cuda, graph: &Graph) -> hyperblock::Result<PaperTimes> {
    let rounds = Rounds { deduplicate: Deduplicate::Sort, ..Rounds::default() };
    let options = Options { method: ClosureMethod::SemiNaive, rounds, wanted: Wanted { tuples: true } };
    let start = Instant::now();
    let loaded = gpu.load_graph(graph)?;
    let mut sum = 0u64;
    let report = run_loaded(&*loaded, graph, &options, &Control::default(), &mut |tuples| {
        sum = sum.wrapping_add(added(tuples));
        Ok(())
    })?;
    std::hint::black_box(sum);
    Ok(PaperTimes { n_tuples: report.n_tuples, total: start.elapsed(), ..PaperTimes::default() })
}

fn added(tuples: &[u64]) -> u64 {
    tuples.iter().fold(0, |sum, &tuple| sum.wrapping_add(tuple))
}
