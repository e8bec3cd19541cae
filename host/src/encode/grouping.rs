//! Grouping: which operands predicates name, and which of them are compared and so share a domain.

use super::group::Slot;
use crate::rules::{Domain, Operand, Predicate, Side, Test};

/// Which operands there are, and which of them share a domain.
pub(super) struct Grouping {
    two_tables: bool,
    pub(super) slots: Vec<Slot>,
    /// By group: its slots.
    pub(super) members: Vec<Vec<usize>>,
}

impl Grouping {
    pub(super) fn new(two_tables: bool, predicates: &[Predicate]) -> Self {
        let mut grouping = Self { two_tables, slots: Vec::new(), members: Vec::new() };
        for predicate in predicates {
            match &predicate.test {
                Test::Value { side, operand, domain, .. } => {
                    grouping.group_of(*side, operand, *domain);
                }
                Test::Compare { left, right, domain, .. } => {
                    let l = grouping.group_of(Side::Left, left, *domain);
                    let r = grouping.group_of(Side::Right, right, *domain);
                    if l != r {
                        let moved = grouping.members.swap_remove(l.max(r));
                        grouping.members[l.min(r)].extend(moved);
                    }
                }
            }
        }
        grouping
    }

    /// The slot of an operand.
    pub(super) fn slot(&self, side: Side, operand: &Operand, domain: Domain) -> Option<usize> {
        let table = usize::from(self.two_tables && side == Side::Right);
        self.slots
            .iter()
            .position(|slot| slot.table == table && slot.operand == *operand && slot.domain == domain)
    }

    fn group_of(&mut self, side: Side, operand: &Operand, domain: Domain) -> usize {
        let slot = self.slot(side, operand, domain).unwrap_or_else(|| {
            let table = usize::from(self.two_tables && side == Side::Right);
            self.slots.push(Slot { table, operand: operand.clone(), domain });
            self.members.push(vec![self.slots.len() - 1]);
            self.slots.len() - 1
        });
        self.members.iter().position(|members| members.contains(&slot)).unwrap_or_default()
    }
}
