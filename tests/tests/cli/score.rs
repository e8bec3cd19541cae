//! Candidates with scores.

use crate::program::{Folder, PEOPLE, redacted};
use hyperblock::Control;
use insta::assert_snapshot;

const RULES: &str = "\
[[rules]]
name = 'city'
when = 'l.city = r.city OR substr(l.name, 1, 1) = substr(r.name, 1, 1)'
";
const SCORE: &str = "
[score]
threshold = 0.5
[[score.attributes]]
name = 'name'
measure = 'levenshtein_similarity(l.name, r.name)'
weight = 3
[[score.attributes]]
name = 'near birth'
measure = 'abs(l.born - r.born) <= 1'
";

fn people(score: &str) -> Folder {
    Folder::with(&[("people.csv", PEOPLE), ("rules.toml", &format!("{RULES}{score}"))])
}

#[test]
fn a_column_of_scores() {
    let _redacted = redacted();
    let folder = people(SCORE);
    let ran = folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_snapshot!(folder.read("pairs.csv"), @r"
    left,right,rule,score
    2,33,city,1
    9,10,city,0.90625
    ");
    assert_snapshot!(ran.stderr, @"
    running on cpu (N threads)
    device           cpu (N threads)
    records          5
    ids from         column id
    pairs compared   at most 5 of 10 (at least 5 ruled out unseen)
    candidates       4
      city  4
    scored           4
    kept             2 (a score of 0.5 or more)
    reduction ratio  0.600000
    time             [time] (open [time], read [time], encode [time], plan [time], load [time], scan [time], score [time], write [time], other [time])
    peak memory      [memory]
    ");
    // All of them, where nothing is asked.
    let folder = people(&SCORE.replace("threshold = 0.5", ""));
    assert_snapshot!(folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"), @r"
    left,right,rule,score
    2,33,city,1
    4,9,city,0
    4,10,city,0
    9,10,city,0.90625
    ");
}

#[test]
fn parquet_and_arrow_have_it_too() {
    let folder = people(SCORE);
    let mut found = Vec::new();
    for name in ["pairs.csv", "pairs.parquet", "pairs.arrow"] {
        folder.stdout(&format!("dedupe people.csv -r rules.toml -o {name} --device cpu"));
        let options = hyperblock::read::table::ReadOptions {
            id: hyperblock::read::table::IdSource::RowNumbers,
            ..Default::default()
        };
        let table = hyperblock::read::table::Table::read(
            &folder.path(name),
            &options,
            &|_| true,
            &Control::default(),
        )
        .unwrap();
        assert_eq!(table.schema.names(), "`left`, `right`, `rule`, `score`");
        let scores = table.values(3).unwrap().iter().flatten().map(|score| score.parse::<f64>().unwrap());
        found.push(scores.collect::<Vec<_>>());
    }
    assert_eq!(found, [[1.0, 0.90625]; 3]);
}

#[test]
fn quality_is_that_of_what_is_kept() {
    let folder = people(SCORE).file("truth.csv", "id_a,id_b\n9,10\n2,33\n");
    let ran = folder.run("dedupe people.csv -r rules.toml --truth truth.csv -o pairs.csv --device cpu");
    assert!(ran.stderr.contains("precision        1.0000"), "{}", ran.stderr);
}

#[test]
fn weights_by_fellegi_and_sunter() {
    let score = SCORE.replace("threshold = 0.5", "score = 'fellegi-sunter'\nweights = 'weights.toml'");
    let folder = people(&score);
    let ran = folder.run("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    assert_eq!(ran.code, Some(1));
    assert_snapshot!(ran.stderr, @r"
    error: weights.toml: No such file or directory (os error 2)
     --> rules.toml:7:11
      |
    7 | weights = 'weights.toml'
      |           ^^^^^^^^^^^^^^
      |
    help: `hyperblock fit` writes such a file for the rules as they are now
    ");
    assert!(!folder.path("pairs.csv").exists());
    let weights = "prior = 0.1\n\
        [[attributes]]\nname = 'name'\nmeasure = 'levenshtein_similarity(l.name, r.name)'\nlevels = [\n\
        { at_least = 1, m = 0.6, u = 0.01 }, { at_least = 0.9, m = 0.2, u = 0.04 },\n\
        { at_least = 0.7, m = 0.1, u = 0.05 }, { below = 0.7, m = 0.1, u = 0.9 }]\n\
        [[attributes]]\nname = 'near birth'\nmeasure = 'abs(l.born - r.born) <= 1'\n\
        levels = [{ at_least = 1, m = 0.9, u = 0.1 }, { below = 1, m = 0.1, u = 0.9 }]\n";
    let folder = folder.file("weights.toml", weights);
    assert_snapshot!(folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"), @r"
    left,right,rule,weight,probability
    2,33,city,2.736966,0.869565249
    4,9,city,-9.509775,0.001369863
    4,10,city,-9.509775,0.001369863
    9,10,city,1,0.666666667
    ");
}

#[test]
fn why_a_score() {
    let folder = people(SCORE);
    assert_snapshot!(folder.stdout("why 9 10 people.csv -r rules.toml"), @r#"
    9 and 10

    rule "city": holds — the witness
      conjunction 1 of 2: holds
        holds  l.city = r.city
               'Oslo' and 'Oslo'
      conjunction 2 of 2: holds
        holds  substr(l.name, 1, 1) = substr(r.name, 1, 1)
               'A' and 'A'

    The pair is a candidate; its witness is "city".

    Its score is 0.90625; a candidate with it is kept, as it is not below 0.5.
                  alike  weight   brings
      name        0.875   75.0%  +0.6562  levenshtein_similarity(l.name, r.name)
      near birth      1   25.0%  +0.2500  abs(l.born - r.born) <= 1
    "#);
    assert_snapshot!(folder.stdout("why 2 33 people.csv -r rules.toml --format json"), @r#"
    {
      "left": "2",
      "right": "33",
      "candidate": true,
      "witness": "city",
      "rules": [
        {
          "name": "city",
          "holds": true,
          "conjunctions": [
            {
              "holds": false,
              "predicates": [
                {
                  "predicate": "l.city = r.city",
                  "left": "Bergen",
                  "right": "Bergen, Norway",
                  "measured": null,
                  "verdict": "fails"
                }
              ]
            },
            {
              "holds": true,
              "predicates": [
                {
                  "predicate": "substr(l.name, 1, 1) = substr(r.name, 1, 1)",
                  "left": "B",
                  "right": "B",
                  "measured": null,
                  "verdict": "holds"
                }
              ]
            }
          ]
        }
      ],
      "score": {
        "score": 1,
        "threshold": 0.5,
        "attributes": [
          {
            "name": "name",
            "measure": "levenshtein_similarity(l.name, r.name)",
            "similarity": 1,
            "weight": 1.0
          },
          {
            "name": "near birth",
            "measure": "abs(l.born - r.born) <= 1",
            "similarity": null
          }
        ]
      }
    }
    "#);
}

/// A comparison that comes to two: at most one edit, and not none.
#[test]
fn one_edit_exactly() {
    let score = "[score]\n[[score.attributes]]\nname = 'one edit'\nmeasure = 'levenshtein(l.name, r.name) = 1'\n\
         [[score.attributes]]\nmeasure = 'abs(l.born - r.born) BETWEEN 1 AND 2'\nweight = 3\n";
    let folder = people(score);
    assert_snapshot!(folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu"), @r"
    left,right,rule,score
    2,33,city,0
    4,9,city,0
    4,10,city,0
    9,10,city,1
    ");
    assert_snapshot!(folder.stdout("why 9 10 people.csv -r rules.toml").split_once("Its score").unwrap().1, @r"
     is 1; a candidate with it is kept, as it is not below 0.
                                            alike  weight   brings
      one edit                                  1   25.0%  +0.2500  levenshtein(l.name, r.name) <= 1 AND levenshtein(l.name, r.name) > 0
      abs(l.born - r.born) BETWEEN 1 AND 2      1   75.0%  +0.7500  abs(l.born - r.born) <= 2 AND abs(l.born - r.born) >= 1
    ");
    let fellegi = score.replace("[score]", "[score]\nscore = 'fellegi-sunter'\nweights = 'w.toml'");
    let folder = people(&fellegi).file("truth.csv", "id_a,id_b\n9,10\n4,9\n");
    folder.stdout("fit people.csv -r rules.toml -o w.toml --device cpu --quiet --truth truth.csv");
    assert_eq!(folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu").lines().count(), 5);
}
