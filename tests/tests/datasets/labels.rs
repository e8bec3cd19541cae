//! Data sets of which some pairs were labelled: what is measured is what the labels say, read line by line.

use super::set;
use hyperblock::device::cpu::Cpu;
use hyperblock::tell::evaluate::Truth;
use hyperblock::{Candidate, Control, Job};
use libtest_mimic::{Failed, Trial};
use std::collections::{HashMap, HashSet};
use std::path::Path;

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    ["beers", "bikes"].into_iter().map(|name| {
        let is_there = set::folder().join(name).join("labels.csv").is_file();
        Trial::test(format!("labels::{name}"), move || holds(name)).with_ignored_flag(!is_there)
    })
}

fn holds(name: &str) -> Result<(), Failed> {
    let folder = set::folder().join(name);
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(format!("{name}.toml"));
    let (device, control) = (Cpu::new(), Control::default());
    let job =
        Job::link(folder.join("tableA.csv"), folder.join("tableB.csv"), rules).prepare(&device, &control)?;
    let mut truth = Truth::read(&folder.join("labels.csv"), &job.left, job.second(), &control)?;
    let mut found: Vec<Candidate> = Vec::new();
    job.run(&device, &control, &mut |some| {
        truth.count(some);
        found.extend_from_slice(some);
        Ok(())
    })?;
    let right = &job.second().ok_or("there are two tables")?.ids;
    let candidates: HashSet<(String, String)> =
        found.iter().map(|it| (job.left.ids.text(it.left), right.text(it.right))).collect();
    let mut labels = HashMap::new();
    for row in csv::Reader::from_path(folder.join("labels.csv"))?.records() {
        let row = row?;
        labels.insert((row[0].to_owned(), row[1].to_owned()), &row[2] == "1");
    }
    let n_matches = labels.values().filter(|is_match| **is_match).count() as u64;
    let decided = labels.iter().filter(|(pair, _)| candidates.contains(*pair));
    let n_found = decided.clone().filter(|(_, is_match)| **is_match).count() as u64;
    let n_decided = decided.count() as u64;
    let quality = truth.quality();
    let seen = (quality.n_matches, quality.n_found, quality.n_decided, quality.coverage.n_decided);
    if seen != (n_matches, n_found, n_decided, labels.len() as u64) || n_found == 0 {
        return Err(format!("{seen:?}, not {n_matches}, {n_found}, {n_decided}, {}", labels.len()).into());
    }
    let [precision, recall] = [n_decided, n_matches].map(|of| n_found as f64 / of as f64);
    let is_near = |seen: f64, want: f64| (seen - want).abs() < 1e-9;
    let intervals = quality.intervals.ok_or("labels cover a part")?;
    let holds = intervals.precision.is_some_and(|it| it.low <= precision && precision <= it.high);
    if !is_near(quality.precision, precision) || !is_near(quality.recall, recall) || !holds {
        return Err(format!("{quality:?}, not {precision} and {recall}").into());
    }
    Ok(())
}
