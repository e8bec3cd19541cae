//! The pages as mdBook wants them: below one folder, with all that they link to.
//!
//! The layout is that of the checkout, so that links stay as they are written. Files that are no pages (examples, pictures)
//! come along if a page links to them.

use super::links::followed;
use super::markdown::links;
use crate::cargo::root;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Where the book's own files are.
const DOCS: &str = "docs";

/// Makes the folder anew.
pub(super) fn stage(folder: &Path) -> Result<()> {
    let root = root();
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let read = |path: &Path| {
        fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {}", path.display()))
    };
    let write = |path: &Path, text: &str| -> Result<()> {
        let to = folder.join(path);
        fs::create_dir_all(to.parent().unwrap_or(folder))?;
        fs::write(&to, text).with_context(|| format!("cannot write {}", to.display()))
    };

    let summary = Path::new(DOCS).join("SUMMARY.md");
    let (text, pages) = from_root(&summary, &read(&summary)?);
    for settings in ["book.toml", "book.css"] {
        write(Path::new(settings), &read(&Path::new(DOCS).join(settings))?)?;
    }
    let sources = Path::new("pages");
    write(&sources.join("SUMMARY.md"), &text)?;
    for page in &pages {
        let text = read(page)?;
        write(&sources.join(page), &with_indexes(&text))?;
        for link in links(&text) {
            let Some((to, _)) = followed(page, &link.target) else { continue };
            let place = format!("{}:{}", page.display(), link.line);
            if pages.contains(&to) || pages.contains(&to.join("README.md")) {
                continue;
            }
            if to.extension().is_some_and(|extension| extension == "md") {
                bail!("{place}: {} is not in {}", to.display(), summary.display());
            }
            ensure!(
                root.join(&to).is_file(),
                "{place}: {} is no file, which a book could have",
                to.display()
            );
            let copy = folder.join(sources).join(&to);
            fs::create_dir_all(copy.parent().unwrap_or(folder))?;
            fs::copy(root.join(&to), &copy).with_context(|| format!("cannot write {}", copy.display()))?;
        }
    }
    Ok(())
}

/// A page whose links to a README lead to the index that mdBook makes of it.
fn with_indexes(page: &str) -> String {
    let mut text = page.to_owned();
    for link in links(page) {
        if !link.target.contains(':') && link.target.contains("README.md") {
            let index = link.target.replace("README.md", "index.md");
            text = text.replace(&format!("]({})", link.target), &format!("]({index})"));
        }
    }
    text
}

/// A summary with links from the root, and the pages that it lists.
fn from_root(path: &Path, summary: &str) -> (String, Vec<PathBuf>) {
    let mut pages = Vec::new();
    let mut text = summary.to_owned();
    for link in links(summary) {
        if let Some((page, _)) = followed(path, &link.target) {
            text = text.replace(&format!("]({})", link.target), &format!("]({})", page.display()));
            pages.push(page);
        }
    }
    (text, pages)
}

#[cfg(test)]
mod tests {
    use super::{from_root, with_indexes};
    use std::path::{Path, PathBuf};

    #[test]
    fn a_summary_is_told_from_the_root() {
        let summary = "# Summary\n\n[Start](../README.md)\n\n- [Rules](rules.md)\n";
        let (text, pages) = from_root(Path::new("docs/SUMMARY.md"), summary);
        assert_eq!(text, "# Summary\n\n[Start](README.md)\n\n- [Rules](docs/rules.md)\n");
        assert_eq!(pages, ["README.md", "docs/rules.md"].map(PathBuf::from));
    }

    #[test]
    fn a_readme_is_an_index() {
        let page = "[a](../README.md#b), [README.md](https://example.org/README.md), `README.md`";
        let expected = "[a](../index.md#b), [README.md](https://example.org/README.md), `README.md`";
        assert_eq!(with_indexes(page), expected);
    }
}
