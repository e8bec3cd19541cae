//! `cargo xtask docs`: the book of all pages, with its links checked, below `target/book`.
//!
//! `docs/SUMMARY.md` lists the pages. They stay where they are, so that they can be read without the book too; mdBook is given
//! a copy of them, and of the files that they link to ([`staged`]). Links are checked twice: those of the pages
//! ([`links`], which needs no mdBook and is a step of `cargo xtask test`), and those of the book ([`book`]).

mod book;
mod links;
mod markdown;
mod staged;

pub(crate) use links::check as check_links;

use crate::cargo::{at_root, run as run_command, target};
use crate::tools::Tool;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;

/// What builds the book.
const MDBOOK: Tool = Tool { name: "mdbook", version: "0.5.4", features: "search" };

/// What `cargo xtask docs` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// First install mdBook below target/tools, if there is none
    #[arg(long)]
    install: bool,
    /// Only check the links of the pages: that needs no mdBook
    #[arg(long, conflicts_with = "install")]
    links: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    check_links()?;
    if args.links {
        return Ok(());
    }
    let mdbook = mdbook(args.install)?;
    let (from, to) = (target().join("book-pages"), target().join("book"));
    staged::stage(&from)?;
    if to.exists() {
        fs::remove_dir_all(&to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    run_command(at_root(mdbook).arg("build").arg(&from).arg("--dest-dir").arg(&to))?;
    book::check(&to)?;
    println!("The book is in {}.", to.join("index.html").display());
    Ok(())
}

/// The program, from the path or from our own tools.
fn mdbook(install: bool) -> Result<PathBuf> {
    match MDBOOK.found() {
        Some(program) => Ok(program),
        None if install => MDBOOK.installed(),
        None => bail!(
            "there is no mdbook {}: `cargo xtask docs --install` puts one below target/tools",
            MDBOOK.version
        ),
    }
}
