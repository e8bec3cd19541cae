//! Sorted neighbourhoods as a user meets them.

use crate::program::{Folder, PEOPLE, RULES, redacted};
use insta::assert_snapshot;

const NEAR: &str = "\
[[neighbourhoods]]
name = 'near by name'
key = 'name'
window = 2
[[neighbourhoods]]
key = 'born'
window = 2
";

#[test]
fn neighbours_are_paired_without_rules() {
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", NEAR)]);
    // Names: 10 Ann Lee, 9 Anne Lee, 2 Bob Ray, 33 Bob Ray, 4 Zoë. Births: 2, 10, 9, 4.
    assert_eq!(
        folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"),
        "left,right,rule\n2,9,near by name\n2,10,neighbourhood 2\n2,33,near by name\n4,9,neighbourhood 2\n\
         4,33,near by name\n9,10,near by name\n"
    );
}

#[test]
fn a_rule_is_the_witness_before_a_neighbourhood() {
    let rules = format!("{RULES}{NEAR}");
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", &rules)]);
    assert_eq!(
        folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"),
        "left,right,rule\n2,9,near by name\n2,10,neighbourhood 2\n2,33,same name\n4,9,neighbourhood 2\n\
         4,33,near by name\n9,10,\"near name, near birth\"\n"
    );
}

#[test]
fn two_tables_have_two_keys() {
    let rules = "[[neighbourhoods]]\nkey = ['lower(name)', 'lower(\"full name\")']\nwindow = 2\n";
    let more = "id,full name\na,anna\nb,Bob Ray\nc,\nd,zz\n";
    let folder = Folder::with(&[("people.csv", PEOPLE), ("more.csv", more), ("rules.toml", rules)]);
    // ann lee, anna a, anne lee, bob ray: 2, b, 33 by number; zoë, zz d.
    assert_eq!(
        folder.stdout("link people.csv more.csv -r rules.toml -o - --device cpu"),
        "left,right,rule\n2,b,neighbourhood 1\n4,d,neighbourhood 1\n9,a,neighbourhood 1\n10,a,neighbourhood 1\n\
         33,b,neighbourhood 1\n"
    );
}

#[test]
fn the_summary_says_what_is_approximate() {
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", NEAR)]);
    let _redacted = redacted();
    assert_snapshot!(folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu").stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   6 of 10 (4 ruled out unseen)
    candidates       6
      near by name     4
      neighbourhood 2  2
    approximate      sorted neighbourhood near by name (key name, window 2): pairs outside the windows are not looked at
    approximate      sorted neighbourhood neighbourhood 2 (key born, window 2): pairs outside the windows are not looked at
    reduction ratio  0.400000
    time             [time] (open [time], read [time], encode [time], plan [time], sort [time], load [time], scan [time], neighbours [time], write [time], other [time])
    peak memory      [memory]
    ");
}

#[test]
fn explain_and_why_know_them() {
    let rules = format!("{RULES}{NEAR}");
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", &rules), ("near.toml", NEAR)]);
    let explained = folder.stdout("explain people.csv -r rules.toml --device cpu");
    let said: Vec<&str> = explained.lines().filter(|line| line.contains("neighbourhood")).collect();
    assert_snapshot!(said.join("\n"), @r#"
    Sorted neighbourhood: "near by name", key name, window 2, records=5; approximate: pairs outside the windows are not looked at
    Sorted neighbourhood: "neighbourhood 2", key born, window 2, records=4; approximate: pairs outside the windows are not looked at
    "#);
    assert_snapshot!(folder.stdout("why 10 2 people.csv -r near.toml"), @r#"
    2 and 10

    neighbourhood "near by name": does not hold
      fails  key name, window 2
             2 places apart

    neighbourhood "neighbourhood 2": holds — the witness
      holds  key born, window 2
             1 place apart

    The pair is a candidate; its witness is "neighbourhood 2".
    "#);
    assert_snapshot!(folder.stdout("why 33 4 people.csv -r near.toml --format json"), @r#"
    {
      "left": "4",
      "right": "33",
      "candidate": true,
      "witness": "near by name",
      "rules": [],
      "neighbourhoods": [
        {
          "name": "near by name",
          "holds": true,
          "window": 2,
          "distance": 1
        },
        {
          "name": "neighbourhood 2",
          "holds": false,
          "window": 2,
          "distance": null
        }
      ]
    }
    "#);
}
