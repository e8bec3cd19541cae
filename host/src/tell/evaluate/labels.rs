//! Labels of pairs: the words for them, and with which probability a pair, or an entity, was chosen to be labelled.

use super::ONE;
use crate::base::error::{Error, Result};
use crate::read::table::Table;
use arrow_array::{Array, LargeStringArray};

/// Names of the column of labels.
const LABEL_COLUMNS: [&str; 3] = ["label", "match", "is_match"];

/// Names of the column of probabilities: the one that says what it is, and the short one.
const CHANCE_COLUMN: &str = "sampled_with";
const SHORT_CHANCE_COLUMN: &str = "probability";
/// Beside that one, a short one is of a match.
const WEIGHT_COLUMN: &str = "weight";

/// What is written for a match, for none, and by who is unsure. Programs that count also write 1.0 and 0.0.
const MATCH: [&str; 6] = ["match", "1", "1.0", "true", "yes", "y"];
const NO_MATCH: [&str; 9] = ["no match", "no_match", "nomatch", "non-match", "0", "0.0", "false", "no", "n"];
const UNSURE: [&str; 3] = ["unsure", "maybe", "?"];

/// The column of labels, if there is one.
pub(super) fn column(file: &Table) -> Option<usize> {
    LABEL_COLUMNS.iter().find_map(|name| file.schema.find(name))
}

/// What a row says of its pair: whether it is a match, or nothing.
pub(super) fn verdict(
    file: &Table,
    column: usize,
    labels: &LargeStringArray,
    row: usize,
) -> Result<Option<bool>> {
    let text = if labels.is_null(row) { "" } else { labels.value(row) };
    let word = text.trim().to_lowercase();
    let is_in = |words: &[&str]| words.contains(&word.as_str());
    if is_in(&MATCH) {
        Ok(Some(true))
    } else if is_in(&NO_MATCH) {
        Ok(Some(false))
    } else if word.is_empty() || is_in(&UNSURE) {
        Ok(None)
    } else {
        let name = &file.schema.columns[column].name;
        let message = format!(
            "row {}, column `{name}`: `{text}` is no label. A match is `match`, `1`, `true`, `yes` or `y`; no match is `no \
             match`, `no_match`, `nomatch`, `non-match`, `0`, `false`, `no` or `n`; a pair that nobody is sure of is \
             `unsure`, `maybe`, `?` or nothing",
            row + 1
        );
        Err(Error::table(&file.path, message))
    }
}

/// What rows stand for: 1/p, where they were chosen with a probability of p.
pub(super) struct Weights<'a> {
    file: &'a Table,
    column: usize,
    texts: &'a LargeStringArray,
}

impl<'a> Weights<'a> {
    /// The column for pairs, if there is one.
    pub(super) fn of_pairs(file: &'a Table) -> Result<Option<Self>> {
        let find = |name: &str| file.schema.find(name);
        match (find(CHANCE_COLUMN), find(SHORT_CHANCE_COLUMN), find(WEIGHT_COLUMN)) {
            (None, None, _) => Ok(None),
            (Some(column), ..) | (None, Some(column), None) => Self::new(file, column).map(Some),
            (None, Some(_), Some(_)) => {
                let message = "a `probability` beside a `weight` is that of a match, as in files of scored pairs. Leave it \
                               out, or name the probability that a pair was chosen `sampled_with`";
                Err(Error::table(&file.path, message))
            }
        }
    }

    /// The column for entities, if there is one.
    pub(super) fn of_entities(file: &'a Table) -> Result<Option<Self>> {
        file.schema.find(CHANCE_COLUMN).map(|column| Self::new(file, column)).transpose()
    }

    fn new(file: &'a Table, column: usize) -> Result<Self> {
        Ok(Self { file, column, texts: file.values(column)? })
    }

    /// How many a row stands for, in billionths.
    pub(super) fn of(&self, row: usize) -> Result<u64> {
        let text = if self.texts.is_null(row) { "" } else { self.texts.value(row) };
        let chance = text.trim().parse::<f64>().ok();
        // Below a billionth, what a row stands for is more than all records.
        let chance = chance.filter(|chance| (1e-9..=1.0).contains(chance));
        let Some(chance) = chance else {
            let name = &self.file.schema.columns[self.column].name;
            let what = if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") };
            let message = format!(
                "row {}, column `{name}`: the probability of being chosen is a number from 1e-9 to 1, not {what}",
                row + 1
            );
            return Err(Error::table(&self.file.path, message));
        };
        Ok((ONE as f64 / chance).round() as u64)
    }

    /// What a row says, for messages.
    pub(super) fn text(&self, row: usize) -> &str {
        if self.texts.is_null(row) { "" } else { self.texts.value(row) }
    }
}
