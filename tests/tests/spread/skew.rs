//! Skew: one value that a fifth of all records share makes no task much larger than the others.

use super::budget;
use hyperblock::spread::Budget;
use hyperblock_tests::case::{Case, Sheet};
use hyperblock_tests::spread::{IdsAs, Tables};
use std::collections::BTreeMap;

/// People of whom each fifth has one zip code.
fn people(n_rows: usize) -> Sheet {
    let row = |nth: usize| {
        let mixed = nth.wrapping_mul(2_654_435_761) >> 7;
        let zip = if nth.is_multiple_of(5) { 0 } else { 1 + mixed % (n_rows / 8) };
        let values = [
            format!("z{zip}"),
            format!("{}{}", ["smith", "smyth", "jones", "brown", "braun"][mixed % 5], mixed % 700),
            format!("p{}", mixed % (n_rows / 2)),
            format!("{} main street", mixed % 900),
        ];
        values.map(Some).into()
    };
    Sheet::new(&["zip", "name", "phone", "street"], (0..n_rows).map(row).collect())
}

#[test]
fn packs_are_even() {
    let whens = [
        "l.zip = r.zip AND levenshtein(l.name, r.name) <= 1",
        "l.phone = r.phone",
        "l.name = r.name AND l.street = r.street",
        "l.street = r.street AND levenshtein(l.phone, r.phone) <= 1",
    ];
    let case = Case { left: people(4000), right: None, whens: whens.map(str::to_owned).into() };
    let tables = Tables::of(&case, IdsAs::Integers);
    let samples = [tables.tables[0].slice(0, 1000)];
    // So little memory that the one zip code is several blocks.
    let budget = Budget { side: None, memory: 150_000, ..budget(0) };
    let plan = tables.plan(&samples, &budget).unwrap();
    let single = tables.single().unwrap();
    let spread = tables.spread(&plan, 500, 0).unwrap();
    assert_eq!(spread.pairs, single);
    let told = &spread.told;
    assert!(told["branches"].as_array().unwrap().iter().any(|branch| branch["heavy_keys"] == 1), "{told:#}");
    let n_packs = told["packs"].as_f64().unwrap();
    let mut sums: BTreeMap<i32, [f64; 2]> = BTreeMap::new();
    for (unit, (n_records, n_pairs)) in &spread.units {
        let sum = sums.entry(spread.packs[unit]).or_default();
        sum[0] += *n_records as f64;
        sum[1] += *n_pairs as f64;
    }
    for nth in [0, 1] {
        let all: f64 = sums.values().map(|sum| sum[nth]).sum();
        let largest = sums.values().map(|sum| sum[nth]).fold(0.0, f64::max);
        assert!(largest <= 2.0 * all / n_packs, "{largest} of {all} in {n_packs} packs\n{told:#}");
    }
    let largest = &told["largest_pack"];
    for what in ["records", "pairs"] {
        let of = |name: &str| largest[name].as_f64().unwrap();
        assert!(of(what) <= 2.0 * of(&format!("mean_{what}")), "{told:#}");
    }
    // What is told is about what comes.
    let copies: usize = spread.units.values().map(|(n_records, _)| n_records).sum();
    let expected = told["copies"].as_f64().unwrap();
    assert!((copies as f64 - expected).abs() < 0.2 * expected, "{copies} copies, {expected} told");
}
