//! `hyperblock fit`.

use super::say::answer;
use super::{FitArgs, progress};
use hyperblock::base::paths::keep_apart;
use hyperblock::fit::FitOptions;
use hyperblock::{Control, Result};

pub(crate) fn fit(args: &FitArgs, quiet: bool, control: &Control) -> Result<()> {
    // What can be refused at once is refused before any work is done. Weights that the rule file names are there to be made.
    let read = args.plan.reads().chain(args.input.reads(&args.table, args.right.as_ref()));
    keep_apart(&[("-o", &args.output)], &read.collect::<Vec<_>>())?;
    let device = args.device.open()?;
    let job = args.input.job(&args.table, args.right.as_ref(), args.right_id.as_ref());
    let job = args.plan.apply(job).prepare(&*device, control)?;
    let FitArgs { seed, sample, rounds, fix_u, .. } = *args;
    let options = FitOptions { seed, sample, rounds, fixes_u: fix_u };
    let fit = progress::watch(job.task().n_pairs(), quiet, control, || job.fit(&*device, control, options))?;
    control.check()?;
    fit.weights.write(&args.output)?;
    if quiet {
        return Ok(());
    }
    answer(format_args!("{fit}"))
}
