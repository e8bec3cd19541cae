//! Options that bound what a job may find, and what is said of them.

use clap::Args;
use hyperblock::job::{Guards, Prepared};
use indicatif::HumanCount;

/// What keeps a job from more than anybody wants.
#[derive(Args, Debug)]
pub(crate) struct GuardArgs {
    /// Stop, and write nothing, if there are more pairs than this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_pairs: Option<u64>,
    #[command(flatten)]
    block: BlockArgs,
}

/// What is left out of a job.
#[derive(Args, Debug)]
pub(crate) struct BlockArgs {
    /// Leave out large blocks: for each rule, the values of its equalities, taken together, that more than N records share
    ///
    /// The result is then approximate, and the summary lists what was left out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_block: Option<u32>,
}

impl GuardArgs {
    pub(crate) fn guards(&self) -> Guards {
        Guards { most_pairs: self.max_pairs, ..self.block.guards() }
    }
}

impl BlockArgs {
    pub(crate) fn guards(&self) -> Guards {
        Guards { most_pairs: None, most_in_block: self.max_block }
    }
}

/// More candidates a record than this are not what anybody means.
const ABSURD: f64 = 1000.0;

/// Lists what is left out, for those who want to know all, and warns of a job that is expected to find absurdly many pairs.
pub(crate) fn warn(job: &Prepared) {
    for left_out in &job.left_out {
        for (value, n_records) in &left_out.blocks {
            let (rule, n_records) = (&left_out.rule, HumanCount(*n_records));
            tracing::info!("rule `{rule}`: the block {value} with {n_records} records is left out");
        }
    }
    let n_records = f64::from(job.left.n_records()) + job.second().map_or(0.0, |it| it.n_records().into());
    let expected = job.plan.expected_candidates();
    if expected > ABSURD * n_records.max(1.0) {
        let (pairs, records) = (HumanCount(expected as u64), HumanCount(n_records as u64));
        tracing::warn!(
            "about {pairs} candidates are expected of {records} records; `explain` shows which rule allows them, \
             --max-block leaves values out that very many records share, and --max-pairs stops a job that finds too many"
        );
    }
}
