//! Rules over tables.

use super::{bound, errors, parse, schema, shown, toml};
use crate::rules::{Domain, Test};
use insta::assert_snapshot;
use proptest::prelude::*;

#[test]
fn normal_forms() {
    assert_snapshot!(shown(&[
        "l.title = r.title AND (l.year = r.year OR l.born = r.born)",
        "NOT (l.title = r.title AND NOT l.year = 3)",
        "NOT (l.title = r.title OR levenshtein(l.title, r.title) <= 3)",
        "l.title = r.title AND r.title = l.TITLE AND l.year = 1 AND l.year = 1.0",
        "l.title = r.title AND l.year = r.year OR r.year = l.year AND r.title = l.title",
        "l.title = r.title AND l.title <> r.title OR l.year = r.year",
        "NOT (jaccard(words(l.title), words(r.title)) >= 0.5 OR abs(l.year - r.year) < 2)",
        "l.title = r.title AND jaro(l.title, r.title) > 0.9 AND l.title IS NOT NULL AND l.year > 3 AND l.year > 2",
        "levenshtein(l.title, r.title) <= 2 AND levenshtein(l.title, r.title) <= 1",
        "l.title = r.title OR levenshtein(l.title, r.title) <= 1 OR l.title = r.title AND l.year = 1",
        "l.year = 3 AND (l.year = 4 OR l.born = r.born)",
        "NOT (l.year - r.year <= 3)",
    ]), @r#"
    l.title = r.title AND (l.year = r.year OR l.born = r.born)
        (l.title = r.title AND l.year = r.year) OR (l.title = r.title AND l.born = r.born)
    NOT (l.title = r.title AND NOT l.year = 3)
        l.title <> r.title OR l.year = 3
    NOT (l.title = r.title OR levenshtein(l.title, r.title) <= 3)
        levenshtein(l.title, r.title) > 3
    l.title = r.title AND r.title = l.TITLE AND l.year = 1 AND l.year = 1.0
        l.title = r.title AND l.year = 1
    l.title = r.title AND l.year = r.year OR r.year = l.year AND r.title = l.title
        l.title = r.title AND l.year = r.year
    l.title = r.title AND l.title <> r.title OR l.year = r.year
        l.year = r.year
    NOT (jaccard(words(l.title), words(r.title)) >= 0.5 OR abs(l.year - r.year) < 2)
        jaccard(words(l.title), words(r.title)) < 0.5 AND abs(l.year - r.year) >= 2
    l.title = r.title AND jaro(l.title, r.title) > 0.9 AND l.title IS NOT NULL AND l.year > 3 AND l.year > 2
        l.title = r.title AND l.year > 3
    levenshtein(l.title, r.title) <= 2 AND levenshtein(l.title, r.title) <= 1
        levenshtein(l.title, r.title) <= 1
    l.title = r.title OR levenshtein(l.title, r.title) <= 1 OR l.title = r.title AND l.year = 1
        levenshtein(l.title, r.title) <= 1
    l.year = 3 AND (l.year = 4 OR l.born = r.born)
        l.year = 3 AND l.born = r.born
    NOT (l.year - r.year <= 3)
        l.year - r.year > 3
    "#);
}

#[test]
fn domains() {
    let domain = |when: &str| match &bound(when, false).unwrap().conjunctions[0][0].test {
        Test::Value { domain, .. } | Test::Compare { domain, .. } => *domain,
    };
    assert_eq!(domain("l.year = r.price"), Domain::Number);
    assert_eq!(domain("l.born = r.born"), Domain::Date);
    assert_eq!(domain("l.zip = r.zip"), Domain::Text);
    assert_eq!(domain("l.title = r.born"), Domain::Text);
    assert_eq!(domain("lower(l.year) = r.year"), Domain::Text);
    assert_eq!(domain("trim(l.year) = '3'"), Domain::Text);
    assert_eq!(domain("levenshtein(l.year, r.year) <= 1"), Domain::Text);
    assert_eq!(domain("abs(l.year - r.price) <= 1"), Domain::Number);
    assert_eq!(domain("abs(l.born - r.born) <= 1"), Domain::Date);
    assert_eq!(domain("l.born < r.born"), Domain::Date);
    assert_eq!(domain("l.price >= 3"), Domain::Number);
    assert_eq!(domain("year(l.born) = year(r.title)"), Domain::Number);
    assert_eq!(domain("year(lower(l.title)) >= 1999"), Domain::Number);
    assert_eq!(domain("lower(year(l.born)) = '1999'"), Domain::Text);
    assert_eq!(domain("year(l.born) = r.title"), Domain::Text);
    assert_eq!(domain("l.born IS NULL"), Domain::Date);
}

#[test]
fn one_table() {
    let shown = |when| bound(when, true).unwrap().to_string();
    assert_snapshot!(shown("l.title = r.title"), @"l.title = r.title");
    assert_snapshot!(shown("l.title = r.group"), @"l.title = r.group OR l.group = r.title");
    assert_snapshot!(shown("l.title = r.group AND r.title = l.group"), @"l.title = r.group AND l.group = r.title");
    assert_snapshot!(shown("l.title = r.group OR r.title = l.group"), @"l.title = r.group OR l.group = r.title");
    assert_snapshot!(shown("l.year = 1999 AND l.title = r.title"), @"(l.year = 1999 AND l.title = r.title) OR (r.year = 1999 AND l.title = r.title)");
    assert_snapshot!(shown("l.year = 1999 AND r.year <> 1999 OR l.year = r.year"), @"(l.year = 1999 AND r.year <> 1999) OR l.year = r.year OR (r.year = 1999 AND l.year <> 1999)");
}

#[test]
fn does_not_fit_the_table() {
    assert_snapshot!(errors(&[
        "l.title = r.titel",
        "l.colour = r.title",
        "l.title = 1999",
        "lower(r.year) = 5",
        "l.year = '1999'",
        "l.born = 1999",
        "l.born = '2021-02-29'",
        "l.born = 'yesterday'",
        "l.year = r.born",
        "abs(l.zip - r.zip) <= 3",
        "abs(l.title - r.year) <= 3",
        "abs(l.year - r.born) <= 3",
        "l.title = r.title AND l.title <> r.title",
    ]), @r#"
    right.csv has no column `titel`
     --> rules.toml:2:19
      |
    2 | when = "l.title = r.titel"
      |                   ^^^^^^^
      |
    help: did you mean `title`? its columns are title, Full Name, year, price, born, zip, group, Größe

    left.csv has no column `colour`
     --> rules.toml:2:9
      |
    2 | when = "l.colour = r.title"
      |         ^^^^^^^^
      |
    help: its columns are title, Full Name, year, price, born, zip, group, Größe

    `l.title` holds text, and this is a number
     --> rules.toml:2:19
      |
    2 | when = "l.title = 1999"
      |                   ^^^^
      |
    help: quote it: '1999'

    `lower(r.year)` gives text, and this is a number
     --> rules.toml:2:25
      |
    2 | when = "lower(r.year) = 5"
      |                         ^
      |
    help: quote it: '5'

    `l.year` holds numbers, and this is a text
     --> rules.toml:2:18
      |
    2 | when = "l.year = '1999'"
      |                  ^^^^^^
      |
    help: write a number, without quotes

    `l.born` holds dates, and this is a number
     --> rules.toml:2:18
      |
    2 | when = "l.born = 1999"
      |                  ^^^^
      |
    help: write a date: '2020-12-31'

    `l.born` holds dates, and this is not a date
     --> rules.toml:2:18
      |
    2 | when = "l.born = '2021-02-29'"
      |                  ^^^^^^^^^^^^
      |
    help: write it as '2020-12-31'

    `l.born` holds dates, and this is not a date
     --> rules.toml:2:18
      |
    2 | when = "l.born = 'yesterday'"
      |                  ^^^^^^^^^^^
      |
    help: write it as '2020-12-31'

    `l.year` holds numbers, and `r.born` holds dates: they are never equal
     --> rules.toml:2:9
      |
    2 | when = "l.year = r.born"
      |         ^^^^^^^^^^^^^^^
      |
    help: compare numbers with numbers and dates with dates

    abs needs numbers or dates, and `r.zip` holds text (row 17 holds `D-10115`)
     --> rules.toml:2:21
      |
    2 | when = "abs(l.zip - r.zip) <= 3"
      |                     ^^^^^
      |
    help: mend the table, or compare the text by levenshtein

    abs needs numbers or dates, and `l.title` holds text
     --> rules.toml:2:13
      |
    2 | when = "abs(l.title - r.year) <= 3"
      |             ^^^^^^^
      |
    help: mend the table, or compare the text by levenshtein

    `l.year` holds numbers, and `r.born` holds dates: they have no difference
     --> rules.toml:2:22
      |
    2 | when = "abs(l.year - r.born) <= 3"
      |                      ^^^^^^
      |
    help: compare numbers with numbers and dates with dates

    the rule can never hold
     --> rules.toml:2:8
      |
    2 | when = "l.title = r.title AND l.title <> r.title"
      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: `l.title = r.title` and `l.title <> r.title` are never true of the same pair
    "#);
    let clauses: Vec<_> = (0..11).map(|n| format!("(l.title <> '{n}' OR r.title <> '{n}')")).collect();
    let error = bound(&clauses.join(" AND "), false).unwrap_err().to_string();
    assert!(error.contains("the rule comes to more than 1024 conjunctions"), "{error}");
}

#[test]
fn a_wide_table_lists_some_of_its_columns() {
    let mut wide = schema("wide.csv");
    wide.columns = (0..23)
        .map(|n| crate::read::table::ColumnSchema { name: format!("c{n}"), ..wide.columns[0].clone() })
        .collect();
    let error = crate::rules::bind(&parse(&toml("l.x = r.x")).unwrap(), &wide, &wide, true).unwrap_err();
    assert_snapshot!(error, @r#"
    wide.csv has no column `x`
     --> rules.toml:2:9
      |
    2 | when = "l.x = r.x"
      |         ^^^
      |
    help: its columns are c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19 and 3 more
    "#);
}

/// A comparison that fits the tables.
fn comparison() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec!["title", "\"Full Name\"", "group", "zip", "year"]);
    let transform = prop::sample::select(vec![
        "#",
        "lower(#)",
        "trim(lower(#))",
        "substr(#, 2, 3)",
        "soundex(#)",
        "substr(#, 4)",
        "upper(strip_accents(#))",
        "right(left(#, 3), 2)",
        "metaphone(#)",
        "year(#)",
        "regexp_replace(#, '[^a-z ]', '', 'gi')",
        "regexp_replace(lower(#), '(a)(b)', '\\2\\1''')",
    ]);
    let measure = prop::sample::select(vec![
        "A = B",
        "B <> A",
        "levenshtein(A, B) <= 3",
        "levenshtein(A, B) = 2",
        "1.5 < levenshtein(B, A)",
        "levenshtein_similarity(A, B) >= 0.75",
        "jaro_winkler_similarity(A, B) <= 0.9",
        "jaro_winkler_similarity(A, B) > 0.125",
        "jaccard(words(A), words(B)) > 0.5",
        "jaccard(qgrams(A, 3), qgrams(B, 3)) < 0.25",
        "damerau_levenshtein(A, B) BETWEEN 1 AND 3",
        "hamming(A, B) NOT BETWEEN 2 AND 3",
        "hamming_similarity(A, B) > 0.5",
        "damerau_levenshtein_similarity(A, B) BETWEEN 0.5 AND 0.9",
        "jaro(A, B) >= 0.9",
        "dice(A, B) >= 0.5",
        "cosine(chars(A), chars(B)) < 0.5",
        "overlap_coefficient(words(A), words(B)) > 0",
        "overlap(qgrams(A, 2), qgrams(B, 2)) >= 2",
        "overlap(words(A), words(B)) = 1",
        "overlap(words(A), words(B)) <= 2",
        "A IS NULL",
        "B IS NOT NULL",
        "lower(A) IN ('x', 'y')",
        "trim(B) NOT IN ('x', 'z')",
        "lower(A) < 'm'",
        "lower(B) BETWEEN 'a' AND 'm'",
        "l.year < r.year",
        "r.born >= l.born",
        "l.year - r.price <= 2",
        "r.year - l.year < 1.5",
        "l.year - r.year = 3",
        "r.born - l.born BETWEEN 1 AND 30",
        "l.born - r.born NOT BETWEEN 0 AND 7",
        "abs(year(l.born) - year(r.born)) <= 1",
        "year(l.born) = year(r.born)",
        "year(l.title) >= 1990",
        "l.born >= '2020-01-31'",
        "r.price NOT IN (1, 2.5)",
        "l.price BETWEEN -1 AND 1",
        "abs(l.year - r.year) BETWEEN 1 AND 2",
        "abs(l.year - r.year) <= 2.5",
        "abs(r.born - l.born) < 7",
        "abs(l.price - r.year) = 1",
        "lower(A) = 'it''s \\ \"so\"'",
        "trim(B) <> 'é\t'",
        "l.year = -1.50",
        "r.born <> '2020-01-31'",
        "r.Größe = 0",
    ]);
    (text.clone(), transform.clone(), text, transform, measure).prop_map(
        |(a, outer_a, b, outer_b, measure)| {
            let (a, b) = (outer_a.replace('#', &format!("l.{a}")), outer_b.replace('#', &format!("r.{b}")));
            // Not one after the other: column names have As and Bs in them.
            measure
                .split('A')
                .map(|part| part.split('B').collect::<Vec<_>>().join(&b))
                .collect::<Vec<_>>()
                .join(&a)
        },
    )
}

fn when() -> impl Strategy<Value = String> {
    comparison().prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) AND ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} OR {b})")),
            inner.prop_map(|a| format!("NOT ({a})")),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_shown_parses_to_the_same_rule(when in when(), dedupe: bool) {
        let Ok(rule) = bound(&when, dedupe) else { return Ok(()) };
        let again = bound(&rule.to_string(), dedupe).unwrap();
        prop_assert_eq!(&rule, &again);
        prop_assert_eq!(rule.to_string(), again.to_string());
    }

    #[test]
    fn any_text_is_a_rule_or_an_error(when in "\\PC*|([lr]\\.[a-z]+|[=<>(),']|AND|NOT| |\n|levenshtein|trim|[0-9.]){0,20}") {
        // No panic, and an error that can be rendered.
        let _ = bound(&when, false).map_err(|error| error.to_string());
    }
}
