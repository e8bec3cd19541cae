//! Weights as a user meets them: levels that are conditions, frequencies, waterfalls, links and curves.

use crate::program::Folder;
use insta::assert_snapshot;

const PEOPLE: &str = "\
id,first,last,born
1,Ann,Smith,1990-01-02
2,Smith,Ann,1990-01-02
3,Anne,Smith,1990-02-01
4,Bob,Jones,1980-05-05
5,Ann,Smith,
";

const RULES: &str = "\
[[rules]]
name = 'any'
when = 'l.born = r.born OR l.last = r.last'
[score]
score = 'fellegi-sunter'
weights = 'weights.toml'
[[score.attributes]]
name = 'name'
levels = [
    'l.first = r.first AND l.last = r.last',
    'l.first = r.last AND l.last = r.first',
    'jaro_winkler(l.first, r.first) >= 0.9 AND l.last = r.last',
]
[[score.attributes]]
name = 'born'
levels = ['l.born = r.born', 'right(l.born, 2) = substr(r.born, 6, 2)']
term_frequency = true
least_frequency = 0.01
";

const WEIGHTS: &str = r#"
prior = 0.2
[[attributes]]
name = "name"
measure = ""
levels = [
    { when = "l.first = r.first AND l.last = r.last", m = 0.8, u = 0.1 },
    { when = "l.first = r.last AND l.last = r.first", m = 0.1, u = 0.05 },
    { when = "jaro_winkler_similarity(l.first, r.first) >= 0.9 AND l.last = r.last", m = 0.05, u = 0.025 },
    { otherwise = true, m = 0.05, u = 0.8 },
]
[[attributes]]
name = "born"
measure = ""
levels = [
    { when = "l.born = r.born", m = 0.8, u = 0.1 },
    { when = "BORN", m = 0.1, u = 0.1 },
    { otherwise = true, m = 0.1, u = 0.8 },
]
"#;

fn people() -> Folder {
    // Of one table a condition counts either way round.
    let either = "right(l.born, 2) = substr(r.born, 6, 2) OR substr(l.born, 6, 2) = right(r.born, 2)";
    let folder = Folder::with(&[("people.csv", PEOPLE), ("rules.toml", RULES)]);
    folder.file("weights.toml", WEIGHTS.replace("BORN", either))
}

#[test]
fn the_first_level_that_holds_counts() {
    assert_snapshot!(people().stdout("dedupe people.csv -r rules.toml -o - --device cpu"), @r"
    left,right,rule,weight,probability
    1,2,any,-0.321928,0.444444461
    1,3,any,-1,0.333333333
    1,5,any,1,0.666666667
    3,5,any,-1,0.333333333
    ");
}

#[test]
fn a_waterfall_comes_to_the_weight() {
    let folder = people();
    let why = |pair: &str| {
        let why = folder.stdout(&format!("why {pair} people.csv -r rules.toml"));
        why.split_once("Its weight").expect("there is a weight").1.to_owned()
    };
    assert_snapshot!(why("1 2"), @r"
     is -0.321928 bits, a probability of 0.444444461; a candidate with it is kept, as it is not below 0.
                       level                                       m        u   bits
      any two records                                                          -2.00
      name             l.first = r.last AND l.last = r.first  0.1000  5.00e-2  +1.00
      born             l.born = r.born                        0.8000  1.00e-1  +3.00
                       its value's frequency                                   -2.32
    ");
    assert_snapshot!(why("5 1"), @r"
     is 1 bits, a probability of 0.666666667; a candidate with it is kept, as it is not below 0.
                       level                                       m        u   bits
      any two records                                                          -2.00
      name             l.first = r.first AND l.last = r.last  0.8000  1.00e-1  +3.00
      born             missing                                                 +0.00
    ");
    let json = folder.stdout("why 1 2 people.csv -r rules.toml --format json");
    for line in ["\"weight\": -0.321928", "\"prior_bits\": -2", "\"bits\": 3", "\"bits_of_value\": -2.321928"]
    {
        assert!(json.contains(line), "{line}\n{json}");
    }
}

#[test]
fn weights_that_are_too_much_are_refused() {
    let folder = people().file("weights.toml", WEIGHTS.replace("m = 0.1, u = 0.05", "m = 0.1, u = 1e-30"));
    let ran = folder.failure(1, "dedupe people.csv -r rules.toml -o - --device cpu");
    let said = "`name`, level l.first = r.last AND l.last = r.first, weighs more than 60 bits";
    assert!(ran.contains(said), "{ran}");
}

#[test]
fn what_is_missing_may_count() {
    let score = "[score]\nMISSING\n[[score.attributes]]\nmeasure = 'jaro_winkler(l.first, r.first)'\nweight = 3\n\
         [[score.attributes]]\nmeasure = 'l.born = r.born'\n";
    let rules = format!("[[rules]]\nwhen = 'l.last = r.last'\n{score}");
    let scores = |missing: &str| {
        let folder = Folder::with(&[("p.csv", PEOPLE), ("rules.toml", &rules.replace("MISSING", missing))]);
        folder.stdout("dedupe p.csv -r rules.toml -o - --device cpu")
    };
    assert!(scores("").contains("\n1,5,rule 1,1\n"), "{}", scores(""));
    assert_eq!(scores("missing = 'skip'"), scores(""));
    assert!(scores("missing = 'zero'").contains("\n1,5,rule 1,0.75\n"));
    let folder =
        Folder::with(&[("p.csv", PEOPLE), ("rules.toml", &rules.replace("MISSING", "missing = 'none'"))]);
    assert_snapshot!(folder.failure(1, "dedupe p.csv -r rules.toml -o - --device cpu --quiet"), @r#"
    error: `missing` is `none`
     --> rules.toml:4:11
      |
    4 | missing = 'none'
      |           ^^^^^^
      |
    help: write "skip", so that it does not count, or "zero", so that it counts as not alike
    "#);
}

#[test]
fn bad_levels_and_frequencies() {
    let error = |attribute: &str, method: &str| {
        let rules = format!(
            "[[rules]]\nwhen = 'l.last = r.last'\n[score]\n{method}\n[[score.attributes]]\n{attribute}\n"
        );
        let folder = Folder::with(&[("p.csv", PEOPLE), ("rules.toml", &rules)]);
        let ran = folder.failure(1, "dedupe p.csv -r rules.toml -o - --device cpu");
        let lines = ran.lines().filter(|line| line.starts_with("error") || line.starts_with("help"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let fellegi = "score = 'fellegi-sunter'";
    let all = [
        error("name = 'a'\nlevels = ['l.first = r.first']", ""),
        error("levels = ['l.first = r.first']", fellegi),
        error("name = 'a'\nlevels = ['l.first = ']", fellegi),
        error("name = 'a'\nlevels = ['l.first = r.first', 0.5]", fellegi),
        error("measure = 'jaro(l.first, r.first)'\nlevels = [0.9]\nterm_frequency = true", fellegi),
        error("measure = 'l.first = r.first'\nleast_frequency = 0.1", fellegi),
        error("measure = 'l.first = r.first'", "score = 'fellegi-sunter'\nmissing = 'zero'"),
    ];
    assert_snapshot!(all.join("\n"), @r#"
    error: a mean has no levels, so that a level cannot be a condition
    help: write `score = "fellegi-sunter"`
    error: the attribute's name is empty
    help: an attribute without a measure has a `name`
    error: expected an expression, but the rule ends
    error: the attribute has no `measure`
    help: a score is written `[score]`, then `[[score.attributes]]` with `measure = "…"` for each attribute
    error: frequencies count where both records have the same value, and that is not the best level
    help: let the best level be 1, or `l.a = r.a`; or leave `term_frequency` out
    error: `least_frequency` says nothing without `term_frequency`
    help: write `term_frequency = true` too
    error: `missing` is about means; what is missing has no weight in a model
    help: write "skip", so that it does not count, or "zero", so that it counts as not alike
    "#);
}

const LINKED: &str = "\
[[rules]]
when = 'l.group = r.group'
[score]
[[score.attributes]]
measure = 'levenshtein_similarity(l.name, r.name)'
";

#[test]
fn links_of_two_tables() {
    let folder = Folder::with(&[
        ("left.csv", "id,name,group\n1,abcdefghij,x\n2,abcdefghxx,x\n3,zz,y\n"),
        ("right.csv", "id,name,group\n11,abcdefghij,x\n12,abcdefgyyy,x\n13,abcdefghix,x\n"),
        ("rules.toml", LINKED),
    ]);
    let entities = |method: &str| {
        let command =
            format!("resolve left.csv right.csv -r rules.toml -o - --device cpu --quiet --method {method}");
        let rows = folder.stdout(&command);
        let several = rows.lines().skip(1).map(|row| row.rsplit(',').next().expect("an entity").to_owned());
        several.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(entities("components"), "left:1 left:1 left:3 left:1 left:1 left:1");
    assert_eq!(entities("one-to-one"), "left:1 left:2 left:3 left:1 right:12 left:2");
    assert_eq!(entities("many-to-one"), "left:1 left:2 left:3 left:1 right:12 left:2");
    // 13 is as like 1 as it is like 2, and 1 comes first.
    assert_eq!(entities("best"), "left:1 left:2 left:3 left:1 right:12 right:13");
    let ran = folder.failure(1, "resolve left.csv -r rules.toml -o - --device cpu --method one-to-one");
    assert!(ran.contains("`one-to-one` links the records of two tables, and here is one"), "{ran}");
    let pairs = folder.file(
        "pairs.csv",
        "left,right,weight,probability\n1,11,950.5,0.9\n1,12,800.0000004,0.8\n2,11,800,0.3\n",
    );
    let cluster = "cluster pairs.csv -o - --device cpu --quiet --two-tables --method one-to-one";
    // 800 and 800 are more than 950.5.
    assert_eq!(
        pairs.stdout(cluster),
        "table,id,entity_id\nleft,1,left:1\nleft,2,left:2\nright,11,left:2\nright,12,left:1\n"
    );
    let some = pairs.stdout(&format!("{cluster} --threshold 0.85"));
    assert_eq!(
        some,
        "table,id,entity_id\nleft,1,left:1\nleft,2,left:2\nright,11,left:1\nright,12,right:12\n"
    );
}

#[test]
fn a_curve_over_thresholds() {
    let folder = people().file("truth.csv", "id_a,id_b\n1,5\n1,2\n");
    let resolve = "resolve people.csv -r rules.toml -o e.csv --device cpu --quiet";
    folder.stdout(&format!("{resolve} --truth truth.csv --curve curve.csv"));
    let curve = folder.read("curve.csv");
    let line = |threshold: &str| {
        let line = curve.lines().find(|line| line.starts_with(&format!("{threshold},")));
        line.unwrap_or_else(|| panic!("{threshold} is in\n{curve}")).to_owned()
    };
    assert_eq!(line("0"), "0,4,0.500000,1.000000,0.666667,0.333333,1.000000,0.500000");
    assert_eq!(line("0.4"), "0.4,2,1.000000,1.000000,1.000000,0.666667,1.000000,0.800000");
    assert_eq!(line("0.5"), "0.5,1,1.000000,0.500000,0.666667,1.000000,0.500000,0.666667");
    assert_eq!(line("0.99"), "0.99,0,0.000000,0.000000,0.000000,0.000000,0.000000,0.000000");
    let right = "from,to,pairs,expected,right\n0.3,0.4,2,0.333333,0.000000\n0.4,0.5,1,0.444444,1.000000\n\
         0.6,0.7,1,0.666667,1.000000\n";
    assert_eq!(folder.read("curve.reliability.csv"), right);
    assert!(folder.read("curve.svg").starts_with("<svg "));
    let ran = folder.failure(2, &format!("{resolve} --curve curve.csv"));
    assert!(ran.contains("--truth <FILE>"), "{ran}");
    let ran = folder.failure(1, &format!("{resolve} --truth truth.csv --curve e.csv"));
    assert!(ran.contains("e.csv"), "{ran}");
}
