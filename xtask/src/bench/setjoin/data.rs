//! The titles: of published data sets where they are beside the checkout, as tables with the columns id and
//! title.
//!
//! A record's id is the row that its title stands in, so the first of some rows are the same titles in every
//! table.

use crate::bench::SetjoinData;
use crate::bench::workload::data_sets;
use crate::cargo::target;
use crate::r#gen;
use crate::replace::replace;
use anyhow::{Context, Result};
use clap::ValueEnum;
use flate2::read::MultiGzDecoder;
use hyperblock::Control;
use hyperblock::read::table::{ReadOptions, Table};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const SEED: u64 = 1;
/// Titles that are generated, if nothing else is said.
const ROWS: u32 = 100_000;

/// Pairs of the published titles, all of them, by q and similarity: counted by others, and published with
/// them.
const KNOWN: [(u32, f64, u64); 10] = [
    (2, 0.9, 13_035),
    (2, 0.8, 31_716),
    (2, 0.7, 49_779),
    (2, 0.6, 69_226),
    (2, 0.5, 116_439),
    (3, 0.9, 6_200),
    (3, 0.8, 17_417),
    (3, 0.7, 30_961),
    (3, 0.6, 46_173),
    (3, 0.5, 65_826),
];

/// A table of titles.
pub(in crate::bench) struct Titles {
    pub(in crate::bench) name: String,
    pub(in crate::bench) path: PathBuf,
    pub(in crate::bench) rows: u32,
    /// Whether they are those that counts are known of.
    is_counted: bool,
}

impl Titles {
    /// The right number of candidates, where it is known.
    pub(super) fn known(&self, q: u32, threshold: f64) -> Option<u64> {
        let known = KNOWN.iter().find(|(of_q, of, _)| self.is_counted && *of_q == q && *of == threshold);
        known.map(|(.., count)| *count)
    }
}

impl SetjoinData {
    pub(in crate::bench) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Where its titles are, if they are anywhere.
    pub(super) fn source(self) -> PathBuf {
        match self {
            Self::Titles => data_sets().with_file_name("workloads").join("titles_100000.txt.gz"),
            _ => data_sets().join(self.name()).join("table.csv.gz"),
        }
    }

    /// The columns that make a title; none if it is a line.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Titles => &[],
            Self::AclTitles => &["title", "authors"],
            Self::ImdbTitles => &["primary_title"],
            Self::PostTitles => &["title"],
        }
    }

    /// Writes the table, of the first `rows` titles or of all. Nothing if they are not there and cannot be
    /// generated.
    pub(in crate::bench) fn make(self, rows: Option<u32>) -> Result<Option<Titles>> {
        let (name, source) = (self.name(), self.source());
        let folder = target().join("bench").join("setjoin");
        if !source.exists() {
            return if self == Self::Titles {
                generate(&folder, rows.unwrap_or(ROWS)).map(Some)
            } else {
                Ok(None)
            };
        }
        let mut titles = match self.columns() {
            [] => lines(&source)?,
            columns => values(&source, columns)?,
        };
        titles.truncate(rows.map_or(usize::MAX, |rows| rows as usize));
        let path = folder.join(format!("{name}-{}.csv", titles.len()));
        replace(&path, |file| write(&titles, file))?;
        let is_counted = self == Self::Titles && rows.is_none();
        Ok(Some(Titles { name, path, rows: titles.len() as u32, is_counted }))
    }
}

/// Titles of our own.
fn generate(folder: &Path, rows: u32) -> Result<Titles> {
    let name = "generated_titles".to_owned();
    let path = folder.join(format!("{name}-{rows}.csv"));
    r#gen::run(&r#gen::Command::Titles { rows, seed: SEED, output: path.clone() })?;
    Ok(Titles { name, path, rows, is_counted: false })
}

/// The lines of a packed file. They are in several encodings, and were counted byte by byte: as Latin-1.
fn lines(path: &Path) -> Result<Vec<String>> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| MultiGzDecoder::new(file).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(latin_1(&bytes))
}

fn latin_1(bytes: &[u8]) -> Vec<String> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.split(|byte| *byte == b'\n').map(|line| line.iter().copied().map(char::from).collect()).collect()
}

/// What is in some columns, row by row, with a blank between them.
fn values(path: &Path, names: &[&str]) -> Result<Vec<String>> {
    let table =
        Table::read(path, &ReadOptions::default(), &|name| names.contains(&name), &Control::default())?;
    let mut rows = vec![String::new(); table.n_records() as usize];
    for name in names {
        let column =
            table.schema.find(name).with_context(|| format!("no column {name} in {}", path.display()))?;
        for (row, value) in rows.iter_mut().zip(table.values(column)?.iter()) {
            let Some(value) = value else { continue };
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(value);
        }
    }
    Ok(rows)
}

fn write(titles: &[String], out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "id,title")?;
    for (row, title) in (1..).zip(titles) {
        match title.contains([',', '"', '\r', '\n']) {
            true => writeln!(out, "t{row:06},\"{}\"", title.replace('"', "\"\""))?,
            false => writeln!(out, "t{row:06},{title}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{latin_1, values, write};
    use crate::bench::SetjoinData;
    use crate::cargo::target;
    use crate::replace::replace;
    use clap::ValueEnum;
    use std::io::Write;

    #[test]
    fn bytes_are_characters() {
        assert_eq!(latin_1(b"a\xfcb\n\xe2\x88\x9e\n\nend\n"), ["a\u{fc}b", "\u{e2}\u{88}\u{9e}", "", "end"]);
    }

    #[test]
    fn titles_are_read_as_they_were_written() {
        let path = target().join("bench").join("setjoin-test").join("quoted.csv");
        let titles =
            ["plain", "with, comma", "\"quoted\"", "two\nlines", " \u{85} ", "end"].map(str::to_owned);
        replace(&path, |file| write(&titles, file)).unwrap();
        assert_eq!(values(&path, &["title"]).unwrap(), titles);
        assert!(values(&path, &["name"]).is_err());
    }

    #[test]
    fn columns_are_one_title() {
        let path = target().join("bench").join("setjoin-test").join("columns.csv");
        replace(&path, |file| write!(file, "id,authors,title\n2,someone,first\n1,,second\n3,other,\n"))
            .unwrap();
        assert_eq!(values(&path, &["title", "authors"]).unwrap(), ["first someone", "second", "other"]);
    }

    #[test]
    fn counts_are_of_all_published_titles() {
        for &data in SetjoinData::value_variants() {
            let Some(titles) = data.make(Some(50)).unwrap() else { continue };
            assert_eq!((titles.rows, titles.known(3, 0.8)), (50, None), "{}", data.name());
        }
        let titles = super::Titles { name: String::new(), path: "t".into(), rows: 1, is_counted: true };
        assert_eq!(titles.known(3, 0.8), Some(17_417));
        assert_eq!(titles.known(2, 0.55), None);
    }
}
