//! `sample`: a few candidates with their records, for people and for programs.

use crate::program::{Folder, RULES, people};
use hyperblock::serde_json::{self, Value};
use insta::assert_snapshot;

#[test]
fn candidates_with_their_records() {
    let folder = people();
    assert_snapshot!(folder.stdout("sample people.csv -r rules.toml --device cpu"), @"
    2 of 2 candidates, drawn with seed 1
      same name              1 of 1
      near name, near birth  1 of 1

    2 and 33: same name
      name  = 'Bob Ray'
      city  l 'Bergen'
            r 'Bergen[, Norway]'
      born  l '1985-05-05'
            r missing

    9 and 10: near name, near birth
      name  l 'Ann[e] Lee'
            r 'Ann Lee'
      city  = 'Oslo'
      born  l '1990-01-0[2]'
            r '1990-01-0[1]'
    ");
}

#[test]
fn of_one_rule_and_with_scores() {
    let score = "[score]\nthreshold = 0.99\n[[score.attributes]]\nmeasure = \"jaro(l.name, r.name)\"\n";
    let folder = people().file("scored.toml", format!("{RULES}{score}"));
    let mut of_one = folder.command("sample people.csv -r scored.toml --device cpu --rule");
    let shown = String::from_utf8(of_one.arg("near name, near birth").output().unwrap().stdout).unwrap();
    assert!(shown.starts_with("1 of 1 candidates") && shown.contains(", below 0.99\n"), "{shown}");
    let json = folder.stdout("sample people.csv -r scored.toml --device cpu --format json --seed 7");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["candidates"], &json["drawn"], &json["seed"]), (&2.into(), &2.into(), &7.into()));
    let [same, near] = [&json["sample"][0], &json["sample"][1]];
    assert_eq!((&same["score"], &same["kept"]), (&1.into(), &true.into()));
    assert_eq!((&near["kept"], &near["threshold"].to_string()), (&false.into(), &"0.99".to_owned()));
    assert_eq!(near["columns"][0]["differs"], serde_json::json!({ "left": [[3, 4]], "right": [] }));
    assert_eq!(
        same["columns"][2],
        serde_json::json!({ "column": "born", "left": "1985-05-05", "right": null })
    );
    let refused = folder.failure(1, "sample people.csv -r rules.toml --device cpu --rule names");
    assert!(
        refused.contains("there is no rule `names`; there are `same name`, `near name, near birth`"),
        "{refused}"
    );
}

/// Each is a candidate, named by its rule; more of them hold those that fewer do; threads, places and seeds say nothing else.
#[test]
fn a_sample_is_of_the_candidates_and_the_same_everywhere() {
    let row = |n: u32| format!("{n},name {},{}\n", n % 97, n % 13);
    let table: String = ["id,name,city\n".to_owned()].into_iter().chain((0..1500).map(row)).collect();
    let rules = "[[rules]]\nname = 'n'\nwhen = 'l.name = r.name'\n\
                 [[rules]]\nname = 'c'\nwhen = 'l.city = r.city AND levenshtein(l.name, r.name) <= 1'\n";
    let folder = Folder::with(&[("t.csv", &table), ("r.toml", rules)]);
    let found = folder.stdout("dedupe t.csv -r r.toml --device cpu -q -o -");
    let sampled = |more: &str| folder.stdout(&format!("sample t.csv -r r.toml --format json {more}"));
    let mut seen = Vec::new();
    for seed in 0..3 {
        let one = sampled(&format!("-n 20 --seed {seed} --threads 1 --device cpu"));
        assert_eq!(one, sampled(&format!("-n 20 --seed {seed} --threads 2 --device cpu")));
        assert_eq!(one, sampled(&format!("-n 20 --seed {seed} --devices cpu/2 --partitions 9")));
        let json: Value = serde_json::from_str(&one).unwrap();
        assert_eq!(json["candidates"], found.lines().count() as u64 - 1);
        let pairs = json["sample"].as_array().unwrap();
        assert_eq!(pairs.len(), 20);
        for pair in pairs {
            let text = |key: &str| pair[key].as_str().unwrap();
            let line = format!("\n{},{},{}\n", text("left"), text("right"), text("rule"));
            assert!(found.contains(&line), "{line}");
        }
        let rules: Vec<&Value> = pairs.iter().map(|pair| &pair["rule"]).collect();
        assert!(rules.contains(&&"n".into()) && rules.contains(&&"c".into()), "{rules:?}");
        seen.push(one);
    }
    assert!(seen[0] != seen[1] && seen[1] != seen[2]);
    assert_eq!(serde_json::from_str::<Value>(&sampled("-n 1 --device cpu")).unwrap()["drawn"], 1);
}

#[test]
fn two_tables_and_several() {
    let folder = Folder::with(&[
        ("shop.csv", "id,title,cost\n1,Red Tea,3\n"),
        ("list.csv", "id,name\nx,red tea\n"),
        ("two.toml", "[[rules]]\nname = 'n'\nwhen = 'lower(l.title) = lower(r.name)'\n"),
        (
            "all.toml",
            "[[rules]]\nname = 'n'\nwhen = 'lower(l.name) = lower(r.name)'\n[columns]\nname = ['title']\n",
        ),
    ]);
    assert_snapshot!(folder.stdout("sample shop.csv list.csv -r two.toml --device cpu"), @"
    1 of 1 candidates, drawn with seed 1
      n  1 of 1

    1 and x: n
      title  l 'Red Tea'
      cost   l '3'
      name   r 'red tea'
    ");
    assert_snapshot!(folder.stdout("sample shop.csv list.csv --within -r all.toml --device cpu"), @"
    1 of 1 candidates, drawn with seed 1
      n  1 of 1

    shop:1 and list:x: n
      title  l 'Red Tea'
             r missing
      cost   l '3'
             r missing
      name   l '[R]ed [T]ea'
             r '[r]ed [t]ea'
    ");
}

#[test]
fn values_are_shown_and_not_obeyed() {
    let evil = "\u{1b}[31m\u{7}\u{202e}";
    let table = format!("id,na{evil}me,x\n1,a{evil}b,1\n2,a{evil}c,1\n");
    let folder = Folder::with(&[
        ("t.csv", &table),
        ("r.toml", "[[rules]]\nname = \"\\u001b[1m\"\nwhen = 'l.x = r.x'\n"),
    ]);
    let shown = folder.stdout("sample t.csv -r r.toml --device cpu");
    assert!(
        !shown.contains(|char: char| char != '\n' && (char.is_control() || char == '\u{202e}')),
        "{shown:?}"
    );
    assert!(shown.contains(r"l 'a\x1b[31m\x07\u{202e}[b]'"), "{shown}");
    assert!(shown.contains(r"1 and 2: \x1b[1m"), "{shown}");
}
