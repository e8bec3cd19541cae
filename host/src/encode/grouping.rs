//! Grouping: which operands predicates name, and which of them are compared and so share a domain.

use super::group::Slot;
use crate::rules::{Domain, Operand, Predicate, Side, Test};
use hashbrown::HashMap;

/// Which operands there are, and which of them share a domain.
#[derive(Default)]
pub(super) struct Grouping {
    two_tables: bool,
    pub(super) slots: Vec<Slot>,
    /// By group: its slots.
    pub(super) members: Vec<Vec<usize>>,
    /// By slot: its group.
    pub(super) groups: Vec<usize>,
    numbers: HashMap<(usize, Operand, Domain), usize>,
}

impl Grouping {
    pub(super) fn new(two_tables: bool, predicates: &[Predicate]) -> Self {
        let (members, groups, numbers) = (Vec::new(), Vec::new(), HashMap::new());
        let mut grouping = Self { two_tables, slots: Vec::new(), members, groups, numbers };
        for predicate in predicates {
            match &predicate.test {
                Test::Value { side, operand, domain, .. } => {
                    grouping.group_of(*side, operand, *domain);
                }
                Test::Compare { left, right, domain, .. } => {
                    let l = grouping.group_of(Side::Left, left, *domain);
                    let r = grouping.group_of(Side::Right, right, *domain);
                    if l != r {
                        grouping.join(l.min(r), l.max(r));
                    }
                }
            }
        }
        grouping
    }

    /// The slot of an operand.
    pub(super) fn slot(&self, side: Side, operand: &Operand, domain: Domain) -> Option<usize> {
        let table = usize::from(self.two_tables && side == Side::Right);
        self.numbers.get(&(table, operand.clone(), domain)).copied()
    }

    fn group_of(&mut self, side: Side, operand: &Operand, domain: Domain) -> usize {
        let slot = self.slot(side, operand, domain).unwrap_or_else(|| {
            let table = usize::from(self.two_tables && side == Side::Right);
            let slot = self.slots.len();
            self.numbers.insert((table, operand.clone(), domain), slot);
            self.slots.push(Slot { table, operand: operand.clone(), domain });
            self.groups.push(self.members.len());
            self.members.push(vec![slot]);
            slot
        });
        self.groups[slot]
    }

    /// Makes one group of two; the last takes the place of the one that goes.
    fn join(&mut self, stays: usize, goes: usize) {
        let moved = self.members.swap_remove(goes);
        moved.iter().for_each(|&slot| self.groups[slot] = stays);
        self.members[stays].extend(moved);
        for &slot in self.members.get(goes).into_iter().flatten() {
            self.groups[slot] = goes;
        }
    }
}
