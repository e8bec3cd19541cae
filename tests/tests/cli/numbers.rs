//! Numbers and dates that cannot be compared as such: what they count as, and what is said of them.

use crate::program::Folder;
use arrow_array::{Date32Array, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use insta::assert_snapshot;
use parquet::arrow::ArrowWriter;
use std::fs::File;
use std::sync::Arc;

const RULES: &str = "[[rules]]\nname = 'near'\nwhen = 'abs(l.x - r.x) <= 1'\n\
    [[rules]]\nname = 'alike'\nwhen = 'levenshtein(l.x, r.x) <= 0'\n";

/// The pairs, and what is said before the summary.
fn run(table: &str, rules: &str) -> (String, String) {
    let folder = Folder::with(&[("t.csv", table), ("rules.toml", rules)]);
    let ran = folder.run("dedupe t.csv -r rules.toml -o - --device cpu --quiet");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    (ran.stdout, ran.stderr)
}

fn column(values: &[&str]) -> String {
    let rows = values.iter().enumerate().map(|(ix, value)| format!("{},{value}\n", ix + 1));
    format!("id,x\n{}", rows.collect::<String>())
}

#[test]
fn minus_zero_is_zero() {
    let (pairs, said) = run(&column(&["-0", "1", "-0.0", "7"]), RULES);
    assert_eq!(pairs, "left,right,rule\n1,2,near\n1,3,near\n2,3,near\n");
    assert_eq!(said, "");
}

/// They are missing as numbers, and texts like others.
#[test]
fn what_is_no_number() {
    let (pairs, said) = run(&column(&["1", "NaN", "NaN", "2", "inf", "3"]), RULES);
    assert_eq!(pairs, "left,right,rule\n1,4,near\n2,3,alike\n4,6,near\n");
    assert_snapshot!(said, @" WARN t.csv: row 2, column `x`: `NaN` and 2 more cannot be compared as numbers (at most 36 digits, neither NaN nor infinity) and count as missing; mend them, or compare the column as text, by trim(x)");
}

#[test]
fn what_takes_too_many_digits() {
    let long = "1234567890123456789012345678901234567";
    let (pairs, said) = run(&column(&["1", long, long, "2", "3"]), RULES);
    assert_eq!(pairs, "left,right,rule\n1,4,near\n2,3,alike\n4,5,near\n");
    assert_snapshot!(said, @" WARN t.csv: row 2, column `x`: `1234567890123456789012345678901234567` and 1 more cannot be compared as numbers (at most 36 digits, neither NaN nor infinity) and count as missing; mend them, or compare the column as text, by trim(x)");
    // Where most are, they are labels.
    let equal = "[[rules]]\nname = 'same'\nwhen = 'l.x = r.x'\n";
    let (pairs, said) = run(&column(&["1", long, long, long]), equal);
    assert_eq!((&*pairs, &*said), ("left,right,rule\n2,3,same\n2,4,same\n3,4,same\n", ""));
    let folder = Folder::with(&[("t.csv", &column(&["1", long, long])), ("rules.toml", RULES)]);
    let message = folder.failure(1, "dedupe t.csv -r rules.toml -o out.csv --device cpu --quiet");
    assert_snapshot!(message, @r"
    error: abs needs numbers or dates, and `l.x` holds text (most values are no number or date that can be compared, like `1234567890123456789012345678901234567`)
     --> rules.toml:3:13
      |
    3 | when = 'abs(l.x - r.x) <= 1'
      |             ^^^
      |
    help: mend the table, or compare the text by levenshtein
    ");
}

#[test]
fn large_beside_small() {
    let (pairs, said) =
        run(&column(&["1e35", "1e-36", "1.5", "100000000000000000000000000000000001"]), RULES);
    assert_eq!((&*pairs, &*said), ("left,right,rule\n1,4,near\n", ""));
}

#[test]
fn dates_of_other_millennia() {
    let table = column(&["2020-01-01", "+12020-01-01", "2020-01-02", "-0044-03-15"]);
    let (pairs, said) = run(&table, RULES);
    assert_eq!(pairs, "left,right,rule\n1,3,near\n");
    assert_snapshot!(said, @" WARN t.csv: row 2, column `x`: `+12020-01-01` and 1 more cannot be compared as dates (years are from 0000 to 9999) and count as missing; mend them, or compare the column as text, by trim(x)");
}

/// A label still makes a column text, and the message says which.
#[test]
fn labels() {
    for label in ["007", "+3", " 12", "1e++3", "NA"] {
        let folder = Folder::with(&[("t.csv", &column(&["1", label])), ("rules.toml", RULES)]);
        let message = folder.failure(1, "dedupe t.csv -r rules.toml -o out.csv --device cpu --quiet");
        assert!(message.contains(&format!("`l.x` holds text (row 2 holds `{label}`)")), "{message}");
    }
}

/// Once for each column, whatever asks for it.
#[test]
fn it_is_said_once() {
    let rules = "[[rules]]\nwhen = 'abs(l.x - r.x) <= 1 OR l.x > 5'\n[[neighbourhoods]]\nkey = 'x'\nwindow = 2\n\
        [score]\n[[score.attributes]]\nmeasure = 'l.x = r.x'\n";
    let (_, said) = run(&column(&["1", "NaN"]), rules);
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn parquet() {
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("x", DataType::Float64, true),
        Field::new("d", DataType::Date32, true),
    ]));
    let rows = RecordBatch::try_new(
        schema.clone(),
        vec![
            Arc::new(Int64Array::from(vec![1, 2, 3, 4])),
            Arc::new(Float64Array::from(vec![-0.0, f64::NAN, 0.5, 1e-300])),
            Arc::new(Date32Array::from(vec![0, 1, 10_000_000, -10_000_000])),
        ],
    )
    .expect("columns as the schema says");
    let rules = "[[rules]]\nname = 'x'\nwhen = 'abs(l.x - r.x) <= 1'\n\
        [[rules]]\nname = 'd'\nwhen = 'abs(l.d - r.d) <= 1'\n";
    let folder = Folder::with(&[("rules.toml", rules)]);
    let file = File::create(folder.path("t.parquet")).expect("a file can be made");
    let mut writer = ArrowWriter::try_new(file, schema, None).expect("a writer");
    writer.write(&rows).expect("rows can be written");
    writer.close().expect("a footer can be written");
    let ran = folder.run("dedupe t.parquet -r rules.toml -o - --device cpu --quiet");
    assert_eq!(ran.stdout, "left,right,rule\n1,2,d\n1,3,x\n", "{}", ran.stderr);
    assert_snapshot!(ran.stderr, @r"
     WARN t.parquet: row 3, column `d`: a date outside 0000-01-01 to 9999-12-31; it counts as missing, as do 1 more of the column
     WARN t.parquet: row 2, column `x`: `NaN` and 1 more cannot be compared as numbers (at most 36 digits, neither NaN nor infinity) and count as missing; mend them, or compare the column as text, by trim(x)
    ");
}
