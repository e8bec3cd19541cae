//! What `--install` does about a missing compiler: Debian's packages.

use crate::cargo::{at_root, output};
use crate::debian;
use anyhow::{Result, bail};

const PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];
/// Older releases of Debian's packages cannot build the kernels.
const OLDEST: &str = "1.96";

/// Installs Debian's compiler and its library source.
pub(super) fn compiler() -> Result<()> {
    if !debian::is_here() {
        bail!(
            "there is no apt-get here. With rustup:\n  \
             rustup toolchain install nightly --profile minimal --component rust-src"
        );
    }
    let policy = output(at_root("apt-cache").args(["policy", PACKAGES[0]])).unwrap_or_default();
    if !is_offered(&policy) {
        debian::update()?;
    }
    debian::install(&PACKAGES)
}

/// Whether apt's lists, as they are, offer a release that can build the kernels.
fn is_offered(policy: &str) -> bool {
    let candidate = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
    let number = |version: &str| version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    candidate.is_some_and(|version| number(version) >= number(OLDEST))
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
