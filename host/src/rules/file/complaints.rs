//! All that is wrong with a rule file, where each rule can be looked at by itself, and not only what is found first.

use super::{RuleFile, entry, sections};
use crate::base::error::Error;
use crate::rules::syntax::Complaint;
use std::collections::HashSet;
use std::path::Path;
use toml::de::DeTable;

impl RuleFile {
    /// What is wrong with the text of a rule file: none, if it can be parsed.
    pub(crate) fn complaints(path: &Path, source: &str) -> Vec<Error> {
        let all = complaints(source).into_iter();
        all.map(|complaint| complaint.about(path, source.to_owned())).collect()
    }

    /// What is wrong with each of these, as complaints about this file.
    pub(in crate::rules) fn errors(&self, complaints: impl IntoIterator<Item = Complaint>) -> Vec<Error> {
        complaints.into_iter().map(|complaint| self.error(complaint)).collect()
    }
}

fn complaints(source: &str) -> Vec<Complaint> {
    let Err(first) = sections(source) else { return Vec::new() };
    let Ok(document) = DeTable::parse(source) else { return vec![first] };
    let rules = document.get_ref().get("rules").and_then(|rules| rules.get_ref().as_array());
    let mut names = HashSet::new();
    let rules = (1..).zip(rules.into_iter().flat_map(|rules| rules.iter()));
    let mut all: Vec<Complaint> =
        rules.filter_map(|(number, rule)| entry(source, number, rule, &mut names).err()).collect();
    // It may be about something else than a rule.
    if all.iter().all(|other| other.span != first.span) {
        all.insert(0, first);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_by_itself() {
        let said = |source: &str| -> Vec<String> {
            RuleFile::complaints(Path::new("r.toml"), source).iter().map(ToString::to_string).collect()
        };
        assert!(said("[[rules]]\nwhen = 'l.a = r.a'\n").is_empty());
        let all = said("[[rules]]\nwhen = 'l.a ='\n[[rules]]\nwhen = 'l.a = r.a'\n[[rules]]\nname = 'x'\n");
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all[0].contains("r.toml:2:") && all[1].contains("`x` has no `when`"), "{all:?}");
        assert_eq!(said("[[rules]\n").len(), 1);
        assert_eq!(said("[[rules]]\nwhen = 'l.a = r.a'\n[scores]\n").len(), 1);
    }
}
