//! A job spread over units, without an engine of distributed tables: records are covered in random batches, dealt to units here, and
//! solved, each unit by itself. The union is what one run finds.

use hyperblock::arrow_array::cast::AsArray;
use hyperblock::arrow_array::types::{Int8Type, Int32Type, Int64Type};
use hyperblock::arrow_array::{
    Array, ArrayRef, Date32Array, Float64Array, Int32Array, Int64Array, LargeStringArray, RecordBatch,
    StringArray,
};
use hyperblock::arrow_schema::{DataType, Field, Schema, SchemaRef};
use hyperblock::base::decimal::Decimal;
use hyperblock::device::cpu::Cpu;
use hyperblock::spread::{Budget, Counts, UnitPlan};
use hyperblock::{Batches, Control, Found, IdSource, Job, ReadOptions, Result, RuleSource, serde_json};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

use crate::case::{Case, Sheet};
use crate::oracle::{NICKNAMES, NICKNAMES_FILE};

const RULES_FILE: &str = "rules.toml";

/// What ids are, in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdsAs {
    /// Integers.
    Integers,
    /// Texts, which are in another order.
    Texts,
}

/// A sheet as a record batch: columns of numbers and dates as such, where all values are.
pub fn batch(sheet: &Sheet, ids: IdsAs) -> RecordBatch {
    let ids: ArrayRef = match ids {
        IdsAs::Integers => {
            let number = |(nth, id): (usize, &String)| id.parse::<i64>().unwrap_or(nth as i64 * 7 % 1000);
            Arc::new(Int64Array::from_iter_values(sheet.ids.iter().enumerate().map(number)))
        }
        IdsAs::Texts => Arc::new(StringArray::from_iter_values(&sheet.ids)),
    };
    let mut fields = vec![Field::new("id", ids.data_type().clone(), false)];
    let mut columns = vec![ids];
    for (nth, name) in sheet.header.iter().enumerate() {
        let values: Vec<Option<&str>> = sheet.rows.iter().map(|row| row[nth].as_deref()).collect();
        let column = column(&values);
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn column(values: &[Option<&str>]) -> ArrayRef {
    let there = || values.iter().flatten();
    let integers =
        || there().all(|value| value.parse::<i64>().is_ok_and(|number| number.to_string() == **value));
    let days = |value: &str| {
        let mut parts = value.split('-').map(|part| part.parse::<i32>());
        let (Some(Ok(y)), Some(Ok(m)), Some(Ok(d))) = (parts.next(), parts.next(), parts.next()) else {
            return None;
        };
        // The civil calendar, as Howard Hinnant counts its days.
        let (y, m) = (if m <= 2 { y - 1 } else { y }, (m + 9) % 12);
        (value.len() == 10).then_some(
            365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + d
                - 719_469,
        )
    };
    let is_empty = there().next().is_none();
    if !is_empty && integers() {
        return Arc::new(
            values.iter().map(|value| value.map(|it| it.parse::<i64>().unwrap())).collect::<Int64Array>(),
        );
    }
    if !is_empty && there().all(|value| Decimal::parse(value).is_some()) {
        let numbers = values.iter().map(|value| value.map(|it| it.parse::<f64>().unwrap()));
        return Arc::new(numbers.collect::<Float64Array>());
    }
    if !is_empty && there().all(|value| days(value).is_some()) {
        return Arc::new(values.iter().map(|value| value.and_then(days)).collect::<Date32Array>());
    }
    Arc::new(values.iter().copied().collect::<StringArray>())
}

/// A job over tables in memory.
pub struct Tables {
    /// The tables: one, or two.
    pub tables: Vec<RecordBatch>,
    /// The rule file, and those that it names. Units see none of them.
    folder: TempDir,
}

/// Scores by rarity: of a text, of a number, and of two columns that share their values. To be followed by what it is kept from.
pub const BY_RARITY: &str = "[score]\nscore = 'fellegi-sunter'\nweights = 'weights.toml'\n\
    [[score.attributes]]\nname = 'name'\nmeasure = 'jaro_winkler(l.name, r.name)'\nlevels = [1, 0.8]\nterm_frequency = true\n\
    [[score.attributes]]\nname = 'n'\nmeasure = 'l.n = r.n'\nterm_frequency = true\nleast_frequency = 0.2\n\
    [[score.attributes]]\nname = 'place'\nmeasure = 'l.home = r.work'\nterm_frequency = true\nleast_frequency = 0.0001\n";
const WEIGHTS: &str = "prior = 0.5\n\
    [[attributes]]\nname = 'name'\nmeasure = 'jaro_winkler_similarity(l.name, r.name)'\n\
    levels = [{ at_least = 1, m = 0.7, u = 0.1 }, { at_least = 0.8, m = 0.2, u = 0.2 }, { below = 0.8, m = 0.1, u = 0.7 }]\n\
    [[attributes]]\nname = 'n'\nmeasure = 'l.n = r.n'\nlevels = [{ at_least = 1, m = 0.8, u = 0.3 }, { below = 1, m = 0.2, u = 0.7 }]\n\
    [[attributes]]\nname = 'place'\nmeasure = 'l.home = r.work'\n\
    levels = [{ at_least = 1, m = 0.6, u = 0.2 }, { below = 1, m = 0.4, u = 0.8 }]\n";

/// A pair: both ids as texts, and what else there is of it.
pub type Pair = (String, String, String);

/// What units were there, and found.
pub struct Spread {
    /// All pairs, in order.
    pub pairs: Vec<Pair>,
    /// What the plan tells.
    pub told: serde_json::Value,
    /// By unit: how many records it had, and how many pairs it compared, at most.
    pub units: BTreeMap<i64, (usize, u64)>,
    /// By unit: its pack.
    pub packs: BTreeMap<i64, i32>,
}

impl Tables {
    /// Of a case.
    pub fn of(case: &Case, ids: IdsAs) -> Self {
        let tables = [Some(&case.left), case.right.as_ref()].into_iter().flatten();
        let folder = tempfile::tempdir().expect("a folder is made");
        let nicknames = NICKNAMES.iter().map(|(name, other)| format!("{name},{other}\n"));
        let nicknames = "name,other\n".to_owned() + &nicknames.collect::<String>();
        for (name, text) in [
            (RULES_FILE, case.toml().as_str()),
            (NICKNAMES_FILE, nicknames.as_str()),
            ("weights.toml", WEIGHTS),
        ] {
            fs::write(folder.path().join(name), text).expect("a file is written");
        }
        Self { tables: tables.map(|sheet| batch(sheet, ids)).collect(), folder }
    }

    /// The job, over these rows.
    pub fn job(&self, tables: &[RecordBatch]) -> Job {
        let names =
            if tables.len() == 1 { &["the table"][..] } else { &["the left table", "the right table"] };
        let mut inputs = names.iter().zip(tables).map(|(name, batch)| batches(name, vec![batch.clone()]));
        let (left, right) = (inputs.next().unwrap(), inputs.next());
        let id = || ReadOptions { id: IdSource::Column("id".into()), ..ReadOptions::default() };
        let rules = RuleSource::File(self.folder.path().join(RULES_FILE));
        Job::over(left.into(), right.map(Into::into), rules).read_options(id(), id())
    }

    /// What one run finds.
    pub fn single(&self) -> Result<Vec<Pair>> {
        let (device, control) = (Cpu::new(), Control::default());
        let job = self.job(&self.tables).prepare(&device, &control)?;
        let found = Found::of(&job, &device, &control)?;
        Ok(found.batches.iter().flat_map(pairs).collect())
    }

    /// A plan, made from these samples; with what its score asks of whole tables.
    pub fn plan(&self, samples: &[RecordBatch], budget: &Budget) -> Result<Vec<u8>> {
        let counts = Counts { records: self.tables.iter().map(|table| table.num_rows() as u64).collect() };
        let plan = UnitPlan::new(&self.job(samples), &counts, budget, &Control::default())?;
        let told: serde_json::Value = serde_json::from_str(plan.told()).unwrap();
        if told["terms"].as_array().unwrap().is_empty() {
            return plan.to_bytes();
        }
        let counts = self.counted(&plan, &told)?;
        plan.with_terms(&counts)?.to_bytes()
    }

    /// How many records have each value that the score asks the frequency of, as an engine adds them up: without rare ones.
    fn counted(&self, plan: &UnitPlan, told: &serde_json::Value) -> Result<Batches> {
        let mut sums: BTreeMap<(i32, String), i64> = BTreeMap::new();
        for (nth, table) in self.tables.iter().enumerate() {
            for start in (0..table.num_rows()).step_by(5) {
                let part = table.slice(start, 5.min(table.num_rows() - start));
                let counted = plan.count(nth, &batches("the table", vec![part]), &Control::default())?;
                for batch in counted.1 {
                    let attributes = batch.column(0).as_primitive::<Int32Type>();
                    let values = batch.column(1).as_string::<i32>();
                    let n = batch.column(2).as_primitive::<Int64Type>();
                    for row in 0..batch.num_rows() {
                        *sums.entry((attributes.value(row), values.value(row).to_owned())).or_default() +=
                            n.value(row);
                    }
                }
            }
        }
        let total =
            |attribute: i32| sums.iter().filter(|(key, _)| key.0 == attribute).map(|(_, n)| n).sum::<i64>();
        let totals: BTreeMap<i32, i64> = sums.keys().map(|key| (key.0, total(key.0))).collect();
        let least = |attribute: i32| {
            let mut terms = told["terms"].as_array().unwrap().iter();
            terms.find(|it| it["attribute"] == attribute).unwrap()["least_frequency"].as_f64().unwrap()
        };
        sums.retain(|key, n| *n as f64 >= 0.999 * least(key.0) * totals[&key.0] as f64);
        let numbers: Int32Array = sums.keys().map(|key| key.0).collect();
        let of: Int64Array = sums.keys().map(|key| totals[&key.0]).collect();
        let values: StringArray = sums.keys().map(|key| Some(key.1.as_str())).collect();
        let n: Int64Array = sums.values().copied().collect();
        let columns: [(&str, ArrayRef); 4] = [
            ("attribute", Arc::new(numbers)),
            ("value", Arc::new(values)),
            ("n", Arc::new(n)),
            ("total", Arc::new(of)),
        ];
        Ok(batches("the counts", vec![RecordBatch::try_from_iter(columns).unwrap()]))
    }

    /// What units find together by a plan, where records come in batches of some size from somewhere on.
    pub fn spread(&self, plan: &[u8], batch_rows: usize, from: usize) -> Result<Spread> {
        // What it takes is in the plan.
        for file in fs::read_dir(self.folder.path()).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
        let (device, control) = (Cpu::new(), Control::default());
        let plan = UnitPlan::from_bytes(plan)?;
        let mut units: BTreeMap<i64, [Vec<RecordBatch>; 2]> = BTreeMap::new();
        let mut packs = BTreeMap::new();
        let mut schemas: Vec<SchemaRef> = Vec::new();
        for (nth, table) in self.tables.iter().enumerate() {
            let mut starts: Vec<usize> = (0..table.num_rows()).step_by(batch_rows).collect();
            let n_starts = starts.len().max(1);
            starts.rotate_left(from % n_starts);
            for start in starts {
                let part = table.slice(start, batch_rows.min(table.num_rows() - start));
                let (schema, covered) = plan.cover(nth, &batches("the table", vec![part]), &control)?;
                schemas
                    .push(Arc::new(schema.project(&(3..schema.fields().len()).collect::<Vec<_>>()).unwrap()));
                for batch in covered {
                    let own = batch.project(&(3..batch.num_columns()).collect::<Vec<_>>()).unwrap();
                    let (pack, unit) = (
                        batch.column(0).as_primitive::<Int32Type>(),
                        batch.column(1).as_primitive::<Int64Type>(),
                    );
                    let side = batch.column(2).as_primitive::<Int8Type>();
                    for row in 0..batch.num_rows() {
                        let known = *packs.entry(unit.value(row)).or_insert(pack.value(row));
                        assert_eq!(known, pack.value(row), "a unit in two packs");
                        let sides = units.entry(unit.value(row)).or_default();
                        sides[side.value(row) as usize].push(own.slice(row, 1));
                    }
                }
            }
        }
        let told = serde_json::from_str(plan.told()).unwrap();
        let mut spread = Spread { pairs: Vec::new(), told, units: BTreeMap::new(), packs };
        for (unit, [mut left, mut right]) in units {
            assert!((0..plan.n_units() as i64).contains(&unit));
            // Whatever order they come in.
            left.reverse();
            let n_right = right.len().max(1);
            right.rotate_left(from % n_right);
            let n_records = left.len() + right.len();
            let schema = |side: &[RecordBatch], nth: usize| match side.first() {
                Some(first) => first.schema(),
                None => schemas[nth].clone(),
            };
            let own = Batches::new("the table", schema(&left, 0), left)?;
            let other = (!right.is_empty())
                .then(|| Batches::new("the table", schema(&right, 0), right.clone()))
                .transpose()?;
            let solved = plan.solve(unit as u64, &own, other.as_ref(), &device, &control)?;
            assert!(solved.batches.iter().all(|batch| batch.schema() == plan.schema()));
            spread.units.insert(unit, (n_records, solved.compared.most));
            spread.pairs.extend(solved.batches.iter().flat_map(pairs));
        }
        // As one run has them: by id, which is a number or a text.
        let is_integer = spread
            .pairs
            .iter()
            .all(|(left, right, _)| left.parse::<i64>().is_ok() && right.parse::<i64>().is_ok());
        match is_integer && *plan.schema().field(0).data_type() == DataType::Int64 {
            true => spread.pairs.sort_by_key(|(l, r, rest)| {
                (l.parse::<i64>().unwrap(), r.parse::<i64>().unwrap(), rest.clone())
            }),
            false => spread.pairs.sort(),
        }
        Ok(spread)
    }
}

fn batches(name: &str, batches: Vec<RecordBatch>) -> Batches {
    Batches::new(name, batches[0].schema(), batches).unwrap()
}

/// The rows of candidates.
fn pairs(batch: &RecordBatch) -> Vec<Pair> {
    let text = |column: &ArrayRef, row: usize| match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        _ => column.as_any().downcast_ref::<LargeStringArray>().unwrap().value(row).to_owned(),
    };
    let rules = batch.column(2).as_dictionary::<Int32Type>();
    let names = rules.values().as_string::<i32>();
    let rest = |row: usize| {
        let mut rest = names.value(rules.keys().value(row) as usize).to_owned();
        for column in &batch.columns()[3..] {
            let score = column.as_any().downcast_ref::<Float64Array>().unwrap().value(row);
            rest.push_str(&format!(" {score:?}"));
        }
        rest
    };
    (0..batch.num_rows())
        .map(|row| (text(batch.column(0), row), text(batch.column(1), row), rest(row)))
        .collect()
}
