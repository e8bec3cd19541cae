//! Entities against the truth: pair by pair, and record by record.
//!
//! Pairwise, two entities say as many pairs as there are records to pair in them; a large one outweighs many small ones.
//! B-cubed (Bagga and Baldwin, *Entity-based cross-document coreferencing using the vector space model*, 1998) asks of
//! every record which share of its entity belongs there, and which share of what belongs there its entity has, and
//! averages over records.

use super::{Matches, NONE, Truth};
use hashbrown::HashMap;
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;

/// Pairs that a thread looks up at a time.
const AT_ONCE: usize = 1 << 14;

/// Precision and recall of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// What is right among what is said.
    pub precision: f64,
    /// What is said among what is right.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

impl Agreement {
    pub(in crate::tell) fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        Self { precision, recall, f1: if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum } }
    }
}

/// How good entities are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntityQuality {
    /// The pairs that they say: across tables, if there are two.
    pub n_pairs: u64,
    /// Of those pairs.
    pub pairwise: Agreement,
    /// Of records.
    pub b_cubed: Agreement,
}

/// Records of one kind: left ones, and right ones if there are two tables.
#[derive(Clone, Copy, Default)]
struct Size {
    left: u64,
    right: u64,
}

impl Size {
    fn n_records(self) -> u64 {
        self.left + self.right
    }
}

impl Truth {
    /// How good pairs are, each of which is there once.
    pub fn of_pairs(&self, pairs: impl Iterator<Item = (u32, u32)>) -> Agreement {
        let (mut n_found, mut n_pairs) = (0, 0);
        for (left, right) in pairs {
            n_pairs += 1;
            n_found += u64::from(self.matches(&Candidate { left, right, rule: 0 }));
        }
        self.pairwise(n_found, n_pairs)
    }

    /// How many of some pairs match.
    pub(crate) fn n_matching<P: Sync>(&self, pairs: &[P], ends: impl Fn(&P) -> (u32, u32) + Sync) -> u64 {
        let is_match = |pair: &P| {
            let (left, right) = ends(pair);
            self.matches(&Candidate { left, right, rule: 0 })
        };
        pairs.par_chunks(AT_ONCE).map(|some| some.iter().filter(|pair| is_match(pair)).count() as u64).sum()
    }

    /// How good entities are, and so many pairs of which so many match.
    pub(crate) fn of_step(&self, entities: &[u32], n_pairs: u64, n_matching: u64) -> EntityQuality {
        EntityQuality { pairwise: self.pairwise(n_matching, n_pairs), ..self.of_entities(entities) }
    }

    /// How good entities are: of each record its entity, the right table's records after the left's.
    pub fn of_entities(&self, entities: &[u32]) -> EntityQuality {
        let truth = self.true_entities();
        let sizes = self.sizes(entities.iter().copied());
        let true_sizes = self.sizes(truth.iter().copied());
        let both = self.sizes(entities.iter().copied().zip(truth.iter().copied()));
        let n_pairs = sizes.values().map(|size| self.n_pairs(*size)).sum();
        let pairwise = self.pairwise(self.n_together(entities, &both), n_pairs);
        let (mut precision, mut recall) = (0.0, 0.0);
        for ((entity, truth), size) in &both {
            let n = size.n_records() as f64;
            let of = |sizes: &HashMap<u32, Size>, entity: &u32| {
                sizes.get(entity).map_or(1.0, |size| size.n_records() as f64)
            };
            precision += n * n / of(&sizes, entity);
            recall += n * n / of(&true_sizes, truth);
        }
        let n_records = entities.len().max(1) as f64;
        EntityQuality {
            n_pairs,
            pairwise,
            b_cubed: Agreement::new(precision / n_records, recall / n_records),
        }
    }

    /// How many records there are of each kind.
    fn sizes<T: std::hash::Hash + Eq>(&self, kinds: impl Iterator<Item = T>) -> HashMap<T, Size> {
        let mut sizes: HashMap<T, Size> = HashMap::new();
        for (record, kind) in (0..).zip(kinds) {
            let size = sizes.entry(kind).or_default();
            *if record < self.n_left { &mut size.left } else { &mut size.right } += 1;
        }
        sizes
    }

    /// Pairs of records of one kind.
    fn n_pairs(&self, size: Size) -> u64 {
        match self.n_right {
            None => size.left * size.left.saturating_sub(1) / 2,
            Some(_) => size.left * size.right,
        }
    }

    /// Pairs that match and are in one entity.
    fn n_together(&self, entities: &[u32], both: &HashMap<(u32, u32), Size>) -> u64 {
        match &self.matches {
            Matches::Pairs(pairs) => {
                let first_right = self.n_right.map_or(0, |_| self.n_left);
                let entity = |record: u32| entities.get(record as usize);
                pairs.iter().filter(|(a, b)| entity(*a) == entity(first_right + b)).count() as u64
            }
            Matches::Entities { .. } => both.values().map(|size| self.n_pairs(*size)).sum(),
        }
    }

    /// Of each record what it is, the right table's records after the left's. Pairs that match make entities by closure;
    /// a record that the truth does not name is alone.
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
            Matches::Entities { left, right } => {
                let right = if self.n_right.is_some() { &right[..] } else { &[] };
                let n_named = left.iter().chain(right).filter(|entity| **entity != NONE).max();
                let first_alone = n_named.map_or(0, |entity| entity + 1);
                let is = |(record, entity): (u32, &u32)| match *entity {
                    NONE => first_alone + record,
                    entity => entity,
                };
                (0..).zip(left.iter().chain(right)).map(is).collect()
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn truth(n_left: u32, n_right: Option<u32>, matches: Matches, n_matches: u64) -> Truth {
        Truth { matches, n_matches, n_unknown: 0, n_found: 0, n_candidates: 0, n_left, n_right }
    }

    /// By the definitions, record by record.
    fn b_cubed(entities: &[u32], truth: &[u32]) -> (f64, f64) {
        let n = entities.len();
        let count = |is: &dyn Fn(usize) -> bool| (0..n).filter(|other| is(*other)).count() as f64;
        let mut sums = (0.0, 0.0);
        for record in 0..n {
            let own = |other: usize| entities[other] == entities[record];
            let right = |other: usize| truth[other] == truth[record];
            let both = count(&|other| own(other) && right(other));
            sums.0 += both / count(&own);
            sums.1 += both / count(&right);
        }
        (sums.0 / n as f64, sums.1 / n as f64)
    }

    proptest! {
        #[test]
        fn as_defined(
            records in prop::collection::vec((0u32..6, prop::option::of(0u32..6)), 1..40),
            n_left in 1u32..40,
            two in any::<bool>(),
        ) {
            let n = records.len() as u32;
            let n_left = if two { n_left.min(n) } else { n };
            let n_right = two.then_some(n - n_left);
            let entities: Vec<u32> = records.iter().map(|(entity, _)| *entity).collect();
            let named: Vec<u32> = records.iter().map(|(_, entity)| entity.unwrap_or(NONE)).collect();
            let alone: Vec<u32> =
                (0..n).map(|ix| if named[ix as usize] == NONE { 100 + ix } else { named[ix as usize] }).collect();
            // All pairs that may be said, and those that match.
            let pairs: Vec<(usize, usize)> = (0..n as usize)
                .flat_map(|a| (a + 1..n as usize).map(move |b| (a, b)))
                .filter(|(a, b)| !two || ((*a as u32) < n_left && *b as u32 >= n_left))
                .collect();
            let matching: Vec<_> = pairs.iter().filter(|(a, b)| alone[*a] == alone[*b]).collect();
            let said: Vec<_> = pairs.iter().filter(|(a, b)| entities[*a] == entities[*b]).collect();
            let found = said.iter().filter(|pair| matching.contains(pair)).count() as f64;
            let (left, right) = named.split_at(n_left as usize);
            let right = if two { right.to_vec() } else { left.to_vec() };
            let by_entity = Matches::Entities { left: left.to_vec(), right };
            let quality = truth(n_left, n_right, by_entity, matching.len() as u64).of_entities(&entities);
            prop_assert_eq!(quality.n_pairs, said.len() as u64);
            let share = |of: usize| if of == 0 { 0.0 } else { found / of as f64 };
            prop_assert_eq!(quality.pairwise, Agreement::new(share(said.len()), share(matching.len())));
            let (precision, recall) = b_cubed(&entities, &alone);
            prop_assert!((quality.b_cubed.precision - precision).abs() < 1e-9);
            prop_assert!((quality.b_cubed.recall - recall).abs() < 1e-9);
            // The same truth, said by pairs: with two tables, pairs join what is in both of them only.
            if !two {
                let first = if two { n_left } else { 0 };
                let pairs = matching.iter().map(|(a, b)| (*a as u32, *b as u32 - first)).collect();
                let by_pair = truth(n_left, n_right, Matches::Pairs(pairs), matching.len() as u64);
                let again = by_pair.of_entities(&entities);
                prop_assert_eq!(again.n_pairs, quality.n_pairs);
                prop_assert_eq!(again.pairwise, quality.pairwise);
                prop_assert!((again.b_cubed.f1 - quality.b_cubed.f1).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn pairs_of_two_tables_make_entities() {
        // a0 = b0, a1 = b0: three records of one thing; b1 is alone.
        let truth = truth(2, Some(2), Matches::Pairs([(0, 0), (1, 0)].into_iter().collect()), 2);
        let quality = truth.of_entities(&[0, 1, 0, 3]);
        assert_eq!(quality.n_pairs, 1);
        assert_eq!((quality.pairwise.precision, quality.pairwise.recall), (1.0, 0.5));
        assert_eq!(quality.b_cubed.precision, 1.0);
        assert!((quality.b_cubed.recall - (2.0 / 3.0 + 1.0 / 3.0 + 2.0 / 3.0 + 1.0) / 4.0).abs() < 1e-12);
        assert_eq!(truth.of_pairs([(0, 0), (0, 1)].into_iter()).f1, 0.5);
    }
}
