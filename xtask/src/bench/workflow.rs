//! The whole workflow: CDs as people type them in, from the file to entities, on every device.
//!
//! As in 'Duplicate Detection on GPUs' (Forchhammer and others, BTW 2013): sorted neighbourhoods, edit
//! distances of four attributes with weights 20, 30, 25 and 25, a threshold, and the closure of what is left.
//! What is timed begins with opening the file and ends with an entity for each record; stages are the
//! engine's own. All devices must find the same pairs, keep the same ones and make the same entities.

use super::measure::LONG;
use super::scan::open;
use super::{CD_KEYS, CD_WINDOW, WorkflowArgs};
use crate::cargo::target;
use crate::r#gen::{self, Command};
use crate::record;
use crate::replace::replace;
use anyhow::{Result, ensure};
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

pub(super) fn run(args: &WorkflowArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let files = make(args.rows, &args.key, args.near)?;
    let mut lines = vec!["device,rows,candidates,kept,entities,runs,stage,median_s".to_owned()];
    let mut known = None;
    for device in &devices {
        let mut runs = Vec::new();
        // The first one has kernels compiled and files cached, and is not counted, unless it takes long.
        for nth in 0..=args.runs {
            let (run, counts) = once(&files, &**device)?;
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
        report(args, &device.name(), &runs, known, &mut lines);
        println!("{}", quality(&files, &**device)?);
    }
    match &args.save {
        Some(folder) => record::save(folder, "workflow", &lines),
        None => Ok(()),
    }
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

/// Prints a device's stages, and adds a line for each.
fn report(args: &WorkflowArgs, device: &str, runs: &[Run], counts: Option<Counts>, lines: &mut Vec<String>) {
    let Some(((stages, _), Counts { candidates, kept, entities })) = runs.first().zip(counts) else { return };
    let median = |of: &dyn Fn(&Run) -> Duration| {
        let mut all: Vec<Duration> = runs.iter().map(of).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().unwrap_or_default().as_secs_f64()
    };
    let (rows, n_runs) = (args.rows, runs.len());
    println!("{device}: {rows} records, {candidates} candidates, {kept} kept, {entities} entities");
    let mut line = |stage: &str, seconds: f64| {
        println!("  {stage:10} {seconds:9.4} s");
        lines.push(format!("{device},{rows},{candidates},{kept},{entities},{n_runs},{stage},{seconds:.6}"));
    };
    for &(stage, _) in stages {
        let took = |run: &Run| run.0.iter().filter(|(name, _)| *name == stage).map(|(_, time)| *time).sum();
        line(stage, median(&took));
    }
    line("all", median(&|run| run.1));
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
    use super::{Files, SCORE, make, once, quality, rule_file};
    use crate::bench::{Devices, WorkflowArgs};
    use hyperblock::device::cpu::Cpu;

    #[test]
    fn duplicates_are_found() {
        let args = WorkflowArgs {
            rows: 600,
            key: vec!["title".to_owned(), "tracks".to_owned()],
            near: 20,
            runs: 1,
            on: Devices::default(),
            save: None,
        };
        let files: Files = make(args.rows, &args.key, args.near).unwrap();
        let (_, counts) = once(&files, &Cpu::new()).unwrap();
        assert!((500..580).contains(&counts.entities), "{counts:?}");
        assert!(quality(&files, &Cpu::new()).unwrap().contains("entities"));
        assert!(rule_file(&args.key, 3).ends_with(SCORE));
    }
}
