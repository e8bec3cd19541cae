//! Options that keep what was done, so that a job can go on after it was stopped.

use super::say::say;
use clap::Args;
use hyperblock::base::kept::Kept;
use hyperblock::operators::Backend;
use hyperblock::{Control, Error, Prepared, Result};
use std::path::PathBuf;

/// Tasks of a job that can be resumed, if nobody asks for a number.
pub(crate) const TASKS: usize = 64;

/// Where runs are kept.
#[derive(Args, Debug)]
#[command(next_help_heading = "Large jobs")]
pub(crate) struct CheckpointArgs {
    /// Keep the pairs of finished tasks in this folder, so that the same command with --resume goes on where this one ends early
    ///
    /// It is removed when the job is done.
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on with the job whose finished tasks are in the folder
    #[arg(long, requires = "checkpoint")]
    resume: bool,
    /// Leave the folder where it is when the job is done
    #[arg(long, requires = "checkpoint")]
    keep_checkpoint: bool,
}

impl CheckpointArgs {
    /// Opens the folder for a job that is ready to run.
    pub(crate) fn open(&self, job: &Prepared, device: &dyn Backend, control: &Control) -> Result<()> {
        if let Some(folder) = &self.checkpoint {
            control.keep_runs(Kept::open(folder, &job.identity(device)?, self.resume)?);
        }
        Ok(())
    }

    /// Tells how to go on with a job that ended early; removes what one that is done needs no more.
    pub(crate) fn close<T>(&self, ended: Result<T>, quiet: bool, control: &Control) -> Result<T> {
        let Some(kept) = control.kept() else { return ended };
        let (n_found, n_kept) = kept.counts();
        match &ended {
            Ok(_) if self.keep_checkpoint => {}
            Ok(_) => kept.remove()?,
            Err(Error::Interrupted) => {
                let n = n_found + n_kept;
                let folder = kept.folder().display();
                say!(
                    "{n} tasks are done and kept in {folder}: the same command with --resume goes on there\n"
                );
            }
            Err(_) => {}
        }
        if ended.is_ok() && n_found > 0 && !quiet {
            say!("{n_found} tasks were done before, and {n_kept} now\n");
        }
        ended
    }
}
