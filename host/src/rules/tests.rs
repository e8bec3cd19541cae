//! Rules from end to end: what they mean, how they are shown, and what is said of wrong ones.

mod bad_rules;
mod bind;
mod calls;
mod compound;
mod distance;
mod file;
mod implication;
mod lists;
mod made;
mod missing;
mod neighbourhood;
mod pairs;
mod score;
mod splink;
mod syntax;
mod thresholds;
mod unsupported;

use super::{Rule, RuleFile};
use crate::base::error::Result;
use crate::read::table::{ColumnSchema, Kind, Schema};
use std::path::Path;

/// A table with a column of every kind, and with names that need quotes.
fn schema(table: &str) -> Schema {
    let column = |name: &str, kind| ColumnSchema { name: name.to_owned(), kind, why_text: None };
    let mut columns = vec![
        column("title", Kind::Text),
        column("Full Name", Kind::Text),
        column("year", Kind::Integer),
        column("price", Kind::Float),
        column("born", Kind::Date),
        column("zip", if table == "left.csv" { Kind::Integer } else { Kind::Text }),
        column("group", Kind::Text),
        column("Größe", Kind::Integer),
    ];
    if let Some(zip) = columns.iter_mut().find(|column| column.name == "zip" && column.kind == Kind::Text) {
        zip.why_text = Some("row 17 holds `D-10115`".to_owned());
    }
    Schema { table: table.to_owned(), columns }
}

/// A rule file of one unnamed rule.
fn toml(when: &str) -> String {
    let escaped = when.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        '\0'..' ' | '\u{7f}' => format!("\\u{:04x}", u32::from(char)),
        plain => plain.to_string(),
    });
    format!("[[rules]]\nwhen = \"{}\"\n", escaped.collect::<String>())
}

fn parse(source: &str) -> Result<RuleFile> {
    RuleFile::parse(Path::new("rules.toml"), source.to_owned())
}

fn bound(when: &str, dedupe: bool) -> Result<Rule> {
    let (left, right) = (schema("left.csv"), schema(if dedupe { "left.csv" } else { "right.csv" }));
    super::bind(&parse(&toml(when))?, &left, &right, dedupe).map(|mut rules| rules.remove(0))
}

/// The rules as they are understood, each beside what was written.
fn shown(whens: &[&str]) -> String {
    let line = |when: &&str| format!("{when}\n    {}", bound(when, false).unwrap());
    whens.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What is said of wrong rules.
fn errors(whens: &[&str]) -> String {
    let error = |when: &&str| match bound(when, false) {
        Ok(rule) => format!("no error in {when}: {rule}"),
        Err(error) => error.to_string(),
    };
    whens.iter().map(error).collect::<Vec<_>>().join("\n\n")
}
