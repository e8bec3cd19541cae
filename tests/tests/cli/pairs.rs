//! All pairs, where rules are not wanted.

use crate::program::{Folder, PEOPLE, redacted};
use insta::assert_snapshot;

const ALL: &str = "[[pairs]]\nall = true\n";

#[test]
fn every_pair_is_a_candidate() {
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", ALL)]);
    let _redacted = redacted();
    assert_snapshot!(folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu").stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   10 of 10
    candidates       10
      all pairs  10
    reduction ratio  0.000000
    time             [time] (open [time], read [time], encode [time], plan [time], load [time], scan [time], write [time], other [time])
    peak memory      [memory]
    ");
    assert_snapshot!(folder.read("pairs.csv"), @"
    left,right,rule
    2,4,all pairs
    2,9,all pairs
    2,10,all pairs
    2,33,all pairs
    4,9,all pairs
    4,10,all pairs
    4,33,all pairs
    9,10,all pairs
    9,33,all pairs
    10,33,all pairs
    ");
    let more = "id,full name\na,anna\nb,Bob Ray\n";
    let folder = Folder::with(&[("people.csv", PEOPLE), ("more.csv", more), ("rules.toml", ALL)]);
    let pairs = folder.stdout("link people.csv more.csv -r rules.toml -o - --device cpu");
    assert_eq!(pairs.lines().count(), 1 + 5 * 2);
    assert!(pairs.contains("\n33,b,all pairs\n"), "{pairs}");
}

/// A score keeps of all pairs what a rule that says the same finds.
#[test]
fn scores_choose_among_all_pairs() {
    let score = "[score]\nthreshold = 0.8\n[[score.attributes]]\nmeasure = 'jaro_winkler(l.name, r.name)'\nweight = 1\n";
    let all = format!("{ALL}{score}");
    let rule = format!("[[rules]]\nwhen = 'jaro_winkler(l.name, r.name) >= 0.8'\n{score}");
    let folder = Folder::with(&[("people.csv", PEOPLE), ("all.toml", &all), ("rule.toml", &rule)]);
    let pairs = |rules: &str| {
        let pairs = folder.stdout(&format!("dedupe people.csv -r {rules} -o - --device cpu"));
        let without_witness = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            format!("{} {} {}", fields[0], fields[1], fields[3])
        };
        pairs.lines().skip(1).map(without_witness).collect::<Vec<_>>()
    };
    assert_eq!(pairs("all.toml"), pairs("rule.toml"));
    assert_eq!(pairs("all.toml").len(), 2);
}

#[test]
fn too_many_are_refused() {
    let rules = format!("{ALL}most = 9\n");
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", &rules)]);
    let run = folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu");
    assert_eq!(run.code, Some(1));
    assert_snapshot!(run.stderr.lines().last().unwrap_or_default(), @"error: there are 10 pairs, and [[pairs]] allows 9 at most (written out, they would take some 250 B): write [[rules]] that leave fewer, or set `most = 10`");
    assert!(!folder.path("pairs.csv").exists());
    let explained = folder.stdout("explain people.csv -r rules.toml --device cpu");
    assert_snapshot!(explained.lines().find(|line| line.contains("All pairs")).unwrap_or_default(), @r#"All pairs: "all pairs", pairs=10, most=9; refused: there are more"#);
}

#[test]
fn explain_and_why_know_them() {
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", ALL)]);
    assert_snapshot!(folder.stdout("why 10 2 people.csv -r rules.toml"), @r#"
    2 and 10

    all pairs "all pairs": holds — the witness

    The pair is a candidate; its witness is "all pairs".
    "#);
    assert_snapshot!(folder.stdout("why 10 2 people.csv -r rules.toml --format json"), @r#"
    {
      "left": "2",
      "right": "10",
      "candidate": true,
      "witness": "all pairs",
      "rules": [],
      "all_pairs": {
        "name": "all pairs",
        "holds": true
      }
    }
    "#);
    assert_snapshot!(folder.stdout("explain people.csv -r rules.toml --device cpu --format dot"), @r#"
    digraph plan {
      node [shape=box, fontname="sans-serif"];
      root [label="all pairs\n0"];
      all [label="all pairs\nall 10 pairs", shape=ellipse, style=bold];
    }
    "#);
    let json = folder.stdout("explain people.csv -r rules.toml --device cpu --format json");
    assert!(json.contains("\"all_pairs\""), "{json}");
}
