//! Evaluation: candidates against the truth, and entities against it.

mod entities;

pub use entities::{Agreement, EntityQuality};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::{IdSource, Ids, ReadOptions, Table};
use hashbrown::{HashMap, HashSet};
use hyperblock_shared::layout::Candidate;
use std::path::Path;

/// Which pairs are really the same thing.
#[derive(Debug)]
pub struct Truth {
    matches: Matches,
    n_matches: u64,
    /// Rows of the truth that name an id which is in no table.
    n_unknown: u64,
    n_found: u64,
    n_candidates: u64,
    n_left: u32,
    /// Right records, if there are two tables.
    n_right: Option<u32>,
}

#[derive(Debug)]
enum Matches {
    /// From a file of `id_a, id_b`.
    Pairs(HashSet<(u32, u32)>),
    /// From a file of `id, entity_id`: the entity of each left and each right record.
    Entities { left: Vec<u32>, right: Vec<u32> },
}

/// No entity: the truth does not name the record.
const NONE: u32 = u32::MAX;

/// How good the candidates are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Pairs that match.
    pub n_matches: u64,
    /// Candidates that match.
    pub n_found: u64,
    /// Found matches among all matches.
    pub recall: f64,
    /// Found matches among all candidates.
    pub precision: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Rows of the truth that name an id which is in no table; they count for nothing.
    pub n_unknown: u64,
}

impl Truth {
    /// Reads a truth file: two columns, either `id_a, id_b` (matching pairs) or `id, entity_id` (records of one entity
    /// match). What is said twice counts once; an id of two entities is an error. `right` is `None` when one table is
    /// deduplicated.
    pub fn read(path: &Path, left: &Table, right: Option<&Table>, control: &Control) -> Result<Self> {
        Self::of_ids(path, &left.ids, right.map(|right| &right.ids), control)
    }

    /// The same where only the ids of the records are known.
    pub fn of_ids(path: &Path, left: &Ids, right: Option<&Ids>, control: &Control) -> Result<Self> {
        let options = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
        let file = Table::read(path, &options, &|_| true, control)?;
        let find = |name: &str| file.schema.find(name);
        match (find("id_a").zip(find("id_b")), find("id").zip(find("entity_id"))) {
            (Some((a, b)), _) => Self::pairs(&file, a, b, left, right),
            (None, Some((id, entity))) => Self::entities(&file, id, entity, left, right),
            (None, None) => {
                let message = format!(
                    "a truth file has the columns id_a and id_b (matching pairs), or id and entity_id; this one has {}",
                    file.schema.names()
                );
                Err(Error::table(path, message))
            }
        }
    }

    fn new(matches: Matches, n_matches: u64, n_unknown: u64, left: &Ids, right: Option<&Ids>) -> Self {
        let (n_left, n_right) = (left.len(), right.map(Ids::len));
        Self { matches, n_matches, n_unknown, n_found: 0, n_candidates: 0, n_left, n_right }
    }

    fn pairs(file: &Table, a: usize, b: usize, left: &Ids, right: Option<&Ids>) -> Result<Self> {
        let (lefts, rights) = (left.index(), right.map(|right| right.index()));
        let rights = rights.as_ref().unwrap_or(&lefts);
        let (ids_a, ids_b) = (file.values(a)?, file.values(b)?);
        let (mut pairs, mut n_unknown) = (HashSet::new(), 0);
        for (row, (a, b)) in ids_a.iter().zip(ids_b).enumerate() {
            let (Some(a), Some(b)) = (a, b) else {
                return Err(Error::table(&file.path, format!("row {}: an id is missing", row + 1)));
            };
            match (lefts.get(a), rights.get(b)) {
                (Some(&a), Some(&b)) if right.is_none() && a == b => {
                    return Err(Error::table(
                        &file.path,
                        format!("row {}: a record is paired with itself", row + 1),
                    ));
                }
                (Some(&a), Some(&b)) => {
                    pairs.insert(if right.is_none() { (a.min(b), a.max(b)) } else { (a, b) });
                }
                _ => n_unknown += 1,
            }
        }
        let n_matches = pairs.len() as u64;
        Ok(Self::new(Matches::Pairs(pairs), n_matches, n_unknown, left, right))
    }

    fn entities(file: &Table, id: usize, entity: usize, left: &Ids, right: Option<&Ids>) -> Result<Self> {
        let (lefts, rights) = (left.index(), right.map(|right| right.index()));
        let mut by_left = vec![NONE; left.len() as usize];
        let mut by_right = vec![NONE; right.map_or(0, Ids::len) as usize];
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        // By entity: its left and its right records.
        let mut sizes: Vec<(u64, u64)> = Vec::new();
        // By id: the row that names it, and its entity.
        let mut named: HashMap<&str, (usize, &str)> = HashMap::new();
        let mut n_unknown = 0;
        for (row, (id, entity)) in file.values(id)?.iter().zip(file.values(entity)?).enumerate() {
            let (Some(id), Some(entity)) = (id, entity) else {
                return Err(Error::table(&file.path, format!("row {}: a value is missing", row + 1)));
            };
            let (first, before) = *named.entry(id).or_insert((row, entity));
            if before != entity {
                let message = format!(
                    "rows {} and {}: `{id}` is of entity `{before}` and of entity `{entity}`; a record is of one. If both \
                     tables have the id, write the matching pairs (id_a, id_b)",
                    first + 1,
                    row + 1
                );
                return Err(Error::table(&file.path, message));
            }
            if first < row {
                continue;
            }
            let number = *numbers.entry(entity).or_insert_with(|| {
                sizes.push((0, 0));
                sizes.len() as u32 - 1
            });
            let (l, r) = (lefts.get(id), rights.as_ref().and_then(|rights| rights.get(id)));
            if let Some(&record) = l {
                by_left[record as usize] = number;
                sizes[number as usize].0 += 1;
            }
            if let Some(&record) = r {
                by_right[record as usize] = number;
                sizes[number as usize].1 += 1;
            }
            n_unknown += u64::from(l.is_none() && r.is_none());
        }
        let n_matches = match right {
            None => sizes.iter().map(|(n, _)| n * n.saturating_sub(1) / 2).sum(),
            Some(_) => sizes.iter().map(|(l, r)| l * r).sum(),
        };
        if right.is_none() {
            by_right.clone_from(&by_left);
        }
        let matches = Matches::Entities { left: by_left, right: by_right };
        Ok(Self::new(matches, n_matches, n_unknown, left, right))
    }

    /// All pairs that match, in order.
    pub fn matching_pairs(&self) -> Vec<[u32; 2]> {
        let mut all = match &self.matches {
            Matches::Pairs(pairs) => pairs.iter().map(|&(left, right)| [left, right]).collect(),
            Matches::Entities { left, right } => {
                let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
                for (record, &entity) in (0..).zip(right).filter(|(_, entity)| **entity != NONE) {
                    members.entry(entity).or_default().push(record);
                }
                let is_one_table = self.n_right.is_none();
                let mut all = Vec::new();
                for (record, entity) in (0..).zip(left) {
                    let others = members.get(entity).map(Vec::as_slice).unwrap_or_default();
                    let others = others.iter().filter(|other| !is_one_table || record < **other);
                    all.extend(others.map(|&other| [record, other]));
                }
                all
            }
        };
        all.sort_unstable();
        all
    }

    /// Takes note of candidates.
    pub fn count(&mut self, candidates: &[Candidate]) {
        self.n_found += candidates.iter().filter(|candidate| self.matches(candidate)).count() as u64;
        self.n_candidates += candidates.len() as u64;
    }

    fn matches(&self, candidate: &Candidate) -> bool {
        match &self.matches {
            Matches::Pairs(pairs) => pairs.contains(&(candidate.left, candidate.right)),
            Matches::Entities { left, right } => {
                let entity = left[candidate.left as usize];
                entity != NONE && entity == right[candidate.right as usize]
            }
        }
    }

    /// Whether a left and a right record match.
    pub(crate) fn is_match(&self, left: u32, right: u32) -> bool {
        let (left, right) =
            if self.n_right.is_none() { (left.min(right), left.max(right)) } else { (left, right) };
        self.matches(&Candidate { left, right, rule: 0 })
    }

    /// How good the candidates are that were counted.
    pub fn quality(&self) -> Quality {
        let Agreement { precision, recall, f1 } = self.pairwise(self.n_found, self.n_candidates);
        let Self { n_matches, n_found, n_unknown, .. } = *self;
        Quality { n_matches, n_found, recall, precision, f1, n_unknown }
    }

    /// How good so many pairs are, of which so many match.
    fn pairwise(&self, n_found: u64, n_pairs: u64) -> Agreement {
        let share = |of: u64| if of == 0 { 0.0 } else { n_found as f64 / of as f64 };
        Agreement::new(share(n_pairs), share(self.n_matches))
    }
}
