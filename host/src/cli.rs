//! The commands and their options, as `--help` shows them.

pub(crate) mod devices;
pub(crate) mod explain;
pub(crate) mod log;
pub(crate) mod progress;
pub(crate) mod run;
pub(crate) mod why;

use clap::{Args, Parser, Subcommand, ValueEnum};
use hyperblock::table::{IdSource, ReadOptions};
use hyperblock::{DeviceChoice, Job};
use std::path::PathBuf;

/// Finds the pairs of records that may be the same thing: exactly the pairs that some rule allows.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 110, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print no summary and no progress, only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more about what is done; twice for still more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Find pairs across two tables
    Link(LinkArgs),
    /// Find pairs within one table, each unordered pair once
    Dedupe(DedupeArgs),
    /// Show how rules would be evaluated, without evaluating them
    Explain(ExplainArgs),
    /// Show why two records are a candidate, or why not: every rule, both values, what the measures say
    Why(WhyArgs),
    /// List the devices that --device can name
    Devices,
}

#[derive(Args, Debug)]
pub(crate) struct LinkArgs {
    /// The left table: CSV (also .gz), Parquet or Arrow
    left: PathBuf,
    /// The right table
    right: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    /// The column with the right table's ids, if it is not named as the left's
    #[arg(long, value_name = "COLUMN")]
    right_id: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DedupeArgs {
    /// The table: CSV (also .gz), Parquet or Arrow
    table: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The table, or the left one
    table: PathBuf,
    /// The right table, if there are two
    right: Option<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    /// The column with the right table's ids, if it is not named as the left's
    #[arg(long, value_name = "COLUMN", requires = "right")]
    right_id: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct WhyArgs {
    /// The id of one record; of the left table, if there are two
    #[arg(allow_negative_numbers = true)]
    left_id: String,
    /// The id of the other
    #[arg(allow_negative_numbers = true)]
    right_id: String,
    /// The table, or the left one
    table: PathBuf,
    /// The right table, if there are two
    right_table: Option<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    /// The column with the right table's ids, if it is not named as the left's
    #[arg(long = "right-id", value_name = "COLUMN", requires = "right_table")]
    right_id_column: Option<String>,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
}

/// How a command answers.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
pub(crate) enum AnswerFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Args, Debug)]
struct InputArgs {
    /// The rules: a TOML file of [[rules]] with a name and a `when`, an SQL condition over l. and r.
    #[arg(short, long, value_name = "FILE")]
    rules: PathBuf,
    /// The column with the ids [default: the first column named id, else the row number]
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// What separates fields in CSV: one ASCII character, or `tab` [default: a comma; a tab for .tsv]
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    delimiter: Option<u8>,
}

#[derive(Args, Debug)]
pub(crate) struct OutputArgs {
    /// Where the pairs go: .csv, .tsv, .parquet or .arrow, or - for CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Matching pairs (columns id_a, id_b) or entities (id, entity_id), to measure recall and precision against
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Where to run: auto (a GPU where there is one), cpu, cuda or cuda:N
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: DeviceChoice,
    /// Use at most this much of the GPU's memory; what does not fit is done in pieces [default: what is free]
    #[arg(long, value_name = "MIB")]
    device_memory: Option<u32>,
    /// CPU threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl InputArgs {
    fn read_options(&self, id: Option<&String>) -> ReadOptions {
        let id = id.map_or(IdSource::Usual, |name| IdSource::Column(name.clone()));
        ReadOptions { delimiter: self.delimiter, id }
    }

    /// The job over one or two tables.
    fn job(&self, left: &PathBuf, right: Option<&PathBuf>, right_id: Option<&String>) -> Job {
        let job = match right {
            None => Job::dedupe(left, &self.rules),
            Some(right) => Job::link(left, right, &self.rules),
        };
        let right_id = right_id.or(self.id.as_ref());
        job.read_options(self.read_options(self.id.as_ref()), self.read_options(right_id))
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [b'"' | b'\n' | b'\r'] => Err("a quote or a line end cannot separate fields".into()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("one ASCII character, or `tab`".into()),
    }
}
