//! The whole workflow: CDs as people type them in, from the file to entities, on every device.
//!
//! As in 'Duplicate Detection on GPUs' (Forchhammer and others, BTW 2013): sorted neighbourhoods, edit
//! distances of four attributes with weights 20, 30, 25 and 25, a threshold, and the closure of what is left.
//! What is timed begins with opening the file and ends with an entity for each record; stages are the
//! engine's own. All devices must find the same pairs, keep the same ones and make the same entities. Stages of several
//! sizes stand side by side, as in the paper's figure 6.

mod report;

use super::measure::{LONG, Times};
use super::scan::open;
use super::{CD_KEYS, CD_WINDOW, WorkflowArgs};
use crate::cargo::target;
use crate::r#gen::{self, Command};
use crate::replace::replace;
use anyhow::{Context, Result, ensure};
use hyperblock::operators::Backend;
use hyperblock::{Control, Job, Resolve};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SEED: u64 = 1;
const DUPLICATES: f64 = 0.1;

const SCORE: &str = "\
[score]
threshold = 0.7

[[score.attributes]]
measure = \"levenshtein_similarity(l.artist, r.artist)\"
weight = 20
[[score.attributes]]
measure = \"levenshtein_similarity(l.title, r.title)\"
weight = 30
[[score.attributes]]
measure = \"levenshtein_similarity(left(l.tracks, 40), left(r.tracks, 40))\"
weight = 25
[[score.attributes]]
measure = \"levenshtein_similarity(l.tracks, r.tracks)\"
weight = 25
";

/// The files.
struct Files {
    table: PathBuf,
    truth: PathBuf,
    rules: PathBuf,
}

/// What all devices must agree on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counts {
    candidates: u64,
    kept: u64,
    entities: u64,
}

/// How long a run took: by stage, and all together.
type Run = (Vec<(&'static str, Duration)>, Duration);

/// One size on one device.
struct Figure {
    device: String,
    rows: u32,
    counts: Counts,
    n_runs: usize,
    /// Median seconds by stage, in order, and of the whole.
    stages: Vec<(&'static str, f64)>,
    whole: f64,
}

impl Figure {
    fn new(device: String, rows: u32, counts: Counts, runs: &[Run]) -> Self {
        let median = |of: &dyn Fn(&Run) -> Duration| Times::new(runs.iter().map(of).collect()).median();
        let took = |run: &Run, stage: &str| {
            run.0.iter().filter(|(name, _)| *name == stage).map(|(_, time)| *time).sum::<Duration>()
        };
        let names = runs[0].0.iter().map(|(stage, _)| *stage);
        let stages = names.map(|stage| (stage, median(&|run| took(run, stage)))).collect();
        Self { device, rows, counts, n_runs: runs.len(), stages, whole: median(&|run| run.1) }
    }

    /// Of a stage; none, if it was not there.
    fn seconds(&self, stage: &str) -> f64 {
        self.stages.iter().filter(|(name, _)| *name == stage).map(|(_, seconds)| seconds).sum()
    }
}

pub(super) fn run(args: &WorkflowArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let mut figures = Vec::new();
    for &rows in &args.rows {
        let files = make(rows, &args.key, args.near)?;
        let mut known = None;
        for device in &devices {
            let figure = measure(rows, &files, &**device, args.runs, &mut known)?;
            report::print(&figure);
            println!("{}", quality(&files, &**device)?);
            figures.push(figure);
        }
    }
    if args.rows.len() > 1 {
        report::print_sizes(&figures);
    }
    match &args.save {
        Some(folder) => report::save(folder, &figures),
        None => Ok(()),
    }
}

/// Runs it so many times on a device, after once that is not counted.
fn measure(
    rows: u32,
    files: &Files,
    device: &dyn Backend,
    n_runs: u32,
    known: &mut Option<Counts>,
) -> Result<Figure> {
    let mut runs = Vec::new();
    // The first one has kernels compiled and files cached, and is not counted, unless it takes long.
    for nth in 0..=n_runs {
        let (run, counts) = once(files, device)?;
        let wanted = *known.get_or_insert(counts);
        ensure!(counts == wanted, "{}: {counts:?}, and before {wanted:?}", device.name());
        let is_long = run.1 > LONG;
        if nth > 0 || is_long {
            runs.push(run);
        }
        if is_long {
            break;
        }
    }
    Ok(Figure::new(device.name(), rows, known.context("nothing was run")?, &runs))
}

/// The table and the rules, as the workflow has them if nothing else is said.
pub(super) fn cds(rows: u32) -> Result<(PathBuf, PathBuf)> {
    let files = make(rows, &CD_KEYS.map(str::to_owned), CD_WINDOW)?;
    Ok((files.table, files.rules))
}

/// Writes the rules, and the table if it is not there yet.
fn make(rows: u32, keys: &[String], window: u32) -> Result<Files> {
    let folder = target().join("bench").join(format!("cds-{rows}"));
    let [table, truth, rules] = ["cds.csv", "truth.csv", "rules.toml"].map(|name| folder.join(name));
    if !truth.is_file() {
        r#gen::run(&Command::Cds { rows, seed: SEED, duplicates: DUPLICATES, output: folder })?;
    }
    let text = rule_file(keys, window);
    replace(&rules, |file| file.write_all(text.as_bytes()))?;
    Ok(Files { table, truth, rules })
}

fn rule_file(keys: &[String], window: u32) -> String {
    let near = |key: &String| format!("[[neighbourhoods]]\nkey = \"{key}\"\nwindow = {window}\n\n");
    keys.iter().map(near).collect::<String>() + SCORE
}

fn resolve(table: &Path, rules: &Path) -> Resolve {
    Resolve::new(Job::dedupe(table, rules))
}

/// From the file to entities, once.
fn once(files: &Files, device: &dyn Backend) -> Result<(Run, Counts)> {
    let start = Instant::now();
    let prepared = resolve(&files.table, &files.rules).prepare(device, &Control::default())?;
    let resolved = prepared.run(device, &Control::default())?;
    let all = start.elapsed();
    let summary = resolved.summary;
    let counts = Counts {
        candidates: summary.found.n_candidates(),
        kept: resolved.pairs.len() as u64,
        entities: summary.n_entities,
    };
    Ok(((summary.found.stages.iter().collect(), all), counts))
}

/// How good the entities are.
fn quality(files: &Files, device: &dyn Backend) -> Result<String> {
    let prepared =
        resolve(&files.table, &files.rules).truth(&files.truth).prepare(device, &Control::default())?;
    let resolved = prepared.run(device, &Control::default())?;
    let step = |step: &hyperblock::resolve::StepQuality| {
        let quality = step.quality.pairwise;
        format!("  {:10} precision {:.4}, recall {:.4}", step.name, quality.precision, quality.recall)
    };
    Ok(resolved.summary.steps.iter().map(step).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{CD_KEYS, Counts, Files, SCORE, make, measure, quality, rule_file};
    use hyperblock::device::cpu::Cpu;

    #[test]
    fn duplicates_are_found() {
        let keys = CD_KEYS.map(str::to_owned);
        let files: Files = make(600, &keys, 20).unwrap();
        let (mut known, device) = (None, Cpu::new());
        let figure = measure(600, &files, &device, 2, &mut known).unwrap();
        assert!((500..580).contains(&figure.counts.entities), "{:?}", figure.counts);
        assert_eq!((figure.n_runs, known), (2, Some(figure.counts)));
        assert!(figure.seconds("score") > 0.0 && figure.seconds("score") < figure.whole);
        known = known.map(|counts| Counts { kept: counts.kept + 1, ..counts });
        assert!(measure(600, &files, &device, 1, &mut known).is_err());
        assert!(quality(&files, &device).unwrap().contains("entities"));
        assert!(rule_file(&keys, 3).ends_with(SCORE));
    }
}
