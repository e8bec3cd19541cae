//! `hyperblock explain`.

use super::guards::BlockArgs;
use super::input::InputArgs;
use super::place::PlaceArgs;
use super::plan::PlanArgs;
use super::report::ReportArgs;
use super::run;
use super::say::answer;
use super::tables::TablesArgs;
use clap::{Args, ValueEnum};
use hyperblock::base::json::indented;
use hyperblock::base::paths::keep_apart;
use hyperblock::base::shown::Shown;
use hyperblock::base::stopwatch::whole;
use hyperblock::inspect::analyze::N_RUNS;
use hyperblock::report::Report;
use hyperblock::{Control, Result};

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    tables: TablesArgs,
    #[command(flatten)]
    input: InputArgs,
    /// Run the job on the device too, and print what each part of the plan took there, beside what was expected
    ///
    /// Told are each access path, each node, and how long intervals, tasks, waits, transfers and kernels took.
    #[arg(long)]
    pub(super) analyze: bool,
    /// Print what is in the columns: distinct and missing values, lengths, the most frequent values
    #[arg(long)]
    stats: bool,
    /// How to print the plan
    #[arg(long, value_enum, default_value_t)]
    format: PlanFormat,
    #[command(flatten)]
    pub(super) report: ReportArgs,
    #[command(flatten)]
    block: BlockArgs,
    #[command(flatten)]
    device: PlaceArgs,
    #[command(flatten)]
    plan: PlanArgs,
}

/// How a plan is printed.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum PlanFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For Graphviz
    Dot,
}

pub(crate) fn explain(args: &ExplainArgs, control: &Control) -> Result<()> {
    let tables = args.tables.usual(&args.input)?;
    let outputs: Vec<_> = args.report.outputs().into_iter().collect();
    keep_apart(&outputs, &tables.reads().chain(args.plan.reads()).collect::<Vec<_>>())?;
    let device = args.device.open()?;
    let job = args.report.apply(args.plan.apply(tables.job())).guards(args.block.guards());
    let job = if args.analyze { job } else { job.only_planned() }.prepare(&*device, control)?;
    run::keep_weights(&job, &outputs)?;
    let report = args.report.begin("explain", &args.input.rules)?;
    let mut explained = job.explain(control)?;
    if args.device.has_tasks() {
        explained.tasks = job.tasks(&*device, control)?;
    }
    if args.analyze {
        control.begin_comparing(N_RUNS * job.area().n_pairs(), "pairs");
        explained.analysis = Some(job.analyze(&*device, control)?);
    }
    if args.stats {
        explained.columns = job.columns()?;
    }
    if let Some((target, asked)) = report {
        let report = Report::of_plan(&asked, &job, &explained, control)?;
        report.ran(&device.name(), whole().total()).write(target)?;
    }
    match args.format {
        PlanFormat::Text => answer(format_args!("{}", Shown(&explained))),
        PlanFormat::Json => answer(format_args!("{}\n", indented(&explained.json()))),
        PlanFormat::Dot => answer(format_args!("{}", explained.dot())),
    }
}
