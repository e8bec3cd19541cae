//! Truth files: which of the three forms they have, and what they say about the records of the tables.

use super::counts::{Counts, ONE, Sum};
use super::entities::Size;
use super::labels::{self, Weights};
use super::several::{Finder, Named as NamedIds, is_several};
use super::{Coverage, Known, Label, Matches, NONE, Named, Truth};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::pairs::PairFile;
use crate::read::table::{IdSource, Ids, ReadOptions, Table};
use hashbrown::{HashMap, HashSet};
use std::path::Path;

impl Truth {
    /// Reads a truth file, which has one of three forms.
    ///
    /// - `id, entity_id`: records of one entity match. Pairs of records that are named are decided. `sampled_with` is the
    ///   probability with which the entity was chosen, if only some were.
    /// - `id_a, id_b`: matching pairs. No other pair matches.
    /// - `id_a, id_b, label`: pairs that match, that do not, or that nobody is sure of. Others are not decided.
    ///   `sampled_with` or `probability` is the probability with which the pair was chosen.
    ///
    /// What is said twice counts once; what contradicts itself is an error. `right` is `None` when one table is deduplicated. Of
    /// several tables that are one it may say which each id is of, in `source_a` and `source_b`, or `source`.
    pub fn read(path: &Path, left: &Table, right: Option<&Table>, control: &Control) -> Result<Self> {
        let truth = Self::of_ids(path, &left.ids, right.map(|right| &right.ids), control)?;
        Ok(if left.across().is_some() { truth.across(&left.ids) } else { truth })
    }

    /// The same of the records that a file of pairs is about. Of several tables, pairs within one of them count if `within`; else
    /// the file must have none.
    pub fn of_pairs_of(path: &Path, file: &PairFile, within: bool, control: &Control) -> Result<Self> {
        let (ids, right) = (&file.left, file.right.as_ref());
        let truth = Self::of_ids(path, ids, right, control)?;
        if within || !is_several(ids) {
            return Ok(truth);
        }
        match file.pairs.iter().find(|pair| ids.source(pair.left) == ids.source(pair.right)) {
            None => Ok(truth.across(ids)),
            Some(pair) => Err(Error::Job(format!(
                "the pair of `{}` and `{}` is within a table; say --within, so that such pairs are measured too",
                ids.name(pair.left),
                ids.name(pair.right)
            ))),
        }
    }

    /// The same where only the ids of the records are known.
    pub fn of_ids(path: &Path, left: &Ids, right: Option<&Ids>, control: &Control) -> Result<Self> {
        let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
        let file = Table::read(path, &options, &|_| true, control)?;
        let find = |name: &str| file.schema.find(name);
        match (find("id_a").zip(find("id_b")), find("id").zip(find("entity_id"))) {
            (Some(columns), _) => {
                let pairs = PairsOf::new(&file, columns, left, right)?;
                match labels::column(&file) {
                    None => pairs.matching(left, right),
                    Some(column) => pairs.labelled(column, left, right),
                }
            }
            (None, Some((id, entity))) => Self::entities(&file, id, entity, left, right),
            (None, None) => {
                let message = format!(
                    "a truth file has the columns id_a and id_b (matching pairs; with a column label, labelled pairs), or id \
                     and entity_id; this one has {}",
                    file.schema.names()
                );
                Err(Error::table(path, message))
            }
        }
    }

    fn new(matches: Matches, to_find: Sum, coverage: Coverage, left: &Ids, right: Option<&Ids>) -> Self {
        let (n_left, n_right) = (left.len(), right.map(Ids::len));
        Self { matches, to_find, coverage, counts: Counts::default(), n_left, n_right, ends: Vec::new() }
    }

    fn entities(file: &Table, id: usize, entity: usize, left: &Ids, right: Option<&Ids>) -> Result<Self> {
        let (lefts, rights) = (Finder::new(left), right.map(Finder::new));
        let ids = NamedIds::new(file, id, "source")?;
        let entities = file.singles(entity)?;
        let mut by_left = vec![NONE; left.len() as usize];
        let mut by_right = vec![NONE; right.map_or(0, Ids::len) as usize];
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut of: Vec<Known> = Vec::new();
        // By entity: the row that said first what it stands for.
        let mut firsts: Vec<usize> = Vec::new();
        // The row that names it, and its entity.
        let mut named: HashMap<Whom<'_>, (usize, &str)> = HashMap::new();
        let weights = Weights::of_entities(file)?;
        let mut n_unknown = 0;
        for (row, entity) in entities.iter().enumerate() {
            let (Some(id), Some(entity)) = (ids.id(row), entity) else {
                return Err(Error::table(&file.path, format!("row {}: a value is missing", row + 1)));
            };
            let l = lefts.find(&ids, row, id)?;
            let whom = match l {
                Some(record) if is_several(left) => Whom::Record(record),
                _ => Whom::Id(ids.source(row).filter(|_| is_several(left)), id),
            };
            let (first, before) = *named.entry(whom).or_insert((row, entity));
            if before != entity {
                let (name, help) = match whom {
                    Whom::Record(record) => (left.name(record), ""),
                    Whom::Id(_, id) => {
                        (id.to_owned(), ". If both tables have the id, write the matching pairs (id_a, id_b)")
                    }
                };
                let message = format!(
                    "rows {} and {}: `{name}` is of entity `{before}` and of entity `{entity}`; a record is of one{help}",
                    first + 1,
                    row + 1
                );
                return Err(Error::table(&file.path, message));
            }
            let weight = weights.as_ref().map_or(Ok(ONE), |weights| weights.of(row))?;
            let number = *numbers.entry(entity).or_insert_with(|| {
                of.push(Known { size: Size::default(), weight });
                firsts.push(row);
                of.len() as u32 - 1
            });
            let known = &mut of[number as usize];
            if let Some(weights) = weights.as_ref().filter(|_| known.weight != weight) {
                let (before, text) = (firsts[number as usize], weights.text(row));
                let message = format!(
                    "rows {} and {}: entity `{entity}` was chosen with a probability of {} and of {text}; an entity has one",
                    before + 1,
                    row + 1,
                    weights.text(before)
                );
                return Err(Error::table(&file.path, message));
            }
            if first < row {
                continue;
            }
            let r = rights.as_ref().map_or(Ok(None), |rights| rights.find(&ids, row, id))?;
            if let Some(record) = l {
                by_left[record as usize] = number;
                known.size.left += 1;
            }
            if let Some(record) = r {
                by_right[record as usize] = number;
                known.size.right += 1;
            }
            n_unknown += u64::from(l.is_none() && r.is_none());
        }
        let is_one_table = right.is_none();
        let all = of.iter().fold(Size::default(), |all, known| all.and(known.size));
        let (n_named, n_records) = (all.n_records(), n_records(left, right));
        let coverage = Coverage {
            n_decided: all.n_pairs(is_one_table),
            n_named,
            n_records,
            n_unknown,
            is_complete: n_named == n_records,
        };
        let n_matches = of.iter().map(|known| known.size.n_pairs(is_one_table)).sum();
        if coverage.is_complete {
            // Nothing was left to chance.
            of.iter_mut().for_each(|known| known.weight = ONE);
        }
        if is_one_table {
            by_right.clone_from(&by_left);
        }
        let matches = Matches::Entities(Named { left: by_left, right: by_right, of });
        Ok(Self::new(matches, Sum::of(n_matches), coverage, left, right))
    }
}

fn n_records(left: &Ids, right: Option<&Ids>) -> u64 {
    u64::from(left.len()) + right.map_or(0, |right| u64::from(right.len()))
}

/// Whom a row is about: a record; or nobody, who is called so.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Whom<'a> {
    /// Of several tables. It may be named with its table, and without.
    Record(u32),
    /// By table, if that is told, and id. Of two tables each may have a record of the id.
    Id(Option<&'a str>, &'a str),
}

/// A file with two columns of ids.
struct PairsOf<'a> {
    file: &'a Table,
    ids: [NamedIds<'a>; 2],
    lefts: Finder<'a>,
    rights: Option<Finder<'a>>,
}

/// The ids of a row, and the pair that they are, if both are there.
type Row<'a> = ([&'a str; 2], Option<(u32, u32)>);

impl<'a> PairsOf<'a> {
    fn new(file: &'a Table, (a, b): (usize, usize), left: &'a Ids, right: Option<&'a Ids>) -> Result<Self> {
        let ids = [NamedIds::new(file, a, "source_a")?, NamedIds::new(file, b, "source_b")?];
        Ok(Self { file, ids, lefts: Finder::new(left), rights: right.map(Finder::new) })
    }

    /// The ids of each row, and the pair that they are; of one table, either way round is the same. Nothing is the pair of a
    /// row with an id that is in no table.
    fn rows(&self) -> impl Iterator<Item = Result<Row<'a>>> + '_ {
        let [ids_a, ids_b] = &self.ids;
        let rights = self.rights.as_ref().unwrap_or(&self.lefts);
        let is_one_table = self.rights.is_none();
        (0..self.file.n_records() as usize).map(move |row| {
            let wrong = |what: &str| Error::table(&self.file.path, format!("row {}: {what}", row + 1));
            let (Some(a), Some(b)) = (ids_a.id(row), ids_b.id(row)) else {
                return Err(wrong("an id is missing"));
            };
            let pair = match (self.lefts.find(ids_a, row, a)?, rights.find(ids_b, row, b)?) {
                (Some(a), Some(b)) if is_one_table && a == b => {
                    return Err(wrong("a record is paired with itself"));
                }
                (Some(a), Some(b)) if is_one_table => Some((a.min(b), a.max(b))),
                (Some(a), Some(b)) => Some((a, b)),
                _ => None,
            };
            Ok(([a, b], pair))
        })
    }

    /// All of them match, and no others.
    fn matching(&self, left: &Ids, right: Option<&Ids>) -> Result<Truth> {
        let (mut pairs, mut n_unknown) = (HashSet::new(), 0);
        for row in self.rows() {
            match row?.1 {
                Some(pair) => drop(pairs.insert(pair)),
                None => n_unknown += 1,
            }
        }
        let n_records = n_records(left, right);
        let n_left = u64::from(left.len());
        let all = Size { left: n_left, right: n_records - n_left, within: 0 };
        let coverage = Coverage {
            n_decided: all.n_pairs(right.is_none()),
            n_named: n_records,
            n_records,
            n_unknown,
            is_complete: true,
        };
        let to_find = Sum::of(pairs.len() as u64);
        Ok(Truth::new(Matches::Pairs(pairs), to_find, coverage, left, right))
    }

    /// What their labels say.
    fn labelled(&self, column: usize, left: &Ids, right: Option<&Ids>) -> Result<Truth> {
        let texts = self.file.singles(column)?;
        let weights = Weights::of_pairs(self.file)?;
        // By pair: the row that names it, and what that says.
        let mut rows: HashMap<(u32, u32), (usize, Option<bool>, u64)> = HashMap::new();
        let mut n_unknown = 0;
        for (row, ids) in self.rows().enumerate() {
            let ([a, b], pair) = ids?;
            let verdict = labels::verdict(self.file, column, texts, row)?;
            let weight = weights.as_ref().map_or(Ok(ONE), |weights| weights.of(row))?;
            let Some(pair) = pair else {
                n_unknown += 1;
                continue;
            };
            let (first, before, weighed) = *rows.entry(pair).or_insert((row, verdict, weight));
            let (said, also) = if before != verdict {
                (format!("is labelled {}", word(before)), word(verdict).to_owned())
            } else if let Some(weights) = weights.as_ref().filter(|_| weighed != weight) {
                let text = weights.text(first);
                (format!("was chosen with a probability of {text}"), format!("of {}", weights.text(row)))
            } else {
                continue;
            };
            let (first, row) = (first + 1, row + 1);
            let [a, b] = match is_several(left) {
                true => [left.name(pair.0), left.name(pair.1)],
                false => [a, b].map(str::to_owned),
            };
            let message = format!(
                "rows {first} and {row}: the pair of `{a}` and `{b}` {said} and {also}; leave one of the rows out"
            );
            return Err(Error::table(&self.file.path, message));
        }
        let (mut to_find, mut decided) = (Sum::default(), HashMap::with_capacity(rows.len()));
        let (mut of_left, mut of_right) = (HashSet::new(), HashSet::new());
        for (pair, (_, verdict, weight)) in rows {
            let Some(is_match) = verdict else { continue };
            if is_match {
                to_find.add(weight);
            }
            decided.insert(pair, Label { is_match, weight });
            of_left.insert(pair.0);
            let rights = if right.is_none() { &mut of_left } else { &mut of_right };
            rights.insert(pair.1);
        }
        let coverage = Coverage {
            n_decided: decided.len() as u64,
            n_named: (of_left.len() + of_right.len()) as u64,
            n_records: n_records(left, right),
            n_unknown,
            is_complete: false,
        };
        Ok(Truth::new(Matches::Labels(decided), to_find, coverage, left, right))
    }
}

fn word(verdict: Option<bool>) -> &'static str {
    match verdict {
        Some(true) => "`match`",
        Some(false) => "`no match`",
        None => "`unsure`",
    }
}
