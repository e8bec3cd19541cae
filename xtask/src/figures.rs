//! `cargo xtask figures`: the figures and tables of the papers, measured here and drawn beside what the papers state.
//!
//! Each is a file of `xtask/figures/` ([`definition`]). Its [`runs`] start this program again, one benchmark each, and leave
//! what they found where the next call finds it; what only a GPU can measure comes from [`saved`] results where there is none.
//! [`rows`] reads and checks it, [`points`] makes of it what is drawn, [`drawing`] draws, and [`page`] writes `results/README.md`.
//! One that fails is reported at the end, and leaves the others as they are.
//!
//! The engine is only linked with the feature `bench`; without it the command builds and starts itself again.

#[cfg(feature = "bench")]
pub(crate) mod beside;
#[cfg(feature = "bench")]
mod colours;
#[cfg(feature = "bench")]
mod definition;
#[cfg(feature = "bench")]
mod drawing;
#[cfg(feature = "bench")]
mod entry;
#[cfg(feature = "bench")]
mod page;
#[cfg(feature = "bench")]
mod points;
#[cfg(feature = "bench")]
mod programs;
#[cfg(feature = "bench")]
mod rows;
#[cfg(feature = "bench")]
mod runs;
#[cfg(feature = "bench")]
mod saved;
#[cfg(feature = "bench")]
mod variants;

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// What `cargo xtask figures` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files of xtask/figures, without their ending, such as skewed-joins-figure-4b [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The share of the paper's rows, above 0, up to 1: with 0.01 all of them take minutes
    #[arg(long, default_value_t = 1.0, value_parser = share)]
    scale: f64,
    /// Measure again what was measured before
    #[arg(long)]
    again: bool,
    /// Measure on this device alone; may be repeated [default: cpu, and cuda where there is a GPU]
    ///
    /// What needs a GPU else comes from saved results.
    #[arg(long, value_parser = ["cpu", "cuda"])]
    device: Vec<String>,
    /// End each run after so many seconds, if its definition does not do so before
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    most_seconds: Option<u64>,
    /// The hyperblock that is measured where a whole process is [default: built from this checkout]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Draw nothing: on a machine without Python, for --measured on another one
    #[arg(long)]
    only_measure: bool,
    /// Measure nothing: draw what --only-measure left in this copy of target/figures
    #[arg(long, value_name = "DIR", conflicts_with_all = ["only_measure", "again"])]
    measured: Option<PathBuf>,
    /// What a device costs, such as cpu=185 or cuda=279, for prices beside times; may be repeated
    #[arg(long, value_name = "DEVICE=EURO", value_parser = price)]
    price: Vec<(String, f64)>,
    /// Where definitions are [default: xtask/figures]
    #[arg(long, value_name = "DIR")]
    definitions: Option<PathBuf>,
    /// Where the page and the pictures go [default: results]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// A scale.
pub(crate) fn share(text: &str) -> Result<f64> {
    let share: f64 = text.parse().context("not a number")?;
    ensure!(share > 0.0 && share <= 1.0, "must be above 0, and at most 1");
    Ok(share)
}

fn price(text: &str) -> Result<(String, f64)> {
    let (device, euro) = text.split_once('=').context("say DEVICE=EURO, such as cpu=185")?;
    ensure!(device == "cpu" || device == "cuda", "{device} is no device: cpu and cuda are");
    Ok((device.to_owned(), euro.parse().context("the price is not a number")?))
}

#[cfg(not(feature = "bench"))]
pub(crate) fn run(_: &Args) -> Result<()> {
    crate::cargo::again()
}

#[cfg(feature = "bench")]
pub(crate) fn run(args: &Args) -> Result<()> {
    let root = crate::cargo::root();
    let definitions = args.definitions.clone().unwrap_or_else(|| root.join("xtask/figures"));
    // Python is started at the root, wherever this was.
    let output = std::path::absolute(args.output.clone().unwrap_or_else(|| root.join("results")))?;
    let all = definition::names(&definitions)?;
    for name in &args.names {
        ensure!(all.contains(name), "no figure {name}: there are {}", all.join(", "));
    }
    let work = entry::Work {
        definitions,
        figures: output.join("figures"),
        scale: args.scale,
        runner: runs::Runner {
            devices: devices(args),
            is_again: args.again,
            most_seconds: args.most_seconds,
            program: args.program.clone().map(std::path::absolute).transpose()?,
            measured: args.measured.clone(),
        },
        prices: args.price.clone(),
        python: if args.only_measure { None } else { Some(drawing::python()?) },
    };
    let mut wrong = Vec::new();
    for name in all.iter().filter(|name| args.names.is_empty() || args.names.contains(name)) {
        println!("{name}");
        if let Err(error) = work.make(name) {
            eprintln!("{name}: {error:#}");
            wrong.push(format!("{name}: {error:#}"));
        }
    }
    if !args.only_measure {
        page::write(&output, &all)?;
    }
    ensure!(wrong.is_empty(), "{} of the figures were not made:\n  {}", wrong.len(), wrong.join("\n  "));
    Ok(())
}

/// What is measured on. Of what was measured elsewhere all counts.
#[cfg(feature = "bench")]
fn devices(args: &Args) -> Vec<definition::Device> {
    use definition::Device;
    let is_asked = |device: &Device| match &args.device[..] {
        [] => *device == Device::Cpu || args.measured.is_some() || hyperblock::device::cuda::gpus().is_ok(),
        asked => asked.iter().any(|name| name == device.name()),
    };
    [Device::Cpu, Device::Cuda].into_iter().filter(is_asked).collect()
}

#[cfg(test)]
mod tests {
    use super::{price, share};

    #[test]
    fn shares_and_prices_are_checked() {
        assert_eq!(share("0.01").unwrap(), 0.01);
        assert!(share("0").is_err() && share("2").is_err() && share("all").is_err());
        assert_eq!(price("cpu=185").unwrap(), ("cpu".to_owned(), 185.0));
        assert!(price("cpu").is_err() && price("gpu=1").is_err() && price("cuda=much").is_err());
    }
}
