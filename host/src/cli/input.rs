//! Options that say what is read: the rules, and how to read the tables.

use clap::Args;
use hyperblock::read::table::{IdSource, ReadOptions};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// The rules, a TOML file
    ///
    /// It has [[rules]] with a name and a `when`, an SQL condition over l. and r., and [[neighbourhoods]] with a `key` and a
    /// `window`, which are approximate: pairs outside the windows are not looked at. Or [[pairs]] with `all = true`: every pair,
    /// if they are not too many.
    #[arg(short, long, value_name = "FILE")]
    pub(super) rules: PathBuf,
    /// The column with the ids [default: the first column named id, else the row number]
    ///
    /// Of several tables, it is that of those that have it.
    #[arg(long, value_name = "COLUMN")]
    pub(super) id: Option<String>,
    /// What rules call a column that tables name differently: NAME=COLUMN,COLUMN
    ///
    /// NAME is then the first of these columns that a table has, if it has no column NAME itself; shop.cost is the column cost of
    /// the table shop alone. It comes before [columns] of the rules.
    #[arg(long, value_name = "NAME=COLUMNS", value_parser = map)]
    map: Vec<(String, Vec<String>)>,
    #[command(flatten)]
    file: FileArgs,
}

/// How files are read.
#[derive(Args, Debug)]
pub(crate) struct FileArgs {
    /// What separates fields in CSV: one ASCII character, or `tab` [default: a comma; a tab for .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub(super) delimiter: Option<u8>,
    #[command(flatten)]
    pub(super) packed: PackedArgs,
}

/// How much comes out of a file.
#[derive(Args, Debug)]
pub(crate) struct PackedArgs {
    /// Read at most so much from a packed file, such as 500M, 8G or 1T [default: 4G, or 64 times the file's size]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Large jobs")]
    pub(super) max_unpacked: Option<u64>,
}

impl InputArgs {
    pub(super) fn read_options(&self, id: Option<&String>) -> ReadOptions {
        let id = id.map_or(IdSource::Usual, |name| IdSource::Column(name.clone()));
        let FileArgs { delimiter, packed } = &self.file;
        ReadOptions {
            delimiter: *delimiter,
            id,
            most_unpacked: packed.max_unpacked,
            ..ReadOptions::default()
        }
    }

    /// What columns go by which names: a name that stands twice has the columns of both.
    pub(super) fn columns(&self) -> Vec<(String, Vec<String>)> {
        let mut all: Vec<(String, Vec<String>)> = Vec::new();
        for (name, columns) in &self.map {
            match all.iter_mut().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
                Some((_, others)) => others.extend(columns.iter().cloned()),
                None => all.push((name.clone(), columns.clone())),
            }
        }
        all
    }
}

/// `name=title,product_name`
fn map(text: &str) -> Result<(String, Vec<String>), String> {
    let wrong = || "write NAME=COLUMN, or NAME=COLUMN,COLUMN".to_owned();
    let (name, columns) = text.split_once('=').ok_or_else(wrong)?;
    let columns: Vec<String> = columns.split(',').map(|column| column.trim().to_owned()).collect();
    let name = name.trim();
    if name.is_empty() || columns.iter().any(String::is_empty) {
        Err(wrong())
    } else {
        Ok((name.to_owned(), columns))
    }
}

/// Bytes, or thousands of them as computers count.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || "a number of bytes, or of K, M, G or T of them".to_owned();
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << unit).ok_or_else(wrong)
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'"' | b'\n' | b'\r'] => Err("a quote or a line end cannot separate fields".into()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("one ASCII character, or `tab`".into()),
    }
}
