//! Guards: jobs that find more than anybody wants.

use crate::program::{Folder, redacted};
use insta::assert_snapshot;

/// Five people of one city, two of another, and one of none.
const PEOPLE: &str = "id,name,city,age\n1,ann,Rome,30\n2,anne,Rome,30\n3,bob,Rome,31\n4,bo,Rome,32\n5,al,Rome,33\n\
                      6,eve,Oslo,34\n7,eva,Oslo,34\n8,zoe,,35\n";
const RULES: &str = "[[rules]]\nname = 'city'\nwhen = 'l.city = r.city'\n[[rules]]\nname = 'age'\n\
                     when = 'l.age = r.age AND lower(l.city) = lower(r.city)'\n";

fn folder() -> Folder {
    Folder::with(&[("people.csv", PEOPLE), ("rules.toml", RULES)])
}

#[test]
fn large_blocks_are_left_out_and_told_of() {
    let folder = folder();
    let _redacted = redacted();
    let ran = folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --max-block 4");
    assert_snapshot!(ran.stderr, @r#"
    running on cpu (N threads)
    device           cpu (N threads)
    records          8
    ids from         column id
    pairs compared   at most 3 of 28 (at least 25 ruled out unseen)
    candidates       2
      city  1
      age   1
    approximate      city: 1 block is left out, of more than 4 records with the same l.city = r.city: "Rome" (5)
    reduction ratio  0.928571
    time             [time] (open [time], read [time], encode [time], plan [time], load [time], scan [time], write [time], other [time])
    peak memory      [memory]
    "#);
    assert_eq!(folder.read("pairs.csv"), "left,right,rule\n1,2,age\n6,7,city\n");
    let all = folder.run("dedupe people.csv -r rules.toml -o - --device cpu --max-block 4 -v");
    assert!(all.stderr.contains("the block \"Rome\" with 5 records is left out"), "{}", all.stderr);
    let explained = folder.stdout("explain people.csv -r rules.toml --device cpu --max-block 4");
    let said: Vec<&str> = explained.lines().filter(|line| line.starts_with("Approximate")).collect();
    assert_snapshot!(said.join("\n"), @r#"Approximate: city: 1 block is left out, of more than 4 records with the same l.city = r.city: "Rome" (5)"#);
    let json = folder.stdout("explain people.csv -r rules.toml --device cpu --max-block 4 --format json");
    assert!(json.contains("\"records\": 5"), "{json}");
}

#[test]
fn too_many_pairs_are_not_written() {
    let folder = folder();
    for command in [
        "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --max-pairs 10",
        "dedupe people.csv -r rules.toml --count --device cpu --max-pairs 10",
        "resolve people.csv -r rules.toml -o pairs.csv --device cpu --max-pairs 10",
    ] {
        let said = folder.failure(1, command);
        assert!(said.contains("more than 10 candidates"), "{said}");
        assert!(!folder.names().contains("pairs.csv"));
    }
    let enough = folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --max-pairs 11");
    assert_eq!(enough.code, Some(0), "{}", enough.stderr);
}

#[test]
fn progress_as_lines_of_json() {
    let folder = folder();
    let ran = folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --progress json");
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with('{')).collect();
    assert!(lines[0].starts_with(r#"{"event":"progress","stage":"start","seconds":0."#), "{}", ran.stderr);
    let last = lines[lines.len() - 1];
    assert!(
        last.contains(r#""stage":"end""#) && last.contains(r#""done":28,"all":28,"of":"pairs""#),
        "{last}"
    );
    assert!(last.contains(r#""device":"cpu ("#), "{last}");
    let quiet =
        folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --progress json --quiet");
    assert_eq!(quiet.stderr, "");
}
