//! What looks as if it were not meant: rules that add nothing, or that compare all pairs; values that very many records share;
//! columns with little in them, or of kinds that do not go together.

use super::CheckedRule;
use crate::base::error::Result;
use crate::inspect::explain::about;
use crate::job::Prepared;
use crate::plan::Plan;
use crate::plan::path::{AccessPath, SweepPath};
use crate::plan::statistics::ColumnStatistics;
use crate::read::table::{Kind, Table};
use crate::rules::{Domain, Measure, Operand, Predicate, Side, Sided, Test};
use indicatif::HumanCount;

/// A value that more records have than this, and this share of all of them, is heavy.
const HEAVY: u64 = 1000;
const HEAVY_SHARE: f64 = 0.01;
/// A column that misses more than this is nearly empty.
const MISSING: f64 = 0.5;
/// More candidates a record than this are not what anybody means.
const ABSURD: f64 = 1000.0;
/// A sweep of more pairs than this takes its time.
const LONG_SWEEP: f64 = 1e10;

/// Something to look at before a job is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What kind of doubt, in a word.
    pub kind: &'static str,
    /// In words.
    pub said: String,
}

/// All there are.
pub(super) fn doubts(job: &Prepared, plans: &[Plan], rules: &[CheckedRule]) -> Result<Vec<Doubt>> {
    let columns = job.columns()?;
    let mut all = Vec::new();
    let mut doubt = |kind: &'static str, said: String| all.push(Doubt { kind, said });
    for subsumed in &job.subsumed {
        let name = |rule: usize| &job.plan.rules[rule].name;
        let (rule, by) = (name(subsumed.rule), name(subsumed.by));
        doubt("subsumed", format!("`{rule}` adds nothing: every pair that it allows is allowed by `{by}`"));
    }
    let n_pairs = job.area().n_pairs() as f64;
    for (plan, rule) in plans.iter().zip(rules) {
        if compares_all(plan, n_pairs) {
            let said = "compares all pairs: an equality or a narrower threshold would leave most of them out";
            doubt("all pairs", format!("`{}` {said}", rule.name));
        }
        for (column, value, n) in heavy(plan, &columns) {
            let n = HumanCount(n);
            let said = format!(
                "`{}` compares the {n} records that have {value} as {column} with each other",
                rule.name
            );
            doubt("heavy key", format!("{said}; --max-block leaves such values out"));
        }
    }
    let n_records = f64::from(job.left.n_records()) + job.second().map_or(0.0, |it| it.n_records().into());
    for rule in rules.iter().filter(|rule| rule.n_pairs > ABSURD * n_records.max(1.0)) {
        let per_record = about(rule.n_pairs / n_records);
        doubt(
            "many pairs",
            format!("`{}` allows about {per_record} pairs a record: ask for more", rule.name),
        );
    }
    for column in columns.iter().filter(|column| column.missing() > MISSING) {
        let share = 100.0 * column.missing();
        doubt(
            "missing",
            format!("{share:.1}% of {} is missing, and what is missing is equal to nothing", column.name),
        );
    }
    for predicate in &job.plan.predicates {
        if let Some(said) = mixed(predicate, [&job.left, job.right()]) {
            doubt("kinds", said);
        }
    }
    all.dedup();
    Ok(all)
}

/// Whether a part of a rule goes through all pairs, or very many of them.
fn compares_all(plan: &Plan, n_pairs: f64) -> bool {
    let ways = plan.chosen.iter().filter_map(|chosen| chosen.alternatives.first());
    ways.map(|way| &way.path).any(|path| match path {
        AccessPath::Sweep(SweepPath { lead }) => lead.is_none() || n_pairs > LONG_SWEEP,
        AccessPath::Overlap(_) | AccessPath::Join(_) => false,
    })
}

/// The values that very many records share in the only equality that a part of a rule joins by.
fn heavy(plan: &Plan, columns: &[ColumnStatistics]) -> Vec<(String, String, u64)> {
    let mut all = Vec::new();
    for way in plan.chosen.iter().filter_map(|chosen| chosen.alternatives.first()) {
        let AccessPath::Join(path) = &way.path else { continue };
        let [equality] = path.equalities[..] else { continue };
        let Test::Compare { left, .. } = &plan.predicates[equality as usize].test else { continue };
        let name = Sided(Side::Left, left).to_string();
        let Some(column) = columns.iter().find(|column| column.name == name) else { continue };
        let most = HEAVY.max((HEAVY_SHARE * column.n_records as f64) as u64);
        let heaviest = column.heavy.first().filter(|(_, n)| *n > most);
        all.extend(heaviest.map(|(value, n)| (name, format!("'{value}'"), *n)));
    }
    all
}

/// What is to be said of an equality of columns of which one holds numbers or dates and the other one text.
fn mixed(predicate: &Predicate, tables: [&Table; 2]) -> Option<String> {
    let Test::Compare { left, right, domain: Domain::Text, measure: Measure::Equal } = &predicate.test else {
        return None;
    };
    let kind = |operand: &Operand, table: &Table| match &operand.bare_columns()[..] {
        [column] => table.schema.columns.get(column.place).map(|column| column.kind),
        _ => None,
    };
    let kinds = [kind(left, tables[0])?, kind(right, tables[1])?];
    let are_mixed = kinds[0] != kinds[1] && kinds.contains(&Kind::Text) && !kinds.contains(&Kind::List);
    let told = kinds.map(|kind| match kind {
        Kind::Text => "text",
        Kind::Integer | Kind::Float => "numbers",
        Kind::Date => "dates",
        Kind::List => "lists",
    });
    are_mixed.then(|| {
        let [l, r] = told;
        format!("{predicate}: {l} on the left and {r} on the right, which are compared as they are written")
    })
}
