//! Which compiler can build the kernels here.
//!
//! The stable toolchain of the host side cannot: the target's ABI is unstable, and rustup's stable releases come without
//! its `core`. Two can: Debian's `rustc-web` with its library source, which lets unstable features be switched on, and
//! a nightly from rustup with either the library source or the target.

use crate::cargo::{at_root, cargo, output};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target that the kernels are compiled for.
pub(super) const TARGET: &str = "nvptx64-nvidia-cuda";
const DEBIAN: &str = "/usr/bin/rustc";
/// The first release whose `-Cpanic=immediate-abort` and NVPTX back end the kernels were built with.
const OLDEST: u32 = 96;

/// A compiler that can build the kernels.
#[derive(Debug)]
pub(super) struct Compiler {
    /// How it names itself, and whether its `core` is its own.
    pub(super) name: String,
    /// The executable.
    pub(super) rustc: PathBuf,
    /// The cargo that goes with it.
    cargo: PathBuf,
    /// Whether `core` is built from source with the kernels; otherwise the target is installed.
    pub(super) builds_core: bool,
}

impl Compiler {
    /// The cargo to call, at the root.
    pub(super) fn cargo(&self) -> Command {
        at_root(&self.cargo)
    }
}

/// The compiler of that name if it is here, else Debian's, else a nightly.
pub(super) fn find(preferred: Option<&str>) -> Result<Compiler> {
    let mut found: Vec<_> = [debian(), nightly()].into_iter().flatten().collect();
    if found.is_empty() {
        bail!(
            "no compiler for the kernels is installed. On Debian:\n  cargo xtask device --install\n\
             Elsewhere, with rustup:\n  rustup toolchain install nightly --profile minimal --component rust-src"
        );
    }
    let ix = found.iter().position(|compiler| Some(compiler.name.as_str()) == preferred).unwrap_or(0);
    Ok(found.swap_remove(ix))
}

fn debian() -> Option<Compiler> {
    // rustup's pinned cargo serves: it only has to start the other rustc.
    let cargo = PathBuf::from(cargo().get_program());
    usable(Path::new(DEBIAN), cargo).filter(|compiler| compiler.builds_core)
}

fn nightly() -> Option<Compiler> {
    let which = |program| {
        // Looking for a toolchain must not download one.
        let mut rustup = at_root("rustup");
        rustup.env("RUSTUP_AUTO_INSTALL", "0").args(["which", "--toolchain", "nightly", program]);
        output(&mut rustup).map(PathBuf::from)
    };
    usable(&which("rustc")?, which("cargo")?)
}

fn usable(rustc: &Path, cargo: PathBuf) -> Option<Compiler> {
    let version = output(at_root(rustc).arg("--version"))?;
    if minor(&version)? < OLDEST {
        return None;
    }
    let sysroot = output(at_root(rustc).args(["--print", "sysroot"]))?;
    let rustlib = Path::new(&sysroot).join("lib/rustlib");
    let builds_core = rustlib.join("src/rust/library/core/Cargo.toml").is_file();
    if !builds_core && !rustlib.join(TARGET).is_dir() {
        return None;
    }
    // A ready-made core is compiled with other flags, so the PTX is another one.
    let name = if builds_core { version } else { format!("{version} with its ready-made core") };
    Some(Compiler { name, rustc: rustc.to_path_buf(), cargo, builds_core })
}

/// The 96 of `rustc 1.96.0 (…)`.
fn minor(version: &str) -> Option<u32> {
    version.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::minor;

    #[test]
    fn versions_are_read() {
        assert_eq!(minor("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"), Some(96));
        assert_eq!(minor("rustc 1.97.0-nightly (e50aa6fba 2026-05-19)"), Some(97));
        assert_eq!(minor("gcc 12"), None);
    }
}
