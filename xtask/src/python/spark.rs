//! The package on Spark: on Sail, which is one process, and on a cluster of two executors, one of which is killed. Java is Debian's and is
//! installed where it is missing; PySpark and Sail are from PyPI. Where they cannot be had, the step is told as ignored.

use super::{environment, put};
use crate::cargo::{at_root, output, root, run as run_command};
use crate::debian;
use crate::tested;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// What Debian calls the Java that Spark runs on.
const JAVA: &str = "openjdk-17-jre-headless";
/// In the versions that it was tested with. Sail knows this PySpark, and this PySpark these pandas.
pub(super) const PACKAGES: [&str; 4] =
    ["pyspark[connect]==4.2.1", "pysail==0.7.2", "pyarrow==26.0.1", "pandas==2.3.3"];
const TOOLS: [&str; 2] = ["pytest==9.2.0", "dask[dataframe]==2026.8.0"];
/// Each in a process of its own: one that speaks Spark Connect has no other session.
const FILES: [&str; 3] = ["test_arrow.py", "test_sail.py", "test_cluster.py"];

/// Builds and tests it.
pub(super) fn test() -> Result<()> {
    let python = match spark(&[&PACKAGES[..], &TOOLS[..]].concat(), "python-spark") {
        Ok(python) => python,
        Err(reason) => {
            println!("ignored: {reason:#}");
            return Ok(());
        }
    };
    tested::build()?;
    put(&python)?;
    let tests = root().join("python/tests/spark");
    let at = |arguments: &[&str]| {
        let mut command = at_root(&python);
        command.env("PYTHONDONTWRITEBYTECODE", "1").current_dir(&tests).args(arguments);
        command
    };
    for file in FILES {
        run_command(at(&["-m", "pytest", "-q", "-p", "no:cacheprovider"]).arg(file))?;
    }
    Ok(())
}

/// A Python with these packages, where there is a Java for them.
pub(super) fn spark(packages: &[&str], name: &str) -> Result<PathBuf> {
    if output(at_root("java").arg("-version")).is_none() {
        if !debian::is_here() {
            bail!("there is no Java, which Spark needs (on Debian, install {JAVA})");
        }
        debian::install(&[JAVA]).with_context(|| format!("cannot install {JAVA}"))?;
    }
    environment(name, packages)
}
