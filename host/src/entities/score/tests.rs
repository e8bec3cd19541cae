//! Decimals, and files of weights: what they hold, and what is said of those that do not fit.

use super::*;
use crate::base::billionths::Billionths;
use crate::read::table::{ColumnSchema, Kind, Schema};
use crate::rules::{RuleFile, bind_score};
use hyperblock_shared::score::ONE;
use std::path::PathBuf;

#[test]
fn decimals_have_no_more_digits_than_they_take() {
    for (billionths, want) in [
        (0, "0"),
        (1, "0.000000001"),
        (812_500_000, "0.8125"),
        (100_000_000, "0.1"),
        (999_999_999, "0.999999999"),
        (ONE, "1"),
    ] {
        assert_eq!(Billionths(billionths).to_string(), want);
    }
}

/// A score of two attributes that reads its weights from `weights.toml` in a folder.
fn score(folder: &Path) -> Score {
    let source = "[[rules]]\nwhen = 'l.name = r.name'\n\
         [score]\nscore = 'fellegi-sunter'\nweights = 'weights.toml'\n\
         [[score.attributes]]\nname = 'the \"name\"'\nmeasure = 'jaro(l.name, r.name)'\nlevels = [1, 0.8]\n\
         [[score.attributes]]\nmeasure = 'l.town = r.town'\n";
    let file = RuleFile::parse(&folder.join("rules.toml"), source.to_owned()).unwrap();
    let column = |name: &str| ColumnSchema { name: name.to_owned(), kind: Kind::Text, why_text: None };
    let schema = Schema { table: "people.csv".to_owned(), columns: vec![column("name"), column("town")] };
    bind_score(&file, &schema, &schema, false).unwrap().unwrap()
}

fn weights(score: &Score) -> Weights {
    let probabilities = [vec![(0.75, 0.001), (0.2, 1e-9), (0.05, 0.999)], vec![(0.9, 0.1), (0.1, 0.9)]];
    Weights::new(0.2, &score.attributes, &probabilities)
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let score = score(folder.path());
    let weights = weights(&score);
    weights.write(&folder.path().join("weights.toml")).unwrap();
    assert_eq!(Weights::of(&score).unwrap(), weights);
    // What it is known from is for people.
    let evidence = Evidence {
        m_from: 0.7,
        m_to: 0.8,
        matches: 12.25,
        u_from: 0.0,
        u_to: 0.002,
        pairs: 5.0,
        is_counted: true,
    };
    let known = weights.clone().with_evidence([evidence]);
    let line = "matches = 12.2, m_between = [0.700000, 0.800000], all_pairs = 5.0, u_between = [0.000e0, 2.000e-3] }";
    assert!(known.to_string().contains(line), "{known}");
    known.write(&folder.path().join("weights.toml")).unwrap();
    assert_eq!(Weights::of(&score).unwrap(), weights);
    let model = weights.model(&score).unwrap();
    // Odds before of 1 : 4, times 9.
    assert_eq!(probability(model.weight(0x10)), 692_307_692);
    insta::assert_snapshot!(weights.to_string(), @r#"
    # The weights of a score by Fellegi and Sunter's model. m: how probable a level is where records
    # match; u: where they do not. The weight of a level is log2(m / u).
    prior = 0.2

    [[attributes]]
    name = "the \"name\""
    measure = "jaro_similarity(l.name, r.name)"
    levels = [
        { at_least = 1, m = 0.75, u = 0.001 }, # +9.55 bits
        { at_least = 0.8, m = 0.2, u = 1e-9 }, # +27.58 bits
        { below = 0.8, m = 0.05, u = 0.999 }, # -4.32 bits
    ]

    [[attributes]]
    name = "l.town = r.town"
    measure = "l.town = r.town"
    levels = [
        { at_least = 1, m = 0.9, u = 0.1 }, # +3.17 bits
        { below = 1, m = 0.1, u = 0.9 }, # -3.17 bits
    ]
    "#);
}

/// What is said of weights that were changed, where the folder's name is taken out.
fn complaint(change: impl Fn(&str) -> String) -> String {
    let folder = tempfile::tempdir().unwrap();
    let score = score(folder.path());
    let path: PathBuf = folder.path().join("weights.toml");
    std::fs::write(&path, change(&weights(&score).to_string())).unwrap();
    let error = Weights::of(&score).and_then(|weights| weights.model(&score)).unwrap_err();
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn weights_that_do_not_fit() {
    let replaced = |from: &'static str, to: &'static str| {
        complaint(|text| {
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1)
        })
    };
    let complaints = [
        replaced("prior = 0.2", "prior = 1.0"),
        replaced("prior = 0.2", "prior = 0.0"),
        replaced("prior = 0.2", "prior = \"0.2\""),
        replaced("prior = 0.2\n", ""),
        replaced("prior = 0.2", "prior ="),
        replaced("prior = 0.2", "prior = 0.2\nposterior = 0.3"),
        replaced("m = 0.75", "m = 0"),
        replaced("m = 0.75", "m = 1.5"),
        replaced("below = 0.8", "below = 0.7"),
        replaced("name = \"l.town = r.town\"", "name = \"town\""),
        replaced("measure = \"jaro_similarity", "measure = \"jaro_winkler_similarity"),
        complaint(|text| text.replace("0.8,", "0.85,")),
    ];
    insta::assert_snapshot!(complaints.join("\n\n"), @r#"
    weights.toml: `prior` is not below 1; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: `prior` is not above 0 and at most 1; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: `prior` is not a number; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: `prior` is missing; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: this is not TOML: string values must be quoted, expected literal string; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: there is no key `posterior`; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: `m` of the attribute `the "name"` is not above 0 and at most 1; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: `m` of the attribute `the "name"` is not above 0 and at most 1; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: the last level of the attribute `the "name"` is not below the one before; `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: there are no weights for the attribute `l.town = r.town`
     --> rules.toml:5:11
      |
    5 | weights = 'weights.toml'
      |           ^^^^^^^^^^^^^^
      |
    help: `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: `the "name"` was measured by `jaro_winkler_similarity(l.name, r.name)`, and is now by `jaro_similarity(l.name, r.name)`
     --> rules.toml:5:11
      |
    5 | weights = 'weights.toml'
      |           ^^^^^^^^^^^^^^
      |
    help: `hyperblock fit` writes such a file for the rules as they are now

    weights.toml: `the "name"` had the levels [1, 0.85], and has now [1, 0.8]
     --> rules.toml:5:11
      |
    5 | weights = 'weights.toml'
      |           ^^^^^^^^^^^^^^
      |
    help: `hyperblock fit` writes such a file for the rules as they are now
    "#);
}

#[test]
fn weights_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut score = score(folder.path());
    let said = |error: Error| error.to_string().replace(&format!("{}/", folder.path().display()), "");
    let missing = said(Weights::of(&score).unwrap_err());
    score.weights = None;
    let unnamed = said(Weights::of(&score).unwrap_err());
    insta::assert_snapshot!([missing, unnamed].join("\n\n"), @r#"
    weights.toml: No such file or directory (os error 2)
     --> rules.toml:5:11
      |
    5 | weights = 'weights.toml'
      |           ^^^^^^^^^^^^^^
      |
    help: `hyperblock fit` writes such a file for the rules as they are now

    a score by fellegi-sunter needs weights, and no file is named
     --> rules.toml:5:11
      |
    5 | weights = 'weights.toml'
      |           ^^^^^^^^^^^^^^
      |
    help: write `weights = "….toml"`: `hyperblock fit` makes one
    "#);
}
