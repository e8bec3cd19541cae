//! The reports that the browser test looks at: of the bundled people by each command, of a table of hostile values, and of public data
//! sets where they are.

use crate::cargo::{at_root, root, run};
use crate::python::emptied;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Values that would like to be more than values.
pub(super) const HOSTILE: &str = "tests/data/hostile/table.csv";
/// Where data sets are, if not beside the checkout.
const DATA: &str = "HYPERBLOCK_DATA";

/// Jobs over the bundled people, each with its report.
const JOBS: [(&str, &str); 4] = [
    ("withheld", "dedupe people.csv --rules rules.toml -o pairs.csv --report-values none"),
    ("link", "link left.csv right.csv --rules rules.toml --truth truth.csv -o linked.csv"),
    ("plan", "explain people.csv --rules rules.toml --analyze --devices cpu/2 --partitions 4"),
    ("hostile", "resolve hostile.csv --rules hostile.toml -o hostile_entities.csv"),
];
/// The one that most tests are about: weights, truth, and pairs to label.
const FIT: (&str, &str) = ("fit", "fit people.csv --rules score.toml -o weights.toml");
const PEOPLE: (&str, &str) =
    ("people", "resolve people.csv --rules score.toml --truth truth.csv -o entities.csv --label-sample 50");

/// The files of a data set of two tables.
const TABLES: [&str; 3] = ["tableA", "tableB", "matches"];
/// Public data sets, their rules, and jobs over them.
type DataSet = (&'static str, &'static str, &'static [(&'static str, &'static str)]);
const DATA_SETS: [DataSet; 2] = [
    (
        "dblp_scholar_1to1",
        "tests/rules/dblp_scholar_1to1.toml",
        &[("dblp_scholar_1to1", "link tableA tableB --rules rules.toml --truth matches -o pairs.csv")],
    ),
    (
        "febrl4",
        "examples/febrl4/fitted.toml",
        &[
            ("febrl4_fit", "fit tableA tableB --rules rules.toml -o weights.toml"),
            (
                "febrl4",
                "resolve tableA tableB --rules rules.toml --truth matches -o entities.csv --label-sample 300",
            ),
        ],
    ),
];

/// Makes all of them in a folder.
pub(super) fn make(program: &Path, made: &Path) -> Result<()> {
    let work = make_people(program, made)?;
    for (name, job) in JOBS {
        report(program, &work, made, name, job)?;
    }
    real(program, &work, made)
}

/// Makes the first two, and says where their tables are.
pub(super) fn make_people(program: &Path, made: &Path) -> Result<PathBuf> {
    let work = super::folder("work");
    emptied(&work)?;
    fs::create_dir_all(&work)?;
    fs::create_dir_all(made)?;
    let example = root().join("examples/people");
    for name in ["people.csv", "truth.csv", "rules.toml", "score.toml"] {
        copy(&example.join(name), &work.join(name))?;
    }
    copy(&root().join(HOSTILE), &work.join("hostile.csv"))?;
    copy(&root().join(HOSTILE).with_file_name("rules.toml"), &work.join("hostile.toml"))?;
    // Two tables: every other record.
    let people = fs::read_to_string(work.join("people.csv"))?;
    let (head, records) = people.split_once('\n').context("people.csv has no records")?;
    for (name, first) in [("left.csv", 0), ("right.csv", 1)] {
        let side: Vec<_> = [head].into_iter().chain(records.lines().skip(first).step_by(2)).collect();
        fs::write(work.join(name), side.join("\n") + "\n")?;
    }
    for (name, job) in [FIT, PEOPLE] {
        report(program, &work, made, name, job)?;
    }
    Ok(work)
}

/// Public data sets: a link, and weights. Each has a folder of its own, with its rules in it.
fn real(program: &Path, work: &Path, made: &Path) -> Result<()> {
    let data = std::env::var_os(DATA).map_or_else(|| root().join("../shared/data"), PathBuf::from);
    for (name, rules, jobs) in DATA_SETS {
        if !data.join(name).is_dir() {
            println!("{name} is not there, and has no report: {DATA} names the folder of data sets");
            continue;
        }
        let folder = work.join(name);
        fs::create_dir_all(&folder)?;
        copy(&root().join(rules), &folder.join("rules.toml"))?;
        let mut tables = Vec::new();
        for table in TABLES {
            // A file may be packed.
            let plain = format!("{table}.csv");
            let file = if data.join(name).join(&plain).is_file() { plain } else { format!("{plain}.gz") };
            copy(&data.join(name).join(&file), &folder.join(&file))?;
            tables.push(file);
        }
        for (name, job) in jobs {
            let job = TABLES
                .iter()
                .zip(&tables)
                .fold((*job).to_owned(), |job, (word, file)| job.replace(word, file));
            report(program, &folder, made, name, &job)?;
        }
    }
    Ok(())
}

/// Carries out a job, and has its report written.
fn report(program: &Path, work: &Path, made: &Path, name: &str, job: &str) -> Result<()> {
    println!("report {name}: hyperblock {job}");
    let file = made.join(format!("{name}.html"));
    let said = at_root(program).current_dir(work).args(job.split(' ')).arg("--report").arg(&file).output();
    let said = said.with_context(|| format!("cannot start {}", program.display()))?;
    ensure!(said.status.success(), "hyperblock {job}: {}", String::from_utf8_lossy(&said.stderr));
    ensure!(file.is_file(), "hyperblock {job}: there is no report");
    Ok(())
}

/// The people once more, with labels that the page handed out.
pub(super) fn take(program: &Path, labels: &Path) -> Result<()> {
    let work = super::folder("work");
    let mut again = at_root(program);
    again.current_dir(&work).args(["resolve", "people.csv", "--rules", "score.toml", "-o", "labelled.csv"]);
    run(again.arg("--truth").arg(labels))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).with_context(|| format!("cannot copy {}", from.display()))
}
