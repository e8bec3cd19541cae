//! Tests of calibration: that it keeps to its bounds, and that no candidate depends on it.

use super::*;
use crate::device::cpu::Cpu;
use crate::job::{Job, Prepared};
use crate::plan::cost::CostSource;
use hyperblock_shared::layout::Candidate;

const RULES: [&str; 3] = [
    "l.zip = r.zip AND levenshtein(l.name, r.name) <= 2",
    "jaccard(words(l.title), words(r.title)) >= 0.6",
    "levenshtein_similarity(l.title, r.title) >= 0.9",
];

/// Titles of some words, names and zip codes that several have.
fn rows(n: u32) -> String {
    let word = |ix: u32| {
        let letter = |nth: u32| char::from(b'a' + (ix.wrapping_mul(2_654_435_761) >> (5 * nth)) as u8 % 26);
        (0..5).map(letter).collect::<String>()
    };
    let row = |ix: u32| {
        let title: Vec<_> = (0..4).map(|nth| word((ix * 7 + nth * 13) % 900)).collect();
        format!("{ix},{},{},{}\n", word(ix % 300), title.join(" "), ix % 50)
    };
    format!("id,name,title,zip\n{}", (0..n).map(row).collect::<String>())
}

fn prepared(n: u32, whens: &[&str], cost: CostSource) -> Prepared {
    let folder = tempfile::tempdir().unwrap();
    let (table, rules) = (folder.path().join("table.csv"), folder.path().join("rules.toml"));
    std::fs::write(&table, rows(n)).unwrap();
    let rule = |when: &&str| format!("[[rules]]\nwhen = \"{when}\"\n");
    std::fs::write(&rules, whens.iter().map(rule).collect::<String>()).unwrap();
    Job::dedupe(table, rules).cost(cost).prepare(&Cpu::new(), &Control::default()).unwrap()
}

fn rates(of: &Prepared) -> Rates {
    calibrated(&Cpu::new(), &of.encoded, &of.plan, true, 1)
}

fn found(of: &Prepared) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut sink = |found: &[Candidate]| {
        all.extend_from_slice(found);
        Ok(())
    };
    of.run(&Cpu::new(), &Control::default(), &mut sink).unwrap();
    all
}

#[test]
fn small_tables_keep_the_rates_of_the_model() {
    for n in [1, 2, 300] {
        let prepared = prepared(n, &RULES, CostSource::Model);
        assert_eq!(rates(&prepared), prepared.plan.rates, "{n} records");
        let nothing = prepared.encoded.restrict(0..0, 0..0);
        assert_eq!(calibrated(&Cpu::new(), &nothing, &prepared.plan, true, 1), prepared.plan.rates);
    }
}

#[test]
fn rates_stay_within_bounds_and_time_too() {
    // The first rule alone: something is timed however slow the machine is.
    let prepared = prepared(6000, &RULES[..1], CostSource::Model);
    let start = Instant::now();
    let rates = rates(&prepared);
    // Far more than the budget: who else is at work here?
    assert!(start.elapsed() < 20 * BUDGET, "{:?}", start.elapsed());
    assert_eq!(rates.n_threads, prepared.plan.rates.n_threads);
    assert_ne!(rates, prepared.plan.rates, "nothing was timed");
    for (own, first) in rates.nanoseconds.iter().zip(prepared.plan.rates.nanoseconds) {
        let factor = own / first;
        assert!((0.99 / MOST..1.01 * MOST).contains(&factor), "{factor}");
    }
}

#[test]
fn candidates_do_not_depend_on_it() {
    let wanted = found(&prepared(2000, &RULES, CostSource::Model));
    assert!(!wanted.is_empty());
    assert_eq!(found(&prepared(2000, &RULES, CostSource::Measured)), wanted);
}

#[test]
fn what_takes_too_long_is_left() {
    // Nearly each pair is a candidate, so a larger sample has more than are held.
    let prepared = prepared(6000, &["levenshtein(l.title, r.title) <= 20"], CostSource::Static);
    let start = Instant::now();
    rates(&prepared);
    assert!(start.elapsed() < 20 * BUDGET, "{:?}", start.elapsed());
}

#[test]
fn the_choice_is_timed_first_and_nothing_twice() {
    let prepared = prepared(6000, &RULES, CostSource::Model);
    let all = paths(&prepared.plan.chosen);
    assert_eq!(all.first(), Some(&(0, 0)));
    assert!(all.len() > 1 && all.len() <= MOST_PATHS);
    assert!(all.iter().skip(1).all(|(_, nth)| *nth > 0), "{all:?}");
    assert_eq!(paths(&[]), []);
}
