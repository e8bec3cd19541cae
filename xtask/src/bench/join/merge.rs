//! The pairs of a join by sorting both sides and merging them: slow, and simple enough to believe.

use crate::r#gen::zipf::Columns;

/// All pairs of rows with the same key, sorted.
pub(super) fn pairs(columns: &Columns) -> Vec<(u32, u32)> {
    let [left, right] = [&columns.left, &columns.right].map(|column| by_key(column));
    let mut pairs = Vec::new();
    let mut right = right.as_slice();
    for group in left.chunk_by(|a, b| a.0 == b.0) {
        let key = group[0].0;
        right = &right[right.partition_point(|(other, _)| *other < key)..];
        let same = &right[..right.partition_point(|(other, _)| *other == key)];
        pairs.extend(group.iter().flat_map(|(_, left)| same.iter().map(|(_, right)| (*left, *right))));
    }
    pairs.sort_unstable();
    pairs
}

/// Keys with their rows, by key.
fn by_key(column: &[u32]) -> Vec<(u32, u32)> {
    let mut rows: Vec<(u32, u32)> = column.iter().copied().zip(0..).collect();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use super::pairs;
    use crate::r#gen::zipf::{Alphabet, Columns};

    #[test]
    fn pairs_have_the_same_key() {
        let columns = Columns { left: vec![3, 1, 3, 2], right: vec![2, 3, 4, 3, 1] };
        assert_eq!(pairs(&columns), [(0, 1), (0, 3), (1, 4), (2, 1), (2, 3), (3, 0)]);
        assert_eq!(pairs(&Columns { left: vec![1], right: vec![2] }), []);
    }

    #[test]
    fn there_are_as_many_as_the_frequencies_say() {
        for exponent in [0.0, 0.8] {
            let columns = Alphabet::new(2000, 1).draw(exponent);
            assert_eq!(pairs(&columns).len() as u64, columns.known().n_pairs);
        }
    }
}
