//! How good entities are that come from weights nobody tuned, beside Splink's.
//!
//! Both get the same rule file of `xtask/quality/`: rules, attributes, levels, term frequencies, and what is sure. Neither sees
//! a label. `fit` and `resolve` here, the usual recipe there (`quality.py`); a probability of 0.95 for all, and entities by
//! components. Both answers are measured by the same program against the same truth. Splink is installed from PyPI to an
//! environment of its own in the build folder.

use super::QualityArgs;
use super::workload::data_sets;
use crate::cargo::{at_root, root, target};
use crate::python::environment;
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::score::Weights;
use hyperblock::fit::FitOptions;
use hyperblock::tell::evaluate::{Agreement, Truth};
use hyperblock::{Control, Job, Prepared, Resolve};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

const SCRIPT: &str = include_str!("quality.py");

/// The data sets: tables and truth.
const SETS: [(&str, &[&str], &str); 7] = [
    ("febrl4", &["tableA.csv", "tableB.csv"], "matches.csv"),
    ("historical_50k", &["table.csv"], "truth.csv"),
    ("musicbrainz_20k", &["table.csv"], "truth.csv"),
    ("splink_fake_1000", &["table.csv"], "truth.csv"),
    ("splink_fake_20000", &["table.csv"], "truth.csv"),
    ("patstat_applicants", &["table.csv"], "truth.csv"),
    ("febrl_zingg", &["table.csv"], "truth.csv"),
];

pub(super) fn run(args: &QualityArgs) -> Result<()> {
    let python = match args.alone {
        true => None,
        false => Some(environment("splink", &["splink<5", "duckdb", "sqlglot", "pandas"])?),
    };
    let mut lines = vec!["data,program,seconds,precision,recall,f1,pairs,pairs_right".to_owned()];
    println!("{:20} {:12} {:>9}  precision  recall      F1", "data", "program", "seconds");
    for (name, tables, truth) in SETS {
        let is_asked = args.data.is_empty() || args.data.iter().any(|data| data == name);
        let folder = data_sets().join(name);
        if !is_asked || !folder.exists() {
            continue;
        }
        let set = Set {
            name,
            tables: tables.iter().map(|table| folder.join(table)).collect(),
            truth: folder.join(truth),
            out: target().join("bench").join("quality").join(name),
        };
        fs::create_dir_all(&set.out).with_context(|| format!("cannot make {}", set.out.display()))?;
        lines.push(set.ours(args.save.as_deref())?);
        if let Some(python) = &python {
            lines.push(set.theirs(python)?);
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "quality", &lines),
        None => Ok(()),
    }
}

/// A data set, and where what is made of it goes.
struct Set {
    name: &'static str,
    tables: Vec<PathBuf>,
    truth: PathBuf,
    out: PathBuf,
}

impl Set {
    /// The rule file, beside which the weights will stand.
    fn rules(&self) -> Result<PathBuf> {
        let file = format!("{}.toml", self.name);
        let (from, to) = (root().join("xtask/quality").join(&file), self.out.join(&file));
        fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        Ok(to)
    }

    fn job(&self, rules: &Path) -> Job {
        match &self.tables[..] {
            [left, right] => Job::link(left, right, rules),
            tables => Job::dedupe(&tables[0], rules),
        }
    }

    fn line(&self, program: &str, seconds: f64, quality: Agreement, pairs: Option<(u64, f64)>) -> String {
        let Agreement { precision, recall, f1 } = quality;
        let name = self.name;
        println!("{name:20} {program:12} {seconds:>9.2}     {precision:.4}  {recall:.4}  {f1:.4}");
        let (n_pairs, right) =
            pairs.map_or((String::new(), String::new()), |(n, right)| (n.to_string(), format!("{right:.6}")));
        format!("{name},{program},{seconds:.3},{precision:.6},{recall:.6},{f1:.6},{n_pairs},{right}")
    }

    /// Fits and resolves, and saves the reliability table if asked to.
    fn ours(&self, save: Option<&Path>) -> Result<String> {
        let (device, control) = (Cpu::new(), Control::default());
        let rules = self.rules()?;
        let weights = self.out.join(format!("{}.weights.toml", self.name));
        let begin = Instant::now();
        let fit = self.job(&rules).prepare(&device, &control)?.fit(
            &device,
            &control,
            FitOptions::default(),
            None,
        )?;
        fit.weights.write(&weights)?;
        let resolved = Resolve::new(self.job(&rules)).prepare(&device, &control)?.run(&device, &control)?;
        let seconds = begin.elapsed().as_secs_f64();
        ensure!(
            Weights::read(&weights)?.attributes.len() == fit.weights.attributes.len(),
            "weights are lost"
        );
        // What it would have been at other thresholds, untimed.
        let resolve = Resolve::new(self.job(&rules)).truth(&self.truth).with_curve();
        let measured = resolve.prepare(&device, &control)?.run(&device, &control)?;
        ensure!(measured.entities == resolved.entities, "{}: two runs differ", self.name);
        if let (Some(folder), Some(curve)) = (save, &measured.curve) {
            let folder = folder.join("reliability");
            fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
            fs::write(folder.join(format!("{}.csv", self.name)), curve.reliability())?;
        }
        let step = |name: &str| measured.summary.steps.iter().find(|step| step.name == name);
        let (kept, entities) =
            (step("kept").context("no kept pairs")?, step("entities").context("no entities")?);
        let pairs = (kept.n_pairs, kept.quality.pairwise.precision);
        Ok(self.line("hyperblock", seconds, entities.quality.pairwise, Some(pairs)))
    }

    /// Runs Splink, whose own clock begins when it reads, and measures what it wrote.
    fn theirs(&self, python: &Path) -> Result<String> {
        let script = self.out.join("quality.py");
        fs::write(&script, SCRIPT)?;
        let entities = self.out.join("splink.entities.csv");
        let mut command = at_root(python);
        command.arg(&script).arg(self.rules()?).args(&self.tables).arg("--pairs");
        command.arg(self.out.join("splink.pairs.csv")).arg("--entities").arg(&entities);
        let ran = command.output().context("cannot start Python")?;
        ensure!(ran.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&ran.stderr));
        let said = String::from_utf8_lossy(&ran.stdout);
        let seconds = said.lines().find_map(|line| line.strip_prefix("total ")?.parse().ok());
        let seconds: f64 = seconds.with_context(|| format!("no seconds in {said}"))?;
        let control = Control::default();
        let job = self.job(&self.rules()?).prepare(&Cpu::new(), &control)?;
        let truth = Truth::read(&self.truth, &job.left, job.second(), &control)?;
        let quality = truth.of_entities(&self.read(&entities, &job)?).pairwise;
        Ok(self.line("splink", seconds, quality, None))
    }

    /// By record, left ones first: its entity, from a file of `id, entity_id`, and `table` if there are two.
    fn read(&self, path: &Path, job: &Prepared) -> Result<Vec<u32>> {
        let lefts = job.left.ids.index();
        let rights = job.second().map(|right| right.ids.index());
        let n_left = job.left.n_records();
        let n = n_left + job.second().map_or(0, |right| right.n_records());
        let mut entities = vec![u32::MAX; n as usize];
        let mut first = HashMap::new();
        let mut named: Vec<(u32, String)> = Vec::new();
        for row in fs::read_to_string(path)?.lines().skip(1) {
            // No id of these data sets has to be quoted.
            let fields: Vec<&str> = row.split(',').collect();
            let ([id, entity] | [id, entity, _]) = fields[..] else { bail!("{}: {row}", path.display()) };
            let record = match (&rights, fields.get(2)) {
                (Some(rights), Some(&"right")) => rights.get(id).map(|record| n_left + record),
                _ => lefts.get(id).copied(),
            };
            named.push((record.with_context(|| format!("no record `{id}`"))?, entity.to_owned()));
        }
        named.sort();
        for (record, entity) in named {
            entities[record as usize] = *first.entry(entity).or_insert(record);
        }
        ensure!(entities.iter().all(|entity| *entity != u32::MAX), "{}: records are missing", path.display());
        Ok(entities)
    }
}
