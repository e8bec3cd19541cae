//! What of a Markdown page is a link, and what of it can be linked to.
//!
//! This is no parser of all of Markdown, but of what the pages here use: headings behind `#`, inline links and pictures,
//! and `src`, `srcset` and `href` of HTML. What stands in code is neither a link nor a heading.

use std::collections::HashMap;

/// A link, and the line that it stands on, from 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) line: usize,
    pub(crate) target: String,
}

/// All links of a page, in order.
pub(crate) fn links(page: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (line, text) in prose(page) {
        let text = without_code(text);
        let inline = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        let quoted = ["src=\"", "srcset=\"", "href=\""].into_iter().flat_map(|attribute| {
            text.split(attribute).skip(1).filter_map(|rest| rest.split_once('"')).map(|(link, _)| link)
        });
        links.extend(inline.chain(quoted).map(|target| Link { line, target: target.to_owned() }));
    }
    links
}

/// The names of a page's headings, as GitHub and mdBook make them: a heading that is there before gets a number.
pub(crate) fn anchors(page: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut anchors = Vec::new();
    for (_, line) in prose(page) {
        let title = line.trim_start_matches('#');
        let depth = line.len() - title.len();
        if (1..=6).contains(&depth) && title.starts_with(' ') {
            let name = name(title);
            let n_before = seen.entry(name.clone()).or_default();
            anchors.push(if *n_before == 0 { name } else { format!("{name}-{n_before}") });
            *n_before += 1;
        }
    }
    anchors
}

/// Letters and digits of a heading in lower case, with `-` for each blank.
fn name(title: &str) -> String {
    let mut shown = String::new();
    let mut rest = title.trim();
    // Of a link its text alone is shown.
    while let Some((before, link)) = rest.split_once("](") {
        shown.push_str(before);
        rest = link.split_once(')').map_or("", |(_, rest)| rest);
    }
    shown.push_str(rest);
    let kept = shown.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The lines that are not in fenced blocks, each with its number.
fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    (1..).zip(page.lines()).filter(move |(_, line)| {
        let text = line.trim_start();
        let ticks = text.len() - text.trim_start_matches('`').len();
        match fence {
            Some(open) if text.trim_end() == open => fence = None,
            None if ticks >= 3 => fence = text.get(..ticks),
            _ => return fence.is_none(),
        }
        false
    })
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, code)) = rest.split_once('`') {
        let n_more = code.len() - code.trim_start_matches('`').len();
        let fence = "`".repeat(n_more + 1);
        text.push_str(before);
        match code.get(n_more..).and_then(|code| code.split_once(&fence)) {
            // What was left out leaves a mark, so that what stands on both sides stays apart.
            Some((_, behind)) => {
                text.push('`');
                rest = behind;
            }
            None => rest = code,
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::{anchors, links};

    fn targets(page: &str) -> Vec<String> {
        links(page).into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_and_pictures() {
        let page = "See [a](a.md), [`b`](b.md#c) and\n![c](c.svg).\n<img alt=\"d\" src=\"d.svg\">\n";
        assert_eq!(targets(page), ["a.md", "b.md#c", "c.svg", "d.svg"]);
        assert_eq!(links(page).last().map(|link| link.line), Some(3));
    }

    #[test]
    fn code_has_no_links() {
        assert_eq!(targets("`[a](b)` and ``a ` [c](d)`` and [e](f)\n```\n[g](h)\n```\n[i](j)\n"), ["f", "j"]);
    }

    #[test]
    fn headings_have_names() {
        let page = "# Where does `x` go?\n## [A link](b.md), and more\n```\n# no heading\n```\n#hash\n## Cost_model: ü-1\n";
        assert_eq!(anchors(page), ["where-does-x-go", "a-link-and-more", "cost_model-ü-1"]);
    }

    #[test]
    fn headings_that_are_there_before_get_numbers() {
        assert_eq!(anchors("# A\n## B\n## A\n### A\n"), ["a", "b", "a-1", "a-2"]);
    }
}
