//! The largest blocks: of the values of some equalities those that make the most pairs.

use super::Encoded;
use crate::base::control::Control;
use crate::rules::Side;
use hashbrown::HashMap;
use hyperblock_shared::columns::{Columns, MISSING};

/// A block, by the records that have its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LargestBlock {
    /// Records in it, of both tables.
    pub(crate) n_records: u64,
    /// Pairs that agree.
    pub(crate) n_pairs: u64,
    /// One of its records: whose side its values are on, and which it is.
    pub(crate) example: (Side, u32),
}

/// What is known of a block while records are counted.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    left: u64,
    right: u64,
    /// Records that are on both sides, of one table.
    both: u64,
    /// Pairs within a table, where those do not count.
    within: u64,
    example: Option<(Side, u32)>,
}

impl Encoded {
    /// So many blocks of these equalities, those with the most pairs first. Of one table a record stands on both sides; `table_of` says
    /// which table a record is of, where pairs within one do not count.
    pub(crate) fn largest_blocks(
        &self,
        equalities: &[(u32, u32)],
        is_one_table: bool,
        table_of: Option<&(dyn Fn(u32) -> usize + Sync)>,
        n: usize,
        control: &Control,
    ) -> Vec<LargestBlock> {
        let is_same = is_one_table && equalities.iter().all(|(left, right)| self.are_one(*left, *right));
        let mut numbers = Numbers::default();
        let lefts = numbers.keys(self, equalities.iter().map(|(left, _)| *left), control);
        let rights = match is_same {
            true => Vec::new(),
            false => numbers.keys(self, equalities.iter().map(|(_, right)| *right), control),
        };
        let n_keys = [&lefts, &rights].into_iter().flatten().filter(|key| **key != MISSING).max();
        let n_keys = n_keys.map_or(0, |last| *last as usize + 1);
        let counted = |keys: &[u32]| {
            let mut counts = vec![0u32; n_keys];
            keys.iter().filter(|key| **key != MISSING).for_each(|key| counts[*key as usize] += 1);
            counts
        };
        let (n_lefts, n_rights) = (counted(&lefts), counted(&rights));
        let most = |key: usize| {
            let [left, right] = [u64::from(n_lefts[key]), u64::from(n_rights[key])];
            if is_same { left * left.saturating_sub(1) / 2 } else { left * right }
        };
        let mut largest: Vec<usize> = (0..n_keys).filter(|&key| most(key) > 0).collect();
        // Pairs that do not count may bring others to the front: some more are looked at.
        let n_looked_at = if table_of.is_some() { 8 * n } else { n };
        let by_pairs = |key: &usize| (std::cmp::Reverse(most(*key)), *key);
        if largest.len() > n_looked_at {
            largest.select_nth_unstable_by_key(n_looked_at, by_pairs);
            largest.truncate(n_looked_at);
        }
        let mut places = vec![u8::MAX; n_keys];
        largest.iter().enumerate().for_each(|(place, key)| places[*key] = place as u8);
        let place = |key: u32| Some(places[key as usize]).filter(|place| *place != u8::MAX).map(usize::from);
        let mut sizes = vec![Sizes::default(); largest.len()];
        let mut by_table: HashMap<(usize, usize), u64> = HashMap::new();
        for (record, &key) in (0..).zip(&lefts).filter(|(_, key)| **key != MISSING) {
            if let Some(place) = place(key) {
                let of = &mut sizes[place];
                of.left += 1;
                of.both += u64::from(is_one_table && (is_same || rights[record as usize] == key));
                of.example.get_or_insert((Side::Left, record));
                if let Some(table_of) = table_of {
                    *by_table.entry((place, table_of(record))).or_default() += 1;
                }
            }
        }
        for (record, &key) in (0..).zip(&rights).filter(|(_, key)| **key != MISSING) {
            if let Some(place) = place(key) {
                sizes[place].right += 1;
                sizes[place].example.get_or_insert((Side::Right, record));
            }
        }
        for ((place, _), n) in by_table {
            sizes[place].within += n * n.saturating_sub(1) / 2;
        }
        let block = |of: &Sizes| {
            let Sizes { left, right, both, within, example } = *of;
            let pairs_of_both = both * both.saturating_sub(1) / 2;
            let (n_records, n_pairs) = match is_same {
                true => (left, pairs_of_both - within.min(pairs_of_both)),
                // Those of both sides are there either way round, and with themselves.
                false => (left + right - both, left * right - both - pairs_of_both),
            };
            example.map(|example| LargestBlock { n_records, n_pairs, example })
        };
        let mut blocks: Vec<LargestBlock> =
            sizes.iter().filter_map(block).filter(|it| it.n_pairs > 0).collect();
        blocks.sort_by_key(|block| (std::cmp::Reverse(block.n_pairs), block.example));
        blocks.truncate(n);
        blocks
    }

    fn are_one(&self, left: u32, right: u32) -> bool {
        left == right || self.codes(left) == self.codes(right)
    }
}

/// Numbers for combinations of codes, the same for both sides.
#[derive(Default)]
struct Numbers(Vec<HashMap<(u32, u32), u32>>);

impl Numbers {
    /// By record: the number of its values in these columns. Records that lack one have none.
    fn keys(&mut self, encoded: &Encoded, columns: impl Iterator<Item = u32>, control: &Control) -> Vec<u32> {
        let mut columns = columns.map(|column| encoded.codes(column));
        let Some(first) = columns.next() else { return Vec::new() };
        let mut keys = first.to_vec();
        for (nth, codes) in columns.enumerate() {
            if self.0.len() <= nth {
                self.0.push(HashMap::new());
            }
            let numbers = &mut self.0[nth];
            for (key, &code) in keys.iter_mut().zip(codes) {
                control.pass();
                *key = match (*key, code) {
                    (MISSING, _) | (_, MISSING) => MISSING,
                    both => {
                        let next = numbers.len() as u32;
                        *numbers.entry(both).or_insert(next)
                    }
                };
            }
        }
        keys
    }
}
