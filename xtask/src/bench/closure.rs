//! Transitive closure: the graphs of 'Towards Iterative Relational Algebra on the GPU' (USENIX ATC 2023), on
//! every device.
//!
//! What is timed begins with the edges on the device, and ends with all tuples there, sorted; on the CPU they
//! are counted. Every run must find as many as are known. Beside it on the CPU stands a breadth-first search
//! from every node. Ways take turns, so what else the machine does hits all alike.

mod report;
mod search;

use super::graph_args::{ClosureArgs, ClosureWay};
use super::measure::Times;
use super::relation::load_factor;
use super::scan::open;
use super::stand_in;
use super::workload::data_sets;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use hyperblock::Control;
use hyperblock::graph::closure::{Options, run_loaded};
use hyperblock::graph::report::Report;
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureMethod, Deduplicate, Rounds, Wanted};
use hyperblock::operators::relations::LoadFactor;
use hyperblock::plan::cost::BackendKind;
use hyperblock::read::edges::{EdgeList, Graph};
use std::time::Duration;

/// What takes longer than this is measured once.
const LONG: Duration = Duration::from_secs(2);

/// The graphs, with the size of their closures; and where it is said, the seconds that rounds of a join are
/// to take at most on an H200. Over components it is to be a fifth.
pub(super) const GRAPHS: [(&str, u64, Option<f64>); 14] = [
    ("OL.cedge", 146_120, None),
    ("wing", 329_438, None),
    ("cal.cedge", 501_755, None),
    ("ego-Facebook", 2_508_102, None),
    ("luxembourg_osm", 5_022_084, Some(0.2)),
    ("wiki-Vote", 11_947_132, Some(0.1)),
    ("p2p-Gnutella09", 21_402_960, None),
    ("p2p-Gnutella04", 47_059_527, Some(0.12)),
    ("CA-HepTh", 74_619_885, Some(0.2)),
    ("fe_sphere", 78_557_912, Some(0.4)),
    ("SF.cedge", 80_498_014, Some(0.5)),
    ("fe_body", 156_120_489, None),
    ("p2p-Gnutella24", 170_076_196, None),
    ("p2p-Gnutella30", 311_129_068, None),
];

/// How much faster it is to be over components.
const FASTER: f64 = 5.0;

/// A way, and how full its tables may be, if it has some.
type Way = (ClosureWay, Option<LoadFactor>);

/// One way, on one device, of one graph.
struct Figure {
    graph: &'static str,
    n_nodes: u32,
    n_edges: usize,
    n_tuples: u64,
    kind: BackendKind,
    device: String,
    way: ClosureWay,
    load: Option<LoadFactor>,
    times: Times,
    /// What the last run did.
    report: Report,
    /// Seconds that it is to take at most.
    target: Option<f64>,
}

/// The names of all graphs.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    GRAPHS.into_iter().map(|graph| graph.0)
}

pub(super) fn run(args: &ClosureArgs) -> Result<()> {
    let graphs: Vec<_> = match &args.graph[..] {
        [] => GRAPHS.to_vec(),
        names => {
            let known = |name: &String| all().find(|graph| graph.0 == name);
            if let Some(unknown) = names.iter().find(|name| known(name).is_none()) {
                let known: Vec<&str> = all().map(|graph| graph.0).collect();
                bail!("there is no graph `{unknown}`; there are {}", known.join(", "));
            }
            names.iter().filter_map(known).collect()
        }
    };
    let loads = match &args.load_factor[..] {
        [] => vec![LoadFactor::default()],
        shares => shares.iter().map(|share| load_factor(*share)).collect::<Result<_>>()?,
    };
    let devices = open(&args.on.device)?;
    for device in &devices {
        println!("{}: {}", device.kind(), device.name());
    }
    report::print_head();
    let mut figures = Vec::new();
    for (name, n_tuples, target) in graphs {
        let Some(graph) = read(name)? else { continue };
        for device in &devices {
            let new =
                measure((name, &graph), n_tuples, target, &ways(args, &loads, device.kind()), &**device)?;
            new.iter().for_each(report::print);
            figures.extend(new);
        }
    }
    match &args.save {
        Some(folder) => report::save(folder, &figures, &args.rounds_of),
        None => Ok(()),
    }
}

/// All graphs, also those that are made.
pub(super) fn all() -> impl Iterator<Item = (&'static str, u64, Option<f64>)> {
    GRAPHS.into_iter().chain(stand_in::GRAPHS)
}

/// A graph, if its file is there or it is made; else it is said that it is left out.
pub(super) fn read(name: &str) -> Result<Option<Graph>> {
    if let Some(graph) = stand_in::graph(name) {
        return Ok(Some(graph));
    }
    let path = data_sets().join("graphs").join(format!("{name}.tsv"));
    if !path.exists() {
        println!("{name}: left out, {} is not there", path.display());
        return Ok(None);
    }
    Ok(Some(EdgeList::read(&path, false, None, &Control::default())?.graph))
}

/// Closes a graph once: what a profiler looks at.
pub(super) fn once(name: &str, way: ClosureWay, device: &dyn Backend) -> Result<()> {
    let graph = read(name)?.with_context(|| format!("{name} is not there"))?;
    let options = way.options(None).context("a search has no kernels")?;
    let loaded = device.load_graph(&graph)?;
    let n_tuples = run_loaded(&*loaded, &graph, &options, &Control::default(), &mut |_| Ok(()))?.n_tuples;
    let known = GRAPHS.iter().find(|graph| graph.0 == name).map_or(n_tuples, |graph| graph.1);
    ensure!(n_tuples == known, "{name}: {n_tuples} tuples, but {known} are right");
    Ok(())
}

impl ClosureWay {
    /// As on the command line.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The loads that it is measured with: all, if it has tables.
    fn loads(self, all: &[LoadFactor]) -> Vec<Option<LoadFactor>> {
        match self {
            Self::SemiNaiveTable | Self::SemiNaiveSort => all.iter().copied().map(Some).collect(),
            Self::Condense | Self::Search => vec![None],
        }
    }

    fn options(self, load: Option<LoadFactor>) -> Option<Options> {
        let (method, deduplicate) = match self {
            Self::Condense => (ClosureMethod::Condense, Deduplicate::default()),
            Self::SemiNaiveTable => (ClosureMethod::SemiNaive, Deduplicate::Table),
            Self::SemiNaiveSort => (ClosureMethod::SemiNaive, Deduplicate::Sort),
            Self::Search => return None,
        };
        let rounds = Rounds { deduplicate, load: load.unwrap_or_default() };
        Some(Options { method, rounds, wanted: Wanted { tuples: false } })
    }
}

/// The ways that are asked for, as far as this kind of device has them.
fn ways(args: &ClosureArgs, loads: &[LoadFactor], kind: BackendKind) -> Vec<Way> {
    let asked = if args.way.is_empty() { ClosureWay::value_variants() } else { &args.way };
    // A search is the CPU's.
    let is_here = |way: &&ClosureWay| **way != ClosureWay::Search || kind == BackendKind::Cpu;
    let with_loads = |&way: &ClosureWay| way.loads(loads).into_iter().map(move |load| (way, load));
    asked.iter().filter(is_here).flat_map(with_loads).collect()
}

/// Measures a graph on a device in some ways.
fn measure(
    (name, graph): (&'static str, &Graph),
    n_tuples: u64,
    target: Option<f64>,
    ways: &[Way],
    device: &dyn Backend,
) -> Result<Vec<Figure>> {
    let kind = device.kind();
    let loaded = device.load_graph(graph)?;
    let mut reports: Vec<Option<Report>> = vec![None; ways.len()];
    let times = Times::in_turns(ways.len(), LONG, |ix| {
        let (way, load) = ways[ix];
        let run = match way.options(load) {
            Some(options) => run_loaded(&*loaded, graph, &options, &Control::default(), &mut |_| Ok(()))?,
            None => Report { n_tuples: search::count(graph), ..Report::default() },
        };
        ensure!(
            run.n_tuples == n_tuples,
            "{name}, {} on {}: {} tuples, but {n_tuples} are right",
            way.name(),
            device.name(),
            run.n_tuples
        );
        reports[ix] = Some(run);
        Ok(())
    })?;
    let figure = |((&(way, load), times), report): ((&Way, Times), Option<Report>)| {
        let own = match way {
            ClosureWay::Condense => target.map(|seconds| seconds / FASTER),
            _ => target,
        };
        Figure {
            graph: name,
            n_nodes: graph.n_nodes,
            n_edges: graph.edges.len(),
            n_tuples,
            kind,
            device: device.name(),
            way,
            load,
            times,
            report: report.unwrap_or_default(),
            target: own.filter(|_| kind == BackendKind::Cuda && device.name().contains("H200")),
        }
    };
    Ok(ways.iter().zip(times).zip(reports).map(figure).collect())
}

#[cfg(test)]
mod tests {
    use super::{BackendKind, ClosureWay, LoadFactor, ways};
    use crate::{Cli, Command, bench};
    use clap::Parser;

    #[test]
    fn tables_alone_are_filled_otherwise() {
        let Command::Bench(args) = Cli::parse_from(["xtask", "bench", "closure"]).command else { panic!() };
        let bench::Command::Closure(args) = args.command else { panic!() };
        let loads = [10, 40].map(|percent| LoadFactor::from_percent(percent).unwrap());
        let all = ways(&args, &loads, BackendKind::Cpu);
        let of =
            |way| all.iter().filter(|(other, _)| *other == way).map(|(_, load)| *load).collect::<Vec<_>>();
        for way in [ClosureWay::SemiNaiveTable, ClosureWay::SemiNaiveSort] {
            assert_eq!(of(way), loads.map(Some));
        }
        assert_eq!([of(ClosureWay::Condense), of(ClosureWay::Search)], [[None], [None]]);
        assert_eq!(ways(&args, &loads, BackendKind::Cuda).len(), all.len() - 1);
    }
}
