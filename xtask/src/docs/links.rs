//! The links of all Markdown files: each leads to a file that is there, and to a heading of it.
//!
//! Links to the outside are only looked at: a test that asks the network fails for reasons of others.

use super::markdown::{Link, anchors, links};
use crate::cargo::root;
use crate::tidy::files_below;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Parts that `cargo xtask figures` and `compare` put into `results/README.md`: their links are meant from there, and checked there.
const PARTS: [&str; 2] = ["results/figures", "results/compare"];

/// Checks all of the checkout.
pub(crate) fn check() -> Result<()> {
    let root = root();
    let mut files = Vec::new();
    files_below(&root, ".md", &mut files)?;
    let mut pages = BTreeMap::new();
    files.retain(|file| !PARTS.iter().any(|part| file.starts_with(root.join(part))));
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        pages.insert(file.strip_prefix(&root).unwrap_or(&file).to_path_buf(), text);
    }
    let (n_links, complaints) = complain(&pages, &|path| root.join(path).exists());
    if !complaints.is_empty() {
        bail!("{} links lead nowhere:\n  {}", complaints.len(), complaints.join("\n  "));
    }
    println!("{n_links} links of {} pages lead somewhere", pages.len());
    Ok(())
}

/// Where a link of a page leads, from the root: a path, and the name of a heading. Nothing, if it leads outside.
pub(super) fn followed<'a>(page: &Path, link: &'a str) -> Option<(PathBuf, Option<&'a str>)> {
    if link.contains(':') {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    if path.is_empty() {
        return Some((page.to_path_buf(), anchor));
    }
    let mut to = page.parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            // Above the root it stays a path that is not there.
            Component::ParentDir if to.pop() => {}
            part => to.push(part),
        }
    }
    Some((to, anchor))
}

/// How many links there are, and what is wrong with which.
fn complain(pages: &BTreeMap<PathBuf, String>, is_there: &dyn Fn(&Path) -> bool) -> (usize, Vec<String>) {
    let mut complaints = Vec::new();
    let mut n_links = 0;
    for (page, text) in pages {
        for Link { line, target } in links(text) {
            n_links += 1;
            if let Some(what) = fault(pages, page, &target, is_there) {
                complaints.push(format!("{}:{line}: ({target}) {what}", page.display()));
            }
        }
    }
    (n_links, complaints)
}

fn fault(
    pages: &BTreeMap<PathBuf, String>,
    page: &Path,
    link: &str,
    is_there: &dyn Fn(&Path) -> bool,
) -> Option<String> {
    if link.is_empty() || link.contains(char::is_whitespace) {
        return Some("is no link: it is empty, or has a blank in it".to_owned());
    }
    let Some((to, anchor)) = followed(page, link) else {
        let host = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"));
        let host = host.and_then(|rest| rest.split(['/', '#', '?']).next()).unwrap_or_default();
        let named = host.split('.').all(|label| !label.is_empty()) && host.contains('.');
        return (!named).then(|| "is no address: https://, and the name of a host".to_owned());
    };
    if to.is_absolute() || to.starts_with("..") || !is_there(&to) {
        return Some(format!("leads to {}, which is not there", to.display()));
    }
    let anchor = anchor?;
    let Some(text) = pages.get(&to) else {
        return Some(format!("names a heading, and {} is no page", to.display()));
    };
    let names = anchors(text);
    (!names.iter().any(|name| name == anchor))
        .then(|| format!("no heading of {} is called so; there are: {}", to.display(), names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::complain;
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    /// What is wrong with one link, which stands in `docs/a.md` beside `docs/b.md` and `README.md`.
    fn check(link: &str, complaint: &str) {
        let page = |name: &str, text: String| (PathBuf::from(name), text);
        let pages = BTreeMap::from([
            page("README.md", "# Top\n".to_owned()),
            page("docs/a.md", format!("# A page\n\n[link]({link})\n")),
            page("docs/b.md", "# B\n\n## More\n".to_owned()),
        ]);
        let is_there = |path: &Path| pages.contains_key(path) || path == Path::new("docs/c.svg");
        match complain(&pages, &is_there) {
            (1, complaints) if complaint.is_empty() => assert_eq!(complaints, Vec::<String>::new()),
            (1, complaints) => assert!(
                complaints.len() == 1
                    && complaints[0].starts_with("docs/a.md:3: ")
                    && complaints[0].contains(complaint),
                "{complaints:?}"
            ),
            (n_links, _) => panic!("{n_links} links"),
        }
    }

    #[test]
    fn what_leads_somewhere_passes() {
        for link in ["b.md", "b.md#more", "#a-page", "../README.md#top", "./c.svg", "https://example.org/x#y"]
        {
            check(link, "");
        }
    }

    #[test]
    fn what_leads_nowhere_is_told() {
        check("d.md", "leads to docs/d.md, which is not there");
        check("b.md#less", "no heading of docs/b.md is called so; there are: b, more");
        check("#b", "no heading of docs/a.md");
        check("c.svg#x", "docs/c.svg is no page");
        check("/README.md", "which is not there");
        check("../../README.md", "which is not there");
        check("https://localhost/x", "is no address");
        check("htp://example.org", "is no address");
        check("b c.md", "is no link");
        check("", "is no link");
    }
}
