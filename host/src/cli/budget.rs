//! Options that bound the memory of a job.

use super::Command;
use clap::Args;
use hyperblock::base::budget::Budget;
use std::path::PathBuf;

/// How much memory a job may use.
#[derive(Args, Debug)]
#[command(next_help_heading = "Large jobs")]
pub(crate) struct BudgetArgs {
    /// Use at most this much memory; what does not fit is done in pieces, or kept in files meanwhile [default: what there is]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(64..))]
    memory: Option<u32>,
    /// The folder for such files [default: the system's folder for temporary files]
    ///
    /// Nobody else may read them, and nothing is left of them at the end.
    #[arg(long, value_name = "DIR", requires = "memory")]
    spill: Option<PathBuf>,
}

impl BudgetArgs {
    fn budget(&self) -> Budget {
        let budget = self.memory.map(|mebibytes| Budget::of(u64::from(mebibytes) << 20)).unwrap_or_default();
        budget.with_folder(self.spill.clone())
    }
}

impl Command {
    /// The memory that it may use.
    pub(crate) fn budget(&self) -> Budget {
        match self {
            Self::Link(args) => args.job.budget.budget(),
            Self::Dedupe(args) => args.job.budget.budget(),
            Self::Resolve(args) => args.budget.budget(),
            Self::Profile(_)
            | Self::Init(_)
            | Self::Cluster(_)
            | Self::Explain(_)
            | Self::Why(_)
            | Self::Check(_)
            | Self::Sample(_)
            | Self::Fit(_)
            | Self::Closure(_)
            | Self::Devices
            | Self::Completions(_)
            | Self::Man => Budget::default(),
        }
    }
}
