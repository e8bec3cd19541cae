//! `cargo xtask deny`: are all dependencies fit to be given to others? Their licences, versions that are there twice, where they come
//! from, and what is known against them. A part of a release, and no test: what may be wrong today was right yesterday.
//!
//! `xtask/release/deny.toml` says what is accepted, and why. The database of advisories is fetched; where it cannot be reached, that is
//! told, and all else is looked at.

use crate::cargo::{at_root, run as run_command};
use crate::tools::Tool;
use anyhow::{Context, Result, ensure};
use std::process::{Command, Stdio};

const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", features: "" };
/// What it says where the database of advisories is out of reach.
const NO_DATABASE: &str = "failed to fetch advisory database";

pub(crate) fn run() -> Result<()> {
    let program = DENY.installed()?;
    let check = || -> Command {
        let mut check = at_root(&program);
        check.args(["--locked", "--all-features", "--config", "xtask/release/deny.toml", "check"]);
        check
    };
    run_command(check().args(["licenses", "bans", "sources"]))?;
    let advisories =
        check().arg("advisories").stdout(Stdio::inherit()).output().context("cannot start cargo-deny")?;
    let said = String::from_utf8_lossy(&advisories.stderr);
    if !advisories.status.success() && said.contains(NO_DATABASE) {
        println!("advisories were not looked at: their database cannot be reached");
        return Ok(());
    }
    eprint!("{said}");
    ensure!(advisories.status.success(), "there are advisories on what is depended on");
    Ok(())
}
