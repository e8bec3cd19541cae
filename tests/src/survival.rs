//! Ids of entities that survive, the naive way: over texts and maps.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Entities before and now.
#[derive(Clone, Debug)]
pub struct Update {
    /// Records and the ids of their entities, as they were.
    pub before: BTreeMap<String, String>,
    /// Records now, in order.
    pub records: Vec<String>,
    /// Of each the first one of its entity, by number.
    pub entities: Vec<u32>,
    /// What an entity is called whose first record is this one.
    pub usual: Vec<String>,
}

/// A change as it is written: which, old id, new id, records.
pub type Row = (String, String, String, u64);

/// What became of ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// By record, the id of its entity.
    pub ids: Vec<String>,
    /// What has changed, in no order.
    pub rows: BTreeSet<Row>,
    /// Ids with the very records that they had.
    pub unchanged: BTreeSet<String>,
}

impl Update {
    /// Ids in order: integers by value, if all are.
    fn old_ids(&self) -> Vec<&String> {
        let mut ids: Vec<&String> = self.before.values().collect::<BTreeSet<_>>().into_iter().collect();
        let number = |id: &String| id.parse::<i64>().ok().filter(|number| number.to_string() == *id);
        if ids.iter().all(|id| number(id).is_some()) {
            ids.sort_by_key(|id| number(id));
        }
        ids
    }

    /// How many records went from which id to which entity.
    fn overlaps(&self) -> BTreeMap<(&String, u32), u64> {
        let mut overlaps = BTreeMap::new();
        for (record, &entity) in self.records.iter().zip(&self.entities) {
            if let Some(old) = self.before.get(record) {
                *overlaps.entry((old, entity)).or_insert(0) += 1;
            }
        }
        overlaps
    }

    /// What becomes of ids.
    pub fn outcome(&self) -> Outcome {
        let (old_ids, overlaps) = (self.old_ids(), self.overlaps());
        // An id and the entity that it wants, the largest claims first.
        let mut claims = Vec::new();
        for (rank, old) in old_ids.iter().enumerate() {
            let own = overlaps.iter().filter(|((id, _), _)| id == old);
            if let Some((n, Reverse(entity))) = own.map(|((_, entity), n)| (*n, Reverse(*entity))).max() {
                claims.push((Reverse(n), rank, *old, entity));
            }
        }
        claims.sort();
        let mut names: BTreeMap<u32, String> = BTreeMap::new();
        for (_, _, old, entity) in &claims {
            names.entry(*entity).or_insert_with(|| (*old).clone());
        }
        let is_old = |id: &String| old_ids.contains(&id);
        let all: BTreeSet<u32> = self.entities.iter().copied().collect();
        let survived = names.clone();
        let new: Vec<u32> = all.iter().copied().filter(|entity| !survived.contains_key(entity)).collect();
        for &entity in &new {
            let usual = &self.usual[entity as usize];
            if !is_old(usual) {
                names.insert(entity, usual.clone());
            }
        }
        for &entity in &new {
            if !names.contains_key(&entity) {
                let ids = (2..).map(|nth| format!("{}~{nth}", self.usual[entity as usize]));
                let mut free = ids.filter(|id| !is_old(id) && !names.values().any(|name| name == id));
                let id = free.next().expect("numbers do not end");
                names.insert(entity, id);
            }
        }
        let wants: BTreeMap<&String, u32> =
            claims.iter().map(|(_, _, old, entity)| (*old, *entity)).collect();
        let (rows, unchanged) = self.told(&survived, &names, &wants);
        Outcome { ids: self.entities.iter().map(|entity| names[entity].clone()).collect(), rows, unchanged }
    }

    fn told(
        &self,
        survived: &BTreeMap<u32, String>,
        names: &BTreeMap<u32, String>,
        wants: &BTreeMap<&String, u32>,
    ) -> (BTreeSet<Row>, BTreeSet<String>) {
        let (mut rows, mut unchanged) = (BTreeSet::new(), BTreeSet::new());
        let members = |entity: u32| -> BTreeSet<&String> {
            let all = self.records.iter().zip(&self.entities);
            all.filter(|(_, other)| **other == entity).map(|(record, _)| record).collect()
        };
        let overlaps = self.overlaps();
        let none = String::new;
        for old in self.old_ids() {
            let had: BTreeSet<&String> =
                self.before.iter().filter(|(_, id)| *id == old).map(|(record, _)| record).collect();
            let there = had.iter().filter(|record| self.records.contains(record)).count();
            let Some(&wanted) = wants.get(old) else {
                rows.insert(("gone".into(), old.clone(), none(), had.len() as u64));
                continue;
            };
            let has = members(wanted);
            let kind =
                match (survived.get(&wanted) == Some(old), has.is_superset(&had), had.is_superset(&has)) {
                    (false, ..) => "merged",
                    (true, true, true) => {
                        unchanged.insert(old.clone());
                        continue;
                    }
                    (true, true, false) => "grown",
                    (true, false, true) => "shrunk",
                    (true, false, false) => "changed",
                };
            for ((_, entity), n) in overlaps.iter().filter(|((id, _), _)| *id == old) {
                let kind = if *entity == wanted { kind } else { "split" };
                rows.insert((kind.into(), old.clone(), names[entity].clone(), *n));
            }
            if there < had.len() {
                rows.insert(("removed".into(), old.clone(), none(), (had.len() - there) as u64));
            }
        }
        for (entity, name) in names {
            let added = members(*entity).iter().filter(|record| !self.before.contains_key(**record)).count();
            match survived.contains_key(entity) {
                false => drop(rows.insert(("new".into(), none(), name.clone(), added as u64))),
                true if added > 0 => drop(rows.insert(("added".into(), none(), name.clone(), added as u64))),
                true => {}
            }
        }
        (rows, unchanged)
    }

    /// Sees that every id is accounted for: that rows, and the ids that are unchanged, add up to what ids had and have; that no
    /// two entities have one id; and that no id is where few of its records are while another one has most.
    pub fn assert_accounted(&self, found: &Outcome) {
        let sum = |of: fn(&Row) -> &String, id: &String| -> u64 {
            found.rows.iter().filter(|row| of(row) == id).map(|row| row.3).sum()
        };
        for id in self.old_ids() {
            let had = self.before.values().filter(|other| *other == id).count() as u64;
            let told = if found.unchanged.contains(id) { had } else { 0 };
            assert_eq!(told + sum(|row| &row.1, id), had, "of old id {id}: {self:?}\n{found:?}");
        }
        let mut of_ids: BTreeMap<&String, BTreeSet<u32>> = BTreeMap::new();
        for (id, entity) in found.ids.iter().zip(&self.entities) {
            of_ids.entry(id).or_default().insert(*entity);
        }
        for (id, entities) in of_ids {
            assert_eq!(entities.len(), 1, "two entities have the id {id}: {self:?}\n{found:?}");
            let has = found.ids.iter().filter(|other| *other == id).count() as u64;
            let told = if found.unchanged.contains(id) { has } else { 0 };
            assert_eq!(told + sum(|row| &row.2, id), has, "of new id {id}: {self:?}\n{found:?}");
        }
        let overlaps = self.overlaps();
        for ((old, entity), n) in &overlaps {
            let has_id = self.entities.iter().zip(&found.ids).any(|(of, id)| of == entity && id == *old);
            let most = overlaps.iter().filter(|((id, _), _)| id == old).map(|(_, n)| *n).max();
            assert!(!has_id || Some(*n) == most, "{old} is where few of its records are: {self:?}");
        }
    }
}
