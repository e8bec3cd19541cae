//! The pages that people read, as a test reads them: which there are, what stands in their fenced blocks ([`page`]), and
//! whether a command said what its page shows ([`said`]).
//!
//! The book's `SUMMARY.md` lists the pages. A fenced block is what the first word behind its fence says:
//!
//! ````text
//! ```console                   commands, each behind `$ `, with what they print; `…` alone on a line stands for any lines
//! ```console,data NAME         the same, in a folder that has the public data set NAME too
//! ```console,ignore REASON     commands that no test can run
//! ```toml                      a rule file
//! ```toml,file rules.toml      the same, which is there for later commands of the page by this name
//! ```sql                       a condition of a rule, or several, one a line
//! ````

pub mod page;
pub mod said;

use std::path::{Path, PathBuf};

/// The root of the checkout.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The Markdown files that a summary links to, from its own folder, in order.
#[must_use]
pub fn listed(summary: &str) -> Vec<String> {
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(link, _)| link.to_owned()).filter(|link| link.ends_with(".md")).collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_summary_lists_pages() {
        let summary =
            "# Summary\n\n[Start](../README.md)\n\n# Use\n\n- [Rules](rules.md)\n  - [More](a/b.md)\n";
        assert_eq!(listed(summary), ["../README.md", "rules.md", "a/b.md"]);
    }
}
