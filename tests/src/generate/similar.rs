//! Random cases about similarities: values that are edits of one another, under rules that they lead.
//!
//! A case has a few values, and every record has one of them, edited or as it is: so many are near, and some
//! are the same.

use crate::case::{Case, Sheet};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::ops::{Range, RangeInclusive};

const COLUMNS: [&str; 4] = ["name", "title", "city", "n"];

/// Cases of up to `most_rows` records a table, of one table or of two.
pub(super) fn cases(most_rows: usize) -> impl Strategy<Value = Case> {
    let whens = vec((similarity(), beside()), 1..4);
    let whens = whens.prop_map(|all| all.into_iter().map(|(lead, beside)| lead + &beside).collect());
    with_rules(1..7, 1..=most_rows, whens)
}

/// Cases whose rules ask for the same city and for similar titles, of `n_rows` records a table. Cities are few
/// and have many records, and many titles are somewhat alike: such keys are worth a join of their own.
pub(super) fn keyed_cases(n_rows: usize) -> impl Strategy<Value = Case> {
    let bounds =
        select(vec![">= 0.4", "> 0.4", ">= 0.5", "> 0.5", ">= 0.6", ">= 0.667"]).prop_map(str::to_owned);
    let sets = sets(Just(("l.title", "r.title")).boxed(), Just("words({})").boxed(), bounds.boxed());
    let whens = [sets.clone(), sets]
        .prop_map(|all| all.iter().map(|sets| format!("l.city = r.city AND {sets}")).collect());
    with_rules(n_rows / 2..n_rows, n_rows..=n_rows, whens)
}

fn with_rules(
    n_titles: Range<usize>,
    n_rows: RangeInclusive<usize>,
    whens: impl Strategy<Value = Vec<String>>,
) -> impl Strategy<Value = Case> {
    let rows = || vec(row(), n_rows.clone());
    (values(n_titles), rows(), prop::option::of(rows()), whens).prop_map(|(values, left, right, whens)| {
        Case { left: values.sheet(left), right: right.map(|rows| values.sheet(rows)), whens }
    })
}

/// What the records of a case are made of.
#[derive(Clone, Debug)]
struct Values {
    names: Vec<String>,
    titles: Vec<Vec<&'static str>>,
    /// A word that all titles have.
    of_all: Option<&'static str>,
}

fn values(n_titles: Range<usize>) -> impl Strategy<Value = Values> {
    let name = || {
        prop_oneof![
            4 => of("ab", 1..9),
            4 => of("abcdé ", 2..20),
            1 => of("abcdefghijklmnop", 30..80),
            1 => of("漢字a🦀", 1..9),
        ]
    };
    // More characters than 8 bits can number.
    let wide = (200u32..300).prop_map(|n| (0..n).filter_map(|ix| char::from_u32(0x4e00 + ix)).collect());
    let names = (vec(name(), 1..7), prop::option::weighted(0.2, wide))
        .prop_map(|(names, wide): (Vec<_>, Option<String>)| names.into_iter().chain(wide).collect());
    let titles = vec(prop_oneof![4 => vec(word(), 0..8), 1 => vec(word(), 8..40)], n_titles);
    let of_all = prop::option::of(Just("all"));
    (names, titles, of_all).prop_map(|(names, titles, of_all)| Values { names, titles, of_all })
}

fn of(characters: &'static str, len: Range<usize>) -> impl Strategy<Value = String> {
    vec(select(characters.chars().collect::<Vec<_>>()), len).prop_map(String::from_iter)
}

fn word() -> impl Strategy<Value = &'static str> {
    const WORDS: &[&str] = &[
        "the", "the", "the", "old", "man", "sea", "and", "été", "🦀🦀", "naïve", "a", "x", "moby", "dick",
        "or", "whale", "war", "peace", "pride", "of", "in", "time", "lost",
    ];
    select(WORDS)
}

/// A record: which of the values it has, how they are edited, and everything else.
#[derive(Clone, Debug)]
struct Row {
    name: (Index, Vec<Edit<char>>),
    title: (Index, Vec<Edit<&'static str>>),
    city: &'static str,
    n: u8,
    /// By column: whether there is no value.
    missing: [bool; 4],
}

fn row() -> impl Strategy<Value = Row> {
    let symbol = select(vec!['a', 'b', 'c', 'é', ' ', '漢', '\u{4e05}', 'z']);
    let missing = prop::bool::weighted(0.06);
    let missing = [missing, missing, missing, missing];
    let name = (any::<Index>(), edits(symbol));
    let title = (any::<Index>(), edits(word()));
    (name, title, select(vec!["a", "a", "a", "a", "a", "a", "a", "b"]), 0..9u8, missing)
        .prop_map(|(name, title, city, n, missing)| Row { name, title, city, n, missing })
}

/// A place, which of five edits is made there, and what comes in.
type Edit<T> = (Index, u8, T);

fn edits<T: std::fmt::Debug>(element: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<Edit<T>>> {
    prop::option::of(vec((any::<Index>(), 0..6u8, element), 1..5)).prop_map(Option::unwrap_or_default)
}

fn edited<T: Copy>(mut all: Vec<T>, edits: &[Edit<T>]) -> Vec<T> {
    for &(place, edit, element) in edits {
        match edit {
            0 | 1 => all.insert(place.index(all.len() + 1), element),
            _ if all.is_empty() => {}
            2 => drop(all.remove(place.index(all.len()))),
            3 => {
                let ix = place.index(all.len());
                all[ix] = element;
            }
            // Once more.
            4 => all.insert(place.index(all.len()), all[place.index(all.len())]),
            _ => {
                let ix = place.index(all.len());
                all.swap(0, ix);
            }
        }
    }
    all
}

impl Values {
    fn sheet(&self, rows: Vec<Row>) -> Sheet {
        let mut rows: Vec<Vec<Option<String>>> = rows.iter().map(|row| self.row(row)).collect();
        // One number, so that its column is one even where all others are missing.
        rows[0][3] = Some("1".to_owned());
        Sheet::new(&COLUMNS, rows)
    }

    fn row(&self, Row { name, title, city, n, missing }: &Row) -> Vec<Option<String>> {
        let symbols = name.0.get(&self.names).chars().collect();
        let words = title.0.get(&self.titles).clone();
        let words: Vec<_> = self.of_all.into_iter().chain(edited(words, &title.1)).collect();
        let values = [
            edited(symbols, &name.1).into_iter().collect(),
            // A title without words is not a missing one.
            if words.is_empty() { " ".to_owned() } else { words.join(" ") },
            (*city).to_owned(),
            n.to_string(),
        ];
        let is_there = |(value, &missing): (String, &bool)| (!missing && !value.is_empty()).then_some(value);
        values.into_iter().zip(missing).map(is_there).collect()
    }
}

/// What a rule asks for beside its lead.
fn beside() -> impl Strategy<Value = String> {
    let more = select(vec![
        "l.city = r.city",
        "l.city <> r.city",
        "abs(l.n - r.n) <= 2",
        "l.n < r.n",
        "l.n <> r.n",
        "l.n IS NOT NULL",
        "levenshtein(l.name, r.title) > 3",
    ]);
    let more = prop_oneof![4 => more.prop_map(str::to_owned), 1 => similarity()];
    prop_oneof![2 => Just(String::new()), 1 => more.prop_map(|more| format!(" AND {more}"))]
}

fn similarity() -> BoxedStrategy<String> {
    prop_oneof![5 => any_sets(), 3 => edit_distance(), 3 => edit_similarity(), 2 => jaro(), 3 => lcs()]
        .boxed()
}

/// A left and a right column, mostly the same.
fn operands() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(vec![
        ("l.name", "r.name"),
        ("l.name", "r.name"),
        ("l.title", "r.title"),
        ("l.title", "r.title"),
        ("lower(l.title)", "lower(r.title)"),
        ("l.name", "r.title"),
        ("r.name", "l.title"),
    ])
}

/// Bounds of a similarity: tenths from `least` on, and other decimals.
fn bounds(least: u32) -> impl Strategy<Value = String> {
    let tenths = (least..=10).prop_map(|tenths| format!(">= {}.{}", tenths / 10, tenths % 10));
    let strict = (least..10).prop_map(|tenths| format!("> 0.{tenths}"));
    let odd = select(vec!["> 0", ">= 0.01", ">= 0.667", "> 0.667", ">= 0.75", ">= 0.707107", "> 0.9999"]);
    prop_oneof![6 => tenths, 2 => strict, 2 => odd.prop_map(str::to_owned)]
}

fn any_sets() -> BoxedStrategy<String> {
    let tokens = select(vec!["words({})", "words({})", "qgrams({}, 2)", "qgrams({}, 3)"]);
    sets(operands().boxed(), tokens.boxed(), bounds(3).boxed())
}

/// Sets of tokens whose similarity is within bounds, or that have a few tokens in common.
fn sets(
    operands: BoxedStrategy<(&'static str, &'static str)>,
    tokens: BoxedStrategy<&'static str>,
    bounds: BoxedStrategy<String>,
) -> BoxedStrategy<String> {
    let measure = select(vec!["jaccard", "dice", "cosine", "overlap_coefficient", "braun_blanquet"]);
    let common = (1..6u32).prop_map(|least| ("overlap", format!(">= {least}")));
    (operands, tokens, prop_oneof![3 => (measure, bounds), 1 => common])
        .prop_map(|((a, b), tokens, (measure, bound))| {
            let [a, b] = [a, b].map(|operand| tokens.replace("{}", operand));
            format!("{measure}({a}, {b}) {bound}")
        })
        .boxed()
}

fn edit_distance() -> BoxedStrategy<String> {
    let measure = select(vec!["levenshtein", "levenshtein", "damerau_levenshtein", "hamming"]);
    (measure, operands(), 0..5u32)
        .prop_map(|(measure, (a, b), most)| format!("{measure}({a}, {b}) <= {most}"))
        .boxed()
}

fn edit_similarity() -> BoxedStrategy<String> {
    let measure = select(vec![
        "levenshtein_similarity",
        "levenshtein_similarity",
        "damerau_levenshtein_similarity",
        "hamming_similarity",
    ]);
    (measure, operands(), bounds(5))
        .prop_map(|(measure, (a, b), bound)| format!("{measure}({a}, {b}) {bound}"))
        .boxed()
}

fn jaro() -> BoxedStrategy<String> {
    let measure = select(vec!["jaro_similarity", "jaro_winkler_similarity"]);
    (measure, operands(), bounds(7))
        .prop_map(|(measure, (a, b), bound)| format!("{measure}({a}, {b}) {bound}"))
        .boxed()
}

fn lcs() -> BoxedStrategy<String> {
    let similarity = bounds(4).prop_map(|bound| ("lcs_similarity", bound));
    let length = (1..12u32).prop_map(|least| ("lcs", format!(">= {least}")));
    (operands(), prop_oneof![3 => similarity, 2 => length])
        .prop_map(|((a, b), (measure, bound))| format!("{measure}({a}, {b}) {bound}"))
        .boxed()
}
