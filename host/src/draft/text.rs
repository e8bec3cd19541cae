//! A draft as a rule file: each part with a comment that says why it is there.

use super::choose::{Chosen, Rule};
use super::compared::{Columns, Compared};
use super::matching::By;
use super::role::FROM;
use super::{score, sql};
use crate::inspect::profile::{Profile, Sign};
use crate::read::table::{IdSource, ReadOptions, Table};
use indicatif::HumanCount;
use std::fmt::Write;
use std::path::Path;

/// Words that count as missing: in all columns, and in one of them.
#[derive(Default)]
pub(super) struct Missing {
    pub(super) words: Vec<String>,
    pub(super) by_column: Vec<(String, Vec<String>)>,
    /// Values that may be placeholders, and may as well not be.
    pub(super) doubtful: Vec<(String, Vec<String>)>,
}

impl Missing {
    /// What the profiles of all tables show.
    pub(super) fn of(profiles: &[Profile]) -> Self {
        let mut missing = Self::default();
        for column in profiles.iter().flat_map(|profile| &profile.columns).filter(|column| !column.is_id) {
            for found in &column.placeholders {
                let of_column = match found.sign {
                    Sign::Word => {
                        if !missing.words.contains(&found.value) {
                            missing.words.push(found.value.clone());
                        }
                        continue;
                    }
                    Sign::Digits | Sign::Day => &mut missing.by_column,
                    Sign::Alone => &mut missing.doubtful,
                };
                match of_column.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(&column.name)) {
                    Some((_, words)) if words.contains(&found.value) => {}
                    Some((_, words)) => words.push(found.value.clone()),
                    None => of_column.push((column.name.clone(), vec![found.value.clone()])),
                }
            }
        }
        missing
    }

    fn text(&self, columns: &[String]) -> String {
        let list = |words: &[String]| words.iter().map(|word| sql::text(word)).collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        if !self.words.is_empty() {
            text += "# Written where nothing is known, in some column. Take out what is a value.\n";
            text += &format!("[missing]\nwords = [{}]\n\n", list(&self.words));
        }
        // The rules' own columns alone: a name that no table has is an error.
        let is_there = |(name, _): &&(String, Vec<String>)| {
            columns.iter().any(|column| column.eq_ignore_ascii_case(name))
        };
        let sure: Vec<_> = self.by_column.iter().filter(is_there).collect();
        let doubtful: Vec<_> = self.doubtful.iter().filter(is_there).collect();
        if !sure.is_empty() {
            text += "# The same, of one column: a row of one digit, or the day on which a clock begins.\n[missing.columns]\n";
            sure.iter()
                .for_each(|(name, words)| text += &format!("{} = [{}]\n", sql::key(name), list(words)));
            text.push('\n');
        }
        if !doubtful.is_empty() {
            text += "# Far more frequent than all other values of their columns. If they mean that nothing is known, write below\n";
            text += "# [missing.columns]:\n";
            for (name, words) in doubtful {
                let line = format!("{} = [{}]", sql::key(name), list(words));
                text += &format!("#     {}\n", sql::comment(&line));
            }
            text.push('\n');
        }
        text
    }
}

/// What stands before the rules: what counts as missing, and what columns are called.
pub(super) fn head(columns: &Columns, missing: &Missing, tables: &[Table]) -> String {
    let mut own = Vec::new();
    for it in &columns.compared {
        for (side, table) in tables.iter().enumerate() {
            own.push(table.schema.columns[it.places[side]].name.clone());
        }
    }
    let mut text = missing.text(&own);
    if !columns.called.is_empty() {
        text += "# What the tables name differently: rules use the first name.\n[columns]\n";
        for (name, both) in &columns.called {
            let others: Vec<String> =
                both.iter().filter(|other| *other != name).map(|other| sql::text(other)).collect();
            text += &format!("{} = [{}]\n", sql::key(name), others.join(", "));
        }
        text.push('\n');
    }
    text
}

/// The whole file.
pub(super) fn file(
    tables: &[Table],
    name: &Path,
    options: &[ReadOptions],
    columns: &Columns,
    head: &str,
    chosen: &Chosen,
) -> String {
    let mut text = String::new();
    let names: Vec<String> =
        tables.iter().map(|table| sql::comment(&table.path.display().to_string())).collect();
    let n: Vec<String> =
        tables.iter().map(|table| HumanCount(table.n_records().into()).to_string()).collect();
    let _ = writeln!(
        text,
        "# Rules for {}, drafted from what is in there ({} records). A start: change what you know better.",
        names.join(" and "),
        n.join(" and ")
    );
    let mut ids = String::new();
    for (option, own) in ["--id", "--right-id"].iter().zip(options) {
        if let IdSource::Column(name) = &own.id {
            let _ = write!(ids, " {option} {}", shell(name));
        }
    }
    let files: Vec<String> = tables.iter().map(|table| shell(&table.path.to_string_lossy())).collect();
    let (find, files) = (if tables.len() == 1 { "dedupe" } else { "link" }, sql::comment(&files.join(" ")));
    let ids = sql::comment(&ids);
    let name = sql::comment(&shell(&name.to_string_lossy()));
    let _ = writeln!(text, "#\n#     hyperblock {find} {files}{ids} -r {name} -o pairs.csv");
    let method = score::METHOD;
    let _ = writeln!(
        text,
        "#     hyperblock resolve {files}{ids} -r {name} --method {method} -o entities.csv\n#"
    );
    columns.compared.iter().for_each(|it| text += &compared(it, tables));
    let several = tables.len() > 1;
    for (nth, name, why) in &columns.left_out {
        let of = if several { format!(" of {}", names[*nth]) } else { String::new() };
        let _ = writeln!(text, "# Not compared: `{}`{of} ({why}).", sql::comment(name));
        if *why == FROM && !several {
            let name = sql::comment(&shell(name));
            let _ = writeln!(
                text,
                "#     If each of these has a thing at most once, resolve with --method components --source {name}."
            );
        }
    }
    text.push('\n');
    text += head;
    let a_record = chosen.a_record;
    text += "# A pair is a candidate if one of these holds. What is expected was seen on a sample, by running the rule.\n";
    let _ = writeln!(text, "# All together: about {} candidates a record.\n", about(a_record));
    chosen.rules.iter().for_each(|it| text += &rule(it));
    let _ = writeln!(
        text,
        "# How alike the records of a candidate are: the weighted mean over the columns that both have. A column weighs as many\n# bits as its values tell of a record. Lower the threshold if pairs are missing, raise it if wrong ones are kept."
    );
    let _ = writeln!(text, "[score]\nthreshold = {:.2}\n", chosen.threshold);
    text += &score::attributes(&columns.compared);
    text
}

fn compared(it: &Compared, tables: &[Table]) -> String {
    let name = sql::comment(&it.names[0]);
    let own = |side: usize| &tables[side].schema.columns[it.places[side]].name;
    let with = match it.by {
        _ if tables.len() < 2 || own(0) == own(1) => String::new(),
        By::Name => format!(", `{}` on the right", sql::comment(own(1))),
        By::Content(same) => {
            format!(
                ", `{}` on the right: {:.0}% of the one is in the other",
                sql::comment(own(1)),
                100.0 * same
            )
        }
    };
    format!("# Compared: `{name}` ({}, {:.1} bits{with}).\n", it.role.said(), it.bits)
}

fn rule(Rule { name, why, when, n_pairs }: &Rule) -> String {
    let n = HumanCount(n_pairs.round() as u64);
    let (name, when, why) = (sql::text(name), sql::text(when), sql::comment(why));
    format!("# {why} About {n} pairs.\n[[rules]]\nname = {name}\nwhen = {when}\n\n")
}

fn about(number: f64) -> String {
    if number >= 10.0 { format!("{number:.0}") } else { format!("{number:.1}") }
}

/// A word for a shell.
fn shell(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+=:,@%".contains(char);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
