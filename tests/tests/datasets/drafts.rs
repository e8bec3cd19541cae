//! Rules that nobody wrote: `init` over real tables, followed by `dedupe` or `link` as it is.
//!
//! All of them run. Those that reach the bar, with nearly all matches among few candidates, must go on to do so. Large tables are left
//! to `cargo xtask bench init`, which has the engine built for speed.

use super::set;
use hyperblock::device::cpu::Cpu;
use hyperblock::draft::draft;
use hyperblock::read::table::{Input, ReadOptions};
use hyperblock::{Control, Job, RuleSource, Truth};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// The bar: so much of what matches is found,
const RECALL: f64 = 0.85;
/// with so many candidates for each record of all tables.
const A_RECORD: f64 = 100.0;

/// Data sets, and whether they reach the bar. One cannot: of 2,379 applicants for patents, 293,785 pairs match, which is more
/// than 100 a record.
const SETS: [(&str, bool); 13] = [
    ("abt_buy", true),
    ("census_841", true),
    ("dblp_acm", true),
    ("febrl1", true),
    ("febrl2", true),
    ("febrl4", true),
    ("fodors_zagat", true),
    ("freedb_cds", true),
    ("geo_settlements", true),
    ("imdb_tmdb", true),
    ("patstat_applicants", false),
    ("restaurants_864", true),
    ("splink_fake_1000", true),
];

pub(crate) fn trials() -> Vec<Trial> {
    let of_set = |(name, reaches): (&'static str, bool)| {
        let is_there = set::folder().join(name).is_dir();
        Trial::test(format!("drafts::{name}"), move || runs(name, reaches)).with_ignored_flag(!is_there)
    };
    SETS.into_iter().map(of_set).collect()
}

/// The tables of a data set, and its truth.
fn files(name: &str) -> (Vec<PathBuf>, PathBuf) {
    let folder = set::folder().join(name);
    let there = |names: &[&str]| names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let tables = [["table.csv", "tableA.csv"], ["tableB.csv", "tableB.csv.gz"]];
    let truth = there(&["truth.csv", "matches.csv"]).unwrap_or_default();
    (tables.iter().filter_map(|names| there(names)).collect(), truth)
}

fn runs(name: &str, reaches: bool) -> Result<(), Failed> {
    let (paths, truth) = files(name);
    let (device, control) = (Cpu::new(), Control::default());
    let tables: Vec<_> =
        paths.iter().map(|path| (Input::from(path.as_path()), ReadOptions::default())).collect();
    let rules = draft(&tables, Path::new("rules.toml"), &device, &control)?;
    if rules != draft(&tables, Path::new("rules.toml"), &device, &control)? {
        return Err(format!("two drafts for {name} differ").into());
    }
    let mut inputs = tables.into_iter().map(|(input, _)| input);
    let left = inputs.next().ok_or("no table")?;
    let job = Job::over(left, inputs.next(), RuleSource::Text(rules.clone())).prepare(&device, &control)?;
    let mut truth = Truth::read(&truth, &job.left, job.second(), &control)?;
    let summary = job.run_unsorted(&device, &control, &mut |candidates| {
        truth.count(candidates);
        Ok(())
    })?;
    let n_records = job.left.n_records() + job.second().map_or(0, |right| right.n_records());
    let (recall, a_record) = (truth.quality().recall, summary.n_candidates() as f64 / f64::from(n_records));
    println!("{name}: recall {recall:.4}, {a_record:.1} candidates a record");
    if reaches && (recall < RECALL || a_record > A_RECORD) {
        return Err(format!("{name}: recall {recall:.4}, {a_record:.1} candidates a record\n{rules}").into());
    }
    Ok(())
}
