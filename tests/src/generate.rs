//! Random cases: small tables full of near matches, and rules over every form that a rule may have.

mod keys;
mod near;
mod rules;
mod similar;
mod tables;
mod values;

use crate::case::{Case, Paper, Sheet, is_no_rule};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Runs `check` over so many random values.
pub fn for_all<T: std::fmt::Debug>(n: u32, values: &impl Strategy<Value = T>, check: impl Fn(T)) {
    let ran = runner(n).run(values, |value| {
        check(value);
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

/// Runs `check` over cases; those whose rules can never hold are thrown away.
pub fn for_cases(n_cases: u32, cases: &impl Strategy<Value = Case>, check: impl Fn(&Paper<'_>)) {
    let ran = runner(n_cases).run(cases, |case| {
        match case.prepare() {
            Ok(paper) => check(&paper),
            Err(error) if is_no_rule(&error) => return Err(TestCaseError::reject("no rule")),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

/// The variable PROPTEST_CASES makes cases fewer, for the slow tools that look for bad accesses and races.
fn runner(n_cases: u32) -> TestRunner {
    let most = std::env::var("PROPTEST_CASES").ok().and_then(|most| most.parse().ok());
    let cases = most.unwrap_or(n_cases).min(n_cases);
    TestRunner::new(Config { cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() })
}

/// The columns of every random table, after `id`.
///
/// The first three hold text of few characters, `wide` of many now and then, `code` labels that look like numbers.
pub const COLUMNS: [&str; 8] = ["name", "full name", "title", "wide", "code", "n", "x", "d"];

/// Cases of up to `most_rows` records a table, of one table or of two.
pub fn cases(most_rows: usize) -> impl Strategy<Value = Case> {
    any::<bool>().prop_flat_map(move |is_wide| {
        let right = prop::option::of(tables::sheet(most_rows, is_wide));
        let whens = prop::collection::vec(rules::when(), 1..5);
        (tables::sheet(most_rows, is_wide), right, whens).prop_map(|(left, right, whens)| Case {
            left,
            right,
            whens,
        })
    })
}

/// Cases of up to `most_rows` records a table under rules that ask for equalities, of columns with few values.
pub fn keyed_cases(most_rows: usize) -> impl Strategy<Value = Case> {
    keys::cases(most_rows)
}

/// Cases of up to `most_rows` records a table with lists of phones and names that stand for others, under rules over lists,
/// tokens of all kinds, values of several columns, and words that count as missing.
pub fn value_cases(most_rows: usize) -> impl Strategy<Value = Case> {
    values::cases(most_rows)
}

/// Cases of up to `most_rows` records a table with values that are edits of one another, under rules that
/// similarities lead.
pub fn similar_cases(most_rows: usize) -> impl Strategy<Value = Case> {
    similar::cases(most_rows)
}

/// Cases of `n_rows` such records a table under rules that ask for equal cities, of which there are few, and
/// for similar sets.
pub fn similar_keyed_cases(n_rows: usize) -> impl Strategy<Value = Case> {
    similar::keyed_cases(n_rows)
}

/// Cases of up to `most_rows` records a table with places, many of them near each other, under rules of distances.
pub fn near_cases(most_rows: usize) -> impl Strategy<Value = Case> {
    near::cases(most_rows)
}

/// A table of exactly `n_rows` records whose places are distributed as words are in a text, without chance; its columns are
/// `home`, `work`, `state`, `name` and `n`.
pub fn zipf_sheet(n_rows: usize, salt: usize) -> Sheet {
    keys::zipf_sheet(n_rows, salt)
}

/// A table of exactly `n_rows` records that are alike, without chance: for sizes at the edge of a warp.
pub fn regular_sheet(n_rows: usize, salt: usize) -> Sheet {
    let row = |ix: usize| {
        let ix = ix * 7 + salt;
        let name = ["ann", "anne", "ana", "hannah", "", "anna marie", "annä"][ix % 7].to_owned();
        let title = ["the old man", "old man the", "the man", "sea"][ix % 4].repeat(1 + ix % 9);
        let values = [
            name.clone(),
            format!("{name} smith"),
            title,
            format!("漢{}", ix % 5),
            format!("0{}", ix % 6),
            (ix % 50).to_string(),
            format!("{}.{}", ix % 9, ix % 10),
            format!("2020-02-{:02}", 1 + ix % 29),
        ];
        values.into_iter().map(|value| (!value.is_empty()).then_some(value)).collect()
    };
    Sheet::new(&COLUMNS, (0..n_rows).map(row).collect())
}

/// A table with nothing in it but ids and labels, under rules over all that is missing: a column may have no value.
pub fn nothing_to_compare() -> Case {
    let row = |_| COLUMNS.map(|name| (name == "code").then(|| "x".to_owned())).to_vec();
    let whens = [
        "l.name = r.name OR soundex(l.title) <> soundex(r.title)",
        "levenshtein(l.name, r.name) <= 1 OR levenshtein_similarity(l.name, r.name) < 0.5",
        "jaro_winkler_similarity(l.title, r.title) >= 0.5",
        "jaccard(words(l.wide), words(r.wide)) < 1 OR jaccard(qgrams(l.code, 3), qgrams(r.code, 3)) >= 0.1",
        "l.code = r.code",
    ];
    let left = Sheet::new(&COLUMNS, (0..3).map(row).collect());
    Case { left, right: None, whens: whens.map(str::to_owned).to_vec() }
}

/// Rules that touch every measure, for [`regular_sheet`].
pub fn regular_rules() -> Vec<String> {
    [
        "l.code = r.code AND abs(l.n - r.n) <= 3",
        "levenshtein(l.name, r.name) <= 1 AND l.wide <> r.wide",
        "jaro_winkler_similarity(l.name, r.\"full name\") >= 0.9 AND abs(l.d - r.d) < 4",
        "jaccard(words(l.title), words(r.title)) > 0.6 AND jaccard(qgrams(l.title, 3), qgrams(r.title, 3)) < 0.9 \
         AND abs(l.x - r.x) <= 1.5",
        "levenshtein_similarity(l.title, r.title) >= 0.8 AND soundex(l.name) = soundex(r.name) AND l.n <> 7",
    ]
    .map(str::to_owned)
    .to_vec()
}
