//! A job spread over units, in one process: the CPU time of covering its records and of solving its units, beside that of one run.
//!
//! People of `cargo xtask gen people --skew 0.8 --seed 7` under the four rules of `bench growth`, with one zip code shared by a fifth of
//! them. What a distributed engine does in between, bringing the records of a unit together, is done here too, and not counted. Both
//! ways must find as many pairs.

use super::growth::{MIXED, people};
use super::spread_args::SpreadArgs;
use crate::record;
use anyhow::{Context, Result, ensure};
use hyperblock::arrow_array::cast::AsArray;
use hyperblock::arrow_array::types::{Int8Type, Int32Type, Int64Type};
use hyperblock::arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use hyperblock::arrow_schema::{DataType, Field, Schema, SchemaRef};
use hyperblock::device::cpu::Cpu;
use hyperblock::serde_json::Value;
use hyperblock::spread::{Budget, Counts, UnitPlan};
use hyperblock::{Batches, Control, IdSource, Job, ReadOptions, RuleSource};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rows of a batch, as Spark has them.
const ROWS: usize = 10_000;
/// Of how many records one is in the sample.
const SAMPLED: usize = 100;
/// Of how many records one has the zip code.
const SHARED: usize = 5;
const ZIP: &str = "00000";

pub(super) fn run(args: &SpreadArgs) -> Result<()> {
    let table = table(args.rows, !args.even)?;
    let sample: Vec<RecordBatch> =
        table.iter().map(|batch| batch.slice(0, batch.num_rows() / SAMPLED)).collect();
    let (device, control) = (Cpu::new(), Control::default());
    let (wanted, single) = measured(|| {
        let prepared = job(table.clone())?.prepare(&device, &control)?;
        Ok(prepared.run(&device, &control, &mut |_| Ok(()))?.n_candidates())
    })?;
    let budget = Budget {
        memory: args.memory << 20,
        cores: args.cores,
        pairs: None,
        side: args.side,
        most_shuffle: None,
        is_scored: false,
    };
    let counts = Counts { records: vec![args.rows.into()] };
    let (bytes, planning) =
        measured(|| Ok(UnitPlan::new(&job(sample.clone())?, &counts, &budget, &control)?.to_bytes()?))?;
    let plan = UnitPlan::from_bytes(&bytes)?;
    let told: Value = hyperblock::serde_json::from_str(plan.told())?;
    let (covered, covering) = measured(|| {
        let cover = |batch: &RecordBatch| Ok(plan.cover(0, &batches(vec![batch.clone()])?, &control)?.1);
        table.iter().map(cover).collect::<Result<Vec<_>>>()
    })?;
    let covered: Vec<RecordBatch> = covered.into_iter().flatten().collect();
    let n_copies: usize = covered.iter().map(RecordBatch::num_rows).sum();
    let units = units(&covered);
    let (mut n_found, mut solving) = (0, 0.0);
    let mut packs: BTreeMap<i32, [f64; 2]> = BTreeMap::new();
    for (unit, Unit { pack, sides }) in &units {
        let own = |side: usize| {
            let there = Some(&sides[side]).filter(|rows| !rows.is_empty());
            there.map(|rows| batches(vec![copied(&covered, rows)?])).transpose()
        };
        let (left, right) = (own(0)?, own(1)?);
        let Some(left) = left else { continue };
        let (solved, seconds) =
            measured(|| Ok(plan.solve(unit.cast_unsigned(), &left, right.as_ref(), &device, &control)?))?;
        let n: usize = solved.batches.iter().map(RecordBatch::num_rows).sum();
        n_found += n as u64;
        solving += seconds;
        let sum = packs.entry(*pack).or_default();
        sum[0] += sides.iter().map(Vec::len).sum::<usize>() as f64;
        sum[1] += solved.compared.most as f64;
        if args.units {
            let [l, r] = [0, 1].map(|side| sides[side].len());
            println!(
                "  unit {unit}: {l} and {r} records, {} compared, {n} pairs, {seconds:.3} s",
                solved.compared.most
            );
        }
    }
    ensure!(n_found == wanted, "one run finds {wanted} pairs, and units {n_found}");
    let ratio = (covering + solving) / single;
    let uneven = |nth: usize| {
        let sums = packs.values().map(|sum| sum[nth]);
        sums.clone().fold(0.0, f64::max)
            / (sums.sum::<f64>() / told["packs"].as_f64().unwrap_or(1.0)).max(1.0)
    };
    println!("{} people, {wanted} pairs, {} units in {} packs", args.rows, units.len(), packs.len());
    for branch in told["branches"].as_array().context("no branches")? {
        let of = |name: &str| branch[name].to_string();
        println!(
            "  {} by {}: {} units, {} copies, {} heavy",
            of("cover"),
            of("about"),
            of("units"),
            of("copies"),
            of("heavy_keys")
        );
    }
    println!("  copies {n_copies}, as told {}", told["copies"]);
    println!(
        "  one run {single:.2} s; plan {planning:.2}, cover {covering:.2}, solve {solving:.2} s: {ratio:.2} times as much"
    );
    println!(
        "  the largest pack has {:.2} times as many records as the mean, and {:.2} times as many pairs",
        uneven(0),
        uneven(1)
    );
    match &args.save {
        Some(folder) => {
            let head = "rows,shared,cores,pairs,units,copies,single,plan,cover,solve,ratio,uneven_records,uneven_pairs";
            let line = format!(
                "{},{},{},{wanted},{},{n_copies},{single:.3},{planning:.3},{covering:.3},{solving:.3},{ratio:.3},{:.3},{:.3}",
                args.rows,
                !args.even,
                args.cores,
                units.len(),
                uneven(0),
                uneven(1)
            );
            record::save(folder, "spread", &[head.to_owned(), line])
        }
        None => Ok(()),
    }
}

fn job(table: Vec<RecordBatch>) -> Result<Job> {
    let options = ReadOptions { id: IdSource::Column("id".into()), ..ReadOptions::default() };
    let rules = RuleSource::values(MIXED.iter().zip(["a", "b", "c", "d"]).map(|(when, name)| (name, when)));
    Ok(Job::over(batches(table)?.into(), None, rules).read_options(options.clone(), options))
}

fn batches(batches: Vec<RecordBatch>) -> Result<Batches> {
    let schema = batches.first().context("no batch")?.schema();
    Ok(Batches::new("people", schema, batches)?)
}

/// The people, in batches.
fn table(rows: u32, is_shared: bool) -> Result<Vec<RecordBatch>> {
    let path = people(rows)?;
    let mut reader = csv::Reader::from_path(&path)?;
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let zip = names.iter().position(|name| name == "zip").context("no zip codes")?;
    let fields = names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect::<Vec<_>>();
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let (mut batches, mut columns) = (Vec::new(), vec![Vec::<Option<String>>::new(); names.len()]);
    let mut flush = |columns: &mut Vec<Vec<Option<String>>>| -> Result<()> {
        let arrays =
            columns.iter_mut().map(|column| Arc::new(StringArray::from_iter(column.drain(..))) as ArrayRef);
        batches.push(RecordBatch::try_new(schema.clone(), arrays.collect())?);
        Ok(())
    };
    for (row, record) in reader.records().enumerate() {
        for (nth, value) in record?.iter().enumerate() {
            let value = if nth == zip && is_shared && row % SHARED == 0 { ZIP } else { value };
            columns[nth].push((!value.is_empty()).then(|| value.to_owned()));
        }
        if columns[0].len() == ROWS {
            flush(&mut columns)?;
        }
    }
    if !columns[0].is_empty() {
        flush(&mut columns)?;
    }
    Ok(batches)
}

/// Where the records of a unit are: by side, the batch and the row.
#[derive(Default)]
struct Unit {
    pack: i32,
    sides: [Vec<(u32, u32)>; 2],
}

fn units(covered: &[RecordBatch]) -> BTreeMap<i64, Unit> {
    let mut units: BTreeMap<i64, Unit> = BTreeMap::new();
    for (nth, batch) in (0..).zip(covered) {
        let (packs, numbers) =
            (batch.column(0).as_primitive::<Int32Type>(), batch.column(1).as_primitive::<Int64Type>());
        let sides = batch.column(2).as_primitive::<Int8Type>();
        for row in 0..batch.num_rows() {
            let unit = units.entry(numbers.value(row)).or_default();
            unit.pack = packs.value(row);
            unit.sides[usize::from(sides.value(row) == 1)].push((nth, row as u32));
        }
    }
    units
}

/// Those rows, with their own columns.
fn copied(covered: &[RecordBatch], rows: &[(u32, u32)]) -> Result<RecordBatch> {
    let schema = covered.first().context("nothing is covered")?.schema();
    let places: Vec<usize> = (3..schema.fields().len()).collect();
    let column = |&place: &usize| {
        let of: Vec<&StringArray> = covered.iter().map(|batch| batch.column(place).as_string()).collect();
        let value = |&(batch, row): &(u32, u32)| {
            let (values, row) = (of[batch as usize], row as usize);
            values.is_valid(row).then(|| values.value(row))
        };
        Arc::new(rows.iter().map(value).collect::<StringArray>()) as ArrayRef
    };
    Ok(RecordBatch::try_new(Arc::new(schema.project(&places)?), places.iter().map(column).collect())?)
}

/// What some work comes to, and the seconds that it took of all cores together.
fn measured<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let before = cpu_seconds()?;
    let done = work()?;
    Ok((done, cpu_seconds()? - before))
}

/// What this process has taken so far: the system counts in hundredths of a second.
fn cpu_seconds() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit(')').next().context("no figures of this process")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<std::result::Result<f64, _>>()? / 100.0)
}
