//! The planner: the same rules in the planned order and in the orders of all variants, side by side.
//!
//! As figures 7d, 7e and 7g of HyperBlocker (PVLDB 18(2), 2024): rules of 2 to 10 predicates, and 1 to 50 rules, over
//! generated people and over the tables of `xtask/paper`. Rules are drawn, with a seed, from a pool of predicates: over all
//! columns of people, else those of the table's own rule file, whose rules come first where their number varies. Every
//! variant must find the same number of candidates. The variants take turns, so what else the machine does hits all alike.

mod example;
pub(super) mod pool;

use super::chart::{Chart, Line};
use super::measure::{Times, scan};
use super::plan_args::{PlanArgs, PlanData};
use super::workload::{TRAFFIC, data_sets};
use crate::cargo::target;
use crate::r#gen;
use crate::record;
use crate::replace::replace;
use anyhow::{Result, ensure};
use hyperblock::Control;
use hyperblock::device;
use hyperblock::operators::Backend;
use hyperblock::plan::Variant;
use hyperblock::{DeviceChoice, Job};
use plotters::prelude::SeriesLabelPosition;
use pool::Pool;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const DBLP_ACM: &str = include_str!("../../paper/dblp_acm.toml");
const DBLP_SCHOLAR: &str = include_str!("../../paper/dblp_scholar_1to1.toml");
const SEED: u64 = 1;
/// Rules, where the number of predicates varies; predicates, where the number of rules does.
const RULES: usize = 10;
const PREDICATES: usize = 5;
const BY_PREDICATES: [usize; 5] = [2, 4, 6, 8, 10];
const BY_RULES: [usize; 7] = [1, 5, 10, 20, 30, 40, 50];
const ROUNDS: usize = 7;

/// The planned order first, then what it is compared with.
const ORDERS: [Option<Variant>; 6] = [
    None,
    Some(Variant::NoEpg),
    Some(Variant::NoPo),
    Some(Variant::NoRo),
    Some(Variant::COrder),
    Some(Variant::SOrder),
];

/// One order on one set of rules.
struct Figure {
    variant: Option<Variant>,
    times: Times,
    planning: Duration,
}

/// All orders on one set of rules.
struct Point {
    data: PlanData,
    /// What varies: `predicates` or `rules`.
    by: &'static str,
    n: usize,
    n_candidates: u64,
    figures: Vec<Figure>,
}

/// The tables, as files, and where their rules come from.
struct Tables {
    data: PlanData,
    left: PathBuf,
    right: Option<PathBuf>,
    pool: Pool,
}

impl Tables {
    /// Nothing, if they are not generated and not there.
    fn make(data: PlanData, rows: u32) -> Result<Option<Self>> {
        let folder = target().join("bench").join("plan");
        let known = data_sets().join(data.name());
        let (left, right, pool) = match data {
            PlanData::People => {
                let output = folder.clone();
                r#gen::run(&r#gen::Command::People {
                    rows,
                    seed: SEED,
                    duplicates: 0.2,
                    skew: None,
                    output,
                })?;
                (folder.join("people.csv"), None, Pool::people())
            }
            PlanData::Traffic => {
                let output = folder.clone();
                r#gen::run(&r#gen::Command::Traffic { rows, seed: SEED, duplicates: 0.2, output })?;
                (folder.join("traffic.csv"), None, Pool::of_file(TRAFFIC)?)
            }
            PlanData::DblpAcm | PlanData::DblpScholar1to1 if !known.is_dir() => return Ok(None),
            PlanData::DblpAcm => {
                (known.join("tableA.csv"), Some(known.join("tableB.csv")), Pool::of_file(DBLP_ACM)?)
            }
            PlanData::DblpScholar1to1 => {
                (known.join("tableA.csv"), Some(known.join("tableB.csv.gz")), Pool::of_file(DBLP_SCHOLAR)?)
            }
        };
        Ok(Some(Self { data, left, right, pool }))
    }

    fn job(&self, rules: &Path) -> Job {
        match &self.right {
            None => Job::dedupe(&self.left, rules),
            Some(right) => Job::link(&self.left, right, rules),
        }
    }
}

pub(super) fn run(args: &PlanArgs) -> Result<()> {
    let choice: DeviceChoice = args.device.parse().map_err(anyhow::Error::msg)?;
    let device = device::open(choice, None)?;
    if args.example {
        return example::run(&*device, args.save.as_deref());
    }
    let mut points = Vec::new();
    for &data in &args.data {
        let Some(tables) = Tables::make(data, args.rows)? else {
            println!("{}: left out, its tables are not in {}", data.name(), data_sets().display());
            continue;
        };
        for n in BY_PREDICATES {
            points.push(measure(&*device, &tables, "predicates", n, tables.pool.drawn(RULES, n, SEED))?);
        }
        for n in BY_RULES {
            points.push(measure(&*device, &tables, "rules", n, tables.pool.first(n, PREDICATES, SEED))?);
        }
    }
    judge(&points);
    let Some(folder) = &args.save else { return Ok(()) };
    record::save(folder, "plan", &lines(&device.name(), args.rows, &points))?;
    for &data in &args.data {
        for by in ["predicates", "rules"] {
            let points: Vec<&Point> =
                points.iter().filter(|point| point.data == data && point.by == by).collect();
            let of = if data == PlanData::People { String::new() } else { format!("{}-", data.name()) };
            draw(&folder.join(format!("plan-{of}{by}.svg")), by, &points, &device.name())?;
        }
    }
    Ok(())
}

fn measure(
    device: &dyn Backend,
    tables: &Tables,
    by: &'static str,
    n: usize,
    rules: Vec<String>,
) -> Result<Point> {
    let data = tables.data;
    let path = target().join("bench/plan.toml");
    replace(&path, |file| std::io::Write::write_all(file, pool::rule_file(rules).as_bytes()))?;
    let prepared = ORDERS
        .into_iter()
        .map(|variant| {
            Ok(tables
                .job(&path)
                .variants(variant.into_iter().collect())
                .prepare(device, &Control::default())?)
        })
        .collect::<Result<Vec<_>>>()?;
    let mut times = vec![Vec::new(); ORDERS.len()];
    let mut known = None;
    // One round more than counts, to warm up.
    for round in 0..=ROUNDS {
        for (job, times) in prepared.iter().zip(&mut times) {
            let start = Instant::now();
            // All orders read the same columns in the same place: where columns lie in memory makes more of a difference
            // than some orders do, and encoding is the same every time.
            let n_found = scan(&prepared[0], job.plan.program(), device)?;
            let took = start.elapsed();
            let wanted = *known.get_or_insert(n_found);
            ensure!(n_found == wanted, "{by} {n}: {n_found} candidates, but {wanted} in the planned order");
            if round > 0 {
                times.push(took);
            }
        }
    }
    let figures = ORDERS.into_iter().zip(prepared).zip(times).map(|((variant, job), times)| Figure {
        variant,
        times: Times::new(times),
        planning: job.planning(),
    });
    let point = Point { data, by, n, n_candidates: known.unwrap_or_default(), figures: figures.collect() };
    print!("{:18} {n:3} {by:10}", data.name());
    for figure in &point.figures {
        print!("  {} {:.4} s", name(figure.variant), figure.times.median());
    }
    println!(
        "  ({} candidates, planned in {:.1} ms)",
        point.n_candidates,
        point.figures[0].planning.as_secs_f64() * 1e3
    );
    Ok(point)
}

/// Says how the planned order compares with the best of the others, and what planning costs.
fn judge(points: &[Point]) {
    for point in points {
        let [planned, others @ ..] = point.figures.as_slice() else { continue };
        let best = others.iter().map(|figure| figure.times.median()).fold(f64::INFINITY, f64::min);
        let of = |variant| others.iter().find(|figure| figure.variant == Some(variant));
        let no_po = of(Variant::NoPo).map_or(f64::NAN, |figure| figure.times.median());
        let time = planned.times.median();
        println!(
            "{:18} {:3} {:10}  planned / best other {:.3}   noPO / planned {:.2}   planning {:.1} ms, {:.2}% of the run",
            point.data.name(),
            point.n,
            point.by,
            time / best,
            no_po / time,
            planned.planning.as_secs_f64() * 1e3,
            100.0 * planned.planning.as_secs_f64() / time,
        );
    }
}

fn lines(device: &str, rows: u32, points: &[Point]) -> Vec<String> {
    let head =
        "device,data,rows,by,n,order,candidates,runs,median_s,fastest_s,slowest_s,planning_s".to_owned();
    let rows = points.iter().flat_map(|point| {
        point.figures.iter().map(move |Figure { variant, times, planning }| {
            format!(
                "{device},{},{rows},{},{},{},{},{},{:.6},{:.6},{:.6},{:.6}",
                point.data.name(),
                point.by,
                point.n,
                name(*variant),
                point.n_candidates,
                times.n_runs(),
                times.median(),
                times.fastest(),
                times.slowest(),
                planning.as_secs_f64(),
            )
        })
    });
    std::iter::once(head).chain(rows).collect()
}

fn draw(path: &Path, by: &str, points: &[&Point], device: &str) -> Result<()> {
    let Some(first) = points.first() else { return Ok(()) };
    let line = |(ix, variant): (usize, Option<Variant>)| Line {
        name: name(variant),
        points: points.iter().map(|point| (point.n as f64, point.figures[ix].times.median())).collect(),
        is_dashed: false,
    };
    let lines: Vec<Line> = ORDERS.into_iter().enumerate().map(line).collect();
    let times = || lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let range = times().fold(f64::INFINITY, f64::min) / 1.3..times().fold(0.0, f64::max) * 1.3;
    let (title, x) = match by {
        "rules" => (format!("{}, more and more rules, {device}", first.data.name()), "rules"),
        _ => (format!("{}, {RULES} rules, {device}", first.data.name()), "predicates a rule"),
    };
    let legend = SeriesLabelPosition::LowerRight;
    Chart { title: &title, x, y: "seconds", range, logarithmic: true, legend, lines }.draw(path)
}

fn name(variant: Option<Variant>) -> String {
    variant.map_or_else(|| "planned".to_owned(), |variant| variant.to_string())
}
