//! `cargo xtask ablate`: what each part of the engine is worth. One is switched off at a time, and the engine is measured
//! against itself with all of them.
//!
//! [`data`] has tables and rules that ask for different parts; [`timing`] runs every variant on every device, whose
//! candidates must all be the same; [`report`] makes a table, a file and a figure of it. With `--profile`, [`profile`]
//! looks at the kernels instead, by way of NVIDIA's profiler.
//!
//! The engine is only linked with the feature `bench`; without it the command builds and starts itself again.

#[cfg(feature = "bench")]
mod data;
#[cfg(feature = "bench")]
mod profile;
#[cfg(feature = "bench")]
mod report;
#[cfg(feature = "bench")]
mod timing;

use anyhow::Result;
use std::path::PathBuf;

/// What `cargo xtask ablate` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A data set; may be repeated [default: all]
    #[arg(long, value_enum, value_name = "NAME")]
    data: Vec<Data>,
    /// A variant to measure beside the full engine; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,
    /// Records in each table [default: by data set, few for a CPU and more for a GPU]
    ///
    /// Without its filters the engine compares all pairs by their values. That is measured on a smaller table where
    /// there are very many pairs, and the engine with all its parts on the same one.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    rows: Option<u32>,
    #[command(flatten)]
    on: crate::bench::Devices,
    /// Which access paths branches may have, as for `hyperblock --access`: with `sweep`, all there is to do is swept
    #[arg(long, default_value = "cheapest", value_name = "PATHS")]
    access: String,
    /// Look at the kernels with Nsight Compute (`ncu`) instead of timing: threads and branches of a warp, cycles
    /// between its instructions, time on the device
    #[arg(long)]
    profile: bool,
    /// Also write the figures, plots and the machine to files in this folder
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Run this variant once, and say nothing: what the profiler looks at
    #[arg(long, hide = true, value_name = "VARIANT")]
    once: Option<String>,
}

#[cfg(feature = "bench")]
impl Args {
    /// The variants that are measured, in the order of the report.
    fn variants(&self) -> Result<Vec<hyperblock::plan::Variant>> {
        let asked = self.variant.iter().map(|name| name.parse().map_err(anyhow::Error::msg));
        let asked = asked.collect::<Result<Vec<_>>>()?;
        if let Some(other) = asked.iter().find(|variant| !data::VARIANTS.contains(variant)) {
            anyhow::bail!(
                "--variant {other} is not one of those that ablate measures: {}",
                data::VARIANTS.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            );
        }
        Ok(data::VARIANTS.into_iter().filter(|variant| asked.is_empty() || asked.contains(variant)).collect())
    }
}

/// Tables, each with its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub(crate) enum Data {
    /// Distinct names, levenshtein_similarity >= 0.8
    Names,
    /// Titles, jaccard of 3-grams >= 0.7
    Titles,
    /// Papers with others, ten rules of equalities and jaro_winkler
    Papers,
    /// People whose names and zip codes all come up alike; the same zip code or initial and alike last names
    #[value(name = "people-0")]
    People0,
    /// The same rules, and names and zip codes by Zipf's law with the exponent 0.5
    #[value(name = "people-0.5")]
    People05,
    /// With the exponent 0.8
    #[value(name = "people-0.8")]
    People08,
    /// With the exponent 1
    #[value(name = "people-1")]
    People1,
}

#[cfg(not(feature = "bench"))]
pub(crate) fn run(_: &Args) -> Result<()> {
    crate::cargo::again()
}

#[cfg(feature = "bench")]
pub(crate) fn run(args: &Args) -> Result<()> {
    use clap::ValueEnum;
    let data = if args.data.is_empty() { Data::value_variants() } else { args.data.as_slice() };
    if let Some(variant) = &args.once {
        return profile::once(data, variant, args);
    }
    if args.profile {
        return profile::run(data, args);
    }
    let figures = timing::run(data, args)?;
    report::print(&figures);
    match &args.save {
        Some(folder) => report::save(folder, &figures),
        None => Ok(()),
    }
}
