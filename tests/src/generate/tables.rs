//! Random tables. Strings are built from few characters and few pieces, so that many of them are nearly alike.

use super::COLUMNS;
use crate::case::Sheet;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

type Value = Option<String>;

/// Tables of 1 to `most_rows` records.
pub(super) fn sheet(most_rows: usize, is_wide: bool) -> impl Strategy<Value = Sheet> {
    let whole = (vec(row(), 1..=most_rows), 0..3usize, any::<bool>(), any::<bool>());
    whole.prop_map(move |(mut rows, style, backwards, is_odd)| {
        // One value of each kind, so that a column of numbers is one even where all others are missing.
        let certain = [(4, "x1"), (5, "12"), (6, "1.5"), (7, "2020-02-29")];
        certain.into_iter().for_each(|(column, value)| rows[0][column] = Some(value.to_owned()));
        // And one that is none, and counts as missing where numbers or dates are compared.
        if let [_, .., last] = &mut rows[..]
            && is_odd
        {
            let odd = [(5, "1234567890123456789012345678901234567"), (6, "1.5e-36"), (7, "+10000-01-01")];
            odd.into_iter().for_each(|(column, value)| last[column] = Some(value.to_owned()));
        }
        if is_wide {
            // More characters than 8 bits can number.
            rows[0][3] = Some((0..300).filter_map(|ix| char::from_u32(0x4e00 + ix)).collect());
        }
        let mut ids: Vec<String> = (0..rows.len() as i64).map(|ix| id(style, ix)).collect();
        if backwards {
            ids.reverse();
        }
        Sheet { ids, ..Sheet::new(&COLUMNS, rows) }
    })
}

/// Integers on both sides of zero, labels, or both: whatever order their texts have, the engine's must be right.
fn id(style: usize, ix: i64) -> String {
    match (style, ix % 3) {
        (0, _) => ((ix * 37) % 101 - 20).to_string(),
        (1, _) => format!("r{}", ix * 3),
        (_, 0) => format!("0{ix}"),
        (_, _) => ix.to_string(),
    }
}

fn row() -> impl Strategy<Value = Vec<Value>> {
    let values = (text(), text(), title(), wide(), code(), integer(), decimal(), date());
    values.prop_map(|(a, b, c, d, e, f, g, h)| vec![a, b, c, d, e, f, g, h])
}

fn maybe(value: impl Strategy<Value = String> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![1 => Just(None), 12 => value.prop_map(Some)].boxed()
}

fn of(characters: &'static str, len: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    vec(select(characters.chars().collect::<Vec<_>>()), len).prop_map(String::from_iter)
}

fn text() -> BoxedStrategy<Value> {
    maybe(prop_oneof![
        10 => of("ab", 0..5),
        10 => of("abcé ", 2..9),
        4 => of("AaBßé漢🦀 'ΣσİR", 0..7),
        2 => select(vec!["Robert", "Rupert", "Rubin", "Ashcraft", "Ashcroft", " Tymczak", "pfister "]).prop_map(str::to_owned),
        1 => of("ab", 60..70),
        1 => of("aé", 250..260),
    ])
}

fn title() -> BoxedStrategy<Value> {
    let word = select(vec!["old", "man", "the", "sea", "and", "été", "🦀🦀", "naïve", "a"]);
    let words = vec(word, 0..7).prop_map(|words| words.join(" "));
    let long = of("ab ", 0..330);
    maybe(prop_oneof![8 => words, 1 => long, 1 => of(" \t\u{3000}\n", 1..4), 1 => of("\",;\r\na", 1..5)])
}

fn wide() -> BoxedStrategy<Value> {
    let character = prop_oneof![
        2 => select(vec!['a', 'b']),
        1 => (0x4e00u32..0x4e00 + 300).prop_map(|code| char::from_u32(code).unwrap_or('漢')),
    ];
    maybe(prop_oneof![
        4 => vec(character, 1..12).prop_map(String::from_iter),
        2 => of("ab漢", 1..5),
        1 => of("漢字", 63..67),
    ])
}

fn code() -> BoxedStrategy<Value> {
    maybe(select(vec!["007", "7", "12", "1.5", "x1", "X1", " 7", "2020-02-29", "-3"]).prop_map(str::to_owned))
}

fn integer() -> BoxedStrategy<Value> {
    maybe(prop_oneof![
        16 => (-3i64..20).prop_map(|number| number.to_string()),
        2 => select(vec![i64::MAX, i64::MIN]).prop_map(|number| number.to_string()),
        1 => select(vec!["-0", "NaN", "-inf"]).prop_map(str::to_owned),
    ])
}

/// Decimals in several spellings: 1.5, 1.50, 15e-1.
fn decimal() -> BoxedStrategy<Value> {
    let plain = (-30i32..30, 0usize..3).prop_map(|(tenths, zeros)| {
        let sign = if tenths < 0 { "-" } else { "" };
        format!("{sign}{}.{}{}", tenths.abs() / 10, tenths.abs() % 10, "0".repeat(zeros))
    });
    let short = (-9i32..9).prop_map(|number| number.to_string());
    maybe(
        prop_oneof![6 => plain, 2 => short, 1 => select(vec!["15e-1", "1E1", "0.001", "-0.0", "nan"]).prop_map(str::to_owned)],
    )
}

fn date() -> BoxedStrategy<Value> {
    let near = (2019i32..2022, 1u32..13, 1u32..29).prop_map(|(y, m, d)| format!("{y}-{m:02}-{d:02}"));
    let odd = select(vec![
        "2020-02-29",
        "2020-03-01",
        "2000-02-29",
        "2000-03-01",
        "1900-02-28",
        "1900-03-01",
        "0001-01-01",
    ]);
    maybe(prop_oneof![3 => near, 3 => odd.prop_map(str::to_owned)])
}
