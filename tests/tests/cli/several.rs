//! Several places: the same bytes whoever shares the work, and clear words about lists that make no sense.

use crate::program::people;
use insta::assert_snapshot;

const DEDUPE: &str = "dedupe people.csv -r rules.toml --quiet";

#[test]
fn the_same_bytes_whoever_shares_the_work() {
    let folder = people();
    folder.stdout(&format!("{DEDUPE} -o one.csv --device cpu"));
    let one = folder.read("one.csv");
    assert!(one.lines().count() > 1);
    for devices in ["cpu", "cpu/2", "cpu/3"] {
        for schedule in ["steal", "bounded-hash", "even-split", "round-robin"] {
            for partitions in ["", "--partitions 1", "--partitions 7", "--partitions 1024"] {
                let shared = format!("--devices {devices} --schedule {schedule} {partitions}");
                folder.stdout(&format!("{DEDUPE} -o several.csv {shared}"));
                assert_eq!(folder.read("several.csv"), one, "{shared}");
            }
        }
    }
    folder.stdout(&format!("{DEDUPE} -o several.csv --device cpu --partitions 5"));
    assert_eq!(folder.read("several.csv"), one);
}

#[test]
fn lists_that_make_no_sense() {
    let folder = people();
    let refused = |arguments: &str| {
        folder
            .failure(2, &format!("{DEDUPE} -o pairs.csv {arguments}"))
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_snapshot!(refused("--devices cpu,gpu"), @"error: invalid value 'cpu,gpu' for '--devices <LIST>': `gpu`: expected cpu, cuda or cuda:N, and after a slash into how many places it is divided, up to 64");
    assert_snapshot!(refused("--devices cpu/0"), @"error: invalid value 'cpu/0' for '--devices <LIST>': `cpu/0`: expected cpu, cuda or cuda:N, and after a slash into how many places it is divided, up to 64");
    assert_snapshot!(refused("--devices cpu,cpu/2"), @"error: invalid value 'cpu,cpu/2' for '--devices <LIST>': cpu is named twice; cpu/2 are two places of it");
    assert_snapshot!(refused("--devices auto"), @"error: invalid value 'auto' for '--devices <LIST>': `auto`: expected cpu, cuda or cuda:N, and after a slash into how many places it is divided, up to 64");
    assert_snapshot!(refused("--devices cpu --device cpu"), @"error: the argument '--devices <LIST>' cannot be used with '--device <DEVICE>'");
    assert_snapshot!(refused("--devices cpu --schedule fair"), @"error: invalid value 'fair' for '--schedule <HOW>': expected bounded-hash, even-split, round-robin or steal");
    assert_snapshot!(refused("--schedule steal"), @"error: the following required arguments were not provided:");
    assert_snapshot!(refused("--partitions 0"), @"error: invalid value '0' for '--partitions <N>': 0 is not in 1..=65536");
}

#[test]
fn what_each_place_did() {
    let folder = people();
    let analyze = "explain people.csv -r rules.toml --analyze --threads 2 --devices cpu/2 --partitions 6";
    let told = folder.stdout(analyze);
    let table = told.split("\nPlaces:\n").nth(1).expect("places are told of");
    let rows = table.lines().filter(|line| line.starts_with("  cpu (1 thread)"));
    let numbers = |row: &str| -> Vec<u64> {
        row.trim_start_matches("  cpu (1 thread)")
            .split_whitespace()
            .map_while(|it| it.parse().ok())
            .collect()
    };
    let sums =
        rows.map(numbers).fold([0; 3], |sums, row| [sums[0] + row[0], sums[1] + row[1], sums[2] + row[2]]);
    let [n_tasks, n_stolen, n_candidates] = sums;
    assert!((2..=8).contains(&n_tasks) && n_stolen <= n_tasks, "{told}");
    assert!(told.contains(&format!("Candidates: {n_candidates};")), "{told}");
    let json = folder.stdout(&format!("{analyze} --format json"));
    assert!(json.contains("\"places\":") && json.contains("\"waits\":"), "{json}");
    // Without running it, what is expected of them.
    let planned = analyze.replace(" --analyze", "");
    let tasks = folder.stdout(&planned).lines().find(|line| line.starts_with("Tasks: ")).map(str::to_owned);
    assert!(tasks.is_some_and(|tasks| tasks.contains(" ms each, from ")), "tasks are told of");
    assert!(folder.stdout(&format!("{planned} --format json")).contains("\"tasks\": {"));
}

#[test]
fn a_gpu_that_is_not_there() {
    let folder = people();
    let message = folder.failure(1, &format!("{DEDUPE} -o pairs.csv --devices cpu,cuda:99"));
    assert!(message.starts_with("error: no device `cuda:99`"), "{message}");
}
