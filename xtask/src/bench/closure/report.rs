//! What came of it: a table, a file for all, and the rounds of one graph, operator by operator.

use super::Figure;
use crate::bench::chart::short;
use crate::bench::graph_args::ClosureWay;
use crate::bench::stacks::{Column, Panel, Stacks};
use crate::record;
use crate::replace::replace;
use anyhow::Result;
use hyperblock::graph::report::OPERATORS;
use std::io::Write;
use std::path::Path;

pub(super) fn print_head() {
    println!(
        "{:16} {:>8} {:>8} {:>12} {:6} {:16} {:>4} {:>11} {:>11} {:>11} {:>4} {:>6} {:>6} {:>14}  stages in ms",
        "graph",
        "nodes",
        "edges",
        "tuples",
        "device",
        "way",
        "load",
        "median ms",
        "fastest",
        "slowest",
        "runs",
        "rounds",
        "pieces",
        "target"
    );
}

pub(super) fn print(figure: &Figure) {
    let Figure { graph, n_nodes, n_edges, n_tuples, kind, way, times, report, target, .. } = figure;
    let [median, fastest, slowest] = [times.median(), times.fastest(), times.slowest()].map(|s| s * 1e3);
    let target = target.map_or_else(String::new, |seconds| {
        let target = seconds * 1e3;
        format!("{} {target:.0} ms", if median <= target { "within" } else { "over" })
    });
    println!(
        "{graph:16} {n_nodes:>8} {n_edges:>8} {n_tuples:>12} {:6} {:16} {:>4} {median:>11.3} {fastest:>11.3} \
         {slowest:>11.3} {:>4} {:>6} {:>6} {target:>14}  {}",
        kind.to_string(),
        way.name(),
        load(figure),
        times.n_runs(),
        report.iterations.len(),
        report.n_pieces,
        stages(figure, " ", ", "),
    );
}

/// How full tables may be; nothing, if there are none.
fn load(figure: &Figure) -> String {
    figure.load.map_or_else(String::new, |load| load.to_string())
}

fn stages(figure: &Figure, between: &str, after: &str) -> String {
    let stage =
        |(name, time): (&str, std::time::Duration)| format!("{name}{between}{:.3}", time.as_secs_f64() * 1e3);
    figure.report.stages.iter().map(stage).collect::<Vec<_>>().join(after)
}

/// Writes `closure.csv`, the machine, and the rounds of a graph as `closure-rounds.csv` and `closure.svg`.
pub(super) fn save(folder: &Path, figures: &[Figure], rounds_of: &str) -> Result<()> {
    record::save(folder, "closure", &lines(figures))?;
    let drawn: Vec<&Figure> = figures
        .iter()
        .filter(|figure| figure.graph == rounds_of && !figure.report.iterations.is_empty())
        .collect();
    if drawn.is_empty() {
        println!("no rounds of {rounds_of} were measured: they are not drawn");
        return Ok(());
    }
    let path = folder.join("closure-rounds.csv");
    replace(&path, |file| rounds(&drawn).iter().try_for_each(|line| writeln!(file, "{line}")))?;
    println!("wrote {}", path.display());
    draw(&folder.join("closure.svg"), &drawn)
}

fn lines(figures: &[Figure]) -> Vec<String> {
    let head =
        "graph,device,nodes,edges,way,load_factor,tuples,rounds,pieces,runs,median_s,fastest_s,slowest_s,target_s,\
                stages_ms"
            .to_owned();
    let line = |figure: &Figure| {
        let Figure { graph, n_nodes, n_edges, n_tuples, device, way, times, report, target, .. } = figure;
        format!(
            "{graph},{device},{n_nodes},{n_edges},{},{},{n_tuples},{},{},{},{:.6},{:.6},{:.6},{},{}",
            way.name(),
            load(figure),
            report.iterations.len(),
            report.n_pieces,
            times.n_runs(),
            times.median(),
            times.fastest(),
            times.slowest(),
            target.map_or_else(String::new, |target| target.to_string()),
            stages(figure, "=", ";"),
        )
    };
    [head].into_iter().chain(figures.iter().map(line)).collect()
}

fn rounds(figures: &[&Figure]) -> Vec<String> {
    let times = OPERATORS.map(|operator| format!(",{operator}_ms")).concat();
    let mut lines = vec![format!("graph,device,way,load_factor,round,joined,new,total{times}")];
    for figure in figures {
        for (number, n_tuples, round) in figure.report.rounds() {
            let times = OPERATORS.map(|operator| format!(",{:.4}", round.time(operator).as_secs_f64() * 1e3));
            lines.push(format!(
                "{},{},{},{},{number},{},{},{n_tuples}{}",
                figure.graph,
                figure.device,
                figure.way.name(),
                load(figure),
                round.n_joined,
                round.n_new,
                times.concat()
            ));
        }
    }
    lines
}

/// A column for each round, a panel for each device, way and load factor.
fn draw(path: &Path, figures: &[&Figure]) -> Result<()> {
    let panel = |figure: &&Figure| {
        let how = match figure.way {
            ClosureWay::SemiNaiveSort => "sorted and merged",
            _ => "by a hash table",
        };
        let column = |(number, _, round): (u32, u64, &hyperblock::operators::closure::Iteration)| {
            let parts = OPERATORS.map(|operator| round.time(operator).as_secs_f64() * 1e3).to_vec();
            Column { name: number.to_string(), above: short(parts.iter().sum()), parts }
        };
        Panel {
            title: format!("{}, {how}, load factor {} (milliseconds above)", figure.device, load(figure)),
            columns: figure.report.rounds().map(column).collect(),
        }
    };
    let stacks = Stacks {
        title: &format!("Rounds of the closure of {}", figures[0].graph),
        x: "round",
        y: "share of the time (%)",
        parts: OPERATORS.map(str::to_owned).to_vec(),
        panels: figures.iter().map(panel).collect(),
    };
    stacks.draw(path)
}

#[cfg(test)]
mod tests {
    use super::{Figure, lines, rounds};
    use crate::bench::graph_args::ClosureWay;
    use crate::bench::measure::Times;
    use hyperblock::graph::report::Report;
    use hyperblock::operators::closure::Iteration;
    use hyperblock::operators::relations::LoadFactor;
    use hyperblock::plan::cost::BackendKind;
    use std::time::Duration;

    #[test]
    fn a_line_for_everything_measured() {
        let round = |n_new| Iteration {
            n_joined: 2 * n_new,
            n_new,
            times: [("join", Duration::from_micros(1500)), ("union", Duration::from_micros(250))]
                .into_iter()
                .collect(),
        };
        let figure = Figure {
            graph: "p2p-Gnutella04",
            n_nodes: 10,
            n_edges: 20,
            n_tuples: 90,
            kind: BackendKind::Cuda,
            device: "cuda:0 (NVIDIA H200)".into(),
            way: ClosureWay::SemiNaiveTable,
            load: LoadFactor::from_percent(40),
            times: Times::new(vec![Duration::from_millis(7)]),
            report: Report {
                n_tuples: 90,
                n_pieces: 1,
                iterations: vec![round(70), round(0)],
                stages: [("rounds", Duration::from_millis(6))].into_iter().collect(),
                ..Report::default()
            },
            target: Some(0.12),
        };
        assert_eq!(
            lines(std::slice::from_ref(&figure))[1],
            "p2p-Gnutella04,cuda:0 (NVIDIA H200),10,20,semi-naive-table,0.40,90,2,1,1,0.007000,0.007000,0.007000,0.12,\
             rounds=6.000"
        );
        assert_eq!(
            rounds(&[&figure])[1..],
            [
                "p2p-Gnutella04,cuda:0 (NVIDIA H200),semi-naive-table,0.40,1,140,70,90,1.5000,0.0000,0.2500,0.0000",
                "p2p-Gnutella04,cuda:0 (NVIDIA H200),semi-naive-table,0.40,2,0,0,90,1.5000,0.0000,0.2500,0.0000",
            ]
        );
    }
}
