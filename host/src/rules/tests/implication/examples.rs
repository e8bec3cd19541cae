//! What follows from what and what does not, by example.

use super::*;

/// The predicates of a rule without OR.
fn said(when: &str) -> Vec<Predicate> {
    super::super::bound(when, false).unwrap().conjunctions.remove(0)
}

#[test]
fn what_follows_is_seen() {
    for (when, then) in [
        ("levenshtein(l.title, r.title) <= 1", "levenshtein(l.title, r.title) <= 2"),
        ("levenshtein(l.title, r.title) > 2", "levenshtein(l.title, r.title) > 1"),
        ("levenshtein(l.title, r.title) <= 1", "damerau_levenshtein(l.title, r.title) <= 1"),
        ("hamming(l.title, r.title) <= 1", "damerau_levenshtein(l.title, r.title) <= 2"),
        ("damerau_levenshtein(l.title, r.title) > 2", "levenshtein(l.title, r.title) > 2"),
        ("hamming_similarity(l.title, r.title) >= 0.8", "levenshtein_similarity(l.title, r.title) > 0.7"),
        ("jaro(l.title, r.title) > 0.8", "jaro_winkler(l.title, r.title) >= 0.8"),
        ("jaro_winkler(l.title, r.title) < 0.8", "jaro(l.title, r.title) < 0.8"),
        ("jaccard(words(l.title), words(r.title)) >= 0.8", "dice(words(l.title), words(r.title)) >= 0.8"),
        ("dice(words(l.title), words(r.title)) > 0.8", "cosine(words(l.title), words(r.title)) > 0.8"),
        ("cosine(l.title, r.title) >= 0.8", "overlap_coefficient(l.title, r.title) >= 0.8"),
        ("overlap(words(l.title), words(r.title)) >= 3", "overlap(words(l.title), words(r.title)) > 1"),
        ("l.title = r.title", "levenshtein(l.title, r.title) <= 0"),
        ("levenshtein(l.title, r.title) <= 0", "l.title = r.title"),
        ("l.title = r.title", "jaro(l.title, r.title) > 0.99"),
        ("l.title = r.title", "jaccard(l.title, r.title) >= 1"),
        ("l.title = r.title", "lower(l.title) = lower(r.title)"),
        ("l.title = r.title", "damerau_levenshtein_similarity(upper(l.title), upper(r.title)) >= 0.9"),
        ("lower(l.title) <> lower(r.title)", "l.title <> r.title"),
        ("jaro(l.title, r.title) < 0.5", "l.title <> r.title"),
        ("l.year = r.year", "abs(l.year - r.year) <= 3"),
        ("abs(l.year - r.year) <= 0", "l.year = r.year"),
        ("l.year < r.year", "l.year <> r.year"),
        ("l.year < r.year", "l.year <= r.year"),
        ("l.year - r.year BETWEEN 1 AND 2", "l.year > r.year"),
        ("abs(l.born - r.born) < 3", "l.born - r.born <= 2"),
        ("abs(l.year - r.year) > 3", "l.year - r.year NOT BETWEEN -2 AND 1"),
        ("l.year = 3", "l.year <= 3"),
        ("l.year = 3", "l.year <> 4"),
        ("l.year > 3", "l.year >= 2.5"),
        ("l.born > '2020-02-28'", "l.born >= '2020-02-29'"),
        ("l.title < 'a'", "l.title < 'b'"),
        ("l.title = 'b'", "l.title IN ('a', 'b')"),
        ("l.year IN (1, 3)", "l.year IN (1, 2, 3.0)"),
        ("l.year NOT IN (1, 2, 3)", "l.year NOT IN (3, 1)"),
        ("l.year NOT IN (1, 2, 3)", "l.year <> 2"),
        ("l.year IN (1, 3)", "l.year <> 2"),
        ("l.year IN (1, 3)", "l.year < 4"),
        ("l.year > 3", "l.year NOT IN (1, 3)"),
        ("l.born IN ('2020-02-29', '2020-02-28')", "l.born > '2020-02-27'"),
        ("l.title IN ('a', 'b')", "l.title IS NOT NULL"),
        ("l.title = r.title", "r.title IS NOT NULL"),
        ("soundex(trim(l.title)) = 'A123'", "lower(trim(l.title)) IS NOT NULL"),
        ("l.title IS NULL", "soundex(l.title) IS NULL"),
    ] {
        let (p, q) = (&said(when)[0], &said(then)[0]);
        assert!(implies(p, q), "{when} => {then}");
        assert!(excludes(p, &q.opposite()), "{when} excludes not {then}");
    }
}

#[test]
fn what_does_not_follow_is_not_said_to() {
    for (when, then) in [
        // Equal values may have no tokens, or none after a transform.
        ("l.title = r.title", "jaccard(words(l.title), words(r.title)) >= 0.5"),
        ("l.title = r.title", "jaccard(qgrams(l.title, 2), qgrams(r.title, 2)) >= 0.5"),
        ("l.title = r.title", "trim(l.title) = trim(r.title)"),
        ("l.title = r.title", "soundex(l.title) = soundex(r.title)"),
        ("soundex(l.title) = soundex(r.title)", "l.title = r.title"),
        // 1.0 is 1, but it is written otherwise.
        ("l.year = r.year", "levenshtein(l.year, r.year) <= 0"),
        ("l.year = r.year", "lower(l.year) = lower(r.year)"),
        ("lower(l.year) <> lower(r.year)", "l.year <> r.year"),
        // Not a number is a text.
        ("levenshtein(l.price, r.price) <= 1", "l.price IS NOT NULL"),
        ("jaro_winkler(l.title, r.title) >= 0.8", "jaro(l.title, r.title) >= 0.8"),
        ("jaccard(words(l.title), words(r.title)) >= 0.8", "dice(l.title, r.title) >= 0.8"),
        ("levenshtein_similarity(l.title, r.title) >= 0.8", "levenshtein_similarity(l.title, r.title) > 0.8"),
        ("l.title <> r.title", "lower(l.title) <> lower(r.title)"),
        ("l.year <= r.year", "l.year < r.year"),
        ("l.title IS NOT NULL", "trim(l.title) IS NOT NULL"),
        ("l.title = r.group", "l.group = r.title"),
    ] {
        assert!(!implies(&said(when)[0], &said(then)[0]), "{when} => {then}");
    }
}

#[test]
fn rules_that_add_nothing() {
    let subsumed_by = |whens: &[&str]| {
        let rules: Vec<Rule> = whens.iter().map(|when| super::super::bound(when, true).unwrap()).collect();
        RuleSet::new(rules).subsumed().iter().map(|found| (found.rule, found.by)).collect::<Vec<_>>()
    };
    assert_eq!(subsumed_by(&["l.title = r.title", "l.title = r.title AND l.year = r.year"]), [(1, 0)]);
    assert_eq!(subsumed_by(&["l.title = r.title AND l.year = r.year", "l.title = r.title"]), [(0, 1)]);
    // Of equals the first stays; what lies in a rule that adds nothing lies in one that does not.
    assert_eq!(
        subsumed_by(&[
            "levenshtein(l.title, r.title) <= 1",
            "l.title = r.title",
            "levenshtein(l.title, r.title) < 2",
            "l.title = r.title AND l.year < 3",
        ]),
        [(1, 0), (2, 0), (3, 0)]
    );
    // Either way round is the same, and one alternative is less than two.
    assert_eq!(subsumed_by(&["l.title = r.group", "r.title = l.group OR l.group = r.title"]), [(1, 0)]);
    assert_eq!(subsumed_by(&["l.title = r.title OR l.year = r.year", "l.year = r.year"]), [(1, 0)]);
    assert_eq!(subsumed_by(&["l.title = r.title", "l.title = r.title OR l.year = r.year"]), [(0, 1)]);
    assert_eq!(subsumed_by(&["l.title = r.title", "l.year = r.year"]), []);
}
