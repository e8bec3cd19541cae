//! Marks: what predicates ask of one record alone, answered once for every record before any pair is compared.

use super::MarkColumn;
use super::group::Values;
use super::numbers;
use super::select::packed;
use crate::base::decimal::Decimal;
use crate::base::error::{Error, Result};
use crate::rules::{Condition, Domain};
use hashbrown::HashSet;
use hyperblock_shared::columns::MISSING;
use std::cmp::Ordering;

/// A bit for each record of `table` on whose value the condition, or with `negated` its opposite, holds.
pub(super) fn mark(
    table: usize,
    codes: &[u32],
    values: &Values<'_>,
    domain: Domain,
    condition: &Condition,
    negated: bool,
) -> Result<MarkColumn> {
    // SQL's three values: a missing value meets no condition but that of being missing, and no opposite either.
    let on_missing = *condition == Condition::Missing && !negated;
    let holds = match condition {
        Condition::Missing => vec![negated; values.len()],
        Condition::Is(constant) => {
            orders(values, constant, domain)?.into_iter().map(|order| order.is_eq() != negated).collect()
        }
        Condition::OneOf(constants) => {
            among(values, constants, domain)?.into_iter().map(|is_among| is_among != negated).collect()
        }
        Condition::AtMost { constant, strict } => {
            let below = |order: Ordering| if *strict { order.is_lt() } else { order.is_le() };
            orders(values, constant, domain)?.into_iter().map(|order| below(order) != negated).collect()
        }
    };
    let is_marked = |record: usize| match codes[record] {
        MISSING => on_missing,
        code => holds[code as usize],
    };
    Ok(MarkColumn { table, bits: packed(codes.len(), is_marked) })
}

/// How each distinct value compares with a constant.
fn orders(values: &Values<'_>, constant: &str, domain: Domain) -> Result<Vec<Ordering>> {
    Ok(match values {
        // The order of UTF-8 is that of the characters.
        Values::Texts(values) => values.iter().map(|value| (**value).cmp(constant)).collect(),
        Values::Numbers(values) => {
            let constant = number(constant, domain)?;
            values.iter().map(|value| value.cmp(&constant)).collect()
        }
        Values::Places(..) => return Err(no_order()),
    })
}

/// Whether each distinct value is one of some constants.
fn among(values: &Values<'_>, constants: &[String], domain: Domain) -> Result<Vec<bool>> {
    Ok(match values {
        Values::Texts(values) => {
            let constants: HashSet<&str> = constants.iter().map(String::as_str).collect();
            values.iter().map(|value| constants.contains(&**value)).collect()
        }
        Values::Numbers(values) => {
            let constants =
                constants.iter().map(|constant| number(constant, domain)).collect::<Result<HashSet<_>>>()?;
            values.iter().map(|value| constants.contains(value)).collect()
        }
        Values::Places(..) => return Err(no_order()),
    })
}

fn no_order() -> Error {
    Error::Internal("points are compared with no constant".into())
}

fn number(constant: &str, domain: Domain) -> Result<Decimal> {
    numbers::parse(constant, domain)
        .ok_or_else(|| Error::Internal(format!("`{constant}` is no constant of its domain")))
}
