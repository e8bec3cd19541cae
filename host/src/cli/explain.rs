//! `hyperblock explain`.

use super::{ExplainArgs, PlanFormat, progress, run};
use hyperblock::base::json::indented;
use hyperblock::{Control, Error, Result};
use std::io::Write;
use std::path::Path;

pub(crate) fn explain(args: &ExplainArgs, quiet: bool) -> Result<()> {
    let device = args.device.open()?;
    let job = args.input.job(&args.table, args.right.as_ref(), args.right_id.as_ref());
    let job = args.plan.apply(job).prepare(&*device)?;
    let mut explained = job.explain()?;
    if args.analyze {
        let control = run::stop_on_signal(Control::watching())?;
        // All pairs twice: on the CPU for what every node does, on the device for how it fares there.
        let analyzed = progress::watch(2 * job.task().n_pairs(), quiet, &control, || {
            let mut analysis = job.analyze(&control)?;
            analysis.on_device = Some(job.analyze_on(&*device, &control)?);
            Ok(analysis)
        });
        explained.analysis = Some(analyzed?);
    }
    if args.stats {
        explained.columns = job.columns()?;
    }
    // Not `print!`, which panics when nobody reads on.
    let mut out = std::io::stdout().lock();
    let written = match args.format {
        PlanFormat::Text => write!(out, "{explained}"),
        PlanFormat::Json => writeln!(out, "{}", indented(&explained.json())),
        PlanFormat::Dot => write!(out, "{}", explained.dot()),
    };
    written.and_then(|()| out.flush()).map_err(Error::io(Path::new("standard output")))
}
