//! The values that a predicate looks at, as text after their transforms, and as the codes that they were given.

use super::Pair;
use crate::base::error::Result;
use crate::encode::{Encoded, Pipeline, number, values};
use crate::read::table::Table;
use crate::rules::{Domain, Operand, Side, Test};
use arrow_array::Array;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::predicate as lowered;

/// What a predicate sees of one record: `None` if it does not look, `Some(None)` if there is nothing to see.
type Seen = Option<Option<String>>;

impl Pair {
    /// The left and the right value.
    pub(super) fn values(&self, test: &Test) -> Result<(Seen, Seen)> {
        let left = |operand, domain| value(&self.left, 0, operand, domain).map(Some);
        let right = |operand, domain| value(self.right(), self.right_record(), operand, domain).map(Some);
        Ok(match test {
            Test::Value { side: Side::Left, operand, domain, .. } => (left(operand, *domain)?, None),
            Test::Value { side: Side::Right, operand, domain, .. } => (None, right(operand, *domain)?),
            Test::Compare { left: l, right: r, domain, .. } => (left(l, *domain)?, right(r, *domain)?),
        })
    }

    /// The two codes that the predicate at `ix` compares, if it compares two.
    pub(super) fn codes(&self, encoded: &Encoded, ix: usize) -> Option<(u32, u32)> {
        match encoded.predicates.get(ix)?.test {
            lowered::Test::Compare { left, right, .. } => {
                let code =
                    |operand, record: u32| Columns::codes(encoded, operand).get(record as usize).copied();
                Some((code(left, 0)?, code(right, self.right_record())?))
            }
            lowered::Test::Left { .. } | lowered::Test::Right { .. } => None,
        }
    }
}

fn value(table: &Table, record: u32, operand: &Operand, domain: Domain) -> Result<Option<String>> {
    let (column, row) = (values(table, operand)?, table.ids.row(record));
    if column.is_null(row) {
        return Ok(None);
    }
    let value = Pipeline::new(&operand.transforms)?.apply(column.value(row)).map(String::from);
    // Not-a-number and infinity count as missing where numbers are compared.
    Ok(value.filter(|value| domain == Domain::Text || number(value, domain).is_some()))
}
