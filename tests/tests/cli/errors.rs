//! What the program says when something is wrong. It never leaves a file behind, and never writes half a result.

use crate::program::{Folder, PEOPLE, RULES, people, redacted};
use hyperblock::device::cuda;
use insta::assert_snapshot;

/// The message about a table given as the bytes of `people.csv`.
#[track_caller]
fn of_table(table: impl AsRef<[u8]>) -> String {
    let folder = Folder::with(&[("rules.toml", RULES)]).file("people.csv", table);
    folder.failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet")
}

/// The message about a `when`.
#[track_caller]
fn of_rule(when: &str) -> String {
    let rules = format!("[[rules]]\nwhen = '''{when}'''\n");
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", &rules)]);
    folder.failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet")
}

/// The message about other arguments, all else being well.
#[track_caller]
fn of_arguments(code: i32, arguments: &str) -> String {
    people().failure(code, &format!("dedupe people.csv --quiet {arguments}"))
}

#[test]
fn missing_table() {
    let message = people().failure(1, "dedupe nobody.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    assert_snapshot!(message, @"error: nobody.csv: No such file or directory (os error 2)");
}

#[test]
fn directory_as_table() {
    let folder = people();
    std::fs::create_dir(folder.path("folder.csv")).expect("a folder can be made");
    let message = folder.failure(1, "dedupe folder.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    assert_snapshot!(message, @"error: folder.csv: this is a directory, not a table");
}

#[test]
fn bad_utf8() {
    let mut table = b"id,name,city,born\n1,a,b,2020-01-01\n2,Zo".to_vec();
    table.extend_from_slice(b"\xeb,c,2020-01-01\n");
    assert_snapshot!(of_table(table), @"error: people.csv: row 2 (line 3), column `name`: not valid UTF-8; convert the file to UTF-8");
}

#[test]
fn utf16() {
    assert_snapshot!(of_table(b"\xff\xfei\0d\0\n\0"), @"error: people.csv: the file is UTF-16; convert it to UTF-8 first");
}

#[test]
fn ragged_row() {
    assert_snapshot!(of_table("id,name,city,born\n1,a,b,2020-01-01\n2,a,b\n"), @"error: people.csv: row 2 (line 3) has 3 fields, the header has 4; is a delimiter or a quote missing?");
}

#[test]
fn duplicate_header() {
    assert_snapshot!(of_table("id,name,city,name\n1,a,b,c\n"), @"error: people.csv: columns 2 and 4 are both named `name`; rename one in the header");
}

#[test]
fn duplicate_id() {
    assert_snapshot!(of_table("id,name,city,born\n1,a,b,2020-01-01\n2,a,b,\n1,c,d,\n"), @"error: people.csv: rows 1 and 3 have the same id `1` in column `id`; ids must differ (name another column with --id)");
}

#[test]
fn missing_id() {
    assert_snapshot!(of_table("id,name,city,born\n1,a,b,2020-01-01\n,a,b,\n"), @"error: people.csv: row 2, column `id`: the id is missing; every record needs one");
}

#[test]
fn unclosed_quote() {
    assert_snapshot!(of_table("id,name,city,born\n1,a,b,2020-01-01\n2,\"a,b,\n3,c,d,\n"), @"error: people.csv: row 2 (line 3) has 2 fields, the header has 4; is a delimiter or a quote missing?");
    assert_snapshot!(of_table("id,name,city,born\n1,a,b,2020-01-01\n2,a,b,\"\n"), @"error: people.csv: row 2, the last one, opens a quote and never closes it");
}

#[test]
fn empty_file() {
    assert_snapshot!(of_table(""), @"error: people.csv: the file is empty; a table starts with a header");
}

#[test]
fn header_only() {
    assert_snapshot!(of_table("id,name,city,born\n"), @"error: people.csv: the table has no rows; there is nothing to compare");
}

#[test]
fn field_of_twenty_megabytes() {
    let table = format!("id,name,city,born\n1,{},b,2020-01-01\n", "x".repeat(20_000_000));
    assert_snapshot!(of_table(table), @"error: people.csv: row 1 (line 2), column `name`: a field of 20000000 bytes; at most 16777216 are allowed. Is a quote left open? If not, shorten the field or leave the column out");
}

#[test]
fn damaged_parquet_and_gzip() {
    assert_snapshot!(of_table(b"PAR1 and then nothing"), @"error: people.csv: damaged Parquet, in its schema: Parquet error: Invalid Parquet file. Corrupt footer");
    assert_snapshot!(of_table(b"\x1f\x8b and then nothing"), @"error: people.csv: invalid gzip header");
}

#[test]
fn missing_rules() {
    assert_snapshot!(of_arguments(1, "-r nothing.toml -o pairs.csv --device cpu"), @"error: nothing.toml: No such file or directory (os error 2)");
}

#[test]
fn unknown_column() {
    assert_snapshot!(of_rule("l.nmae = r.name"), @r"
    error: people.csv has no column `nmae`
     --> rules.toml:2:11
      |
    2 | when = '''l.nmae = r.name'''
      |           ^^^^^^
      |
    help: did you mean `name`? its columns are id, name, city, born
    ");
}

#[test]
fn rule_syntax() {
    assert_snapshot!(of_rule("l.name = r.name AND (l.city = r.city"), @r"
    error: expected `)`, but the rule ends
     --> rules.toml:2:47
      |
    2 | when = '''l.name = r.name AND (l.city = r.city'''
      |                                               ^
    ");
    assert_snapshot!(of_rule("l.name LIKE r.name"), @r"
    error: `LIKE` is not supported here
     --> rules.toml:2:11
      |
    2 | when = '''l.name LIKE r.name'''
      |           ^^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2
    ");
    assert_snapshot!(of_rule("levenshtien(l.name, r.name) <= 2"), @r"
    error: there is no function `levenshtien`
     --> rules.toml:2:11
      |
    2 | when = '''levenshtien(l.name, r.name) <= 2'''
      |           ^^^^^^^^^^^
      |
    help: did you mean `levenshtein`?
    ");
}

#[test]
fn rule_that_makes_no_sense() {
    assert_snapshot!(of_rule("abs(l.name - r.born) <= 2"), @r"
    error: abs needs numbers or dates, and `l.name` holds text (row 1 holds `Ann Lee`)
     --> rules.toml:2:15
      |
    2 | when = '''abs(l.name - r.born) <= 2'''
      |               ^^^^^^
      |
    help: mend the table, or compare the text by levenshtein
    ");
    assert_snapshot!(of_rule("jaro_winkler_similarity(l.name, r.name) >= 85"), @r"
    error: a similarity lies between 0 and 1
     --> rules.toml:2:54
      |
    2 | when = '''jaro_winkler_similarity(l.name, r.name) >= 85'''
      |                                                      ^^
      |
    help: write, say, >= 0.8
    ");
}

#[test]
fn rules_that_are_not_toml() {
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", "[[rules]]\nwhen = l.a = r.a\n")]);
    let message = folder.failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    assert_snapshot!(message, @r"
    error: this is not TOML: unexpected key or value, expected newline, `#`
     --> rules.toml:2:12
      |
    2 | when = l.a = r.a
      |            ^
    ");
}

#[test]
fn unknown_extension() {
    assert_snapshot!(of_arguments(1, "-r rules.toml -o pairs.xlsx --device cpu"), @"error: pairs.xlsx: the output's extension must be .csv, .tsv, .parquet or .arrow (or - for standard output)");
}

#[test]
fn output_folder_missing() {
    let _redacted = redacted();
    assert_snapshot!(of_arguments(1, "-r rules.toml -o nowhere/pairs.csv --device cpu"), @"error: nowhere/pairs.csv: No such file or directory (os error 2)");
}

#[test]
fn output_is_a_directory() {
    let folder = people();
    std::fs::create_dir(folder.path("pairs.csv")).expect("a folder can be made");
    let message = folder.failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    assert_snapshot!(message, @"error: pairs.csv: the output is a directory; name a file in it");
}

/// Permissions do not stop everybody; a file as a folder does.
#[test]
fn output_below_a_file() {
    let _redacted = redacted();
    assert_snapshot!(of_arguments(1, "-r rules.toml -o people.csv/pairs.csv --device cpu"), @"error: people.csv/pairs.csv: Not a directory (os error 20)");
}

/// What was there before a failed run is there after it.
#[test]
fn an_older_output_survives() {
    let folder =
        Folder::with(&[("people.csv", "id,name\n1,a,b\n"), ("rules.toml", RULES), ("pairs.csv", "older")]);
    folder.failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    assert_eq!(folder.read("pairs.csv"), "older");
}

#[test]
fn full_disk() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    assert_snapshot!(of_arguments(1, "-r rules.toml -o /dev/full --device cpu"), @"error: /dev/full: No space left on device (os error 28)");
}

#[test]
fn cuda_without_a_driver() {
    if cuda::gpus().is_ok() {
        return;
    }
    let message = of_arguments(1, "-r rules.toml -o pairs.csv --device cuda");
    assert!(message.starts_with("error: no device `cuda:0`: the NVIDIA driver is"), "{message}");
}

#[test]
fn device_that_does_not_exist() {
    assert_snapshot!(of_arguments(2, "-r rules.toml -o pairs.csv --device nonsense"), @r"
    error: invalid value 'nonsense' for '--device <DEVICE>': expected auto, cpu, cuda or cuda:N

    For more information, try '--help'.
    ");
}

#[test]
fn join_that_does_not_exist() {
    assert_snapshot!(of_arguments(2, "-r rules.toml -o pairs.csv --join wrong"), @r"
    error: invalid value 'wrong' for '--join <METHOD>': expected cheapest, skew, plain or none

    For more information, try '--help'.
    ");
}

#[test]
fn truth_with_other_columns() {
    let folder = people().file("truth.csv", "a,b\n1,2\n");
    let message = folder
        .failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet --truth truth.csv");
    assert_snapshot!(message, @"error: truth.csv: a truth file has the columns id_a and id_b (matching pairs; with a column label, labelled pairs), or id and entity_id; this one has `a`, `b`");
}

#[test]
fn truth_with_a_record_of_two_entities() {
    let folder = people().file("truth.csv", "id,entity_id\n9,ann\n10,ann\n10,ann\n9,bob\n");
    let message = folder
        .failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet --truth truth.csv");
    assert_snapshot!(message, @"error: truth.csv: rows 1 and 4: `9` is of entity `ann` and of entity `bob`; a record is of one. If both tables have the id, write the matching pairs (id_a, id_b)");
}

#[test]
fn truth_that_pairs_a_record_with_itself() {
    let folder = people().file("truth.csv", "id_a,id_b\n9,10\n2,2\n");
    let message = folder
        .failure(1, "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet --truth truth.csv");
    assert_snapshot!(message, @"error: truth.csv: row 2: a record is paired with itself");
}

#[test]
fn no_such_id_column() {
    assert_snapshot!(of_arguments(1, "-r rules.toml -o pairs.csv --device cpu --id key"), @"error: people.csv: no column `key` for the ids; the columns are `id`, `name`, `city`, `born`");
}

/// A cost model that is none, and one for another device.
#[test]
fn cost_models() {
    let ran = people()
        .file("own.toml", "version = 7\n")
        .run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --cost own.toml");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("own.toml: not a cost model for this program"), "{}", ran.stderr);
    let cuda = concat!(env!("CARGO_MANIFEST_DIR"), "/../host/cost/cuda.toml");
    let ran =
        people().run(&format!("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --cost {cuda}"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("a cost model for cuda, and the job runs on cpu"), "{}", ran.stderr);
}
