//! The other programs: packages of PyPI with their versions, and the script that does their jobs.
//!
//! Each has an environment of its own in the build folder, so that none decides the versions of another.

use crate::python::built;
use anyhow::Result;
use std::path::PathBuf;

/// A program.
pub(super) struct Peer {
    pub(super) name: &'static str,
    /// As people write it.
    pub(super) label: &'static str,
    packages: &'static [&'static str],
    /// What its sources are built with, where PyPI has no binaries.
    tools: &'static [&'static str],
    pub(super) script: &'static str,
}

/// A script between what limits it and what calls it.
macro_rules! script {
    ($($part:literal),*) => {
        concat!(include_str!("../bench/limited.py"), $(include_str!($part)),*, include_str!("../bench/job_main.py"))
    };
}

/// What starts the engine, in the place of a program.
pub(super) const ENGINE: &str = script!("engine.py");
/// What Splink's script imports.
pub(super) const QUALITY: &str = include_str!("../bench/quality.py");

const fn peer(
    name: &'static str,
    label: &'static str,
    packages: &'static [&'static str],
    script: &'static str,
) -> Peer {
    Peer { name, label, packages, tools: &[], script }
}

pub(super) const ALL: [Peer; 12] = [
    peer("duckdb", "DuckDB", &["duckdb==2.0.0"], script!("../bench/job_peers.py", "duckdb.py")),
    peer(
        "polars",
        "Polars",
        &["polars==2.1.0", "polars_ds==0.13.0"],
        script!("../bench/job_peers.py", "polars.py"),
    ),
    peer(
        "rapidfuzz",
        "rapidfuzz",
        &["rapidfuzz==3.14.6", "polars==2.1.0", "numpy==2.4.6"],
        script!("../bench/job_peers.py"),
    ),
    peer(
        "stringzilla",
        "StringZilla",
        &["stringzilla==5.3.2", "stringzillas-cpus==5.3.2", "polars==2.1.0", "numpy==2.4.6"],
        script!("../bench/job_peers.py", "stringzilla.py"),
    ),
    peer(
        "splink",
        "Splink",
        &["splink==4.0.17", "duckdb==2.0.0", "sqlglot==30.30.0", "pandas==3.1.1"],
        script!("../bench/job_peers.py", "splink.py"),
    ),
    peer(
        "recordlinkage",
        "recordlinkage",
        &["recordlinkage==0.16", "pandas==2.3.3"],
        script!("entities.py", "recordlinkage.py"),
    ),
    peer(
        "dedupe",
        "dedupe",
        &["dedupe==3.0.3", "BTrees==5.2", "numpy==2.4.6"],
        script!("entities.py", "dedupe.py"),
    ),
    Peer {
        // Its sources know neither a recent setuptools nor a recent numpy.
        tools: &["setuptools<74", "numpy<2", "wheel"],
        ..peer(
            "py_stringsimjoin",
            "py_stringsimjoin",
            &["py_stringsimjoin==0.3.6", "pandas==3.0.6"],
            script!("../bench/setjoin_peers.py", "sets.py", "py_stringsimjoin.py"),
        )
    },
    peer(
        "SetSimilaritySearch",
        "SetSimilaritySearch",
        &["SetSimilaritySearch==1.0.1"],
        script!("../bench/setjoin_peers.py", "sets.py", "set_similarity_search.py"),
    ),
    peer(
        "datasketch",
        "datasketch",
        &["datasketch==2.0.0"],
        script!("../bench/setjoin_peers.py", "sets.py", "datasketch.py"),
    ),
    peer(
        "scipy",
        "scipy",
        &["scipy==1.17.1", "polars==2.1.0", "numpy==2.4.6"],
        script!("components.py", "scipy.py"),
    ),
    peer(
        "networkit",
        "NetworKit",
        &["networkit==11.2.2", "polars==2.1.0", "numpy==2.4.6"],
        script!("components.py", "networkit.py"),
    ),
];

impl Peer {
    /// Its Python, installed if it is not there.
    pub(super) fn install(&self) -> Result<PathBuf> {
        built(&format!("compare/{}", self.name.to_lowercase()), self.tools, self.packages)
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn versions_are_pinned() {
        for peer in &ALL {
            assert!(peer.packages.iter().all(|package| package.contains("==")), "{}", peer.name);
            assert!(peer.script.contains(&format!("\"{}\"", peer.name)), "{} has no script", peer.name);
        }
    }
}
