//! Where the checkout and its build folder are, and how other programs are started.

use anyhow::{Context, Result, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What cargo names our folder by; who starts us without cargo may name another.
pub(crate) const MANIFEST: &str = "CARGO_MANIFEST_DIR";

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    // What is known at run time comes first: a binary built in one checkout may run in another, with the same target or
    // carried to another machine.
    let above = |folder: PathBuf| folder.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
    match env::var_os(MANIFEST) {
        Some(ours) => above(ours.into()),
        None => env::current_dir()
            .ok()
            .and_then(|here| checkout(&here))
            .unwrap_or_else(|| above(env!("CARGO_MANIFEST_DIR").into())),
    }
}

/// The checkout that a folder is in.
fn checkout(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file()).map(Path::to_path_buf)
}

/// Where cargo, and we, put what is built.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The cargo that runs this task, at the root, as if it had been called from a shell.
pub(crate) fn cargo() -> Command {
    at_root(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A program to run at the root, without what `cargo run` adds to the environment: it would choose another compiler
/// or other flags, and make build scripts run again.
pub(crate) fn at_root(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(disturbs) {
            command.env_remove(name);
        }
    }
    command
}

fn disturbs(name: &str) -> bool {
    // Settings of the user's network and folders, which every cargo should obey.
    const KEPT: [&str; 8] = [
        "CARGO_BUILD_JOBS",
        "CARGO_HOME",
        "CARGO_HTTP_",
        "CARGO_NET_",
        "CARGO_REGISTR",
        "CARGO_SOURCE_",
        "CARGO_TARGET_DIR",
        "CARGO_TERM_",
    ];
    let from_cargo = name.starts_with("CARGO") && !KEPT.iter().any(|kept| name.starts_with(kept));
    from_cargo || name.starts_with("RUSTC") || name == "RUSTFLAGS" || name == "LD_LIBRARY_PATH"
}

/// Runs a command with its output on the terminal; fails if it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", name(command)))?;
    ensure!(status.success(), "{} failed ({status})", name(command));
    Ok(())
}

/// What a command prints, or nothing if it cannot be started or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn name(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = [program.file_name().unwrap_or_default()].into_iter().chain(command.get_args().take(2));
    format!("`{}`", words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
}

/// Builds this program with the engine, and starts it with the same arguments.
#[cfg(not(feature = "bench"))]
pub(crate) fn again() -> Result<()> {
    eprintln!("building the benchmarks (some minutes the first time)");
    let mut again = cargo();
    again.args(["run", "--release", "--quiet", "--package", "xtask", "--features", "bench", "--"]);
    run(again.args(std::env::args_os().skip(1)))
}

#[cfg(test)]
mod tests {
    use super::{checkout, disturbs, root};
    use std::path::Path;

    #[test]
    fn a_checkout_is_found_from_within() {
        assert_eq!(checkout(&root().join("xtask/src")), Some(root()));
        assert_eq!(checkout(Path::new("/")), None);
    }

    #[test]
    fn the_users_settings_stay() {
        for name in ["PATH", "CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_NET_OFFLINE", "RUSTUP_HOME"] {
            assert!(!disturbs(name), "{name}");
        }
        for name in
            ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_ENCODED_RUSTFLAGS", "RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS"]
        {
            assert!(disturbs(name), "{name}");
        }
    }
}
