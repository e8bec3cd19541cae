//! Debian's packages: what a step needs is installed where it is missing.

use crate::cargo::{at_root, output, run};
use anyhow::Result;
use std::process::Command;

/// Whether there is an apt-get to ask.
pub(crate) fn is_here() -> bool {
    output(at_root("apt-get").arg("--version")).is_some()
}

/// Fetches the lists of what there is.
pub(crate) fn update() -> Result<()> {
    run(apt_get().arg("update"))
}

/// Installs packages.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    println!("installing {}", packages.join(" and "));
    let install = || run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages));
    if install().is_err() {
        // The lists may name versions that the mirror no longer has.
        update()?;
        install()?;
    }
    Ok(())
}

fn apt_get() -> Command {
    let is_root = output(at_root("id").arg("-u")).is_some_and(|id| id == "0");
    let mut command = at_root(if is_root { "env" } else { "sudo" });
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]);
    command
}
