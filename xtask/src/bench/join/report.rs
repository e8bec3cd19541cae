//! What came of it: a table, one file for all, and two figures for each device.

use super::{Figure, Measured, Method};
use crate::bench::chart::{Chart, Line, short};
use crate::bench::stacks::{Column, Panel, Stacks};
use crate::record;
use anyhow::Result;
use hyperblock::operators::join::Output;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::join::JoinMethod;
use plotters::prelude::SeriesLabelPosition;
use std::path::Path;

/// Where targets hold: on this GPU, for so many rows a side.
const TARGET_GPU: &str = "H200";
const TARGET_ROWS: u32 = 32_000_000;
/// Milliseconds, by exponent, when pairs are materialised.
const MATERIALISED: [(f64, f64); 4] = [(0.0, 3.0), (0.5, 5.0), (0.8, 400.0), (1.0, 15_000.0)];
/// When they are counted: without skew, and with any.
const COUNTED: [f64; 2] = [2.0, 3.0];
/// A pair is two numbers of rows.
const PAIR_BYTES: f64 = 8.0;

impl Figure {
    /// The milliseconds that this is meant to take at most, where that is said. Shown, not asserted.
    fn target(&self) -> Option<f64> {
        let holds = self.way.method == Method::Ours(JoinMethod::Skew) && self.device.contains(TARGET_GPU);
        let target = match self.way.output {
            Output::Count => Some(COUNTED[usize::from(self.s > 0.0)]),
            Output::Pairs { .. } => {
                MATERIALISED.iter().find(|(s, _)| *s == self.s).map(|(_, target)| *target)
            }
        };
        target.filter(|_| holds && self.rows == TARGET_ROWS)
    }
}

pub(super) fn print_head() {
    println!(
        "{:>4} {:>14} {:6} {:9} {:6} {:>11} {:>11} {:>11} {:>4} {:>7} {:>11} {:>8} {:>13}  phases in ms",
        "s",
        "results",
        "device",
        "method",
        "output",
        "median ms",
        "fastest",
        "slowest",
        "runs",
        "heavy",
        "billion/s",
        "GB/s",
        "target"
    );
}

pub(super) fn print(figure: &Figure) {
    let Figure { s, kind, n_pairs, way, measured, .. } = figure;
    let (kind, method) = (kind.to_string(), way.method.to_string());
    print!("{s:>4} {n_pairs:>14} {kind:6} {method:9} {:6} ", way.output());
    let Some(Measured { times, n_heavy, phases }) = measured else {
        println!("left out: too many results to go through (--most-pairs)");
        return;
    };
    let [median, fastest, slowest] = [times.median(), times.fastest(), times.slowest()].map(|s| s * 1e3);
    let rate = *n_pairs as f64 / times.median();
    let written = match way.output {
        Output::Count => String::new(),
        Output::Pairs { .. } => format!("{:.1}", rate * PAIR_BYTES / 1e9),
    };
    let target = figure.target().map_or_else(String::new, |target| {
        format!("{} {target} ms", if median <= target { "within" } else { "over" })
    });
    let phases: Vec<String> =
        phases.iter().map(|(name, seconds)| format!("{name} {:.3}", seconds * 1e3)).collect();
    println!(
        "{median:>11.3} {fastest:>11.3} {slowest:>11.3} {:>4} {n_heavy:>7} {:>11.3} \
         {written:>8} {target:>13}  {}",
        times.n_runs(),
        rate / 1e9,
        phases.join(", ")
    );
}

/// Writes `join.csv`, the machine, and two plots for each device.
pub(super) fn save(folder: &Path, figures: &[Figure]) -> Result<()> {
    record::save(folder, "join", &lines(figures))?;
    let kinds: Vec<BackendKind> = [BackendKind::Cpu, BackendKind::Cuda]
        .into_iter()
        .filter(|kind| figures.iter().any(|figure| figure.kind == *kind))
        .collect();
    for kind in &kinds {
        let figures: Vec<&Figure> = figures.iter().filter(|figure| figure.kind == *kind).collect();
        // Where there is one device alone, the folder says which.
        let suffix = if kinds.len() > 1 { format!("-{kind}") } else { String::new() };
        draw(&folder.join(format!("join{suffix}.svg")), &figures)?;
        draw_phases(&folder.join(format!("join-phases{suffix}.svg")), &figures)?;
    }
    Ok(())
}

fn lines(figures: &[Figure]) -> Vec<String> {
    let head = "s,device,rows,method,output,pairs,heavy,runs,median_s,fastest_s,slowest_s,pairs_per_s,\
                target_s,phases_ms"
        .to_owned();
    let line = |figure: &Figure| {
        let Figure { s, device, rows, n_pairs, way, measured, .. } = figure;
        let Measured { times, n_heavy, phases } = measured.as_ref()?;
        let phases: Vec<String> =
            phases.iter().map(|(name, seconds)| format!("{name}={:.4}", seconds * 1e3)).collect();
        Some(format!(
            "{s},{device},{rows},{},{},{n_pairs},{n_heavy},{},{:.6},{:.6},{:.6},{:.0},{},{}",
            way.method,
            way.output(),
            times.n_runs(),
            times.median(),
            times.fastest(),
            times.slowest(),
            *n_pairs as f64 / times.median(),
            figure.target().map_or_else(String::new, |target| format!("{}", target / 1e3)),
            phases.join(";"),
        ))
    };
    [head].into_iter().chain(figures.iter().filter_map(line)).collect()
}

/// Time over the exponent, a line for each method and output.
fn draw(path: &Path, figures: &[&Figure]) -> Result<()> {
    let name = |figure: &Figure| format!("{}, {}", figure.way.method, figure.way.output());
    let mut lines: Vec<Line> = Vec::new();
    for figure in figures {
        let Some(measured) = &figure.measured else { continue };
        let point = (figure.s, measured.times.median() * 1e3);
        match lines.iter_mut().find(|line| line.name == name(figure)) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name: name(figure), points: vec![point], is_dashed: false }),
        }
    }
    let points = || lines.iter().flat_map(|line| &line.points);
    let Some(first) = points().next().filter(|first| points().any(|point| point.0 > first.0)) else {
        println!("{} is not drawn: a line needs two exponents", path.display());
        return Ok(());
    };
    let range = points().fold(first.1..first.1, |range, (_, y)| range.start.min(*y)..range.end.max(*y));
    let range = range.start / 1.3..range.end * 1.3;
    let title = format!("Join of {} rows with as many, {}", figures[0].rows, figures[0].device);
    let (x, y) = ("exponent of Zipf's law", "milliseconds");
    let legend = SeriesLabelPosition::UpperLeft;
    Chart { title: &title, x, y, range, logarithmic: true, legend, lines }.draw(path)
}

/// What a join with heavy keys apart spends its time on, counted and materialised.
fn draw_phases(path: &Path, figures: &[&Figure]) -> Result<()> {
    let skew = || figures.iter().filter(|figure| figure.way.method == Method::Ours(JoinMethod::Skew));
    let measured = || skew().filter_map(|figure| Some((*figure, figure.measured.as_ref()?)));
    let names = measured().flat_map(|(_, measured)| &measured.phases).fold(
        Vec::new(),
        |mut names: Vec<&str>, (name, _)| {
            if !names.contains(name) {
                names.push(name);
            }
            names
        },
    );
    if names.is_empty() {
        println!("{} is not drawn: no run told its phases", path.display());
        return Ok(());
    }
    let column = |(figure, measured): (&Figure, &Measured)| {
        let part =
            |name: &&str| measured.phases.iter().find(|phase| phase.0 == *name).map_or(0.0, |phase| phase.1);
        let mut parts: Vec<f64> = names.iter().map(part).collect();
        let whole = measured.times.median();
        parts.push((whole - parts.iter().sum::<f64>()).max(0.0));
        Column { name: figure.s.to_string(), above: format!("{} ms", short(whole * 1e3)), parts }
    };
    let panels = [("count", "counted"), ("pairs", "materialised")].map(|(output, title)| Panel {
        title: title.to_owned(),
        columns: measured().filter(|(figure, _)| figure.way.output() == output).map(column).collect(),
    });
    let stacks = Stacks {
        title: &format!("Phases of a join, heavy keys apart, {}", figures[0].device),
        x: "exponent of Zipf's law",
        y: "share of the time (%)",
        // What is in no phase comes last.
        parts: names.iter().copied().chain(["other"]).map(str::to_owned).collect(),
        panels: panels.into_iter().filter(|panel| !panel.columns.is_empty()).collect(),
    };
    stacks.draw(path)
}

#[cfg(test)]
mod tests {
    use super::{Figure, Measured, lines};
    use crate::bench::join::{Method, Way};
    use crate::bench::measure::Times;
    use hyperblock::operators::join::Output;
    use hyperblock::plan::cost::BackendKind;
    use hyperblock::plan::join::JoinMethod;
    use std::time::Duration;

    fn figure(s: f64, method: JoinMethod, output: Output, ms: Option<u64>) -> Figure {
        let measured = ms.map(|ms| Measured {
            times: Times::new(vec![Duration::from_millis(ms)]),
            n_heavy: 5,
            phases: vec![("partition", 0.001), ("join", ms as f64 / 1e3 - 0.001)],
        });
        let device = "cuda:0 (NVIDIA H200)".to_owned();
        let (kind, rows, n_pairs) = (BackendKind::Cuda, 32_000_000, 1_000_000);
        Figure { s, kind, device, rows, n_pairs, way: Way { method: Method::Ours(method), output }, measured }
    }

    #[test]
    fn targets_are_of_the_method_that_knows_skew() {
        let pairs = Output::Pairs { capacity: 1 };
        let target = |s, method, output| figure(s, method, output, None).target();
        assert_eq!(target(0.0, JoinMethod::Skew, Output::Count), Some(2.0));
        assert_eq!(target(0.7, JoinMethod::Skew, Output::Count), Some(3.0));
        assert_eq!(target(0.8, JoinMethod::Skew, pairs), Some(400.0));
        assert_eq!(target(0.7, JoinMethod::Skew, pairs), None);
        assert_eq!(target(0.8, JoinMethod::Plain, pairs), None);
        let fewer = Figure { rows: 1000, ..figure(0.0, JoinMethod::Skew, pairs, None) };
        assert_eq!(fewer.target(), None);
    }

    #[test]
    fn a_line_for_everything_measured() {
        let figures = [
            figure(0.8, JoinMethod::Skew, Output::Count, Some(10)),
            figure(0.8, JoinMethod::Plain, Output::Pairs { capacity: 1 }, None),
        ];
        let lines = lines(&figures);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[1],
            "0.8,cuda:0 (NVIDIA H200),32000000,skew,count,1000000,5,1,0.010000,0.010000,0.010000,100000000,\
             0.003,partition=1.0000;join=9.0000"
        );
        assert_eq!(lines[0].matches(',').count(), lines[1].matches(',').count());
    }
}
