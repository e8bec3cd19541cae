//! Where rules come from: a file, text, or values.

use crate::base::error::Result;
use crate::rules::RuleFile;
use std::path::{Path, PathBuf};

/// What text is called in messages.
const NAME: &str = "rules";

/// Where rules come from.
#[derive(Clone, Debug)]
pub enum RuleSource {
    /// A file.
    File(PathBuf),
    /// The text of one. Files that it names are looked for in the folder of the process.
    Text(String),
}

impl RuleSource {
    /// Rules as values: a name and a condition each.
    pub fn values<N: AsRef<str>, W: AsRef<str>>(rules: impl IntoIterator<Item = (N, W)>) -> Self {
        let rule = |(name, when): (N, W)| {
            format!("[[rules]]\nname = {}\nwhen = {}\n", quoted(name.as_ref()), quoted(when.as_ref()))
        };
        Self::Text(rules.into_iter().map(rule).collect::<Vec<_>>().join("\n"))
    }

    pub(super) fn parse(&self) -> Result<RuleFile> {
        match self {
            Self::File(path) => RuleFile::read(path),
            Self::Text(text) => RuleFile::parse(Path::new(NAME), text.clone()),
        }
    }
}

impl From<&Path> for RuleSource {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

/// A basic string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            char if char.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(char))),
            char => quoted.push(char),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_rules() {
        let source = RuleSource::values([("same \"a\"", "l.a = r.a\nAND l.b = r.b"), ("c", "l.c = 'x\\y'")]);
        let file = source.parse().unwrap();
        assert_eq!(file.names().collect::<Vec<_>>(), ["same \"a\"", "c"]);
    }
}
