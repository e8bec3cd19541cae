//! What came of it: stages of each size, a table of all sizes for each device, one file for all, and a figure.

use super::{Counts, Figure};
use crate::bench::chart::short;
use crate::bench::stacks::{Column, Panel, Stacks};
use crate::record;
use anyhow::Result;
use std::path::Path;

/// From the file to entities.
const WHOLE: &str = "all";
/// Stages that are drawn, and the name of what is left.
const DRAWN: usize = 6;
const OTHERS: &str = "others";

/// Prints the stages of one size.
pub(super) fn print(figure: &Figure) {
    let Figure { device, rows, counts: Counts { candidates, kept, entities }, stages, whole, .. } = figure;
    println!("{device}: {rows} records, {candidates} candidates, {kept} kept, {entities} entities");
    for (stage, seconds) in stages.iter().chain([&(WHOLE, *whole)]) {
        println!("  {stage:10} {seconds:9.4} s");
    }
}

/// Prints a table for each device, a column for each size.
pub(super) fn print_sizes(figures: &[Figure]) {
    for sizes in by_device(figures) {
        println!("\n{}, seconds", sizes[0].device);
        let row = |name: &str, cell: &dyn Fn(&Figure) -> String| {
            print!("{name:12}");
            sizes.iter().for_each(|figure| print!("{:>12}", cell(figure)));
            println!();
        };
        row("records", &|figure| figure.rows.to_string());
        row("candidates", &|figure| figure.counts.candidates.to_string());
        for stage in stages(&sizes) {
            row(stage, &|figure| format!("{:.4}", figure.seconds(stage)));
        }
        row(WHOLE, &|figure| format!("{:.4}", figure.whole));
    }
}

/// Writes `workflow.csv` and the machine; of several sizes also `workflow.svg`.
pub(super) fn save(folder: &Path, figures: &[Figure]) -> Result<()> {
    record::save(folder, "workflow", &lines(figures))?;
    match by_device(figures).iter().any(|sizes| sizes.len() > 1) {
        true => draw(&folder.join("workflow.svg"), figures),
        false => Ok(()),
    }
}

fn lines(figures: &[Figure]) -> Vec<String> {
    let head = "device,rows,candidates,kept,entities,runs,stage,median_s".to_owned();
    let of = |figure: &Figure| {
        let Figure { device, rows, counts: Counts { candidates, kept, entities }, n_runs, .. } = figure;
        let what = format!("{device},{rows},{candidates},{kept},{entities},{n_runs}");
        let all = figure.stages.iter().copied().chain([(WHOLE, figure.whole)]);
        all.map(|(stage, seconds)| format!("{what},{stage},{seconds:.6}")).collect::<Vec<_>>()
    };
    [head].into_iter().chain(figures.iter().flat_map(of)).collect()
}

/// A column for each size, a panel for each device.
fn draw(path: &Path, figures: &[Figure]) -> Result<()> {
    let all: Vec<&Figure> = figures.iter().collect();
    let drawn = longest(&all);
    let column = |figure: &&Figure| {
        let mut parts: Vec<f64> = drawn.iter().map(|stage| figure.seconds(stage)).collect();
        parts.push((figure.whole - parts.iter().sum::<f64>()).max(0.0));
        Column { name: figure.rows.to_string(), above: format!("{} s", short(figure.whole)), parts }
    };
    let panel = |sizes: &Vec<&Figure>| Panel {
        title: sizes[0].device.clone(),
        columns: sizes.iter().map(column).collect(),
    };
    let stacks = Stacks {
        title: "CDs from the file to entities",
        x: "records",
        y: "share of the time (%)",
        parts: drawn.iter().copied().chain([OTHERS]).map(str::to_owned).collect(),
        panels: by_device(figures).iter().map(panel).collect(),
    };
    stacks.draw(path)
}

/// The figures of each device.
fn by_device(figures: &[Figure]) -> Vec<Vec<&Figure>> {
    figures.iter().fold(Vec::new(), |mut all: Vec<Vec<&Figure>>, figure| {
        match all.iter_mut().find(|sizes| sizes[0].device == figure.device) {
            Some(sizes) => sizes.push(figure),
            None => all.push(vec![figure]),
        }
        all
    })
}

/// All stages, in order.
fn stages(figures: &[&Figure]) -> Vec<&'static str> {
    let names = figures.iter().flat_map(|figure| &figure.stages).map(|(stage, _)| *stage);
    names.fold(Vec::new(), |mut stages, stage| {
        if !stages.contains(&stage) {
            stages.push(stage);
        }
        stages
    })
}

/// The stages with the largest share of the time at any size, in order.
fn longest(figures: &[&Figure]) -> Vec<&'static str> {
    let share =
        |stage: &str| figures.iter().map(|figure| figure.seconds(stage) / figure.whole).fold(0.0, f64::max);
    let (mut kept, mut by_share) = (stages(figures), stages(figures));
    by_share.sort_by(|some, others| share(others).total_cmp(&share(some)));
    by_share.truncate(DRAWN);
    kept.retain(|stage| by_share.contains(stage));
    kept
}

#[cfg(test)]
mod tests {
    use super::{Counts, Figure, by_device, lines, longest, stages};

    fn figure(device: &str, rows: u32, stages: &[(&'static str, f64)]) -> Figure {
        let counts = Counts { candidates: 7, kept: 5, entities: 3 };
        let whole = stages.iter().map(|(_, seconds)| seconds).sum();
        Figure { device: device.to_owned(), rows, counts, n_runs: 3, stages: stages.to_vec(), whole }
    }

    #[test]
    fn a_line_for_every_stage_of_every_size() {
        let figures = [
            figure("cpu", 100, &[("read", 0.25), ("score", 0.5)]),
            figure("cpu", 200, &[("read", 0.5), ("score", 2.0)]),
        ];
        assert_eq!(
            lines(&figures)[1..],
            [
                "cpu,100,7,5,3,3,read,0.250000",
                "cpu,100,7,5,3,3,score,0.500000",
                "cpu,100,7,5,3,3,all,0.750000",
                "cpu,200,7,5,3,3,read,0.500000",
                "cpu,200,7,5,3,3,score,2.000000",
                "cpu,200,7,5,3,3,all,2.500000",
            ]
        );
        assert_eq!(figures[1].seconds("score"), 2.0);
        assert_eq!(figures[1].seconds("write"), 0.0);
    }

    #[test]
    fn sizes_stand_beside_each_other() {
        let figures = [("cpu", 1), ("cuda", 1), ("cpu", 2)].map(|(device, rows)| figure(device, rows, &[]));
        let rows: Vec<Vec<u32>> = by_device(&figures)
            .iter()
            .map(|sizes| sizes.iter().map(|figure| figure.rows).collect())
            .collect();
        assert_eq!(rows, [vec![1, 2], vec![1]]);
    }

    #[test]
    fn the_longest_stages_are_drawn() {
        let all = ["a", "b", "c", "d", "e", "f", "g"].map(|stage| (stage, 1.0));
        let (small, large) = (figure("cpu", 1, &all), figure("cpu", 2, &[("a", 0.1), ("h", 9.0)]));
        assert_eq!(stages(&[&small, &large]), ["a", "b", "c", "d", "e", "f", "g", "h"]);
        assert_eq!(longest(&[&small, &large]), ["a", "b", "c", "d", "e", "h"]);
    }
}
