//! The same bytes by any number of threads and from pieces of any size, and what was written when it is read again.

use super::arrow::Arrow;
use super::csv::Csv;
use super::format::Writer;
use super::parquet::Parquet;
use super::steps::Encode;
use super::*;
use crate::read::edges::Names;
use crate::read::table::{IdSource, Ids, ReadOptions, Table};
use arrow_array::types::Int32Type;
use arrow_array::{DictionaryArray, StringArray};
use hyperblock_shared::layout::Candidate;
use proptest::prelude::*;
use std::fs;

const RULES: [&str; 3] = ["zip, near", "name", "\"quoted\""];

/// Ids as a table has them.
fn ids(texts: impl Iterator<Item = String>) -> Ids {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    fs::write(&path, texts.fold("id\n".to_owned(), |all, id| all + &id + "\n")).unwrap();
    Table::read(&path, &ReadOptions::default(), &|_| true, &Control::default()).unwrap().ids
}

fn integers(n: u32) -> Ids {
    ids((0..n).map(|ix| (i64::from(ix) * 1_000_003 - 500).to_string()))
}

fn labels(n: u32) -> Ids {
    ids((0..n).map(|ix| format!("\"a,{ix:03}\"")))
}

fn candidate_rows<'a>(left: &'a Ids, right: &'a Ids) -> CandidateRows<'a> {
    CandidateRows::new(left, right, RULES.map(str::to_owned).to_vec())
}

/// Sorted candidates among so many records, of which later ones are named by other rules first.
fn candidates(n: u32, n_records: u32) -> Vec<Candidate> {
    let rule = |ix: u32| (ix / 40_000 + ix % 2) % 3;
    (0..n)
        .map(|ix| Candidate { left: ix / 700 % n_records, right: ix * 13 % n_records, rule: rule(ix) })
        .collect()
}

/// The bytes of a file that so many threads write, of rows that come in pieces of these sizes, over and over.
fn bytes<R: Rows + Send>(
    name: &str,
    kind: R,
    rows: &[R::Row],
    n_threads: usize,
    pieces: &[usize],
) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
    pool.install(|| {
        let control = Control::default();
        let mut output = Output::create(&path, kind, &control).unwrap();
        // Smaller steps than it would take, or one of them would take all.
        output.n_rows = n_threads
            * match &output.writer {
                Writer::Csv(_) => Csv::ROWS,
                Writer::Parquet(_) => Parquet::ROWS,
                Writer::Arrow(_) => Arrow::ROWS,
            };
        let (mut rest, mut sizes) = (rows, pieces.iter().cycle());
        while !rest.is_empty() {
            let n = sizes.next().map_or(rest.len(), |n| (*n).min(rest.len()));
            output.write(&rest[..n]).unwrap();
            rest = &rest[n..];
        }
        output.finish().unwrap();
    });
    fs::read(&path).unwrap()
}

/// A file's rows, as text.
fn rows_of(name: &str, bytes: &[u8]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
    let table = Table::read(&path, &options, &|_| true, &Control::default()).unwrap();
    let columns: Vec<_> = (0..table.schema.columns.len()).map(|ix| table.values(ix).unwrap()).collect();
    let row = |row: usize| columns.iter().map(|column| column.value(row).to_owned()).collect();
    (0..table.n_records() as usize).map(row).collect()
}

#[test]
fn bytes_depend_on_rows_alone_and_read_back() {
    // More than two parts of each format.
    for (name, n) in [("t.csv", 20_000), ("t.tsv", 20_000), ("t.arrow", 140_000), ("t.parquet", 1_100_000)] {
        let (left, right) = (integers(1000), labels(100));
        let rows = candidates(n, 100);
        let kind = || candidate_rows(&left, &right);
        let whole = bytes(name, kind(), &rows, 1, &[usize::MAX]);
        assert!(whole == bytes(name, kind(), &rows, 3, &[1, 9973, 0, 65_536]), "{name}: in pieces");
        let read = rows_of(name, &whole);
        assert_eq!(read.len(), rows.len());
        for (read, row) in read.iter().zip(&rows) {
            let rule = RULES[row.rule as usize];
            assert_eq!(*read, [&*left.text(row.left), &*right.text(row.right), rule], "{name}");
        }
    }
}

/// Ids that are parsed once are those that are parsed a row at a time.
#[test]
fn few_rows_of_many_records() {
    let left = integers(1000);
    for name in ["t.parquet", "t.arrow", "t.csv"] {
        for n in [0, 3, 999, 1000, 1001] {
            let rows = candidates(n, 1000);
            let whole = bytes(name, candidate_rows(&left, &left), &rows, 2, &[usize::MAX]);
            // An empty file is no table to read.
            if n > 0 {
                let fields = |row: &Candidate| {
                    [left.text(row.left), left.text(row.right), RULES[row.rule as usize].to_owned()]
                };
                assert_eq!(rows_of(name, &whole), rows.iter().map(fields).collect::<Vec<_>>(), "{name}");
            }
        }
    }
}

#[test]
fn scores_and_entities_and_tuples_too() {
    let (left, right) = (integers(1000), labels(500));
    let names = Names::Integers((0..1000).map(|node| node * 7 - 3).collect());
    for name in ["t.csv", "t.arrow"] {
        let scored: Vec<_> = candidates(70_000, 500).into_iter().zip((0..).step_by(1001)).collect();
        for are_weights in [false, true] {
            let kind = || ScoredRows { candidates: candidate_rows(&left, &right), are_weights };
            let whole = bytes(name, kind(), &scored, 1, &[usize::MAX]);
            assert!(whole == bytes(name, kind(), &scored, 2, &[777]), "{name}: scored");
        }
        let members: Vec<(u32, u32)> = (0..70_000).map(|ix| (ix % 1000, ix % 31)).collect();
        for right in [None, Some(&right)] {
            let kind = || EntityRows::new(&left, right);
            let whole = bytes(name, kind(), &members, 1, &[usize::MAX]);
            assert!(whole == bytes(name, kind(), &members, 2, &[777]), "{name}: entities");
        }
        let tuples: Vec<u64> = (0..70_000).map(|ix| ((ix / 1000) << 32) | (ix % 1000)).collect();
        let kind = || TupleRows { names: &names };
        let whole = bytes(name, kind(), &tuples, 1, &[usize::MAX]);
        assert!(whole == bytes(name, kind(), &tuples, 2, &[777]), "{name}: tuples");
        assert_eq!(rows_of(name, &whole)[1234], ["4", "1635"], "{name}: node 1 and node 234");
    }
}

/// Categories that are the same make some readers stop.
#[test]
fn names_of_rules_that_are_alike_are_one() {
    let left = integers(10);
    let rules = ["", "b", "", "a"].map(str::to_owned).to_vec();
    let rows: Vec<_> = (0..4).map(|rule| Candidate { left: 0, right: 1, rule }).collect();
    let kind = CandidateRows::new(&left, &left, rules.clone());
    let batch = kind.batch(&rows).unwrap();
    let column = batch.column(2).as_any().downcast_ref::<DictionaryArray<Int32Type>>().unwrap();
    assert_eq!(column.values().len(), 3);
    let texts: Vec<_> = column.downcast_dict::<StringArray>().unwrap().into_iter().flatten().collect();
    assert_eq!(texts, rules);
}

proptest! {
    #[test]
    fn quoted_as_by_the_csv_crate(
        records in prop::collection::vec(prop::collection::vec("[a\"\r\n,\té ]{0,6}", 2..4), 0..5), tab: bool,
    ) {
        let delimiter = if tab { b'\t' } else { b',' };
        let mut lines = Lines::new(delimiter);
        let mut wanted =
            ::csv::WriterBuilder::new().delimiter(delimiter).flexible(true).from_writer(Vec::new());
        for record in &records {
            lines.record(record);
            wanted.write_record(record).unwrap();
        }
        prop_assert_eq!(lines.bytes, wanted.into_inner().unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn pieces_of_any_size(sizes in prop::collection::vec(0usize..12_000, 1..8), n_threads in 1usize..4) {
        prop_assume!(sizes.iter().sum::<usize>() > 0);
        let left = integers(300);
        let rows = candidates(20_000, 300);
        let kind = || candidate_rows(&left, &left);
        prop_assert!(
            bytes("t.csv", kind(), &rows, n_threads, &sizes) == bytes("t.csv", kind(), &rows, 1, &[20_000])
        );
    }
}

#[test]
fn a_job_that_is_stopped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let left = integers(10);
    for name in ["t.csv", "t.parquet", "t.arrow"] {
        let control = Control::default();
        let mut output =
            Output::create(&folder.path().join(name), candidate_rows(&left, &left), &control).unwrap();
        output.write(&candidates(10, 10)).unwrap();
        control.cancel();
        assert!(matches!(output.finish(), Err(Error::Interrupted)));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_alike_by_all_formats() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (left, control) = (integers(10), Control::default());
    for name in ["t.csv", "t.parquet", "t.arrow"] {
        let path = folder.path().join(name);
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let mut output = Output::create(&path, candidate_rows(&left, &left), &control).unwrap();
        output.write(&candidates(10, 10)).unwrap();
        let error = output.finish().unwrap_err().to_string();
        assert_eq!(error, format!("{}: No space left on device (os error 28)", path.display()));
    }
}
