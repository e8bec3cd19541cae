//! What cannot be spread is refused, with a reason; and so is what a plan was not made for.

use super::budget;
use hyperblock::arrow_array::{RecordBatch, record_batch};
use hyperblock::arrow_schema;
use hyperblock::device::cpu::Cpu;
use hyperblock::spread::{Budget, Counts, UnitPlan};
use hyperblock::{Batches, Control, Error, Guards, IdSource, Job, ReadOptions, RuleSource};

const NAMES: &str = "[[rules]]\nname = \"names\"\nwhen = \"l.name = r.name\"\n";

fn people() -> RecordBatch {
    record_batch!(("id", Int64, [1, 2, 3, 4]), ("name", Utf8, ["Ann", "Ann", "Bob", "Ann"])).unwrap()
}

fn job(batch: RecordBatch, rules: &str) -> Job {
    let people = Batches::new("people", batch.schema(), vec![batch]).unwrap();
    Job::over(people.into(), None, RuleSource::Text(rules.into()))
}

fn planned(job: &Job, budget: &Budget) -> Result<UnitPlan, Error> {
    UnitPlan::new(job, &Counts { records: vec![4] }, budget, &Control::default())
}

#[track_caller]
fn is_refused(job: &Job, budget: &Budget, because: &str) {
    let said = planned(job, budget).map(drop).unwrap_err().to_string();
    assert!(said.contains(because), "{said}");
}

#[test]
fn what_hangs_on_whole_tables() {
    let near = "[[neighbourhoods]]\nname = \"near\"\nkey = \"name\"\nwindow = 3\n";
    is_refused(&job(people(), near), &budget(2), "neighbourhoods are those near each other");
    let guards = |most_pairs, most_in_block| Guards { most_pairs, most_in_block };
    is_refused(&job(people(), NAMES).guards(guards(Some(9), None)), &budget(2), "leave max_pairs out");
    is_refused(&job(people(), NAMES).guards(guards(None, Some(9))), &budget(2), "leave max_block out");
    let several = Job::dedupe_all(
        [1, 2].map(|_| Batches::new("people", people().schema(), vec![people()]).unwrap().into()),
        RuleSource::Text(NAMES.into()),
    );
    is_refused(&several, &budget(2), "put them into one table first");
    is_refused(&job(people(), NAMES), &Budget { is_scored: true, ..budget(2) }, "no [score] section");
    let row_numbers = ReadOptions { id: IdSource::RowNumbers, ..ReadOptions::default() };
    let without_ids = job(people(), NAMES).read_options(row_numbers.clone(), row_numbers);
    is_refused(&without_ids, &budget(2), "records need ids");
    is_refused(
        &job(people(), NAMES),
        &Budget { most_shuffle: Some(3), ..budget(2) },
        "would be shuffled, and max_shuffle allows 3: ",
    );
}

#[test]
fn what_a_plan_was_not_made_for() {
    let control = Control::default();
    let plan = planned(&job(people(), NAMES), &budget(2)).unwrap();
    let batches = |batch: RecordBatch| Batches::new("people", batch.schema(), vec![batch]).unwrap();
    let said =
        |batch: RecordBatch| plan.cover(0, &batches(batch), &control).map(drop).unwrap_err().to_string();
    assert!(said(people().project(&[0]).unwrap()).contains("the plan needs one column `name`"));
    let numbers = record_batch!(("id", Int64, [1]), ("name", Float64, [1.5])).unwrap();
    assert!(said(numbers).contains("column `name` holds Float64 here, and the plan was made for text"));
    let solve = |unit, right: Option<&Batches>| {
        plan.solve(unit, &batches(people()), right, &Cpu::new(), &control).map(drop).unwrap_err().to_string()
    };
    assert!(solve(plan.n_units(), None).contains("the plan has no unit"));
    assert!(plan.cover(1, &batches(people()), &control).is_err());
    let bytes = plan.to_bytes().unwrap();
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(matches!(UnitPlan::from_bytes(&damaged), Err(Error::Job(_))), "byte {at}");
    }
    assert_eq!(UnitPlan::from_bytes(&bytes).unwrap().to_bytes().unwrap(), bytes);
}
