//! What `--install` does about a missing compiler: Debian's packages.

use crate::cargo::{at_root, output, run};
use anyhow::{Result, bail};
use std::process::Command;

const PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
/// Older releases of Debian's packages cannot build the kernels.
const OLDEST: &str = "1.96";

/// Installs Debian's compiler and its library source.
pub(super) fn compiler() -> Result<()> {
    if output(at_root("apt-get").arg("--version")).is_none() {
        bail!(
            "there is no apt-get here. With rustup:\n  \
             rustup toolchain install nightly --profile minimal --component rust-src"
        );
    }
    println!("installing {}", PACKAGES.join(" and "));
    let policy = output(at_root("apt-cache").args(["policy", PACKAGES[0]])).unwrap_or_default();
    if !is_offered(&policy) {
        run(apt_get().arg("update"))?;
    }
    let install = || run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(PACKAGES));
    if install().is_err() {
        // The lists may name versions that the mirror no longer has.
        run(apt_get().arg("update"))?;
        install()?;
    }
    Ok(())
}

/// Whether apt's lists, as they are, offer a release that can build the kernels.
fn is_offered(policy: &str) -> bool {
    let candidate = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
    let number = |version: &str| version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    candidate.is_some_and(|version| number(version) >= number(OLDEST))
}

fn apt_get() -> Command {
    let is_root = output(at_root("id").arg("-u")).is_some_and(|id| id == "0");
    let mut command = at_root(if is_root { "env" } else { "sudo" });
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]);
    command
}

#[cfg(test)]
mod tests {
    use super::is_offered;

    #[test]
    fn old_or_missing_lists_are_seen() {
        assert!(is_offered("rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n"));
        assert!(!is_offered("rustc-web:\n  Installed: (none)\n  Candidate: 1.85.0+dfsg3-1~deb12u3\n"));
        assert!(!is_offered("rustc-web:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!is_offered(""));
    }
}
