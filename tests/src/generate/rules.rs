//! Random rules, as text, over every form that is supported and over none that is refused.

use proptest::prelude::*;
use proptest::sample::select;

/// Conditions: comparisons under AND, OR and NOT.
pub(super) fn when() -> impl Strategy<Value = String> {
    comparison().prop_recursive(3, 6, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            3 => two.clone().prop_map(|(a, b)| format!("{a} AND {b}")),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("{a} AND ({b} OR {c})")),
            1 => two.clone().prop_map(|(a, b)| format!("({a} OR {b})")),
            1 => inner.prop_map(|a| format!("NOT ({a})")),
            1 => two.prop_map(|(a, b)| format!("NOT ({a} AND NOT ({b}))")),
        ]
    })
}

fn comparison() -> BoxedStrategy<String> {
    prop_oneof![
        3 => equality(),
        2 => constant(),
        2 => levenshtein(),
        2 => similarity("levenshtein_similarity"),
        2 => similarity("jaro_winkler_similarity"),
        2 => jaccard(),
        2 => difference(),
    ]
    .boxed()
}

/// A left and a right operand, in either order, mostly over the same column and under the same transforms.
fn pair(columns: &'static [&'static str]) -> BoxedStrategy<(String, String)> {
    let column = || select(columns);
    (column(), column(), transforms(), transforms(), 0..4u8, any::<bool>())
        .prop_map(|(one, other, around, around_other, same, swap)| {
            let other = if same < 3 { one } else { other };
            let around_other = if same < 2 { around } else { around_other };
            let (l, r) = (wrap(&format!("l.{one}"), around), wrap(&format!("r.{other}"), around_other));
            if swap { (r, l) } else { (l, r) }
        })
        .boxed()
}

const TEXTS: &[&str] = &["name", "\"full name\"", "title", "wide", "code"];
/// Numbers and dates as they are written.
const ANY: &[&str] = &["name", "\"full name\"", "title", "wide", "code", "n", "x", "d"];

fn transforms() -> impl Strategy<Value = &'static str> {
    select(vec![
        "{}",
        "{}",
        "{}",
        "{}",
        "lower({})",
        "trim({})",
        "lower(trim({}))",
        "substr({}, 1, 2)",
        "substr({}, 2)",
        "soundex({})",
        "soundex(substr({}, 2, 4))",
        "substr(lower({}), 3, 60)",
    ])
}

fn wrap(column: &str, transforms: &str) -> String {
    transforms.replace("{}", column)
}

fn equality() -> BoxedStrategy<String> {
    let texts = pair(TEXTS);
    let bare = prop_oneof![
        Just(("l.n", "r.x")),
        Just(("l.n", "r.n")),
        Just(("r.x", "l.x")),
        Just(("l.d", "r.d")),
        Just(("l.code", "r.n")),
        Just(("l.d", "r.code")),
        Just(("l.x", "r.code")),
    ];
    let bare = bare.prop_map(|(a, b)| (a.to_owned(), b.to_owned()));
    (prop_oneof![2 => texts, 1 => bare], select(vec!["=", "=", "<>"]))
        .prop_map(|((a, b), op)| format!("{a} {op} {b}"))
        .boxed()
}

fn constant() -> BoxedStrategy<String> {
    let constants = vec![
        "l.name = 'ab'",
        "r.name <> 'a'",
        "l.name <> ''",
        "'b' = r.\"full name\"",
        "lower(l.name) = 'aa'",
        "soundex(r.\"full name\") = 'R163'",
        "substr(l.title, 1, 3) <> 'the'",
        "r.code = '007'",
        "l.wide <> 'it''s'",
        "l.n = 12",
        "r.n <> 5.0",
        "1.5 = l.x",
        "r.x <> -2.5",
        "l.d = '2020-02-29'",
        "r.d <> '1900-03-01'",
    ];
    select(constants).prop_map(str::to_owned).boxed()
}

fn levenshtein() -> BoxedStrategy<String> {
    let bounds = select(vec![
        "<= 0", "<= 1", "< 2", "<= 2.5", "<= 3", "> 1", ">= 2", "= 1", "= 0", "<> 1", "> 0", "<= 40", "> 70",
    ]);
    (pair(ANY), bounds).prop_map(|((a, b), bound)| format!("levenshtein({a}, {b}) {bound}")).boxed()
}

/// What a similarity may be compared with; fractions that strings of a few characters hit exactly are among them.
fn bounds() -> impl Strategy<Value = &'static str> {
    select(vec![
        ">= 0.8",
        "> 0.8",
        "< 0.8",
        "<= 0.8",
        ">= 0.5",
        "> 0.5",
        ">= 0.75",
        "> 0.25",
        ">= 0.333333333",
        "> 0.333333333",
        "< 0.6",
        "<= 0.4",
        ">= 0.9",
        ">= 0.1",
        ">= 1",
        "< 1",
        "> 0",
        "<= 0",
        ">= 0.866666667",
        ">= 0.7",
    ])
}

fn similarity(measure: &'static str) -> BoxedStrategy<String> {
    (pair(ANY), bounds(), any::<bool>())
        .prop_map(move |((a, b), bound, turned)| {
            let Some((op, number)) = bound.split_once(' ').filter(|_| turned) else {
                return format!("{measure}({a}, {b}) {bound}");
            };
            let op = match op {
                ">=" => "<=",
                "<=" => ">=",
                ">" => "<",
                _ => ">",
            };
            format!("{number} {op} {measure}({a}, {b})")
        })
        .boxed()
}

fn jaccard() -> BoxedStrategy<String> {
    let sets = select(vec!["words({})", "qgrams({}, 2)", "qgrams({}, 3)"]);
    (pair(ANY), sets, bounds())
        .prop_map(|((a, b), sets, bound)| format!("jaccard({}, {}) {bound}", wrap(&a, sets), wrap(&b, sets)))
        .boxed()
}

fn difference() -> BoxedStrategy<String> {
    let columns =
        select(vec![("l.n", "r.n"), ("r.n", "l.x"), ("l.x", "r.x"), ("l.d", "r.d"), ("r.d", "l.d")]);
    let bounds = select(vec![
        "<= 0", "<= 1", "< 1", "<= 2.5", "> 3", ">= 0.5", "= 1", "<> 2", "= 0", "<= 400", "< 0.1",
    ]);
    (columns, bounds).prop_map(|((a, b), bound)| format!("abs({a} - {b}) {bound}")).boxed()
}
