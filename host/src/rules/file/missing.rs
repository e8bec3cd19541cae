//! The section `[missing]` of a rule file: what is written in tables where nothing is known.
//!
//! ```toml
//! [missing]
//! words = ["NA", "unknown", "-"]     # in all columns
//!
//! [missing.columns]
//! phone = ["0000000000"]             # in this one as well
//! ```

use super::{known_keys, string};
use crate::read::table::{Schema, Words};
use crate::rules::suggest::nearest;
use crate::rules::syntax::{Parsed, complaint};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

const SHAPE: &str = "what counts as missing is written `[missing]`, then `words = [\"NA\", \"unknown\"]`; for one column, \
     `[missing.columns]`, then `phone = [\"0000000000\"]`";

/// What the section says.
#[derive(Debug, Default)]
pub(super) struct MissingEntries {
    words: Vec<String>,
    /// A column, where it is named, and its words.
    columns: Vec<(String, Range<usize>, Vec<String>)>,
}

impl MissingEntries {
    pub(super) fn words(&self) -> Words {
        let columns = self.columns.iter().map(|(name, _, words)| (name.clone(), words.clone()));
        Words::new(self.words.clone(), columns.collect())
    }

    /// A complaint about the first column that neither table has.
    pub(super) fn check(&self, left: &Schema, right: &Schema) -> Parsed<()> {
        let is_lost = |name: &str| left.find(name).is_none() && right.find(name).is_none();
        let Some((name, span, _)) = self.columns.iter().find(|(name, ..)| is_lost(name)) else {
            return Ok(());
        };
        let message = match left.table == right.table {
            true => format!("{} has no column `{name}`", left.table),
            false => format!("neither {} nor {} has a column `{name}`", left.table, right.table),
        };
        let all = || left.columns.iter().chain(&right.columns).map(|column| column.name.as_str());
        let help = match nearest(name, all()) {
            Some(near) if left.hint().is_none() => format!("did you mean `{near}`?"),
            _ => format!("the columns are {}", left.names()),
        };
        Err(complaint(span.clone(), message).help(help))
    }
}

pub(super) fn section(section: &Spanned<DeValue<'_>>) -> Parsed<MissingEntries> {
    let not_a_table =
        |span: Range<usize>, name: &str| complaint(span, format!("`{name}` is not a table")).help(SHAPE);
    let table = section.get_ref().as_table().ok_or_else(|| not_a_table(section.span(), "missing"))?;
    known_keys(table, &["words", "columns"], "`[missing]`", SHAPE)?;
    let all = table.get("words").map(|list| words(list, "words")).transpose()?.unwrap_or_default();
    let mut columns = Vec::new();
    if let Some(of_columns) = table.get("columns") {
        let list =
            of_columns.get_ref().as_table().ok_or_else(|| not_a_table(of_columns.span(), "columns"))?;
        for (name, list) in list.iter() {
            columns.push((name.get_ref().to_string(), name.span(), words(list, name.get_ref())?));
        }
    }
    // Tables are sorted by key; complaints come in the order of the file.
    columns.sort_by_key(|(_, span, _)| span.start);
    if all.is_empty() && columns.iter().all(|(_, _, words)| words.is_empty()) {
        return Err(complaint(section.span(), "`[missing]` lists nothing").help(SHAPE));
    }
    Ok(MissingEntries { words: all, columns })
}

fn words(list: &Spanned<DeValue<'_>>, key: &str) -> Parsed<Vec<String>> {
    let not_a_list = || complaint(list.span(), format!("`{key}` is not a list of texts")).help(SHAPE);
    let list = list.get_ref().as_array().ok_or_else(not_a_list)?;
    list.iter().map(|word| string(word, key).map(str::to_owned)).collect()
}
