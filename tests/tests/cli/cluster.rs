//! `hyperblock cluster`: pairs in, entities out.

use crate::program::{Folder, redacted};
use insta::assert_snapshot;

const PAIRS: &str = "\
left,right,rule,score
7,9,a,0.9
9,10,a,0.85
10,11,b,0.95
2,3,b,1
3,3,b,1.0
";

fn pairs() -> Folder {
    Folder::with(&[("pairs.csv", PAIRS)])
}

/// The message about pairs.
#[track_caller]
fn of_pairs(pairs: &str, options: &str) -> String {
    let folder = Folder::with(&[("pairs.csv", pairs)]);
    folder.failure(1, &format!("cluster pairs.csv -o entities.csv --device cpu --quiet {options}"))
}

#[test]
fn entities() {
    let folder = pairs();
    let run =
        |options: &str| folder.stdout(&format!("cluster pairs.csv -o - --device cpu --quiet {options}"));
    let all = "id,entity_id\n2,2\n3,2\n7,7\n9,7\n10,7\n11,7\n";
    assert_eq!(run(""), all);
    assert_eq!(run("--method tiled-fw"), all);
    // 10 and 11 are the most alike; then 7 and 9; and no pair is of 9 and 11, or of 7 and 10.
    let apart = "id,entity_id\n2,2\n3,2\n7,7\n9,7\n10,10\n11,10\n";
    assert_eq!(run("--method center"), apart);
    assert_eq!(run("--method complete"), apart);
    assert_eq!(run("--threshold 0.86"), apart);
    assert_eq!(run("--threshold 1"), "id,entity_id\n2,2\n3,2\n7,7\n9,9\n10,10\n11,11\n");
}

#[test]
fn what_the_program_finds_is_what_it_clusters() {
    let folder = crate::program::people();
    folder.stdout("dedupe people.csv -r rules.toml -o pairs.parquet --device cpu --quiet");
    let entities = folder.stdout("cluster pairs.parquet --records people.csv -o - --device cpu --quiet");
    assert_eq!(entities, "id,entity_id\n2,2\n4,4\n9,9\n10,9\n33,2\n");
    folder.stdout("cluster pairs.parquet --records people.csv -o entities.parquet --device cpu --quiet");
    // Entities are a table of pairs like any other: of each record and its entity's first.
    let again = folder.stdout("cluster entities.parquet -o - --device cpu --quiet");
    assert_eq!(again, entities);
}

#[test]
fn columns_have_many_names() {
    let ids = "id,entity_id\n1,1\n2,1\n3,3\n";
    for (header, options) in [
        ("left,right", ""),
        ("id_a,id_b", ""),
        ("x,y", ""),
        ("right,left", ""),
        ("a,b", "--left b --right a"),
        ("LEFT,Right", ""),
    ] {
        let folder = Folder::with(&[("pairs.csv", &format!("{header}\n1,2\n3,3\n"))]);
        let entities = folder.stdout(&format!("cluster pairs.csv -o - --device cpu --quiet {options}"));
        assert_eq!(entities, ids, "{header}");
    }
    let folder = Folder::with(&[("pairs.tsv", "left\tright\tp\nb\ta\t0.5\nc\ta\t0.6\n")]);
    let entities = folder.stdout("cluster pairs.tsv -o - --device cpu --quiet --score p --threshold 0.55");
    assert_eq!(entities, "id,entity_id\na,a\nb,b\nc,a\n");
}

/// The same id in both tables is two records, and two entities if nothing says otherwise.
#[test]
fn two_tables() {
    let folder = Folder::with(&[
        ("pairs.csv", "left,right\n1,x\n2,x\n3,7\n"),
        ("a.csv", "id\n1\n2\n3\n7\n"),
        ("b.csv", "id\n7\nx\ny\n"),
    ]);
    let entities = folder.stdout("cluster pairs.csv --two-tables -o - --device cpu --quiet");
    let shown =
        "table,id,entity_id\nleft,1,left:1\nleft,2,left:1\nleft,3,left:3\nright,7,left:3\nright,x,left:1\n";
    assert_eq!(entities, shown);
    let records = "--records a.csv --right-records b.csv";
    let all = folder.stdout(&format!("cluster pairs.csv --two-tables {records} -o - --device cpu --quiet"));
    assert_eq!(
        all,
        "table,id,entity_id\nleft,1,left:1\nleft,2,left:1\nleft,3,left:3\nleft,7,left:7\n\
         right,7,left:3\nright,x,left:1\nright,y,right:y\n"
    );
    folder.stdout("cluster pairs.csv --two-tables -o entities.parquet --device cpu --quiet");
}

/// Nothing was found to be alike: every record is an entity.
#[test]
fn no_pairs() {
    let folder = Folder::with(&[
        ("pairs.csv", "left,right,rule,score\n"),
        ("a.csv", "id\n10\n9\n"),
        ("b.csv", "id\n7\nx\n"),
        ("none.csv", "id\n"),
    ]);
    for method in ["components", "center", "complete", "tiled-fw"] {
        let arguments = format!("cluster pairs.csv --records a.csv -o - --device cpu --method {method}");
        assert_eq!(folder.stdout(&arguments), "id,entity_id\n9,9\n10,10\n");
    }
    let threshold = "cluster pairs.csv --records a.csv -o - --device cpu --threshold 0.5 --quiet";
    assert_eq!(folder.stdout(threshold), "id,entity_id\n9,9\n10,10\n");
    let both =
        "cluster pairs.csv --two-tables --records a.csv --right-records b.csv -o - --device cpu --quiet";
    let shown = "table,id,entity_id\nleft,9,left:9\nleft,10,left:10\nright,7,right:7\nright,x,right:x\n";
    assert_eq!(folder.stdout(both), shown);
    let left = "cluster pairs.csv --two-tables --records a.csv -o - --device cpu --quiet";
    assert_eq!(folder.stdout(left), "table,id,entity_id\nleft,9,left:9\nleft,10,left:10\n");
    let none = folder.failure(1, "cluster pairs.csv --records none.csv -o e.csv --device cpu --quiet");
    assert_snapshot!(none, @"error: none.csv: the table has no rows; there is nothing to compare");
    // What the program writes where it finds nothing.
    let rules = "[[rules]]\nwhen = 'l.name = r.name'\n";
    let folder = Folder::with(&[("t.csv", "id,name\n2,a\n10,b\n"), ("rules.toml", rules)]);
    folder.stdout("dedupe t.csv -r rules.toml -o pairs.parquet --device cpu --quiet");
    let entities = folder.stdout("cluster pairs.parquet --records t.csv -o - --device cpu --quiet");
    assert_eq!(entities, "id,entity_id\n2,2\n10,10\n");
}

#[test]
fn summary() {
    let _redacted = redacted();
    let folder = pairs().file("truth.csv", "id,entity_id\n7,a\n9,a\n10,b\n11,b\n2,c\n3,c\n");
    let ran = folder.run("cluster pairs.csv -o e.csv --device cpu --threshold 0.85 --truth truth.csv");
    assert_snapshot!(ran.stderr, @r"
    running on cpu (N threads)
    device           cpu (N threads)
    method           components (all records that pairs connect, however long the chain)
    pairs            5
    records          6
    entities         2
    largest entity   4
    pairwise         precision 0.4286, recall 1.0000, F1 0.6000
    B-cubed          precision 0.6667, recall 1.0000, F1 0.8000
    time             [time] (open [time], read [time], truth [time], cluster [time], write [time], other [time])
    ");
    let ran = folder.run("cluster pairs.csv -o e.csv --device cpu --threshold 0.9 --method complete");
    assert_snapshot!(ran.stderr, @r"
    running on cpu (N threads)
    device           cpu (N threads)
    method           complete (every two records of an entity are a pair)
    pairs            4 of 5
    records          6
    entities         3
    largest entity   2
    time             [time] (open [time], read [time], cluster [time], write [time], other [time])
    ");
}

#[test]
fn warnings() {
    let folder = Folder::with(&[("pairs.csv", "left,right\n1,2\n1,5\n"), ("t.csv", "id\n1\n2\n3\n")]);
    let ran = folder.run("cluster pairs.csv -o e.csv --device cpu --records t.csv --method center");
    assert!(ran.stderr.contains("1 ids of pairs are not in t.csv; they are records all the same"));
    assert!(ran.stderr.contains("no column `score`: all pairs count as equally alike"), "{}", ran.stderr);
    assert_eq!(folder.read("e.csv"), "id,entity_id\n1,1\n2,1\n3,3\n5,1\n");
}

#[test]
fn bad_scores() {
    let of_score = |score: &str| of_pairs(&format!("left,right,score\n1,2,0.5\n1,3,{score}\n"), "");
    assert_snapshot!(of_score("high"), @"error: pairs.csv: row 2, column `score`: `high` is no score; write a number from 0 to 1");
    assert_snapshot!(of_score("1.5"), @"error: pairs.csv: row 2, column `score`: `1.5` is no score; write a number from 0 to 1");
    assert_snapshot!(of_score("-0.5"), @"error: pairs.csv: row 2, column `score`: `-0.5` is no score; write a number from 0 to 1");
    assert_snapshot!(of_score(""), @"error: pairs.csv: row 2, column `score`: the score is missing; write a number from 0 to 1");
}

#[test]
fn bad_pairs() {
    assert_snapshot!(of_pairs("left,right\n1,2\n,3\n", ""), @"error: pairs.csv: row 2, column `left`: the id is missing");
    assert_snapshot!(of_pairs("", ""), @"error: pairs.csv: the file is empty; a table starts with a header");
    assert_snapshot!(of_pairs("left,right\n", ""), @"error: pairs.csv: there are no pairs, and so no records; --records names a table of records");
    assert_snapshot!(of_pairs("pair\n1\n", ""), @"error: pairs.csv: pairs have two columns of ids, left and right; this file has `pair`");
    assert_snapshot!(of_pairs("a,b\n1,2\n", "--left c"), @"error: pairs.csv: no column `c`; the columns are `a`, `b`");
    assert_snapshot!(of_pairs("a,b\n1,2\n", "--score c"), @"error: pairs.csv: no column `c`; the columns are `a`, `b`");
    assert_snapshot!(of_pairs("a,b\n1,2\n", "--threshold 0.5"), @"error: pairs.csv: a threshold needs a column `score` (name another with --score); this file has `a`, `b`");
}

#[test]
fn bad_arguments() {
    let folder = pairs();
    let of =
        |code: i32, arguments: &str| folder.failure(code, &format!("cluster pairs.csv --quiet {arguments}"));
    assert_snapshot!(of(1, "-o nowhere/e.csv --device cpu"), @"error: nowhere/e.csv: No such file or directory (os error 2)");
    assert_snapshot!(of(1, "-o e.xlsx --device cpu"), @"error: e.xlsx: the output's extension must be .csv, .tsv, .parquet or .arrow (or - for standard output)");
    assert_snapshot!(of(1, "-o e.csv --device cpu --records nobody.csv"), @"error: nobody.csv: No such file or directory (os error 2)");
    assert!(
        of(2, "-o e.csv --method single")
            .contains("expected components, center, complete, tiled-fw, one-to-one, many-to-one or best")
    );
    assert!(of(2, "-o e.csv --threshold 2").contains("a number from 0 to 1"));
    assert!(of(2, "-o e.csv --right-records b.csv").contains("--two-tables"));
}
