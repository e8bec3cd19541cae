//! Scores: random pairs of CDs by artist, title, tracks, genre and year, on every device.
//!
//! What is timed begins with columns on the device and pairs in the host's memory, and ends with all scores there. Tracks
//! are long texts, some 300 characters. All devices must come to the same scores, and to the same patterns.

use super::measure::{Times, checksum};
use super::scan::open;
use super::{ScoreArgs, ScoreMeasure};
use crate::cargo::target;
use crate::r#gen::{self, Command};
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use hyperblock::operators::Backend;
use hyperblock::{Candidate, Control, Job, Prepared};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::io::Write;
use std::path::{Path, PathBuf};

const SEED: u64 = 1;

pub(super) fn run(args: &ScoreArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let folder = cds(args.rows)?;
    let measures =
        if args.measure.is_empty() { ScoreMeasure::value_variants() } else { args.measure.as_slice() };
    let pairs = pairs(args.rows, args.pairs);
    let mut lines =
        vec!["measure,wanted,device,rows,pairs,runs,median_s,fastest_s,slowest_s,pairs_per_s,sum".to_owned()];
    for &measure in measures {
        let job = job(&folder, measure)?;
        let mut known = None;
        for device in &devices {
            let job = job.prepare(&**device, &Control::default())?;
            let found = measure_on(&job, &**device, measure, &pairs, args.rows, &mut lines)?;
            let wanted = *known.get_or_insert(found);
            ensure!(found == wanted, "{}: {found:?} on {}, not {wanted:?}", name(measure), device.name());
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "score", &lines),
        None => Ok(()),
    }
}

/// Scores some pairs once, as means and as patterns: what a profiler looks at.
pub(super) fn once(measure: ScoreMeasure, n_pairs: u32, device: &dyn Backend) -> Result<()> {
    // Each CD is in some of them.
    let rows = n_pairs.div_ceil(10).max(2);
    let control = Control::default();
    let job = job(&cds(rows)?, measure)?.prepare(device, &control)?;
    let mut scores = job.scoring().context("the rule file has no score")?.load(device)?;
    let pairs = pairs(rows, n_pairs);
    scores.score(&pairs, &control)?;
    scores.patterns(&records(&pairs), &control)?;
    Ok(())
}

/// Writes the table, and names its folder.
fn cds(rows: u32) -> Result<PathBuf> {
    let folder = target().join("bench").join(format!("score-{rows}"));
    r#gen::run(&Command::Cds { rows, seed: SEED, duplicates: 0.5, output: folder.clone() })?;
    Ok(folder)
}

/// The table in a folder, with a rule file that is written there.
fn job(folder: &Path, measure: ScoreMeasure) -> Result<Job> {
    let rules = folder.join(format!("{}.toml", name(measure)));
    replace(&rules, |file| file.write_all(rule_file(measure).as_bytes()))?;
    Ok(Job::dedupe(folder.join("cds.csv"), &rules))
}

/// Random pairs in the order of candidates.
fn pairs(rows: u32, n_pairs: u32) -> Vec<Candidate> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut record = || rng.random_range(0..rows);
    let mut pairs: Vec<_> =
        (0..n_pairs).map(|_| Candidate { left: record(), right: record(), rule: 0 }).collect();
    pairs.sort_unstable();
    pairs
}

/// The records of each.
fn records(pairs: &[Candidate]) -> Vec<[u32; 2]> {
    pairs.iter().map(|pair| [pair.left, pair.right]).collect()
}

fn name(measure: ScoreMeasure) -> String {
    measure.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The weights of *Duplicate Detection on GPUs*; genre and year share the last quarter.
fn rule_file(measure: ScoreMeasure) -> String {
    let similarity = |column: &str| match measure {
        ScoreMeasure::JaroWinkler => format!("jaro_winkler(l.{column}, r.{column})"),
        ScoreMeasure::Levenshtein => format!("levenshtein_similarity(l.{column}, r.{column})"),
        ScoreMeasure::Jaccard => format!("jaccard(words(l.{column}), words(r.{column}))"),
    };
    let attribute = |(measure, weight): (String, &str)| {
        format!("[[score.attributes]]\nmeasure = \"{measure}\"\nweight = {weight}\n")
    };
    let attributes = [
        (similarity("artist"), "20"),
        (similarity("title"), "30"),
        (similarity("tracks"), "25"),
        ("l.genre = r.genre".to_owned(), "12.5"),
        ("abs(l.year - r.year) <= 1".to_owned(), "12.5"),
    ];
    let attributes: String = attributes.into_iter().map(attribute).collect();
    format!("[[rules]]\nwhen = \"l.title = r.title\"\n[score]\n{attributes}")
}

/// Times means and patterns, and adds a line for each; what they come to, each as a checksum.
fn measure_on(
    job: &Prepared,
    device: &dyn Backend,
    measure: ScoreMeasure,
    pairs: &[Candidate],
    rows: u32,
    lines: &mut Vec<String>,
) -> Result<(u64, u64)> {
    let control = Control::default();
    let mut scores = job.scoring().context("the rule file has no score")?.load(device)?;
    let records = records(pairs);
    let (mut means, mut patterns) = (Vec::new(), Vec::new());
    let of_means = Times::of(|| {
        means = scores.score(pairs, &control)?;
        Ok(())
    })?;
    let of_patterns = Times::of(|| {
        patterns = scores.patterns(&records, &control)?;
        Ok(())
    })?;
    let found = (means.iter().map(|&mean| u64::from(mean)), patterns.iter().copied());
    let found = (found.0.fold(0, checksum), found.1.fold(0, checksum));
    for (wanted, times, sum) in [("mean", of_means, found.0), ("pattern", of_patterns, found.1)] {
        lines.push(line(measure, wanted, &device.name(), rows, pairs.len(), &times, sum));
    }
    Ok(found)
}

/// Prints a measurement; the line for its file.
fn line(
    measure: ScoreMeasure,
    wanted: &str,
    device: &str,
    rows: u32,
    n_pairs: usize,
    times: &Times,
    sum: u64,
) -> String {
    let (n_runs, median, fastest, slowest) =
        (times.n_runs(), times.median(), times.fastest(), times.slowest());
    let (name, rate) = (name(measure), n_pairs as f64 / median);
    println!(
        "{name:12} {wanted:7} {device:24} {:9.3} million pairs a second  ({median:.4} s median of {n_runs}, \
         {fastest:.4} to {slowest:.4})",
        rate / 1e6,
    );
    format!(
        "{name},{wanted},{device},{rows},{n_pairs},{n_runs},{median:.6},{fastest:.6},{slowest:.6},{rate:.0},\
         {sum:016x}"
    )
}
