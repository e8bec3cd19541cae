//! HyperBlocker's own row of Tables 3 and 4 (PVLDB 18(2), 2024), by the program itself from file to file, with the paper's
//! figures beside.
//!
//! Rules are those of `xtask/paper`, as many as the paper has, and those of `tests/rules`. The paper's DBLP-Scholar (66,881
//! records, 5,348 matches) is not to be had. There are two others: `dblp_scholar_1to1` (63,969 and 2,320), and
//! `dblp_scholar_labelled` (13,309 and 5,346). CSSR is the share of all pairs across both tables, in thousandths. So it is
//! in the paper: five for each of 533 restaurants, paired with 331, are its 15.1. Time is that of all stages, from reading
//! to writing, and with it that of the process from its start to its end. Memory is the most there was at once.

use super::against::{Program, Scratch, Subject};
use super::job::summary::{self, Summary};
use super::paper_args::PaperArgs;
use super::scan::names;
use super::stand_in::{self, GENERATED_PAPERS};
use super::workload::data_sets;
use crate::cargo::root;
use crate::record;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What the paper has of a data set.
struct Paper {
    recall: f64,
    /// Of DBLP-ACM alone.
    f1: Option<f64>,
    /// Thousandths.
    cssr: f64,
    seconds: f64,
    /// Gigabytes of the host, and of the device.
    memory: [f64; 2],
}

const RESTAURANTS: Paper = Paper { recall: 1.0, f1: None, cssr: 0.6, seconds: 0.05, memory: [0.2, 0.5] };
const ACM: Paper = Paper { recall: 0.94, f1: Some(0.94), cssr: 0.4, seconds: 0.8, memory: [0.3, 0.6] };
const SCHOLAR: Paper = Paper { recall: 0.93, f1: None, cssr: 1.2, seconds: 6.6, memory: [0.6, 0.7] };

/// Where rule files are.
const AS_MANY: &str = "xtask/paper";
const OURS: &str = "tests/rules";

/// Data sets, where their rules are, how many candidates those allow, as far as docs/benchmarks.md says, and the paper's
/// figures.
const ROWS: [(&str, &str, Option<u64>, Paper); 8] = [
    (GENERATED_PAPERS, AS_MANY, None, ACM),
    ("fodors_zagat", OURS, None, RESTAURANTS),
    ("dblp_acm", AS_MANY, Some(2_798), ACM),
    ("dblp_acm", OURS, None, ACM),
    ("dblp_scholar_1to1", AS_MANY, Some(4_142), SCHOLAR),
    ("dblp_scholar_1to1", OURS, None, SCHOLAR),
    ("dblp_scholar_labelled", AS_MANY, Some(7_401), SCHOLAR),
    ("dblp_scholar_labelled", OURS, None, SCHOLAR),
];

const HEAD: &str = "data,rules,variant,device,candidates,recall,precision,f1,cssr_permille,runs,stages_s,wall_s,host_gb,device_gb,\
                    paper_recall,paper_f1,paper_cssr_permille,paper_s,paper_host_gb,paper_device_gb";

/// The engine with all its parts.
const FULL: &str = "full";

/// The files of a row.
struct Work {
    left: PathBuf,
    right: PathBuf,
    truth: PathBuf,
    rules: PathBuf,
}

/// What came of it; times and memory are medians.
#[derive(Debug, PartialEq)]
struct Figures {
    n_candidates: u64,
    recall: f64,
    precision: f64,
    f1: f64,
    cssr: f64,
    n_runs: usize,
    seconds: f64,
    wall: f64,
    host: f64,
    device: Option<f64>,
}

pub(super) fn run(args: &PaperArgs) -> Result<()> {
    let side = match &args.program {
        Some(program) => Subject::given(program),
        None => Subject::built_here(Program::Hyperblock),
    }?;
    let variant = args.variant.as_deref();
    let mut lines = vec![HEAD.to_owned()];
    println!(
        "{:22} {:12} {:6} {:>10}  {:14} {:>9}  {:14} {:14} {:16} {:>7}  {:14} {:14}",
        "data",
        "rules",
        "device",
        "candidates",
        "recall",
        "precision",
        "F1",
        "CSSR (‰)",
        "seconds",
        "wall",
        "host (GB)",
        "device (GB)"
    );
    for data in &args.data {
        ensure!(ROWS.iter().any(|row| row.0 == data), "{data} is in none of the tables");
    }
    let is_asked = |data: &str| {
        let is_named = args.data.is_empty() || args.data.iter().any(|name| name == data);
        is_named && args.generated == (data == GENERATED_PAPERS)
    };
    for (data, rules, mut known, paper) in ROWS.into_iter().filter(|row| is_asked(row.0)) {
        let Some(work) = Work::find(data, rules)? else {
            println!("{data}: left out, its tables are not in {}", data_sets().display());
            continue;
        };
        for device in names(&args.on.device) {
            let mut runs = Vec::new();
            // The first has files cached.
            for nth in 0..=args.runs {
                let run = work.once(&side.program, variant, &device);
                let run = run.with_context(|| format!("{data} on {device}"))?;
                if nth > 0 {
                    runs.push(run);
                }
            }
            let figures = Figures::of(&runs)?;
            let (found, wanted) = (figures.n_candidates, *known.get_or_insert(figures.n_candidates));
            ensure!(
                found == wanted,
                "{data}, {rules}: {found} candidates on {device}, but {wanted} are right"
            );
            figures.print(&format!("{data:22} {rules:12} {device:6}"), &paper);
            let variant = variant.unwrap_or(FULL);
            lines.push(format!("{data},{rules},{variant},{device},{}", figures.line(&paper)));
        }
    }
    println!("in brackets the paper's");
    match &args.save {
        Some(folder) => record::save_of(folder, "paper", &lines, &[("commit", side.describe()?)]),
        None => Ok(()),
    }
}

impl Work {
    /// Nothing, if the tables are not there.
    fn find(data: &str, rules: &str) -> Result<Option<Self>> {
        if data == GENERATED_PAPERS {
            let [left, right, truth] = stand_in::papers()?;
            return Ok(Some(Self { left, right, truth, rules: root().join(rules).join("dblp_acm.toml") }));
        }
        let folder = data_sets().join(data);
        let table = |name: &str| {
            let paths = ["csv", "csv.gz"].map(|end| folder.join(format!("{name}.{end}")));
            paths.into_iter().find(|path| path.is_file())
        };
        let rules = root().join(rules).join(format!("{data}.toml"));
        let tables = || Some((table("tableA")?, table("tableB")?, table("matches")?));
        Ok(tables().map(|(left, right, truth)| Self { left, right, truth, rules }))
    }

    /// Runs the program once: its seconds from start to end, and what it says.
    fn once(&self, program: &Path, variant: Option<&str>, device: &str) -> Result<(f64, Summary)> {
        let folder = Scratch::new()?;
        let mut command = Command::new(program);
        command.arg("link").args([&self.left, &self.right]).arg("--rules").arg(&self.rules);
        command.arg("--truth").arg(&self.truth).args(["--device", device]);
        command.arg("--output").arg(folder.0.join("out.csv"));
        if let Some(variant) = variant {
            command.args(["--variant", variant]);
        }
        let start = Instant::now();
        let ran = command.output().with_context(|| format!("cannot start {}", program.display()))?;
        let wall = start.elapsed().as_secs_f64();
        let errors = String::from_utf8_lossy(&ran.stderr);
        ensure!(ran.status.success(), "{}: {}", program.display(), errors.trim());
        Ok((wall, summary::parse(&errors).with_context(|| format!("what {} says", program.display()))?))
    }
}

impl Figures {
    /// Of some runs, at least one.
    fn of(runs: &[(f64, Summary)]) -> Result<Self> {
        let median = |of: &dyn Fn(&(f64, Summary)) -> f64| {
            let mut all: Vec<f64> = runs.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        let said = &runs[0].1;
        let share = |name: &str| {
            let share = said.shares.iter().find(|(other, _)| *other == name);
            share.map(|(_, share)| *share).with_context(|| format!("it says nothing of {name}"))
        };
        let candidates = said.counts.iter().find(|(name, _)| *name == "candidates");
        Ok(Self {
            n_candidates: candidates.context("it says nothing of candidates")?.1,
            recall: share("recall")?,
            precision: share("precision")?,
            f1: share("F1")?,
            cssr: 1e3 * share("CSSR")?,
            n_runs: runs.len(),
            seconds: median(&|(_, said)| said.all),
            wall: median(&|(wall, _)| *wall),
            host: 1e-9 * median(&|(_, said)| said.memory as f64),
            device: said.device_memory.map(|bytes| 1e-9 * bytes as f64),
        })
    }

    fn print(&self, what: &str, paper: &Paper) {
        let Self { n_candidates, precision, wall, .. } = self;
        let beside = |ours: String, paper: Option<f64>| match paper {
            Some(paper) => format!("{ours} ({paper})"),
            None => ours,
        };
        let device = self.device.map_or_else(|| "none".to_owned(), |device| format!("{device:.3}"));
        println!(
            "{what} {n_candidates:10}  {:14} {precision:9.4}  {:14} {:14} {:16} {wall:7.3}  {:14} {:14}",
            beside(format!("{:.4}", self.recall), Some(paper.recall)),
            beside(format!("{:.4}", self.f1), paper.f1),
            beside(format!("{:.3}", self.cssr), Some(paper.cssr)),
            beside(format!("{:.4}", self.seconds), Some(paper.seconds)),
            beside(format!("{:.3}", self.host), Some(paper.memory[0])),
            beside(device, Some(paper.memory[1])),
        );
    }

    fn line(&self, paper: &Paper) -> String {
        let Self { n_candidates, recall, precision, f1, cssr, n_runs, seconds, wall, host, device } = self;
        let known = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.4}"));
        let [of_host, of_device] = paper.memory;
        format!(
            "{n_candidates},{recall:.4},{precision:.4},{f1:.4},{cssr:.4},{n_runs},{seconds:.6},{wall:.6},{host:.4},{},\
             {},{},{},{},{of_host},{of_device}",
            known(*device),
            paper.recall,
            known(paper.f1),
            paper.cssr,
            paper.seconds,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{ACM, Figures, GENERATED_PAPERS, HEAD, ROWS};
    use crate::bench::job::summary;
    use crate::cargo::root;

    const SAID: &str = "\
candidates       2,798
recall           0.9978
precision        0.7931
F1               0.8837
CSSR             4.662e-4
time             120.0 ms (read 20.0 ms, scan 100.0 ms)
peak memory      95.4 MiB
on the device    476.8 MiB
";

    #[test]
    fn figures_stand_beside_the_papers() {
        let said = summary::parse(SAID).unwrap();
        let faster = summary::Summary { all: 0.1, ..said.clone() };
        let figures = Figures::of(&[(0.5, said.clone()), (0.25, faster), (0.75, said)]).unwrap();
        assert_eq!(
            (figures.n_candidates, figures.n_runs, figures.seconds, figures.wall),
            (2_798, 3, 0.12, 0.5)
        );
        let line = format!("dblp_acm,xtask/paper,full,cuda,{}", figures.line(&ACM));
        assert_eq!(
            line,
            "dblp_acm,xtask/paper,full,cuda,2798,0.9978,0.7931,0.8837,0.4662,3,0.120000,0.500000,0.1000,0.5000,\
             0.94,0.9400,0.4,0.8,0.3,0.6"
        );
        assert_eq!(line.split(',').count(), HEAD.split(',').count());
    }

    #[test]
    fn what_is_not_said_is_missed() {
        let without = SAID.replace("CSSR", "share");
        let error = Figures::of(&[(0.5, summary::parse(&without).unwrap())]).unwrap_err();
        assert_eq!(error.to_string(), "it says nothing of CSSR");
    }

    #[test]
    fn every_row_has_its_rules() {
        for (data, rules, ..) in ROWS {
            let data = if data == GENERATED_PAPERS { "dblp_acm" } else { data };
            assert!(root().join(rules).join(format!("{data}.toml")).is_file(), "{data}, {rules}");
        }
    }
}
