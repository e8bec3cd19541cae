//! Numbers that a measure cannot be compared with.

use super::errors;
use insta::assert_snapshot;

#[test]
fn thresholds() {
    assert_snapshot!(errors(&[
        "levenshtein(l.title, r.title) < 0",
        "0 <= levenshtein(l.title, r.title)",
        "levenshtein(l.title, r.title) = 1.5",
        "levenshtein(l.title, r.title) <> -1",
        "levenshtein(l.title, r.title) <= 99999999999",
        "levenshtein(l.title, r.title) <= '2'",
        "levenshtein(l.title, r.title) <= l.year",
        "levenshtein_similarity(l.title, r.title) >= 80",
        "levenshtein_similarity(l.title, r.title) >= 1.01",
        "levenshtein_similarity(l.title, r.title) >= -0.5",
        "levenshtein_similarity(l.title, r.title) >= 0.1234567891",
        "levenshtein_similarity(l.title, r.title) = 0.8",
        "jaro_winkler_similarity(l.title, r.title) >= 0",
        "jaro_winkler_similarity(l.title, r.title) > 1.0",
        "jaro_winkler_similarity(l.title, r.title) < 0",
        "jaro_winkler_similarity(l.title, r.title) <= 1",
        "abs(l.year - r.year) < 0",
        "abs(l.year - r.year) <= -1",
        "abs(l.year - r.year) >= 0",
        "abs(l.year - r.year) <= 1e40",
    ]), @r#"
    this is never true
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(l.title, r.title) < 0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "0 <= levenshtein(l.title, r.title)"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(l.title, r.title) = 1.5"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(l.title, r.title) <> -1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(l.title, r.title) <= 99999999999"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    a measure is compared with a number, not a text
     --> rules.toml:2:42
      |
    2 | when = "levenshtein(l.title, r.title) <= '2'"
      |                                          ^^^
      |
    help: write it without quotes: <= 2

    a measure is compared with a number
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(l.title, r.title) <= l.year"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare it with a number of edits: <= 2

    a similarity lies between 0 and 1
     --> rules.toml:2:53
      |
    2 | when = "levenshtein_similarity(l.title, r.title) >= 80"
      |                                                     ^^
      |
    help: write, say, >= 0.8

    a similarity lies between 0 and 1
     --> rules.toml:2:53
      |
    2 | when = "levenshtein_similarity(l.title, r.title) >= 1.01"
      |                                                     ^^^^
      |
    help: write, say, >= 0.8

    a similarity lies between 0 and 1
     --> rules.toml:2:53
      |
    2 | when = "levenshtein_similarity(l.title, r.title) >= -0.5"
      |                                                     ^^^^
      |
    help: write, say, >= 0.8

    a similarity is compared with at most nine decimals
     --> rules.toml:2:53
      |
    2 | when = "levenshtein_similarity(l.title, r.title) >= 0.1234567891"
      |                                                     ^^^^^^^^^^^^
      |
    help: round it

    a similarity is compared by >=, >, <= or <
     --> rules.toml:2:9
      |
    2 | when = "levenshtein_similarity(l.title, r.title) = 0.8"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write >= 0.8

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "jaro_winkler_similarity(l.title, r.title) >= 0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "jaro_winkler_similarity(l.title, r.title) > 1.0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "jaro_winkler_similarity(l.title, r.title) < 0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "jaro_winkler_similarity(l.title, r.title) <= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "abs(l.year - r.year) < 0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "abs(l.year - r.year) <= -1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "abs(l.year - r.year) >= 0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    cannot read `1e40` as a number
     --> rules.toml:2:33
      |
    2 | when = "abs(l.year - r.year) <= 1e40"
      |                                 ^^^^
      |
    help: a number has at most 36 digits
    "#);
}
