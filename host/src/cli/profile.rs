//! `hyperblock profile`.

use super::AnswerFormat;
use super::input::FileArgs;
use super::place::start_threads;
use super::say::answer;
use super::tables::look_up;
use clap::Args;
use hyperblock::base::json::indented;
use hyperblock::base::shown::Shown;
use hyperblock::inspect::profile::Profile;
use hyperblock::read::table::{IdSource, ReadOptions};
use hyperblock::{Control, Result, serde_json};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct ProfileArgs {
    /// The tables: CSV (also .gz), Parquet or Arrow, or a pattern of them in quotes ('parts/*.csv'). Each is told of by itself
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
    /// CPU threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// How tables are read of which nobody has written a rule yet.
#[derive(Args, Debug)]
pub(crate) struct ReadingArgs {
    /// The column with the ids [default: the first column named id, else the row number]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    file: FileArgs,
}

impl ReadingArgs {
    /// With the ids of this column, or the usual ones.
    pub(crate) fn options(&self, id: Option<&String>) -> ReadOptions {
        let id = id.map_or(IdSource::Usual, |name| IdSource::Column(name.clone()));
        let (delimiter, most_unpacked) = (self.file.delimiter, self.file.packed.max_unpacked);
        ReadOptions { delimiter, id, most_unpacked, ..ReadOptions::default() }
    }
}

pub(crate) fn profile(args: &ProfileArgs, control: &Control) -> Result<()> {
    start_threads(args.threads)?;
    let options = args.reading.options(args.reading.id.as_ref());
    let (inputs, _) = look_up(&args.tables)?;
    let profiles = inputs.iter().map(|input| Profile::read(input, &options, control));
    let profiles = profiles.collect::<Result<Vec<_>>>()?;
    match args.format {
        AnswerFormat::Text => {
            let texts: Vec<String> = profiles.iter().map(ToString::to_string).collect();
            answer(format_args!("{}", Shown(texts.join("\n"))))
        }
        AnswerFormat::Json => {
            let tables: Vec<_> = profiles.iter().map(Profile::json).collect();
            answer(format_args!("{}\n", indented(&serde_json::json!({ "version": 1, "tables": tables }))))
        }
    }
}
