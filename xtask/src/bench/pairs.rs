//! Answers of two programs, pair by pair: what each has found, and whether doubles explain where they differ.
//!
//! Where a program compares doubles, it may miss a pair whose similarity is the threshold exactly. Those must be gone from our
//! own answer when thresholds rise by a billionth. What a program finds and we do not must be there when they fall by as much.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// More than doubles lose, and less than two similarities of short texts differ.
const BILLIONTH: f64 = 1e-9;

/// Pairs of ids, the smaller one first, in order.
pub(crate) type Pairs = Vec<(u32, u32)>;

/// Pairs as all programs write them: two ids a line, after a head. We write the rule, too.
pub(crate) fn read(path: &Path) -> Result<Pairs> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    pairs(&text).with_context(|| format!("{} has no pairs", path.display()))
}

fn pairs(text: &str) -> Result<Pairs> {
    let pair = |line: &str| -> Result<(u32, u32)> {
        let mut fields = line.split(',');
        let mut id = || -> Result<u32> { Ok(fields.next().context("a line is too short")?.parse()?) };
        Ok((id()?, id()?))
    };
    let mut pairs = text.lines().skip(1).map(pair).collect::<Result<Pairs>>()?;
    pairs.sort_unstable();
    ensure!(pairs.iter().all(|(left, right)| left < right), "a pair has the larger id first");
    ensure!(pairs.is_sorted_by(|one, next| one < next), "a pair stands there twice");
    Ok(pairs)
}

/// Those of the first that the second has not.
pub(crate) fn without(pairs: &[(u32, u32)], others: &[(u32, u32)]) -> Pairs {
    pairs.iter().copied().filter(|pair| others.binary_search(pair).is_err()).collect()
}

/// How many pairs only one of both has; an error if that is not for the sake of doubles. `shifted` has our own pairs with all
/// thresholds so much higher.
pub(crate) fn n_differ(
    ours: &[(u32, u32)],
    theirs: &[(u32, u32)],
    mut shifted: impl FnMut(f64) -> Result<Pairs>,
) -> Result<usize> {
    let (only_ours, only_theirs) = (without(ours, theirs), without(theirs, ours));
    if only_ours.is_empty() && only_theirs.is_empty() {
        return Ok(0);
    }
    let (above, below) = (shifted(BILLIONTH)?, shifted(-BILLIONTH)?);
    let wrong = without(&only_theirs, &below).into_iter();
    let wrong: Pairs =
        wrong.chain(only_ours.iter().copied().filter(|pair| above.binary_search(pair).is_ok())).collect();
    ensure!(
        wrong.is_empty(),
        "{} pairs differ from ours, and doubles do not say why: {:?}",
        wrong.len(),
        wrong[0]
    );
    Ok(only_ours.len() + only_theirs.len())
}

#[cfg(test)]
mod tests {
    use super::{Pairs, n_differ, pairs, without};

    #[test]
    fn pairs_are_told_apart() {
        let ours = pairs("left,right,rule\n3,158,rule 1\n3,9,rule 2\n").unwrap();
        let theirs = pairs("left,right\n3,9\n4,5\n").unwrap();
        assert_eq!(ours, [(3, 9), (3, 158)]);
        assert_eq!((without(&ours, &theirs), without(&theirs, &ours)), (vec![(3, 158)], vec![(4, 5)]));
        assert_eq!(pairs("left,right\n").unwrap(), Pairs::new());
        for wrong in ["left,right\n2,1\n", "left,right\n1,2\n1,2\n", "left,right\n1\n", "left,right\na,2\n"] {
            assert!(pairs(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn only_thresholds_excuse_a_difference() {
        let ours = [(1, 2), (3, 4)];
        assert_eq!(n_differ(&ours, &ours, |_| panic!("nothing to excuse")).unwrap(), 0);
        // The second stands at the threshold: it is gone when that rises.
        let shifted = |by: f64| Ok(if by > 0.0 { vec![(1, 2)] } else { vec![(1, 2), (3, 4), (5, 6)] });
        assert_eq!(n_differ(&ours, &[(1, 2), (5, 6)], shifted).unwrap(), 2);
        for theirs in [vec![(3, 4)], vec![(1, 2), (3, 4), (7, 8)]] {
            let error = n_differ(&ours, &theirs, shifted).unwrap_err().to_string();
            assert!(error.starts_with("1 pairs differ from ours"), "{error}");
        }
    }
}
