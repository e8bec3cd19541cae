//! `hyperblock explain`.

use super::say::answer;
use super::{ExplainArgs, PlanFormat};
use hyperblock::base::json::indented;
use hyperblock::base::shown::Shown;
use hyperblock::inspect::analyze::N_RUNS;
use hyperblock::{Control, Result};

pub(crate) fn explain(args: &ExplainArgs, control: &Control) -> Result<()> {
    let device = args.device.open()?;
    let job = args.plan.apply(args.tables.usual(&args.input)?.job()).guards(args.block.guards());
    let job = if args.analyze { job } else { job.only_planned() }.prepare(&*device, control)?;
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
    match args.format {
        PlanFormat::Text => answer(format_args!("{}", Shown(&explained))),
        PlanFormat::Json => answer(format_args!("{}\n", indented(&explained.json()))),
        PlanFormat::Dot => answer(format_args!("{}", explained.dot())),
    }
}
