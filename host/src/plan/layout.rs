//! Layout: the tree, depth first, as the steps of a path. [`super::Program`] makes of them what backends walk
//! (`hyperblock_shared::path`).

use super::Conjunction;
use super::tree::Node;
use hyperblock_shared::path::{FORGOTTEN, REMEMBERED};
use std::collections::HashMap;

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub enum PlannedStep {
    /// Go on with the next step if the predicate holds, else with `otherwise`.
    Test {
        /// By its place among the plan's predicates.
        predicate: u32,
        /// A later step, or one past the last.
        otherwise: u32,
        /// The bit that remembers the outcome, or [`FORGOTTEN`].
        bit: u32,
    },
    /// A rule holds.
    Witness {
        /// By its place in the file.
        rule: u32,
        /// The next step that may lead to an earlier rule, or one past the last.
        then: u32,
    },
}

/// A path's steps, and for each the predicates that hold on every pair that passes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) steps: Vec<PlannedStep>,
    pub(super) prefixes: Vec<Vec<u32>>,
}

/// Lays out a tree. Predicates that stand in several places and are `worth_remembering` share a bit of the outcome bitmap.
pub(super) fn lay_out(tree: &[Node], worth_remembering: impl Fn(usize) -> bool) -> Layout {
    let mut layout = Layout::default();
    tree.iter().for_each(|node| layout.node(node, &[]));
    layout.continue_after_witnesses();
    layout.remember(worth_remembering);
    layout
}

impl Layout {
    fn node(&mut self, node: &Node, before: &[u32]) {
        let (ix, prefix) = self.test(node.predicate, before);
        if let Some(witness) = &node.witness {
            self.witness(witness.rule, &prefix);
            for conjunction in &witness.earlier {
                self.chain(conjunction, &prefix);
            }
        }
        node.children.iter().for_each(|child| self.node(child, &prefix));
        self.end(ix);
    }

    /// A conjunction of an earlier rule, asked where a later one holds.
    fn chain(&mut self, conjunction: &Conjunction, before: &[u32]) {
        let mut prefix = before.to_vec();
        let mut tests = Vec::new();
        for &predicate in &conjunction.predicates {
            let (ix, longer) = self.test(predicate, &prefix);
            tests.push(ix);
            prefix = longer;
        }
        self.witness(conjunction.rule, &prefix);
        tests.into_iter().for_each(|ix| self.end(ix));
    }

    fn test(&mut self, predicate: usize, before: &[u32]) -> (usize, Vec<u32>) {
        let predicate = predicate as u32;
        self.steps.push(PlannedStep::Test { predicate, otherwise: 0, bit: FORGOTTEN });
        let prefix: Vec<u32> = before.iter().copied().chain([predicate]).collect();
        self.prefixes.push(prefix.clone());
        (self.steps.len() - 1, prefix)
    }

    fn witness(&mut self, rule: u32, prefix: &[u32]) {
        self.steps.push(PlannedStep::Witness { rule, then: 0 });
        self.prefixes.push(prefix.to_vec());
    }

    /// All that hangs on a test has been laid out: what fails it goes on here.
    fn end(&mut self, ix: usize) {
        let here = self.steps.len() as u32;
        if let PlannedStep::Test { otherwise, .. } = &mut self.steps[ix] {
            *otherwise = here;
        }
    }

    /// After a witness the walk goes on at the next step under which there is an earlier rule. What follows a witness can
    /// always be gone on with: all that it hangs on holds.
    fn continue_after_witnesses(&mut self) {
        let n_steps = self.steps.len() as u32;
        let after = |ix: u32, step: &PlannedStep| match step {
            PlannedStep::Test { otherwise, .. } => *otherwise,
            PlannedStep::Witness { .. } => ix + 1,
        };
        // By step: the least rule under it, and under it or anything that follows.
        let mut least = vec![u32::MAX; self.steps.len()];
        let mut least_from = vec![u32::MAX; self.steps.len() + 1];
        for ix in (0..n_steps).rev() {
            let step = &self.steps[ix as usize];
            least[ix as usize] = match step {
                PlannedStep::Witness { rule, .. } => *rule,
                PlannedStep::Test { otherwise, .. } => {
                    let mut child = ix + 1;
                    let mut under = u32::MAX;
                    while child < *otherwise {
                        under = under.min(least[child as usize]);
                        child = after(child, &self.steps[child as usize]);
                    }
                    under
                }
            };
            least_from[ix as usize] = least_from[ix as usize + 1].min(least[ix as usize]);
        }
        for ix in 0..n_steps {
            let PlannedStep::Witness { rule, .. } = self.steps[ix as usize] else { continue };
            let mut next = ix + 1;
            while next < n_steps && least[next as usize] >= rule {
                let goes_on = least_from[next as usize] < rule;
                next = if goes_on { after(next, &self.steps[next as usize]) } else { n_steps };
            }
            self.steps[ix as usize] = PlannedStep::Witness { rule, then: next };
        }
    }

    /// Gives bits to the predicates that stand in most places.
    fn remember(&mut self, worth_remembering: impl Fn(usize) -> bool) {
        let mut places: HashMap<u32, u32> = HashMap::new();
        for step in &self.steps {
            if let PlannedStep::Test { predicate, .. } = step {
                *places.entry(*predicate).or_default() += 1;
            }
        }
        let mut often: Vec<(u32, u32)> = places
            .into_iter()
            .filter(|&(predicate, n)| n > 1 && worth_remembering(predicate as usize))
            .collect();
        often.sort_unstable_by_key(|&(predicate, n)| (std::cmp::Reverse(n), predicate));
        let bits: HashMap<u32, u32> =
            often.into_iter().map(|(predicate, _)| predicate).zip(0..REMEMBERED).collect();
        for step in &mut self.steps {
            if let PlannedStep::Test { predicate, bit, .. } = step {
                *bit = bits.get(predicate).copied().unwrap_or(FORGOTTEN);
            }
        }
    }
}
