//! Entities against the truth: pair by pair, and record by record.
//!
//! Pairwise, two entities say as many pairs as there are records to pair in them; a large one outweighs many small ones.
//! B-cubed (Bagga and Baldwin, *Entity-based cross-document coreferencing using the vector space model*, 1998) asks of
//! every record which share of its entity belongs there, and which share of what belongs there its entity has, and
//! averages over records.

use super::counts::{Met, ONE, plain};
use super::{Agreement, Counts, Coverage, Intervals, Matches, NONE, Named, Truth};
use hashbrown::HashMap;

/// Pairs of a list that are counted at once.
const AT_ONCE: usize = 1 << 18;

/// How good entities are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntityQuality {
    /// The pairs that they say: across tables, if there are two, or pairs within one do not count.
    pub n_pairs: u64,
    /// Those of them that are decided.
    pub n_decided: u64,
    /// Of those pairs.
    pub pairwise: Agreement,
    /// Where that lies, if the truth covers a part.
    pub intervals: Option<Intervals>,
    /// What the truth covers.
    pub coverage: Coverage,
    /// Of records that the truth names. Labels of pairs do not say who belongs to an entity.
    pub b_cubed: Option<Agreement>,
}

/// Records of one kind: left ones, and right ones if there are two tables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) left: u64,
    pub(super) right: u64,
    /// Pairs that are none, because both records are of one of several tables.
    pub(super) within: u64,
}

impl Size {
    pub(super) fn n_records(self) -> u64 {
        self.left + self.right
    }

    /// Pairs of them.
    pub(super) fn n_pairs(self, is_one_table: bool) -> u64 {
        match is_one_table {
            true => self.left * self.left.saturating_sub(1) / 2 - self.within,
            false => self.left * self.right,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        let within = self.within + other.within;
        Self { left: self.left + other.left, right: self.right + other.right, within }
    }
}

/// Records of an entity that are named: how many, and how many records they stand for, in billionths.
#[derive(Clone, Copy, Default)]
struct Weighed {
    size: Size,
    left: u128,
    right: u128,
}

/// Records that are named, by entity, and by entity and what they are.
#[derive(Default)]
struct ByEntity {
    of: HashMap<u32, Weighed>,
    both: HashMap<(u32, u32), Size>,
}

impl Truth {
    /// How good pairs are, each of which is there once.
    pub fn of_pairs(&self, pairs: impl Iterator<Item = (u32, u32)>) -> Agreement {
        let (mut counts, mut some) = (Counts::default(), Vec::new());
        let mut pairs = pairs.peekable();
        while pairs.peek().is_some() {
            some.clear();
            some.extend(pairs.by_ref().take(AT_ONCE));
            self.add(&mut counts, &some, |pair| *pair);
        }
        self.agreement(&counts)
    }

    /// How good entities are, and the pairs that they were made of.
    pub(crate) fn of_step(&self, entities: &[u32], counts: &Counts) -> EntityQuality {
        EntityQuality { b_cubed: self.b_cubed(&self.named(entities)), ..self.of_counts(counts) }
    }

    /// How good entities are: of each record its entity, the right table's records after the left's.
    pub fn of_entities(&self, entities: &[u32]) -> EntityQuality {
        let (mut counts, by_entity) = (Counts::default(), self.named(entities));
        let first_right = self.n_right.map_or(0, |_| self.n_left);
        let ends = |(left, right): (u32, u32)| {
            let entity = |record: u32| entities.get(record as usize);
            entity(left).zip(entity(first_right + right))
        };
        let is_said = |pair: &&(u32, u32)| ends(**pair).is_some_and(|(left, right)| left == right);
        match &self.matches {
            Matches::Pairs(pairs) => {
                let said: Vec<(u32, u32)> = pairs.iter().filter(is_said).copied().collect();
                self.add(&mut counts, &said, |pair| *pair);
            }
            Matches::Labels(labels) => {
                let said: Vec<(u32, u32)> = labels.keys().filter(is_said).copied().collect();
                self.add(&mut counts, &said, |pair| *pair);
            }
            Matches::Entities(named) => self.add_entities(&mut counts, named, &by_entity),
        }
        counts.n_pairs = self.n_together(entities);
        if let Some(parts) = self.parts(entities) {
            let mut within = Counts { n_pairs: self.n_together(&parts), ..Counts::default() };
            if let Matches::Entities(named) = &self.matches {
                self.add_entities(&mut within, named, &self.named(&parts));
            }
            counts = counts.without(&within);
        }
        if self.is_complete() {
            counts.all_others_are_wrong();
        }
        EntityQuality { b_cubed: self.b_cubed(&by_entity), ..self.of_counts(&counts) }
    }

    fn of_counts(&self, counts: &Counts) -> EntityQuality {
        EntityQuality {
            n_pairs: counts.n_pairs,
            n_decided: counts.n_decided(),
            pairwise: self.agreement(counts),
            intervals: self.intervals(counts),
            coverage: self.coverage,
            b_cubed: None,
        }
    }

    /// Takes note of the decided pairs within entities, where records are labelled.
    fn add_entities(&self, counts: &mut Counts, named: &Named, ByEntity { of, both }: &ByEntity) {
        let is_one_table = self.n_right.is_none();
        counts.met.resize(named.of.len(), Met::default());
        let (mut n_found, mut n_decided) = (0, 0);
        for weighed in of.values() {
            n_decided += weighed.size.n_pairs(is_one_table);
        }
        for ((entity, truth), size) in both {
            let n_pairs = size.n_pairs(is_one_table);
            n_found += n_pairs;
            let (Some(all), Some(known)) = (of.get(entity), named.of.get(*truth as usize)) else { continue };
            let met = &mut counts.met[*truth as usize];
            met.found += n_pairs;
            let weight = u128::from(known.weight);
            let others = |all: u128, own: u64| all - u128::from(own) * weight;
            met.wrong += match is_one_table {
                true => u128::from(size.left) * others(all.left, size.left),
                false => {
                    u128::from(size.left) * others(all.right, size.right)
                        + u128::from(size.right) * others(all.left, size.left)
                }
            };
        }
        counts.found.n += n_found;
        counts.wrong.n += n_decided - n_found;
    }

    /// The records that are named. Labels of pairs name none.
    fn named(&self, entities: &[u32]) -> ByEntity {
        let mut by_entity = ByEntity::default();
        let ByEntity { of, both } = &mut by_entity;
        let truth = self.true_entities();
        for (record, (entity, truth)) in (0..).zip(entities.iter().zip(&truth)) {
            if *truth == NONE {
                continue;
            }
            let weight = self.entity_weight(*truth);
            let (all, size) = (of.entry(*entity).or_default(), both.entry((*entity, *truth)).or_default());
            if record < self.n_left {
                all.size.left += 1;
                all.left += u128::from(weight);
                size.left += 1;
            } else {
                all.size.right += 1;
                all.right += u128::from(weight);
                size.right += 1;
            }
        }
        by_entity
    }

    /// Of records that are named, by what is named of their entities.
    fn b_cubed(&self, ByEntity { of, both }: &ByEntity) -> Option<Agreement> {
        if matches!(self.matches, Matches::Labels(_)) {
            return None;
        }
        let mut true_sizes: HashMap<u32, u64> = HashMap::new();
        for ((_, truth), size) in both {
            *true_sizes.entry(*truth).or_default() += size.n_records();
        }
        let (mut precision, mut recall, mut all) = (0.0, 0.0, 0.0);
        for ((entity, truth), size) in both {
            let (n, weight) = (size.n_records() as f64, plain(self.entity_weight(*truth).into()));
            let said = of.get(entity).map_or(n, |all| {
                // Those of the same thing are all there; of others, each stands for more.
                n + plain(all.left + all.right) - n * weight
            });
            let there = true_sizes.get(truth).map_or(n, |all| *all as f64);
            precision += weight * n * n / said;
            recall += weight * n * n / there;
            all += weight * n;
        }
        let of_nothing = if self.is_complete() { 1.0 } else { 0.0 };
        let all = if all == 0.0 { of_nothing } else { all };
        Some(Agreement::new(precision / all, recall / all))
    }

    fn entity_weight(&self, truth: u32) -> u64 {
        match &self.matches {
            Matches::Entities(named) => named.of.get(truth as usize).map_or(ONE, |known| known.weight),
            _ => ONE,
        }
    }

    /// How many pairs there are of records of one entity.
    fn n_together(&self, entities: &[u32]) -> u64 {
        let mut sizes: HashMap<u32, Size> = HashMap::new();
        for (record, entity) in (0..).zip(entities) {
            let size = sizes.entry(*entity).or_default();
            *if record < self.n_left { &mut size.left } else { &mut size.right } += 1;
        }
        sizes.values().map(|size| size.n_pairs(self.n_right.is_none())).sum()
    }

    /// Of each record what it is, the right table's records after the left's. Pairs that match make entities by closure.
    fn true_entities(&self) -> Vec<u32> {
        let n_records = self.n_left + self.n_right.unwrap_or(0);
        match &self.matches {
            Matches::Pairs(pairs) => {
                let mut parents: Vec<u32> = (0..n_records).collect();
                let first_right = self.n_right.map_or(0, |_| self.n_left);
                for (a, b) in pairs {
                    let (a, b) = (root(&mut parents, *a), root(&mut parents, first_right + b));
                    parents[a.max(b) as usize] = a.min(b);
                }
                (0..n_records).map(|record| root(&mut parents, record)).collect()
            }
            Matches::Entities(named) => {
                let right = if self.n_right.is_some() { &named.right[..] } else { &[] };
                named.left.iter().chain(right).copied().collect()
            }
            Matches::Labels(_) => vec![NONE; n_records as usize],
        }
    }
}

/// The record that stands for what `record` is part of.
fn root(parents: &mut [u32], mut record: u32) -> u32 {
    while parents[record as usize] != record {
        let above = parents[parents[record as usize] as usize];
        parents[record as usize] = above;
        record = above;
    }
    record
}
