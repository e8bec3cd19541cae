//! Every measure and every condition, also those that no rule can ask for in the ways that rules are written today.

use super::Inquiry;
use crate::base::control::Control;
use crate::base::decimal::Decimal;
use crate::read::table::{ReadOptions, Table};
use crate::rules::{
    Asked, Bound, Column, Condition, Domain, Limit, Measure, OfSets, OfTexts, Operand, Predicate, Rule, Side,
    Test, Tokenizer, Transform,
};
use insta::assert_snapshot;

const TABLE: &str = "\
id,name,text,n,d
1,MARTHA,to be or not to be,10,2020-02-28
2,MARHTA,to be that is,9.75,2020-03-01
3,,,,
";

fn table() -> Table {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, TABLE).unwrap();
    Table::read(&path, &ReadOptions::default(), &|_| true, &Control::default()).unwrap()
}

fn operand(name: &str, transforms: &[Transform]) -> Operand {
    let column = ["id", "name", "text", "n", "d"].iter().position(|other| *other == name).unwrap();
    Operand::column(Column { place: column, name: name.to_owned() }, transforms.to_vec())
}

fn compare(name: &str, measure: Measure) -> Predicate {
    let domain = match (name, measure) {
        ("n", Measure::Difference { .. } | Measure::Equal) => Domain::Number,
        ("d", Measure::Difference { .. } | Measure::Equal) => Domain::Date,
        _ => Domain::Text,
    };
    let operand = operand(name, &[]);
    let test = Test::Compare { left: operand.clone(), right: operand, domain, measure };
    Predicate { test, negated: false }
}

fn value(side: Side, name: &str, domain: Domain, condition: Condition) -> Predicate {
    Predicate { test: Test::Value { side, operand: operand(name, &[]), domain, condition }, negated: false }
}

fn not(predicate: Predicate) -> Predicate {
    Predicate { negated: !predicate.negated, ..predicate }
}

fn bound(least: &str) -> Bound {
    Bound { least: Decimal::parse(least).unwrap(), strict: false }
}

fn limit(at: &str) -> Option<Limit> {
    Some(Limit { at: Decimal::parse(at).unwrap(), strict: false })
}

/// A rule a predicate, and what is said of them.
fn shown(predicates: Vec<Predicate>, left: &str, right: &str) -> String {
    let rules = (1..)
        .zip(predicates)
        .map(|(n, predicate)| Rule { name: n.to_string(), conjunctions: vec![vec![predicate]] })
        .collect();
    let why = Inquiry::of(table(), None, rules).why(left, right, &Control::default()).unwrap().to_string();
    let is_told = |line: &&str| line.starts_with("  ");
    why.lines().filter(is_told).collect::<Vec<_>>().join("\n")
}

#[test]
fn edits() {
    let edits = |distance, most| compare("name", Measure::Texts(distance, Asked::Count(most)));
    let alike = |distance, least| compare("name", Measure::Texts(distance, Asked::Similarity(bound(least))));
    let predicates = vec![
        edits(OfTexts::Levenshtein, 2),
        edits(OfTexts::Damerau, 1),
        edits(OfTexts::Damerau, 0),
        not(edits(OfTexts::Hamming, 1)),
        alike(OfTexts::Levenshtein, "0.66"),
        alike(OfTexts::Levenshtein, "0.6667"),
        alike(OfTexts::Damerau, "0.8"),
        alike(OfTexts::Hamming, "0.666666667"),
    ];
    assert_snapshot!(shown(predicates, "1", "2"), @r"
    holds  levenshtein(l.name, r.name) <= 2
           'MARTHA' and 'MARHTA': 2 edits
    holds  damerau_levenshtein(l.name, r.name) <= 1
           'MARTHA' and 'MARHTA': 1 edit
    fails  damerau_levenshtein(l.name, r.name) <= 0
           'MARTHA' and 'MARHTA': 1 edit
    holds  hamming(l.name, r.name) > 1
           'MARTHA' and 'MARHTA': 2 edits
    holds  levenshtein_similarity(l.name, r.name) >= 0.66
           'MARTHA' and 'MARHTA': 0.6667 (4/6)
    fails  levenshtein_similarity(l.name, r.name) >= 0.6667
           'MARTHA' and 'MARHTA': 0.66667 (4/6)
    holds  damerau_levenshtein_similarity(l.name, r.name) >= 0.8
           'MARTHA' and 'MARHTA': 0.8333 (5/6)
    fails  hamming_similarity(l.name, r.name) >= 0.666666667
           'MARTHA' and 'MARHTA': 0.666666666… (4/6)
    ");
}

#[test]
fn jaro() {
    let jaro = |by, least| compare("name", Measure::Texts(by, Asked::Similarity(bound(least))));
    let predicates = vec![
        jaro(OfTexts::Jaro, "0.95"),
        jaro(OfTexts::JaroWinkler, "0.96"),
        jaro(OfTexts::JaroWinkler, "0.9612"),
    ];
    assert_snapshot!(shown(predicates, "1", "2"), @r"
    fails  jaro_similarity(l.name, r.name) >= 0.95
           'MARTHA' and 'MARHTA': 0.9444 (17/18)
    holds  jaro_winkler_similarity(l.name, r.name) >= 0.96
           'MARTHA' and 'MARHTA': 0.9611 (173/180)
    fails  jaro_winkler_similarity(l.name, r.name) >= 0.9612
           'MARTHA' and 'MARHTA': 0.9611 (173/180)
    ");
}

#[test]
fn sets() {
    let sets = |similarity, least| {
        compare("text", Measure::Sets(Tokenizer::Words, similarity, Asked::Similarity(bound(least))))
    };
    let predicates = vec![
        sets(OfSets::Jaccard, "0.3"),
        sets(OfSets::Dice, "0.6"),
        not(sets(OfSets::Cosine, "0.5")),
        sets(OfSets::Overlap, "0.5"),
        compare("text", Measure::Sets(Tokenizer::Words, OfSets::Overlap, Asked::Count(3))),
        compare("text", Measure::Sets(Tokenizer::Qgrams(1), OfSets::Overlap, Asked::Count(3))),
        compare("name", Measure::Sets(Tokenizer::Qgrams(9), OfSets::Overlap, Asked::Count(1))),
        compare(
            "name",
            Measure::Sets(Tokenizer::Qgrams(2), OfSets::Jaccard, Asked::Similarity(bound("0.2"))),
        ),
    ];
    assert_snapshot!(shown(predicates, "1", "2"), @r"
    holds  jaccard(words(l.text), words(r.text)) >= 0.3
           'to be or not to be' and 'to be that is': 0.3333 (2/6)
           2 tokens in common, of 4 and 4: 'to', 'be'
    fails  dice(words(l.text), words(r.text)) >= 0.6
           'to be or not to be' and 'to be that is': 0.5000 (4/8)
           2 tokens in common, of 4 and 4: 'to', 'be'
    fails  cosine(words(l.text), words(r.text)) < 0.5
           'to be or not to be' and 'to be that is': 0.5000 (2/√(4·4))
           2 tokens in common, of 4 and 4: 'to', 'be'
    holds  overlap_coefficient(words(l.text), words(r.text)) >= 0.5
           'to be or not to be' and 'to be that is': 0.5000 (2/4)
           2 tokens in common, of 4 and 4: 'to', 'be'
    fails  overlap(words(l.text), words(r.text)) >= 3
           'to be or not to be' and 'to be that is'
           2 tokens in common, of 4 and 4: 'to', 'be'
    holds  overlap(chars(l.text), chars(r.text)) >= 3
           'to be or not to be' and 'to be that is'
           5 tokens in common, of 7 and 9: 't', 'o', ' ', 'b', 'e'
    fails  overlap(qgrams(l.name, 9), qgrams(r.name, 9)) >= 1
           'MARTHA' and 'MARHTA'
           a value without tokens counts as missing, and a comparison with it never holds
    holds  jaccard(qgrams(l.name, 2), qgrams(r.name, 2)) >= 0.2
           'MARTHA' and 'MARHTA': 0.2500 (2/8)
           2 tokens in common, of 5 and 5: 'MA', 'AR'
    ");
}

#[test]
fn numbers_and_dates() {
    let difference = |name, least, most| compare(name, Measure::Difference { least, most });
    let predicates = vec![
        compare("n", Measure::Equal),
        difference("n", limit("-0.25"), limit("0.25")),
        difference("n", None, limit("0.2")),
        difference("d", limit("-1"), limit("1")),
        difference("d", limit("-3"), None),
        not(difference("d", limit("-3"), limit("0"))),
    ];
    assert_snapshot!(shown(predicates, "1", "2"), @r"
    fails  l.n = r.n
           10 and 9.75
    holds  abs(l.n - r.n) <= 0.25
           10 and 9.75: 0.25
    fails  l.n - r.n <= 0.2
           10 and 9.75: 0.25
    fails  abs(l.d - r.d) <= 1
           '2020-02-28' and '2020-03-01': 2 days
    holds  l.d - r.d >= -3
           '2020-02-28' and '2020-03-01': -2 days
    fails  l.d - r.d NOT BETWEEN -3 AND 0
           '2020-02-28' and '2020-03-01': -2 days
    ");
}

#[test]
fn one_value() {
    let (left, right, text, number) = (Side::Left, Side::Right, Domain::Text, Domain::Number);
    let at_most = |constant: &str| Condition::AtMost { constant: constant.to_owned(), strict: true };
    let predicates = vec![
        value(left, "name", text, Condition::Is("MARTHA".to_owned())),
        not(value(right, "name", text, Condition::Is("MARTHA".to_owned()))),
        value(left, "n", number, at_most("10")),
        not(value(left, "n", number, at_most("10"))),
        value(right, "n", number, at_most("10")),
        value(left, "d", Domain::Date, at_most("2020-01-01")),
        value(right, "name", text, Condition::Missing),
        not(value(right, "name", text, Condition::Missing)),
    ];
    assert_snapshot!(shown(predicates.clone(), "1", "2"), @r"
    holds  l.name = 'MARTHA'
           'MARTHA'
    holds  r.name <> 'MARTHA'
           'MARHTA'
    fails  l.n < 10
           10
    holds  l.n >= 10
           10
    holds  r.n < 10
           9.75
    fails  l.d < '2020-01-01'
           '2020-02-28'
    fails  r.name IS NULL
           'MARHTA'
    holds  r.name IS NOT NULL
           'MARHTA'
    ");
    assert_snapshot!(shown(predicates, "1", "3"), @r"
    holds  l.name = 'MARTHA'
           'MARTHA'
    fails  r.name <> 'MARTHA'
           missing: a comparison with a missing value never holds
    fails  l.n < 10
           10
    holds  l.n >= 10
           10
    fails  r.n < 10
           missing: a comparison with a missing value never holds
    fails  l.d < '2020-01-01'
           '2020-02-28'
    holds  r.name IS NULL
           missing
    fails  r.name IS NOT NULL
           missing
    ");
}

#[test]
fn missing_values() {
    let predicates = vec![
        compare("name", Measure::Equal),
        not(compare("name", Measure::Equal)),
        compare("name", Measure::Texts(OfTexts::Levenshtein, Asked::Count(9))),
        not(compare("n", Measure::Difference { least: None, most: limit("1") })),
    ];
    assert_snapshot!(shown(predicates, "1", "3"), @r"
    fails  l.name = r.name
           'MARTHA' and missing: a comparison with a missing value never holds
    fails  l.name <> r.name
           'MARTHA' and missing: a comparison with a missing value never holds
    fails  levenshtein(l.name, r.name) <= 9
           'MARTHA' and missing: a comparison with a missing value never holds
    fails  l.n - r.n > 1
           10 and missing: a comparison with a missing value never holds
    ");
}
