//! The licences of all that is in the program, as one text. `cargo-about` gathers them; what is accepted stands in
//! `xtask/release/about.toml`, and any other licence is an error.

use crate::cargo::{at_root, root, run as run_command};
use crate::tools::Tool;
use anyhow::Result;
use std::path::Path;

const ABOUT: Tool = Tool { name: "cargo-about", version: "0.9.3", features: "cli" };

/// Writes them to a file.
pub(super) fn write(path: &Path) -> Result<()> {
    let release = root().join("xtask/release");
    let mut about = at_root(ABOUT.installed()?);
    // It is a command of cargo's, and is told of itself as one.
    println!("gathering the licences of all that is in the program (some minutes)");
    about.args(["about", "generate", "--locked", "--fail", "--manifest-path", "host/Cargo.toml", "--config"]);
    about.arg(release.join("about.toml")).arg("--output-file").arg(path).arg(release.join("licences.hbs"));
    run_command(&mut about)
}
