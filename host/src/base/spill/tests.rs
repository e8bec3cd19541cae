//! What was spilled comes back as it was, whatever was cut where; or somebody is told.

use super::*;
use hyperblock_shared::layout::{Candidate, ScoredPair};
use proptest::collection::vec;
use proptest::prelude::*;

fn candidate((left, right, rule): (u32, u32, u32)) -> Candidate {
    Candidate { left, right, rule }
}

/// Runs of keys that are often the same, or far apart.
fn runs() -> impl Strategy<Value = Vec<Vec<Candidate>>> {
    let number = || prop_oneof![0u32..4, any::<u32>()];
    let run = vec((number(), number(), 0u32..3).prop_map(candidate), 0..60).prop_map(|mut run| {
        run.sort_by_key(key);
        run
    });
    vec(run, 0..8)
}

fn spilled(runs: &[Vec<Candidate>], range: usize) -> Spill<Candidate> {
    let mut spill = Spill::new(std::env::temp_dir(), range).unwrap();
    runs.iter().for_each(|run| spill.add(run).unwrap());
    spill
}

proptest! {
    #[test]
    fn as_if_all_were_sorted(runs in runs(), range in prop_oneof![1usize..9, 60usize..2000]) {
        let mut wanted: Vec<Candidate> = runs.iter().flatten().copied().collect();
        wanted.sort_by_key(|it| (it.left, it.right, it.rule));
        let spill = spilled(&runs, range);
        prop_assert_eq!(spill.n_rows(), wanted.len() as u64);
        let (mut found, mut last, mut largest) = (Vec::new(), None, 0);
        for keys in spill.ranges(range) {
            let mut rows = spill.range(keys).unwrap();
            rows.sort_by_key(|it| (it.left, it.right, it.rule));
            assert!(rows.first().map(key) > last || rows.is_empty());
            last = rows.last().map(key).or(last);
            largest = largest.max(rows.chunk_by(|a, b| key(a) == key(b)).count());
            found.extend(rows);
        }
        prop_assert_eq!(found, wanted);
        // Of each run one more step may be in a range than is wanted.
        prop_assert!(largest <= range + (runs.len() + 1) * spill.step, "{} of {}", largest, range);
    }

    #[test]
    fn blocks_come_back(rows in vec(any::<(u32, u32, u32, u32)>(), 0..300)) {
        let row = |&(of, left, right, score): &_| (of, ScoredPair { left, right, score });
        let rows: Vec<(u32, ScoredPair)> = rows.iter().map(row).collect();
        prop_assert_eq!(unpacked(&packed(&rows).unwrap()), Some(rows));
    }

    #[test]
    fn damage_is_found(
        rows in vec(any::<(u32, u32, u32)>(), 1..300), at in any::<prop::sample::Index>(), bit in 0u32..8,
    ) {
        let rows: Vec<Candidate> = rows.into_iter().map(candidate).collect();
        let mut bytes = packed(&rows).unwrap();
        let at = at.index(bytes.len());
        prop_assert_eq!(unpacked::<Candidate>(&bytes[..at]), None);
        bytes[at] ^= 1 << bit;
        prop_assert_eq!(unpacked::<Candidate>(&bytes), None);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        let _ = unpacked::<Candidate>(&crate::base::sealed::sealed(&bytes));
    }
}

/// All bytes of a small file: the number, what is packed, the checksum; and one block in the place of another, and a file that
/// is cut off.
#[test]
fn a_changed_file_is_told_of() {
    let run: Vec<Candidate> = (0..40).map(|ix| candidate((ix / 7, ix, ix % 3))).collect();
    let spill = spilled(std::slice::from_ref(&run), 8 * BLOCKS_PER_RANGE);
    assert_eq!((spill.block, spill.blocks.len()), (8, 5));
    let mut bytes = vec![0; spill.n_bytes() as usize];
    spill.file.read_exact_at(&mut bytes, 0).unwrap();
    let said = |spill: &Spill<Candidate>| match spill.range(KeyRange { from: 0, upto: None }) {
        Ok(rows) => rows == run,
        Err(error) => {
            let error = error.to_string();
            assert!(error.starts_with(&std::env::temp_dir().display().to_string()), "{error}");
            assert!(error.contains("is not what was written"), "{error}");
            false
        }
    };
    assert!(said(&spill));
    for at in 0..bytes.len() {
        spill.file.write_all_at(&[bytes[at] ^ 1], at as u64).unwrap();
        assert!(!said(&spill), "byte {at}");
        spill.file.write_all_at(&bytes[at..=at], at as u64).unwrap();
    }
    let mut swapped = spilled(std::slice::from_ref(&run), 8 * BLOCKS_PER_RANGE);
    swapped.blocks[1] =
        Block { first: swapped.blocks[1].first, last: swapped.blocks[1].last, ..swapped.blocks[2] };
    assert!(!said(&swapped));
    assert!(said(&spill));
    spill.file.set_len(spill.n_bytes() - 1).unwrap();
    assert!(!said(&spill));
}

#[test]
fn nobody_sees_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut spill: Spill<Candidate> = Spill::new(folder.path().to_owned(), 100).unwrap();
    spill.add(&[candidate((1, 2, 0))]).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let nowhere = folder.path().join("nowhere");
    let said = Spill::<Candidate>::new(nowhere.clone(), 100).unwrap_err().to_string();
    let wanted = format!("{}: what does not fit into memory cannot be kept here", nowhere.display());
    assert!(said.starts_with(&wanted), "{said}");
}
