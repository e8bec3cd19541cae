//! Comparisons of a score that come to several predicates.

use super::score::bound;
use insta::assert_snapshot;

/// One comparison may come to several predicates.
#[test]
fn comparisons_of_all_operators() {
    let measures = [
        "levenshtein(l.title, r.title) = 1",
        "levenshtein(l.title, r.title) = 0",
        "levenshtein(l.title, r.title) <> 2",
        "levenshtein(l.title, r.title) BETWEEN 1 AND 3",
        "levenshtein(l.title, r.title) IN (1, 3)",
        "NOT hamming(l.title, r.title) IN (0, 1)",
        "abs(l.year - r.year) = 1",
        "l.year - r.year = 1",
        "overlap(words(l.title), words(r.title)) = 2",
        "l.year - r.year BETWEEN -1 AND 2",
    ];
    let attributes = measures.map(|measure| format!("[[score.attributes]]\nmeasure = '{measure}'\n"));
    let score = bound(&attributes.concat()).unwrap().unwrap();
    let all: Vec<String> = score.attributes.iter().map(|attribute| attribute.measure()).collect();
    assert_snapshot!(all.join("\n"), @r"
    levenshtein(l.title, r.title) <= 1 AND levenshtein(l.title, r.title) > 0
    levenshtein(l.title, r.title) <= 0
    levenshtein(l.title, r.title) > 2 OR levenshtein(l.title, r.title) <= 1
    levenshtein(l.title, r.title) <= 3 AND levenshtein(l.title, r.title) > 0
    (levenshtein(l.title, r.title) <= 1 AND levenshtein(l.title, r.title) > 0) OR (levenshtein(l.title, r.title) <= 3 AND levenshtein(l.title, r.title) > 2)
    hamming(l.title, r.title) > 1
    abs(l.year - r.year) <= 1 AND abs(l.year - r.year) >= 1
    l.year - r.year = 1
    overlap(words(l.title), words(r.title)) < 3 AND overlap(words(l.title), words(r.title)) >= 2
    l.year - r.year BETWEEN -1 AND 2
    ");
}
