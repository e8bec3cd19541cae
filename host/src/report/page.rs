//! The page: its source, which is put together when the program is built, with a report in it.
//!
//! A policy forbids the page everything but its own script and style, each by its hash. The report is data: what could end the
//! element that it stands in, or be taken for markup, is written as JSON has it, by number.

use crate::base::error::{Error, Result};
use crate::base::target::Target;
use serde_json::{Map, Value};
use std::fmt::Write;

/// The page around its data, both with style, script and policy in their places.
const BEFORE: &str = include_str!(concat!(env!("OUT_DIR"), "/report.before.html"));
const BEHIND: &str = include_str!(concat!(env!("OUT_DIR"), "/report.behind.html"));
/// The most bytes of a page.
pub(super) const MOST: usize = 2_000_000;

/// Whether there is room for a report.
pub(super) fn fits(report: &Map<String, Value>) -> bool {
    BEFORE.len() + BEHIND.len() + escaped(report).len() <= MOST
}

/// Writes the page, and puts it in its place.
pub(super) fn write(report: &Map<String, Value>, target: Target) -> Result<()> {
    let data = escaped(report);
    let io = Error::io(target.path());
    let mut file = target.file()?;
    let all = [BEFORE, &data, BEHIND];
    all.into_iter()
        .try_for_each(|part| file.write_all(part.as_bytes()))
        .and_then(|()| file.flush())
        .map_err(io)?;
    drop(file);
    target.finish()
}

/// JSON in which nothing is markup, and no line ends but where JSON has one.
fn escaped(report: &Map<String, Value>) -> String {
    let json = serde_json::to_string(report).unwrap_or_default();
    let mut escaped = String::with_capacity(json.len() + json.len() / 16);
    for char in json.chars() {
        match char {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{7f}' => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(char));
            }
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn data_is_no_markup() {
        let values = ["</script><img onerror=x>", "a&b", "\u{2028}\u{2029}\u{7f}", "\u{0}\u{202e}é"];
        let report = Map::from_iter([("a</script>".to_owned(), json!(values))]);
        let text = escaped(&report);
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\u{7f}', '\u{0}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), Value::Object(report));
    }

    #[test]
    fn the_page_has_a_policy_and_one_place_for_data() {
        let page = format!("{BEFORE}{{}}{BEHIND}");
        let policy = "default-src 'none'; script-src 'sha256-";
        assert!(page.contains(policy) && page.contains("style-src 'sha256-"), "{page}");
        assert!(!page.contains("<!--data-->") && !page.contains("<!--script-->"));
        assert_eq!(page.matches("<script").count(), 2);
        for wanted in ["http://", "https://", "//cdn", "innerHTML", "eval("] {
            let found =
                page.match_indices(wanted).filter(|(at, _)| !page[*at..].starts_with("http://www.w3.org/"));
            assert_eq!(found.count(), 0, "{wanted}");
        }
    }
}
