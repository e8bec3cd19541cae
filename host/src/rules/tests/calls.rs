//! Functions that are called wrongly.

use super::errors;
use insta::assert_snapshot;

#[test]
fn calls() {
    assert_snapshot!(errors(&[
        "levenstein(l.title, r.title) <= 2",
        "levenshtein(l.title) <= 2",
        "lower() = r.title",
        "lower(l.title, r.title) = r.title",
        "trim(both 'x' from l.title) = r.title",
        "substr(l.title) = r.title",
        "substr(l.title, 0) = r.title",
        "substr(l.title, 1, 2.5) = r.title",
        "qgrams(l.title, 17) = r.title",
        "jaccard(qgrams(l.title), qgrams(r.title)) >= 0.5",
        "jaccard(words(l.title), qgrams(r.title, 3)) >= 0.5",
        "jaccard(qgrams(l.title, 2), qgrams(r.title, 3)) >= 0.5",
        "words(l.title) = words(r.title)",
        "lower(levenshtein(l.title, r.title)) = 'a'",
        "levenshtein(l.title, 'abc') <= 2",
        "abs(l.year) <= 2",
        "abs(l.year, r.year) <= 2",
        "abs(lower(l.year) - r.year) <= 2",
    ]), @r#"
    there is no function `levenstein`
     --> rules.toml:2:9
      |
    2 | when = "levenstein(l.title, r.title) <= 2"
      |         ^^^^^^^^^^
      |
    help: did you mean `levenshtein`?

    levenshtein takes two columns, and here is one argument
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(l.title) <= 2"
      |         ^^^^^^^^^^^^^^^^^^^^

    lower takes one column, and here is nothing
     --> rules.toml:2:9
      |
    2 | when = "lower() = r.title"
      |         ^^^^^^^

    lower takes one column, and here are 2 arguments
     --> rules.toml:2:9
      |
    2 | when = "lower(l.title, r.title) = r.title"
      |         ^^^^^^^^^^^^^^^^^^^^^^^

    trim takes one column
     --> rules.toml:2:9
      |
    2 | when = "trim(both 'x' from l.title) = r.title"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write trim(l.a)

    substr takes a column, a start and perhaps a length
     --> rules.toml:2:9
      |
    2 | when = "substr(l.title) = r.title"
      |         ^^^^^^^^^^^^^^^
      |
    help: write substr(l.a, 1, 3)

    the start of substr must be a whole number from 1 up
     --> rules.toml:2:25
      |
    2 | when = "substr(l.title, 0) = r.title"
      |                         ^

    the length of substr must be a whole number from 1 up
     --> rules.toml:2:28
      |
    2 | when = "substr(l.title, 1, 2.5) = r.title"
      |                            ^^^

    the length of q-grams must be a whole number from 1 to 16
     --> rules.toml:2:25
      |
    2 | when = "qgrams(l.title, 17) = r.title"
      |                         ^^

    qgrams takes a column and a length, and here is one argument
     --> rules.toml:2:17
      |
    2 | when = "jaccard(qgrams(l.title), qgrams(r.title)) >= 0.5"
      |                 ^^^^^^^^^^^^^^^

    jaccard compares sets of the same kind of token
     --> rules.toml:2:9
      |
    2 | when = "jaccard(words(l.title), qgrams(r.title, 3)) >= 0.5"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write jaccard(words(l.a), words(r.a)) or jaccard(qgrams(l.a, 3), qgrams(r.a, 3))

    jaccard compares sets of the same kind of token
     --> rules.toml:2:9
      |
    2 | when = "jaccard(qgrams(l.title, 2), qgrams(r.title, 3)) >= 0.5"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write jaccard(words(l.a), words(r.a)) or jaccard(qgrams(l.a, 3), qgrams(r.a, 3))

    sets are not compared this way
     --> rules.toml:2:9
      |
    2 | when = "words(l.title) = words(r.title)"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare sets by jaccard(words(l.a), words(r.a)) >= 0.8

    lower takes a column, not a measure
     --> rules.toml:2:15
      |
    2 | when = "lower(levenshtein(l.title, r.title)) = 'a'"
      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write a column of l or of r, perhaps in a transform such as lower

    levenshtein takes a column, not a text
     --> rules.toml:2:30
      |
    2 | when = "levenshtein(l.title, 'abc') <= 2"
      |                              ^^^^^
      |
    help: write a column of l or of r, perhaps in a transform such as lower

    abs takes the difference of two columns
     --> rules.toml:2:13
      |
    2 | when = "abs(l.year) <= 2"
      |             ^^^^^^
      |
    help: write abs(l.x - r.x)

    abs takes one difference, and here are 2 arguments
     --> rules.toml:2:9
      |
    2 | when = "abs(l.year, r.year) <= 2"
      |         ^^^^^^^^^^^^^^^^^^^

    abs needs numbers or dates, and `lower(l.year)` gives text
     --> rules.toml:2:13
      |
    2 | when = "abs(lower(l.year) - r.year) <= 2"
      |             ^^^^^^^^^^^^^
      |
    help: compare columns alone, or their year
    "#);
}
