//! Records of one source, which `--source` keeps apart.

use crate::program::{Folder, redacted};
use insta::assert_snapshot;

const PAIRS: &str = "left,right,score\n1,2,0.9\n2,3,0.8\n3,4,0.7\n1,3,0.95\n";
const RECORDS: &str = "id,shop\n1,a\n2,b\n3,a\n4,\n5,b\n";

fn folder() -> Folder {
    Folder::with(&[("pairs.csv", PAIRS), ("records.csv", RECORDS)])
}

#[test]
fn no_entity_has_two_of_one_source() {
    let folder = folder();
    let run = |options: &str| {
        folder.stdout(&format!("cluster pairs.csv --records records.csv -o - --device cpu --quiet {options}"))
    };
    assert_eq!(run(""), "id,entity_id\n1,1\n2,1\n3,1\n4,1\n5,5\n");
    // 1 and 3 are of one shop; 2 is more like 1; and 4 is of none.
    let apart = "id,entity_id\n1,1\n2,1\n3,3\n4,3\n5,5\n";
    for method in ["components", "tiled-fw", "complete"] {
        assert_eq!(run(&format!("--source shop --method {method}")), apart, "{method}");
    }
    // 3 is passed over where 2 is met, which is no centre: so it becomes one, and 4 joins it.
    assert_eq!(run("--source SHOP --method center"), apart);
}

#[test]
fn without_scores_records_decide() {
    let folder = Folder::with(&[("pairs.csv", "left,right\n2,3\n1,2\n"), ("records.csv", RECORDS)]);
    let run = "cluster pairs.csv --records records.csv --source shop -o - --device cpu";
    let ran = folder.run(run);
    assert_eq!(ran.stdout, "id,entity_id\n1,1\n2,1\n3,3\n4,4\n5,5\n");
    assert!(ran.stderr.contains("no column `score`: all pairs count as equally alike"), "{}", ran.stderr);
}

#[test]
fn summaries_say_so() {
    let _redacted = redacted();
    let folder = folder();
    let ran = folder.run("cluster pairs.csv --records records.csv --source shop -o e.csv --device cpu");
    assert_snapshot!(ran.stderr, @r"
    running on cpu (N threads)
    device           cpu (N threads)
    method           components (all records that pairs connect, however long the chain; no two records of one `shop`: 2 pairs not followed)
    pairs            4
    records          5
    entities         3
    largest entity   2
    time             [time] (open [time], read [time], cluster [time], write [time], other [time])
    ");
    let json = "cluster pairs.csv --records records.csv --source shop -o e.csv --device cpu --summary json";
    let ran = folder.run(json);
    assert!(ran.stderr.contains("\"pairs_not_followed\": 2") && ran.stderr.contains("\"column\": \"shop\""));
}

const SHOPS: &str = "id,shop,name\n1,a,Ann\n2,b,Ann\n3,a,Ann\n4,,Ann\n5,b,Bob\n";
const RULES: &str = "[[rules]]\nname = 'same name'\nwhen = 'l.name = r.name'\n";

#[test]
fn resolve_reads_the_column_with_the_others() {
    let folder = Folder::with(&[("t.csv", SHOPS), ("rules.toml", RULES)]);
    let run = "resolve t.csv -r rules.toml --source shop --device cpu -o -";
    let wanted = "id,entity_id\n1,1\n2,1\n3,3\n4,1\n5,5\n";
    let ran = folder.run(run);
    assert_eq!(ran.stdout, wanted, "{}", ran.stderr);
    assert!(ran.stderr.contains("; no two records of one `shop`: 3 pairs not followed)\n"), "{}", ran.stderr);
    // The second time the columns that rules need are not read again.
    for _ in 0..2 {
        assert_eq!(folder.stdout(&format!("{run} --quiet --cache kept")), wanted);
    }
    let json = folder.run(&format!("{run} --summary json"));
    assert!(json.stderr.contains("\"pairs_not_followed\": 3"), "{}", json.stderr);
}

#[test]
fn of_two_tables_both_have_it() {
    let folder = Folder::with(&[
        ("a.csv", "id,shop,name\n1,x,Ann\n2,y,Ann\n"),
        ("b.csv", "id,Shop,name\n1,x,Ann\n2,z,Ann\n"),
        ("c.csv", "id,name\n1,Ann\n"),
        ("rules.toml", RULES),
    ]);
    let run = "resolve a.csv b.csv -r rules.toml --source shop --device cpu --quiet -o -";
    assert_eq!(
        folder.stdout(run),
        "table,id,entity_id\nleft,1,left:1\nleft,2,left:2\nright,1,left:2\nright,2,left:1\n"
    );
    assert_eq!(
        folder.stdout(&format!("{run} --method many-to-one")),
        "table,id,entity_id\nleft,1,left:1\nleft,2,left:2\nright,1,left:2\nright,2,left:1\n"
    );
    let fails = |arguments: &str| {
        folder.failure(1, &format!("{arguments} -r rules.toml -o e.csv --device cpu --quiet"))
    };
    assert_snapshot!(fails("resolve a.csv c.csv --source shop"), @"error: c.csv: no column `shop` for the sources; a.csv has one, and sources are told apart in all tables or in none; the columns are `id`, `name`");
    assert_snapshot!(fails("resolve a.csv --source store"), @"error: a.csv: no column `store` for the sources; the columns are `id`, `shop`, `name`");
}

#[test]
fn clustering_needs_the_tables() {
    let folder = folder();
    let without = folder.failure(1, "cluster pairs.csv --source shop -o e.csv --device cpu --quiet");
    assert_snapshot!(without, @"error: --source `shop` is a column of the tables of records, and the table is not there; name it with --records");
    let fails = |arguments: &str| {
        folder.failure(
            1,
            &format!("cluster pairs.csv --records records.csv {arguments} -o e.csv --device cpu --quiet"),
        )
    };
    assert_snapshot!(fails("--source store"), @"error: records.csv: no column `store` for the sources; the columns are `id`, `shop`");
    assert_snapshot!(fails("--source shop --two-tables"), @"error: --source `shop` is a column of the tables of records, and the right table is not there; name it with --records and --right-records");
}

/// Where there is no memory for all text, the column of sources is read by itself.
#[test]
fn sources_of_tables_that_do_not_fit() {
    let row = |id: u32| format!("{id},shop {},name {} {}\n", id % 7, id / 3, "x".repeat(200));
    let table = (1..=50_000).fold("id,shop,name\n".to_owned(), |all, id| all + &row(id));
    let folder = Folder::with(&[("t.csv", &table), ("rules.toml", RULES)]);
    let run = "resolve t.csv -r rules.toml --source shop --device cpu -o -";
    let wanted = folder.run(run);
    assert!(wanted.stderr.contains("no two records of one `shop`"), "{}", wanted.stderr);
    let found = folder.run(&format!("{run} --memory 96 --threads 2"));
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert!(found.stdout == wanted.stdout, "other entities");
}
