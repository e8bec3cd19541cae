//! `hyperblock fit`.

use super::{FitArgs, progress, run};
use hyperblock::fit::FitOptions;
use hyperblock::{Control, Error, Result};
use std::io::Write;
use std::path::Path;

pub(crate) fn fit(args: &FitArgs, quiet: bool) -> Result<()> {
    let device = args.device.open()?;
    let control = run::stop_on_signal(Control::default())?;
    let job = args.input.job(&args.table, args.right.as_ref(), args.right_id.as_ref());
    let job = args.plan.apply(job).prepare(&*device)?;
    let FitArgs { seed, sample, rounds, fix_u, .. } = *args;
    let options = FitOptions { seed, sample, rounds, fixes_u: fix_u };
    let fit =
        progress::watch(job.task().n_pairs(), quiet, &control, || job.fit(&*device, &control, options))?;
    control.check()?;
    fit.weights.write(&args.output)?;
    if quiet {
        return Ok(());
    }
    // Not `print!`, which panics when nobody reads on.
    let mut out = std::io::stdout().lock();
    write!(out, "{fit}").and_then(|()| out.flush()).map_err(Error::io(Path::new("standard output")))
}
