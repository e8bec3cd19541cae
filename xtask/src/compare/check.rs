//! Answers held against each other: pairs of ids, and entities as pairs of each record with the first of its entity.

use super::job::{Ask, Claim};
use crate::bench::pairs::{self, Pairs, n_differ, without};
use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// What a program found.
pub(super) struct Found {
    pub(super) pairs: Pairs,
    /// Lines of its file.
    pub(super) n_lines: usize,
}

/// How an answer compares.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Verdict {
    /// Pairs that only one of both has, where that is for the sake of doubles.
    pub(super) differ: Option<usize>,
    /// Of our pairs, or of the truth.
    pub(super) recall: Option<f64>,
    /// Of the truth.
    pub(super) f1: Option<f64>,
}

/// Reads an answer.
pub(super) fn read(ask: Ask, path: &Path) -> Result<Found> {
    match ask {
        Ask::Pairs(_) => pairs::read(path).map(|pairs| Found { n_lines: pairs.len(), pairs }),
        Ask::Components | Ask::Truth => {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            entities(&text).with_context(|| format!("{} has no entities", path.display()))
        }
    }
}

/// Lines of an id and the name of its entity, after a head. What entities are called does not matter.
fn entities(text: &str) -> Result<Found> {
    let mut records = Vec::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split(',');
        let (id, entity) = (fields.next().unwrap_or_default(), fields.next());
        let entity = entity.with_context(|| format!("{line:?} names no entity"))?;
        // Letters may stand before the number.
        let number = id.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let number: u32 = number.parse().with_context(|| format!("{id:?} is no id"))?;
        records.push((number, entity));
    }
    records.sort_unstable();
    ensure!(records.is_sorted_by(|one, next| one.0 < next.0), "an id stands there twice");
    let n_lines = records.len();
    let mut firsts = HashMap::new();
    let with_first = records.into_iter().map(|(id, entity)| (*firsts.entry(entity).or_insert(id), id));
    let mut pairs: Pairs = with_first.filter(|(first, id)| first != id).collect();
    pairs.sort_unstable();
    Ok(Found { pairs, n_lines })
}

/// Holds an answer against ours; an error if it is not what it claims to be. `shifted` has our pairs with other thresholds.
pub(super) fn check(
    claim: Claim,
    ours: &[(u32, u32)],
    theirs: &[(u32, u32)],
    truth: Option<&Path>,
    shifted: impl FnMut(f64) -> Result<Pairs>,
) -> Result<Verdict> {
    match (claim, truth) {
        (Claim::Exact, _) => {
            Ok(Verdict { differ: Some(n_differ(ours, theirs, shifted)?), ..Verdict::default() })
        }
        (Claim::Approximate, _) => {
            let wrong = without(theirs, ours);
            ensure!(wrong.is_empty(), "{} pairs that no rule allows, such as {:?}", wrong.len(), wrong[0]);
            Ok(Verdict { recall: Some(share(theirs.len(), ours.len())), ..Verdict::default() })
        }
        (Claim::Judged, truth) => judge(theirs, truth.context("nobody knows the truth")?),
    }
}

/// How near entities are to the truth, over all pairs within them.
pub(super) fn judge(found: &[(u32, u32)], truth: &Path) -> Result<Verdict> {
    let right = within(&read(Ask::Truth, truth)?.pairs);
    let found = within(found);
    let n_both = found.len() - without(&found, &right).len();
    let f1 = share(2 * n_both, found.len() + right.len());
    Ok(Verdict { recall: Some(share(n_both, right.len())), f1: Some(f1), differ: None })
}

/// All pairs within entities, in order, from pairs with their first records.
fn within(firsts: &[(u32, u32)]) -> Pairs {
    let mut all = firsts.to_vec();
    for entity in firsts.chunk_by(|one, next| one.0 == next.0) {
        for (ix, (_, one)) in entity.iter().enumerate() {
            all.extend(entity[ix + 1..].iter().map(|(_, other)| (*one, *other)));
        }
    }
    all.sort_unstable();
    all
}

/// All of nothing is there.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::{Claim, check, entities, judge, within};
    use crate::cargo::target;
    use crate::replace::replace;
    use std::io::Write;

    const OURS: [(u32, u32); 3] = [(1, 2), (1, 3), (5, 6)];

    #[test]
    fn one_wrong_pair_is_found_out() {
        let same = |_| Ok(OURS.to_vec());
        assert_eq!(check(Claim::Exact, &OURS, &OURS, None, same).unwrap().differ, Some(0));
        for theirs in [&[(1, 2), (1, 3), (5, 7)][..], &OURS[1..], &[(1, 2), (1, 3), (5, 6), (8, 9)]] {
            let error = check(Claim::Exact, &OURS, theirs, None, same).unwrap_err().to_string();
            assert!(error.contains("pairs differ from ours"), "{error}");
        }
        let error = check(Claim::Approximate, &OURS, &[(1, 4)], None, same).unwrap_err().to_string();
        assert_eq!(error, "1 pairs that no rule allows, such as (1, 4)");
    }

    #[test]
    fn recall_is_told() {
        let none = |_| unreachable!("nothing is shifted");
        let verdict = check(Claim::Approximate, &OURS, &OURS[..2], None, none).unwrap();
        assert_eq!((verdict.recall, verdict.differ), (Some(2.0 / 3.0), None));
        assert_eq!(check(Claim::Approximate, &[], &[], None, none).unwrap().recall, Some(1.0));
    }

    #[test]
    fn entities_are_the_same_whatever_they_are_called() {
        let found = entities("id,entity_id\np3,a\np1,a\np2,b\np4,a\n").unwrap();
        assert_eq!((found.pairs.as_slice(), found.n_lines), (&[(1, 3), (1, 4)][..], 4));
        assert_eq!(entities("id,entity_id\n4,7\n3,7\n1,7\n2,9\n").unwrap().pairs, found.pairs);
        assert_eq!(within(&found.pairs), [(1, 3), (1, 4), (3, 4)]);
        for wrong in ["id\n1\n", "id,entity_id\nx,1\n", "id,entity_id\n1,2\n1,2\n"] {
            assert!(entities(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_truth_judges() {
        let truth = target().join("compare-test").join(format!("truth-{}.csv", std::process::id()));
        replace(&truth, |file| file.write_all(b"id,entity_id\n1,a\n2,a\n3,a\n4,b\n5,b\n")).unwrap();
        let verdict = judge(&[(1, 2), (4, 5), (6, 7)], &truth).unwrap();
        std::fs::remove_file(&truth).unwrap();
        // Two of the four that are right, and one that is not.
        assert_eq!((verdict.recall, verdict.f1), (Some(0.5), Some(4.0 / 7.0)));
    }
}
