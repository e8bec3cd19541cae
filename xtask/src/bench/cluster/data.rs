//! The pairs of the workloads: always the same, and made as fast as memory takes them.

use crate::bench::graph_args::ClusterWorkload;
use hyperblock::entities::cluster::SAME;
use hyperblock_shared::layout::ScoredPair;

/// The largest entity, and as many sizes.
const MOST_RECORDS: u32 = 10;
/// A prime above any number of records here: multiples of it go over all of them, each once.
const PRIME: u64 = 2_654_435_761;

/// Pairs of so many records.
pub(super) struct Pairs {
    pub(super) n_records: u32,
    pub(super) scored: Vec<ScoredPair>,
}

impl Pairs {
    pub(super) fn new(workload: ClusterWorkload, n_pairs: u64, n_records: u32) -> Self {
        match workload {
            ClusterWorkload::Random => Self::random(n_pairs, n_records),
            ClusterWorkload::Entities => Self::entities(n_pairs),
        }
    }

    /// Any two records.
    fn random(n_pairs: u64, n_records: u32) -> Self {
        let below = |half: u32| ((u64::from(half) * u64::from(n_records)) >> 32) as u32;
        let pair = |ix: u64| {
            let drawn = mixed(2 * ix);
            ScoredPair { left: below(drawn as u32), right: below((drawn >> 32) as u32), score: score(ix) }
        };
        Self { n_records, scored: (0..n_pairs).map(pair).collect() }
    }

    /// All pairs within entities of 1 to 10 records, each size half as frequent as the one before: two
    /// records in the mean and, in the mean, about as many pairs. Records of an entity are far apart.
    fn entities(n_pairs: u64) -> Self {
        let n_records = n_pairs as u32;
        let scattered = |ix: u32| ((u64::from(ix) * PRIME + 1) % u64::from(n_records)) as u32;
        let mut scored = Vec::with_capacity(n_pairs as usize);
        let mut first = 0;
        while first < n_records {
            let size = (1 + mixed(first.into()).trailing_zeros()).min(MOST_RECORDS).min(n_records - first);
            for left in first..first + size {
                let pair = |right| {
                    let score = score(u64::from(left) << 32 | u64::from(right));
                    ScoredPair { left: scattered(left), right: scattered(right), score }
                };
                scored.extend((left + 1..first + size).map(pair));
            }
            first += size;
        }
        Self { n_records, scored }
    }
}

fn score(seed: u64) -> u32 {
    (mixed(!seed) % u64::from(SAME + 1)) as u32
}

/// The number of SplitMix64 (Steele, Lea and Flood, 2014) at that place.
fn mixed(ix: u64) -> u64 {
    let state = ix.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::Pairs;
    use crate::bench::graph_args::ClusterWorkload;

    #[test]
    fn pairs_are_of_records() {
        let random = Pairs::new(ClusterWorkload::Random, 1000, 77);
        let entities = Pairs::new(ClusterWorkload::Entities, 20_000, 1);
        assert_eq!((random.scored.len(), random.n_records, entities.n_records), (1000, 77, 20_000));
        assert!((18_000..22_000).contains(&entities.scored.len()), "{}", entities.scored.len());
        for pairs in [random, entities] {
            assert!(pairs.scored.iter().all(|pair| pair.left.max(pair.right) < pairs.n_records));
        }
    }
}
