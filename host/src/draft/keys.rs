//! Keys: what two records may have the same, a column or two, whole or in part; and how many pairs have it.
//!
//! Pairs are counted, from how often each value stands; of large tables those of every n-th record. Two parts of which each is
//! too common may be a key together. A pair of records of one thing has both more often than chance would have it, so keys come
//! by how many pairs they have beyond that.

use super::compared::Compared;
use super::role::Role;
use super::sql;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::encode::dictionary::Dictionary;
use crate::read::table::Table;
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashMap;
use hyperblock_shared::columns::MISSING;
use hyperblock_shared::soundex::soundex;

/// Records of a table that are looked at.
const RECORDS: usize = 1 << 18;
/// Letters of a beginning.
const BEGINNING: usize = 4;

/// A condition that some records meet together.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// For people: `same city and year of birth`.
    pub(super) name: String,
    pub(super) when: String,
    /// Pairs of the tables that have it, about.
    pub(super) n_pairs: f64,
    /// Pairs that chance does not explain.
    beyond: f64,
}

/// A value of a record, or a part of it.
struct Part {
    column: usize,
    /// Whether it is the whole value.
    is_whole: bool,
    name: String,
    when: String,
    /// By record of the left table, then of the right one: what it is.
    codes: [Vec<u32>; 2],
    n_pairs: f64,
}

/// Keys that at most so many pairs have, those first that say most.
pub(super) fn keys(
    tables: &[Table],
    compared: &[Compared],
    most: f64,
    control: &Control,
) -> Result<Vec<Key>> {
    let counting = Counting::of(tables);
    let mut parts = Vec::new();
    for (column, it) in compared.iter().enumerate() {
        for (is_whole, said, take) in takes(it) {
            let [left, right] = it.values().map(|value| said.replace("{}", &value));
            let of = |side: usize| {
                let table = tables.get(side).unwrap_or(&tables[0]);
                Ok(table.values(it.places[side])?.clone())
            };
            let codes = counting.codes([&of(0)?, &of(1)?], &take, control);
            let n_pairs = counting
                .n_pairs(codes[0].iter().copied().map(u64::from), codes[1].iter().copied().map(u64::from));
            let name = match said {
                "{}" => it.names[0].clone(),
                _ if said.starts_with("soundex") => format!("sound of {}", it.names[0]),
                _ if said.starts_with("year") => format!("year of {}", it.names[0]),
                _ => format!("beginning of {}", it.names[0]),
            };
            parts.push(Part { column, is_whole, name, when: format!("{left} = {right}"), codes, n_pairs });
            control.check()?;
        }
    }
    let mut keys: Vec<Key> = Vec::new();
    let all = counting.all.max(1.0);
    let is_rare = |part: &Part| part.n_pairs <= most;
    for part in parts.iter().filter(|part| is_rare(part) && part.n_pairs > 0.0) {
        // A beginning is no key by itself where all of it is one.
        let has_whole =
            parts.iter().any(|other| other.column == part.column && other.is_whole && is_rare(other));
        if part.is_whole || !has_whole || part.name.starts_with("beginning") {
            let (name, when) = (format!("same {}", part.name), part.when.clone());
            keys.push(Key { name, when, n_pairs: part.n_pairs, beyond: part.n_pairs });
        }
    }
    for (nth, one) in parts.iter().enumerate() {
        for other in parts[nth + 1..].iter().filter(|other| other.column != one.column) {
            if is_rare(one) || is_rare(other) {
                continue;
            }
            let both = |side: usize| {
                one.codes[side].iter().zip(&other.codes[side]).map(|(a, b)| match MISSING {
                    missing if *a == missing || *b == missing => u64::from(MISSING),
                    _ => u64::from(*a) << 32 | u64::from(*b),
                })
            };
            let n_pairs = counting.n_pairs(both(0), both(1));
            let beyond = n_pairs - one.n_pairs * other.n_pairs / all;
            if n_pairs > 0.0 && n_pairs <= most && beyond > 0.0 {
                let name = format!("same {} and {}", one.name, other.name);
                keys.push(Key { name, when: format!("{} AND {}", one.when, other.when), n_pairs, beyond });
            }
            control.check()?;
        }
    }
    keys.sort_by(|a, b| b.beyond.total_cmp(&a.beyond).then_with(|| a.when.cmp(&b.when)));
    Ok(keys)
}

/// What is taken of a value, as text.
type Take = Box<dyn Fn(&str) -> Option<String> + Sync>;

/// What may be taken of a column: whether it is all of it, how rules say it of a value `{}`, and how it is done here.
fn takes(column: &Compared) -> Vec<(bool, &'static str, Take)> {
    let has_signs = column.has_signs();
    let whole: Take = match column.role {
        Role::Code if has_signs => Box::new(|value| {
            let letters = value.chars().flat_map(char::to_lowercase).filter(char::is_ascii_alphanumeric);
            Some(letters.collect::<String>()).filter(|value| !value.is_empty())
        }),
        Role::Number | Role::Date => Box::new(|value| Some(value.to_owned())),
        Role::Name | Role::Text | Role::Code => Box::new(|value| Some(value.to_lowercase())),
    };
    let mut all: Vec<(bool, &'static str, Take)> = vec![(true, "{}", whole)];
    match column.role {
        Role::Name => {
            all.push((
                false,
                "soundex({})",
                Box::new(|value| {
                    let code = soundex(value.chars())?;
                    Some(code.iter().map(|byte| char::from(*byte)).collect())
                }),
            ));
            if column.length >= 2.0 * BEGINNING as f64 {
                all.push((false, "left({}, 4)", Box::new(|value| Some(beginning(&value.to_lowercase())))));
            }
        }
        Role::Code if column.length >= 1.5 * BEGINNING as f64 => {
            all.push((
                false,
                "left({}, 4)",
                Box::new(move |value| {
                    let kept = |char: &char| !has_signs || char.is_ascii_alphanumeric();
                    let letters = value.chars().flat_map(char::to_lowercase).filter(kept);
                    Some(letters.take(BEGINNING).collect::<String>()).filter(|value| !value.is_empty())
                }),
            ));
        }
        Role::Date => all.push((false, "year({})", Box::new(|value| Some(beginning(value))))),
        Role::Text | Role::Number | Role::Code => {}
    }
    all
}

fn beginning(value: &str) -> String {
    value.chars().take(BEGINNING).collect()
}

/// How pairs are counted.
struct Counting {
    /// Every how manieth record of each table.
    steps: [usize; 2],
    is_one_table: bool,
    /// All pairs.
    all: f64,
    /// Pairs of the tables for each that is counted.
    scale: f64,
}

impl Counting {
    fn of(tables: &[Table]) -> Self {
        let n = [&tables[0], tables.last().unwrap_or(&tables[0])].map(|table| table.n_records() as usize);
        let steps = n.map(|n| n.div_ceil(RECORDS).max(1));
        let is_one_table = tables.len() == 1;
        let all = n[0] as f64 * n[1] as f64 / if is_one_table { 2.0 } else { 1.0 };
        Self { steps, is_one_table, all, scale: (steps[0] * steps[1]) as f64 }
    }

    fn codes(&self, values: [&LargeStringArray; 2], take: &Take, control: &Control) -> [Vec<u32>; 2] {
        let n = [0, 1].map(|side| values[side].len().div_ceil(self.steps[side]));
        let n_all = if self.is_one_table { n[0] } else { n[0] + n[1] };
        let value = |ix: usize| {
            let (side, nth) = if ix < n[0] { (0, ix) } else { (1, ix - n[0]) };
            let row = nth * self.steps[side];
            values[side].is_valid(row).then(|| take(values[side].value(row))).flatten()
        };
        let mut left = Dictionary::new(n_all, value, control).codes;
        let right = left.split_off(n[0]);
        [left, right]
    }

    /// How many pairs have the same code.
    fn n_pairs(&self, left: impl Iterator<Item = u64>, right: impl Iterator<Item = u64>) -> f64 {
        let mut counts: HashMap<u64, [u64; 2]> = HashMap::new();
        let is_there = |code: &u64| *code != u64::from(MISSING);
        left.filter(is_there).for_each(|code| counts.entry(code).or_default()[0] += 1);
        right.filter(is_there).for_each(|code| counts.entry(code).or_default()[1] += 1);
        let pairs = |[left, right]: &[u64; 2]| match self.is_one_table {
            true => left * (left - 1) / 2,
            false => left * right,
        };
        counts.values().map(pairs).sum::<u64>() as f64 * self.scale
    }
}

/// A condition that no pair needs more for: all columns at once.
pub(super) fn all_the_same(compared: &[Compared]) -> String {
    let same = |it: &Compared| {
        let [left, right] = it.values();
        format!("{left} = {right}")
    };
    compared.iter().map(same).collect::<Vec<_>>().join(" AND ")
}

/// Some columns of one record as one text.
pub(super) fn together(compared: &[&Compared], side: usize) -> String {
    let columns: Vec<String> =
        compared.iter().map(|it| sql::column(["l", "r"][side], &it.names[side])).collect();
    let has_capitals = compared.iter().any(|it| it.look.capitals > 0.0);
    let joined = match &columns[..] {
        [one] => one.clone(),
        all => format!("concat({})", all.join(", ' ', ")),
    };
    if has_capitals { format!("lower({joined})") } else { joined }
}
