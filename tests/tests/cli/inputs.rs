//! The same table in many shapes: the pairs stay the same.

use crate::program::{Folder, PAIRS, PEOPLE, RULES};
use arrow_array::{Date32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

/// Runs [`RULES`] over a table given as the bytes of a file of that name.
#[track_caller]
fn check(name: &str, table: impl AsRef<[u8]>, options: &str) {
    let folder = Folder::with(&[("rules.toml", RULES)]).file(name, table);
    assert_eq!(folder.stdout(&format!("dedupe {name} -r rules.toml -o - --device cpu {options}")), PAIRS);
}

#[test]
fn tabs_by_name_and_by_option() {
    let tabbed = PEOPLE.replace("Bergen, Norway", "Bergen; Norway").replace(',', "\t");
    check("people.tsv", &tabbed, "");
    check("people.tab", &tabbed, "");
    check("people.txt", &tabbed, "--delimiter tab");
}

#[test]
fn semicolons() {
    check("people.csv", PEOPLE.replace("Bergen, Norway", "Bergen/Norway").replace(',', ";"), "--delimiter ;");
}

#[test]
fn byte_order_mark() {
    check("people.csv", format!("\u{feff}{PEOPLE}"), "");
}

#[test]
fn carriage_returns() {
    check("people.csv", PEOPLE.replace('\n', "\r\n"), "");
}

#[test]
fn no_newline_at_the_end() {
    check("people.csv", PEOPLE.trim_end(), "");
}

#[test]
fn quoted_newlines_and_quotes() {
    check("people.csv", PEOPLE.replace("Bob Ray", "\"Bob \"\"B\"\"\nRay\""), "");
}

#[test]
fn gzip() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(PEOPLE.as_bytes()).expect("memory can be written");
    check("people.csv.gz", gzip.finish().expect("memory can be written"), "");
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut lines: Vec<_> = PEOPLE.lines().collect();
    lines[1..].reverse();
    check("people.csv", lines.join("\n"), "");
    lines[1..].rotate_left(2);
    check("people.csv", lines.join("\n"), "");
}

#[test]
fn the_order_of_columns_does_not_matter() {
    let turned: Vec<String> = PEOPLE
        .replace("Bergen, Norway", "Bergen/Norway")
        .replace('"', "")
        .lines()
        .map(|line| line.split(',').rev().collect::<Vec<_>>().join(","))
        .collect();
    check("people.csv", turned.join("\n"), "");
}

#[test]
fn the_name_of_the_ids() {
    check("people.csv", PEOPLE.replacen("id", "key", 1), "--id key");
    check("people.csv", PEOPLE.replacen("id", "ID", 1), "");
}

#[test]
fn ids_of_two_tables() {
    let rules = "[[rules]]\nname = 'n'\nwhen = 'l.name = r.name'\n";
    let (left, right) = ("key,name\n1,a\n2,b\n", "ref,id,name\nx,7,a\ny,8,b\nz,9,b\n");
    let folder = Folder::with(&[("left.csv", left), ("right.csv", right), ("rules.toml", rules)]);
    let run = |options: &str| {
        folder.stdout(&format!("link left.csv right.csv -r rules.toml -o - --device cpu {options}"))
    };
    assert_eq!(run("--id key --right-id ref"), "left,right,rule\n1,x,n\n2,y,n\n2,z,n\n");
    assert_eq!(run("--right-id ref"), "left,right,rule\n1,x,n\n2,y,n\n2,z,n\n");
    assert_eq!(run("--id key --right-id id"), "left,right,rule\n1,7,n\n2,8,n\n2,9,n\n");
}

#[test]
fn rows_are_counted_where_there_are_no_ids() {
    let rules = "[[rules]]\nname = 'n'\nwhen = 'l.name = r.name'\n";
    let folder = Folder::with(&[("t.csv", "name\nb\na\nb\n\"\"\na\n"), ("rules.toml", rules)]);
    let pairs = folder.stdout("dedupe t.csv -r rules.toml -o - --device cpu");
    assert_eq!(pairs, "left,right,rule\n1,3,n\n2,5,n\n");
}

#[test]
fn ids_sort_by_value_or_by_text() {
    let rules = "[[rules]]\nname = 'n'\nwhen = \"l.name = r.name\"\n";
    let sorted = |ids: [&str; 3]| {
        let table = format!("id,name\n{},a\n{},a\n{},a\n", ids[0], ids[1], ids[2]);
        let folder = Folder::with(&[("t.csv", &table), ("rules.toml", rules)]);
        folder.stdout("dedupe t.csv -r rules.toml -o - --device cpu")
    };
    assert_eq!(sorted(["10", "9", "-3"]), "left,right,rule\n-3,9,n\n-3,10,n\n9,10,n\n");
    assert_eq!(sorted(["10", "9", "x"]), "left,right,rule\n10,9,n\n10,x,n\n9,x,n\n");
    assert_eq!(sorted(["10", "9", "010"]), "left,right,rule\n010,10,n\n010,9,n\n10,9,n\n");
}

#[test]
fn parquet() {
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("name", DataType::Utf8, true),
        Field::new("city", DataType::Utf8, true),
        Field::new("born", DataType::Date32, true),
    ]));
    // Days since 1970.
    let born = [Some(7305), Some(7306), Some(5603), None, Some(11016)];
    let rows = RecordBatch::try_new(
        schema.clone(),
        vec![
            Arc::new(Int64Array::from(vec![10, 9, 2, 33, 4])),
            Arc::new(StringArray::from(vec!["Ann Lee", "Anne Lee", "Bob Ray", "Bob Ray", "Zoë"])),
            Arc::new(StringArray::from(vec!["Oslo", "Oslo", "Bergen", "Bergen, Norway", "Oslo"])),
            Arc::new(Date32Array::from(born.to_vec())),
        ],
    )
    .expect("columns as the schema says");
    let folder = Folder::with(&[("rules.toml", RULES)]);
    let file = File::create(folder.path("people.parquet")).expect("a file can be made");
    let mut writer = ArrowWriter::try_new(file, schema, None).expect("a writer");
    writer.write(&rows).expect("rows can be written");
    writer.close().expect("a footer can be written");
    assert_eq!(folder.stdout("dedupe people.parquet -r rules.toml -o - --device cpu"), PAIRS);
    // What a file is, its first bytes say, not its name.
    std::fs::rename(folder.path("people.parquet"), folder.path("people.csv")).expect("a file can be renamed");
    assert_eq!(folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"), PAIRS);
}
