//! Ids that survive: entities get the ids that their records had before, and what has changed is told.
//!
//! ```text
//! old id ─► the entity that has most of its records (of those still there) ─┬─► has it ─► the id survives there
//!                                                                           └─► another id has more records there ─► merged
//! entity without a surviving id ─► the id of its first record; if that was an entity's before, `~2`, `~3`, … after it
//! ```
//!
//! An old id wants one entity, and no second one: it never goes where few of its records are while most are somewhere else. Of
//! equals the entity with the smaller first record is wanted, and of old ids that one has it which is first in order. So each
//! entity has one id, and no id is given twice.
//!
//! A change is a flow of records. Those of an old id add up to the records that it had, and those of a new id to the records that
//! it has; ids that are unchanged have none.

use crate::read::previous::Previous;
use crate::read::table::Ids;
use arrow_array::{Array, LargeStringArray};
use hashbrown::HashSet;
use rayon::prelude::*;
use std::borrow::Cow;
use strum::{Display, IntoStaticStr};

/// No id, no entity.
const NONE: u32 = u32::MAX;

/// What became of some records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ChangeKind {
    /// They stay under their id, which has lost none and has got others.
    Grown,
    /// They stay under their id, which has lost others and has got none.
    Shrunk,
    /// They stay under their id, which has lost others and has got others.
    Changed,
    /// Their id is no more. Most of the records that it still had are these, under another id.
    Merged,
    /// They are under another id than most records of their old one.
    Split,
    /// They are in the tables no more; other records of their id are.
    Removed,
    /// They are in the tables no more, and were all that their id had.
    Gone,
    /// They were not there before, and are under an id that was.
    Added,
    /// They were not there before, and are under an id that was not either. They may be none: then all of its records were split
    /// from others.
    New,
}

/// Records that have an old id, or none, and are in an entity, or in none any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What became of them.
    pub kind: ChangeKind,
    /// The place of their old id.
    pub old: Option<u32>,
    /// Their entity, by its first record.
    pub new: Option<u32>,
    /// How many they are.
    pub n_records: u32,
}

/// How many ids there were, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// Ids before: the sum of all below but `split` and `new`.
    pub before: u64,
    /// With the records that they had, and no others.
    pub unchanged: u64,
    /// With more records than before.
    pub grown: u64,
    /// With some of their records.
    pub shrunk: u64,
    /// With some of their records, and with others.
    pub changed: u64,
    /// Gone into another one.
    pub merged: u64,
    /// Without any record that is still there.
    pub gone: u64,
    /// Ids before of which some records are under another id than most of them.
    pub split: u64,
    /// Ids that there were not before.
    pub new: u64,
}

/// The ids of entities where some have survived.
#[derive(Clone, Debug)]
pub struct EntityIds {
    old: LargeStringArray,
    /// By the first record of an entity: the place of an old id, or after those of one that was made, or none: then it is that of
    /// the record.
    of: Vec<u32>,
    made: Vec<String>,
}

impl EntityIds {
    /// The id of an entity, unless it is that of its first record, as usual.
    pub(crate) fn of(&self, entity: u32) -> Option<&str> {
        let place = self.of[entity as usize];
        match place.checked_sub(self.old.len() as u32) {
            _ if place == NONE => None,
            None => Some(self.old.value(place as usize)),
            Some(nth) => Some(&self.made[nth as usize]),
        }
    }

    /// An old id, by its place.
    pub(crate) fn old(&self, place: u32) -> &str {
        self.old.value(place as usize)
    }
}

/// What became of the ids of entities.
#[derive(Clone, Debug)]
pub struct Survival {
    /// The ids of entities now.
    pub ids: EntityIds,
    /// What has changed: first by old id, in order, then by entity.
    pub changes: Vec<Change>,
    /// All of it, counted.
    pub counts: ChangeCounts,
}

/// Records of an old id that are in one entity.
#[derive(Clone, Copy)]
struct Flow {
    old: u32,
    entity: u32,
    n: u32,
}

impl Survival {
    /// Gives ids to entities, which records are in, by the ids that they had before. Records of a right table come after those
    /// of the left one.
    pub fn new(previous: &Previous, entities: &[u32], left: &Ids, right: Option<&Ids>) -> Self {
        let flows = flows(previous, entities);
        let by_old: Vec<&[Flow]> = by_old(&flows, previous.sizes().len());
        let wanted: Vec<Option<Flow>> = by_old.iter().map(|flows| most(flows)).collect();
        let mut winners = vec![NONE; entities.len()];
        for flow in wanted.iter().flatten() {
            let winner = &mut winners[flow.entity as usize];
            // Those before are first in order.
            let is_less = |other: u32| wanted[other as usize].is_none_or(|other| other.n < flow.n);
            if *winner == NONE || is_less(*winner) {
                *winner = flow.old;
            }
        }
        let (mut sizes, mut added) = (vec![0u32; entities.len()], vec![0u32; entities.len()]);
        for (record, &entity) in (0..).zip(entities) {
            sizes[entity as usize] += 1;
            added[entity as usize] += u32::from(previous.of(record).is_none());
        }
        let mut told = Told { changes: Vec::new(), counts: ChangeCounts::default() };
        for (old, (flows, wanted)) in (0..).zip(by_old.iter().zip(&wanted)) {
            told.old(old, previous.sizes()[old as usize], flows, *wanted, &winners, &sizes);
        }
        for entity in
            (0..).zip(entities).filter(|(record, entity)| record == *entity).map(|(record, _)| record)
        {
            told.entity(entity, winners[entity as usize] != NONE, added[entity as usize]);
        }
        let Told { changes, counts } = told;
        let ids = named(previous, winners, entities, |entity| usual_id(left, right, entity));
        Self { ids, changes, counts }
    }
}

/// The id of an entity as usual: that of its first record; of two tables or of several with the table before it.
pub(crate) fn usual_id<'a>(left: &'a Ids, right: Option<&'a Ids>, entity: u32) -> Cow<'a, str> {
    match (right, entity.checked_sub(left.len())) {
        (None, _) if left.source(entity).is_some() => left.name(entity).into(),
        (None, _) => left.borrowed(entity),
        (Some(right), Some(record)) => format!("right:{}", right.borrowed(record)).into(),
        (Some(_), None) => format!("left:{}", left.borrowed(entity)).into(),
    }
}

/// Records by old id, and then by entity.
fn flows(previous: &Previous, entities: &[u32]) -> Vec<Flow> {
    let key =
        |record: u32| Some(u64::from(previous.of(record)?) << 32 | u64::from(entities[record as usize]));
    let mut keys: Vec<u64> = (0..entities.len() as u32).into_par_iter().filter_map(key).collect();
    keys.par_sort_unstable();
    let flow =
        |same: &[u64]| Flow { old: (same[0] >> 32) as u32, entity: same[0] as u32, n: same.len() as u32 };
    keys.chunk_by(|a, b| a == b).map(flow).collect()
}

/// The flows of each of so many old ids, which may be none.
fn by_old(flows: &[Flow], n_old: usize) -> Vec<&[Flow]> {
    let mut all = vec![&flows[..0]; n_old];
    for flows in flows.chunk_by(|a, b| a.old == b.old) {
        all[flows[0].old as usize] = flows;
    }
    all
}

/// The largest flow; of equals the one to the entity with the smaller first record.
fn most(flows: &[Flow]) -> Option<Flow> {
    flows.iter().copied().reduce(|most, flow| if flow.n > most.n { flow } else { most })
}

/// What is told so far.
struct Told {
    changes: Vec<Change>,
    counts: ChangeCounts,
}

impl Told {
    fn add(&mut self, kind: ChangeKind, old: Option<u32>, new: Option<u32>, n_records: u32) {
        self.changes.push(Change { kind, old, new, n_records });
    }

    /// What became of an old id, which had so many records.
    fn old(
        &mut self,
        old: u32,
        size: u32,
        flows: &[Flow],
        wanted: Option<Flow>,
        winners: &[u32],
        sizes: &[u32],
    ) {
        self.counts.before += 1;
        let Some(Flow { entity, n, .. }) = wanted else {
            self.counts.gone += 1;
            return self.add(ChangeKind::Gone, Some(old), None, size);
        };
        let has_others = sizes[entity as usize] > n;
        let (kind, count) = match (winners[entity as usize] == old, has_others, size > n) {
            (false, ..) => (ChangeKind::Merged, &mut self.counts.merged),
            (true, false, false) => {
                self.counts.unchanged += 1;
                return;
            }
            (true, true, false) => (ChangeKind::Grown, &mut self.counts.grown),
            (true, false, true) => (ChangeKind::Shrunk, &mut self.counts.shrunk),
            (true, true, true) => (ChangeKind::Changed, &mut self.counts.changed),
        };
        *count += 1;
        self.add(kind, Some(old), Some(entity), n);
        self.counts.split += u64::from(flows.len() > 1);
        for flow in flows.iter().filter(|flow| flow.entity != entity) {
            self.add(ChangeKind::Split, Some(old), Some(flow.entity), flow.n);
        }
        let n_there: u32 = flows.iter().map(|flow| flow.n).sum();
        if size > n_there {
            self.add(ChangeKind::Removed, Some(old), None, size - n_there);
        }
    }

    /// What came to an entity that was not there before.
    fn entity(&mut self, entity: u32, has_old: bool, n_added: u32) {
        if !has_old {
            self.counts.new += 1;
            self.add(ChangeKind::New, None, Some(entity), n_added);
        } else if n_added > 0 {
            self.add(ChangeKind::Added, None, Some(entity), n_added);
        }
    }
}

/// The ids of entities, where these old ones have survived: by entity, or none.
fn named<'a>(
    previous: &Previous,
    mut of: Vec<u32>,
    entities: &[u32],
    usual: impl Fn(u32) -> Cow<'a, str> + Sync,
) -> EntityIds {
    let n_old = previous.sizes().len() as u32;
    let is_new = |&entity: &u32| entities[entity as usize] == entity && of[entity as usize] == NONE;
    let new: Vec<u32> = (0..entities.len() as u32).filter(is_new).collect();
    let is_old = |entity: &u32| previous.place(&usual(*entity)).is_some();
    let taken: Vec<u32> = new.par_iter().copied().filter(is_old).collect();
    let mut made = Vec::new();
    if !taken.is_empty() {
        // What others have as usual nobody else gets.
        let usual_ones = new.iter().filter(|entity| taken.binary_search(entity).is_err());
        let mut used: HashSet<String> = usual_ones.map(|entity| usual(*entity).into_owned()).collect();
        for entity in taken {
            let (base, mut nth) = (usual(entity), 2);
            let mut id = format!("{base}~{nth}");
            while previous.place(&id).is_some() || used.contains(&id) {
                nth += 1;
                id = format!("{base}~{nth}");
            }
            of[entity as usize] = n_old + made.len() as u32;
            used.insert(id.clone());
            made.push(id);
        }
    }
    EntityIds { old: previous.ids().clone(), of, made }
}
