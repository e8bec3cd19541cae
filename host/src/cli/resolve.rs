//! `hyperblock resolve`.

use super::{ResolveArgs, progress, run};
use hyperblock::tell::output::{CandidateRows, EntityRows, Format, Output, ScoredRows};
use hyperblock::{Control, Resolve, Result};

pub(crate) fn resolve(args: &ResolveArgs, quiet: bool) -> Result<()> {
    // What can be refused at once is refused before any work is done.
    Format::of(&args.output)?;
    if let Some(pairs) = &args.pairs {
        Format::of(pairs)?;
    }
    let device = args.device.open()?;
    if !quiet {
        eprintln!("running on {}", device.name());
    }
    let control = run::stop_on_signal(Control::default())?;
    let job = args.input.job(&args.table, args.right.as_ref(), args.right_id.as_ref());
    let mut resolve = Resolve::new(args.plan.apply(job)).method(args.method);
    if let Some(truth) = &args.truth {
        resolve = resolve.truth(truth);
    }
    let resolve = resolve.prepare(&*device)?;
    let job = &resolve.job;
    run::warn_of_subsumed(job);
    let right = job.second().map(|right| &right.ids);
    let mut entities = Output::create(&args.output, EntityRows { left: &job.left.ids, right })?;
    let rows = CandidateRows { left: &job.left.ids, right: &job.right().ids, rules: job.witnesses() };
    let mut pairs = match &args.pairs {
        None => None,
        Some(path) => Some(Output::create(path, ScoredRows(rows))?),
    };
    let n_pairs = job.task().n_pairs();
    let resolved = progress::watch(n_pairs, quiet, &control, || resolve.run(&*device, &control))?;
    control.check()?;
    if let Some(pairs) = &mut pairs {
        pairs.write(&resolved.pairs)?;
    }
    let members: Vec<(u32, u32)> = (0..).zip(resolved.entities.iter().copied()).collect();
    entities.write(&members)?;
    // Both are whole before one takes its place.
    if let Some(pairs) = pairs {
        pairs.finish()?;
    }
    entities.finish()?;
    if !quiet {
        eprint!("{}", resolved.summary);
    }
    Ok(())
}
