//! What users are told of values that count as missing although something is written there.

use crate::base::error::Result;
use crate::read::table::{Kind, Table};
use crate::rules::{Domain, Operand, Predicate, Side, Test};
use indicatif::HumanCount;

/// Warns once of each column that is compared as numbers or dates and has values that cannot be.
pub(crate) fn warn<'a>(
    left: &Table,
    right: &Table,
    compared: impl Iterator<Item = (Side, &'a Operand, Domain)>,
) -> Result<()> {
    let mut seen = Vec::new();
    for (side, operand, domain) in compared {
        if domain == Domain::Text {
            continue;
        }
        let table = if side == Side::Left { left } else { right };
        // Transforms take texts; what they give in numbers can be compared.
        for column in operand.bare_columns() {
            let key = (&table.path, column.place);
            if !seen.contains(&key) {
                seen.push(key);
                warn_of(table, column.place)?;
            }
        }
    }
    Ok(())
}

fn warn_of(table: &Table, column: usize) -> Result<()> {
    let Some(odd) = table.odd(column)? else { return Ok(()) };
    let (schema, value) = (&table.schema.columns[column], &odd.value);
    let (one, many, limits) = match schema.kind {
        Kind::Date => ("a date", "dates", "years are from 0000 to 9999"),
        _ => ("a number", "numbers", "at most 36 digits, neither NaN nor infinity"),
    };
    let what = match odd.n {
        1 => format!("{value} cannot be compared as {one} ({limits}) and counts as missing; mend it"),
        n => {
            let others = HumanCount(n as u64 - 1);
            format!(
                "{value} and {others} more cannot be compared as {many} ({limits}) and count as missing; mend them"
            )
        }
    };
    let (path, row) = table.place(odd.row);
    let (path, row, name) = (path.display(), row + 1, &schema.name);
    tracing::warn!(
        "{path}: row {row}, column `{name}`: {what}, or compare the column as text, by trim({name})"
    );
    Ok(())
}

/// What a predicate compares.
pub(crate) fn compared(predicate: &Predicate) -> impl Iterator<Item = (Side, &Operand, Domain)> {
    let (first, second) = match &predicate.test {
        Test::Value { side, operand, domain, .. } => ((*side, operand, *domain), None),
        Test::Compare { left, right, domain, .. } => {
            ((Side::Left, left, *domain), Some((Side::Right, right, *domain)))
        }
    };
    std::iter::once(first).chain(second)
}
