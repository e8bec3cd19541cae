//! What the program says about one pair, and that the engine would say the same of every pair.

use crate::program::{Folder, people};
use hyperblock::Control;
use hyperblock::Job;
use hyperblock::inspect::why::Inquiry;
use hyperblock_tests::case::is_no_rule;
use hyperblock_tests::generate::cases;
use insta::assert_snapshot;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

#[test]
fn a_candidate() {
    assert_snapshot!(people().stdout("why 9 10 people.csv -r rules.toml"), @r#"
    9 and 10

    rule "same name": does not hold
      fails  l.name = r.name
             'Anne Lee' and 'Ann Lee'

    rule "near name, near birth": holds — the witness
      holds  levenshtein(l.name, r.name) <= 2
             'Anne Lee' and 'Ann Lee': 1 edit
      holds  l.city = r.city
             'Oslo' and 'Oslo'
      holds  abs(l.born - r.born) <= 1
             '1990-01-02' and '1990-01-01': 1 day

    The pair is a candidate; its witness is "near name, near birth".
    "#);
}

#[test]
fn the_first_rule_that_holds_is_the_witness() {
    assert_snapshot!(people().stdout("why 2 33 people.csv -r rules.toml"), @r#"
    2 and 33

    rule "same name": holds — the witness
      holds  l.name = r.name
             'Bob Ray' and 'Bob Ray'

    rule "near name, near birth": does not hold
      holds  levenshtein(l.name, r.name) <= 2
             'Bob Ray' and 'Bob Ray': 0 edits
      fails  l.city = r.city
             'Bergen' and 'Bergen, Norway'
      fails  abs(l.born - r.born) <= 1
             '1985-05-05' and missing: a comparison with a missing value never holds

    The pair is a candidate; its witness is "same name".
    "#);
}

#[test]
fn not_a_candidate() {
    assert_snapshot!(people().stdout("why 4 9 people.csv -r rules.toml"), @r#"
    4 and 9

    rule "same name": does not hold
      fails  l.name = r.name
             'Zoë' and 'Anne Lee'

    rule "near name, near birth": does not hold
      fails  levenshtein(l.name, r.name) <= 2
             'Zoë' and 'Anne Lee': 8 edits
      holds  l.city = r.city
             'Oslo' and 'Oslo'
      fails  abs(l.born - r.born) <= 1
             '2000-02-29' and '1990-01-02': 3710 days

    The pair is not a candidate: no rule holds.
    "#);
}

/// In whatever order the ids are named, the pair is the same.
#[test]
fn the_smaller_id_is_left() {
    let folder = people();
    let swapped = folder.stdout("why 10 9 people.csv -r rules.toml");
    assert_eq!(swapped, folder.stdout("why 9 10 people.csv -r rules.toml"));
}

fn names(when: &str) -> Folder {
    let table = "id,first,last,country\n1,Ann,Lee,NO\n2,Lee,Ann,SE\n-3,Lee,Ray,\n";
    Folder::with(&[
        ("names.csv", table),
        ("rules.toml", &format!("[[rules]]\nname = 'a rule'\nwhen = '''{when}'''\n")),
    ])
}

#[test]
fn a_rule_counts_either_way_round() {
    let folder = names("l.first = r.last AND l.country = 'SE'");
    assert_snapshot!(folder.stdout("why 1 2 names.csv -r rules.toml"), @r#"
    1 and 2

    rule "a rule": holds — the witness
      conjunction 1 of 2: does not hold
        holds  l.first = r.last
               'Ann' and 'Ann'
        fails  l.country = 'SE'
               'NO'
      conjunction 2 of 2, which is 1 mirrored: holds
        holds  l.last = r.first
               'Lee' and 'Lee'
        holds  r.country = 'SE'
               'SE'

    The pair is a candidate; its witness is "a rule".
    "#);
}

#[test]
fn several_conjunctions() {
    let folder = names("l.first = r.first AND (soundex(l.last) = soundex(r.last) OR l.country <> r.country)");
    assert_snapshot!(folder.stdout("why 2 -3 names.csv -r rules.toml"), @r#"
    -3 and 2

    rule "a rule": does not hold
      conjunction 1 of 2: does not hold
        holds  l.first = r.first
               'Lee' and 'Lee'
        fails  soundex(l.last) = soundex(r.last)
               'R000' and 'A500'
      conjunction 2 of 2: does not hold
        holds  l.first = r.first
               'Lee' and 'Lee'
        fails  l.country <> r.country
               missing and 'SE': a comparison with a missing value never holds

    The pair is not a candidate: no rule holds.
    "#);
}

const SHOPS: [(&str, &str); 3] = [
    ("left.csv", "sku,title,price\na,The Old Man and the Sea,12.50\nb,It's,\n"),
    ("right.csv", "key,name,cost\n1,the old man & the sea,12.75\n2,its,9\n"),
    (
        "rules.toml",
        "[[rules]]\nname = 'title'\nwhen = '''jaccard(words(lower(l.title)), words(lower(r.name))) >= 0.7'''\n\
         [[rules]]\nname = 'price'\nwhen = '''abs(l.price - r.cost) < 0.25 OR levenshtein(l.title, r.name) = 3'''\n",
    ),
];

#[test]
fn two_tables() {
    let folder = Folder::with(&SHOPS);
    assert_snapshot!(folder.stdout("why a 1 left.csv right.csv -r rules.toml --id sku --right-id key"), @r#"
    a and 1

    rule "title": does not hold
      fails  jaccard(words(lower(l.title)), words(lower(r.name))) >= 0.7
             'the old man and the sea' and 'the old man & the sea': 0.6667 (4/6)
             4 tokens in common, of 5 and 5: 'the', 'old', 'man', 'sea'

    rule "price": does not hold
      conjunction 1 of 2: does not hold
        fails  abs(l.price - r.cost) < 0.25
               12.50 and 12.75: 0.25
      conjunction 2 of 2: does not hold
        fails  levenshtein(l.title, r.name) <= 3
               'The Old Man and the Sea' and 'the old man & the sea': 7 edits
        holds  levenshtein(l.title, r.name) > 2
               'The Old Man and the Sea' and 'the old man & the sea': 7 edits

    The pair is not a candidate: no rule holds.
    "#);
    assert_snapshot!(folder.stdout("why b 2 left.csv right.csv -r rules.toml --id sku --right-id key"), @r#"
    b and 2

    rule "title": does not hold
      fails  jaccard(words(lower(l.title)), words(lower(r.name))) >= 0.7
             'it''s' and 'its': 0.0000 (0/2)
             0 tokens in common, of 1 and 1

    rule "price": does not hold
      conjunction 1 of 2: does not hold
        fails  abs(l.price - r.cost) < 0.25
               missing and 9: a comparison with a missing value never holds
      conjunction 2 of 2: does not hold
        holds  levenshtein(l.title, r.name) <= 3
               'It''s' and 'its': 2 edits
        fails  levenshtein(l.title, r.name) > 2
               'It''s' and 'its': 2 edits

    The pair is not a candidate: no rule holds.
    "#);
    let message = folder.failure(1, "why 1 a left.csv right.csv -r rules.toml --id sku --right-id key");
    assert_snapshot!(message, @"error: left.csv: no record has the id `1`; right.csv has one: are the ids in the order of the tables?");
}

#[test]
fn another_delimiter() {
    let folder = Folder::with(&SHOPS);
    let usual = folder.stdout("why a 1 left.csv right.csv -r rules.toml --id sku --right-id key");
    let folder = SHOPS
        .iter()
        .filter(|(name, _)| name.ends_with(".csv"))
        .fold(folder, |folder, (name, text)| folder.file(name, text.replace(',', ";")));
    let other = "why a 1 left.csv right.csv -r rules.toml --id sku --right-id key --delimiter ;";
    assert_eq!(folder.stdout(other), usual);
}

#[test]
fn json() {
    let folder = people();
    assert_snapshot!(folder.stdout("why 9 10 people.csv -r rules.toml --format json"), @r#"
    {
      "left": "9",
      "right": "10",
      "candidate": true,
      "witness": "near name, near birth",
      "rules": [
        {
          "name": "same name",
          "holds": false,
          "conjunctions": [
            {
              "holds": false,
              "predicates": [
                {
                  "predicate": "l.name = r.name",
                  "left": "Anne Lee",
                  "right": "Ann Lee",
                  "measured": null,
                  "verdict": "fails"
                }
              ]
            }
          ]
        },
        {
          "name": "near name, near birth",
          "holds": true,
          "conjunctions": [
            {
              "holds": true,
              "predicates": [
                {
                  "predicate": "levenshtein(l.name, r.name) <= 2",
                  "left": "Anne Lee",
                  "right": "Ann Lee",
                  "measured": {
                    "edits": 1
                  },
                  "verdict": "holds"
                },
                {
                  "predicate": "l.city = r.city",
                  "left": "Oslo",
                  "right": "Oslo",
                  "measured": null,
                  "verdict": "holds"
                },
                {
                  "predicate": "abs(l.born - r.born) <= 1",
                  "left": "1990-01-02",
                  "right": "1990-01-01",
                  "measured": {
                    "difference": 1,
                    "unit": "days"
                  },
                  "verdict": "holds"
                }
              ]
            }
          ]
        }
      ]
    }
    "#);
    let folder = names("l.first = 'Ann' AND jaccard(qgrams(l.last, 2), qgrams(r.last, 2)) >= 0.5");
    assert_snapshot!(folder.stdout("why 1 -3 names.csv -r rules.toml --format json"), @r#"
    {
      "left": "-3",
      "right": "1",
      "candidate": false,
      "witness": null,
      "rules": [
        {
          "name": "a rule",
          "holds": false,
          "conjunctions": [
            {
              "holds": false,
              "predicates": [
                {
                  "predicate": "l.first = 'Ann'",
                  "left": "Lee",
                  "measured": null,
                  "verdict": "fails"
                },
                {
                  "predicate": "jaccard(qgrams(l.last, 2), qgrams(r.last, 2)) >= 0.5",
                  "left": "Ray",
                  "right": "Lee",
                  "measured": {
                    "similarity": 0.0000,
                    "exact": "0/4",
                    "common": 0,
                    "sizes": [
                      2,
                      2
                    ],
                    "tokens": []
                  },
                  "verdict": "fails"
                }
              ]
            },
            {
              "holds": false,
              "predicates": [
                {
                  "predicate": "r.first = 'Ann'",
                  "right": "Ann",
                  "measured": null,
                  "verdict": "holds"
                },
                {
                  "predicate": "jaccard(qgrams(l.last, 2), qgrams(r.last, 2)) >= 0.5",
                  "left": "Ray",
                  "right": "Lee",
                  "measured": {
                    "similarity": 0.0000,
                    "exact": "0/4",
                    "common": 0,
                    "sizes": [
                      2,
                      2
                    ],
                    "tokens": []
                  },
                  "verdict": "fails"
                }
              ]
            }
          ]
        }
      ]
    }
    "#);
}

/// Long values are cut, also at the front, so that the difference can be seen; JSON has them whole.
#[test]
fn long_values() {
    let long = "word ".repeat(40);
    let table = format!("id,text\n1,{long}one end\n2,{long}other end\n3,{}\n", "y".repeat(70));
    let rules = "[[rules]]\nwhen = 'levenshtein_similarity(l.text, r.text) >= 0.9'\n\
                 [[rules]]\nwhen = 'jaccard(words(l.text), words(r.text)) >= 0.1'\n";
    let folder = Folder::with(&[("t.csv", &table), ("rules.toml", rules)]);
    assert_snapshot!(folder.stdout("why 1 2 t.csv -r rules.toml"), @r#"
    1 and 2

    rule "rule 1": holds — the witness
      holds  levenshtein_similarity(l.text, r.text) >= 0.9
             …'ord word word word one end' and …'ord word word word other end': 0.9856 (206/209)

    rule "rule 2": holds
      holds  jaccard(words(l.text), words(r.text)) >= 0.1
             …'ord word word word one end' and …'ord word word word other end': 0.5000 (2/4)
             2 tokens in common, of 3 and 3: 'word', 'end'

    The pair is a candidate; its witness is "rule 1".
    "#);
    assert_snapshot!(folder.stdout("why 1 3 t.csv -r rules.toml"), @r#"
    1 and 3

    rule "rule 1": does not hold
      fails  levenshtein_similarity(l.text, r.text) >= 0.9
             'word word word word word word word word word word word word '… and
             'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'…: 0.0000 (0/207)

    rule "rule 2": does not hold
      fails  jaccard(words(l.text), words(r.text)) >= 0.1
             'word word word word word word word word word word word word '… and
             'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'…: 0.0000 (0/4)
             0 tokens in common, of 3 and 1

    The pair is not a candidate: no rule holds.
    "#);
    let json = folder.stdout("why 1 2 t.csv -r rules.toml --format json");
    assert!(json.contains(&format!("\"{long}one end\"")), "{json}");
}

#[test]
fn unknown_ids() {
    let folder = people();
    let message = |arguments: &str| folder.failure(1, arguments);
    assert_snapshot!(message("why 9 011 people.csv -r rules.toml"), @"error: people.csv: no record has the id `011`");
    assert_snapshot!(message("why 9 010 people.csv -r rules.toml"), @"error: people.csv: no record has the id `010`; did you mean `10`?");
    assert_snapshot!(message("why 334 9 people.csv -r rules.toml"), @"error: people.csv: no record has the id `334`; did you mean `33`?");
    let labels = "code,name\nAB-100,x\nAB-200,y\n";
    let folder = Folder::with(&[("t.csv", labels), ("rules.toml", "[[rules]]\nwhen = 'l.name = r.name'\n")]);
    let message = |arguments: &str| folder.failure(1, arguments);
    assert_snapshot!(message("why ab-100 AB-200 t.csv -r rules.toml --id code"), @"error: t.csv: no record has the id `ab-100`; did you mean `AB-100`?");
    assert_snapshot!(message("why AB-100 zebra t.csv -r rules.toml --id code"), @"error: t.csv: no record has the id `zebra`");
    assert_snapshot!(message("why AB-100 2 t.csv -r rules.toml"), @"error: t.csv: no record has the id `AB-100`; the ids are the row numbers, 1 to 2, unless --id names a column");
}

#[test]
fn a_record_and_itself() {
    assert_snapshot!(people().failure(1, "why 9 9 people.csv -r rules.toml"), @"error: both ids are `9`: a record is not compared with itself");
}

/// What is wrong with files and rules is said as everywhere.
#[test]
fn bad_input() {
    let folder = people().file("wrong.toml", "[[rules]]\nwhen = 'l.nmae = r.name'\n");
    assert_snapshot!(folder.failure(1, "why 9 10 nobody.csv -r rules.toml"), @"error: nobody.csv: No such file or directory (os error 2)");
    assert_snapshot!(folder.failure(1, "why 9 10 people.csv -r wrong.toml"), @r"
    error: people.csv has no column `nmae`
     --> wrong.toml:2:9
      |
    2 | when = 'l.nmae = r.name'
      |         ^^^^^^
      |
    help: did you mean `name`? its columns are id, name, city, born
    ");
    assert_snapshot!(folder.failure(1, "why 9 10 people.csv -r rules.toml --right-id key"), @"error: --right-id is for a second table, and here is one");
}

/// The witness of every pair of random tables is the one that the oracle names, or nobody's.
#[test]
fn agrees_with_the_oracle_on_every_pair() {
    let config = Config { cases: 50, failure_persistence: None, ..Config::default() };
    let ran = TestRunner::new(config).run(&cases(4), |case| {
        let mut wanted = match case.prepare() {
            Ok(paper) => paper.oracle(),
            Err(error) if is_no_rule(&error) => return Err(TestCaseError::reject("no rule")),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let folder = Folder::with(&[("left.csv", &case.left.csv()), ("rules.toml", &case.toml())]);
        let (left, rules) = (folder.path("left.csv"), folder.path("rules.toml"));
        let (folder, job) = match &case.right {
            None => (folder, Job::dedupe(left, rules)),
            Some(right) => {
                let folder = folder.file("right.csv", right.csv());
                let job = Job::link(left, folder.path("right.csv"), rules);
                (folder, job)
            }
        };
        let inquiry = Inquiry::new(&job, &Control::default()).expect("it was read before");
        drop(folder);
        let mut found = Vec::new();
        for (ix, left) in case.left.ids.iter().enumerate() {
            for right in case.right.as_ref().map_or(&case.left.ids[ix + 1..], |right| &right.ids) {
                let why = inquiry.why(left, right, &Control::default()).expect("both are there");
                found.extend(why.witness().map(|rule| (why.left.clone(), why.right.clone(), rule)));
            }
        }
        // Ids in the order of a file are in no order.
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{case:?}");
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}
