//! What came of it: a table, one file for all, and a figure for each data set and device.

use super::{Figure, Measured, Seen, Way, best, distinct};
use crate::bench::SetjoinWay;
use crate::bench::chart::{Chart, Line};
use crate::bench::panels::Panels;
use crate::record;
use anyhow::Result;
use plotters::prelude::SeriesLabelPosition;
use std::path::Path;

/// One of the times that were measured.
type Seconds = fn(&Measured) -> Option<f64>;

pub(super) fn print_head() {
    println!(
        "{:16} {:>7} {:>1} {:>5} {:>10} {:6} {:9} {:>11} {:>11} {:>11} {:>4} {:>11} {:>8}",
        "data",
        "rows",
        "q",
        "least",
        "candidates",
        "device",
        "way",
        "median ms",
        "fastest",
        "slowest",
        "runs",
        "kernels ms",
        "speed-up"
    );
}

/// Prints all ways of one rule on one device, beside the scan.
pub(super) fn print(figures: &[Figure]) {
    let scan = figures.iter().find(|figure| figure.way == Way::Ours(SetjoinWay::Scan));
    let scan = scan.and_then(Figure::measured).map(|measured| measured.times.median());
    for figure in figures {
        let Figure { data, rows, q, threshold, kind, way, seen, .. } = figure;
        let (kind, way) = (kind.to_string(), way.name());
        print!("{data:16} {rows:>7} {q:>1} {threshold:>5} ");
        let Measured { n_candidates, times, kernels } = match seen {
            Seen::Measured(measured) => measured,
            Seen::Over(seconds) => {
                println!("{:>10} {kind:6} {way:9} over {seconds} s (--most-seconds)", "");
                continue;
            }
            Seen::LeftOut => {
                let why = "left out: too slow for a higher threshold (--most-seconds)";
                println!("{:>10} {kind:6} {way:9} {why}", "");
                continue;
            }
        };
        let [median, fastest, slowest] = [times.median(), times.fastest(), times.slowest()].map(|s| s * 1e3);
        let kernels = kernels.map_or_else(String::new, |seconds| format!("{:.3}", seconds * 1e3));
        let ratio = scan.map_or_else(String::new, |scan| format!("{:.2}x", scan / times.median()));
        println!(
            "{n_candidates:>10} {kind:6} {way:9} {median:>11.3} {fastest:>11.3} {slowest:>11.3} {:>4} \
             {kernels:>11} {ratio:>8}",
            times.n_runs()
        );
    }
}

/// Writes `setjoin.csv`, the best ratios, the machine, and a plot for each data set and device, with the
/// baselines in it.
pub(super) fn save(folder: &Path, figures: &[Figure]) -> Result<()> {
    record::save(folder, "setjoin", &lines(figures))?;
    let best = best::of(figures);
    if !best.is_empty() {
        record::save(folder, "setjoin-best", &best::lines(&best))?;
    }
    let is_ours = |figure: &&Figure| matches!(figure.way, Way::Ours(_));
    for (data, kind) in distinct(figures.iter().filter(is_ours).map(|figure| (&figure.data, figure.kind))) {
        let is_in = |figure: &&Figure| figure.data == *data && (!is_ours(figure) || figure.kind == kind);
        let figures: Vec<&Figure> = figures.iter().filter(is_in).collect();
        draw(&folder.join(format!("setjoin-{data}-{kind}.svg")), &figures)?;
    }
    Ok(())
}

fn lines(figures: &[Figure]) -> Vec<String> {
    let head = "data,device,rows,q,threshold,way,candidates,runs,median_s,fastest_s,slowest_s,kernels_s,seen"
        .to_owned();
    let line = |figure: &Figure| {
        let Figure { data, device, rows, q, threshold, way, seen, .. } = figure;
        let seen = match seen {
            Seen::Measured(Measured { n_candidates, times, kernels }) => format!(
                "{n_candidates},{},{:.6},{:.6},{:.6},{},measured",
                times.n_runs(),
                times.median(),
                times.fastest(),
                times.slowest(),
                kernels.map_or_else(String::new, |seconds| format!("{seconds:.6}")),
            ),
            Seen::Over(seconds) => format!(",0,,,,,over {seconds} s"),
            Seen::LeftOut => ",0,,,,,left out".to_owned(),
        };
        format!("{data},{device},{rows},{q},{threshold},{},{seen}", way.name())
    };
    [head].into_iter().chain(figures.iter().map(line)).collect()
}

/// Time over the threshold, a line for each way, a chart for each length of grams; below them, on a GPU, its
/// kernels.
fn draw(path: &Path, figures: &[&Figure]) -> Result<()> {
    let thresholds = distinct(measured(figures).map(|(figure, _)| figure.threshold));
    if thresholds.len() < 2 {
        println!("{} is not drawn: a line needs two thresholds", path.display());
        return Ok(());
    }
    let (qs, ways) =
        (distinct(figures.iter().map(|figure| figure.q)), distinct(figures.iter().map(|figure| figure.way)));
    let times: [(&str, Seconds); 2] = [
        ("milliseconds", |measured| Some(measured.times.median())),
        ("milliseconds in kernels", |measured| measured.kernels),
    ];
    let mut charts = Vec::new();
    let titles: Vec<String> = qs.iter().map(|q| format!("{q}-grams")).collect();
    for (y, time) in times {
        let all =
            || measured(figures).filter_map(|(_, measured)| time(measured)).map(|seconds| seconds * 1e3);
        let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        if most == 0.0 {
            continue;
        }
        for (q, title) in qs.iter().zip(&titles) {
            let point = |way: Way| {
                measured(figures)
                    .filter(move |(figure, _)| figure.way == way && figure.q == *q)
                    .filter_map(|(figure, measured)| Some((figure.threshold, time(measured)? * 1e3)))
            };
            let line = |&way: &Way| Line {
                name: way.name(),
                points: point(way).collect(),
                // It is one of the others, or none of ours.
                is_dashed: matches!(way, Way::Ours(SetjoinWay::Cheapest) | Way::Baseline(_)),
            };
            charts.push(Chart {
                title,
                x: "least Jaccard similarity",
                y,
                range: least / 1.3..most * 1.3,
                logarithmic: true,
                legend: SeriesLabelPosition::UpperRight,
                lines: ways.iter().map(line).collect(),
            });
        }
    }
    let ours = figures.iter().find(|figure| matches!(figure.way, Way::Ours(_)));
    let Figure { data, rows, device, .. } = ours.unwrap_or(&figures[0]);
    let title = format!("{data}, {rows} rows, {device}");
    Panels { title: &title, columns: qs.len(), charts }.draw(path)
}

/// What was not left out.
fn measured<'a>(figures: &'a [&'a Figure]) -> impl Iterator<Item = (&'a Figure, &'a Measured)> {
    figures.iter().filter_map(|figure| Some((*figure, figure.measured()?)))
}

#[cfg(test)]
mod tests {
    use super::{Figure, Measured, Seen, Way, draw, lines};
    use crate::bench::SetjoinWay;
    use crate::bench::measure::Times;
    use crate::cargo::target;
    use hyperblock::plan::cost::BackendKind;
    use std::time::Duration;

    fn figure(q: u32, threshold: f64, way: SetjoinWay, seen: Seen) -> Figure {
        let (data, device) = ("titles".to_owned(), "cuda:0 (NVIDIA H200)".to_owned());
        let (kind, way) = (BackendKind::Cuda, Way::Ours(way));
        Figure { data, rows: 1000, q, threshold, kind, device, way, seen }
    }

    fn took(ms: u64) -> Seen {
        let times = Times::new(vec![Duration::from_millis(ms)]);
        Seen::Measured(Measured { n_candidates: 17, times, kernels: Some(ms as f64 / 2e3) })
    }

    #[test]
    fn a_line_for_everything() {
        let figures = [(0.8, took(10)), (0.6, Seen::Over(60)), (0.5, Seen::LeftOut)]
            .map(|(threshold, seen)| figure(3, threshold, SetjoinWay::NoFilter, seen));
        let lines = lines(&figures);
        assert_eq!(
            lines[1..],
            [
                "titles,cuda:0 (NVIDIA H200),1000,3,0.8,noFilter,17,1,0.010000,0.010000,0.010000,0.005000,\
                 measured",
                "titles,cuda:0 (NVIDIA H200),1000,3,0.6,noFilter,,0,,,,,over 60 s",
                "titles,cuda:0 (NVIDIA H200),1000,3,0.5,noFilter,,0,,,,,left out"
            ]
        );
        assert!(lines.iter().all(|line| line.matches(',').count() == lines[0].matches(',').count()));
    }

    #[test]
    fn kernels_have_charts_of_their_own() {
        let path = target().join("bench").join("setjoin-test").join("kernels.svg");
        let figures = [2, 3].map(|q| {
            [0.9, 0.5]
                .map(|threshold| figure(q, threshold, SetjoinWay::Join, took((10.0 / threshold) as u64)))
        });
        draw(&path, &figures.iter().flatten().collect::<Vec<_>>()).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        assert_eq!((svg.matches("2-grams").count(), svg.matches("in kernels").count()), (2, 2));
        assert_eq!(svg.matches("<circle").count(), 8);
    }
}
