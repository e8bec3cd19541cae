//! Options that look closer at what is found: at each rule by itself, and at the errors.

use clap::Args;
use hyperblock::inspect::closer::Lookers;
use hyperblock::tell::output::Format;
use hyperblock::{Control, Job, Prepared, Result, Truth};
use std::path::{Path, PathBuf};

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

    /// Who looks on while it runs.
    pub(crate) fn lookers<'a>(
        &self,
        job: &'a Prepared,
        truth: Option<&Truth>,
        control: &'a Control,
    ) -> Result<Lookers<'a>> {
        Lookers::new(job, self.errors.as_deref(), self.each_rule, truth, control)
    }
}
