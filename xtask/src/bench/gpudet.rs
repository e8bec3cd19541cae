//! Table 1 of *Duplicate Detection on GPUs* (Forchhammer and others, BTW 2013): how good the paper's three configurations
//! are, its figures beside ours.
//!
//! Thresholds, weights, keys and window are the paper's (`xtask/gpudet/`). Its CDs are no longer to be had as they were: one
//! copy, `freedb_cds_raw`, has the first two tracks, but leaves out what is not plain ASCII; the other, `freedb_cds`, has all
//! artists and titles, but in lower case, damaged where they are not ASCII, and tracks that nobody can tell apart. So artists
//! and titles that the first lacks are taken from the second, as far as they are ASCII, and case does not count.

mod windows;

use super::paper_args::GpudetArgs;
use super::scan::open;
use super::stand_in;
use super::workload::data_sets;
use crate::cargo::{root, target};
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, ensure};
use hyperblock::baselines::by_attribute;
use hyperblock::operators::Backend;
use hyperblock::read::table::{ReadOptions, Table};
use hyperblock::tell::evaluate::{Agreement, Truth};
use hyperblock::{Control, Job, Resolve};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The rows of the table: our rule file, and the paper's precision, recall and F-measure.
const ROWS: [(&str, [f64; 3]); 3] = [
    ("snm-levenshtein", [0.952, 0.803, 0.871]),
    ("snm-jaro-winkler", [0.952, 0.796, 0.867]),
    ("product-jaro-winkler", [0.922, 0.866, 0.893]),
];

pub(super) fn run(args: &GpudetArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let [table, truth] = match args.generated {
        true => stand_in::cds()?,
        false => [cds()?, data_sets().join("freedb_cds").join("matches.csv")],
    };
    if !args.window.is_empty() {
        return windows::run(&args.window, &devices, (&table, &truth), args.save.as_deref());
    }
    let mut lines = vec![
        "configuration,device,pairs,seconds,precision,recall,f1,paper_precision,paper_recall,paper_f1"
            .to_owned(),
    ];
    println!(
        "{:30} {:24} {:>12} {:>9}  precision        recall           F1",
        "", "device", "pairs", "seconds"
    );
    // An order for each attribute needs orders: not all pairs.
    let by_attribute = ROWS.into_iter().filter(|(name, _)| args.by_attribute && name.starts_with("snm"));
    let rows = ROWS.into_iter().map(|row| (row, false)).chain(by_attribute.map(|row| (row, true)));
    for ((name, paper), is_by_attribute) in rows {
        let measured = if is_by_attribute { by_attribute_alone } else { measured };
        let found = found(name, &devices, |device| measured(&table, &rules(name), &truth, device))?;
        let name = if is_by_attribute { format!("{name} by attribute") } else { name.to_owned() };
        for (device, found) in found {
            let ours = found.figures();
            let beside = |ix: usize| format!("{:.3} ({:.3})", ours[ix], paper[ix]);
            println!(
                "{name:30} {device:24} {:12} {:9.3}  {}    {}    {}",
                found.n_pairs,
                found.seconds,
                beside(0),
                beside(1),
                beside(2)
            );
            let figures = ours.iter().chain(&paper).map(|figure| format!("{figure:.4}")).collect::<Vec<_>>();
            let (pairs, seconds) = (found.n_pairs, found.seconds);
            lines.push(format!("{name},{device},{pairs},{seconds:.4},{}", figures.join(",")));
        }
    }
    println!("in brackets the paper's");
    args.save.as_ref().map_or(Ok(()), |folder| record::save(folder, "gpudet", &lines))
}

/// What a configuration came to.
struct Found {
    n_pairs: u64,
    seconds: f64,
    quality: Agreement,
}

impl Found {
    /// Precision, recall and F1.
    fn figures(&self) -> [f64; 3] {
        let Agreement { precision, recall, f1 } = self.quality;
        [precision, recall, f1]
    }
}

/// The rule file of a configuration.
fn rules(name: &str) -> PathBuf {
    root().join("xtask/gpudet").join(format!("{name}.toml"))
}

/// What a configuration comes to on each device, by the device's name: the same on all.
fn found(
    name: &str,
    devices: &[Box<dyn Backend>],
    measured: impl Fn(&dyn Backend) -> Result<Found>,
) -> Result<Vec<(String, Found)>> {
    let mut known = None;
    let mut on = |device: &dyn Backend| {
        let found = measured(device)?;
        let (ours, device) = (found.figures(), device.name());
        let wanted = *known.get_or_insert(ours);
        ensure!(ours == wanted, "{name}: {ours:?} on {device}, not {wanted:?}");
        Ok((device, found))
    };
    devices.iter().map(|device| on(&**device)).collect()
}

/// Runs a configuration from file to entities twice, and times the second.
fn measured(table: &Path, rules: &Path, truth: &Path, device: &dyn Backend) -> Result<Found> {
    let control = Control::default();
    let run = || -> Result<_> {
        let begin = Instant::now();
        let job = Job::dedupe(table, rules);
        let resolved = Resolve::new(job).truth(truth).prepare(device, &control)?.run(device, &control)?;
        Ok((begin.elapsed().as_secs_f64(), resolved))
    };
    run()?;
    let (seconds, resolved) = run()?;
    let step = |name: &str| resolved.summary.steps.iter().find(|step| step.name == name);
    let (pairs, kept) =
        (step("candidates").context("no candidates")?, step("kept").context("no kept pairs")?);
    Ok(Found { n_pairs: pairs.n_pairs, seconds, quality: kept.quality.pairwise })
}

/// The same with pairs scored by an order for each attribute; entities are not made.
fn by_attribute_alone(table: &Path, rules: &Path, truth: &Path, device: &dyn Backend) -> Result<Found> {
    let control = Control::default();
    let run = || -> Result<_> {
        let begin = Instant::now();
        let prepared = Job::dedupe(table, rules).prepare(device, &control)?;
        let pairs = by_attribute(&prepared, device, &control)?;
        Ok((begin.elapsed().as_secs_f64(), prepared, pairs))
    };
    run()?;
    let (seconds, prepared, pairs) = run()?;
    let truth = Truth::read(truth, &prepared.left, None, &control)?;
    let quality = truth.of_pairs(pairs.iter().map(|(pair, _)| (pair.left, pair.right)));
    Ok(Found { n_pairs: pairs.len() as u64, seconds, quality })
}

/// Artists, titles and tracks of all 9,763 CDs, as a table in the build folder.
fn cds() -> Result<PathBuf> {
    let [all, raw] = [read("freedb_cds")?, read("freedb_cds_raw")?];
    let path = target().join("bench").join("gpudet.csv");
    fs::create_dir_all(target().join("bench"))?;
    replace(&path, |file| {
        writeln!(file, "id,artist,title,tracks")?;
        for record in 0..all.n_records() {
            let id = all.ids.text(record);
            let own = |column| raw.ids.record(&id).map_or("", |own| value(&raw, own, column));
            let field = |column| match own(column) {
                "" => ascii(value(&all, record, column)),
                own => own.to_owned(),
            };
            let fields = [field("artist"), field("title"), own("tracks").to_owned()];
            let quoted = fields.map(|field| format!("\"{}\"", field.replace('"', "\"\"")));
            writeln!(file, "{id},{}", quoted.join(","))?;
        }
        Ok(())
    })?;
    Ok(path)
}

fn read(name: &str) -> Result<Table> {
    let path = data_sets().join(name).join("table.csv");
    ensure!(path.exists(), "{} is missing: HYPERBLOCK_DATA names the folder of data sets", path.display());
    Ok(Table::read(&path, &ReadOptions::default(), &|_| true, &Control::default())?)
}

/// A value without blanks around it; nothing, if it is missing.
fn value<'a>(table: &'a Table, record: u32, column: &str) -> &'a str {
    let values = table.schema.find(column).and_then(|column| table.values(column).ok());
    values.map_or("", |values| values.value(table.ids.row(record)).trim())
}

/// What is left of a text without the letters that are damaged.
fn ascii(text: &str) -> String {
    let words = text.split(|char: char| !char.is_ascii() || char.is_whitespace());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
