//! What `cargo xtask bench plan` is asked: whose rules, and of how many records.

use std::path::PathBuf;

/// Tables whose rules are planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum PlanData {
    /// Generated people, rules drawn from predicates over all columns
    People,
    /// The data set dblp_acm, if it is there, with the predicates of its ten rules
    DblpAcm,
    /// The data set dblp_scholar_1to1, if it is there, with the predicates of its ten rules
    #[value(name = "dblp_scholar_1to1")]
    DblpScholar1to1,
    /// Generated traffic accidents, their fifty rules and predicates
    Traffic,
}

impl PlanData {
    #[cfg(feature = "bench")]
    pub(super) fn name(self) -> String {
        clap::ValueEnum::to_possible_value(&self)
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The planner's workload.
#[derive(clap::Args)]
pub(crate) struct PlanArgs {
    /// A table; may be repeated, or several with commas between
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_enum, default_values_t = [PlanData::People])]
    pub(super) data: Vec<PlanData>,
    /// The tree of HyperBlocker's running example instead, without a clock
    #[arg(long)]
    pub(super) example: bool,
    /// Records in generated tables
    #[arg(long, default_value_t = 10_000)]
    pub(super) rows: u32,
    /// The device, as for `hyperblock --device`
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub(super) device: String,
    /// Also write the figures, plots and the machine to files in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) save: Option<PathBuf>,
}
