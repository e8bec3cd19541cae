//! Whatever the order, a path finds the first rule in file order that holds, and computes nothing twice.

use super::layout::{Layout, PlannedStep, lay_out};
use super::order::Weights;
use super::variant::Variant;
use super::{Conjunction, order, redundancy, tree};
use crate::base::random::Random;
use crate::rules::Consequences;
use hyperblock_shared::path::FORGOTTEN;
use proptest::prelude::*;

/// Predicates are "value `n / LEVELS` is at most `n % LEVELS`", so that some imply others.
const VALUES: usize = 3;
const LEVELS: usize = 3;

fn holds(predicate: usize, values: &[usize]) -> bool {
    values[predicate / LEVELS] <= predicate % LEVELS
}

fn implies(a: usize, b: usize) -> bool {
    a / LEVELS == b / LEVELS && a % LEVELS <= b % LEVELS
}

fn consequences() -> Consequences {
    Consequences::known(VALUES * LEVELS, implies)
}

/// Rules of one or two conjunctions.
fn rules() -> impl Strategy<Value = Vec<Conjunction>> {
    let conjunction = prop::collection::btree_set(0..VALUES * LEVELS, 1..5)
        .prop_map(|set| set.into_iter().collect::<Vec<_>>());
    let rule = prop::collection::vec(conjunction.prop_shuffle(), 1..3);
    prop::collection::vec(rule, 1..8).prop_map(|rules| {
        let numbered = (0..).zip(rules).flat_map(|(rule, conjunctions)| {
            conjunctions.into_iter().map(move |predicates| Conjunction {
                rule,
                predicates,
                earlier: Vec::new(),
            })
        });
        numbered.collect()
    })
}

fn naive(conjunctions: &[Conjunction], values: &[usize]) -> Option<u32> {
    let hold =
        |conjunction: &&Conjunction| conjunction.predicates.iter().all(|&predicate| holds(predicate, values));
    conjunctions.iter().filter(hold).map(|conjunction| conjunction.rule).min()
}

/// The witness, and how often each predicate was computed.
fn walked(layout: &Layout, values: &[usize]) -> (Option<u32>, Vec<u32>) {
    let (mut ix, mut witness, mut computed) = (0, None, vec![0; VALUES * LEVELS]);
    let mut remembered = [false; 64];
    while let Some(step) = layout.steps.get(ix) {
        ix = match *step {
            PlannedStep::Witness { rule, then } => {
                witness = Some(witness.map_or(rule, |witness: u32| witness.min(rule)));
                then as usize
            }
            PlannedStep::Test { predicate, otherwise, bit } => {
                if bit == FORGOTTEN || !std::mem::replace(&mut remembered[bit as usize], true) {
                    computed[predicate as usize] += 1;
                }
                if holds(predicate as usize, values) { ix + 1 } else { otherwise as usize }
            }
        };
    }
    (witness, computed)
}

fn all_values() -> impl Iterator<Item = Vec<usize>> {
    (0..(LEVELS + 1).pow(VALUES as u32))
        .map(|case| (0..VALUES as u32).map(|value| case / (LEVELS + 1).pow(value) % (LEVELS + 1)).collect())
}

proptest! {
    #[test]
    fn every_order_finds_the_first_rule(
        conjunctions in rules(),
        selectivity in prop::collection::vec(0.0f64..1.0, VALUES * LEVELS),
        costs in prop::collection::vec(1.0f64..100.0, VALUES * LEVELS),
        seed: u64,
    ) {
        let weights = Weights { selectivity: &selectivity, costs: &costs };
        let reduced = redundancy::reduce(conjunctions.clone(), &consequences());
        for variants in [vec![], vec![Variant::NoPo], vec![Variant::COrder], vec![Variant::SOrder], vec![Variant::NoEpg]] {
            let is_planned = !variants.contains(&Variant::NoEpg);
            for covering in [false, true] {
                let mut ordered = if is_planned { reduced.clone() } else { conjunctions.clone() };
                if covering {
                    order::covering(&mut ordered, &weights);
                } else {
                    order::ranked(&mut ordered, &weights, &variants, seed);
                }
                let mut tree = tree::build(ordered, &weights, is_planned);
                if seed % 2 == 0 {
                    tree::by_score(&mut tree);
                } else {
                    tree::at_random(&mut tree, &mut Random::new(seed));
                }
                let layout = lay_out(&tree, |_| is_planned);
                for values in all_values() {
                    let (witness, computed) = walked(&layout, &values);
                    prop_assert_eq!(witness, naive(&conjunctions, &values), "{:?} {:?}", layout.steps, values);
                    prop_assert!(!is_planned || computed.iter().all(|&n| n <= 1), "{:?}", layout.steps);
                }
            }
        }
    }

    #[test]
    fn what_is_left_implies_nothing_that_is_left(conjunctions in rules()) {
        let reduced = redundancy::reduce(conjunctions, &consequences());
        for (ix, one) in reduced.iter().enumerate() {
            for (_, other) in reduced.iter().enumerate().filter(|(other, _)| *other != ix) {
                let special = other.predicates.iter().all(|&general| one.predicates.iter().any(|&own| implies(own, general)));
                prop_assert!(!special, "{one:?} {other:?}");
            }
        }
    }
}

#[test]
fn a_question_that_many_rules_share_comes_first() {
    // Predicate 0 ranks below the others, but three rules have it.
    let selectivity = vec![0.1; 4];
    let costs = [2.0, 1.0, 1.0, 1.0];
    let weights = Weights { selectivity: &selectivity, costs: &costs };
    let rule = |rule: u32| Conjunction { rule, predicates: vec![0, rule as usize + 1], earlier: Vec::new() };
    let mut conjunctions: Vec<_> = (0..3).map(rule).collect();
    let mut ranked = conjunctions.clone();
    order::ranked(&mut ranked, &weights, &[], 0);
    assert!(ranked.iter().all(|conjunction| conjunction.predicates[0] != 0));
    order::covering(&mut conjunctions, &weights);
    assert!(conjunctions.iter().all(|conjunction| conjunction.predicates[0] == 0));
}

/// HyperBlocker's running example (PVLDB 18(2), 2024, examples 6 to 9): its numbers, its tree and its sequential path. The
/// costs of four predicates are only in a figure; those of equalities are such that `sname` comes first, as the text says.
#[test]
fn the_running_example_of_the_paper() {
    const COLOR: usize = 0;
    const PRICE: usize = 1;
    const SNAME: usize = 2;
    const PNAME: usize = 3;
    const DESCRIPTION: usize = 4;
    const ADDRESS: usize = 5;
    let selectivity = [1.0, 0.3, 0.4, 0.4, 0.2, 0.2];
    let costs = [0.1, 0.2, 0.1, 0.6, 0.5, 0.6];
    let weights = Weights { selectivity: &selectivity, costs: &costs };
    // Example 6: the quotient of 0.6 and 0.6 is 1; the paper prints 0.8.
    assert_eq!([COLOR, PNAME].map(|predicate| weights.rank(predicate)), [0.0, 1.0]);
    let rule = |rule: u32, predicates: &[usize]| Conjunction {
        rule,
        predicates: predicates.to_vec(),
        earlier: Vec::new(),
    };
    let mut rules = [
        rule(0, &[COLOR, PRICE, SNAME, PNAME]),
        rule(1, &[SNAME, DESCRIPTION]),
        rule(2, &[ADDRESS, DESCRIPTION]),
    ];
    order::ranked(&mut rules, &weights, &[], 0);
    assert_eq!(rules[0].predicates, [SNAME, PRICE, PNAME, COLOR]);
    let mut tree = tree::build(rules.to_vec(), &weights, true);
    tree::by_score(&mut tree);
    // Example 8, and what follows from its numbers.
    let scores = |nodes: &[tree::Node]| -> Vec<(usize, f64)> {
        nodes.iter().map(|node| (node.predicate, (node.score * 1e6).round() / 1e6)).collect()
    };
    assert_eq!(scores(&tree), [(SNAME, 0.08), (DESCRIPTION, 0.04)]);
    assert_eq!(scores(&tree[0].children), [(DESCRIPTION, 0.08), (PRICE, 0.048)]);
    // The sequential path of figure 4(c): rules are reached in the order 2, 1, 3, and the second test of the descriptions is
    // answered by the bitmap.
    let layout = lay_out(&tree, |predicate| predicate > SNAME);
    let test = |predicate: usize, otherwise: u32, bit: u32| PlannedStep::Test {
        predicate: predicate as u32,
        otherwise,
        bit,
    };
    let steps = [
        test(SNAME, 7, FORGOTTEN),
        test(DESCRIPTION, 3, 0),
        PlannedStep::Witness { rule: 1, then: 3 },
        test(PRICE, 7, FORGOTTEN),
        test(PNAME, 7, FORGOTTEN),
        test(COLOR, 7, FORGOTTEN),
        PlannedStep::Witness { rule: 0, then: 10 },
        test(DESCRIPTION, 10, 0),
        test(ADDRESS, 10, FORGOTTEN),
        PlannedStep::Witness { rule: 2, then: 10 },
    ];
    assert_eq!(layout.steps, steps);
    // Example 9: t1 and t5 have the same shop, and no descriptions to compare; DFS goes on below the shop, which is asked once.
    let holds = |predicate: usize| predicate != DESCRIPTION;
    let (mut ix, mut asked) = (0, Vec::new());
    let witness = loop {
        match layout.steps[ix] {
            PlannedStep::Witness { rule, .. } => break rule,
            PlannedStep::Test { predicate, otherwise, .. } => {
                asked.push(predicate as usize);
                ix = if holds(predicate as usize) { ix + 1 } else { otherwise as usize };
            }
        }
    };
    assert_eq!((witness, asked), (0, vec![SNAME, DESCRIPTION, PRICE, PNAME, COLOR]));
}
