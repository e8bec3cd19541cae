//! `hyperblock sample`.

use super::AnswerFormat;
use super::guards::BlockArgs;
use super::input::InputArgs;
use super::place::PlaceArgs;
use super::say::answer;
use super::tables::TablesArgs;
use clap::Args;
use hyperblock::base::json::indented;
use hyperblock::inspect::sample::{Draw, Printed, Sample};
use hyperblock::{Control, Result};
use std::env;
use std::io::{IsTerminal, stdout};

/// Which candidates are looked at.
#[derive(Args, Debug)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// How many candidates, at most 1,000
    #[arg(short, long = "number", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    n: u32,
    /// The same seed draws the same candidates, on every device
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only candidates of this rule: those that it is the first to allow
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t)]
    format: AnswerFormat,
    #[command(flatten)]
    block: BlockArgs,
    #[command(flatten)]
    device: PlaceArgs,
}

pub(crate) fn sample(args: &SampleArgs, control: &Control) -> Result<()> {
    let device = args.device.open()?;
    let job = args.tables.usual(&args.input)?.job().guards(args.block.guards()).looked_at_whole();
    let mut job = job.prepare(&*device, control)?;
    job.keep_ids();
    control.begin_comparing(job.n_to_compare(), "pairs");
    let draw = Draw { n: args.n as usize, seed: args.seed, rule: args.rule.clone() };
    let sample = Sample::draw(&job, &draw, &*device, control)?;
    match args.format {
        AnswerFormat::Text => {
            answer(format_args!("{}", Printed { sample: &sample, is_coloured: is_coloured() }))
        }
        AnswerFormat::Json => answer(format_args!("{}\n", indented(&sample.json()))),
    }
}

/// Whether colours are seen, and wanted (<https://no-color.org>).
fn is_coloured() -> bool {
    stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
