//! The jobs of the families: those of other benchmarks, at a size that the profiler has patience for.

use crate::bench::closure;
use crate::bench::cluster;
use crate::bench::graph_args::ClosureWay;
use crate::bench::join;
use crate::bench::measure::scan;
use crate::bench::profile_args::Family;
use crate::bench::relation;
use crate::bench::score;
use crate::bench::setjoin;
use crate::bench::workflow;
use crate::bench::{ScoreMeasure, SetjoinWay, Workload};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use hyperblock::operators::Backend;
use hyperblock::plan::{AccessChoice, ScanOptions, Variant};
use hyperblock::{Control, Job};

/// How skewed the keys of the join are: their heavy ones have most of the pairs, and these can still be written.
const EXPONENT: f64 = 0.8;
/// The graph whose closure is found, with its edges: large, and closed after some twenty rounds.
const GRAPH: (&str, u32) = ("p2p-Gnutella09", 26_013);

impl Family {
    /// Whether there is something to do. What is left out is said.
    pub(super) fn is_there(self) -> Result<bool> {
        match self {
            Self::Closure => Ok(closure::read(GRAPH.0)?.is_some()),
            _ => Ok(true),
        }
    }

    /// The ways to do the job: the usual one first.
    pub(super) fn ways(self) -> &'static [&'static str] {
        match self {
            Self::Scan => &["full", "noSeq", "noPSW", "noStealing", "noQueue", "noHO"],
            Self::Join | Self::Residual => &["skew", "plain"],
            Self::Overlap => &["join", "dense", "noBitmap", "noFilter"],
            Self::Relation | Self::Neighbours => &["full"],
            Self::Closure => &["condense", "semi-naive-table", "semi-naive-sort"],
            Self::Cluster => &["components", "tiled-fw"],
            Self::Score => &["jaro-winkler", "levenshtein", "jaccard"],
        }
    }

    /// How large it is, if nothing else is said; a graph is as large as it is.
    pub(super) fn rows(self, way: &str) -> u32 {
        match self {
            Self::Scan => 100_000,
            Self::Join => 4_000_000,
            Self::Residual => 100_000,
            Self::Relation | Self::Score => 1_000_000,
            Self::Overlap => 20_000,
            Self::Closure => GRAPH.1,
            // The matrix grows with the square.
            Self::Cluster if way == "tiled-fw" => 20_000,
            Self::Cluster => 10_000_000,
            Self::Neighbours => 200_000,
        }
    }

    /// Does it once.
    pub(super) fn once(self, way: &str, rows: u32, device: &dyn Backend) -> Result<()> {
        let options = ScanOptions::default();
        match self {
            Self::Scan => {
                let variants = match way {
                    "full" => Vec::new(),
                    variant => vec![variant.parse().map_err(anyhow::Error::msg)?],
                };
                // The same paths for all variants, and no kernels but the scan's.
                let options = ScanOptions { access: AccessChoice::Sweep, ..options };
                scanned(Workload::Traffic, rows, options, variants, device)
            }
            Self::Join => join::once(way.parse().map_err(anyhow::Error::msg)?, rows, EXPONENT, device),
            Self::Residual => {
                let options = ScanOptions { join: way.parse().map_err(anyhow::Error::msg)?, ..options };
                scanned(Workload::Equality, rows, options, Vec::new(), device)
            }
            Self::Overlap => setjoin::once(named::<SetjoinWay>(way)?, rows, device),
            Self::Relation => relation::once(rows, device),
            Self::Closure => closure::once(GRAPH.0, named::<ClosureWay>(way)?, device),
            Self::Cluster => cluster::once(way.parse().map_err(anyhow::Error::msg)?, rows, device),
            Self::Score => score::once(named::<ScoreMeasure>(way)?, rows, device),
            Self::Neighbours => {
                let (table, rules) = workflow::cds(rows)?;
                let job = Job::dedupe(table, rules).prepare(device, &Control::default())?;
                job.run(device, &Control::default(), &mut |_| Ok(()))?;
                Ok(())
            }
        }
    }
}

/// A way by its name.
fn named<T: ValueEnum>(name: &str) -> Result<T> {
    T::from_str(name, false).map_err(anyhow::Error::msg)
}

/// All pairs of a workload, as `bench scan` has them.
fn scanned(
    workload: Workload,
    rows: u32,
    options: ScanOptions,
    variants: Vec<Variant>,
    device: &dyn Backend,
) -> Result<()> {
    let files = workload.make(rows)?.context("its tables are always generated")?;
    let job = files.job().scan_options(options).variants(variants).prepare(device, &Control::default())?;
    let n_found = scan(&job, job.plan.program(), device)?;
    let known = workload.known(rows).unwrap_or(n_found);
    ensure!(n_found == known, "{}: {n_found} candidates, but {known} are right", workload.name());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Family, named};
    use crate::bench::graph_args::ClosureWay;
    use clap::ValueEnum;
    use hyperblock::device::cpu::Cpu;

    #[test]
    fn every_job_is_done_in_every_way() {
        for &family in Family::value_variants() {
            for way in family.ways() {
                // The graph is not everywhere, and too large here.
                let done = match family {
                    Family::Closure => named::<ClosureWay>(way).map(drop),
                    _ => family.once(way, 300, &Cpu::new()),
                };
                assert!(done.is_ok(), "{}, {way}: {done:?}", family.name());
                assert!(family.rows(way) >= 20_000);
            }
        }
    }

    #[test]
    fn a_way_that_there_is_not_is_refused() {
        for &family in Family::value_variants() {
            let has_one = matches!(family, Family::Relation | Family::Neighbours);
            assert!(has_one || family.once("otherwise", 300, &Cpu::new()).is_err(), "{}", family.name());
        }
    }
}
