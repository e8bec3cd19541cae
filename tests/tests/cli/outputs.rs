//! What the program writes and says when all is well.

use crate::program::{Folder, PAIRS, PEOPLE, RULES, people, redacted};
use hyperblock::Control;
use hyperblock::device::cuda;
use hyperblock::read::table::{IdSource, ReadOptions, Table};
use hyperblock::serde_json::{self, Value, json};
use insta::assert_snapshot;

const MORE: &str = "id,full name,town\na,Bob Ray,Oslo\nb,Zoe,Oslo\nc,,Bergen\n";
const LINK_RULES: &str = "\
[[rules]]
when = '''levenshtein_similarity(l.name, r.\"full name\") >= 0.6 OR soundex(l.name) = soundex(r.\"full name\")'''
[[rules]]
name = 'town'
when = 'NOT (l.city <> r.town) AND jaccard(qgrams(l.name, 2), qgrams(r.\"full name\", 2)) < 0.1'
";

#[test]
fn csv_to_the_byte() {
    let folder = people();
    assert_eq!(folder.stdout("dedupe people.csv -r rules.toml -o pairs.csv --device cpu"), "");
    assert_eq!(folder.read("pairs.csv"), PAIRS);
    assert_eq!(folder.names().len(), 3, "nothing but the output is new: {:?}", folder.names());
}

#[test]
fn tsv_to_the_byte() {
    let folder = people();
    folder.stdout("dedupe people.csv -r rules.toml -o pairs.tsv --device cpu");
    assert_eq!(
        folder.read("pairs.tsv"),
        "left\tright\trule\n2\t33\tsame name\n9\t10\tnear name, near birth\n"
    );
}

#[test]
fn standard_output() {
    let folder = people();
    assert_eq!(folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"), PAIRS);
    assert_eq!(folder.names().len(), 2);
}

#[test]
fn quiet_is_quiet() {
    let ran = people().run("dedupe people.csv -r rules.toml -o - --device cpu --quiet");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), PAIRS, ""));
}

/// JSON alone, of the same schema whatever was done.
#[test]
fn summaries_for_programs() {
    let folder = people().file("truth.csv", "id_a,id_b\n2,33\n4,9\n").file("edges.csv", "1,2\n2,3\n");
    let told = |arguments: &str| -> Value {
        let ran = folder.run(&format!("{arguments} --device cpu --summary json"));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let summary: Value = serde_json::from_str(&ran.stderr).expect(&ran.stderr);
        assert_eq!(summary["version"], 1);
        assert!(summary["device"].as_str().unwrap().starts_with("cpu ("));
        assert!(summary["seconds"]["all"].as_f64().unwrap() > 0.0);
        summary
    };
    let found = told("dedupe people.csv -r rules.toml -o pairs.csv --truth truth.csv");
    assert_eq!(found["records"], json!({ "left": 5, "right": null, "ids": ["id"] }));
    let by_rule = [("same name", 1), ("near name, near birth", 1)];
    let by_rule = by_rule.map(|(name, n)| json!({ "name": name, "candidates": n }));
    assert_eq!(found["pairs"]["by_rule"], json!(by_rule));
    assert_eq!((&found["pairs"]["all"], &found["pairs"]["candidates"]), (&json!(10), &json!(2)));
    assert_eq!((&found["quality"]["found"], &found["quality"]["recall"]), (&json!(1), &json!(0.5)));
    assert_eq!((&found["scored"], &found["approximate"]["blocks"]), (&Value::Null, &json!([])));
    let resolved = told("resolve people.csv -r rules.toml -o entities.csv");
    assert_eq!((&resolved["entities"]["all"], &resolved["entities"]["largest"]), (&json!(3), &json!(2)));
    let clustered = told("cluster pairs.csv -o clusters.csv");
    assert_eq!(
        (&clustered["pairs"], &clustered["records"]["all"]),
        (&json!({ "all": 2, "kept": 2 }), &json!(4))
    );
    let closed = told("closure edges.csv --count");
    assert_eq!((&closed["nodes"], &closed["tuples"]), (&json!(3), &json!(3)));
}

/// As many as the output has rows, whatever finds them and whatever is kept of them.
#[test]
fn a_count_alone() {
    let near = "[[neighbourhoods]]\nkey = 'name'\nwindow = 2\n";
    let score = "[score]\nthreshold = 0.95\n[[score.attributes]]\nname = 'name'\n\
                 measure = 'levenshtein_similarity(l.name, r.name)'\n";
    let all = "[[pairs]]\nall = true\n".to_owned();
    let rules = [RULES.to_owned(), format!("{RULES}{near}"), format!("{RULES}{score}"), all];
    for (rules, n) in rules.iter().zip([2, 4, 1, 10]) {
        let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", rules)]);
        let pairs = folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu");
        assert_eq!(pairs.lines().count(), 1 + n, "{pairs}");
        let ran = folder.run("dedupe people.csv -r rules.toml --count --device cpu --quiet");
        assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (Some(0), format!("{n}\n"), ""));
        assert_eq!(folder.names().len(), 2, "nothing is written");
    }
    let files = [("people.csv", PEOPLE), ("more.csv", MORE), ("rules.toml", LINK_RULES)];
    let folder = Folder::with(&files);
    assert_eq!(folder.stdout("link people.csv more.csv -r rules.toml --count --device cpu"), "8\n");
}

/// The summary is what it is with an output, and so is the quality.
#[test]
fn a_count_with_its_summary() {
    let _redacted = redacted();
    let folder = people().file("truth.csv", "id_a,id_b\n2,33\n4,9\n");
    let ran = folder.run("dedupe people.csv -r rules.toml --count --truth truth.csv --device cpu");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "2\n"), "{}", ran.stderr);
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   at most 4 of 10 (at least 6 ruled out unseen)
    candidates       2
      same name              1
      near name, near birth  1
    reduction ratio  0.800000
    matches found    1 of 2
    recall           0.5000
    precision        0.5000
    F1               0.5000
    CSSR             2.000e-1
    time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], count [time], other [time])
    peak memory      [memory]
    ");
}

#[test]
fn a_count_or_an_output() {
    let _redacted = redacted();
    let both = people().failure(2, "dedupe people.csv -r rules.toml -o pairs.csv --count --device cpu");
    assert_snapshot!(both, @r"
    error: the argument '--output <FILE>' cannot be used with '--count'

    Usage: hyperblock dedupe --rules <FILE> --device <DEVICE> <--output <FILE>|--count> <TABLE>...

    For more information, try '--help'.
    ");
    let neither = people().failure(2, "dedupe people.csv -r rules.toml --device cpu");
    assert_snapshot!(neither, @r"
    error: the following required arguments were not provided:
      <--output <FILE>|--count>

    Usage: hyperblock dedupe --rules <FILE> --device <DEVICE> <--output <FILE>|--count> <TABLE>...

    For more information, try '--help'.
    ");
}

#[test]
fn no_candidates_give_a_header() {
    let rules = "[[rules]]\nwhen = \"l.name = r.city\"\n";
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", rules)]);
    assert_eq!(folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"), "left,right,rule\n");
}

#[test]
fn an_older_output_is_replaced() {
    let folder = people().file("pairs.csv", "older");
    folder.stdout("dedupe people.csv -r rules.toml -o pairs.csv --device cpu");
    assert_eq!(folder.read("pairs.csv"), PAIRS);
}

/// All columns of an output file, as text, by row.
fn rows(folder: &Folder, name: &str) -> Vec<Vec<Option<String>>> {
    let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
    let table = Table::read(&folder.path(name), &options, &|_| true, &Control::default())
        .expect("an output can be read again");
    let columns = table.schema.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>();
    assert_eq!(columns, ["left", "right", "rule"]);
    let columns: Vec<_> = (0..3).map(|ix| table.values(ix).expect("a column")).collect();
    let row = |row: usize| {
        columns.iter().map(|column| column.iter().nth(row).flatten().map(str::to_owned)).collect()
    };
    (0..table.n_records() as usize).map(row).collect()
}

#[test]
fn parquet_and_arrow_hold_what_csv_holds() {
    // Ids that are integers, and ids that are text.
    for people in [PEOPLE.to_owned(), PEOPLE.replace("33,", "x33,")] {
        let folder = Folder::with(&[("people.csv", &people), ("rules.toml", RULES)]);
        for name in ["pairs.csv", "pairs.parquet", "pairs.arrow"] {
            folder.stdout(&format!("dedupe people.csv -r rules.toml -o {name} --device cpu"));
        }
        let wanted = rows(&folder, "pairs.csv");
        assert_eq!(wanted.len(), 2);
        assert_eq!(rows(&folder, "pairs.parquet"), wanted);
        assert_eq!(rows(&folder, "pairs.arrow"), wanted);
    }
}

#[test]
fn link_compares_across() {
    let files = [("people.csv", PEOPLE), ("more.csv", MORE), ("rules.toml", LINK_RULES)];
    let folder = Folder::with(&files);
    assert_snapshot!(folder.stdout("link people.csv more.csv -r rules.toml -o - --device cpu"), @r"
    left,right,rule
    2,a,rule 1
    4,a,town
    4,b,rule 1
    9,a,town
    9,b,town
    10,a,town
    10,b,town
    33,a,rule 1
    ");
}

/// The job of `cargo xtask demo`, on the bundled people.
#[test]
fn the_demo() {
    let _redacted = redacted();
    let folder = Folder::new();
    let people = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/people/");
    let arguments = format!(
        "dedupe {people}people.csv -r {people}rules.toml --truth {people}truth.csv -o pairs.csv --device cpu"
    );
    let ran = folder.run(&arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          3,000
    ids from         column id
    pairs compared   at most 4,819 of 4,498,500 (at least 4,493,681 ruled out unseen)
    candidates       755
      same contact                     613
      same birthday, similar name      56
      swapped names                    45
      same address, name sounds alike  41
    reduction ratio  0.999832
    matches found    748 of 830
    recall           0.9012
    precision        0.9907
    F1               0.9438
    CSSR             1.678e-4
    time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], write [time], other [time])
    peak memory      [memory]
    ");
    assert_eq!(folder.read("pairs.csv").lines().count(), 1 + 755);
}

#[test]
fn explain_one_table() {
    let _redacted = redacted();
    assert_snapshot!(people().stdout("explain people.csv -r rules.toml --cost static"), @r"
    Scan: all pairs, left=5, right=5, pairs=10
      l.name = r.name                       sp=1.00e-1  cost=2.0 ns  score=1.0e-1  pairs≈1.0
        → same name                         pairs≈1.0
      abs(l.born - r.born) <= 1             sp=1.00e-1  cost=2.5 ns  score=6.0e-3  pairs≈1.0
        l.city = r.city                     sp=3.00e-1  cost=2.0 ns  score=6.0e-3  pairs≈1.0
          levenshtein(l.name, r.name) <= 2  sp=2.00e-1  cost=14.6 ns  score=6.0e-3  pairs≈1.0
            → near name, near birth         pairs≈1.0
    Hash join: on l.name = r.name, records=2 × 2, keys=1, pairs with the same key=1
    Hash join: on l.city = r.city, records=3 × 3, keys=1, pairs with the same key=3
    Considered, with what it is expected to take:
      hash join on l.name = r.name  ≈[time]
      sweep by key of l.name = r.name  ≈[time]
    Considered, with what it is expected to take:
      hash join on l.city = r.city  ≈[time]
      sweep by key of l.city = r.city  ≈[time]
      sweep led by levenshtein(l.name, r.name) <= 2  ≈[time]
      sweep led by abs(l.born - r.born) <= 1  ≈[time]
    Expected: ≈[time] in all, [time] to read, encode and plan as here and ≈[time] to find candidates; ≈[memory] of memory
    Domains: 3, device bytes=[bytes]
      l.name: values=4, symbol bits=8, longest=8
      l.city: values=3
      l.born: values=4
    ");
}

#[test]
fn explain_two_tables() {
    let _redacted = redacted();
    let files = [("people.csv", PEOPLE), ("more.csv", MORE), ("rules.toml", LINK_RULES)];
    assert_snapshot!(Folder::with(&files).stdout("explain people.csv more.csv -r rules.toml --cost static"), @r#"
    Scan: all pairs, left=5, right=3, pairs=15
      l.city = r.town                                               sp=4.67e-1  cost=2.0 ns  score=2.2e-1  pairs≈7.0
        jaccard(qgrams(l.name, 2), qgrams(r."full name", 2)) < 0.1  sp=4.67e-1  cost=10.4 ns  score=2.2e-1  pairs≈5.0
          → town                                                    pairs≈5.0
      levenshtein_similarity(l.name, r."full name") >= 0.6          sp=2.00e-1  cost=14.6 ns  score=2.0e-1  pairs≈3.0
        → rule 1                                                    pairs≈3.0
      soundex(l.name) = soundex(r."full name")                      sp=2.00e-1  cost=2.0 ns  score=2.0e-1  pairs≈3.0
        → rule 1                                                    pairs≈3.0
    Hash join: on l.city = r.town, records=4 × 3, keys=2, pairs with the same key=7
    Sweep: led by levenshtein_similarity(l.name, r."full name") >= 0.6, values=4 × 2, pairs in reach≈8, screen: signatures of 64 bits
    Hash join: on soundex(l.name) = soundex(r."full name"), records=3 × 2, keys=2, pairs with the same key=3
    Considered, with what it is expected to take:
      hash join on l.city = r.town  ≈[time]
      sweep by key of l.city = r.town  ≈[time]
    Considered, with what it is expected to take:
      sweep led by levenshtein_similarity(l.name, r."full name") >= 0.6  ≈[time]
    Considered, with what it is expected to take:
      hash join on soundex(l.name) = soundex(r."full name")  ≈[time]
      sweep by key of soundex(l.name) = soundex(r."full name")  ≈[time]
    Expected: ≈[time] in all, [time] to read, encode and plan as here and ≈[time] to find candidates; ≈[memory] of memory
    Domains: 3, device bytes=[bytes]
      l.name, r."full name": values=5, symbol bits=8, longest=8
      soundex(l.name), soundex(r."full name"): values=3
      l.city, r.town: values=3
    "#);
}

/// Beside what is expected, what happened; and what is in the columns.
#[test]
fn explain_what_happened() {
    let _redacted = redacted();
    assert_snapshot!(people().stdout("explain people.csv -r rules.toml --cost static --device cpu --analyze --stats"), @"
    Scan: all pairs, left=5, right=5, pairs=10
      l.name = r.name                       sp=1.00e-1  cost=2.0 ns  score=1.0e-1  pairs≈1.0  actual=1 of 1 (0 computed)
        → same name                         pairs≈1.0  actual=1
      abs(l.born - r.born) <= 1             sp=1.00e-1  cost=2.5 ns  score=6.0e-3  pairs≈1.0  actual=1 of 3
        l.city = r.city                     sp=3.00e-1  cost=2.0 ns  score=6.0e-3  pairs≈1.0  actual=1 of 1 (0 computed)
          levenshtein(l.name, r.name) <= 2  sp=2.00e-1  cost=14.6 ns  score=6.0e-3  pairs≈1.0  actual=1 of 1
            → near name, near birth         pairs≈1.0  actual=1
    Hash join: on l.name = r.name, records=2 × 2, keys=1, pairs with the same key=1
    Hash join: on l.city = r.city, records=3 × 3, keys=1, pairs with the same key=3
    Considered, with what it is expected to take:
      hash join on l.name = r.name  ≈[time]  actual=[time], candidates=1
      sweep by key of l.name = r.name  ≈[time]
    Considered, with what it is expected to take:
      hash join on l.city = r.city  ≈[time]  actual=[time], candidates=1
      sweep by key of l.city = r.city  ≈[time]
      sweep led by levenshtein(l.name, r.name) <= 2  ≈[time]
      sweep led by abs(l.born - r.born) <= 1  ≈[time]
    Candidates: 2; on cpu (N threads) in [time]
    Times:
      all [time]
        load [time]
        scan [time]
          hash join on l.name = r.name [time]
          hash join on l.city = r.city [time]
          other [time]
        write [time]
        other [time]
    Latencies:
                    count           min           p50           p90           p99           max
      intervals         2 [time] [time] [time] [time] [time]
      tasks             1 [time] [time] [time] [time] [time]
      waits             0             -             -             -             -             -
      transfers         0             -             -             -             -             -
      kernels           0             -             -             -             -             -
    Timeline:
      [time] in all
    Expected: ≈[time] in all, [time] to read, encode and plan as here and ≈[time] to find candidates; ≈[memory] of memory
    Domains: 3, device bytes=[bytes]
      l.name: values=4, symbol bits=8, longest=8
      l.city: values=3
      l.born: values=4
    Columns:
      l.name: distinct=4, missing=0.0%
          length         3–4  ▇▇▇▇▇▇▇▇ 1
          length         5–8  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 4
                  2 (40.00%)  'Bob Ray'
      l.city: distinct=3, missing=0.0%
          length         3–4  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 3
          length         5–8  ▇▇▇▇▇▇▇▇▇▇ 1
          length        9–16  ▇▇▇▇▇▇▇▇▇▇ 1
                  3 (60.00%)  'Oslo'
      l.born: distinct=4, missing=20.0%
          length        9–16  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 4
    ");
}

#[test]
fn explain_for_programs() {
    let _redacted = redacted();
    let folder = people();
    let json =
        folder.stdout("explain people.csv -r rules.toml --cost static --format json --device cpu --analyze");
    assert!(json.starts_with("{\n") && json.contains("\"actual_pairs\": 1"), "{json}");
    assert!(json.contains("\"tasks\": {\n      \"count\": 1,\n      \"min_ns\": "), "{json}");
    assert!(json.contains("\"transfers\": {\n      \"count\": 0,\n      \"min_ns\": null"), "{json}");
    for span in ["\"name\": \"read\"", "\"name\": \"parse\"", "\"name\": \"find\"", "\"device_busy\": null"] {
        assert!(json.contains(span), "{span}: {json}");
    }
    let dot = folder.stdout("explain people.csv -r rules.toml --cost static --format dot");
    assert!(dot.starts_with("digraph plan {") && dot.contains("step0 -> step1"), "{dot}");
}

/// Whatever the planner leaves out or takes its costs from, the file is the same.
#[test]
fn variants_and_costs_leave_the_result_as_it_was() {
    let folder = people();
    let pairs = |options: &str| {
        let ran = folder.run(&format!("dedupe people.csv -r rules.toml -o - -q --device cpu {options}"));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let plain = pairs("");
    let model = format!("--cost {}", concat!(env!("CARGO_MANIFEST_DIR"), "/../host/cost/cpu.toml"));
    let variants = ["--variant noEPG", "--variant noPO,noRO", "--variant corder", "--variant SOrder"];
    for options in variants.into_iter().chain(["--cost measured", &model]) {
        assert_eq!(pairs(options), plain, "{options}");
    }
}

/// Where no rule is about any record, there is nothing to compare, and nothing goes wrong.
#[test]
fn rules_about_no_record() {
    let rules =
        "[[rules]]\nwhen = \"levenshtein(l.name, r.name) <= 1 AND l.city = 'Rome' AND r.city = 'Rome'\"\n";
    let folder = Folder::with(&[("a.csv", PEOPLE), ("b.csv", PEOPLE), ("rules.toml", rules)]);
    for options in ["", "--analyze --stats", "--cost measured", "--variant noEPG --format dot"] {
        for tables in ["a.csv", "a.csv b.csv"] {
            let ran = folder.run(&format!("explain {tables} -r rules.toml --device cpu {options}"));
            assert_eq!(ran.code, Some(0), "{tables} {options}: {}", ran.stderr);
        }
    }
    let ran = folder.run("link a.csv b.csv -r rules.toml -o pairs.csv --device cpu");
    assert!(ran.stderr.contains("pairs compared   0 of 25"), "{}", ran.stderr);
}

/// Rules that others make needless are named.
#[test]
fn subsumed_rules_are_told() {
    let rules = "[[rules]]\nname = \"a\"\nwhen = \"l.name = r.name\"\n[[rules]]\nname = \"b\"\nwhen = \"l.name = r.name AND l.city = r.city\"\n";
    let ran = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", rules)])
        .run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu");
    assert!(ran.stderr.contains("every pair that rule `b` allows is allowed by `a`"), "{}", ran.stderr);
}

#[test]
fn summary() {
    let _redacted = redacted();
    let ran = people().run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu");
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   at most 4 of 10 (at least 6 ruled out unseen)
    candidates       2
      same name              1
      near name, near birth  1
    reduction ratio  0.800000
    time             [time] (open [time], read [time], encode [time], plan [time], load [time], scan [time], write [time], other [time])
    peak memory      [memory]
    ");
}

#[test]
fn summary_with_true_pairs() {
    let _redacted = redacted();
    let truth = "id_a,id_b\n33,2\n2,4\n9,10\n9,77\n";
    let ran = people()
        .file("truth.csv", truth)
        .run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --truth truth.csv");
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   at most 4 of 10 (at least 6 ruled out unseen)
    candidates       2
      same name              1
      near name, near birth  1
    reduction ratio  0.800000
    matches found    2 of 3
    truth left out   1 (rows with ids that are in no table)
    recall           0.6667
    precision        1.0000
    F1               0.8000
    CSSR             2.000e-1
    time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], write [time], other [time])
    peak memory      [memory]
    ");
}

#[test]
fn summary_with_true_entities() {
    let _redacted = redacted();
    let truth = "id,entity_id\n10,ann\n9,ann\n2,bob\n4,bob\n33,other bob\n5,nobody\n";
    let ran = people()
        .file("truth.csv", truth)
        .run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --truth truth.csv");
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   at most 4 of 10 (at least 6 ruled out unseen)
    candidates       2
      same name              1
      near name, near birth  1
    reduction ratio  0.800000
    matches found    1 of 2
    truth left out   1 (rows with ids that are in no table)
    recall           0.5000
    precision        0.5000
    F1               0.5000
    CSSR             2.000e-1
    time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], write [time], other [time])
    peak memory      [memory]
    ");
}

#[test]
fn summary_of_two_tables_with_true_pairs() {
    let _redacted = redacted();
    let files = [("people.csv", PEOPLE), ("more.csv", MORE), ("rules.toml", LINK_RULES)];
    let folder = Folder::with(&files).file("truth.csv", "id_a,id_b\n2,a\n33,a\n4,b\n");
    let ran =
        folder.run("link people.csv more.csv -r rules.toml -o pairs.csv --device cpu --truth truth.csv");
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5 × 3
    ids from         column id
    pairs compared   at most 15 of 15
    candidates       8
      rule 1  3
      town    5
    reduction ratio  0.466667
    matches found    3 of 3
    recall           1.0000
    precision        0.3750
    F1               0.5455
    CSSR             5.333e-1
    time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], write [time], other [time])
    peak memory      [memory]
    ");
}

#[test]
fn devices() {
    let shown = Folder::new().stdout("devices");
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines[0].starts_with("cpu ("), "{shown}");
    if cuda::gpus().is_err() {
        assert_eq!(lines.len(), 2, "{shown}");
        assert!(lines[1].starts_with("cuda: none; the NVIDIA driver is"), "{shown}");
    } else {
        assert!(lines[1].starts_with("cuda:0 ("), "{shown}");
    }
}

/// What is said twice counts once.
#[test]
fn truth_that_repeats_itself() {
    let pairs = "id_a,id_b\n9,10\n10,9\n9,10\n33,2\n";
    let entities = "id,entity_id\n9,a\n10,a\n10,a\n9,a\n33,b\n2,b\n33,b\n4,c\n";
    for truth in [pairs, entities] {
        let folder = people().file("truth.csv", truth);
        let run = |arguments: &str| {
            let ran = folder.run(&format!("{arguments} --device cpu --truth truth.csv"));
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            ran.stderr
        };
        let said = run("dedupe people.csv -r rules.toml -o pairs.csv");
        assert!(
            said.contains("matches found    2 of 2\n") && said.contains("recall           1.0000\n"),
            "{said}"
        );
        let said = run("cluster pairs.csv --records people.csv -o entities.csv");
        assert!(said.contains("pairwise         precision 1.0000, recall 1.0000"), "{said}");
    }
}
