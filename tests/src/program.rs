//! The program that tests run.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The program: the one that `HYPERBLOCK_PROGRAM` names, which `cargo xtask test` has built of the objects of tests; else it is built on
/// first use, since cargo builds a package's binaries only for that package's own tests.
///
/// # Panics
///
/// If it does not build.
pub fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(program) = std::env::var_os("HYPERBLOCK_PROGRAM") {
            return program.into();
        }
        // This test is target/PROFILE/deps/cli-….
        let test = std::env::current_exe().expect("a running test has a path");
        let profile = test.parent().and_then(|deps| deps.parent()).expect("tests lie in target/PROFILE/deps");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "hyperblock", "--bin", "hyperblock"]);
        build.current_dir(env!("CARGO_MANIFEST_DIR"));
        build.arg("--target-dir").arg(profile.parent().expect("a profile lies in target"));
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo runs").success(), "the program does not build");
        profile.join("hyperblock").with_extension(std::env::consts::EXE_EXTENSION)
    })
}
