//! Several places: the same bytes whoever shares the work, and clear words about lists that make no sense.

use crate::program::{Folder, people};
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
    assert_snapshot!(refused("--devices cpu,gpu"), @"");
    assert_snapshot!(refused("--devices cpu/0"), @"");
    assert_snapshot!(refused("--devices cpu,cpu/2"), @"");
    assert_snapshot!(refused("--devices auto"), @"");
    assert_snapshot!(refused("--devices cpu --device cpu"), @"");
    assert_snapshot!(refused("--devices cpu --schedule fair"), @"");
    assert_snapshot!(refused("--schedule steal"), @"");
    assert_snapshot!(refused("--partitions 0"), @"");
}

#[test]
fn a_gpu_that_is_not_there() {
    let folder = people();
    let message = folder.failure(1, &format!("{DEDUPE} -o pairs.csv --devices cpu,cuda:99"));
    assert!(message.starts_with("error: no device `cuda:99`"), "{message}");
}
