//! `hyperblock closure`: edges in, all pairs of nodes of which one reaches the other out.

use crate::program::{Folder, redacted};
use hyperblock::Control;
use hyperblock::read::table::{IdSource, ReadOptions, Table};
use insta::assert_snapshot;

/// A cycle of two, a path, a self-loop, a repeated edge.
const EDGES: &str = "# from\tto\n10\t9\n9\t10\n9\t-2\n-2\t30\n30\t30\n9\t10\n";
const CLOSURE: &str = "\
src,dst
-2,30
9,-2
9,9
9,10
9,30
10,-2
10,9
10,10
10,30
30,30
";

fn edges() -> Folder {
    Folder::with(&[("edges.tsv", EDGES)])
}

#[track_caller]
fn failure(code: i32, list: impl AsRef<[u8]>, arguments: &str) -> String {
    let folder = Folder::new().file("edges.tsv", list);
    folder.failure(code, &format!("closure edges.tsv --device cpu --quiet {arguments}"))
}

#[test]
fn csv_and_tsv_to_the_byte() {
    let folder = edges();
    for method in ["condense", "semi-naive", "semi-naive --deduplicate sort"] {
        let arguments = format!("closure edges.tsv --device cpu --quiet --method {method}");
        assert_eq!(folder.stdout(&format!("{arguments} -o -")), CLOSURE);
        assert_eq!(folder.stdout(&format!("{arguments} -o out.csv")), "");
        assert_eq!(folder.read("out.csv"), CLOSURE);
        folder.stdout(&format!("{arguments} -o out.tsv"));
        assert_eq!(folder.read("out.tsv"), CLOSURE.replace(',', "\t"));
        assert_eq!(folder.stdout(&format!("{arguments} --count")), "10\n");
    }
}

/// Rows of a table, as text.
fn rows(folder: &Folder, name: &str) -> Vec<[String; 2]> {
    let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
    let table = Table::read(&folder.path(name), &options, &|_| true, &Control::default())
        .expect("an output can be read again");
    assert_eq!(table.schema.names(), "`src`, `dst`");
    let [sources, targets] = [0, 1].map(|ix| table.values(ix).expect("a column"));
    let text = |text: Option<&str>| text.expect("no node is missing").to_owned();
    sources.iter().zip(targets).map(|(source, target)| [text(source), text(target)]).collect()
}

#[test]
fn parquet_and_arrow_hold_what_csv_holds_and_are_read_again() {
    for list in [EDGES.to_owned(), EDGES.replace("30", "Zoë, Oslo")] {
        let folder = Folder::with(&[("edges.tsv", &list)]);
        for name in ["out.csv", "out.parquet", "out.arrow"] {
            folder.stdout(&format!("closure edges.tsv --device cpu -o {name}"));
        }
        let wanted = rows(&folder, "out.csv");
        assert_eq!(wanted.len(), 10);
        assert_eq!(rows(&folder, "out.parquet"), wanted);
        assert_eq!(rows(&folder, "out.arrow"), wanted);
        // A closure is its own closure.
        let header = |name: &str| if name.ends_with("csv") { "--header" } else { "" };
        for name in ["out.csv", "out.parquet", "out.arrow"] {
            let arguments = format!("closure {name} {} --device cpu -o again.csv --quiet", header(name));
            folder.stdout(&arguments);
            assert_eq!(rows(&folder, "again.csv"), wanted, "{name}");
        }
    }
}

/// `007`, `7` and `+7` are three nodes; a line is a comment by how it begins, unless that is quoted.
#[test]
fn nodes_are_as_written() {
    let closure = |list: &str| {
        let folder = Folder::with(&[("edges.csv", list)]);
        folder.stdout("closure edges.csv --device cpu --quiet -o -")
    };
    assert_eq!(closure("007,7\n7,+7\n"), "src,dst\n007,+7\n007,7\n7,+7\n");
    assert_eq!(closure("7,10\n-0,7\n"), "src,dst\n-0,10\n-0,7\n7,10\n");
    assert_eq!(closure("#1,2\n1,#2\n\"#2\",3\n%,%\n"), "src,dst\n#2,3\n1,#2\n1,3\n");
    // Rows of a table are no lines.
    let folder = Folder::with(&[("edges.tsv", "\"#a\"\t%b\n")]);
    folder.stdout("closure edges.tsv --device cpu --quiet -o edges.parquet");
    assert_eq!(folder.stdout("closure edges.parquet --device cpu --quiet -o -"), "src,dst\n#a,%b\n");
}

#[test]
fn what_it_says() {
    let _redacted = redacted();
    let ran = edges().run("closure edges.tsv --device cpu --count");
    assert_snapshot!(ran.stderr, @r"
    running on cpu (N threads)
    device           cpu (N threads)
    nodes            4
    edges            5 of 6 lines
    method           condense
    components       3
    tuples           10
    pieces           1
    time             [time] (open [time], read [time], load [time], components [time], rows [time], write [time], other [time])
    peak memory      [memory]
    ");
    let ran = edges().run("closure edges.tsv --device cpu --count --method semi-naive -v");
    assert!(ran.stderr.contains("iterations       3\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("round          joined             new           total"), "{}", ran.stderr);
}

#[test]
fn iterations_go_to_a_file() {
    let folder = edges();
    folder
        .stdout("closure edges.tsv --device cpu --count --quiet --method semi-naive --iterations rounds.csv");
    let rounds = folder.read("rounds.csv");
    let mut lines = rounds.lines();
    assert_eq!(lines.next(), Some("iteration,joined,new,total,join_ms,deduplicate_ms,union_ms,clear_ms"));
    let counts: Vec<String> =
        lines.map(|line| line.split(',').take(4).collect::<Vec<_>>().join(",")).collect();
    // Five edges; paths of two make 9,9 9,30 10,-2 10,10, those of three 10,30.
    assert_eq!(counts[0].split(',').nth(2), Some("4"));
    assert_eq!(counts.last().map(|line| line.ends_with(",0,10")), Some(true), "{counts:?}");
}

#[test]
fn what_is_wrong_with_a_list() {
    assert_snapshot!(failure(1, "1 2\n1 2 3\n", "-o out.csv"), @"error: edges.tsv: line 2: 3 fields, not a source and a target; they are separated by a tab, a comma or blanks");
    assert_snapshot!(failure(1, "src,dst\n1,2\n2,3\n", "-o out.csv"), @"error: edges.tsv: line 1: `src` and `dst` are no integers, and all other nodes are; if they are a header, use --header");
    assert_snapshot!(failure(1, b"1 2\n\xff 2\n", "--count"), @"error: edges.tsv: line 2: not valid UTF-8; convert the file to UTF-8");
    assert_snapshot!(failure(1, "", "--count"), @"error: edges.tsv: there are no edges in the file; a line is a source and a target");
}

#[test]
fn what_is_wrong_with_arguments() {
    let _redacted = redacted();
    assert_snapshot!(failure(1, EDGES, "-o out.xlsx"), @"error: out.xlsx: the output's extension must be .csv, .tsv, .parquet or .arrow (or - for standard output)");
    assert_snapshot!(failure(1, EDGES, "-o nowhere/out.csv"), @"error: nowhere/out.csv: No such file or directory (os error 2)");
    assert_snapshot!(failure(1, EDGES, "--count --iterations rounds.csv"), @"error: --iterations: there are none with --method condense; add --method semi-naive");
    assert_snapshot!(failure(2, EDGES, "--count --method wrong"), @r"
    error: invalid value 'wrong' for '--method <METHOD>': expected condense or semi-naive

    For more information, try '--help'.
    ");
    assert_snapshot!(failure(2, EDGES, ""), @r"
    error: the following required arguments were not provided:
      <--output <FILE>|--count>

    Usage: hyperblock closure --device <DEVICE> --quiet <--output <FILE>|--count> <EDGES>

    For more information, try '--help'.
    ");
    let missing = Folder::new().failure(1, "closure nothing.tsv --count --device cpu --quiet");
    assert_snapshot!(missing, @"error: nothing.tsv: No such file or directory (os error 2)");
}
