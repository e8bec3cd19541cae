//! How good a rule file is that nobody wrote: `init`, then `resolve` with it, unedited, on data sets whose truth is known.
//!
//! Printed as the table of `docs/init.md`: how many rules there are, how much of what matches is among their candidates, how many
//! candidates that takes for each record of all tables, and how good the entities are in the end.

use super::InitArgs;
use super::workload::data_sets;
use crate::record;
use anyhow::{Context, Result};
use hyperblock::device::cpu::Cpu;
use hyperblock::draft::{METHOD, draft};
use hyperblock::read::table::{Input, ReadOptions};
use hyperblock::{Control, Job, Resolve, RuleSource};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The data sets.
const SETS: [&str; 18] = [
    "abt_buy",
    "census_841",
    "dblp_acm",
    "dblp_scholar_1to1",
    "febrl1",
    "febrl2",
    "febrl4",
    "fodors_zagat",
    "freedb_cds",
    "geo_settlements",
    "historical_50k",
    "imdb_tmdb",
    "musicbrainz_20k",
    "patstat_applicants",
    "restaurants_864",
    "splink_fake_1000",
    "splink_fake_20000",
    "walmart_amazon",
];
/// The bar.
const RECALL: f64 = 0.85;
const A_RECORD: f64 = 100.0;

pub(super) fn run(args: &InitArgs) -> Result<()> {
    let mut lines = vec!["data,records,rules,recall,a_record,f1,seconds_init,seconds_resolve".to_owned()];
    println!("| data set | records | rules | recall | candidates a record | F1 of resolve |");
    println!("|---|---|---|---|---|---|");
    let (mut n_sets, mut n_reach) = (0, 0);
    for name in SETS {
        let is_asked = args.data.is_empty() || args.data.iter().any(|data| data == name);
        let folder = data_sets().join(name);
        if !is_asked || !folder.exists() {
            continue;
        }
        let (line, reaches) = of_set(name, &folder, args.rules.as_deref())?;
        lines.push(line);
        n_sets += 1;
        n_reach += usize::from(reaches);
    }
    println!("\n{n_reach} of {n_sets} have a recall of {RECALL} with at most {A_RECORD} candidates a record");
    match &args.save {
        Some(folder) => record::save(folder, "init", &lines),
        None => Ok(()),
    }
}

/// Drafts rules for a data set and resolves it; the line, and whether it reaches the bar.
fn of_set(name: &str, folder: &Path, keep: Option<&Path>) -> Result<(String, bool)> {
    let there = |names: &[&str]| names.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let tables = [["table.csv", "tableA.csv"], ["tableB.csv", "tableB.csv.gz"]];
    let paths: Vec<PathBuf> = tables.iter().filter_map(|names| there(names)).collect();
    let truth = there(&["truth.csv", "matches.csv"]).with_context(|| format!("{name} has no truth"))?;
    let (device, control) = (Cpu::new(), Control::default());
    let tables: Vec<_> =
        paths.iter().map(|path| (Input::from(path.as_path()), ReadOptions::default())).collect();
    let begin = Instant::now();
    let rules = draft(&tables, Path::new("rules.toml"), &device, &control)?;
    let drafting = begin.elapsed().as_secs_f64();
    if let Some(folder) = keep {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("{name}.toml")), &rules)?;
    }
    let n_rules = rules.lines().filter(|line| *line == "[[rules]]").count();
    let mut inputs = tables.into_iter().map(|(input, _)| input);
    let left = inputs.next().with_context(|| format!("{name} has no table"))?;
    let job = Job::over(left, inputs.next(), RuleSource::Text(rules));
    let begin = Instant::now();
    let prepared = Resolve::new(job).method(METHOD).truth(truth).prepare(&device, &control)?;
    let resolved = prepared.run(&device, &control)?;
    let resolving = begin.elapsed().as_secs_f64();
    let step = |name: &str| resolved.summary.steps.iter().find(|step| step.name == name);
    let (candidates, entities) =
        (step("candidates").context("no candidates")?, step("entities").context("no entities")?);
    let n_records = resolved.entities.len();
    let (recall, f1) = (candidates.quality.pairwise.recall, entities.quality.pairwise.f1);
    let a_record = candidates.n_pairs as f64 / n_records as f64;
    println!("| {name} | {n_records} | {n_rules} | {recall:.3} | {a_record:.1} | {f1:.3} |");
    let line = format!(
        "{name},{n_records},{n_rules},{recall:.6},{a_record:.3},{f1:.6},{drafting:.3},{resolving:.3}"
    );
    Ok((line, recall >= RECALL && a_record <= A_RECORD))
}
