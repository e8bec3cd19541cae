//! Values that are made of several columns and constants.

use super::{bound, errors, shown};
use crate::rules::{Domain, Test};
use insta::assert_snapshot;

#[test]
fn what_is_understood() {
    assert_snapshot!(shown(&[
        "concat(l.title, ' ', l.\"Full Name\") = r.title",
        "l.title || ' ' || l.group = r.title || ('-' || r.group)",
        "lower(l.title || l.group) = lower(concat(trim(r.title), r.group))",
        "coalesce(nullif(l.title, ''), lower(l.group)) = r.title",
        "l.title || concat(l.group, l.title) IS NULL",
        "ifnull(l.year, 5) = nvl(r.year, 05.0)",
        "nullif(l.born, '2020-01-01') < coalesce(r.born, '1999-12-31')",
        "coalesce(l.title) = r.title",
        "levenshtein(l.title || l.group, r.title || r.group) <= 2",
        "jaccard(words(concat(l.title, ' ', l.group)), words(r.title)) >= 0.5",
        "abs(coalesce(l.year, l.price) - nullif(r.year, 0)) <= 1",
        "'it''s' = nullif(r.title, concat(r.group, 'x'))",
    ]), @r#"
    concat(l.title, ' ', l."Full Name") = r.title
        concat(l.title, ' ', l."Full Name") = r.title
    l.title || ' ' || l.group = r.title || ('-' || r.group)
        (l.title || ' ' || l.group) = (r.title || '-' || r.group)
    lower(l.title || l.group) = lower(concat(trim(r.title), r.group))
        lower(l.title || l.group) = lower(concat(trim(r.title), r.group))
    coalesce(nullif(l.title, ''), lower(l.group)) = r.title
        coalesce(nullif(l.title, ''), lower(l.group)) = r.title
    l.title || concat(l.group, l.title) IS NULL
        (l.title || concat(l.group, l.title)) IS NULL
    ifnull(l.year, 5) = nvl(r.year, 05.0)
        coalesce(l.year, 5) = coalesce(r.year, 5)
    nullif(l.born, '2020-01-01') < coalesce(r.born, '1999-12-31')
        nullif(l.born, '2020-01-01') < coalesce(r.born, '1999-12-31')
    coalesce(l.title) = r.title
        coalesce(l.title) = r.title
    levenshtein(l.title || l.group, r.title || r.group) <= 2
        levenshtein((l.title || l.group), (r.title || r.group)) <= 2
    jaccard(words(concat(l.title, ' ', l.group)), words(r.title)) >= 0.5
        jaccard(words(concat(l.title, ' ', l.group)), words(r.title)) >= 0.5
    abs(coalesce(l.year, l.price) - nullif(r.year, 0)) <= 1
        abs(coalesce(l.year, l.price) - nullif(r.year, 0)) <= 1
    'it''s' = nullif(r.title, concat(r.group, 'x'))
        nullif(r.title, concat(r.group, 'x')) = 'it''s'
    "#);
}

#[test]
fn domains() {
    let domain = |when: &str| match &bound(when, false).unwrap().conjunctions[0][0].test {
        Test::Value { domain, .. } | Test::Compare { domain, .. } => *domain,
    };
    assert_eq!(domain("coalesce(l.year, l.price) = r.price"), Domain::Number);
    assert_eq!(domain("coalesce(l.year, 3) IS NULL"), Domain::Number);
    assert_eq!(domain("coalesce(l.year, 'none') = 'x'"), Domain::Text);
    assert_eq!(domain("coalesce(l.year, l.title) IS NULL"), Domain::Text);
    assert_eq!(domain("coalesce(l.year, l.born) IS NULL"), Domain::Text);
    assert_eq!(domain("coalesce(l.born, '2020-01-01') = r.born"), Domain::Date);
    assert_eq!(domain("coalesce(l.born, 'never') = 'x'"), Domain::Text);
    assert_eq!(domain("nullif(l.year, 'N/A') = r.year"), Domain::Number);
    assert_eq!(domain("nullif(l.born, l.title) = r.born"), Domain::Date);
    assert_eq!(domain("nullif(l.title, l.year) IS NULL"), Domain::Text);
    assert_eq!(domain("concat(l.year) IS NULL"), Domain::Text);
    assert_eq!(domain("year(concat(l.title, l.born)) = 3"), Domain::Number);
    assert_eq!(domain("coalesce(year(l.title), l.year) = 3"), Domain::Number);
}

/// Of a value that a constant ends in nobody has to ask whether it is there; where nothing may be left of it, one has.
#[test]
fn what_is_never_missing() {
    assert_snapshot!(errors(&[
        "l.title = r.title AND coalesce(r.title, 'x') IS NULL",
        "concat(l.title, ' ', l.group) IS NOT NULL",
        "NOT lower(coalesce(l.year, coalesce(l.title, 'none'))) IS NULL",
        "coalesce(l.title, 'a') || 'b' IS NULL",
    ]), @r#"
    `coalesce(r.title, 'x')` is never missing: a constant stands in, so IS NULL is never true of it, and IS NOT NULL always
     --> rules.toml:2:31
      |
    2 | when = "l.title = r.title AND coalesce(r.title, 'x') IS NULL"
      |                               ^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave the comparison out, or ask it of the columns: l.a IS NULL

    `concat(l.title, ' ', l.group)` is never missing: a constant stands in, so IS NULL is never true of it, and IS NOT NULL always
     --> rules.toml:2:9
      |
    2 | when = "concat(l.title, ' ', l.group) IS NOT NULL"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave the comparison out, or ask it of the columns: l.a IS NULL

    `lower(coalesce(l.year, coalesce(l.title, 'none')))` is never missing: a constant stands in, so IS NULL is never true of it, and IS NOT NULL always
     --> rules.toml:2:13
      |
    2 | when = "NOT lower(coalesce(l.year, coalesce(l.title, 'none'))) IS NULL"
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave the comparison out, or ask it of the columns: l.a IS NULL

    `(coalesce(l.title, 'a') || 'b')` is never missing: a constant stands in, so IS NULL is never true of it, and IS NOT NULL always
     --> rules.toml:2:9
      |
    2 | when = "coalesce(l.title, 'a') || 'b' IS NULL"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave the comparison out, or ask it of the columns: l.a IS NULL
    "#);
    for asked in ["IS NULL", "IS NOT NULL"] {
        for value in [
            "coalesce(l.title, '')",
            "trim(coalesce(l.title, 'x'))",
            "nullif(coalesce(l.title, 'x'), 'x')",
            "coalesce(l.title, l.group)",
            "l.title || 'x'",
            "concat(l.title, trim(l.group))",
            // What is written there may be no number, and counts.
            "coalesce(l.year, 5)",
            "coalesce(l.born, '1999-12-31')",
        ] {
            assert!(bound(&format!("{value} {asked}"), false).is_ok(), "{value} {asked}");
        }
    }
}

#[test]
fn what_is_wrong() {
    assert_snapshot!(errors(&[
        "concat() = r.title",
        "concat('a', 'b') = r.title",
        "concat(l.title, r.group) = r.title",
        "l.title || r.group = r.title",
        "l.title || 5 = r.title",
        "concat(l.title, 5) = r.title",
        "nullif(l.title) = r.title",
        "nullif(l.title, 'a', 'b') = r.title",
        "nullif(l.title, 5) = r.title",
        "coalesce(l.title, 5) = r.title",
        "coalesce(l.born, 5) = r.born",
        "coalesce(l.title, 'x', l.group) = r.title",
        "coalesce(l.title, NULL) = r.title",
        "coalesce(words(l.title), l.group) = r.title",
        "lower(concat(l.titel, l.group)) = r.title",
        "abs((l.year || l.year) - r.year) <= 1",
        "coalesce(l.year, l.price) = r.born",
        "l.title || r.title",
        "concat(l.title, l.group)",
    ]), @r#"
    concat takes columns and constants, and here is nothing
     --> rules.toml:2:9
      |
    2 | when = "concat() = r.title"
      |         ^^^^^^^^

    concat is of no column here
     --> rules.toml:2:9
      |
    2 | when = "concat('a', 'b') = r.title"
      |         ^^^^^^^^^^^^^^^^
      |
    help: write a column of l or of r among its values, as in concat(l.first, ' ', l.last)

    concat takes columns of one record, and here are both l and r
     --> rules.toml:2:9
      |
    2 | when = "concat(l.title, r.group) = r.title"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: make a value of l and one of r, and compare the two

    `||` takes columns of one record, and here are both l and r
     --> rules.toml:2:9
      |
    2 | when = "l.title || r.group = r.title"
      |         ^^^^^^^^^^^^^^^^^^
      |
    help: make a value of l and one of r, and compare the two

    this is a number, among texts
     --> rules.toml:2:20
      |
    2 | when = "l.title || 5 = r.title"
      |                    ^
      |
    help: quote it: '5'

    this is a number, among texts
     --> rules.toml:2:25
      |
    2 | when = "concat(l.title, 5) = r.title"
      |                         ^
      |
    help: quote it: '5'

    nullif takes two values
     --> rules.toml:2:9
      |
    2 | when = "nullif(l.title) = r.title"
      |         ^^^^^^^^^^^^^^^
      |
    help: write nullif(l.a, 'N/A'): missing where l.a is 'N/A'

    nullif takes two values
     --> rules.toml:2:9
      |
    2 | when = "nullif(l.title, 'a', 'b') = r.title"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write nullif(l.a, 'N/A'): missing where l.a is 'N/A'

    this is a number, among texts
     --> rules.toml:2:25
      |
    2 | when = "nullif(l.title, 5) = r.title"
      |                         ^
      |
    help: quote it: '5'

    this is a number, among texts
     --> rules.toml:2:27
      |
    2 | when = "coalesce(l.title, 5) = r.title"
      |                           ^
      |
    help: quote it: '5'

    this is a number, among dates
     --> rules.toml:2:26
      |
    2 | when = "coalesce(l.born, 5) = r.born"
      |                          ^
      |
    help: write a date: '2020-12-31'

    a constant is always there: what stands after it is never looked at
     --> rules.toml:2:27
      |
    2 | when = "coalesce(l.title, 'x', l.group) = r.title"
      |                           ^^^
      |
    help: let the constant be the last, or leave out what stands after it

    NULL is always missing
     --> rules.toml:2:27
      |
    2 | when = "coalesce(l.title, NULL) = r.title"
      |                           ^^^^
      |
    help: leave it out

    coalesce takes columns and constants, not a set of tokens
     --> rules.toml:2:18
      |
    2 | when = "coalesce(words(l.title), l.group) = r.title"
      |                  ^^^^^^^^^^^^^^
      |
    help: write a column, perhaps in a transform such as lower

    left.csv has no column `titel`
     --> rules.toml:2:22
      |
    2 | when = "lower(concat(l.titel, l.group)) = r.title"
      |                      ^^^^^^^
      |
    help: did you mean `title`? its columns are title, Full Name, year, price, born, zip, group, Größe

    abs needs numbers or dates, and `(l.year || l.year)` gives text
     --> rules.toml:2:14
      |
    2 | when = "abs((l.year || l.year) - r.year) <= 1"
      |              ^^^^^^^^^^^^^^^^
      |
    help: compare columns alone, or their year

    `coalesce(l.year, l.price)` gives numbers, and `r.born` holds dates: they are never equal
     --> rules.toml:2:9
      |
    2 | when = "coalesce(l.year, l.price) = r.born"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare numbers with numbers and dates with dates

    `||` takes columns of one record, and here are both l and r
     --> rules.toml:2:9
      |
    2 | when = "l.title || r.title"
      |         ^^^^^^^^^^^^^^^^^^
      |
    help: make a value of l and one of r, and compare the two

    a column alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "concat(l.title, l.group)"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare it: l.a = r.a, or l.a = 'x'
    "#);
}
