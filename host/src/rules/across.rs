//! Rules over several tables that are one, where records of different tables alone make pairs.
//!
//! A column says which table a record is of. That it differs is one more predicate of every conjunction, so whatever looks for
//! pairs knows of it: no pair within a table is found and then left out. Records are numbered by table, so the left one of a pair is
//! of the earlier table, and a rule that is not symmetric counts that way round alone, as over two tables.

use super::bind::{Tables, bound, said};
use super::file::{Entry, RuleFile};
use super::normal;
use super::syntax::{Comparison, Formula, complaint};
use super::{Column, Domain, Measure, Operand, Predicate, Rule, Test};
use crate::base::error::Result;
use crate::read::table::Schema;

/// Gives the rules of a file their meaning over several tables with these columns together, of which the one at `source` says
/// which table a record is of.
pub fn bind_across(file: &RuleFile, schema: &Schema, source: usize) -> Result<Vec<Rule>> {
    let tables = Tables { left: schema, right: schema, lookups: file.lookups()? };
    file.check_missing(schema, schema)?;
    let apart = apart(schema, source);
    let rule = |entry: &Entry| {
        // What is wrong with a rule by itself is told first.
        tables.rule(&entry.name, &entry.formula, &entry.span, false)?;
        let formula: Formula<Predicate> =
            entry.formula.try_map(&|comparison: &Comparison| tables.predicate(comparison))?;
        let both = Formula::And(vec![formula, Formula::Leaf(apart.clone())]);
        let conjunctions = normal::conjunctions(&both, false).map_err(|reason| {
            let (message, help) = said(&reason);
            complaint(entry.span.clone(), message).help(help)
        })?;
        Ok(Rule { name: entry.name.clone(), conjunctions })
    };
    bound(file, rule)
}

/// That two records are of different tables.
pub(crate) fn apart(schema: &Schema, source: usize) -> Predicate {
    let name = schema.columns.get(source).map(|column| column.name.clone()).unwrap_or_default();
    let operand = Operand::column(Column { place: source, name }, Vec::new());
    let (left, right) = (operand.clone(), operand);
    let test = Test::Compare { left, right, domain: Domain::Text, measure: Measure::Equal };
    Predicate { test, negated: true }
}
