//! Random cases about keys: few values, some of them very often, under rules that ask for several equalities at once.

use crate::case::{Case, Sheet};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Two columns of places and one of states share their values, so that any two of them may be compared.
const COLUMNS: [&str; 5] = ["home", "work", "state", "name", "n"];

/// Cases of up to `most_rows` records a table, of one table or of two.
pub(super) fn cases(most_rows: usize) -> impl Strategy<Value = Case> {
    // Rules that begin alike and go apart over other equalities.
    let shared = select(vec!["", "", "l.state = r.state AND ", "l.work = r.work AND l.state = r.state AND "]);
    let whens = (shared, vec(when(), 1..4))
        .prop_map(|(shared, whens)| whens.iter().map(|when| format!("{shared}{when}")).collect());
    (sheet(most_rows), prop::option::of(sheet(most_rows)), whens).prop_map(|(left, right, whens)| Case {
        left,
        right,
        whens,
    })
}

fn sheet(most_rows: usize) -> impl Strategy<Value = Sheet> {
    vec(row(), 1..=most_rows).prop_map(|mut rows| {
        // One of each kind, so that a column of numbers is one even where all others are missing.
        rows[0] = ["a", "a", "a", "ann", "1"].map(|value| Some(value.to_owned())).to_vec();
        Sheet::new(&COLUMNS, rows)
    })
}

fn row() -> impl Strategy<Value = Vec<Option<String>>> {
    // The n-th value about as often as 1/n asks for.
    let place = || select("aaaaaaabbbbcccddeefghijkl".chars().map(String::from).collect::<Vec<_>>());
    let state = select(vec!["a", "a", "a", "b", "b", "z"]).prop_map(str::to_owned);
    let name = select(vec!["ann", "anne", "anna", "hanna", "bob", "bo", "rob", ""]).prop_map(str::to_owned);
    let number = (0..9u8).prop_map(|number| number.to_string());
    let maybe = |value: BoxedStrategy<String>| prop_oneof![1 => Just(None), 8 => value.prop_map(|value| (!value.is_empty()).then_some(value))];
    let values = [place().boxed(), place().boxed(), state.boxed(), name.boxed(), number.boxed()];
    values.map(maybe).to_vec()
}

/// One to three equalities, and mostly something beside them.
fn when() -> impl Strategy<Value = String> {
    let equality = select(vec![
        "l.home = r.home",
        "l.work = r.work",
        "l.state = r.state",
        "l.home = r.work",
        "l.work = r.home",
        "l.state = r.home",
        "soundex(l.name) = soundex(r.name)",
        "l.n = r.n",
    ]);
    let rest = select(vec![
        "levenshtein(l.name, r.name) <= 1",
        "levenshtein_similarity(l.name, r.name) >= 0.6",
        "jaro_winkler_similarity(l.name, r.name) >= 0.85",
        "jaccard(qgrams(l.name, 2), qgrams(r.name, 2)) >= 0.5",
        "abs(l.n - r.n) <= 1",
        "l.n < r.n",
        "levenshtein(l.home, r.name) <= 2",
        "l.name <> r.name",
        "l.n IS NOT NULL",
        "(l.n = r.n OR levenshtein(l.name, r.name) <= 1)",
    ]);
    (vec(equality, 1..4), vec(rest, 0..3))
        .prop_map(|(equalities, rest)| equalities.into_iter().chain(rest).collect::<Vec<_>>().join(" AND "))
}

/// A table whose n-th most frequent place has about 1/n of the records of the first, and names that are alike.
pub(super) fn zipf_sheet(n_rows: usize, salt: usize) -> Sheet {
    let row = |ix: usize| {
        // The places of a permutation's elements are as good as random, and the same every time.
        let ix = (ix + salt) * 7919 % 10_007;
        let place = (1..=40).find(|n| ix % 428 < (1..=*n).map(|n| 100 / n).sum()).unwrap_or(41);
        let name = ["ann", "anne", "anna", "hanna", "joanna", "bob", "bobby"][ix / 3 % 7];
        let values = [format!("p{place}"), format!("p{}", place % 3), format!("{}", ix % 2), name.to_owned()];
        let values = values.into_iter().chain([(ix % 50).to_string()]);
        values.map(|value| (!ix.is_multiple_of(29)).then_some(value)).collect()
    };
    Sheet::new(&COLUMNS, (0..n_rows).map(row).collect())
}
