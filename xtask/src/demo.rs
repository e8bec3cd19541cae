//! `cargo xtask demo`: the main job on bundled data, end to end.

use crate::cargo::{cargo, run as run_command};
use anyhow::Result;

/// Where the demo leaves its pairs, from the root.
const OUTPUT: &str = "out/demo-pairs.csv";

/// What `cargo xtask demo` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Further arguments for hyperblock, such as `--device cpu`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    println!("Deduplicating examples/people/people.csv by the rules in examples/people/rules.toml.");
    println!("The first run compiles hyperblock, which takes some minutes.");
    std::fs::create_dir_all(crate::cargo::root().join("out"))?;
    run_command(
        cargo()
            .args([
                "run",
                "--release",
                "--quiet",
                "-p",
                "hyperblock",
                "--",
                "dedupe",
                "examples/people/people.csv",
            ])
            .args([
                "--rules",
                "examples/people/rules.toml",
                "--truth",
                "examples/people/truth.csv",
                "-o",
                OUTPUT,
            ])
            .args(&args.rest),
    )?;
    println!("The pairs are in {OUTPUT}.");
    Ok(())
}
