//! Options for research: how the planner and the scan work. The result is the same whatever they do.

use clap::{Args, ValueEnum};
use hyperblock::Job;
use hyperblock::plan::cost::CostSource;
use hyperblock::plan::statistics::{BUCKETS, SelectivitySource};
use hyperblock::plan::{
    AccessChoice, JoinChoice, PlanChoice, ScanOptions, SimilarityChoice, Variant, WitnessChoice,
};
use std::path::Path;

/// Options that most people never need: the short help leaves them out.
pub(super) const RESEARCH: &str = "Research";

#[derive(Args, Debug)]
#[command(next_help_heading = RESEARCH)]
pub(crate) struct PlanArgs {
    /// Switch parts of the engine off, to see what they are worth, comma-separated: of the planner noEPG, noPO, noRO,
    /// COrder, SOrder; of the scan noSeq, noPSW, noStealing, noQueue (noHO: all four), noFilter, noBitmap,
    /// noDictionary
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = variant, hide_short_help = true)]
    variant: Vec<Variant>,
    /// Left items in an interval of the scan, and so threads in a block: a multiple of 32, from 32 to 512
    #[arg(long, value_name = "N", default_value_t = ScanOptions::default().interval, value_parser = interval, hide_short_help = true)]
    interval: u32,
    /// Blocks of the scan that are under way at once on a GPU
    #[arg(long, value_name = "N", default_value_t = ScanOptions::default().window, value_parser = clap::value_parser!(u32).range(1..=65535), hide_short_help = true)]
    window: u32,
    /// What to make of the equalities that all rules of a branch ask for: cheapest (together they are a key; records with
    /// the same one are found by a hash join or a sweep, and keys that very many have are screened by another predicate),
    /// skew (the same, always by a hash join), plain (a hash join, all keys alike) or none (no key: a similarity or a number
    /// leads the scan, and an equality only where there is neither)
    #[arg(long, value_name = "METHOD", default_value_t, hide_short_help = true)]
    join: JoinChoice,
    /// What to make of a similarity that leads a branch: cheapest (whichever of the others is expected to cost least), sweep
    /// (all pairs of values whose lengths go together are screened by their symbols or tokens), join (an index of rare tokens
    /// or q-grams finds the pairs) or dense (all pairs whose lengths go together are screened by their tokens or q-grams)
    #[arg(long, value_name = "HOW", default_value_t, hide_short_help = true)]
    similarity: SimilarityChoice,
    /// Which access paths branches may have: cheapest (all that there are, of which the one is taken that is expected to take
    /// least) or sweep (sweeps alone, to compare variants of the scan over the same pairs)
    #[arg(long, value_name = "PATHS", default_value_t, conflicts_with_all = ["join", "similarity"], hide_short_help = true)]
    access: AccessChoice,
    /// Which plan is made: cheapest, or paper (as HyperBlocker has it: one tree, predicates by (1 - sp) / cost, siblings by
    /// falling score; all pairs are walked through it, without a lead, until the first witness; the column `rule` is empty)
    #[arg(long, value_name = "PLAN", default_value_t, conflicts_with_all = ["access", "join", "similarity"], hide_short_help = true)]
    plan: PlanChoice,
    /// Which rule the column `rule` names: first (of the rules that allow a pair, the first in the file) or any (none: the
    /// column is empty, and pairs are done with sooner)
    #[arg(long, value_name = "RULE", default_value_t, hide_short_help = true)]
    witness: WitnessChoice,
    /// Where the planner takes the share of pairs from that a predicate lets through: sampled (counted, or estimated from
    /// samples), or evenness (as HyperBlocker does: from how evenly values fall into buckets)
    #[arg(long, value_name = "SOURCE", value_enum, default_value_t, hide_short_help = true)]
    selectivity: Selectivity,
    /// Buckets of --selectivity evenness
    #[arg(long, value_name = "K", default_value_t = BUCKETS, value_parser = clap::value_parser!(u32).range(2..=1_000_000), hide_short_help = true)]
    buckets: u32,
    /// Where the planner takes the cost of predicates and paths from: model (a network trained on timings), a .toml file with
    /// such a network (of `cargo xtask train-cost`), measured (here and now: some milliseconds a predicate, and 0.2 s at most
    /// for paths) or static
    #[arg(long, value_name = "SOURCE", default_value_t, hide_short_help = true)]
    cost: CostSource,
}

/// Where shares of pairs come from.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum Selectivity {
    /// Counted, or estimated from samples
    #[default]
    Sampled,
    /// From the evenness of buckets
    Evenness,
}

impl PlanArgs {
    /// What is read, with what people call it.
    pub(super) fn reads(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        match &self.cost {
            CostSource::File(path) => Some(("the file of costs", path.as_path())).into_iter(),
            CostSource::Model | CostSource::Measured | CostSource::Static => None.into_iter(),
        }
    }

    pub(super) fn apply(&self, job: Job) -> Job {
        let Self { interval, window, join, similarity, access, plan, witness, .. } = *self;
        let options = ScanOptions::default();
        let scan = ScanOptions { interval, window, join, similarity, access, plan, witness, ..options };
        let selectivity = match self.selectivity {
            Selectivity::Sampled => SelectivitySource::Sampled,
            Selectivity::Evenness => SelectivitySource::Evenness { buckets: self.buckets },
        };
        job.variants(self.variant.clone()).scan_options(scan).cost(self.cost.clone()).selectivity(selectivity)
    }
}

fn variant(text: &str) -> Result<Variant, String> {
    text.trim().parse()
}

fn interval(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(n @ 32..=512) if n % 32 == 0 => Ok(n),
        _ => Err("a multiple of 32, from 32 to 512".into()),
    }
}
