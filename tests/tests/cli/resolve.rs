//! `hyperblock resolve`: tables in, entities out, and how good each step was.

use crate::program::{Folder, redacted};
use insta::assert_snapshot;

const TABLE: &str = "\
id,name,city
1,Ann Smith,Leeds
2,Anne Smith,Leeds
3,Bob Jones,York
4,Anne Smyth,Leeds
5,Zoe Young,Leeds
";

const RULES: &str = r#"
[[rules]]
name = "same city"
when = "l.city = r.city"
"#;

const SCORE: &str = r#"
[score]
threshold = 0.85
[[score.attributes]]
measure = "levenshtein_similarity(l.name, r.name)"
"#;

fn people() -> Folder {
    let scored = format!("{RULES}{SCORE}");
    let truth = "id,entity_id\n1,a\n2,a\n4,a\n3,b\n5,c\n";
    Folder::with(&[
        ("people.csv", TABLE),
        ("rules.toml", RULES),
        ("scored.toml", &scored),
        ("truth.csv", truth),
    ])
}

#[test]
fn entities_and_pairs() {
    let folder = people();
    let run = |rules: &str, options: &str| {
        folder.stdout(&format!("resolve people.csv -r {rules} -o - --device cpu --quiet {options}"))
    };
    assert_eq!(run("rules.toml", ""), "id,entity_id\n1,1\n2,1\n3,3\n4,1\n5,1\n");
    // 1 and 2 are 0.9 alike, and so are 2 and 4; 1 and 4 are 0.8.
    let chained = "id,entity_id\n1,1\n2,1\n3,3\n4,1\n5,5\n";
    assert_eq!(run("scored.toml", "--pairs pairs.csv"), chained);
    assert_eq!(folder.read("pairs.csv"), "left,right,rule,score\n1,2,same city,0.9\n2,4,same city,0.9\n");
    assert_eq!(run("scored.toml", "--method tiled-fw"), chained);
    let apart = "id,entity_id\n1,1\n2,1\n3,3\n4,4\n5,5\n";
    assert_eq!(run("scored.toml", "--method complete"), apart);
    assert_eq!(run("scored.toml", "--method center"), apart);
    // Step by step it is the same.
    let entities =
        folder.stdout("cluster pairs.csv --records people.csv -o - --method complete --device cpu --quiet");
    assert_eq!(entities, apart);
}

#[test]
fn the_summary_measures_every_step() {
    let ran =
        people().run("resolve people.csv -r scored.toml -o entities.csv --device cpu --truth truth.csv");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let _times = redacted();
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   6 of 10 (4 ruled out unseen)
    candidates       6
      same city  6
    scored           6
    kept             2 (a score of 0.85 or more)
    reduction ratio  0.400000
    time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], score [time], keep [time], cluster [time], write [time], other [time])
    peak memory      [memory]
    entities         3 by components, 1 of several records, the largest of 3
                     (all records that pairs connect, however long the chain)
    quality                     precision  recall      F1  B³ precision  recall      F1
      candidates               6   0.5000  1.0000  0.6667        0.7000  1.0000  0.8235
      kept                     2   1.0000  0.6667  0.8000        1.0000  1.0000  1.0000
      entities                 3   1.0000  1.0000  1.0000        1.0000  1.0000  1.0000
    ");
}

#[test]
fn two_tables_have_ids_of_their_own() {
    let folder = Folder::with(&[
        ("a.csv", "id,name\n1,Ann\n2,Bob\n"),
        ("b.csv", "id,name\n1,Bob\n2,Cid\n3,Bob\n"),
        ("rules.toml", "[[rules]]\nwhen = \"l.name = r.name\"\n"),
        ("truth.csv", "id_a,id_b\n2,1\n2,3\n"),
    ]);
    let run = "resolve a.csv b.csv -r rules.toml --truth truth.csv --device cpu";
    let ran = folder.run(&format!("{run} -o -"));
    let entities =
        "table,id,entity_id\nleft,1,left:1\nleft,2,left:2\nright,1,left:2\nright,2,right:2\nright,3,left:2\n";
    assert_eq!(ran.stdout, entities, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("entities                 2   1.0000  1.0000  1.0000        1.0000  1.0000  1.0000"),
        "{}",
        ran.stderr
    );
    folder.stdout(&format!("{run} --quiet -o entities.parquet"));
    folder.stdout(&format!("{run} --quiet -o entities.arrow"));
}

#[test]
fn nothing_is_written_if_something_is_wrong() {
    let folder = people().file("weights.toml", "[score]\nscore = \"fellegi-sunter\"\n");
    let fails =
        |arguments: &str| folder.failure(1, &format!("resolve people.csv {arguments} --device cpu --quiet"));
    assert!(fails("-r rules.toml -o entities.txt").contains("extension"));
    assert!(fails("-r rules.toml -o entities.csv --pairs nowhere/pairs.csv").contains("nowhere/pairs.csv"));
    assert!(fails("-r rules.toml -o entities.csv --truth people.csv").contains("truth"));
    assert!(fails("-r weights.toml -o entities.csv").contains("there are no rules"));
    assert!(!folder.path("entities.csv").exists());
}
