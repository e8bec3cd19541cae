//! Files that people have: `tests/data` holds the same table as other programs wrote it (pyarrow 26), and columns of every
//! type. What is not read says how to convert it.

use crate::program::{Folder, PAIRS, PEOPLE, RULES};
use arrow_array::{ArrayRef, Int64Array, LargeStringArray, RecordBatch};
use flate2::Compression;
use flate2::write::GzEncoder;
use insta::assert_snapshot;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Codec;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;

const DEDUPE: &str = "-r rules.toml -o - --device cpu --quiet";

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(data(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A table as Parquet, packed in one way.
fn parquet(columns: Vec<(&str, ArrayRef)>, codec: Codec) -> Vec<u8> {
    let rows = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let properties = WriterProperties::builder().set_compression(codec).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, rows.schema(), Some(properties)).expect("a writer");
    writer.write(&rows).expect("rows can be written");
    writer.close().expect("a footer can be written");
    bytes
}

#[test]
fn the_same_table_however_it_is_packed() {
    let folder = Folder::with(&[("rules.toml", RULES)]);
    for name in [
        "none.parquet",
        "snappy.parquet",
        "gzip.parquet",
        "brotli.parquet",
        "zstd.parquet",
        "lz4.parquet",
        "uncompressed.feather",
        "lz4.feather",
        "zstd.feather",
        "stream.arrow",
    ] {
        let pairs = folder.stdout(&format!("dedupe {} {DEDUPE}", data(name).display()));
        assert_eq!(pairs, PAIRS, "{name}");
    }
}

#[test]
fn lz4_as_hadoop_writes_it() {
    let names = LargeStringArray::from(vec!["a", "b", "a"]);
    let rules = "[[rules]]\nname = 'n'\nwhen = 'l.name = r.name'\n";
    let folder = Folder::with(&[("rules.toml", rules)]);
    let folder = folder.file("t.parquet", parquet(vec![("name", Arc::new(names))], Codec::LZ4));
    assert_eq!(folder.stdout(&format!("dedupe t.parquet {DEDUPE}")), "left,right,rule\n1,3,n\n");
}

#[test]
fn columns_of_every_type() {
    let rules = |zone| {
        format!(
            "[[rules]]\nname = 'all'\nwhen = \"l.key != r.key AND (l.berlin = '{zone}' AND r.berlin = '{zone}') AND \
             (l.utc = '2024-06-30' AND r.utc IS NULL) AND (l.time = '12:30:00.250' AND r.time IS NULL) AND \
             (l.bytes = 'Zoë' AND r.bytes = 'b') AND (l.fixed = 'ab' AND r.fixed = 'cd') AND l.large = 'x' AND \
             (l.category = 'one' AND r.category = 'two')\"\n"
        )
    };
    // Parquet keeps the moment, not the zone.
    for (name, zone) in [("kinds.parquet", "2024-06-30"), ("kinds.feather", "2024-07-01")] {
        let folder = Folder::with(&[("rules.toml", &rules(zone))]);
        let pairs = folder.stdout(&format!("dedupe {} --id key {DEDUPE}", data(name).display()));
        let wanted = "left,right,rule\n123e4567-e89b-12d3-a456-426614174000,123e4567-e89b-12d3-a456-426614174001,all\n";
        assert_eq!(pairs, wanted, "{name}");
    }
}

#[test]
fn what_is_not_read_says_how_to_convert_it() {
    let rules = "[[rules]]\nwhen = 'l.place = r.place'\n";
    let of = |name: &str| {
        let folder = Folder::with(&[("rules.toml", rules)]).file(name, bytes(name));
        folder.failure(1, &format!("dedupe {name} {DEDUPE}"))
    };
    assert_snapshot!(of("one.feather"), @r#"error: one.feather: this is Feather version 1, which is not read; convert it: python3 -c "import pyarrow.feather as f; f.write_feather(f.read_table('one.feather'), 'new.feather')""#);
    assert_snapshot!(of("nested.parquet"), @r#"error: nested.parquet: column `place` holds Struct("x": Int64); text, numbers, dates, times of day, booleans and lists of these can be compared. As text: duckdb -c "COPY (SELECT * REPLACE (\"place\"::VARCHAR AS \"place\") FROM 'nested.parquet') TO 'new.parquet'""#);
    assert_snapshot!(of("nested.feather"), @r#"error: nested.feather: column `place` holds Struct("x": Int64); text, numbers, dates, times of day, booleans and lists of these can be compared. As text: python3 -c "import pandas as p; t = p.read_feather('nested.feather'); t['place'] = t['place'].astype(str); t.to_parquet('new.parquet')""#);
}

/// Other columns of the same file are read.
#[test]
fn nested_columns_that_nobody_asks_for() {
    let folder = Folder::with(&[("rules.toml", "[[rules]]\nname = 'n'\nwhen = 'l.id < r.id'\n")]);
    for name in ["nested.parquet", "nested.feather"] {
        let pairs = folder.stdout(&format!("dedupe {} {DEDUPE}", data(name).display()));
        assert_eq!(pairs, "left,right,rule\n1,2,n\n", "{name}");
    }
}

#[cfg(unix)]
#[test]
fn through_a_pipe() {
    let folder = Folder::with(&[("rules.toml", RULES)]);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(PEOPLE.as_bytes()).expect("memory can be written");
    let tables = [
        PEOPLE.as_bytes().to_vec(),
        gzip.finish().expect("memory can be written"),
        bytes("snappy.parquet"),
        bytes("lz4.feather"),
        bytes("stream.arrow"),
    ];
    for table in tables {
        let mut command = folder.command(&format!("dedupe /dev/stdin {DEDUPE}"));
        let mut running = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        running.stdin.take().expect("a pipe was asked for").write_all(&table).expect("it reads");
        let Output { stdout, stderr, .. } = running.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&stdout), PAIRS, "{}", String::from_utf8_lossy(&stderr));
    }
}

#[cfg(unix)]
#[test]
fn through_a_named_pipe() {
    let folder = Folder::with(&[("rules.toml", RULES)]);
    let path = folder.path("people.parquet");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
    let writer = std::thread::spawn(move || std::fs::write(path, bytes("snappy.parquet")));
    assert_eq!(folder.stdout(&format!("dedupe people.parquet {DEDUPE}")), PAIRS);
    writer.join().expect("no panic").expect("somebody reads");
}

/// A few kilobytes that hold sixteen megabytes.
#[test]
fn what_unpacks_to_very_much() {
    let rules = "[[rules]]\nname = 'n'\nwhen = 'l.name = r.name'\n";
    let long = "x".repeat(1 << 20);
    let names = LargeStringArray::from_iter_values(std::iter::repeat_n(&long, 16));
    let ids = Int64Array::from_iter_values(0..16);
    let packed = parquet(vec![("id", Arc::new(ids)), ("name", Arc::new(names))], Codec::SNAPPY);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"id,name\n").expect("memory can be written");
    for id in 0..16 {
        gzip.write_all(format!("{id},{long}\n").as_bytes()).expect("memory can be written");
    }
    let folder = Folder::with(&[("rules.toml", rules)]);
    let folder =
        folder.file("t.parquet", &packed).file("t.csv.gz", gzip.finish().expect("memory can be written"));
    for name in ["t.parquet", "t.csv.gz"] {
        assert!(std::fs::metadata(folder.path(name)).expect("it is there").len() < 1 << 20);
        assert_eq!(folder.stdout(&format!("dedupe {name} {DEDUPE} --max-unpacked 17M")).lines().count(), 121);
        let message = folder.failure(1, &format!("dedupe {name} {DEDUPE} --max-unpacked 15M"));
        let wanted = "unpack to more than 15728640, which a table seldom does; if it is not damaged, allow more with \
                      --max-unpacked\n";
        assert!(message.ends_with(wanted), "{message}");
    }
    let message = folder.failure(2, &format!("dedupe t.csv.gz {DEDUPE} --max-unpacked much"));
    assert!(message.contains("a number of bytes, or of K, M, G or T of them"), "{message}");
}

#[test]
fn a_hundred_thousand_columns() {
    let n = 100_000;
    let header: Vec<String> = (0..n).map(|ix| format!("c{ix}")).collect();
    let row = |ix: usize| (0..n).map(|column| (column % (ix + 2)).to_string()).collect::<Vec<_>>().join(",");
    let table = format!("{}\n{}\n{}\n", header.join(","), row(0), row(1));
    let folder = Folder::with(&[("t.csv", &table), ("rules.toml", "[[rules]]\nwhen = 'l.c7 = r.c7'\n")]);
    let start = std::time::Instant::now();
    assert_eq!(folder.stdout(&format!("dedupe t.csv {DEDUPE}")), "left,right,rule\n1,2,rule 1\n");
    // Before, it took minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    let message = folder.failure(1, &format!("dedupe t.csv {DEDUPE} --id nobody"));
    assert!(message.ends_with("`c98`, `c99` and 99900 more\n"), "{message}");
}

/// A missing value that is none is said.
#[test]
fn dates_outside_the_calendar() {
    let rules = "[[rules]]\nname = 'n'\nwhen = 'l.born = r.born'\n";
    let born: ArrayRef = Arc::new(arrow_array::Date32Array::from(vec![0, i32::MAX, 0, i32::MIN]));
    let folder = Folder::with(&[("rules.toml", rules)])
        .file("t.parquet", parquet(vec![("born", born)], Codec::SNAPPY));
    let ran = folder.run(&format!("dedupe t.parquet {DEDUPE}"));
    assert_eq!(ran.stdout, "left,right,rule\n1,3,n\n");
    let warning = "t.parquet: row 2, column `born`: a date outside 0000-01-01 to 9999-12-31; it counts as missing, as \
                   do 1 more of the column";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
}
