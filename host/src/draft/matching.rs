//! Which column of one table goes with which of another.
//!
//! Names come first: the same words, however they are written, and without a word that all names of a table begin with. What
//! is left goes by content: a column of the one and a column of the other that hold much the same values, or the same words, the
//! more alike their names the less of it. The best match is taken first, then the best of what is left.

use super::role::{Look, Role, words_of};
use crate::inspect::profile::ColumnProfile;
use arrow_array::{Array, LargeStringArray};
use std::collections::BTreeSet;

/// A column that may be compared, as matching sees it.
pub(super) struct Side<'a> {
    pub(super) column: &'a ColumnProfile,
    pub(super) look: Look,
    pub(super) role: Role,
    pub(super) values: &'a LargeStringArray,
    /// Its place in the table.
    pub(super) place: usize,
}

/// Why two columns go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum By {
    Name,
    /// So much of what is in the one is in the other.
    Content(f64),
}

/// Values of a column that content is compared by.
const VALUES: usize = 8192;
/// So much must be the same,
const ENOUGH: f64 = 0.3;
/// or so much, if names are this much alike.
const LITTLE: f64 = 0.05;
const ALIKE: f64 = 0.85;
/// Fewer values are in common by chance.
const FEW: u64 = 10;

/// Pairs of places in both lists, in the order of the left one.
pub(super) fn matched(left: &[Side<'_>], right: &[Side<'_>]) -> Vec<(usize, usize, By)> {
    let names = [left, right].map(|sides| {
        let all: Vec<Vec<String>> = sides.iter().map(|side| words_of(&side.column.name)).collect();
        let first = all.first().and_then(|words| words.first()).cloned();
        let is_prefix =
            all.len() > 1 && all.iter().all(|words| words.len() > 1 && words.first() == first.as_ref());
        let joined = |words: &Vec<String>| words[usize::from(is_prefix)..].concat();
        all.iter().map(joined).collect::<Vec<String>>()
    });
    let mut found = Vec::new();
    let (mut lefts, mut rights) = (BTreeSet::new(), BTreeSet::new());
    for (l, name) in names[0].iter().enumerate() {
        let place = |r: &usize| names[1][*r] == *name && !name.is_empty();
        if let Some(r) = (0..right.len()).filter(place).find(|r| rights.insert(*r)) {
            lefts.insert(l);
            found.push((l, r, By::Name));
        }
    }
    let contents = [left, right].map(|sides| sides.iter().map(Content::of).collect::<Vec<_>>());
    let mut others = Vec::new();
    for l in (0..left.len()).filter(|l| !lefts.contains(l)) {
        for r in (0..right.len()).filter(|r| !rights.contains(r)) {
            let (one, other) = (&left[l], &right[r]);
            let are_numbers = [one, other].map(|side| matches!(side.role, Role::Number | Role::Date));
            let n_least = one.column.n_distinct.min(other.column.n_distinct);
            if are_numbers[0] != are_numbers[1] || n_least < FEW {
                continue;
            }
            let same = contents[0][l].in_common(&contents[1][r]);
            let alike = strsim::jaro_winkler(&names[0][l], &names[1][r]);
            if same >= ENOUGH || (same >= LITTLE && alike >= ALIKE) {
                others.push((same + alike / 4.0, l, r, same));
            }
        }
    }
    others.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    for (_, l, r, same) in others {
        if !lefts.contains(&l) && !rights.contains(&r) {
            lefts.insert(l);
            rights.insert(r);
            found.push((l, r, By::Content(same)));
        }
    }
    found.sort_by_key(|(l, ..)| *l);
    found
}

/// What is in a column.
struct Content {
    values: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Content {
    fn of(side: &Side<'_>) -> Self {
        let values = side.values;
        let step = values.len().div_ceil(VALUES).max(1);
        let rows = (0..values.len()).step_by(step).filter(|&row| values.is_valid(row));
        let brief = |value: &str| value[..value.floor_char_boundary(200)].to_lowercase();
        let values: BTreeSet<String> = rows.map(|row| brief(values.value(row))).collect();
        // Of numbers, words are digits: they say nothing.
        let has_words = side.look.digits < 0.5;
        let words = |value: &String| value.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let words = values.iter().filter(|_| has_words).flat_map(words).collect();
        Self { values, words }
    }

    /// The share of what is in the smaller one that is in both: of its values, or of its words, which count half.
    fn in_common(&self, other: &Self) -> f64 {
        let share = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            one.intersection(other).count() as f64 / one.len().min(other.len()).max(1) as f64
        };
        share(&self.values, &other.values).max(share(&self.words, &other.words) / 2.0)
    }
}
