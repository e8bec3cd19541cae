//! The `[score]` section: what it means, and what is said of a wrong one.

use super::{parse, schema};
use crate::base::error::Result;
use crate::rules::{Score, ScoreMethod, bind_score};
use insta::assert_snapshot;
use std::fmt::Write;

pub(super) fn bound(section: &str) -> Result<Option<Score>> {
    let file = parse(&format!("[[rules]]\nwhen = 'l.title = r.title'\n{section}"))?;
    bind_score(&file, &schema("left.csv"), &schema("right.csv"), false)
}

fn errors(sections: &[&str]) -> String {
    let error = |section: &&str| match bound(section) {
        Ok(_) => format!("no error in {section}"),
        Err(error) => error.to_string(),
    };
    sections.iter().map(error).collect::<Vec<_>>().join("\n\n")
}

/// What is wrong with the measures of attributes.
fn measure_errors(measures: &[&str]) -> String {
    let sections: Vec<_> =
        measures.iter().map(|measure| format!("[[score.attributes]]\nmeasure = \"{measure}\"")).collect();
    errors(&sections.iter().map(String::as_str).collect::<Vec<_>>())
}

fn shown(section: &str) -> String {
    let score = bound(section).unwrap().unwrap();
    let mut shown = format!("{:?} from {} on\n", score.method, score.threshold);
    for attribute in &score.attributes {
        let (name, measure) = (&attribute.name, attribute.measure());
        let (weight, threshold) = (attribute.weight, attribute.threshold);
        let levels = attribute.levels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        writeln!(shown, "{name}: {measure}\n  weight {weight}, threshold {threshold}, levels {levels}")
            .unwrap();
    }
    shown
}

#[test]
fn a_file_without_one() {
    assert!(bound("").unwrap().is_none());
}

#[test]
fn attributes() {
    assert_snapshot!(shown(
        "[score]\nthreshold = 0.75\nweights = 'w.toml'\n\
         [[score.attributes]]\nmeasure = 'jaro_winkler(lower(l.TITLE), lower(r.title))'\nname = 'title'\nweight = 30\n\
         threshold = 0.5\nlevels = [1, 0.92, 0.8]\n\
         [[score.attributes]]\nmeasure = '''\n  (r.year =\n l.year)'''\nweight = 2.5\n\
         [[score.attributes]]\nmeasure = \"abs(l.year - r.year) <= 1\"\nweight = 1e1\n\
         [[score.attributes]]\nmeasure = \"jaccard(words(l.title), words(r.group))\"\nthreshold = 1\n\
         [[score.attributes]]\nmeasure = \"NOT l.year <> r.year\"\nlevels = [1]\n\
         [[score.attributes]]\nmeasure = \"levenshtein(l.title, r.title) > 2\"\n"
    ), @r"
    WeightedMean from 750000000 on
    title: jaro_winkler_similarity(lower(l.title), lower(r.title))
      weight 60, threshold 500000000, levels >= 1, >= 0.92, >= 0.8
    (r.year = l.year): l.year = r.year
      weight 5, threshold 0, levels >= 1
    abs(l.year - r.year) <= 1: abs(l.year - r.year) <= 1
      weight 20, threshold 0, levels >= 1
    jaccard(words(l.title), words(r.group)): jaccard(words(l.title), words(r.group))
      weight 2, threshold 1000000000, levels >= 1, >= 0.9, >= 0.7
    NOT l.year <> r.year: l.year = r.year
      weight 2, threshold 0, levels >= 1
    levenshtein(l.title, r.title) > 2: levenshtein(l.title, r.title) > 2
      weight 2, threshold 0, levels >= 1
    ");
    let score = bound(
        "[score]\nscore = 'fellegi-sunter'\nweights = 'w.toml'\nattributes = [{ measure = 'l.zip = r.zip' }]",
    );
    let score = score.unwrap().unwrap();
    assert_eq!(score.method, ScoreMethod::FellegiSunter);
    assert_eq!(score.weights.as_deref(), Some(std::path::Path::new("w.toml")));
}

#[test]
fn columns_are_loaded() {
    let file =
        parse("[[rules]]\nwhen = 'l.a = r.a'\n[[score.attributes]]\nmeasure = 'jaro(l.b, r.c)'").unwrap();
    let columns: Vec<_> = file.columns().map(|(_, column)| column).collect();
    assert_eq!(columns, ["a", "a", "b", "c"]);
}

#[test]
fn not_a_score() {
    assert_snapshot!(errors(&[
        "[[score]]",
        "[score]",
        "[score]\nattributes = []",
        "[score]\nattributes = 3",
        "[score]\nattributes = [3]",
        "[score]\ntreshold = 0.5",
        "[score]\nscore = 'mean'",
        "[score]\nthreshold = 1.5",
        "[score]\nthreshold = -0.1",
        "[score]\nthreshold = '0.5'",
        "[score]\nthreshold = 0.1234567891",
        "[score]\nthreshold = inf",
        "[score]\nweights = 3",
        "[scores]\nthreshold = 0.5",
    ]), @r#"
    `score` is not a table
     --> rules.toml:3:1
      |
    3 | [[score]]
      | ^^^^^^^^^
      |
    help: a score is written `[score]`, then `[[score.attributes]]` with `measure = "…"` for each attribute

    the score has no attributes
     --> rules.toml:3:1
      |
    3 | [score]
      | ^^^^^^^
      |
    help: a score is written `[score]`, then `[[score.attributes]]` with `measure = "…"` for each attribute

    the score has no attributes
     --> rules.toml:4:14
      |
    4 | attributes = []
      |              ^^
      |
    help: a score is written `[score]`, then `[[score.attributes]]` with `measure = "…"` for each attribute

    `attributes` is not a list of tables
     --> rules.toml:4:14
      |
    4 | attributes = 3
      |              ^
      |
    help: a score is written `[score]`, then `[[score.attributes]]` with `measure = "…"` for each attribute

    an attribute is a table
     --> rules.toml:4:15
      |
    4 | attributes = [3]
      |               ^
      |
    help: a score is written `[score]`, then `[[score.attributes]]` with `measure = "…"` for each attribute

    a score has no key `treshold`
     --> rules.toml:4:1
      |
    4 | treshold = 0.5
      | ^^^^^^^^
      |
    help: did you mean `threshold`?

    there is no score `mean`
     --> rules.toml:4:9
      |
    4 | score = 'mean'
      |         ^^^^^^
      |
    help: write "weighted-mean" or "fellegi-sunter"

    `threshold` lies between 0 and 1
     --> rules.toml:4:13
      |
    4 | threshold = 1.5
      |             ^^^
      |
    help: write, say, 0.8

    `threshold` lies between 0 and 1
     --> rules.toml:4:13
      |
    4 | threshold = -0.1
      |             ^^^^
      |
    help: write, say, 0.8

    `threshold` is text, not a number
     --> rules.toml:4:13
      |
    4 | threshold = '0.5'
      |             ^^^^^
      |
    help: write it without quotes

    `threshold` has at most nine decimals
     --> rules.toml:4:13
      |
    4 | threshold = 0.1234567891
      |             ^^^^^^^^^^^^
      |
    help: round it

    cannot read `threshold` as a number
     --> rules.toml:4:13
      |
    4 | threshold = inf
      |             ^^^
      |
    help: a number has at most 36 digits

    `weights` is a number, not text
     --> rules.toml:4:11
      |
    4 | weights = 3
      |           ^
      |
    help: put it in quotes

    a rule file has no key `scores`
     --> rules.toml:3:2
      |
    3 | [scores]
      |  ^^^^^^
      |
    help: did you mean `score`?
    "#);
}

#[test]
fn not_an_attribute() {
    let attribute = |keys: &str| format!("[[score.attributes]]\nmeasure = 'jaro(l.title, r.title)'\n{keys}");
    let sections = [
        "[[score.attributes]]\nweight = 1".to_owned(),
        "[[score.attributes]]\nmeasure = 3".to_owned(),
        attribute("wieght = 1"),
        attribute("weight = 0"),
        attribute("weight = -3"),
        attribute("weight = 0.1234567"),
        attribute("weight = true"),
        attribute("weight = 4000000000\n[[score.attributes]]\nmeasure = 'l.zip = r.zip'\nweight = 999999999"),
        attribute("threshold = 2"),
        attribute("levels = 0.5"),
        attribute("levels = []"),
        attribute("levels = [0.5, 0.9]"),
        attribute("levels = [0.5, 0.5]"),
        attribute("levels = [1, 0]"),
        attribute("levels = [1.5]"),
        attribute("levels = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.09, 0.08, 0.07, 0.06, 0.05]"),
        attribute("name = ' '"),
        attribute("[[score.attributes]]\nmeasure = \"jaro(l.title,  r.title)\"")
            .replace("(l.title, r", "(l.title,  r"),
        "[[score.attributes]]\nmeasure = 'l.zip = r.zip'\nlevels = [1, 0.5]".to_owned(),
    ];
    assert_snapshot!(errors(&sections.iter().map(String::as_str).collect::<Vec<_>>()), @r#"
    the attribute has no `measure`
     --> rules.toml:3:1
      |
    3 | [[score.attributes]]
      | ^^^^^^^^^^^^^^^^^^^^
      |
    help: a score is written `[score]`, then `[[score.attributes]]` with `measure = "…"` for each attribute

    `measure` is a number, not text
     --> rules.toml:4:11
      |
    4 | measure = 3
      |           ^
      |
    help: put it in quotes

    an attribute has no key `wieght`
     --> rules.toml:5:1
      |
    5 | wieght = 1
      | ^^^^^^
      |
    help: did you mean `weight`?

    a weight is above 0
     --> rules.toml:5:10
      |
    5 | weight = 0
      |          ^
      |
    help: leave the attribute out if it is not to count

    a weight is above 0
     --> rules.toml:5:10
      |
    5 | weight = -3
      |          ^^
      |
    help: leave the attribute out if it is not to count

    a weight has at most six decimals
     --> rules.toml:5:10
      |
    5 | weight = 0.1234567
      |          ^^^^^^^^^
      |
    help: round it

    `weight` is not a number
     --> rules.toml:5:10
      |
    5 | weight = true
      |          ^^^^
      |
    help: write, say, 0.8

    the weights have too many digits together
     --> rules.toml:8:10
      |
    8 | weight = 999999999
      |          ^^^^^^^^^
      |
    help: write them with fewer digits, such as 20, 30 and 25

    `threshold` lies between 0 and 1
     --> rules.toml:5:13
      |
    5 | threshold = 2
      |             ^
      |
    help: write, say, 0.8

    `levels` is not a list
     --> rules.toml:5:10
      |
    5 | levels = 0.5
      |          ^^^
      |
    help: write falling thresholds, the best level's first: [1, 0.9, 0.7]

    an attribute has 1 to 14 levels, and here are 0
     --> rules.toml:5:10
      |
    5 | levels = []
      |          ^^
      |
    help: write falling thresholds, the best level's first: [1, 0.9, 0.7]

    levels fall
     --> rules.toml:5:16
      |
    5 | levels = [0.5, 0.9]
      |                ^^^
      |
    help: write falling thresholds, the best level's first: [1, 0.9, 0.7]

    levels fall
     --> rules.toml:5:16
      |
    5 | levels = [0.5, 0.5]
      |                ^^^
      |
    help: write falling thresholds, the best level's first: [1, 0.9, 0.7]

    a level is above 0
     --> rules.toml:5:14
      |
    5 | levels = [1, 0]
      |              ^
      |
    help: write falling thresholds, the best level's first: [1, 0.9, 0.7]

    a level lies between 0 and 1
     --> rules.toml:5:11
      |
    5 | levels = [1.5]
      |           ^^^
      |
    help: write, say, 0.8

    an attribute has 1 to 14 levels, and here are 15
     --> rules.toml:5:10
      |
    5 | levels = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.09, 0.08, 0.07, 0.06, 0.05]
      |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write falling thresholds, the best level's first: [1, 0.9, 0.7]

    the attribute's name is empty
     --> rules.toml:5:8
      |
    5 | name = ' '
      |        ^^^
      |
    help: give it a name, or leave `name` out

    there is an attribute `jaro(l.title, r.title)` already
     --> rules.toml:6:11
      |
    6 | measure = "jaro(l.title,  r.title)"
      |           ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: give every attribute a name of its own

    a condition holds or does not: its level is 1
     --> rules.toml:5:10
      |
    5 | levels = [1, 0.5]
      |          ^^^^^^^^
      |
    help: leave `levels` out; or leave `measure` out, and write all conditions as levels
    "#);
    let many = "[[score.attributes]]\nmeasure = 'l.zip = r.zip'\nname = 'N'\n";
    let many: String = (0..17).map(|n| many.replace('N', &n.to_string())).collect();
    assert_snapshot!(errors(&[&many]), @r"
    a score has at most 16 attributes
      --> rules.toml:51:1
       |
    51 | [[score.attributes]]
       | ^^^^^^^^^^^^^^^^^^^^
       |
    help: leave out what tells least
    ");
}

#[test]
fn not_a_measure() {
    assert_snapshot!(measure_errors(&[
        "",
        "l.title",
        "levenshtein(l.title, r.title)",
        "overlap(words(l.title), words(r.title))",
        "abs(l.year - r.year)",
        "l.year - r.year",
        "words(l.title)",
        "lower(l.title)",
        "jaro(l.title, r.title) >= 0.9",
        "jaro(l.title, r.title) < 0.9",
        "l.title = 'x'",
        "l.title IS NULL",
        "l.title = r.title AND l.year = r.year",
        "NOT (l.title = r.title OR l.year = r.year)",
        "jaro(l.titel, r.title)",
        "jaro(l.title, r.title",
        "jaro(l.title, l.group)",
        "abs(l.title - r.title) <= 1",
    ]), @r#"
    the measure is empty
     --> rules.toml:4:11
      |
    4 | measure = ""
      |           ^^
      |
    help: an attribute is measured by one similarity, such as jaro_winkler(l.a, r.a), levenshtein_similarity(l.a, r.a) or jaccard(words(l.a), words(r.a)), or by one comparison, such as l.a = r.a or abs(l.x - r.x) <= 1

    a column alone is no comparison
     --> rules.toml:4:12
      |
    4 | measure = "l.title"
      |            ^^^^^^^
      |
    help: compare it: l.a = r.a, or l.a = 'x'

    a measure alone is no similarity
     --> rules.toml:4:12
      |
    4 | measure = "levenshtein(l.title, r.title)"
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write it as a similarity, such as levenshtein_similarity(l.a, r.a)

    a measure alone is no similarity
     --> rules.toml:4:12
      |
    4 | measure = "overlap(words(l.title), words(r.title))"
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write overlap_coefficient(…), or compare it with a number of tokens: >= 2

    a measure alone is no similarity
     --> rules.toml:4:12
      |
    4 | measure = "abs(l.year - r.year)"
      |            ^^^^^^^^^^^^^^^^^^^^
      |
    help: compare it with a number: <= 1

    a difference alone is no comparison
     --> rules.toml:4:12
      |
    4 | measure = "l.year - r.year"
      |            ^^^^^^^^^^^^^^^
      |
    help: compare it with a number: <= 2

    a set of tokens alone is no similarity
     --> rules.toml:4:12
      |
    4 | measure = "words(l.title)"
      |            ^^^^^^^^^^^^^^
      |
    help: compare two sets, as in jaccard(words(l.a), words(r.a))

    a column alone is no similarity
     --> rules.toml:4:12
      |
    4 | measure = "lower(l.title)"
      |            ^^^^^^^^^^^^^^
      |
    help: an attribute is measured by one similarity, such as jaro_winkler(l.a, r.a), levenshtein_similarity(l.a, r.a) or jaccard(words(l.a), words(r.a)), or by one comparison, such as l.a = r.a or abs(l.x - r.x) <= 1

    a similarity is an attribute's measure without a bound
     --> rules.toml:4:12
      |
    4 | measure = "jaro(l.title, r.title) >= 0.9"
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave the bound out; what is too little for the attribute to count is its `threshold`

    a similarity is an attribute's measure without a bound
     --> rules.toml:4:12
      |
    4 | measure = "jaro(l.title, r.title) < 0.9"
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave the bound out; what is too little for the attribute to count is its `threshold`

    this looks at one record alone
     --> rules.toml:4:12
      |
    4 | measure = "l.title = 'x'"
      |            ^^^^^^^^^^^^^
      |
    help: compare a column of l with one of r

    this looks at one record alone
     --> rules.toml:4:12
      |
    4 | measure = "l.title IS NULL"
      |            ^^^^^^^^^^^^^^^
      |
    help: compare a column of l with one of r

    an attribute has one measure
     --> rules.toml:4:12
      |
    4 | measure = "l.title = r.title AND l.year = r.year"
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: make an attribute of each comparison

    an attribute has one measure
     --> rules.toml:4:12
      |
    4 | measure = "NOT (l.title = r.title OR l.year = r.year)"
      |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: make an attribute of each comparison

    left.csv has no column `titel`
     --> rules.toml:4:17
      |
    4 | measure = "jaro(l.titel, r.title)"
      |                 ^^^^^^^
      |
    help: did you mean `title`? its columns are title, Full Name, year, price, born, zip, group, Größe

    expected `)`, but the rule ends
     --> rules.toml:4:33
      |
    4 | measure = "jaro(l.title, r.title"
      |                                 ^

    both columns are of the same record
     --> rules.toml:4:12
      |
    4 | measure = "jaro(l.title, l.group)"
      |            ^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule compares l with r: one column must be of l, the other of r

    abs needs numbers or dates, and `l.title` holds text
     --> rules.toml:4:16
      |
    4 | measure = "abs(l.title - r.title) <= 1"
      |                ^^^^^^^
      |
    help: mend the table, or compare the text by levenshtein
    "#);
}
