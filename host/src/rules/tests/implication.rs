//! What is said to follow does follow: random predicates, formulas and rules, decided on values one by one.
//!
//! Decided here, that is, by definition and in floating point: the thresholds are such that rounding does not matter.

mod examples;

use crate::base::decimal::Decimal;
use crate::read::table::days;
use crate::rules::implication::Said;
use crate::rules::normal::{self, NoRule};
use crate::rules::syntax::Formula;
use crate::rules::{
    Asked, Bound, Column, Condition, Domain, General, Limit, Measure, OfSets, OfTexts, Operand, Part,
    Predicate, Rule, RuleSet, Side, Source, Split, Substr, Test, Tokenizer, Transform,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::cmp::Ordering;
use std::collections::BTreeSet;

fn implies(p: &Predicate, q: &Predicate) -> bool {
    Said::by(p).implies(&Said::by(q))
}

fn excludes(p: &Predicate, q: &Predicate) -> bool {
    Said::by(p).excludes(&Said::by(q))
}

/// By column: the text of a record. The first holds text, the second numbers as a table may write them, the third dates.
type Record = [String; 3];

fn holds(predicate: &Predicate, left: &Record, right: &Record) -> bool {
    outcome(&predicate.test, left, right).is_some_and(|outcome| outcome != predicate.negated)
}

fn outcome(test: &Test, left: &Record, right: &Record) -> Option<bool> {
    match test {
        Test::Value { side, operand, domain, condition } => {
            let value = value(operand, *domain, if *side == Side::Left { left } else { right });
            match condition {
                Condition::Missing => Some(value.is_none()),
                Condition::Is(constant) => Some(order(&value?, constant, *domain).is_eq()),
                Condition::OneOf(constants) => {
                    let value = value?;
                    Some(constants.iter().any(|constant| order(&value, constant, *domain).is_eq()))
                }
                Condition::AtMost { constant, strict } => {
                    let order = order(&value?, constant, *domain);
                    Some(if *strict { order.is_lt() } else { order.is_le() })
                }
            }
        }
        Test::Compare { left: l, right: r, domain, measure } => {
            compare(*measure, &value(l, *domain, left)?, &value(r, *domain, right)?, *domain)
        }
    }
}

fn value(operand: &Operand, domain: Domain, record: &Record) -> Option<String> {
    let mut value = record[operand.columns[0].place].clone();
    match &operand.source {
        Source::Coalesce(_) if value.is_empty() => value = "b".to_owned(),
        Source::NullIf { .. } if value == "a" => value.clear(),
        Source::Joined { .. } if !value.is_empty() => value.push('b'),
        _ => {}
    }
    for transform in &operand.transforms {
        value = match transform {
            Transform::Lower => value.to_lowercase(),
            Transform::Upper => value.to_uppercase(),
            Transform::Trim => value.trim().to_owned(),
            Transform::Substr(Substr { from, .. }) => value.chars().skip(*from as usize - 1).collect(),
            Transform::Year => {
                let mut runs = value.split(|char: char| !char.is_ascii_digit());
                runs.find(|run| run.len() == 4).unwrap_or_default().to_owned()
            }
            Transform::Split(_) => {
                let elements: BTreeSet<&str> = value.split_whitespace().collect();
                elements.into_iter().collect::<Vec<_>>().join(" ")
            }
            other => panic!("the tests make no {other:?}"),
        };
    }
    let readable = domain == Domain::Text || number(&value, domain).is_some();
    Some(value).filter(|value| !value.is_empty() && readable)
}

fn number(text: &str, domain: Domain) -> Option<f64> {
    match domain {
        Domain::Date => days(text).map(f64::from),
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

fn order(a: &str, b: &str, domain: Domain) -> Ordering {
    match domain {
        Domain::Text => a.cmp(b),
        _ => number(a, domain).partial_cmp(&number(b, domain)).unwrap(),
    }
}

fn edits(distance: OfTexts, a: &str, b: &str) -> usize {
    match distance {
        OfTexts::Levenshtein => strsim::levenshtein(a, b),
        OfTexts::Damerau => strsim::osa_distance(a, b),
        OfTexts::Hamming => {
            a.chars().zip(b.chars()).filter(|(x, y)| x != y).count() + a.len().abs_diff(b.len())
        }
        OfTexts::Jaro | OfTexts::JaroWinkler | OfTexts::Lcs => panic!("{distance:?} counts no edits"),
    }
}

/// The length of the longest common subsequence.
fn lcs(a: &str, b: &str) -> usize {
    let mut row = vec![0; b.chars().count() + 1];
    for x in a.chars() {
        let mut diagonal = 0;
        for (j, y) in b.chars().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or_default()
}

fn similarity(by: OfTexts, a: &str, b: &str) -> f64 {
    match by {
        OfTexts::Lcs => 2.0 * lcs(a, b) as f64 / (a.len() + b.len()) as f64,
        OfTexts::Jaro => strsim::jaro(a, b),
        OfTexts::JaroWinkler => {
            let prefix = a.chars().zip(b.chars()).take(4).take_while(|(x, y)| x == y).count();
            let jaro = strsim::jaro(a, b);
            jaro + 0.1 * prefix as f64 * (1.0 - jaro)
        }
        distance => 1.0 - edits(distance, a, b) as f64 / a.len().max(b.len()) as f64,
    }
}

fn tokens(tokenizer: Tokenizer, value: &str) -> BTreeSet<String> {
    match tokenizer {
        Tokenizer::Words => value.split_whitespace().map(str::to_owned).collect(),
        // The letters of the tests are letters, and their lists have no blanks in elements.
        Tokenizer::Alphanumeric | Tokenizer::Elements => {
            value.split_whitespace().map(str::to_owned).collect()
        }
        Tokenizer::Shingles(n) => {
            let words: Vec<&str> = value.split_whitespace().collect();
            words.windows(n as usize).map(|words| words.join(" ")).collect()
        }
        Tokenizer::Qgrams(q) => {
            let chars: Vec<char> = value.chars().collect();
            chars.windows(q as usize).map(String::from_iter).collect()
        }
    }
}

fn compare(measure: Measure, a: &str, b: &str, domain: Domain) -> Option<bool> {
    let reaches = |is: f64, bound: Bound| {
        let least: f64 = bound.least.to_string().parse().unwrap();
        if bound.strict { is > least + 1e-9 } else { is > least - 1e-9 }
    };
    let sets = |tokenizer| {
        let (a, b) = (tokens(tokenizer, a), tokens(tokenizer, b));
        let common = a.intersection(&b).count();
        (!a.is_empty() && !b.is_empty()).then_some((common as f64, a.len() as f64, b.len() as f64))
    };
    Some(match measure {
        Measure::Equal => order(a, b, domain).is_eq(),
        Measure::Texts(OfTexts::Lcs, Asked::Count(least)) => lcs(a, b) >= least as usize,
        Measure::Texts(by, Asked::Count(most)) => edits(by, a, b) <= most as usize,
        Measure::Texts(by, Asked::Similarity(bound)) => reaches(similarity(by, a, b), bound),
        Measure::Sets(tokenizer, by, Asked::Similarity(bound)) => {
            let (common, a, b) = sets(tokenizer)?;
            let is = match by {
                OfSets::Jaccard => common / (a + b - common),
                OfSets::Dice => 2.0 * common / (a + b),
                OfSets::Cosine => common / (a * b).sqrt(),
                OfSets::Overlap => common / a.min(b),
                OfSets::BraunBlanquet => common / a.max(b),
            };
            reaches(is, bound)
        }
        Measure::Sets(tokenizer, _, Asked::Count(least)) => sets(tokenizer)?.0 >= f64::from(least),
        Measure::Difference { least, most } => {
            let difference = number(a, domain)? - number(b, domain)?;
            let beyond = |limit: Option<Limit>, wrong: Ordering| {
                limit.is_some_and(|Limit { at, strict }| {
                    let order = difference.partial_cmp(&at.to_string().parse().unwrap()).unwrap();
                    order == wrong || (strict && order.is_eq())
                })
            };
            !beyond(least, Ordering::Less) && !beyond(most, Ordering::Greater)
        }
        Measure::Near(_) => panic!("the tests make no places"),
    })
}

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

fn operand(column: usize, transforms: Vec<Transform>) -> Operand {
    let name = ["a", "x", "d", "a", "a", "a", "a"][column].to_owned();
    let plain = Operand::column(Column { place: if column < 3 { column } else { 0 }, name }, transforms);
    let constant = |text: &str| Source::Constant(text.to_owned(), Domain::Text);
    let parts = |text: &str| {
        [Source::Column(0), constant(text)].map(|source| Part { source, transforms: Vec::new() })
    };
    let source = match column {
        COALESCED => Source::Coalesce(parts("b").to_vec()),
        NULLED => Source::NullIf { parts: Box::new(parts("a")), domain: Domain::Text },
        JOINED => Source::Joined { parts: parts("b").to_vec(), skips_missing: false },
        _ => plain.source.clone(),
    };
    let mut operand = Operand { source, ..plain };
    if column == LIST {
        operand.transforms = vec![Transform::Split(Split { separator: " ".to_owned() })];
    }
    operand
}

/// What is made of the first column: `coalesce(a, 'b')`, `nullif(a, 'a')`, `a || 'b'`, `split(a, ' ')`.
const COALESCED: usize = 3;
const NULLED: usize = 4;
const JOINED: usize = 5;
const LIST: usize = 6;

fn texts() -> impl Strategy<Value = Vec<Transform>> {
    let rest = Transform::Substr(Substr { from: 2, len: None });
    select(vec![
        vec![],
        vec![],
        vec![],
        vec![Transform::Lower],
        vec![Transform::Lower, Transform::Upper],
        vec![Transform::Trim],
        vec![Transform::Trim, Transform::Lower],
        vec![rest.clone()],
        vec![Transform::Lower, rest],
    ])
}

fn tokenizer() -> impl Strategy<Value = Tokenizer> {
    select(vec![
        Tokenizer::Words,
        Tokenizer::Qgrams(1),
        Tokenizer::Qgrams(2),
        Tokenizer::Alphanumeric,
        Tokenizer::Shingles(1),
        Tokenizer::Shingles(2),
    ])
}

fn measure(tokenizer: Tokenizer) -> BoxedStrategy<Measure> {
    let distance = select(vec![OfTexts::Levenshtein, OfTexts::Damerau, OfTexts::Hamming]);
    let bound = || {
        let least = select(vec!["0", "0.3", "0.4", "0.5", "0.6", "0.7", "0.75", "0.8", "0.9", "1"]);
        (least, any::<bool>()).prop_map(|(least, strict)| {
            // Neither what always holds nor what never does.
            let strict = if least == "1" { false } else { strict || least == "0" };
            Bound { least: decimal(least), strict }
        })
    };
    let (texts, sets) = (select(OfTexts::ALL.to_vec()), select(OfSets::ALL.to_vec()));
    let alike = Asked::Similarity;
    prop_oneof![
        3 => Just(Measure::Equal),
        3 => (distance, 0..5u32).prop_map(|(by, most)| Measure::Texts(by, Asked::Count(most))),
        6 => (texts, bound()).prop_map(move |(by, bound)| Measure::Texts(by, alike(bound))),
        4 => (sets, bound()).prop_map(move |(by, bound)| Measure::Sets(tokenizer, by, alike(bound))),
        1 => (1..4u32).prop_map(|least| Measure::Texts(OfTexts::Lcs, Asked::Count(least))),
        1 => (1..4u32).prop_map(move |least| Measure::Sets(tokenizer, OfSets::Overlap, Asked::Count(least))),
    ]
    .boxed()
}

fn difference() -> impl Strategy<Value = Measure> {
    let limit = || {
        (select(vec!["-1.5", "-1", "0", "0.5", "1", "2"]), any::<bool>())
            .prop_map(|(at, strict)| Limit { at: decimal(at), strict })
    };
    let one = (limit(), any::<bool>()).prop_map(|(limit, below)| match below {
        true => Measure::Difference { least: None, most: Some(limit) },
        false => Measure::Difference { least: Some(limit), most: None },
    });
    let two = (limit(), limit())
        .prop_map(|(a, b)| Measure::Difference { least: Some(a.min(b)), most: Some(a.max(b)) });
    prop_oneof![2 => one, 2 => two, 1 => Just(Measure::Equal)]
}

fn condition(constants: &[&'static str], domain: Domain) -> impl Strategy<Value = Condition> + use<> {
    let some = subsequence(constants.to_vec(), 1..=constants.len());
    (select(constants.to_vec()), some, 0..5u8).prop_map(move |(constant, some, which)| {
        let constant = constant.to_owned();
        match which {
            0 => Condition::Missing,
            1 => Condition::Is(constant),
            2 => Condition::one_of(some.into_iter().map(str::to_owned).collect(), domain),
            _ => Condition::AtMost { constant, strict: which == 3 },
        }
    })
}

/// A column, its transforms and its domain, with what may be asked of such values.
fn test() -> BoxedStrategy<Test> {
    let side = || select(vec![Side::Left, Side::Right]);
    let value = |column, transforms: BoxedStrategy<Vec<Transform>>, domain, constants: &[&'static str]| {
        (side(), transforms, condition(constants, domain)).prop_map(move |(side, transforms, condition)| {
            Test::Value { side, operand: operand(column, transforms), domain, condition }
        })
    };
    let numbers = move |column, transforms: Vec<Transform>, domain| {
        difference().prop_map(move |measure| {
            let operand = operand(column, transforms.clone());
            Test::Compare { left: operand.clone(), right: operand, domain, measure }
        })
    };
    let unlike = tokenizer().prop_flat_map(|tokenizer| {
        (select(vec![0, 0, 0, 1, COALESCED, NULLED, JOINED]), texts(), texts(), measure(tokenizer)).prop_map(
            |(column, left, right, measure)| {
                let (left, right) = (operand(column, left), operand(column, right));
                Test::Compare { left, right, domain: Domain::Text, measure }
            },
        )
    });
    let lists = measure(Tokenizer::Elements).prop_filter_map("lists are no texts", |measure| {
        let (left, right) = (operand(LIST, vec![]), operand(LIST, vec![]));
        let is_of_lists = matches!(measure, Measure::Equal | Measure::Sets(..));
        is_of_lists.then_some(Test::Compare { left, right, domain: Domain::Text, measure })
    });
    let no_list = side().prop_map(|side| {
        let (operand, domain) = (operand(LIST, vec![]), Domain::Text);
        Test::Value { side, operand, domain, condition: Condition::Missing }
    });
    prop_oneof![
        4 => unlike,
        2 => lists,
        1 => no_list,
        1 => value(COALESCED, texts().boxed(), Domain::Text, &["a", "b"]),
        1 => value(NULLED, texts().boxed(), Domain::Text, &["a", "b"]),
        1 => value(JOINED, texts().boxed(), Domain::Text, &["ab", "b"]),
        2 => numbers(1, vec![], Domain::Number),
        1 => numbers(2, vec![], Domain::Date),
        1 => numbers(0, vec![Transform::Year], Domain::Number),
        2 => value(0, texts().boxed(), Domain::Text, &["a", "ab", "b", "A"]),
        1 => value(1, Just(vec![]).boxed(), Domain::Number, &["1", "2", "-1", "2.5"]),
        1 => value(1, texts().boxed(), Domain::Text, &["1", "nan"]),
        1 => value(2, Just(vec![]).boxed(), Domain::Date, &["2020-01-01", "2020-01-02", "2020-01-03"]),
        1 => value(0, Just(vec![Transform::Year]).boxed(), Domain::Number, &["1999"]),
    ]
    .boxed()
}

/// Predicates of which many are about the same thing.
fn predicates(n: usize) -> impl Strategy<Value = Vec<Predicate>> {
    (texts(), tokenizer()).prop_flat_map(move |(transforms, tokenizer)| {
        let alike = measure(tokenizer).prop_map(move |measure| {
            let operand = operand(0, transforms.clone());
            Test::Compare { left: operand.clone(), right: operand, domain: Domain::Text, measure }
        });
        let predicate = (prop_oneof![alike, test()], any::<bool>());
        prop::collection::vec(predicate.prop_map(|(test, negated)| Predicate { test, negated }), n)
    })
}

/// Pairs of records, many of them alike.
fn pairs() -> impl Strategy<Value = Vec<(Record, Record)>> {
    let numbers = || select(vec!["", "1", "1.0", "2", "2.5", "-1", "nan", "10"]);
    let dates = || select(vec!["", "2020-01-01", "2020-01-02", "2020-01-04", "2019-12-31"]);
    let letters =
        || prop::collection::vec(select(vec!['a', 'b', 'A', ' ']), 0..7).prop_map(String::from_iter);
    let years = || select(vec!["1999", "x1999", "2000"]).prop_map(str::to_owned);
    let record = || (prop_oneof![4 => letters(), 1 => years()], numbers(), dates());
    let pair = (record(), record(), 0..4u8).prop_map(|((a, x, d), (mut b, y, e), edit)| {
        match edit {
            0 => b = a.clone(),
            1 => b = format!("{a}{}", b.chars().take(1).collect::<String>()),
            2 => b = a.chars().rev().collect(),
            _ => {}
        }
        ([a, x.to_owned(), d.to_owned()], [b, y.to_owned(), e.to_owned()])
    });
    prop::collection::vec(pair, 100)
}

fn formulas(n: usize) -> impl Strategy<Value = Vec<Formula<Predicate>>> {
    predicates(8).prop_flat_map(move |predicates| {
        let formula = select(predicates).prop_map(Formula::Leaf).prop_recursive(3, 10, 3, |inner| {
            let parts = prop::collection::vec(inner.clone(), 1..4);
            prop_oneof![
                parts.clone().prop_map(Formula::And),
                parts.prop_map(Formula::Or),
                inner.prop_map(Formula::not)
            ]
        });
        prop::collection::vec(formula, n)
    })
}

/// `None` has no outcome. AND is the least, OR the greatest, with no outcome between false and true.
fn truth(formula: &Formula<Predicate>, left: &Record, right: &Record) -> Option<bool> {
    let rank = |outcome: &Option<bool>| outcome.map_or(1, |outcome| if outcome { 2 } else { 0 });
    let of = |part: &Formula<Predicate>| truth(part, left, right);
    match formula {
        Formula::Leaf(predicate) => {
            outcome(&predicate.test, left, right).map(|outcome| outcome != predicate.negated)
        }
        Formula::Not(inner) => of(inner).map(|outcome| !outcome),
        Formula::And(parts) => parts.iter().map(of).min_by_key(rank).unwrap(),
        Formula::Or(parts) => parts.iter().map(of).max_by_key(rank).unwrap(),
    }
}

fn any_holds(conjunctions: &[Vec<Predicate>], left: &Record, right: &Record) -> bool {
    conjunctions.iter().any(|all| all.iter().all(|predicate| holds(predicate, left, right)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_implied_holds_and_what_is_excluded_does_not(
        predicates in predicates(16),
        pairs in pairs(),
    ) {
        let held: Vec<Vec<bool>> = predicates.iter().map(|predicate| {
            pairs.iter().map(|(left, right)| holds(predicate, left, right)).collect()
        }).collect();
        for (p, p_held) in predicates.iter().zip(&held) {
            for (q, q_held) in predicates.iter().zip(&held) {
                let (implies, excludes) = (implies(p, q), excludes(p, q));
                for (ix, pair) in pairs.iter().enumerate().filter(|(ix, _)| p_held[*ix]) {
                    prop_assert!(!implies || q_held[ix], "{} does not imply {}: {:?}", p, q, pair);
                    prop_assert!(!excludes || !q_held[ix], "{} does not exclude {}: {:?}", p, q, pair);
                }
            }
        }
    }

    #[test]
    fn a_rule_holds_where_its_formula_does(formulas in formulas(1), dedupe: bool, pairs in pairs()) {
        let formula = &formulas[0];
        let is = |left: &Record, right: &Record| {
            let turned = || dedupe && truth(formula, right, left) == Some(true);
            truth(formula, left, right) == Some(true) || turned()
        };
        match normal::conjunctions(formula, dedupe) {
            Ok(conjunctions) => {
                for (left, right) in &pairs {
                    prop_assert_eq!(any_holds(&conjunctions, left, right), is(left, right), "{:?} {:?}", left, right);
                }
                // No more can be left out of what is left.
                let leaf = |predicate: &Predicate| Formula::Leaf(predicate.clone());
                let and = |all: &Vec<Predicate>| Formula::And(all.iter().map(leaf).collect());
                let again = Formula::Or(conjunctions.iter().map(and).collect());
                prop_assert_eq!(normal::conjunctions(&again, dedupe).unwrap(), conjunctions);
            }
            Err(NoRule::Never(_)) => prop_assert!(pairs.iter().all(|(left, right)| !is(left, right))),
            Err(NoRule::Always) => {
                for (left, right) in &pairs {
                    let fails = |left, right| truth(formula, left, right) == Some(false);
                    prop_assert!(!fails(left, right) || (dedupe && !fails(right, left)), "{:?} {:?}", left, right);
                }
            }
            Err(NoRule::TooMany) => {}
        }
    }

    #[test]
    fn consequences_are_all_that_is_implied(formulas in formulas(6)) {
        let rules: Vec<Rule> = formulas.iter().filter_map(|formula| {
            let conjunctions = normal::conjunctions(formula, false).ok()?;
            Some(Rule { name: String::new(), conjunctions })
        }).collect();
        let RuleSet { predicates, conjunctions: all, consequences, .. } = RuleSet::new(rules);
        let mut general = General::new(&consequences, all.iter().map(Vec::as_slice));
        let follows = |p: usize, q: usize| implies(&predicates[p], &predicates[q]);
        for special in 0..all.len() {
            let is_general = |&other: &usize| {
                other != special && all[other].iter().all(|&q| all[special].iter().any(|&p| follows(p, q)))
            };
            prop_assert_eq!(general.than(special), (0..all.len()).filter(is_general).collect::<Vec<_>>());
        }
    }

    #[test]
    fn subsumed_rules_add_nothing(
        formulas in formulas(6), dedupe: bool, pairs in pairs(),
    ) {
        let set = RuleSet::new(formulas.iter().filter_map(|formula| {
            let conjunctions = normal::conjunctions(formula, dedupe).ok()?;
            Some(Rule { name: String::new(), conjunctions })
        }).collect());
        let RuleSet { rules, .. } = &set;
        let found = set.subsumed();
        for one in &found {
            prop_assert!(found.iter().all(|other| other.rule != one.by), "by a rule that is subsumed");
            for (left, right) in &pairs {
                let holds = |rule: usize| any_holds(&rules[rule].conjunctions, left, right);
                prop_assert!(!holds(one.rule) || holds(one.by), "{:?} {:?}", left, right);
            }
        }
    }
}
