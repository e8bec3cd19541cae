//! A profile for people.

use super::{ColumnProfile, Key, Lengths, Profile, Sign};
use crate::base::shown::shown;
use crate::read::table::Kind;
use indicatif::HumanCount;
use std::fmt::{self, Display, Formatter};

/// Characters of a value that are shown.
const SHOWN: usize = 40;

impl Display for Profile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let columns = if self.columns.len() == 1 { "column" } else { "columns" };
        let (n, n_columns) = (HumanCount(self.n_records), HumanCount(self.columns.len() as u64));
        writeln!(f, "{}: {n} records, {n_columns} {columns}", shown(&self.path.display().to_string()))?;
        self.columns.iter().try_for_each(|column| write!(f, "{column}"))?;
        let is_told = |sign: Sign| sign == Sign::Word;
        let mut words: Vec<&str> = Vec::new();
        for found in self.columns.iter().flat_map(|column| &column.placeholders) {
            if is_told(found.sign) && !words.contains(&&*found.value) {
                words.push(&found.value);
            }
        }
        let mut of_columns = Vec::new();
        for column in &self.columns {
            let values: Vec<String> = column
                .placeholders
                .iter()
                .filter(|found| !is_told(found.sign))
                .map(|found| toml(&found.value))
                .collect();
            if !values.is_empty() {
                of_columns.push(format!("    {} = [{}]\n", toml(&column.name), values.join(", ")));
            }
        }
        if words.is_empty() && of_columns.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "What looks like a placeholder counts as missing if the rule file says so; keep what is a value:"
        )?;
        if !words.is_empty() {
            let words: Vec<String> = words.into_iter().map(toml).collect();
            writeln!(f, "    [missing]\n    words = [{}]", words.join(", "))?;
        }
        if !of_columns.is_empty() {
            write!(f, "    [missing.columns]\n{}", of_columns.concat())?;
        }
        Ok(())
    }
}

impl Display for ColumnProfile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (n_missing, n_distinct) = (HumanCount(self.n_missing), HumanCount(self.n_distinct));
        let missing = share(self.n_missing, self.n_records);
        let (name, kind) = (shown(&self.name), self.kind_said());
        writeln!(f, "  {name}: {kind}, distinct={n_distinct}, missing={n_missing} ({missing})")?;
        let is_key = self.key() == Some(Key::Unique);
        match self.key() {
            _ if self.is_id && is_key => writeln!(f, "      the ids")?,
            _ if self.is_id && self.n_records > 0 => {
                let n = HumanCount(self.n_records - self.n_distinct);
                writeln!(
                    f,
                    "      the ids, but {n} records have none of their own; name another column with --id"
                )?;
            }
            Some(Key::Unique) => writeln!(f, "      a key: each record has a value of its own")?,
            Some(Key::Nearly(n)) => {
                writeln!(
                    f,
                    "      nearly a key: all but {} records have a value of their own",
                    HumanCount(n)
                )?;
            }
            None => {}
        }
        if let Some(Lengths { least, median, mean, most }) = self.lengths {
            writeln!(f, "      length {least} to {most}, median {median}, mean {mean:.1}")?;
        }
        for (value, n) in &self.heavy {
            let share = share(*n, self.n_records);
            writeln!(f, "      {:>9} ({share})  {}", HumanCount(*n).to_string(), brief(value))?;
        }
        for found in &self.placeholders {
            let (value, n) = (brief(&found.value), HumanCount(found.n));
            writeln!(f, "      placeholder? {value} ({n}): {}", found.sign.said())?;
        }
        Ok(())
    }
}

impl ColumnProfile {
    /// Its kind, for people and programs.
    pub(super) fn kind_said(&self) -> &'static str {
        match self.kind {
            _ if self.n_present() == 0 => "empty",
            Kind::Text => "text",
            Kind::Integer => "whole numbers",
            Kind::Float => "numbers",
            Kind::Date => "dates",
            Kind::List => "lists",
        }
    }
}

fn share(n: u64, of: u64) -> String {
    if of == 0 { "0.0%".to_owned() } else { format!("{:.1}%", 100.0 * n as f64 / of as f64) }
}

/// A value in a line.
fn brief(value: &str) -> String {
    let head: String = value.chars().take(SHOWN).collect();
    let more = if head.len() < value.len() { "…" } else { "" };
    format!("'{}{more}'", shown(&head))
}

/// A string of TOML.
fn toml(text: &str) -> String {
    crate::job::quoted(text)
}
