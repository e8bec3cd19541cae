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
        4 => equality(),
        3 => constant(),
        2 => missing(),
        5 => edits(),
        2 => lcs(),
        6 => similarity(),
        4 => sets(),
        2 => overlap(),
        2 => distance(),
        3 => difference(),
        1 => on_the_sphere(),
    ]
    .boxed()
}

/// A left and a right operand, in either order: of a column each, or of several.
fn pair(columns: &'static [&'static str]) -> BoxedStrategy<(String, String)> {
    let made = (made(), made(), 0..3u8, any::<bool>()).prop_map(|(one, other, same, swap)| {
        let other = if same < 2 { one.clone() } else { other };
        let (l, r) = (one.replace('@', "l."), other.replace('@', "r."));
        if swap { (r, l) } else { (l, r) }
    });
    prop_oneof![4 => single(columns), 1 => made].boxed()
}

/// A value that is made of several, under transforms; `@` stands for the side.
fn made() -> BoxedStrategy<String> {
    let constant = || select(vec!["' '", "'a'", "''", "'ab'", "'-'", "'it''s'"]).prop_map(str::to_owned);
    let column = || {
        (select(TEXTS), transforms()).prop_map(|(column, around)| wrap(&format!("@{column}"), around)).boxed()
    };
    let several = |part: BoxedStrategy<String>| {
        let two = || (part.clone(), part.clone());
        let three = (part.clone(), prop_oneof![part.clone(), constant()], part.clone());
        let last = (part.clone(), prop_oneof![2 => part.clone(), 1 => constant()]);
        prop_oneof![
            three.clone().prop_map(|(a, b, c)| format!("concat({a}, {b}, {c})")),
            three.prop_map(|(a, b, c)| format!("({a} || {b} || {c})")),
            (constant(), part.clone()).prop_map(|(a, b)| format!("concat({a}, {b})")),
            last.prop_map(|(a, b)| format!("coalesce({a}, {b})")),
            two().prop_map(|(a, b)| format!("nullif({a}, {b})")),
            (part.clone(), constant()).prop_map(|(a, b)| format!("nullif({a}, {b})")),
        ]
        .boxed()
    };
    // Of texts: what a year is compared with is no text.
    let shallow = several(column().prop_map(|column| format!("trim({column})")).boxed());
    let deep =
        several(prop_oneof![shallow.clone(), column().prop_map(|column| format!("lower({column})"))].boxed());
    (
        prop_oneof![2 => shallow, 1 => deep],
        select(vec!["{}", "{}", "lower({})", "trim({})", "substr({}, 2, 3)"]),
    )
        .prop_map(|(made, around)| wrap(&made, around))
        .boxed()
}

/// A left and a right column, in either order, mostly over the same column and under the same transforms.
fn single(columns: &'static [&'static str]) -> BoxedStrategy<(String, String)> {
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
        "upper({})",
        "casefold({})",
        "left({}, 3)",
        "right(trim({}), 2)",
        "substring({} FROM 2 FOR 3)",
        "strip_accents({})",
        "strip_accents(lower({}))",
        "metaphone({})",
        "year({})",
        "right(year({}), 2)",
        "length_key({})",
        "regexp_replace({}, '[^a-z]', '')",
        "regexp_replace({}, '[ab]', 'x', 'gi')",
        "regexp_replace(lower({}), '(.)(b)', '\\2\\1', 'g')",
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
        Just(("year(l.d)", "year(r.d)")),
        Just(("year(r.d)", "l.n")),
        Just(("year(l.d)", "year(r.code)")),
        Just(("coalesce(l.n, l.x)", "r.x")),
        Just(("coalesce(l.x, 5)", "coalesce(r.n, r.x, -1)")),
        Just(("nullif(l.n, 5.0)", "nullif(r.x, r.n)")),
        Just(("coalesce(l.d, '2020-02-29')", "nullif(r.d, '2020-03-01')")),
    ];
    let bare = bare.prop_map(|(a, b)| (a.to_owned(), b.to_owned()));
    (prop_oneof![2 => texts, 1 => bare], select(vec!["=", "=", "<>"]))
        .prop_map(|((a, b), op)| format!("{a} {op} {b}"))
        .boxed()
}

/// What is asked of one record alone.
fn constant() -> BoxedStrategy<String> {
    let texts = select(vec!["= 'ab'", "<> 'a'", "< 'b'", "<= 'ab'", "> 'a'", ">= 'b'", "<> ''", "> ''"]);
    let more_texts = select(vec![
        "BETWEEN 'a' AND 'b'",
        "NOT BETWEEN 'ab' AND 'b'",
        "IN ('a', 'ab', 'it''s')",
        "NOT IN ('aa', 'b')",
    ]);
    let text = (pair(TEXTS), prop_oneof![texts, more_texts]).prop_map(|((a, _), asked)| {
        // A year is a number, and so is a length.
        let is_number = ["year(", "length_key("].iter().any(|name| a.starts_with(name));
        let a = if is_number { format!("trim({a})") } else { a };
        format!("{a} {asked}")
    });
    let number = (
        select(vec!["l.n", "r.n", "l.x", "r.x", "year(l.d)", "year(r.code)"]),
        select(vec![
            "= 12",
            "<> 5.0",
            "< 5",
            "<= 1.5",
            "> 2020",
            ">= -0.5",
            "BETWEEN 1 AND 10",
            "IN (1, 2020, 1.5)",
        ]),
    )
        .prop_map(|(operand, asked)| format!("{operand} {asked}"));
    let date = (
        select(vec!["l.d", "r.d"]),
        select(vec![
            "= '2020-02-29'",
            "<> '1900-03-01'",
            "< '2020-03-01'",
            ">= '2020-02-29'",
            "BETWEEN '2000-02-29' AND '2020-06-30'",
            "NOT IN ('2020-02-29', '0001-01-01')",
        ]),
    )
        .prop_map(|(operand, asked)| format!("{operand} {asked}"));
    let turned = select(vec![
        "'b' = r.\"full name\"",
        "'b' <= r.\"full name\"",
        "1.5 = l.x",
        "3 > r.n",
        "soundex(r.\"full name\") = 'R163'",
        "substr(l.title, 1, 3) <> 'the'",
        "r.code = '007'",
    ])
    .prop_map(str::to_owned);
    prop_oneof![3 => text, 2 => number, 1 => date, 1 => turned].boxed()
}

fn missing() -> BoxedStrategy<String> {
    (pair(ANY), select(vec!["IS NULL", "IS NOT NULL"])).prop_map(|((a, _), is)| format!("{a} {is}")).boxed()
}

fn edits() -> BoxedStrategy<String> {
    let measure = select(vec!["levenshtein", "levenshtein", "damerau_levenshtein", "hamming"]);
    let bounds = vec![
        "<= 0", "<= 1", "< 2", "<= 2.5", "<= 3", "> 1", ">= 2", "= 1", "= 0", "<> 1", "> 0", "<= 40", "> 70",
    ];
    let ranges = vec!["BETWEEN 1 AND 2", "NOT BETWEEN 0 AND 2", "IN (1, 3)"];
    (measure, pair(ANY), prop_oneof![4 => select(bounds), 1 => select(ranges)])
        .prop_map(|(measure, (a, b), bound)| format!("{measure}({a}, {b}) {bound}"))
        .boxed()
}

fn lcs() -> BoxedStrategy<String> {
    let bounds = select(vec![
        ">= 1",
        ">= 2",
        ">= 4",
        "> 2",
        ">= 20",
        "< 3",
        "<= 1",
        "= 0",
        "= 2",
        "<> 1",
        "BETWEEN 1 AND 3",
        "IN (1, 3)",
    ]);
    (pair(ANY), bounds).prop_map(|((a, b), bound)| format!("lcs({a}, {b}) {bound}")).boxed()
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

fn similarity() -> BoxedStrategy<String> {
    let measure = select(vec![
        "levenshtein_similarity",
        "levenshtein_similarity",
        "damerau_levenshtein_similarity",
        "hamming_similarity",
        "jaro",
        "jaro_similarity",
        "jaro_winkler",
        "jaro_winkler_similarity",
        "lcs_similarity",
        "lcs_similarity",
    ]);
    (measure, pair(ANY), bounds(), 0..5u8)
        .prop_map(|(measure, (a, b), bound, form)| match (bound.split_once(' '), form) {
            (Some((op, number)), 0) => {
                let op = match op {
                    ">=" => "<=",
                    "<=" => ">=",
                    ">" => "<",
                    _ => ">",
                };
                format!("{number} {op} {measure}({a}, {b})")
            }
            (_, 1) => format!("{measure}({a}, {b}) BETWEEN 0.5 AND 0.9"),
            _ => format!("{measure}({a}, {b}) {bound}"),
        })
        .boxed()
}

/// A left and a right set; `{}` alone is the set of characters.
fn two_sets() -> impl Strategy<Value = (String, String)> {
    let sets = select(vec![
        "words({})",
        "words({})",
        "alphanumeric({})",
        "shingles({}, 2)",
        "qgrams({}, 2)",
        "qgrams({}, 3)",
        "chars({})",
        "{}",
    ]);
    (pair(ANY), sets).prop_map(|((a, b), sets)| (wrap(&a, sets), wrap(&b, sets)))
}

fn sets() -> BoxedStrategy<String> {
    let measure = select(vec!["jaccard", "dice", "cosine", "overlap_coefficient", "braun_blanquet"]);
    (measure, two_sets(), bounds())
        .prop_map(|(measure, (a, b), bound)| format!("{measure}({a}, {b}) {bound}"))
        .boxed()
}

fn overlap() -> BoxedStrategy<String> {
    let bounds = select(vec![
        ">= 1",
        ">= 2",
        "> 2",
        "< 2",
        "<= 1",
        "= 0",
        "= 2",
        "<> 1",
        "BETWEEN 1 AND 3",
        "IN (1, 3)",
    ]);
    (two_sets(), bounds).prop_map(|((a, b), bound)| format!("overlap({a}, {b}) {bound}")).boxed()
}

/// Small numbers are degrees, too.
fn on_the_sphere() -> BoxedStrategy<String> {
    let places = select(vec![
        "l.n, l.x, r.n, r.x",
        "r.x, r.n, l.x, l.n",
        "l.n, l.x, r.x, r.n",
        "l.n, coalesce(l.x, l.n), trim(r.code), r.x",
    ]);
    let bounds = select(vec![
        "<= 0",
        "<= 0.5",
        "<= 160",
        "< 1000",
        "> 300",
        ">= 2000",
        "BETWEEN 100 AND 500",
        "<= 9000",
    ]);
    (places, bounds).prop_map(|(places, bound)| format!("distance_km({places}) {bound}")).boxed()
}

/// Two numbers or two dates.
fn two_numbers() -> impl Strategy<Value = (&'static str, &'static str)> {
    select(vec![
        ("l.n", "r.n"),
        ("r.n", "l.x"),
        ("l.x", "r.x"),
        ("l.d", "r.d"),
        ("r.d", "l.d"),
        ("year(l.d)", "year(r.d)"),
        ("r.n", "year(l.code)"),
        ("coalesce(l.x, l.n)", "r.n"),
        ("coalesce(r.d, '2020-02-29')", "nullif(l.d, '0001-01-01')"),
    ])
}

fn distance() -> BoxedStrategy<String> {
    let bounds = select(vec![
        "<= 0",
        "<= 1",
        "< 1",
        "<= 2.5",
        "> 3",
        ">= 0.5",
        "= 1",
        "<> 2",
        "= 0",
        "<= 400",
        "< 0.1",
        "BETWEEN 1 AND 3",
    ]);
    (two_numbers(), bounds).prop_map(|((a, b), bound)| format!("abs({a} - {b}) {bound}")).boxed()
}

/// Signed, or just which one is less.
fn difference() -> BoxedStrategy<String> {
    let bounds = select(vec![
        "<= 1",
        "< 0",
        ">= -2.5",
        "> 3",
        "= 1",
        "<> 0",
        "= 0",
        "BETWEEN -1 AND 3",
        "NOT BETWEEN 0 AND 30",
    ]);
    let signed = (two_numbers(), bounds).prop_map(|((a, b), bound)| format!("{a} - {b} {bound}"));
    let order =
        (two_numbers(), select(vec!["<", "<=", ">", ">="])).prop_map(|((a, b), op)| format!("{a} {op} {b}"));
    prop_oneof![signed, order].boxed()
}
