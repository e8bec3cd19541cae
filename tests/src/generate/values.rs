//! Random cases about what values are made of: lists, looked up and split, tokens of all kinds, and words that count as
//! missing.

use crate::case::{Case, MISSING, Sheet};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const COLUMNS: [&str; 5] = ["phones", "name", "title", "city", "n"];

/// Cases of up to `most_rows` records a table, of one table or of two.
pub(super) fn cases(most_rows: usize) -> impl Strategy<Value = Case> {
    let whens = (vec(when(), 1..4), any::<bool>()).prop_map(|(whens, has_words)| {
        whens.into_iter().chain(has_words.then(|| MISSING.to_owned())).collect()
    });
    (sheet(most_rows), prop::option::of(sheet(most_rows)), whens).prop_map(|(left, right, whens)| Case {
        left,
        right,
        whens,
    })
}

fn sheet(most_rows: usize) -> impl Strategy<Value = Sheet> {
    vec(row(), 1..=most_rows).prop_map(|mut rows| {
        // What nobody says is missing, so that each column is of the kind that it is meant to be.
        rows[0] = ["1;2", "bob", "the sea", "rome", "7"].map(|value| Some(value.to_owned())).to_vec();
        Sheet::new(&COLUMNS, rows)
    })
}

fn row() -> impl Strategy<Value = Vec<Option<String>>> {
    let phone = || {
        select(vec![
            "1", "2", "3", "12", " 4 ", "", "-", "NA", "bob", "a\u{1f}b", "\u{1e}u", "\u{1e}", "é;", ",",
            "ab",
        ])
    };
    let phones = vec(phone(), 0..5).prop_map(|phones| phones.join(";"));
    let name =
        select(vec!["bob", "Bob", "rob", "robert", "ab", "a", "b;c", "a\u{1f}b", "NA", "Straße", "STRASSE"]);
    let word = select(vec!["the", "The", "old-man", "sea", "ΣΑΣ", "σας", "x2", "&", "été", "a"]);
    let blank = select(vec![" ", "  ", "\t", " - "]);
    let title = (vec((word, blank), 0..6), any::<bool>()).prop_map(|(words, is_open)| {
        let all: String = words.iter().map(|(word, blank)| format!("{word}{blank}")).collect();
        if is_open { all } else { all.trim_end().to_owned() }
    });
    let city = select(vec!["rome", "rome", "oslo", "NA", "ab"]).prop_map(str::to_owned);
    let number = select(vec!["0", "1", "2", "2.0", "7"]).prop_map(str::to_owned);
    let maybe = |value: BoxedStrategy<String>| prop_oneof![1 => Just(None), 8 => value.prop_map(|value| (!value.is_empty()).then_some(value))];
    let values =
        [phones.boxed(), name.prop_map(str::to_owned).boxed(), title.boxed(), city.boxed(), number.boxed()];
    values.map(maybe).to_vec()
}

/// A list of a record; `@` stands for its side.
fn list() -> BoxedStrategy<String> {
    select(vec![
        "split(@phones, ';')",
        "split(@phones, ';')",
        "split(@phones, '; ')",
        "lower(split(@name, ';'))",
        "lookup(@name, 'nicknames.csv')",
        "lookup(casefold(@name), 'nicknames.csv')",
        "upper(lookup(split(@phones, ';'), 'nicknames.csv'))",
        "split(lookup(@name, 'nicknames.csv'), ';')",
        "left(split(@phones, ';'), 1)",
        "soundex(split(@title, ' '))",
        "split(concat(@phones, ';', @name), ';')",
        "coalesce(split(@phones, ';'), lookup(@name, 'nicknames.csv'))",
        "nullif(split(@phones, ';'), split(@name, ';'))",
        "split(nullif(@phones, '1;2'), ';')",
        "trim(split(@title, 'a'))",
    ])
    .prop_map(str::to_owned)
    .boxed()
}

/// A left and a right list, mostly made alike.
fn lists() -> impl Strategy<Value = (String, String)> {
    (list(), list(), 0..3u8).prop_map(|(one, other, same)| {
        let other = if same < 2 { one.clone() } else { other };
        (one.replace('@', "l."), other.replace('@', "r."))
    })
}

/// A left and a right set of tokens of one kind.
fn tokens() -> impl Strategy<Value = (String, String)> {
    let token = select(vec![
        "alphanumeric({})",
        "alphanumeric(casefold({}))",
        "shingles({}, 2)",
        "shingles(lower({}), 3)",
        "shingles({}, 1)",
        "words(casefold({}))",
    ]);
    let value =
        || select(vec!["@title", "@title", "concat(@title, ' ', @name)", "@name", "(@title || @city)"]);
    (token, value(), value(), any::<bool>()).prop_map(|(token, one, other, is_same)| {
        let other = if is_same { one } else { other };
        let of = |value: &str, side| token.replace("{}", &value.replace('@', side));
        (of(one, "l."), of(other, "r."))
    })
}

fn sets() -> BoxedStrategy<String> {
    let measure = select(vec![
        "overlap({}) >= 1",
        "overlap({}) >= 1",
        "overlap({}) >= 2",
        "overlap({}) < 2",
        "overlap({}) = 1",
        "jaccard({}) >= 0.5",
        "jaccard({}) > 0.333333333",
        "dice({}) >= 0.5",
        "cosine({}) >= 0.6",
        "overlap_coefficient({}) >= 1",
        "braun_blanquet({}) < 0.5",
    ]);
    let two = prop_oneof![3 => lists().boxed(), 2 => tokens().boxed()];
    (measure, two).prop_map(|(measure, (a, b))| measure.replace("{}", &format!("{a}, {b}"))).boxed()
}

/// One comparison, and mostly something beside it.
fn when() -> impl Strategy<Value = String> {
    let whole = (lists(), select(vec!["=", "<>"])).prop_map(|((a, b), op)| format!("{a} {op} {b}"));
    let there = (list(), select(vec!["l.", "r."]), select(vec!["IS NULL", "IS NOT NULL"]))
        .prop_map(|(list, side, is)| format!("{} {is}", list.replace('@', side)));
    let comparison = prop_oneof![5 => sets(), 2 => whole.boxed(), 1 => there.boxed()];
    let rest = select(vec![
        "l.city = r.city",
        "l.city = r.city",
        "l.n = r.n",
        "abs(l.n - r.n) <= 1",
        "casefold(l.name) = casefold(r.name)",
        "coalesce(l.city, l.name) = coalesce(r.city, r.name)",
        "levenshtein(l.title, r.title) <= 4",
        "nullif(l.n, 2) IS NULL",
    ]);
    (comparison, vec(rest, 0..2), any::<bool>()).prop_map(|(comparison, rest, is_either)| {
        match (rest.first(), is_either) {
            (Some(rest), true) => format!("{comparison} OR {rest}"),
            (Some(rest), false) => format!("{comparison} AND {rest}"),
            (None, _) => comparison,
        }
    })
}
