//! The program that tests run.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The program, built on first use: cargo builds a package's binaries only for that package's own tests.
///
/// # Panics
///
/// If it does not build.
pub fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        // This test is target/PROFILE/deps/cli-….
        let test = std::env::current_exe().expect("a running test has a path");
        let profile = test.parent().and_then(|deps| deps.parent()).expect("tests lie in target/PROFILE/deps");
        let mut build = Command::new(env!("CARGO"));
        // The Python package is named so that both are of the same objects, which are then compiled once.
        build.args(["build", "--quiet", "--package", "hyperblock", "--package", "hyperblock-python"]);
        build.args(["--bin", "hyperblock"]);
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        build.arg("--target-dir").arg(profile.parent().expect("a profile lies in target"));
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo runs").success(), "the program does not build");
        profile.join("hyperblock").with_extension(std::env::consts::EXE_EXTENSION)
    })
}
