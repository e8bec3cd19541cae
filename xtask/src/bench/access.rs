//! Access paths: the time of the path that the plan chose, over that of the best one that can be forced.
//!
//! Over the workloads of `bench scan` and of `bench setjoin`, the rules of `tests/rules` on their data sets, and generated
//! jobs, of which half were kept out of what rates are fitted on. A branch at a time is forced; the others keep their paths.

use super::scan::open;
use super::setjoin;
use super::workload::data_sets;
use super::{AccessArgs, SetjoinData, Workload};
use crate::cargo::root;
use crate::paths::{Accuracy, PathJob, Timed, generated, time};
use crate::record;
use anyhow::Result;
use clap::ValueEnum;
use hyperblock::Job;
use std::fs;

/// Milliseconds that do not count, and what a choice may take beside the best, for nine in ten and for all.
const MOST: [(f64, f64); 2] = [(1.15, 2.0), (1.5, 5.0)];

/// Titles of each file, if nothing else is said: with more, paths that are not taken need minutes.
const TITLES: u32 = 20_000;

pub(super) fn run(args: &AccessArgs) -> Result<()> {
    let mut jobs = generated(args.rows.unwrap_or(u32::MAX))?;
    jobs.extend(scans(args.rows)?);
    jobs.extend(setjoins(args.rows.unwrap_or(TITLES))?);
    jobs.extend(real()?);
    let is_asked = |job: &PathJob| args.job.is_empty() || args.job.iter().any(|part| job.name.contains(part));
    jobs.retain(is_asked);
    let mut lines = vec!["device,job,training,branch,path,chosen,expected_ms,median_ms".to_owned()];
    for device in open(&args.on.device)? {
        let mut all = Vec::new();
        let mut judged = Judged::default();
        for job in &jobs {
            let timed = time(job, &*device)?;
            let Some((own, others)) = timed.split_first() else { continue };
            let best = timed.iter().map(|one| one.took).fold(f64::INFINITY, f64::min);
            judged.add(own.took, best);
            println!(
                "{:6.2} ms, best {best:6.2} ms, expected {:6.2} ms  {}  {}",
                own.took,
                own.expected,
                device.name(),
                job.name
            );
            for one in others.iter().filter(|one| one.took <= 0.87 * own.took && one.took < own.took - 0.5) {
                println!("    {:6.2} ms, expected {:6.2} ms  {}", one.took, one.expected, one.path);
            }
            let line = |one: &Timed| {
                let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
                let (name, path) = (quoted(&job.name), quoted(&one.path));
                let Timed { branch, nth, expected, took, .. } = one;
                let (training, chosen) = (job.is_for_training, *nth == 0);
                format!(
                    "{},{name},{training},{branch},{path},{chosen},{expected:.4},{took:.4}",
                    device.name()
                )
            };
            lines.extend(timed.iter().map(line));
            all.extend(timed);
        }
        let all: Vec<&Timed> = all.iter().collect();
        println!("{}: {judged}", device.name());
        println!("expected beside what it took: {}", Accuracy::new(&all, |one| one.expected));
        // Each time, as the next device may take long.
        if let Some(folder) = &args.save {
            record::save(folder, "access", &lines)?;
        }
    }
    Ok(())
}

/// The workloads of `bench scan`; none is for training.
fn scans(rows: Option<u32>) -> Result<Vec<PathJob>> {
    let mut all = Vec::new();
    for &workload in Workload::value_variants() {
        if let Some(files) = workload.make(workload.rows(rows))? {
            all.push(PathJob { name: workload.name(), job: files.job(), is_for_training: false });
        }
    }
    Ok(all)
}

/// The workloads of `bench setjoin`, of the first so many titles; none is for training.
fn setjoins(rows: u32) -> Result<Vec<PathJob>> {
    let mut all = Vec::new();
    for &data in SetjoinData::value_variants() {
        let Some(titles) = data.make(Some(rows))? else { continue };
        for q in setjoin::QS {
            for threshold in setjoin::THRESHOLDS {
                let name = format!("{} {} {q}-grams {threshold}", titles.name, titles.rows);
                let job = Job::dedupe(&titles.path, setjoin::rule(q, threshold)?);
                all.push(PathJob { name, job, is_for_training: false });
            }
        }
    }
    Ok(all)
}

/// The rules in `tests/rules` on their data sets, as far as those are there; none is for training.
fn real() -> Result<Vec<PathJob>> {
    let mut names: Vec<String> = fs::read_dir(root().join("tests/rules"))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .collect();
    names.sort();
    let table = |folder: &std::path::Path, stem: &str| {
        let paths = ["csv", "csv.gz", "parquet"].map(|end| folder.join(format!("{stem}.{end}")));
        paths.into_iter().find(|path| path.is_file())
    };
    let mut all = Vec::new();
    for name in names {
        let (folder, rules) = (data_sets().join(&name), root().join(format!("tests/rules/{name}.toml")));
        let job = match (table(&folder, "table"), table(&folder, "tableA"), table(&folder, "tableB")) {
            (Some(one), ..) => Job::dedupe(one, rules),
            (None, Some(left), Some(right)) => Job::link(left, right, rules),
            _ => continue,
        };
        all.push(PathJob { name, job, is_for_training: false });
    }
    Ok(all)
}

/// How many choices keep to each bound.
#[derive(Default)]
struct Judged {
    n: usize,
    within: [usize; 2],
    worst: f64,
}

impl Judged {
    fn add(&mut self, own: f64, best: f64) {
        self.n += 1;
        for (within, (factor, more)) in self.within.iter_mut().zip(MOST) {
            *within += usize::from(own <= factor * best || own <= best + more);
        }
        self.worst = self.worst.max(own / best);
    }
}

impl std::fmt::Display for Judged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { n, within: [close, near], worst } = self;
        let [(a, b), (c, d)] = MOST;
        write!(
            f,
            "of {n} jobs {close} within {a} or {b} ms of the best path, {near} within {c} or {d} ms, "
        )?;
        write!(f, "the worst at {worst:.2}")
    }
}
