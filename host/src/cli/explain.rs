//! `hyperblock explain`.

use super::say::answer;
use super::{ExplainArgs, PlanFormat, progress};
use hyperblock::base::json::indented;
use hyperblock::base::shown::Shown;
use hyperblock::{Control, Result};

pub(crate) fn explain(args: &ExplainArgs, quiet: bool, control: &Control) -> Result<()> {
    let device = args.device.open()?;
    let job = args.input.job(&args.table, args.right.as_ref(), args.right_id.as_ref());
    let job = args.plan.apply(job).prepare(&*device, control)?;
    let mut explained = job.explain(control)?;
    if args.analyze {
        // All pairs twice: on the CPU for what every node does, on the device for how it fares there.
        let analyzed = progress::watch(2 * job.task().n_pairs(), quiet, control, || {
            let mut analysis = job.analyze(control)?;
            analysis.on_device = Some(job.analyze_on(&*device, control)?);
            Ok(analysis)
        });
        explained.analysis = Some(analyzed?);
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
