//! The values that a predicate looks at, as text after their transforms, and as the codes that they were given.

use super::Part;
use crate::base::error::Result;
use crate::encode::{Encoded, Fields, Pipeline, number, place};
use crate::read::table::Table;
use crate::rules::{Domain, Operand, Predicate, Side, Test};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::predicate as lowered;

/// What a predicate sees of one record: `None` if it does not look, `Some(None)` if there is nothing to see.
type Seen = Option<Option<String>>;

/// How a predicate looks at records: an operand on each side that it asks about, with its transforms ready.
pub(in crate::inspect) struct Look<'a> {
    pub(super) predicate: &'a Predicate,
    left: Option<(&'a Operand, Pipeline)>,
    right: Option<(&'a Operand, Pipeline)>,
    domain: Domain,
}

impl<'a> Look<'a> {
    pub(in crate::inspect) fn new(predicate: &'a Predicate) -> Result<Self> {
        let ready = |operand: &'a Operand| Ok((operand, Pipeline::new(operand)?));
        let (left, right, domain) = match &predicate.test {
            Test::Value { side: Side::Left, operand, domain, .. } => (Some(ready(operand)?), None, *domain),
            Test::Value { side: Side::Right, operand, domain, .. } => (None, Some(ready(operand)?), *domain),
            Test::Compare { left, right, domain, .. } => (Some(ready(left)?), Some(ready(right)?), *domain),
        };
        Ok(Self { predicate, left, right, domain })
    }

    /// The left and the right value of two records.
    pub(super) fn values(&self, part: &Part, [left, right]: [u32; 2]) -> Result<(Seen, Seen)> {
        let see = |table, record, side: &Option<(&Operand, Pipeline)>| {
            side.as_ref()
                .map(|(operand, ready)| value(table, record, operand, ready, self.domain))
                .transpose()
        };
        Ok((see(&part.left, left, &self.left)?, see(part.right(), right, &self.right)?))
    }
}

/// Values for people: of lists, their elements.
pub(super) fn shown(test: &Test, left: Seen, right: Seen) -> (Seen, Seen) {
    let shown = |operand: &Operand, seen: Seen| seen.map(|value| value.map(|value| operand.shown(value)));
    match test {
        Test::Value { operand, .. } => (shown(operand, left), shown(operand, right)),
        Test::Compare { left: l, right: r, .. } => (shown(l, left), shown(r, right)),
    }
}

/// The two codes that the predicate at `ix` compares of two records, if it compares two.
pub(super) fn codes(encoded: &Encoded, ix: usize, pair: [u32; 2]) -> Option<(u32, u32)> {
    match encoded.predicates.get(ix)?.test {
        lowered::Test::Compare { left, right, .. } => {
            let code = |operand, record: u32| Columns::codes(encoded, operand).get(record as usize).copied();
            Some((code(left, pair[0])?, code(right, pair[1])?))
        }
        lowered::Test::Left { .. } | lowered::Test::Right { .. } => None,
    }
}

fn value(
    table: &Table,
    record: u32,
    operand: &Operand,
    ready: &Pipeline,
    domain: Domain,
) -> Result<Option<String>> {
    let (fields, row) = (Fields::of(table, operand)?, table.ids.row(record));
    let value = ready.apply(&fields.row(row)).map(String::from);
    // Not-a-number and infinity count as missing where numbers are compared.
    Ok(value.filter(|value| match domain {
        Domain::Text => true,
        Domain::Number | Domain::Date => number(value, domain).is_some(),
        Domain::Point => place(value).is_some(),
    }))
}
