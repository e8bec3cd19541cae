//! `cargo xtask test`: everything CI runs, in the order that fails soonest.
//!
//! The Python package is tested where there is a Python with its environments; else that step is told as ignored. So is the package on
//! Spark where there is no Java, and reports in a browser, where no browser can be had.
//!
//! A fresh Debian machine with rustup is enough: the kernels' compiler and assembler are installed if they are missing.

use crate::cargo::{cargo, run as run_command};
use crate::{browser, device, docs, python, tested, tidy};
use anyhow::{Context, Result};
use std::time::{Duration, Instant};

/// What `cargo xtask test` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Do not rebuild the kernels: compare only the hash of their sources. Needs neither their compiler nor ptxas
    #[arg(long)]
    fast: bool,
}

type Check = (&'static str, fn() -> Result<()>);

pub(crate) fn run(args: &Args) -> Result<()> {
    let steps: [Check; 11] = [
        ("tidy", tidy::run),
        ("links", docs::check_links),
        ("format", || run_command(cargo().args(["fmt", "--all", "--check"]))),
        // All features: the benchmarks too.
        ("clippy", || {
            let clippy = ["--all-targets", "--", "-D", "warnings"];
            run_command(cargo().arg("clippy").args(tested::ALL).args(clippy))
        }),
        ("docs", || {
            let what = ["doc", "--package", "hyperblock", "--no-deps", "--quiet"];
            run_command(cargo().args(what).env("RUSTDOCFLAGS", "--deny warnings"))
        }),
        ("build", tested::build),
        ("tests", || {
            run_command(cargo().arg("test").args(tested::ALL).env(tested::PROGRAM, tested::program()))
        }),
        if args.fast {
            ("kernels (hash only)", device::check_sources)
        } else {
            ("kernels", device::install_and_check)
        },
        ("python", python::test),
        ("spark", python::test_on_spark),
        ("browser", browser::test),
    ];

    let mut done: Vec<(&str, Duration)> = Vec::new();
    for (name, step) in steps {
        println!("\n== {name}");
        let start = Instant::now();
        let result = step();
        println!(
            "== {name}: {} after {:.1} s",
            if result.is_ok() { "passed" } else { "FAILED" },
            secs(start.elapsed())
        );
        result.with_context(|| format!("stopped at step `{name}`"))?;
        done.push((name, start.elapsed()));
    }

    println!("\nAll steps passed:");
    for (name, took) in &done {
        println!("{:8.1} s  {name}", secs(*took));
    }
    println!("{:8.1} s  in all", secs(done.iter().map(|(_, took)| *took).sum()));
    Ok(())
}

fn secs(duration: Duration) -> f64 {
    duration.as_secs_f64()
}
