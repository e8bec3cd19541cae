//! Jobs that find more than fits into the memory that they may use: the same bytes, and nothing left behind.

use crate::program::{Folder, program};
use std::process::Command;

/// So little that a part of what is found has to go to a file.
const LITTLE: &str = "--memory 64 --spill spilled";

const RULES: &str = "[[rules]]\nname = \"group\"\nwhen = \"l.team = r.team\"\n";
const SCORE: &str =
    "[score]\nthreshold = 0.5\n[[score.attributes]]\nmeasure = \"levenshtein_similarity(l.name, r.name)\"\n";

/// Teams of 300: each two of a team are a pair.
fn table(n_rows: u32, salt: u32) -> String {
    (1..=n_rows).fold("id,name,team\n".to_owned(), |table, id| {
        let draw = (id + salt).wrapping_mul(2_654_435_761) >> 7;
        table + &format!("{id},{}{}{},t{}\n", draw % 9, draw / 9 % 9, draw / 81 % 9, id % 12)
    })
}

fn folder() -> Folder {
    let truth = (1..=3600).fold("id,entity_id\n".to_owned(), |all, id| all + &format!("{id},{}\n", id / 24));
    let folder = Folder::with(&[
        ("people.csv", &table(3600, 0)),
        ("others.csv", &table(1800, 77)),
        ("rules.toml", RULES),
        ("scored.toml", &format!("{RULES}{SCORE}")),
        ("truth.csv", &truth),
    ]);
    std::fs::create_dir(folder.path("spilled")).expect("a folder can be made");
    folder
}

/// That nothing is left in the folder for such files.
fn assert_clean(folder: &Folder) {
    let left = std::fs::read_dir(folder.path("spilled")).expect("a folder can be listed").count();
    assert_eq!(left, 0, "something is left of what was spilled");
}

/// What a summary says, but for the lines of time and memory, and of what was compared for it: pieces take other paths.
fn said(stderr: &str) -> Vec<&str> {
    let is_of_the_way =
        |line: &str| ["time ", "peak memory ", "pairs compared "].iter().any(|start| line.starts_with(start));
    stderr.lines().filter(|line| !is_of_the_way(line)).collect()
}

#[test]
fn the_same_candidates() {
    let folder = folder();
    for job in [
        "dedupe people.csv -r rules.toml --truth truth.csv",
        "dedupe people.csv -r scored.toml --truth truth.csv",
        "dedupe people.csv -r rules.toml --partitions 7",
        "dedupe people.csv -r rules.toml --devices cpu/2",
        "link people.csv others.csv -r rules.toml",
        "link people.csv others.csv -r scored.toml",
    ] {
        let place = if job.contains("--devices") { "" } else { "--device cpu" };
        let wanted = folder.run(&format!("{job} -o wanted.csv {place}"));
        assert_eq!(wanted.code, Some(0), "{job}: {}", wanted.stderr);
        let found = folder.run(&format!("{job} -o found.csv {place} {LITTLE}"));
        assert_eq!(found.code, Some(0), "{job}: {}", found.stderr);
        assert!(folder.read("found.csv") == folder.read("wanted.csv"), "{job}: other bytes");
        assert_eq!(said(&found.stderr), said(&wanted.stderr), "{job}");
        let count = |more: &str| folder.stdout(&format!("{job} --count --quiet {place} {more}"));
        assert_eq!(count(LITTLE), count(""), "{job}");
        assert_clean(&folder);
    }
}

#[test]
fn the_same_entities() {
    let folder = folder();
    let of_one = ["components", "center", "complete"].map(|method| ("people.csv", method));
    let of_two = ["one-to-one", "many-to-one", "best"].map(|method| ("people.csv others.csv", method));
    for (tables, method) in of_one.into_iter().chain(of_two) {
        for rules in ["rules.toml", "scored.toml"] {
            let truth = if tables == "people.csv" { "--truth truth.csv" } else { "" };
            let job = format!("resolve {tables} -r {rules} --method {method} {truth} --device cpu");
            let wanted = folder.run(&format!("{job} -o wanted.csv --pairs wanted-pairs.csv"));
            assert_eq!(wanted.code, Some(0), "{job}: {}", wanted.stderr);
            let found = folder.run(&format!("{job} -o found.csv --pairs found-pairs.csv {LITTLE}"));
            assert_eq!(found.code, Some(0), "{job}: {}", found.stderr);
            assert!(folder.read("found.csv") == folder.read("wanted.csv"), "{job}: other entities");
            assert!(folder.read("found-pairs.csv") == folder.read("wanted-pairs.csv"), "{job}: other pairs");
            assert_eq!(said(&found.stderr), said(&wanted.stderr), "{job}");
            assert_clean(&folder);
        }
    }
}

/// A component, a curve and a matrix that do not fit are refused, with the number.
#[test]
fn what_cannot_be_cut() {
    let folder = folder().file("all.toml", "[[rules]]\nwhen = \"l.team <> r.name\"\n");
    let refused = |job: &str| {
        let said = folder
            .failure(1, &format!("resolve people.csv -o found.csv --device cpu --quiet {LITTLE} {job}"));
        assert!(said.contains("MiB of memory in all, and --memory allows 64.0; allow more"), "{said}");
        said
    };
    for (job, what) in [
        ("-r all.toml --method center", "the pairs of the largest component"),
        ("-r scored.toml --truth truth.csv --curve curve.csv", "all pairs with their scores, for a curve"),
        ("-r rules.toml --method tiled-fw", "all pairs, for a matrix"),
    ] {
        let said = refused(job);
        assert!(said.contains(&format!("error: {what}: needs ")), "{said}");
    }
    assert_clean(&folder);
}

/// No file may be longer than a few hundred bytes, as on a disk that is full. Results go to a pipe.
#[test]
fn full_disk() {
    let folder = folder();
    for job in [
        "dedupe people.csv -r rules.toml -o -",
        "dedupe people.csv -r rules.toml -o - --partitions 7",
        "resolve people.csv -r rules.toml --method center -o -",
    ] {
        let before = folder.names();
        let script = format!(
            "trap '' XFSZ; ulimit -f 1; exec {} {job} --device cpu --quiet {LITTLE}",
            program().display()
        );
        let ran = Command::new("sh").arg("-c").arg(script).current_dir(folder.path(".")).output();
        let ran = ran.expect("a shell");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1), "{job}: {said}");
        let wanted = "error: spilled: what does not fit into memory cannot be kept here: File too large";
        assert!(said.starts_with(wanted), "{job}: {said}");
        let n_lines = ran.stdout.split(|byte| *byte == b'\n').count();
        assert!(n_lines <= 2, "{job}: it failed and wrote more than names of columns");
        assert_eq!(folder.names(), before, "{job}");
        assert_clean(&folder);
    }
}

#[test]
fn a_folder_that_is_not_there() {
    let folder = folder();
    let job = "dedupe people.csv -r rules.toml -o found.csv --device cpu --quiet --memory 64 --spill nowhere";
    let said = folder.failure(1, job);
    assert!(
        said.starts_with("error: nowhere: what does not fit into memory cannot be kept here: "),
        "{said}"
    );
}
