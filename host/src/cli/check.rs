//! `hyperblock check`.

use super::AnswerFormat;
use super::guards::BlockArgs;
use super::input::InputArgs;
use super::place::PlaceArgs;
use super::say::answer;
use super::tables::TablesArgs;
use clap::Args;
use hyperblock::base::json::indented;
use hyperblock::base::shown::Shown;
use hyperblock::inspect::check::Check;
use hyperblock::{Control, Error, Result};

/// What is checked.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
    #[command(flatten)]
    block: BlockArgs,
    #[command(flatten)]
    device: PlaceArgs,
}

pub(crate) fn check(args: &CheckArgs, control: &Control) -> Result<()> {
    let device = args.device.open()?;
    let job = args.tables.usual(&args.input)?.job().guards(args.block.guards()).only_planned();
    let check = Check::new(&job, &*device, control)?;
    match args.format {
        AnswerFormat::Text => answer(format_args!("{}", Shown(&check)))?,
        AnswerFormat::Json => answer(format_args!("{}\n", indented(&check.json())))?,
    }
    match check {
        Check::Right(_) => Ok(()),
        Check::Wrong(all) => {
            let n = all.len();
            let things = if n == 1 { "1 thing is".to_owned() } else { format!("{n} things are") };
            Err(Error::Job(format!("{things} wrong, and the job cannot run")))
        }
    }
}
