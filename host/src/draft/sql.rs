//! Names of columns as rules write them, and texts as TOML does.

use crate::job::quoted;

/// A column of the record `side`, such as `l.name` or `r."first name"`.
pub(super) fn column(side: &str, name: &str) -> String {
    let mut chars = name.chars();
    let is_plain = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|char| char.is_ascii_alphanumeric() || char == '_');
    match is_plain {
        true => format!("{side}.{name}"),
        false => format!("{side}.\"{}\"", name.replace('"', "\"\"")),
    }
}

/// A text of TOML: as it is where that can be, else with escapes.
pub(super) fn text(text: &str) -> String {
    let is_literal = text.contains(['"', '\\']) && !text.contains('\'') && !text.contains(char::is_control);
    if is_literal { format!("'{text}'") } else { quoted(text) }
}

/// A key of TOML.
pub(super) fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    match !name.is_empty() && name.bytes().all(is_bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

/// What a comment says in one line: no line ends, and nothing that a terminal obeys.
pub(super) fn comment(text: &str) -> String {
    crate::base::shown::shown(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleFile;
    use proptest::prelude::*;
    use std::path::Path;

    fn parses(name: &str) -> bool {
        let when = format!("{} = {}", column("l", name), column("r", name));
        let file = format!("[[rules]]\nwhen = {}\n[missing.columns]\n{} = [\"x\"]\n", text(&when), key(name));
        let file = RuleFile::parse(Path::new("rules"), file);
        file.is_ok_and(|file| file.columns().all(|(_, column)| column == name))
    }

    #[test]
    fn names_that_are_words_of_sql() {
        for name in [
            "name", "select", "from", "order", "left", "year", "SELECT", "distinct", "not", "null", "all",
            "end",
        ] {
            assert!(parses(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn names_of_all_sorts(name in "[a-z \"'.`\\\\\n\u{1}é;%-]{1,8}") {
            prop_assert!(parses(&name), "{:?}", name);
        }
    }
}
