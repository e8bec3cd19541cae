//! Every plan finds the same candidates: with parts of the planner switched off, with costs from elsewhere, and those of
//! the oracle.

use crate::set::{Cut, DataSet};
use hyperblock::device::cpu::Cpu;
use hyperblock::plan::Variant;
use hyperblock::plan::cost::CostSource;
use hyperblock::rules::{self, RuleFile};
use hyperblock::{Candidate, Control, Job, Prepared};
use hyperblock_tests::case::Sheet;
use hyperblock_tests::oracle::{self, Found, Rows};
use libtest_mimic::Failed;

/// The plain plan against all others.
pub(crate) fn same_candidates(data: &DataSet, n_records: usize) -> Result<(), Failed> {
    let cut = data.cut(n_records)?;
    let (prepared, wanted) = found(&cut.job())?;
    if !prepared.subsumed.is_empty() {
        return Err(format!("rules that add nothing: {:?}", prepared.subsumed).into());
    }
    if wanted.is_empty() {
        return Err("rules without candidates test little".into());
    }
    let alone = Variant::ALL.iter().map(|&variant| vec![variant]);
    for variants in alone.chain([vec![Variant::NoPo, Variant::NoRo]]) {
        let found = found(&cut.job().variants(variants.clone()))?.1;
        same(&format!("{variants:?}"), &wanted, &found)?;
    }
    for cost in [CostSource::Static, CostSource::Measured] {
        same(&format!("{cost:?} costs"), &wanted, &found(&cut.job().cost(cost))?.1)?;
    }
    Ok(())
}

/// The plain plan against the oracle, which is slow, most of all where it has to read patterns again for each pair.
pub(crate) fn as_the_oracle(data: &DataSet) -> Result<(), Failed> {
    let rules = std::fs::read_to_string(&data.rules)?;
    let n_records = if rules.contains("regexp_replace") { 20 } else { 60 };
    // The oracle strips the accents of few letters only.
    let is_known = |value: &str| value.is_ascii() || !rules.contains("strip_accents");
    let cut = data.cut_of(n_records, is_known)?;
    let (prepared, found) = found(&cut.job())?;
    let wanted = by_oracle(&cut, &prepared)?;
    if wanted.is_empty() {
        return Err("rules without candidates test little".into());
    }
    same("the plain plan", &wanted, &found)
}

fn by_oracle(cut: &Cut, prepared: &Prepared) -> Result<Vec<Found>, Failed> {
    let file = RuleFile::read(cut.rules())?;
    let rules = rules::bind(&file, &prepared.left.schema, &prepared.right().schema, false)?;
    let values = |sheet: &Sheet| -> Vec<Vec<Option<String>>> {
        let whole = |(id, row): (&String, &Vec<_>)| {
            std::iter::once(Some(id.clone())).chain(row.iter().cloned()).collect()
        };
        sheet.ids.iter().zip(&sheet.rows).map(whole).collect()
    };
    let left = values(&cut.left);
    let left = Rows { ids: &cut.left.ids, values: &left };
    Ok(match &cut.right {
        None => oracle::dedupe(left, &rules),
        Some(right) => oracle::link(left, Rows { ids: &right.ids, values: &values(right) }, &rules),
    })
}

fn found(job: &Job) -> Result<(Prepared, Vec<Found>), Failed> {
    let device = Cpu::new();
    let prepared = job.prepare(&device, &Control::default())?;
    let mut all = Vec::new();
    prepared.run(&device, &Control::default(), &mut |candidates: &[Candidate]| {
        all.extend_from_slice(candidates);
        Ok(())
    })?;
    let (left, right) = (&prepared.left.ids, &prepared.right().ids);
    let name = |found: Candidate| (left.text(found.left), right.text(found.right), found.rule as usize);
    let all = all.into_iter().map(name).collect();
    Ok((prepared, all))
}

fn same(what: &str, wanted: &[Found], found: &[Found]) -> Result<(), Failed> {
    if wanted == found {
        return Ok(());
    }
    let only = |a: &[Found], b: &[Found]| {
        a.iter().filter(|one| !b.contains(one)).take(5).cloned().collect::<Vec<_>>()
    };
    let (missed, added) = (only(wanted, found), only(found, wanted));
    let counts = format!("{what}: {} candidates, not {}", found.len(), wanted.len());
    Err(format!("{counts}; wanted, not found: {missed:?}; found, not wanted: {added:?}").into())
}
