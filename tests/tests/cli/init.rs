//! `init`: the rules that it drafts run as they are, on usual tables and on odd ones; and what it says where there are none.

use crate::program::{Folder, PEOPLE};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::fs;
use std::path::Path;

/// Drafts rules, and runs them as they say.
#[track_caller]
fn drafted(folder: &Folder, tables: &str) -> String {
    folder.stdout(&format!("init {tables} -o drafted.toml --force"));
    let rules = folder.read("drafted.toml");
    let find = if tables.split_whitespace().filter(|word| word.contains(".csv")).count() > 1 {
        "link"
    } else {
        "dedupe"
    };
    let told: Vec<&str> =
        rules.lines().filter_map(|line| line.strip_prefix("#     hyperblock ")).take(2).collect();
    assert_eq!(
        told.iter().map(|run| run.split(' ').next().unwrap_or_default()).collect::<Vec<_>>(),
        [find, "resolve"]
    );
    for run in told {
        let ran = folder.run(&format!("{run} --device cpu"));
        assert_eq!(ran.code, Some(0), "{run}: {}\n{rules}", ran.stderr);
    }
    rules
}

#[test]
fn bundled_people() {
    let people = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/people");
    let folder = Folder::new();
    let folder = folder.file("people.csv", fs::read(people.join("people.csv")).expect("people are bundled"));
    let folder = folder.file("truth.csv", fs::read(people.join("truth.csv")).expect("and so is the truth"));
    let rules = drafted(&folder, "people.csv");
    assert!(
        rules.starts_with("# Rules for people.csv, drafted from what is in there (3,000 records)."),
        "{rules}"
    );
    assert!(rules.contains("# Not compared: `id` (the ids)."), "{rules}");
    let said =
        folder.run("dedupe people.csv -r drafted.toml -o pairs.csv --truth truth.csv --summary json").stderr;
    let summary: hyperblock::serde_json::Value =
        hyperblock::serde_json::from_str(&said[said.find('{').expect("a summary")..]).expect("JSON");
    let recall = summary["quality"]["recall"].as_f64().expect("a recall");
    let n = summary["pairs"]["candidates"].as_f64().expect("candidates");
    // Of those that reach the score's threshold.
    assert!(recall > 0.9 && n < 100.0 * 3000.0, "{recall} {n}\n{rules}");
}

#[test]
fn what_is_there_is_not_replaced() {
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", "mine")]);
    let said = folder.failure(1, "init people.csv -o rules.toml");
    assert_eq!(
        said,
        "error: rules.toml: the file is there already; name another, or replace it with --force\n"
    );
    assert_eq!(folder.read("rules.toml"), "mine");
    let said = folder.failure(1, "init people.csv -o people.csv --force");
    assert!(said.contains("-o people.csv: that is one of the tables, which would be lost"), "{said}");
    folder.stdout("init people.csv -o rules.toml --force");
    assert!(folder.read("rules.toml").contains("[[rules]]"));
    assert_eq!(folder.stdout("init people.csv"), folder.read("rules.toml"));
}

#[test]
fn columns_of_two_tables() {
    let names = [
        "Ann Smith",
        "Bob Miller",
        "Carl Jones",
        "Dora Brown",
        "Emma White",
        "Fred Green",
        "Gus Black",
        "Hans Stone",
        "Ida Wood",
        "Jon Field",
        "Kim Hill",
        "Leo Ford",
    ];
    let left: String =
        names.iter().enumerate().map(|(n, name)| format!("{n},{name},c{n},{}\n", 10_000 + 7 * n)).collect();
    let right: String =
        names.iter().enumerate().map(|(n, name)| format!("{},{},{name}\n", n + 50, 10_000 + 7 * n)).collect();
    let folder = Folder::with(&[
        ("shop.csv", &format!("id,product_name,extra,zipCode\n{left}")),
        ("list.csv", &format!("id,ZIP_CODE,label\n{right}")),
        ("other.csv", "id,x\n1,q\n2,w\n3,e\n"),
    ]);
    let rules = drafted(&folder, "shop.csv list.csv");
    assert!(rules.contains("[columns]\nproduct_name = [\"label\"]\nzipCode = [\"ZIP_CODE\"]\n"), "{rules}");
    assert!(
        rules.contains("# Not compared: `extra` of shop.csv (nothing like it in the other table)."),
        "{rules}"
    );
    let said = folder.failure(1, "init shop.csv other.csv");
    assert!(
        said.contains("no column goes with one of other.csv, neither by name nor by what is in it"),
        "{said}"
    );
}

#[test]
fn odd_tables() {
    let folder = Folder::with(&[
        ("header.csv", "id,name\n"),
        ("ids.csv", "id\n1\n2\n"),
        ("one.csv", "name\nAnn\nAnn\nBob\n"),
        ("same.csv", "id,a\n1,x\n2,x\n"),
        ("empty.csv", "id,name,none\n1,Ann,\n2,Anne,\n3,Bob,\n"),
        ("numbers.csv", "id,a,b\n1,1,2.5\n2,1,3\n3,2,2.5\n4,1,2.5\n"),
        ("two.csv", "id,sex\n1,m\n2,f\n3,m\n4,f\n5,m\n"),
        ("twice.csv", "id,name\n1,a\n1,b\n"),
        ("row.csv", "id,name\n1,Ann\n"),
    ]);
    for table in ["one.csv", "empty.csv", "numbers.csv", "two.csv", "twice.csv --id name"] {
        if !table.starts_with("twice") {
            drafted(&folder, table);
        }
    }
    assert!(folder.failure(1, "init header.csv").contains("the table has no rows"));
    for (table, why) in [("ids.csv", "`id`: the ids"), ("same.csv", "`a`: the same in all records")] {
        let said = folder.failure(1, &format!("init {table}"));
        assert!(said.contains("no column tells records apart (") && said.contains(why), "{said}");
    }
    let said = folder.failure(1, "init twice.csv");
    assert!(said.contains("have the same id `1` in column `id`"), "{said}");
    let wide: Vec<String> = (0..400).map(|n| format!("c{n}")).collect();
    let row = |nth: usize| (0..400).map(|n| format!("v{}", (n * nth) % 7)).collect::<Vec<_>>().join(",");
    let wide = format!("{}\n{}\n", wide.join(","), (0..50).map(row).collect::<Vec<_>>().join("\n"));
    let folder = folder.file("wide.csv", wide);
    assert!(drafted(&folder, "wide.csv").contains("(others tell more)"));
}

/// Whatever columns are called and hold, the draft is a rule file that runs.
#[test]
fn random_tables() {
    let name = "[a-zA-Z_ \"'.;%é-]{1,7}|select|from|order|[a-c]_id|source|null";
    let value = "|[ab]{1,3}|[a-z]{2,8} [a-z]{2,8}|[0-9]{1,6}|-?[0-9]{1,3}[.][0-9]|20[0-2][0-9]-0[1-9]-1[0-9]|N/A|-|0000|é'\"";
    let tables = prop::collection::hash_map(name, prop::collection::vec(value, 40), 1..5);
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let done = runner.run(&(tables.clone(), tables, 2usize..40), |(left, right, n)| {
        let folder = Folder::new();
        for (file, table) in [("left.csv", &left), ("right.csv", &right)] {
            let mut columns: Vec<_> = table.iter().collect();
            columns.sort();
            let mut writer = csv::Writer::from_path(folder.path(file)).unwrap();
            writer.write_record(columns.iter().map(|(name, _)| name.as_str())).unwrap();
            for row in 0..n {
                writer.write_record(columns.iter().map(|(_, values)| values[row].as_str())).unwrap();
            }
            writer.flush().unwrap();
        }
        for (tables, find) in [("left.csv", "dedupe"), ("left.csv right.csv", "link")] {
            let ran = folder.run(&format!("init {tables} -o rules.toml --force"));
            if ran.code != Some(0) {
                prop_assert!(ran.stderr.contains("no column"), "{} {:?} {:?}", ran.stderr, left, right);
                continue;
            }
            let found = folder.run(&format!("{find} {tables} -r rules.toml --count --device cpu"));
            prop_assert_eq!(found.code, Some(0), "{}\n{}", found.stderr, folder.read("rules.toml"));
        }
        Ok(())
    });
    done.unwrap();
}
