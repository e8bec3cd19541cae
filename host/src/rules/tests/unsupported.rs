//! SQL that is no rule, and rules that compare nothing.

use super::errors;
use insta::assert_snapshot;

#[test]
fn not_supported() {
    assert_snapshot!(errors(&[
        "l.title IN (SELECT title)",
        "(l.title = r.title) IS TRUE",
        "l.title IS DISTINCT FROM r.title",
        "lower(l.title) LIKE 'a%'",
        "l.title = CASE WHEN TRUE THEN 'a' END",
        "l.title = r.title = l.group",
        "(l.title, l.year) = (r.title, r.year)",
        "cast(l.title AS int) = r.year",
        "l.year::text = r.title",
        "l.born = DATE '2020-01-01'",
        "EXISTS (SELECT 1)",
        "l.title XOR r.title",
        "-l.year = 3",
        "l.title = NULL",
        "l.title = X'00'",
        "l.title[1] = r.title",
        "l.title = ''",
        "count(DISTINCT l.title) = 3",
        "levenshtein(a => l.title, b => r.title) < 2",
    ]), @r#"
    `IN (SELECT …)` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "l.title IN (SELECT title)"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `IS TRUE` is not supported here
     --> rules.toml:2:10
      |
    2 | when = "(l.title = r.title) IS TRUE"
      |          ^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `IS DISTINCT FROM` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "l.title IS DISTINCT FROM r.title"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `LIKE` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "lower(l.title) LIKE 'a%'"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `CASE` is not supported here
     --> rules.toml:2:19
      |
    2 | when = "l.title = CASE WHEN TRUE THEN 'a' END"
      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `=` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "l.title = r.title = l.group"
      |         ^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    this is not supported here
     --> rules.toml:2:9
      |
    2 | when = "(l.title, l.year) = (r.title, r.year)"
      |         ^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `CAST` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "cast(l.title AS int) = r.year"
      |         ^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `CAST` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "l.year::text = r.title"
      |         ^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    this is not supported here
     --> rules.toml:2:18
      |
    2 | when = "l.born = DATE '2020-01-01'"
      |                  ^^^^^^^^^^^^^^^^^
      |
    help: write a date as text: '2020-12-31'

    `EXISTS` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "EXISTS (SELECT 1)"
      |         ^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `XOR` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "l.title XOR r.title"
      |         ^^^^^^^^^^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    `-` is not supported here
     --> rules.toml:2:9
      |
    2 | when = "-l.year = 3"
      |         ^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    a comparison with NULL is never true
     --> rules.toml:2:19
      |
    2 | when = "l.title = NULL"
      |                   ^^^^
      |
    help: missing is not equal: for a missing value, write IS NULL

    this constant is not supported here
     --> rules.toml:2:19
      |
    2 | when = "l.title = X'00'"
      |                   ^^^^^
      |
    help: write 'text' or a number

    this is not supported here
     --> rules.toml:2:9
      |
    2 | when = "l.title[1] = r.title"
      |         ^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    this is never true: an empty value is a missing one, and missing is not equal
     --> rules.toml:2:9
      |
    2 | when = "l.title = ''"
      |         ^^^^^^^^^^^^
      |
    help: for a missing value, write IS NULL; for one that is there, IS NOT NULL

    there is no function `count`
     --> rules.toml:2:9
      |
    2 | when = "count(DISTINCT l.title) = 3"
      |         ^^^^^
      |
    help: did you mean `concat`?

    this form of a call is not supported here
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(a => l.title, b => r.title) < 2"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write the arguments alone, as in lower(l.a)
    "#);
}

#[test]
fn no_comparison() {
    assert_snapshot!(errors(&[
        "TRUE",
        "l.title = r.title OR 1 = 1",
        "l.title",
        "lower(l.title) AND l.title = r.title",
        "NOT levenshtein(l.title, r.title)",
        "jaccard(words(l.title), words(r.title))",
        "abs(l.year - r.year)",
        "words(l.title)",
        "'abc'",
    ]), @r#"
    this compares no columns: a cross product without any predicate
     --> rules.toml:2:9
      |
    2 | when = "TRUE"
      |         ^^^^
      |
    help: compare a column of l with one of r, or leave it out

    this compares no columns: a cross product without any predicate
     --> rules.toml:2:30
      |
    2 | when = "l.title = r.title OR 1 = 1"
      |                              ^^^^^
      |
    help: compare a column of l with one of r, or leave it out

    a column alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "l.title"
      |         ^^^^^^^
      |
    help: compare it: l.a = r.a, or l.a = 'x'

    a column alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "lower(l.title) AND l.title = r.title"
      |         ^^^^^^^^^^^^^^
      |
    help: compare it: l.a = r.a, or l.a = 'x'

    a measure alone is no comparison
     --> rules.toml:2:13
      |
    2 | when = "NOT levenshtein(l.title, r.title)"
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare it with a number of edits: <= 2

    a measure alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "jaccard(words(l.title), words(r.title))"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare it with a number between 0 and 1: >= 0.8

    a measure alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "abs(l.year - r.year)"
      |         ^^^^^^^^^^^^^^^^^^^^
      |
    help: compare it with a number: <= 2

    a set of tokens alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "words(l.title)"
      |         ^^^^^^^^^^^^^^
      |
    help: compare sets by jaccard(words(l.a), words(r.a)) >= 0.8

    a text alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "'abc'"
      |         ^^^^^
      |
    help: compare it: l.a = r.a, or l.a = 'x'
    "#);
}
