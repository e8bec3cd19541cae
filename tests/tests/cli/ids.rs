//! Ids that survive: `--previous`, and `--changes`.

use crate::program::{Folder, redacted};
use insta::assert_snapshot;

const RULES: &str = "[[rules]]\nname = 'same name'\nwhen = 'l.name = r.name'\n";
const TABLE: &str = "id,name\n1,Ann\n2,Ann\n3,Bob\n4,Cid\n5,Cid\n6,Cid\n8,Dan\n";
const BEFORE: &str = "id,entity_id\n0,a\n1,a\n2,a\n3,b\n4,b\n5,c\n6,c\n7,d\n";

fn folder() -> Folder {
    Folder::with(&[("t.csv", TABLE), ("rules.toml", RULES), ("before.csv", BEFORE)])
}

const RUN: &str = "resolve t.csv -r rules.toml --previous before.csv --device cpu";

#[test]
fn ids_stay_with_most_of_their_records() {
    let _redacted = redacted();
    let folder = folder();
    let ran = folder.run(&format!("{RUN} --changes changes.csv -o -"));
    // 3 is the first of those that b has most of, and 8 was not there.
    assert_eq!(ran.stdout, "id,entity_id\n1,a\n2,a\n3,b\n4,c\n5,c\n6,c\n8,8\n", "{}", ran.stderr);
    assert_eq!(
        folder.read("changes.csv"),
        "change,old_id,new_id,records\nshrunk,a,a,2\nremoved,a,,1\nshrunk,b,b,1\nsplit,b,c,1\ngrown,c,c,2\ngone,d,,1\nnew,,8,1\n"
    );
    let line = ran.stderr.lines().find(|line| line.starts_with("ids  ")).unwrap_or_default();
    assert_eq!(
        line,
        "ids              4 before: 0 unchanged, 1 grown, 2 shrunk, 0 changed, 0 merged, 1 gone; 1 were split, 1 are new"
    );
    let json = folder.run(&format!("{RUN} -o e.csv --summary json"));
    assert!(json.stderr.contains("\"shrunk\": 2"), "{}", json.stderr);
    // Nothing has changed since.
    folder.stdout(
        "resolve t.csv -r rules.toml --previous e.csv --changes c.parquet -o f.csv --device cpu --quiet",
    );
    assert_eq!(folder.read("f.csv"), folder.read("e.csv"));
    let rows = "resolve t.csv -r rules.toml --previous e.csv --changes c.csv -o f.arrow --device cpu --quiet";
    folder.stdout(rows);
    assert_eq!(folder.read("c.csv"), "change,old_id,new_id,records\n");
}

/// An id that was given before is given to nobody else.
#[test]
fn new_ids_are_new() {
    let before = "id,entity_id\n5,8\n6,8\n1,8~2\n2,8~2\n3,4\n4,3\n";
    let folder = folder().file("before.csv", before);
    let entities = folder.stdout(&format!("{RUN} --quiet -o -"));
    assert_eq!(entities, "id,entity_id\n1,8~2\n2,8~2\n3,4\n4,8\n5,8\n6,8\n8,8~3\n");
}

#[test]
fn of_two_tables() {
    let folder = Folder::with(&[
        ("a.csv", "id,name\n1,Ann\n2,Bob\n"),
        ("b.csv", "id,name\n1,Bob\n2,Cid\n"),
        ("rules.toml", RULES),
        ("before.csv", "table,id,entity_id\nleft,1,left:1\nleft,2,x\nright,1,left:1\nright,2,y\n"),
    ]);
    let run = "resolve a.csv b.csv -r rules.toml --device cpu --quiet";
    assert_eq!(
        folder.stdout(&format!("{run} --previous before.csv --changes c.csv -o -")),
        "table,id,entity_id\nleft,1,left:1\nleft,2,x\nright,1,x\nright,2,y\n"
    );
    assert_eq!(
        folder.read("c.csv"),
        "change,old_id,new_id,records\nshrunk,left:1,left:1,1\nsplit,left:1,x,1\ngrown,x,x,1\n"
    );
    let folder =
        folder.file("one.csv", "id,entity_id\n1,1\n").file("odd.csv", "table,id,entity_id\nmiddle,1,1\n");
    let fails = |file: &str| folder.failure(1, &format!("{run} --previous {file} -o e.csv"));
    assert_snapshot!(fails("one.csv"), @"error: one.csv: these are entities of one table, and here are two: there is no column `table` that says which one a record is of");
    assert_snapshot!(fails("odd.csv"), @"error: odd.csv: row 1, column `table`: `middle` is neither `left` nor `right`");
}

#[test]
fn clustered() {
    let folder = folder().file("pairs.csv", "left,right\n1,2\n4,5\n5,6\n3,8\n");
    let run = "cluster pairs.csv --previous before.csv --changes changes.csv --device cpu";
    let ran = folder.run(&format!("{run} -o -"));
    assert_eq!(ran.stdout, "id,entity_id\n1,a\n2,a\n3,b\n4,c\n5,c\n6,c\n8,b\n");
    assert!(
        folder.read("changes.csv").contains("changed,b,b,1\nsplit,b,c,1\n"),
        "{}",
        folder.read("changes.csv")
    );
    assert!(ran.stderr.contains("ids              4 before: "), "{}", ran.stderr);
}

#[test]
fn what_is_wrong_with_a_file() {
    let of = |before: &str, more: &str| {
        let folder = folder().file("before.csv", before);
        folder.failure(1, &format!("{RUN} --quiet -o e.csv {more}"))
    };
    assert_snapshot!(of("id,entity\n1,1\n", ""), @"error: before.csv: a file of entities has the columns `id` and `entity_id`; this one has `id`, `entity`");
    assert_snapshot!(of("id,entity_id\n1,a\n2,\n", ""), @"error: before.csv: row 2, column `entity_id`: the value is missing");
    assert_snapshot!(of("id,entity_id\n1,a\n2,a\n1,b\n", ""), @"error: before.csv: rows 1 and 3: the record `1` is of entity `a` and of entity `b`; a record is of one");
    // Of records that are gone, too; and what is said twice counts once.
    assert_snapshot!(of("id,entity_id\n99,a\n99,a\n99,b\n", ""), @"error: before.csv: rows 1 and 3: the record `99` is of entity `a` and of entity `b`; a record is of one");
    assert_snapshot!(of("table,id,entity_id\nleft,1,a\n", ""), @"error: before.csv: these are entities of two tables, and here is one: there is a column `table`; leave it out, and the records of the other table");
    assert_snapshot!(of(BEFORE, "--changes e.txt"), @"error: e.txt: the output's extension must be .csv, .tsv, .parquet or .arrow (or - for standard output)");
}

#[test]
fn outputs_do_not_replace_what_is_read() {
    let folder = folder();
    let fails = |more: &str| folder.failure(1, &format!("{RUN} --quiet {more}"));
    assert_snapshot!(fails("-o before.csv"), @"error: -o before.csv: that is the file of previous entities, which would be lost; name another file");
    assert_snapshot!(fails("-o e.csv --changes before.csv"), @"error: --changes before.csv: that is the file of previous entities, which would be lost; name another file");
    assert_snapshot!(fails("-o e.csv --changes e.csv"), @"error: --changes e.csv: -o writes to the same place; name another");
    let usage = folder.failure(2, "resolve t.csv -r rules.toml --changes c.csv -o e.csv --quiet");
    assert!(usage.contains("--previous"), "{usage}");
}

#[test]
fn nothing_was_there_before() {
    let folder = folder().file("before.csv", "id,entity_id\n");
    let entities = folder.stdout(&format!("{RUN} --quiet --changes - -o e.csv"));
    assert_eq!(entities, "change,old_id,new_id,records\nnew,,1,2\nnew,,3,1\nnew,,4,3\nnew,,8,1\n");
    assert_eq!(folder.read("e.csv"), "id,entity_id\n1,1\n2,1\n3,3\n4,4\n5,4\n6,4\n8,8\n");
}
