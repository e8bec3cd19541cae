//! Steps that come from elsewhere, looked at before anything walks them: each stays within its tree, and names what is there.

use super::layout::PlannedStep;
use hyperblock_shared::path::{FORGOTTEN, REMEMBERED};

/// What is wrong with steps over so many predicates and rules, if anything is.
pub(super) fn check(steps: &[PlannedStep], n_predicates: usize, n_rules: usize) -> Result<(), String> {
    let n_steps = u32::try_from(steps.len()).map_err(|_| "too many steps".to_owned())?;
    // Where the tests that a step hangs on end, the innermost last.
    let mut ends: Vec<u32> = Vec::new();
    let mut remembered = [None; REMEMBERED as usize];
    for (ix, step) in (0..n_steps).zip(steps) {
        while ends.last().is_some_and(|&end| end <= ix) {
            ends.pop();
        }
        let end = ends.last().copied().unwrap_or(n_steps);
        match *step {
            PlannedStep::Test { predicate, otherwise, bit } => {
                ensure(ix, (predicate as usize) < n_predicates, "tests no predicate")?;
                ensure(ix, ix < otherwise && otherwise <= end, "ends outside of what it hangs on")?;
                if bit != FORGOTTEN {
                    let place = remembered.get_mut(bit as usize);
                    let owner = place.map(|place| *place.get_or_insert(predicate));
                    ensure(ix, owner == Some(predicate), "is remembered where it has no place")?;
                }
                ends.push(otherwise);
                // A conjunction, and one of an earlier rule below it: more would be a tree that nobody can descend.
                ensure(ix, ends.len() <= 2 * n_predicates, "hangs on too many tests")?;
            }
            PlannedStep::Witness { rule, then } => {
                ensure(ix, (rule as usize) < n_rules, "is a witness of no rule")?;
                ensure(ix, ix < then && then <= n_steps, "goes on nowhere")?;
            }
        }
    }
    // Only now is it known that siblings follow each other.
    for (ix, step) in (0..n_steps).zip(steps) {
        if let PlannedStep::Witness { then, .. } = *step {
            let mut next = ix + 1;
            while next < then {
                next = match steps[next as usize] {
                    PlannedStep::Test { otherwise, .. } => otherwise,
                    PlannedStep::Witness { .. } => next + 1,
                };
            }
            ensure(ix, next == then, "goes on below a test that it does not hang on")?;
        }
    }
    Ok(())
}

fn ensure(step: u32, holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("step {step} {otherwise}")) }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::plan::layout::PlannedStep::{self, Test, Witness};
    use hyperblock_shared::path::FORGOTTEN;

    /// Two rules that share their first predicate, and one of two predicates of which one is remembered.
    const STEPS: [PlannedStep; 8] = [
        Test { predicate: 0, otherwise: 5, bit: FORGOTTEN },
        Test { predicate: 1, otherwise: 3, bit: 63 },
        Witness { rule: 1, then: 3 },
        Test { predicate: 2, otherwise: 5, bit: FORGOTTEN },
        Witness { rule: 0, then: 8 },
        Test { predicate: 1, otherwise: 8, bit: 63 },
        Test { predicate: 2, otherwise: 8, bit: FORGOTTEN },
        Witness { rule: 2, then: 8 },
    ];

    #[track_caller]
    fn refused(step: usize, damaged: PlannedStep, because: &str) {
        let mut steps = STEPS;
        steps[step] = damaged;
        assert_eq!(check(&steps, 3, 3), Err(format!("step {because}")));
    }

    #[test]
    fn what_leads_out_of_the_tree_is_refused() {
        assert_eq!(check(&STEPS, 3, 3), Ok(()));
        assert_eq!(check(&[], 0, 0), Ok(()));
        let test = |predicate, otherwise, bit| Test { predicate, otherwise, bit };
        refused(1, test(3, 3, 63), "1 tests no predicate");
        refused(1, test(1, 1, 63), "1 ends outside of what it hangs on");
        refused(1, test(1, 6, 63), "1 ends outside of what it hangs on");
        refused(5, test(1, 9, 63), "5 ends outside of what it hangs on");
        refused(1, test(1, 3, 64), "1 is remembered where it has no place");
        refused(3, test(2, 5, 63), "3 is remembered where it has no place");
        let witness = |rule, then| Witness { rule, then };
        refused(2, witness(3, 3), "2 is a witness of no rule");
        refused(2, witness(1, 2), "2 goes on nowhere");
        refused(2, witness(1, 9), "2 goes on nowhere");
        // At step 4 it would be taken for granted that the test before it holds.
        refused(2, witness(1, 4), "2 goes on below a test that it does not hang on");
        // A chain of tests that repeat themselves.
        let deep: Vec<PlannedStep> = (0..7).map(|_| test(0, 7, FORGOTTEN)).collect();
        assert_eq!(check(&deep, 3, 3), Err("step 6 hangs on too many tests".into()));
    }
}
