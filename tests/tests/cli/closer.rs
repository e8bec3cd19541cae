//! What looks closer at a job: `--errors`, the pairs that are missed and wrong, and `--each-rule`, each rule by itself.

use crate::program::{Folder, program, redacted};
use hyperblock::serde_json::{self, Value};
use hyperblock::{Control, IdSource, ReadOptions, Table};
use insta::assert_snapshot;
use std::path::Path;
use std::process::{Command, Stdio};

const TABLE: &str = "\
id,name,city,born
1,Ann Smith,Leeds,1990-01-01
2,Anne Smith,Leeds,1990-01-02
3,Bob Jones,York,1985-05-05
4,Anne Smyth,,1990-02-15
5,Zoe Young,Leeds,2001-07-07
6,Zoe Young,Leeds,1950-01-01
";

const RULES: &str = r#"
[[rules]]
name = "same name"
when = "l.name = r.name"

[[rules]]
name = "near name, near birth"
when = "levenshtein_similarity(l.name, r.name) >= 0.85 AND abs(l.born - r.born) <= 31"
"#;

/// 4 is one of 1 and 2, and 5 and 6 are two.
const TRUTH: &str = "id,entity_id\n1,a\n2,a\n4,a\n3,b\n5,c\n6,d\n";

const SCORE: &str = r#"
[score]
threshold = 0.85
[[score.attributes]]
measure = "levenshtein_similarity(l.name, r.name)"
"#;

fn people() -> Folder {
    let cities = "[[rules]]\nname = 'same city'\nwhen = 'l.city = r.city'\n";
    let near = "[[neighbourhoods]]\nname = 'near'\nkey = 'born'\nwindow = 2\n";
    Folder::with(&[
        ("people.csv", TABLE),
        ("rules.toml", RULES),
        ("scored.toml", &format!("{cities}{SCORE}")),
        ("cities.toml", cities),
        ("near.toml", near),
        ("truth.csv", TRUTH),
    ])
}

const RUN: &str = "--truth truth.csv --device cpu --quiet";

#[test]
fn missed_and_wrong_pairs() {
    let folder = people();
    folder.stdout(&format!("dedupe people.csv -r rules.toml -o pairs.csv --errors errors.csv {RUN}"));
    assert_snapshot!(folder.read("errors.csv"), @r#"
    kind,cause,left,right,rule,failed,by_how_much,left_name,right_name,left_born,right_born
    missed,no rule,1,4,same name,l.name = r.name,not equal,Ann Smith,Anne Smyth,1990-01-01,1990-02-15
    missed,no rule,2,4,"near name, near birth",abs(l.born - r.born) <= 31,"the difference is 44 days, above 31",Anne Smith,Anne Smyth,1990-01-02,1990-02-15
    wrong,rule,5,6,same name,,,Zoe Young,Zoe Young,2001-07-07,1950-01-01
    "#);
    // Nobody names a rule, and what nearly held has a name all the same.
    let any = format!("dedupe people.csv -r rules.toml --count --errors any.csv --witness any {RUN}");
    assert_eq!(folder.stdout(&any), "2\n");
    let named = folder.read("errors.csv").replace("wrong,rule,5,6,same name,", "wrong,rule,5,6,,");
    assert_eq!(folder.read("any.csv"), named);
}

#[test]
fn scores_and_entities() {
    let folder = people();
    folder.stdout(&format!("resolve people.csv -r scored.toml -o out.csv --errors errors.csv {RUN}"));
    assert_snapshot!(folder.read("errors.csv"), @"
    kind,cause,left,right,rule,failed,by_how_much,score,left_name,right_name,left_city,right_city
    missed,no rule,1,4,same city,l.city = r.city,the right value is missing,0.8,Ann Smith,Anne Smyth,Leeds,
    missed,no rule,2,4,same city,l.city = r.city,the right value is missing,0.9,Anne Smith,Anne Smyth,Leeds,
    wrong,score,5,6,same city,,,1,Zoe Young,Zoe Young,Leeds,Leeds
    ");
    let strict = folder.read("scored.toml").replace("0.85", "0.95");
    let folder = folder.file("strict.toml", strict);
    folder.stdout(&format!("dedupe people.csv -r strict.toml -o out.csv --errors errors.csv {RUN}"));
    let below =
        "missed,score,1,2,same city,,\"score is 0.9, below 0.95\",0.9,Ann Smith,Anne Smith,Leeds,Leeds\n";
    assert!(folder.read("errors.csv").contains(below), "{}", folder.read("errors.csv"));
}

#[test]
fn windows_and_blocks() {
    let folder = people();
    folder.stdout(&format!("dedupe people.csv -r near.toml -o out.csv --errors near.csv {RUN}"));
    assert_snapshot!(folder.read("near.csv"), @r#"
    kind,cause,left,right,rule,failed,by_how_much,left_born,right_born
    missed,window,1,4,near,"key born, window 2",2 places apart,1990-01-01,1990-02-15
    wrong,rule,1,3,near,,,1990-01-01,1985-05-05
    wrong,rule,3,6,near,,,1985-05-05,1950-01-01
    wrong,rule,4,5,near,,,1990-02-15,2001-07-07
    "#);
    let block = "dedupe people.csv -r cities.toml -o out.csv --errors block.csv --max-block 3";
    folder.stdout(&format!("{block} {RUN}"));
    assert_snapshot!(folder.read("block.csv"), @r#"
    kind,cause,left,right,rule,failed,by_how_much,left_city,right_city
    missed,block,1,2,same city,l.city = r.city,"in a block of more than 3 records, which is left out",Leeds,Leeds
    missed,no rule,1,4,same city,l.city = r.city,the right value is missing,Leeds,
    missed,no rule,2,4,same city,l.city = r.city,the right value is missing,Leeds,
    "#);
}

#[test]
fn two_tables_have_columns_of_their_own() {
    let folder = Folder::with(&[
        ("a.csv", "id,name,age\n1,Ann,30\n2,Bob,41\n"),
        ("b.csv", "id,NAME,years\n7,Anne,30\n8,Cid,9\n"),
        ("rules.toml", "[[rules]]\nwhen = 'l.name = r.name OR l.age = r.years'\n"),
        ("truth.csv", "id_a,id_b\n2,8\n"),
    ]);
    folder.stdout(&format!("link a.csv b.csv -r rules.toml -o out.csv --errors errors.csv {RUN}"));
    assert_snapshot!(folder.read("errors.csv"), @"
    kind,cause,left,right,rule,failed,by_how_much,left_name,right_NAME,left_age,right_years
    missed,no rule,2,8,rule 1,l.name = r.NAME,not equal,Bob,Cid,41,9
    wrong,rule,1,7,rule 1,,,Ann,Anne,30,30
    ");
}

/// However a table comes, and whatever was let go of meanwhile.
#[test]
fn records_are_had_again() {
    let folder = people();
    let run = |table: &str, errors: &str, more: &str| {
        let arguments = format!("dedupe {table} -r rules.toml -o out.csv --errors {errors} {RUN} {more}");
        folder.stdout(&arguments);
        folder.read(errors)
    };
    let wanted = run("people.csv", "errors.csv", "");
    for nth in 0..2 {
        assert_eq!(run("people.csv", "cached.csv", "--cache cache"), wanted, "the cache, {nth}");
    }
    // A pipe is read once.
    let mut command = Command::new("sh");
    let pipe = format!(
        "cat people.csv | {} dedupe /dev/stdin -r rules.toml -o out.csv --errors piped.csv {RUN}",
        program().display()
    );
    let ran = command.args(["-c", &pipe]).current_dir(folder.path("")).stdin(Stdio::null()).output();
    let ran = ran.expect("the shell starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(folder.read("piped.csv"), wanted);
}

#[test]
fn formats_hold_the_same() {
    let folder = people();
    let values = |format: &str| {
        let file = format!("errors.{format}");
        let run = "resolve people.csv -r scored.toml -o out.csv";
        folder.stdout(&format!("{run} --errors {file} {RUN}"));
        let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
        let table = Table::read(&folder.path(&file), &options, &|_| true, &Control::default());
        let table = table.expect("a table");
        let column = |nth: usize| {
            let values = table.values(nth).expect("all columns are read");
            // 1 and 1.0 are one number.
            let text = |text: &str| text.parse().map_or(text.to_owned(), |number: f64| number.to_string());
            values.iter().map(|value| value.map(text)).collect::<Vec<_>>()
        };
        let columns = table.schema.columns.iter().enumerate();
        columns.map(|(nth, it)| (it.name.clone(), column(nth))).collect::<Vec<_>>()
    };
    let wanted = values("csv");
    assert_eq!((wanted.len(), wanted[0].1.len()), (12, 3));
    for format in ["tsv", "parquet", "arrow"] {
        assert_eq!(values(format), wanted, "{format}");
    }
}

#[test]
fn the_summary_counts_causes_and_rules() {
    let people = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/people");
    let folder = Folder::new();
    for name in ["people.csv", "rules.toml", "truth.csv"] {
        std::fs::copy(people.join(name), folder.path(name)).expect("an example can be copied");
    }
    let run = "dedupe people.csv -r rules.toml --truth truth.csv -o pairs.csv --errors errors.csv --each-rule --device cpu";
    let ran = folder.run(run);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let _times = redacted();
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
    missed           82 (82 no rule)
    wrong            7 (7 rule)
    rules one by one                   allows  alone  matches  alone  recall lost  precision
      same contact                        613     88      606     81       0.0976     0.9886
      same birthday, similar name         477     20      477     20       0.0241     1.0000
      swapped names                        45     45       45     45       0.0542     1.0000
      same address, name sounds alike     427     41      427     41       0.0494     1.0000
    time             [time] (open [time], read [time], encode [time], plan [time], truth [time], load [time], scan [time], rules [time], errors [time], write [time], other [time])
    peak memory      [memory]
    ");
    let ran = folder.run(&format!("{run} --summary json"));
    let summary: Value = serde_json::from_str(&ran.stderr).expect("JSON");
    assert_snapshot!(summary["errors"].to_string(), @r#"{"missed":{"no rule":82,"window":0,"block":0,"score":0,"split":0},"wrong":{"rule":7,"score":0,"joined":0}}"#);
    assert_snapshot!(summary["pairs"]["by_rule"][0].to_string(), @r#"{"name":"same contact","candidates":613,"allows":613,"alone":88,"matches":606,"matches_alone":81,"recall_lost":0.09759036144578313,"precision":0.9885807504078303}"#);
}

#[test]
fn nothing_is_written_if_something_is_wrong() {
    let folder = people();
    let fails = |code: i32, more: &str| {
        folder.failure(
            code,
            &format!("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet {more}"),
        )
    };
    assert_snapshot!(fails(2, "--errors errors.csv"), @"
    error: the following required arguments were not provided:
      --truth <FILE>

    Usage: hyperblock dedupe --rules <FILE> --truth <FILE> --device <DEVICE> --quiet --errors <FILE> <--output <FILE>|--count> <TABLE>...

    For more information, try '--help'.
    ");
    assert_snapshot!(fails(1, "--errors errors.txt --truth truth.csv"), @"error: errors.txt: the output's extension must be .csv, .tsv, .parquet or .arrow (or - for standard output)");
    assert_snapshot!(fails(1, "--errors pairs.csv --truth truth.csv"), @"error: --errors pairs.csv: -o writes to the same place; name another");
    assert_snapshot!(fails(1, "--errors truth.csv --truth truth.csv"), @"error: --errors truth.csv: that is the truth, which would be lost; name another file");
    assert_snapshot!(fails(1, "--errors nowhere/errors.csv --truth truth.csv"), @"error: nowhere/errors.csv: No such file or directory (os error 2)");
}
