//! The links of the book as it was built: what its pages name is there.

use crate::tidy::files_below;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Pages that mdBook makes of all others, or shows wherever nothing is.
const MADE: [&str; 2] = ["print.html", "404.html"];

/// Checks each page of the book in this folder.
pub(super) fn check(book: &Path) -> Result<()> {
    let mut files = Vec::new();
    files_below(book, ".html", &mut files)?;
    let mut pages = BTreeMap::new();
    for file in files {
        if !MADE.iter().any(|made| file.ends_with(made)) {
            let text =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            pages.insert(file, text);
        }
    }
    let ids: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(file, text)| (file, attributes(text, "id").collect())).collect();
    let mut complaints = Vec::new();
    for (file, text) in &pages {
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            if link.contains(':') || link.starts_with("//") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let mut to = if path.is_empty() { file.clone() } else { file.with_file_name(path) };
            if path.ends_with('/') {
                to.push("index.html");
            }
            let Ok(to) = to.canonicalize() else {
                complaints.push(format!("{}: {link} is not there", file.display()));
                continue;
            };
            let has = |(page, ids): (&&PathBuf, &BTreeSet<&str>)| {
                page.canonicalize().is_ok_and(|page| page == to) && ids.contains(anchor)
            };
            if !anchor.is_empty() && !ids.iter().any(has) {
                complaints.push(format!("{}: {link} names no heading", file.display()));
            }
        }
    }
    if !complaints.is_empty() {
        bail!("{} links of the book lead nowhere:\n  {}", complaints.len(), complaints.join("\n  "));
    }
    println!("{} pages of the book have sound links", pages.len());
    Ok(())
}

/// The values of an attribute, wherever HTML has it.
fn attributes<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let values: Vec<&str> = html.split(&format!(" {name}=\"")).skip(1).collect();
    values.into_iter().filter_map(|rest| rest.split_once('"')).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::check;
    use std::fs;

    #[test]
    fn links_lead_somewhere() {
        let book = std::env::temp_dir().join(format!("book-{}", std::process::id()));
        fs::create_dir_all(book.join("b")).expect("a folder can be made");
        let page = |name: &str, text: &str| fs::write(book.join(name), text).expect("a file can be written");
        page(
            "b/c.html",
            "<h1 id=\"here\"></h1> <a href=\"../a.html\"></a> <a href=\"https://example.org\"></a>",
        );
        for (link, is_sound) in [("b/c.html#here", true), ("b/c.html#there", false), ("b/d.html", false)] {
            page("a.html", &format!("<a href=\"{link}\"></a>"));
            assert_eq!(check(&book).is_ok(), is_sound, "{link}");
        }
        fs::remove_dir_all(&book).expect("a folder can be removed");
    }
}
