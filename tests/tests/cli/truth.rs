//! Truth over a part: what the program says where labels decide some pairs and not others.

use crate::program::{Folder, PEOPLE, people, redacted};
use hyperblock::serde_json::{self, Value, json};
use insta::assert_snapshot;
use std::fmt::Write;

const DEDUPE: &str = "dedupe people.csv -r rules.toml -o pairs.csv --device cpu --truth truth.csv";

/// What is said from `labels` or `matches` on, without times.
fn said(ran: &str) -> String {
    let quality = ran.lines().skip_while(|line| !line.starts_with("matches") && !line.starts_with("labels"));
    quality.take_while(|line| !line.starts_with("time")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn entities_of_some_records() {
    // 33 is not named, so nobody knows about 2 and 33. 4 and 10 are one, which no rule finds.
    let truth = "id,entity_id\n2,a\n4,b\n9,c\n10,c\n77,d\n";
    let ran = people().file("truth.csv", truth).run(DEDUPE);
    assert_snapshot!(said(&ran.stderr), @"
    matches found    1 of 1
    truth left out   1 (rows with ids that are in no table)
    labels           decide 6 pairs, of 4 of 5 records
    recall           1.0000 (0.207 to 1.000)
    precision        1.0000 (0.207 to 1.000), decided 50.0% of 2 candidates
    F1               1.0000 (0.342 to 1.000)
    CSSR             2.000e-1
    ");
}

#[test]
fn labels_of_some_pairs() {
    let truth = "id_a,id_b,label\n10,9,MATCH\n33,4,yes\n2,4,no match\n2,33,unsure\n2,9,\n2,77,0\n";
    let folder = people().file("truth.csv", truth);
    let ran = folder.run(DEDUPE);
    assert_snapshot!(said(&ran.stderr), @"
    matches found    1 of 2
    truth left out   1 (rows with ids that are in no table)
    labels           decide 3 pairs, of 5 of 5 records
    recall           0.5000 (0.095 to 0.905)
    precision        1.0000 (0.207 to 1.000), decided 50.0% of 2 candidates
    F1               0.6667 (0.173 to 0.950)
    CSSR             2.000e-1
    ");
    let ran = folder.run(&format!("{DEDUPE} --summary json"));
    let summary: Value = serde_json::from_str(&ran.stderr).expect(&ran.stderr);
    let quality = &summary["quality"];
    assert_eq!((&quality["matches"], &quality["found"]), (&json!(2), &json!(1)));
    assert_eq!(quality["coverage"], json!({ "candidates": 0.5, "records": 1 }));
    assert_eq!(quality["decided"], json!({ "candidates": 1, "pairs": 3 }));
    let interval = quality["intervals"]["recall"].as_array().expect("an interval");
    let [low, high] = [0, 1].map(|nth| interval[nth].as_f64().expect("a number"));
    // Wilson's, of one in two.
    assert!((low - 0.0945).abs() < 1e-3 && (high - 0.9055).abs() < 1e-3, "{low} to {high}");
    // All of the truth has none, and covers everything.
    let folder = folder.file("truth.csv", "id_a,id_b\n10,9\n33,4\n");
    let ran = folder.run(&format!("{DEDUPE} --summary json"));
    let summary: Value = serde_json::from_str(&ran.stderr).expect(&ran.stderr);
    assert_eq!(summary["quality"]["intervals"], Value::Null);
    assert_eq!(summary["quality"]["decided"], json!({ "candidates": 2, "pairs": 10 }));
}

#[test]
fn labels_that_decide_nothing() {
    let folder = people().file("truth.csv", "id_a,id_b,label\n2,4,n\n2,9,?\n");
    let ran = folder.run(DEDUPE);
    assert_snapshot!(said(&ran.stderr), @"
    matches found    0 of 0
    labels           decide 1 pairs, of 2 of 5 records
    recall           unknown
    precision        unknown, decided 0.0% of 2 candidates
    F1               unknown
    CSSR             2.000e-1
    ");
    let ran = folder.run(&format!("{DEDUPE} --summary json"));
    let summary: Value = serde_json::from_str(&ran.stderr).expect(&ran.stderr);
    assert_eq!((&summary["quality"]["recall"], &summary["quality"]["f1"]), (&Value::Null, &Value::Null));
}

/// A pair that one of four was labelled of stands for four.
#[test]
fn labels_that_were_sampled() {
    let truth = "id_a,id_b,label,probability\n10,9,1,0.25\n2,33,0,1\n4,33,1,1\n";
    let ran = people().file("truth.csv", truth).run(DEDUPE);
    assert_snapshot!(said(&ran.stderr), @"
    matches found    1 of 2
    labels           decide 3 pairs, of 5 of 5 records
    recall           0.8000 (0.066 to 0.996)
    precision        0.8000 (0.066 to 0.996), decided 100.0% of 2 candidates
    F1               0.8000 (0.125 to 0.991)
    CSSR             2.000e-1
    ");
}

#[test]
fn steps_of_resolving() {
    let _redacted = redacted();
    let resolve = "resolve people.csv -r rules.toml -o entities.csv --device cpu --truth truth.csv";
    let folder = people().file("truth.csv", "id,entity_id\n2,a\n33,a\n9,b\n77,c\n");
    let ran = folder.run(resolve);
    let steps = |ran: &str| -> String {
        ran.lines().skip_while(|line| !line.starts_with("labels")).map(|line| format!("{line}\n")).collect()
    };
    assert_snapshot!(steps(&ran.stderr), @"
    labels           decide 3 pairs, of 3 of 5 records
    truth left out   1 (rows with ids that are in no table)
    quality                     precision  recall      F1  B³ precision  recall      F1
      candidates               2   1.0000  1.0000  1.0000        1.0000  1.0000  1.0000
        decided 50.0% of 2 pairs, precision 0.207 to 1.000, recall 0.207 to 1.000, F1 0.342 to 1.000
      entities                 2   1.0000  1.0000  1.0000        1.0000  1.0000  1.0000
        decided 50.0% of 2 pairs, precision 0.207 to 1.000, recall 0.207 to 1.000, F1 0.342 to 1.000
    ");
    let folder = folder.file("truth.csv", "id_a,id_b,label\n2,33,y\n9,10,n\n");
    let ran = folder.run(resolve);
    assert_snapshot!(steps(&ran.stderr), @"
    labels           decide 2 pairs, of 4 of 5 records
    quality                     precision  recall      F1  B³ precision  recall      F1
      candidates               2   0.5000  1.0000  0.6667             ?       ?       ?
        decided 100.0% of 2 pairs, precision 0.095 to 0.905, recall 0.207 to 1.000, F1 0.173 to 0.950
      entities                 2   0.5000  1.0000  0.6667             ?       ?       ?
        decided 100.0% of 2 pairs, precision 0.095 to 0.905, recall 0.207 to 1.000, F1 0.173 to 0.950
    ");
    let ran = folder.run(&format!("{resolve} --summary json"));
    let summary: Value = serde_json::from_str(&ran.stderr).expect(&ran.stderr);
    let entities = &summary["entities"];
    let records = json!({ "all": 5, "named": 4 });
    assert_eq!(entities["coverage"], json!({ "decided": 2, "records": records, "unknown": 0 }));
    let last = &entities["steps"][1];
    assert_eq!((&last["b_cubed"], &last["decided"]), (&Value::Null, &json!(2)));
    assert_eq!((&last["pairwise"]["precision"], &last["pairwise"]["recall"]), (&json!(0.5), &json!(1.0)));
    // The last step alone says the same.
    let ran = folder.run("cluster pairs.csv -o e.csv --device cpu --truth truth.csv");
    assert_ne!(ran.code, Some(0), "there are no pairs yet");
    folder.stdout("dedupe people.csv -r rules.toml -o pairs.csv --device cpu --quiet");
    let ran = folder.run("cluster pairs.csv --records people.csv -o e.csv --device cpu --truth truth.csv");
    assert_snapshot!(steps(&ran.stderr), @"
    labels           decide 2 pairs, of 4 of 5 records: 100.0% of 2 in entities
    pairwise         precision 0.5000 (0.095 to 0.905), recall 1.0000 (0.207 to 1.000), F1 0.6667 (0.173 to 0.950)
    B-cubed          unknown: labels of pairs do not say who is of an entity
    time             [time] (open [time], read [time], truth [time], cluster [time], write [time], other [time])
    ");
}

#[test]
fn what_is_wrong_about_labels() {
    let fails = |truth: &str| people().file("truth.csv", truth).failure(1, &format!("{DEDUPE} --quiet"));
    assert_snapshot!(fails("id_a,id_b,match\n9,10,1\n2,4,perhaps\n"), @"error: truth.csv: row 2, column `match`: `perhaps` is no label. A match is `match`, `1`, `true`, `yes` or `y`; no match is `no match`, `no_match`, `nomatch`, `non-match`, `0`, `false`, `no` or `n`; a pair that nobody is sure of is `unsure`, `maybe`, `?` or nothing");
    assert_snapshot!(fails("id_a,id_b,label\n9,10,1\n2,4,1\n10,9,0\n"), @"error: truth.csv: rows 1 and 3: the pair of `10` and `9` is labelled `match` and `no match`; leave one of the rows out");
    assert_snapshot!(fails("id_a,id_b,label,sampled_with\n9,10,1,0.5\n2,4,1,2\n"), @"error: truth.csv: row 2, column `sampled_with`: the probability of being chosen is a number from 1e-9 to 1, not `2`");
    assert_snapshot!(fails("id_a,id_b,weight,probability,label\n9,10,7.5,0.99,1\n"), @"error: truth.csv: a `probability` beside a `weight` is that of a match, as in files of scored pairs. Leave it out, or name the probability that a pair was chosen `sampled_with`");
    assert_snapshot!(fails("id,entity_id,sampled_with\n9,a,0.5\n10,a,0.25\n"), @"error: truth.csv: rows 1 and 2: entity `a` was chosen with a probability of 0.5 and of 0.25; an entity has one");
}

/// Numbers that are the same in every run.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A number of the program, exactly.
fn billionths(text: &str) -> u64 {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{rest:0<9}").parse().expect("digits")
}

/// Precision, recall and F1 of decided pairs, which may stand for several.
fn measures(all: &[(usize, usize)], decide: Verdict<'_>, is_said: &dyn Fn(usize, usize) -> bool) -> [f64; 3] {
    let (mut said, mut right, mut there) = (0.0, 0.0, 0.0);
    for &(a, b) in all {
        let Some((is_match, weight)) = decide(a, b) else { continue };
        there += if is_match { weight } else { 0.0 };
        if is_said(a, b) {
            said += weight;
            right += if is_match { weight } else { 0.0 };
        }
    }
    let (precision, recall) = (right / said, right / there);
    let f1 = if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
    [precision, recall, f1]
}

type Verdict<'a> = &'a dyn Fn(usize, usize) -> Option<(bool, f64)>;

/// Curves and reliability, of one table and of two, are those of the pairs that labels decide, whatever labels they are.
#[test]
fn curves_are_of_decided_pairs() {
    for case in 0..12 {
        let mut drawn = Drawn(case);
        let (is_of_two, is_of_records, has_chances) = (case % 2 == 1, case / 2 % 2 == 0, case / 4 % 2 == 0);
        let (n_left, n_right) = (9, 7);
        let n = n_left + if is_of_two { n_right } else { 0 };
        let mut name = || (0..4).map(|_| char::from(b'a' + drawn.below(3) as u8)).collect::<String>();
        let names: Vec<String> = (0..n).map(|_| name()).collect();
        let table = |from: usize, to: usize| {
            (from..to).fold("id,name\n".to_owned(), |all, at| all + &format!("r{at:02},{}\n", names[at]))
        };
        let all: Vec<(usize, usize)> = (0..n_left)
            .flat_map(|a| (if is_of_two { n_left } else { a + 1 }..n).map(move |b| (a, b)))
            .collect();
        let chances = ["1", "0.5", "0.2"];
        let mut truth = String::new();
        let last = |of: usize| if has_chances { format!(",{}", chances[of % 3]) } else { String::new() };
        let weight =
            |of: usize| if has_chances { 1.0 / chances[of % 3].parse::<f64>().unwrap() } else { 1.0 };
        let header = if has_chances { ",sampled_with" } else { "" };
        // Of each record its entity, or of each pair its label.
        let entities: Vec<Option<usize>> =
            (0..n).map(|_| (drawn.below(3) > 0).then(|| drawn.below(4) as usize)).collect();
        let labels: Vec<Option<bool>> =
            all.iter().map(|_| (drawn.below(3) == 0).then(|| drawn.below(2) == 0)).collect();
        if is_of_records {
            let _ = writeln!(truth, "id,entity_id{header}");
            for (at, entity) in entities.iter().enumerate() {
                let Some(entity) = entity else { continue };
                let _ = writeln!(truth, "r{at:02},e{entity}{}", last(*entity));
            }
        } else {
            let _ = writeln!(truth, "id_a,id_b,label{header}");
            for (at, (&(a, b), label)) in all.iter().zip(&labels).enumerate() {
                let label = label.map_or("maybe", |is_match| if is_match { "true" } else { "false" });
                let _ = writeln!(truth, "r{a:02},r{b:02},{label}{}", last(at));
            }
        }
        let decide = |a: usize, b: usize| -> Option<(bool, f64)> {
            if is_of_records {
                let (of_a, of_b) = entities[a].zip(entities[b])?;
                let weight = if of_a == of_b { weight(of_a) } else { weight(of_a) * weight(of_b) };
                return Some((of_a == of_b, weight));
            }
            let at = all.iter().position(|pair| *pair == (a, b)).unwrap();
            Some((labels[at]?, weight(at)))
        };

        let rules = "[[pairs]]\nall = true\n[score]\nthreshold = 0\n[[score.attributes]]\n\
                     measure = 'levenshtein_similarity(l.name, r.name)'\n";
        let folder = Folder::with(&[("rules.toml", rules), ("truth.csv", &truth)])
            .file("a.csv", table(0, n_left))
            .file("b.csv", table(n_left, n));
        let tables = if is_of_two { "a.csv b.csv" } else { "a.csv" };
        folder.stdout(&format!(
            "resolve {tables} -r rules.toml -o e.csv --pairs pairs.csv --truth truth.csv --curve curve.csv --device cpu --quiet"
        ));
        let scores: Vec<(usize, usize, u64)> = folder
            .read("pairs.csv")
            .lines()
            .skip(1)
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                let record = |id: &str| id[1..].parse::<usize>().unwrap();
                (record(cells[0]), record(cells[1]), billionths(cells[3]))
            })
            .collect();
        assert_eq!(scores.len(), all.len());
        for line in folder.read("curve.csv").lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let least = billionths(cells[0]);
            let kept: Vec<(usize, usize)> =
                scores.iter().filter(|it| it.2 >= least).map(|it| (it.0, it.1)).collect();
            assert_eq!(cells[1], kept.len().to_string(), "{line}");
            let mut entities: Vec<usize> = (0..n).collect();
            for _ in 0..n {
                for &(a, b) in &kept {
                    let of = entities[a].min(entities[b]);
                    (entities[a], entities[b]) = (of, of);
                }
            }
            let of_pairs = measures(&all, &decide, &|a, b| kept.contains(&(a, b)));
            let of_entities = measures(&all, &decide, &|a, b| entities[a] == entities[b]);
            for (cell, want) in cells[2..].iter().zip(of_pairs.into_iter().chain(of_entities)) {
                match want.is_nan() {
                    true => assert_eq!(*cell, "", "case {case}: {line}"),
                    false => {
                        let seen: f64 =
                            cell.parse().unwrap_or_else(|_| panic!("case {case}: {line}, not {want}"));
                        assert!((seen - want).abs() < 2e-6, "case {case}: {line}, not {want}");
                    }
                }
            }
        }
        let mut n_decided = 0;
        for line in folder.read("curve.reliability.csv").lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let (from, to) = (billionths(cells[0]), billionths(cells[1]));
            let is_in = |score: u64| from <= score && (score < to || cells[1] == "1");
            let some = scores.iter().filter(|it| is_in(it.2));
            let decided: Vec<(u64, (bool, f64))> =
                some.filter_map(|it| Some((it.2, decide(it.0, it.1)?))).collect();
            assert_eq!(cells[2], decided.len().to_string(), "case {case}: {line}");
            n_decided += decided.len();
            let weight: f64 = decided.iter().map(|(_, (_, weight))| weight).sum();
            let expected: f64 = decided.iter().map(|(score, (_, weight))| *score as f64 / 1e9 * weight).sum();
            let right: f64 = decided.iter().filter(|it| it.1.0).map(|(_, (_, weight))| weight).sum();
            for (cell, want) in cells[3..].iter().zip([expected / weight, right / weight]) {
                assert!(
                    (cell.parse::<f64>().unwrap() - want).abs() < 2e-6,
                    "case {case}: {line}, not {want}"
                );
            }
        }
        assert_eq!(n_decided, all.iter().filter(|(a, b)| decide(*a, *b).is_some()).count());
    }
}

/// Many people, named by their entities in a part, weigh as they do where all are named.
#[test]
fn fitting_to_labels_of_a_part() {
    let mut table = "id,name,zip\n".to_owned();
    let mut drawn = Drawn(3);
    for at in 0..400 {
        let (name, zip) = (drawn.below(150), drawn.below(40));
        let _ = writeln!(table, "{},n{name},z{zip}", 2 * at);
        // A slip in the name of one in four.
        let slip = if at % 4 == 0 { "x" } else { "" };
        let _ = writeln!(table, "{},n{name}{slip},z{zip}", 2 * at + 1);
    }
    let rules = "[[rules]]\nwhen = 'l.zip = r.zip'\n[[rules]]\nwhen = 'l.name = r.name'\n[score]\nscore = 'fellegi-sunter'\n\
                 weights = 'w.toml'\n[[score.attributes]]\nname = 'name'\nlevels = ['l.name = r.name']\n\
                 [[score.attributes]]\nname = 'zip'\nlevels = ['l.zip = r.zip']\n";
    let some = |is_named: &dyn Fn(u32) -> bool| {
        let named = (0..800).filter(|record| is_named(*record));
        named.fold("id,entity_id\n".to_owned(), |all, record| all + &format!("{record},{}\n", record / 2))
    };
    let labels = (0..400).step_by(4).fold("id_a,id_b,label\n".to_owned(), |all, at| {
        let (a, b) = (2 * at, 2 * at + 1);
        all + &format!("{a},{b},1\n{a},{},0\n{},{b},unsure\n", (a + 7) % 800, (b + 90) % 800)
    });
    let folder = Folder::with(&[("people.csv", &table), ("rules.toml", rules), ("labels.csv", &labels)])
        .file("all.csv", some(&|_| true))
        .file("half.csv", some(&|record| record % 8 < 4))
        .file("nobody.csv", "id,entity_id\n0,a\n2,b\n");
    let fit = |truth: &str, more: &str| {
        let run = format!("fit people.csv -r rules.toml -o w.toml --device cpu --truth {truth} {more}");
        let ran = folder.run(&run);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        (ran.stdout, ran.stderr)
    };
    let line = |text: &str, begin: &str| {
        text.lines().find(|line| line.starts_with(begin)).unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    let (of_all, _) = fit("all.csv", "");
    assert_eq!(line(&of_all, "prior "), "prior            1.252e-3 (400 labelled pairs)");
    // 300 of 400 names are alike.
    assert!(line(&of_all, "name ").contains("0.750000"), "{of_all}");
    let (of_half, _) = fit("half.csv", "");
    assert_eq!(
        line(&of_half, "prior "),
        "prior            2.506e-3 (200 of 79,800 pairs of labelled records match)"
    );
    assert!(line(&of_half, "name ").contains("0.500000"), "{of_half}");
    // Labels of pairs say what matches look like, and not how many there are.
    let (of_pairs, doubts) = fit("labels.csv", "");
    assert!(line(&of_pairs, "prior ").ends_with("candidates are expected to match)"), "{of_pairs}");
    assert!(
        doubts.contains("the prior: labels of some pairs do not say how many of all pairs match"),
        "{doubts}"
    );
    let (given, doubts) = fit("labels.csv", "--prior 0.001");
    assert!(given.contains("1.000e-3 (as given)") && !doubts.contains("labels of some pairs"), "{doubts}");
    let none = folder.failure(1, "fit people.csv -r rules.toml -o none.toml --device cpu --truth nobody.csv");
    assert!(none.contains("the truth names no pair of these tables"), "{none}");
}

/// The whole table is no part.
#[test]
fn entities_of_all_records_are_all_of_the_truth() {
    let ids = PEOPLE.lines().skip(1).map(|line| line.split(',').next().unwrap());
    let truth = ids.fold("id,entity_id\n".to_owned(), |all, id| all + &format!("{id},{}\n", id.len()));
    let ran = people().file("truth.csv", &truth).run(DEDUPE);
    assert!(!ran.stderr.contains("labels") && !ran.stderr.contains("decided"), "{}", ran.stderr);
    let without = people().file("truth.csv", truth.replace("\n4,1\n", "\n")).run(DEDUPE);
    assert!(without.stderr.contains("labels  "), "{}", without.stderr);
}
