//! `cargo xtask device`: the kernels, from Rust to PTX.
//!
//! device/kernels.ptx is committed, so that nobody needs the kernels' compiler to build hyperblock. Its [`header`] says
//! which [`sources`] it was built from and by which [`compiler`]. `--check` proves that it still is what [`build`] makes
//! of them, then lets [`ptxas`] assemble it for the GPUs we care about and looks at their [`usage`] of registers and
//! memory. [`install`] gets what is missing.

mod build;
mod compiler;
mod header;
mod install;
mod ptxas;
mod sources;
mod symbols;
mod usage;

use crate::cargo::root;
use crate::replace::replace;
use anyhow::{Context, Result, bail, ensure};
use header::Header;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// One of each generation that hyperblock supports: the oldest, and those it is tuned on.
const ARCHITECTURES: [&str; 3] = ["sm_70", "sm_80", "sm_90"];

/// What `cargo xtask device` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// First install what is missing: Debian's rustc-web and rust-web-src, and ptxas from PyPI
    #[arg(long)]
    install: bool,
    /// Write nothing: check that the committed kernels.ptx belongs to the sources, and that it assembles without spills
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.install {
        install_missing()?;
    }
    if args.check { check() } else { write() }
}

/// Checks the committed kernels, on a machine that may have nothing to do it with.
pub(crate) fn install_and_check() -> Result<()> {
    install_missing()?;
    check()
}

fn install_missing() -> Result<()> {
    if compiler::find(None).is_err() {
        install::compiler()?;
    }
    ptxas::find_or_install().map(drop)
}

fn path() -> PathBuf {
    root().join("device/kernels.ptx")
}

fn write() -> Result<()> {
    // The compiler that made the committed file makes the smallest change to it.
    let before = fs::read_to_string(path()).ok().and_then(|text| Header::parse(&text));
    let compiler = compiler::find(before.as_ref().map(|header| header.compiler.as_str()))?;
    let ptx = build::build(&compiler)?;
    let header = Header { compiler: compiler.name, sources: sources::hash(&root())? };
    replace(&path(), |file| write!(file, "{header}{ptx}"))?;
    println!("wrote device/kernels.ptx: {} lines, by {}", ptx.lines().count(), header.compiler);
    Ok(())
}

fn committed() -> Result<(String, Header)> {
    let text = fs::read_to_string(path())
        .context("cannot read device/kernels.ptx: `cargo xtask device` writes it")?;
    let header =
        Header::parse(&text).context("device/kernels.ptx has no header: `cargo xtask device` writes one")?;
    Ok((text, header))
}

/// Checks that the committed file was built from sources that are as they are now.
pub(crate) fn check_sources() -> Result<()> {
    let (_, header) = committed()?;
    ensure!(
        header.sources == sources::hash(&root())?,
        "device/kernels.ptx was built from other sources: run `cargo xtask device` and commit the file"
    );
    println!("device/kernels.ptx was built from these sources");
    Ok(())
}

fn check() -> Result<()> {
    check_sources()?;
    let (text, header) = committed()?;
    let compiler = compiler::find(Some(&header.compiler))?;
    if compiler.name == header.compiler {
        let ptx = build::build(&compiler)?;
        if text != format!("{header}{ptx}") {
            bail!(
                "device/kernels.ptx is not what its sources make: run `cargo xtask device` and commit the file"
            );
        }
        println!("device/kernels.ptx is what {} makes of these sources", compiler.name);
    } else {
        // Another compiler's PTX differs for no fault of the sources, but they should build.
        build::build(&compiler)?;
        println!("device/kernels.ptx was built by {}", header.compiler);
        println!("and here is {}: only the hash of the sources was compared", compiler.name);
    }

    let ptxas = ptxas::find_or_install()?;
    let mut usages = Vec::new();
    for architecture in ARCHITECTURES {
        let report = ptxas::assemble(&ptxas, &path(), architecture)?;
        usages.push((architecture, usage::parse(&report)));
    }
    print!("{}", usage::table(&usages));
    let faults = usage::faults(&usages);
    ensure!(faults.is_empty(), "kernels must keep to their registers:\n  {}", faults.join("\n  "));
    Ok(())
}
