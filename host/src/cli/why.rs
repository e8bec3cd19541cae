//! `hyperblock why`.

use super::AnswerFormat;
use super::input::InputArgs;
use super::place::start_threads;
use super::say::answer;
use super::tables::TablesArgs;
use clap::Args;
use hyperblock::base::json::indented;
use hyperblock::base::shown::Shown;
use hyperblock::inspect::why::Inquiry;
use hyperblock::{Control, Result};

#[derive(Args, Debug)]
pub(crate) struct WhyArgs {
    /// The id of one record; of the left table, if there are two
    ///
    /// Where an id stands in several tables, shop:17 is the one of shop.
    #[arg(allow_negative_numbers = true)]
    left_id: String,
    /// The id of the other
    #[arg(allow_negative_numbers = true)]
    right_id: String,
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
}

pub(crate) fn why(args: &WhyArgs, control: &Control) -> Result<()> {
    start_threads(None)?;
    let job = args.tables.usual(&args.input)?.job();
    let why = Inquiry::new(&job, control)?.why(&args.left_id, &args.right_id, control)?;
    match args.format {
        AnswerFormat::Text => answer(format_args!("{}", Shown(&why))),
        AnswerFormat::Json => answer(format_args!("{}\n", indented(&why.json()))),
    }
}
