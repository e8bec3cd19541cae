//! `hyperblock explain`.

use super::{ExplainArgs, PlanFormat, progress, run};
use hyperblock::Result;

pub(crate) fn explain(args: &ExplainArgs, quiet: bool) -> Result<()> {
    let device = args.device.open()?;
    let job = args.input.job(&args.table, args.right.as_ref(), args.right_id.as_ref()).prepare(&*device)?;
    let mut explained = job.explain()?;
    if args.analyze {
        let control = run::stop_on_signal()?;
        let analyzed = progress::watch(job.task().n_pairs(), quiet, &control, || job.analyze(&control));
        explained.analysis = Some(analyzed?);
    }
    if args.stats {
        explained.columns = job.columns()?;
    }
    match args.format {
        PlanFormat::Text => print!("{explained}"),
        PlanFormat::Json => todo!(),
        PlanFormat::Dot => print!("{}", explained.dot()),
    }
    Ok(())
}
