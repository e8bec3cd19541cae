//! `cargo xtask browser`: reports are made, and driven in a browser as a person would.
//!
//! The tests are `tests/browser/*.test.mjs`, for the runner that Node has itself. [`tools`] finds or installs a browser, Node and two
//! packages from npm; where they cannot be had, the step is told as ignored. [`reports`] makes what is looked at.

mod reports;
mod tools;

use crate::cargo::{root, run as run_command, target};
use crate::python::emptied;
use crate::tested;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tools::Tools;

/// The picture that the README shows, and the most that it may have.
const PICTURE: &str = "docs/pictures/report.png";
const MOST_BYTES: u64 = 300_000;

/// What `cargo xtask browser` is asked.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test nothing: take the picture that the README shows, to docs/pictures/report.png
    #[arg(long)]
    picture: bool,
    /// Reports that are there already: each is opened, measured, and looked at for accessibility too
    #[arg(value_name = "REPORTS", conflicts_with = "picture")]
    reports: Vec<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.picture { picture() } else { drive(&args.reports) }
}

/// Makes reports and drives them.
pub(crate) fn test() -> Result<()> {
    drive(&[])
}

fn drive(more: &[PathBuf]) -> Result<()> {
    let tools = match Tools::find_or_install() {
        Ok(tools) => tools,
        Err(reason) => {
            println!("ignored: {reason:#}");
            return Ok(());
        }
    };
    tested::build()?;
    let (program, made, exported) = (tested::program(), folder("reports"), folder("exported"));
    emptied(&made)?;
    emptied(&exported)?;
    reports::make(&program, &made)?;
    for report in more {
        let name = report.file_name().with_context(|| format!("{} names no file", report.display()))?;
        fs::copy(report, made.join(name)).with_context(|| format!("cannot copy {}", report.display()))?;
    }
    let mut node = node(&tools, &made);
    node.arg("--test").args(tests(&tools.folder)?).env("HYPERBLOCK_EXPORTED", &exported);
    run_command(&mut node)?;
    // What the page handed out is what the program takes.
    for name in ["labels.csv", "marks.csv"] {
        reports::take(&program, &exported.join(name))?;
    }
    Ok(())
}

fn picture() -> Result<()> {
    let tools = Tools::find_or_install().context("a picture needs a browser")?;
    tested::build()?;
    let (program, made) = (tested::program(), folder("reports"));
    emptied(&made)?;
    reports::make_people(&program, &made)?;
    let picture = root().join(PICTURE);
    if let Some(above) = picture.parent() {
        fs::create_dir_all(above)?;
    }
    run_command(node(&tools, &made).arg("picture.mjs").arg(&picture))?;
    let n_bytes = fs::metadata(&picture)?.len();
    ensure!(n_bytes <= MOST_BYTES, "{PICTURE} has {n_bytes} bytes, more than {MOST_BYTES}");
    println!("wrote {PICTURE}: {n_bytes} bytes");
    Ok(())
}

/// A folder of ours in the build folder.
fn folder(name: &str) -> PathBuf {
    target().join("browser").join(name)
}

fn node(tools: &Tools, reports: &Path) -> Command {
    let mut node = crate::cargo::at_root("node");
    node.current_dir(&tools.folder).env("HYPERBLOCK_CHROMIUM", &tools.chromium);
    node.env("HYPERBLOCK_REPORTS", reports).env("HYPERBLOCK_HOSTILE", root().join(reports::HOSTILE));
    node
}

/// The files of tests, which older Nodes want to be named.
fn tests(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
