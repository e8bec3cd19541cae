//! Tables on the command line: one, two, several, or what a pattern stands for.

use super::input::InputArgs;
use clap::Args;
use hyperblock::{Error, Input, Job, Result};
use std::path::{Path, PathBuf};

/// The tables of a command that takes one table or more.
#[derive(Args, Debug)]
pub(crate) struct TablesArgs {
    /// The tables: CSV (also .gz, .zst), Parquet or Arrow, - for standard input, or a pattern of them in quotes ('parts/*.csv')
    ///
    /// Of two, the left one and the right one; of more, pairs are across each two of them. A table is called by its file's name
    /// (shop.csv.gz is shop): rules see it in the column `source`.
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    /// Find pairs within the tables too, and not only across them
    #[arg(long)]
    within: bool,
    /// The column with the right table's ids, if it is not named as the left's; of more tables, of all but the first
    #[arg(long = "right-id", value_name = "COLUMN")]
    right_id_column: Option<String>,
}

/// Which pairs a command looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// Within all tables together.
    Within,
    /// Across tables, of which there must be two.
    Across,
    /// Within one table, and across more.
    Usual,
}

/// Tables, looked up.
pub(crate) struct Tables<'a> {
    input: &'a InputArgs,
    inputs: Vec<Input>,
    wanted: Wanted,
    within: bool,
    /// Whether they are called by names, and taken as one.
    are_several: bool,
    right_id: Option<&'a String>,
}

impl TablesArgs {
    /// Those that pairs are looked for across.
    pub(crate) fn linked<'a>(&'a self, input: &'a InputArgs) -> Result<Tables<'a>> {
        self.looked_up(input, Wanted::Across)
    }

    /// Those that pairs are looked for within, if it is one, or else across.
    pub(crate) fn usual<'a>(&'a self, input: &'a InputArgs) -> Result<Tables<'a>> {
        self.looked_up(input, Wanted::Usual)
    }

    fn looked_up<'a>(&'a self, input: &'a InputArgs, wanted: Wanted) -> Result<Tables<'a>> {
        let (inputs, has_pattern) = look_up(&self.tables)?;
        if inputs.len() < 2 && wanted == Wanted::Across {
            let message =
                "link takes two tables or more, and here is one; to find pairs within it, dedupe it";
            return Err(Error::Job(message.into()));
        }
        if inputs.len() < 2 && self.right_id_column.is_some() {
            return Err(Error::Job("--right-id is for a second table, and here is one".into()));
        }
        // Two tables are linked as they are.
        let within = self.within && inputs.len() > 1;
        let are_several = has_pattern || within || inputs.len() > 2;
        Ok(Tables { input, inputs, wanted, within, are_several, right_id: self.right_id_column.as_ref() })
    }
}

/// Tables that pairs are looked for within, and across.
pub(crate) fn deduped<'a>(input: &'a InputArgs, paths: &[PathBuf]) -> Result<Tables<'a>> {
    let (inputs, has_pattern) = look_up(paths)?;
    let are_several = has_pattern || inputs.len() > 1;
    Ok(Tables { input, inputs, wanted: Wanted::Within, within: false, are_several, right_id: None })
}

/// The files that are meant, and whether some are meant by a pattern.
pub(crate) fn look_up(paths: &[PathBuf]) -> Result<(Vec<Input>, bool)> {
    let (mut inputs, mut has_pattern) = (Vec::new(), false);
    for path in paths {
        match Input::matching(path)? {
            None => inputs.push(Input::from(path.as_path())),
            Some(files) => {
                has_pattern = true;
                inputs.extend(files);
            }
        }
    }
    Ok((inputs, has_pattern))
}

impl Tables<'_> {
    /// What is read, with what people call it.
    pub(crate) fn reads(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let is_two = self.inputs.len() == 2 && !self.are_several;
        let tables = self.inputs.iter().enumerate().filter_map(move |(nth, input)| {
            let name = match nth {
                0 if is_two => "the left table",
                _ if is_two => "the right table",
                _ if self.are_several => "one of the tables",
                _ => "the table",
            };
            Some((name, input.file()?))
        });
        tables.chain([("the file of rules", self.input.rules.as_path())])
    }

    /// The job over them.
    pub(crate) fn job(&self) -> Job {
        let (inputs, rules) = (self.inputs.clone(), self.input.rules.as_path().into());
        let is_linked = self.wanted != Wanted::Within && inputs.len() > 1;
        let job = match &inputs[..] {
            [left, others @ ..] if !self.are_several => {
                Job::over(left.clone(), others.first().cloned(), rules)
            }
            _ if is_linked => Job::link_all(inputs, rules),
            _ => Job::dedupe_all(inputs, rules),
        };
        let job = if self.within { job.within() } else { job };
        let (id, right_id) = (self.input.id.as_ref(), self.right_id.or(self.input.id.as_ref()));
        job.read_options(self.input.read_options(id), self.input.read_options(right_id))
            .columns(self.input.columns())
    }
}
