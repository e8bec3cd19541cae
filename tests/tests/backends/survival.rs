//! Ids of entities that survive: over random entities before and now, against the naive way.

use crate::bench::{Bench, CPU, Registered, trials};
use arrow_array::{Array, LargeStringArray, RecordBatch, StringArray, UInt64Array, cast::AsArray};
use arrow_schema::{DataType, Field, Schema};
use hyperblock::entities::survival::Survival;
use hyperblock::read::pairs::{PairFile, PairSource};
use hyperblock::read::previous::Previous;
use hyperblock::tell::output::{ChangeRows, EntityRows, Rows};
use hyperblock::{Batches, Control};
use hyperblock_tests::generate::for_all;
use hyperblock_tests::survival::{Outcome, Row, Update};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

// No device has a part in it.
pub(crate) const TRIALS: &[Registered] = trials![CPU => [random_entities]];

/// Text in columns of these names.
fn table(columns: &[(&str, Vec<String>)]) -> Batches {
    let field = |(name, _): &(&str, Vec<String>)| Field::new(*name, DataType::Utf8, true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let arrays = columns.iter().map(|(_, texts)| Arc::new(StringArray::from(texts.clone())) as _).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap_or_else(|error| panic!("{error}"));
    Batches::new("table", schema, vec![batch]).unwrap_or_else(|error| panic!("{error}"))
}

/// Up to nine records now, up to nine before: of some names for entities, which may be those of records.
fn updates() -> impl Strategy<Value = (Vec<Option<usize>>, Vec<Option<usize>>, usize)> {
    let entities = || prop::collection::vec(prop::option::weighted(0.8, 0..5usize), 9);
    (entities(), entities(), 0..3usize)
}

fn random_entities(_: Bench) {
    const NAMES: [[&str; 5]; 3] =
        [["r1", "r2", "x", "r1~2", "y"], ["r0", "r3", "r0~2", "r0~3", "r3~2"], ["10", "9", "-1", "2", "7"]];
    let kinds = Cell::new(BTreeSet::new());
    for_all(3_000, &updates(), |(before, now, names)| {
        // Without records there is nothing to resolve.
        let Some(entity_of_first) = now.iter().flatten().next() else { return };
        let record = |nth: usize| format!("r{nth}");
        let old = before.iter().enumerate();
        let old = old.filter_map(|(nth, entity)| Some((record(nth), NAMES[names][(*entity)?].to_owned())));
        let before: BTreeMap<String, String> = old.collect();
        let there: Vec<(String, usize)> =
            now.iter().enumerate().filter_map(|(nth, entity)| Some((record(nth), (*entity)?))).collect();
        let first = |entity: usize| there.iter().position(|(_, other)| *other == entity);
        let entities: Vec<u32> = there.iter().map(|(_, it)| first(*it).unwrap_or(0) as u32).collect();
        assert_eq!(first(*entity_of_first), Some(0));
        let records: Vec<String> = there.iter().map(|(record, _)| record.clone()).collect();
        let update = Update { before, usual: records.clone(), records, entities };
        let found = survive(&update);
        assert_eq!(found, update.outcome(), "{update:?}");
        update.assert_accounted(&found);
        let mut all = kinds.take();
        all.extend(found.rows.into_iter().map(|row| row.0));
        kinds.set(all);
    });
    assert_eq!(kinds.take().len(), 9, "all kinds of changes come up");
}

/// By the engine.
fn survive(update: &Update) -> Outcome {
    let (control, ids) = (Control::default(), |ids: &[String]| ids.to_vec());
    let pairs = table(&[("left", ids(&update.records)), ("right", ids(&update.records))]);
    let source = PairSource { memory: Some(pairs), ..PairSource::default() };
    let file = PairFile::read(&source, &control).unwrap_or_else(|error| panic!("{error}"));
    let (old, of): (Vec<String>, Vec<String>) = update.before.clone().into_iter().unzip();
    let before = table(&[("id", old), ("entity_id", of)]).into();
    let previous = Previous::read(&before, &file.left, None, &control);
    let previous = previous.unwrap_or_else(|error| panic!("{error}"));
    let Survival { ids, changes, counts } = Survival::new(&previous, &update.entities, &file.left, None);
    let ids = OnceLock::from(ids);
    let rows = EntityRows::new(&file.left, None).named(&ids);
    let members: Vec<(u32, u32)> = (0..).zip(update.entities.iter().copied()).collect();
    let batch = rows.batch(&members).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<String> = texts(batch.column(1).as_string()).map(|id| id.unwrap_or_default()).collect();
    let told = ChangeRows::new(rows, &ids).batch(&changes).unwrap_or_else(|error| panic!("{error}"));
    let n_records: &UInt64Array = told.column(3).as_primitive();
    let kinds = told.column(0).as_string::<i32>();
    let (old, new) = (texts(told.column(1).as_string()), texts(told.column(2).as_string()));
    let rows: Vec<Row> = old
        .zip(new)
        .enumerate()
        .map(|(nth, (old, new))| {
            let kind = kinds.value(nth).to_owned();
            (kind, old.unwrap_or_default(), new.unwrap_or_default(), n_records.value(nth))
        })
        .collect();
    let (n_rows, rows): (usize, BTreeSet<Row>) = (rows.len(), rows.into_iter().collect());
    assert_eq!(n_rows, rows.len(), "a change is told once");
    let is_told = |id: &String| rows.iter().any(|row| row.1 == *id);
    let unchanged: BTreeSet<String> = update.before.values().filter(|id| !is_told(id)).cloned().collect();
    assert_eq!(counts.unchanged, unchanged.len() as u64, "{update:?}");
    let parts = [counts.unchanged, counts.grown, counts.shrunk, counts.changed, counts.merged, counts.gone];
    assert_eq!(counts.before, parts.iter().sum::<u64>());
    let n_of = |kind: &str| rows.iter().filter(|row| row.0 == kind).count() as u64;
    assert_eq!([counts.new, counts.merged, counts.gone], ["new", "merged", "gone"].map(n_of));
    Outcome { ids: names, rows, unchanged }
}

fn texts(array: &LargeStringArray) -> impl Iterator<Item = Option<String>> {
    (0..array.len()).map(|row| array.is_valid(row).then(|| array.value(row).to_owned()))
}
