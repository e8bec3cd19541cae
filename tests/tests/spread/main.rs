//! A job spread over units finds what one run finds: whatever tables, rules, samples and batches there are, and however small units
//! are.

mod refused;
mod skew;

use hyperblock::spread::Budget;
use hyperblock_tests::case::{Case, is_no_rule};
use hyperblock_tests::generate::{cases, for_all, keyed_cases, near_cases, similar_cases, value_cases};
use hyperblock_tests::spread::{BY_RARITY, IdsAs, Tables};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// How a case is spread.
#[derive(Clone, Debug)]
struct How {
    side: u64,
    /// Of so many rows one is in the sample.
    sampled: usize,
    batch_rows: usize,
    from: usize,
    has_texts: bool,
}

fn how() -> impl Strategy<Value = How> {
    (1..12u64, 1..4usize, 1..9usize, 0..5usize, any::<bool>()).prop_map(
        |(side, sampled, batch_rows, from, has_texts)| How { side, sampled, batch_rows, from, has_texts },
    )
}

fn budget(side: u64) -> Budget {
    Budget { memory: 1 << 30, cores: 2, pairs: None, side: Some(side), most_shuffle: None, is_scored: false }
}

/// What kept candidates are scored by, over the columns of random keys.
const SCORE: &str = "[score]\nthreshold = 0.4\n[[score.attributes]]\nmeasure = \"jaro_winkler(l.name, r.name)\"\n\
                     [[score.attributes]]\nmeasure = \"l.state = r.state\"\n";

/// What there was, over all cases.
#[derive(Debug, Default)]
struct Seen {
    /// By cover: branches, those with several units, heavy keys of theirs.
    covers: BTreeMap<String, [u64; 3]>,
    n_pairs: usize,
    n_cases: usize,
}

fn check(case: &Case, how: &How, seen: &RefCell<Seen>) {
    let ids = if how.has_texts { IdsAs::Texts } else { IdsAs::Integers };
    let tables = Tables::of(case, ids);
    let single = match tables.single() {
        Ok(single) => single,
        Err(error) if is_no_rule(&error) => return,
        // Rules may compare what types do not allow.
        Err(hyperblock::Error::Rule(_)) => return,
        Err(hyperblock::Error::Table { message, .. }) if message.contains("no rows") => return,
        Err(error) => panic!("{error}\n{case:?}"),
    };
    let samples: Vec<_> =
        tables.tables.iter().map(|table| table.slice(0, table.num_rows().div_ceil(how.sampled))).collect();
    let is_scored = case.whens.iter().any(|when| when.starts_with("[score]"));
    let plan = match tables.plan(&samples, &Budget { is_scored, ..budget(how.side) }) {
        Ok(plan) => plan,
        Err(error) => panic!("{error}\n{how:?} {case:?}"),
    };
    let spread = tables
        .spread(&plan, how.batch_rows, how.from)
        .unwrap_or_else(|error| panic!("{error}\n{how:?} {case:?}"));
    let mut single = single;
    if how.has_texts {
        single.sort();
    }
    assert!(
        single == spread.pairs,
        "{how:?}\n{:#}\nwanted {single:?}\ngot    {:?}\n{case:?}",
        spread.told,
        spread.pairs
    );
    let mut seen = seen.borrow_mut();
    seen.n_pairs += single.len();
    seen.n_cases += 1;
    for branch in spread.told["branches"].as_array().unwrap() {
        let counts = seen.covers.entry(branch["cover"].as_str().unwrap().to_owned()).or_default();
        counts[0] += 1;
        counts[1] += u64::from(branch["units"].as_u64().unwrap() > 1);
        counts[2] += branch["heavy_keys"].as_u64().unwrap();
    }
}

fn all(n_cases: u32, cases: impl Strategy<Value = Case>) -> Seen {
    let seen = RefCell::new(Seen::default());
    for_all(n_cases, &(cases, how()), |(case, how)| {
        check(&case, &how, &seen);
    });
    let seen = seen.into_inner();
    println!("{seen:?}");
    seen
}

#[test]
fn random_cases() {
    let seen = all(180, cases(12));
    assert!(seen.n_pairs > 300 && seen.n_cases > 60, "{seen:?}");
}

#[test]
fn random_keys() {
    let seen = all(100, keyed_cases(24));
    assert!(seen.covers["key"][1] > 50 && seen.covers["key"][2] > 25, "{seen:?}");
}

/// With scores as one run has them, to the last bit.
#[test]
fn scored_keys() {
    let scored =
        |case: Case| Case { whens: case.whens.into_iter().chain([SCORE.to_owned()]).collect(), ..case };
    let seen = all(60, keyed_cases(20).prop_map(scored));
    assert!(seen.n_pairs > 50, "{seen:?}");
}

/// By how rare values are in whole tables, which no unit sees.
#[test]
fn scores_by_rarity() {
    let rarity = |(case, threshold): (Case, f64)| {
        // Rules come before the section.
        let section = BY_RARITY.replacen("[score]\n", &format!("[score]\nthreshold = {threshold}\n"), 1);
        Case { whens: case.whens.into_iter().chain([section]).collect(), ..case }
    };
    let thresholds = prop::sample::select(vec![0.01, 0.5, 0.9]);
    let seen = all(80, (keyed_cases(24), thresholds).prop_map(rarity));
    assert!(seen.n_pairs > 100, "{seen:?}");
}

#[test]
fn similar_values() {
    let seen = all(60, similar_cases(20));
    assert!(seen.covers["elements"][1] > 15, "{seen:?}");
}

#[test]
fn values_of_all_kinds() {
    all(80, value_cases(12));
}

#[test]
fn near_places() {
    all(40, near_cases(16));
}
