//! Numbers: those of tables that cannot be compared as such, with what is said of them; and those that the program tells of itself.

use crate::program::{Folder, redacted};
use arrow_array::{Date32Array, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use hyperblock::serde_json::Value;
use insta::assert_snapshot;
use parquet::arrow::ArrowWriter;
use std::fs::File;
use std::sync::Arc;
use std::time::Instant;

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

/// The bundled people, and rules over them.
fn people(rules: &[&str]) -> Folder {
    let rules = rules.iter().map(|when| format!("[[rules]]\nwhen = \"{when}\"\n")).collect::<String>();
    let bundled = |name: &str| {
        let path = format!("{}/../examples/people/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let (table, truth) = (bundled("people.csv"), bundled("truth.csv"));
    Folder::with(&[("people.csv", &table), ("truth.csv", &truth), ("rules.toml", &rules)])
}

fn json(text: &str) -> Value {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn seconds(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn sum<'a>(values: impl IntoIterator<Item = &'a Value>) -> f64 {
    values.into_iter().map(seconds).sum()
}

const SCORE: &str = "[score]\nthreshold = 0.5\n[[score.attributes]]\nmeasure = \"l.zip = r.zip\"\n";

#[test]
fn the_times_of_stages_are_that_of_the_process() {
    let folder = people(&["l.zip = r.zip"]);
    let scored = folder.read("rules.toml") + SCORE;
    let folder = folder.file("scored.toml", &scored).file("edges.tsv", "1\t2\n2\t3\n");
    let job = "people.csv --truth truth.csv --device cpu --summary json";
    let runs = [
        (
            format!("dedupe {job} -r rules.toml -o pairs.csv --errors errors.csv --each-rule"),
            "open read encode plan truth load scan rules errors write other",
        ),
        (
            format!("dedupe {job} -r scored.toml -o pairs.csv"),
            "open read encode plan truth load scan score write other",
        ),
        (format!("dedupe {job} -r rules.toml --count"), "open read encode plan truth load scan count other"),
        (
            format!("resolve {job} -r scored.toml -o entities.csv --pairs scored.csv"),
            "open read encode plan truth load scan score keep cluster write other",
        ),
        (
            "cluster pairs.csv --truth truth.csv -o entities.csv --device cpu --summary json".to_owned(),
            "open read truth cluster write other",
        ),
        (
            "closure edges.tsv -o closure.csv --device cpu --summary json".to_owned(),
            "open read load components rows write other",
        ),
    ];
    for (run, stages) in runs {
        let start = Instant::now();
        let ran = folder.run(&run);
        let whole = start.elapsed().as_secs_f64();
        assert_eq!(ran.code, Some(0), "{run}: {}", ran.stderr);
        let told = &json(&ran.stderr)["seconds"];
        let by_stage = told["by_stage"].as_object().unwrap_or_else(|| panic!("no stages: {told}"));
        let all = seconds(&told["all"]);
        assert!((all - sum(by_stage.values())).abs() < 1e-9, "{run}: {told}");
        assert!(0.0 < all && all <= whole, "{run}: {all} of {whole}");
        let mut names: Vec<&str> = by_stage.keys().map(String::as_str).collect();
        let mut wanted: Vec<&str> = stages.split(' ').collect();
        names.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(names, wanted, "{run}");
    }
}

/// The stages are told in the order of their names' list, whenever they were entered.
#[test]
fn the_times_of_stages_in_text() {
    let _redacted = redacted();
    let ran = people(&["l.zip = r.zip"])
        .run("dedupe people.csv -r rules.toml --truth truth.csv -o pairs.csv --device cpu");
    let time = ran.stderr.lines().find(|line| line.starts_with("time ")).unwrap_or_default();
    assert_snapshot!(time, @"time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], write [time], other [time])");
}

/// What is said of pairs: compared, whether that is exact, and candidates; the two parts are all pairs.
fn compared(whens: &[&str], options: &str) -> (u64, bool, u64) {
    let ran = people(whens)
        .run(&format!("dedupe people.csv -r rules.toml -o pairs.csv --summary json --device cpu {options}"));
    assert_eq!(ran.code, Some(0), "{whens:?}: {}", ran.stderr);
    let pairs = &json(&ran.stderr)["pairs"];
    let n = |key: &str| pairs[key].as_u64().unwrap_or_else(|| panic!("no {key}: {pairs}"));
    assert_eq!((n("all"), n("compared") + n("unseen")), (4_498_500, 4_498_500), "{whens:?}");
    assert!(n("compared") >= n("candidates"), "{whens:?}: {pairs}");
    let is_exact = pairs["compared_is_exact"].as_bool();
    (n("compared"), is_exact.unwrap_or_else(|| panic!("{pairs}")), n("candidates"))
}

#[test]
fn pairs_that_are_compared() {
    // Of a key, the pairs that have it: all of them are candidates here.
    let (n, is_exact, n_candidates) = compared(&["l.zip = r.zip"], "");
    assert_eq!((n, is_exact), (n_candidates, true));
    // And so they are with something else to decide.
    let (other, is_exact, n_candidates) =
        compared(&["l.zip = r.zip AND levenshtein(l.last_name, r.last_name) <= 1"], "");
    assert_eq!((other, is_exact), (n, true));
    assert!(n_candidates < n);
    // What lengths, numbers and rare elements leave.
    for when in [
        "levenshtein(l.last_name, r.last_name) <= 1",
        "abs(l.birth_date - r.birth_date) <= 3",
        "jaccard(qgrams(l.last_name, 2), qgrams(r.last_name, 2)) >= 0.8",
    ] {
        let (n, _, n_candidates) = compared(&[when], "");
        assert!(n_candidates < n && n < 4_498_500, "{when}: {n}");
        // It is no matter of threads.
        assert_eq!(compared(&[when], "--threads 1").0, n, "{when}");
    }
    // Several may come by the same pair.
    let (_, is_exact, _) = compared(&["l.zip = r.zip", "l.phone = r.phone"], "");
    assert!(!is_exact);
}

#[test]
fn how_pairs_that_are_compared_are_told() {
    let told = |rules: &[&str]| {
        let ran = people(rules).run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu");
        ran.stderr.lines().find(|line| line.starts_with("pairs compared")).unwrap_or_default().to_owned()
    };
    assert_snapshot!(told(&["l.phone = r.phone"]), @"pairs compared   616 of 4,498,500 (4,497,884 ruled out unseen)");
    let several = told(&["l.phone = r.phone", "l.zip = r.zip"]);
    assert!(several.starts_with("pairs compared   at most ") && several.contains("(at least "), "{several}");
}

#[test]
fn the_times_of_a_plan_add_up() {
    let folder = people(&[
        "l.zip = r.zip",
        "levenshtein(l.last_name, r.last_name) <= 1",
        "jaccard(qgrams(l.last_name, 2), qgrams(r.last_name, 2)) >= 0.8",
    ]);
    for device in ["--device cpu", "--threads 2 --devices cpu/2 --partitions 6"] {
        let told = json(
            &folder.stdout(&format!("explain people.csv -r rules.toml --analyze --format json {device}")),
        );
        let times = &told["times"];
        let by_stage = times["by_stage"].as_object().unwrap_or_else(|| panic!("no stages: {times}"));
        assert!((seconds(&times["all"]) - sum(by_stage.values())).abs() < 1e-9, "{times}");
        assert_eq!(times["all"], told["seconds"]);
        let by_path = times["scan"]["by_path"].as_array().unwrap_or_else(|| panic!("no paths: {times}"));
        assert_eq!(by_path.len(), told["considered"].as_array().map_or(0, Vec::len));
        let scan = sum(by_path) + seconds(&times["scan"]["other"]);
        assert!((seconds(&by_stage["scan"]) - scan).abs() < 1e-9, "{times}");
        assert!(by_path.iter().all(|time| seconds(time) > 0.0), "each was under way: {times}");
    }
}
