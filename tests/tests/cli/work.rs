//! Work is proportional to what is asked: long values, many rules, long lists and huge rule files, each of which once took
//! minutes. Limits are far above what they take now, and far below what they took.

use crate::program::{Folder, Ran};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(30);
const DEDUPE: &str = "-q dedupe t.csv --rules r.toml -o - --device cpu";

/// Runs rules over a table, in time.
fn run(table: &str, rules: &str) -> Ran {
    let folder = Folder::with(&[("t.csv", table), ("r.toml", rules)]);
    let start = Instant::now();
    let ran = folder.run(DEDUPE);
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
    ran
}

/// The same, and what it found.
fn dedupe(table: &str, rules: &str) -> String {
    let ran = run(table, rules);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout
}

fn rules(whens: impl Iterator<Item = String>) -> String {
    whens.map(|when| format!("[[rules]]\nwhen = \"{when}\"\n")).collect()
}

const THREE: &str = "id,a,n\n1,ab,7\n2,ab,7\n3,cd,8\n";

#[test]
fn long_values() {
    let long = |letters: &str| letters.repeat(20_000 / letters.len());
    let table = format!("id,a\n0,{}\n1,{}\n2,{}\n", long("abc"), long("abd"), long("xyz"));
    let found = dedupe(&table, &rules(["jaro(l.a, r.a) >= 0.7".to_owned()].into_iter()));
    assert_eq!(found, "left,right,rule\n0,1,rule 1\n");
}

#[test]
fn many_rules() {
    let constants = rules((0..2000).map(|n| format!("l.a = r.a AND l.n = {n}")));
    assert_eq!(dedupe(THREE, &constants), "left,right,rule\n1,2,rule 8\n");
    let thresholds = rules((0..2000).map(|n| format!("jaro(l.a, r.a) >= 0.{:04}", 9999 - n)));
    assert_eq!(dedupe(THREE, &thresholds), "left,right,rule\n1,2,rule 1\n");
}

#[test]
fn long_lists_of_constants() {
    let list = |n: usize| (0..n).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let one_of = rules([format!("l.a = r.a AND l.n IN ({})", list(900))].into_iter());
    assert_eq!(dedupe(THREE, &one_of), "left,right,rule\n1,2,rule 1\n");
    let none_of = rules([format!("l.n NOT IN ({}) AND r.n IS NOT NULL", list(4000))].into_iter());
    assert_eq!(dedupe(THREE, &none_of), "left,right,rule\n");
    let others = rules([format!("l.n NOT IN ({}, 9) AND r.n IS NOT NULL", list(8))].into_iter());
    assert_eq!(dedupe(THREE, &others), "left,right,rule\n1,3,rule 1\n2,3,rule 1\n");
}

#[test]
fn metaphone_of_a_long_value() {
    let table = format!("id,a\n1,{}\n2,e\n", "ae".repeat(1 << 19));
    let same = rules(["metaphone(l.a) = metaphone(r.a)".to_owned()].into_iter());
    assert_eq!(dedupe(&table, &same), "left,right,rule\n1,2,rule 1\n");
}

#[test]
fn huge_rule_files() {
    for (n_blanks, message) in [
        (20 << 20, "a rule file has at most 16 MiB, and this one has more"),
        (2 << 20, "`when` is longer than 1048576 bytes"),
        (1 << 19, ""),
    ] {
        let when = format!("l.a = r.a{}", " ".repeat(n_blanks));
        let ran = run(THREE, &rules([when].into_iter()));
        assert_eq!(ran.code == Some(0), message.is_empty(), "{}", ran.stderr);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}
