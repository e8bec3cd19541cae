//! What is built of the package and of the program, always together: of the same objects, which are then compiled once.

use super::{PACKAGE, emptied, wheel_in};
use crate::cargo::{at_root, cargo, run as run_command, target};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// How they are built.
#[derive(Clone, Copy)]
pub(crate) enum Build {
    /// As tests are built: what is tested is what they do, not how fast they are.
    AsTested,
    /// As they are given to others.
    #[cfg(feature = "bench")]
    Release,
}

impl Build {
    /// The program.
    pub(crate) fn program(self) -> Result<PathBuf> {
        let mut build = cargo();
        build.args(["build", "--package", "hyperblock", "--package", PACKAGE, "--bin", "hyperblock"]);
        let folder = match self {
            Self::AsTested => "debug",
            #[cfg(feature = "bench")]
            Self::Release => {
                build.arg("--release");
                "release"
            }
        };
        run_command(&mut build)?;
        Ok(target().join(folder).join("hyperblock"))
    }

    /// The wheel, built by the maturin of an environment.
    pub(super) fn wheel(self, python: &Path) -> Result<PathBuf> {
        let wheels = target().join("wheels");
        // One wheel at most, so that there is no choice.
        emptied(&wheels)?;
        let mut build = at_root(python);
        build.args(["-m", "maturin", "build", "--locked", "--manifest-path", "python/Cargo.toml"]);
        match self {
            Self::AsTested => build.args(["--profile", "dev"]),
            #[cfg(feature = "bench")]
            Self::Release => build.args(["--profile", "release"]),
        };
        run_command(build.arg("--interpreter").arg(python).arg("--out").arg(&wheels))?;
        wheel_in(&wheels)
    }
}
