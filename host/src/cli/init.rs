//! `hyperblock init`.

use super::place::start_threads;
use super::profile::ReadingArgs;
use super::say::{answer, say};
use super::tables::look_up;
use clap::Args;
use hyperblock::base::paths::keep_apart;
use hyperblock::base::target::Target;
use hyperblock::draft::draft;
use hyperblock::{Control, DeviceChoice, Error, Result, device};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct InitArgs {
    /// The table to find pairs within, or the two to find pairs across: CSV (also .gz), Parquet or Arrow
    #[arg(value_name = "TABLE", required = true, num_args = 1..=2)]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The column with the right table's ids, if it is not named as the left's
    #[arg(long = "right-id", value_name = "COLUMN")]
    right_id: Option<String>,
    /// Where the rules go: a TOML file, or - for standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// CPU threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

pub(crate) fn init(args: &InitArgs, quiet: bool, control: &Control) -> Result<()> {
    let (inputs, _) = look_up(&args.tables)?;
    if inputs.len() > 2 {
        let message = "init takes one table or two; of more, draft rules for two that are most alike";
        return Err(Error::Job(message.into()));
    }
    if inputs.len() < 2 && args.right_id.is_some() {
        return Err(Error::Job("--right-id is for a second table, and here is one".into()));
    }
    let output = args.output.as_path();
    let is_stdout = output == Path::new("-");
    let read: Vec<_> = inputs.iter().filter_map(|input| Some(("one of the tables", input.file()?))).collect();
    keep_apart(&[("-o", output)], &read)?;
    if !is_stdout && !args.force && output.is_file() {
        let message = format!(
            "{}: the file is there already; name another, or replace it with --force",
            output.display()
        );
        return Err(Error::Job(message));
    }
    start_threads(args.threads)?;
    let device = device::open(DeviceChoice::Cpu, None)?;
    let ids = [args.reading.id.as_ref(), args.right_id.as_ref().or(args.reading.id.as_ref())];
    let tables: Vec<_> =
        inputs.into_iter().zip(ids).map(|(input, id)| (input, args.reading.options(id))).collect();
    // What comes out of standard output is called as the guide calls it.
    let name = if is_stdout { Path::new("rules.toml") } else { output };
    let rules = draft(&tables, name, &*device, control)?;
    if is_stdout {
        return answer(format_args!("{rules}"));
    }
    Target::write(output, rules.as_bytes())?;
    if !quiet {
        say!("rules are in {}; look at them, then run the command in their first lines\n", output.display());
    }
    Ok(())
}
