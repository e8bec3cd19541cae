//! Options that look closer at what is found: at each rule by itself, and at the errors.

use clap::Args;
use hyperblock::base::target::Target;
use hyperblock::inspect::errors::Judged;
use hyperblock::job::EachRule;
use hyperblock::operators::Backend;
use hyperblock::tell::errors::Gathered;
use hyperblock::tell::output::Format;
use hyperblock::{Candidate, Control, Job, Kept, Prepared, Result, Summary, Truth};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is looked at closer than it takes to find pairs.
#[derive(Args, Debug)]
pub(crate) struct CloserArgs {
    /// Where the errors go, pairs that are missed or wrong: .csv, .tsv, .parquet or .arrow
    ///
    /// One row for each pair that matches and is not in the result, and for each that is in it and does not match: the cause, which
    /// rule nearly held or did, what of it failed and by how much, and both records. All of them are written, which may be many.
    #[arg(long, value_name = "FILE", requires = "truth")]
    errors: Option<PathBuf>,
    /// Tell of each rule and each neighbourhood how many candidates it allows by itself, and how many no other one does
    ///
    /// With --truth also how many of them match, and how much recall goes if it goes.
    #[arg(long)]
    each_rule: bool,
}

impl CloserArgs {
    /// The outputs, with the options that name them; an error, if one is of no format.
    pub(crate) fn outputs(&self) -> Result<Option<(&'static str, &Path)>> {
        self.errors.as_deref().map(|path| Format::of(path).map(|_| ("--errors", path))).transpose()
    }

    /// The job, made ready for what is asked.
    pub(crate) fn apply(&self, job: Job) -> Job {
        if self.errors.is_some() { job.looked_at() } else { job }
    }
}

/// Who looks on while candidates are found.
pub(crate) struct Lookers<'a> {
    job: &'a Prepared,
    each_rule: Option<EachRule<'a>>,
    errors: Option<(Target, Gathered<'a>)>,
}

impl<'a> Lookers<'a> {
    /// Those that were asked for.
    pub(crate) fn new(
        args: &CloserArgs,
        job: &'a Prepared,
        truth: Option<&Truth>,
        control: &'a Control,
    ) -> Result<Self> {
        let each_rule = args.each_rule.then(|| EachRule::new(job, control)).transpose()?;
        let errors = args.errors.as_ref().zip(truth);
        let gathered =
            |(path, truth): (&PathBuf, &Truth)| Ok((Target::create(path)?, Gathered::new(truth, control)?));
        Ok(Self { job, each_rule, errors: errors.map(gathered).transpose()? })
    }

    /// Whether there are any: they want all candidates, also those that are not kept.
    pub(crate) fn are_there(&self) -> bool {
        self.each_rule.is_some() || self.errors.is_some()
    }

    /// Shows them candidates, and those of them that are kept, unless all are.
    pub(crate) fn look(
        &mut self,
        found: &[Candidate],
        kept: Option<&[Kept]>,
        truth: Option<&Truth>,
    ) -> Result<()> {
        if let Some(each_rule) = &mut self.each_rule {
            each_rule.add(found, truth)?;
        }
        match (&mut self.errors, truth) {
            (Some((_, gathered)), Some(truth)) => gathered.add(found, kept, truth),
            _ => Ok(()),
        }
    }

    /// Has them tell what they saw, of a result that is pairs, or entities. A file of errors is whole then, and comes back to be
    /// put in its place.
    pub(crate) fn tell(
        self,
        truth: Option<&Truth>,
        entities: Option<&[u32]>,
        summary: &mut Summary,
        (device, control): (&dyn Backend, &Control),
    ) -> Result<Option<Target>> {
        if let Some(each_rule) = self.each_rule {
            each_rule.tell(truth, summary);
        }
        let Some(((target, gathered), truth)) = self.errors.zip(truth) else { return Ok(None) };
        let start = Instant::now();
        let judged = Judged { job: self.job, truth, gathered, entities };
        let (target, counts) = judged.write_at(target, device, control)?;
        summary.errors = Some(counts);
        summary.stages.add("errors", start.elapsed());
        Ok(Some(target))
    }
}
