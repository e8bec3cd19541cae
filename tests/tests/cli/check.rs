//! `check`: what is wrong with a job, all at once; and what it would find and take, if nothing is.

use crate::program::{Folder, PEOPLE, RULES, people, redacted};
use hyperblock::serde_json::{self, Value};
use insta::assert_snapshot;
use std::fs;
use std::path::Path;

#[test]
fn each_rule_with_its_pairs() {
    let _redacted = redacted();
    let folder = people();
    assert_snapshot!(folder.stdout("check people.csv -r rules.toml --device cpu"), @"
    5 records, 10 pairs, on cpu (N threads)

    rule                   pairs      time  how
    same name               ≈1.0  ≈[time]  hash join on l.name = r.name
    near name, near birth   ≈1.0  ≈[time]  hash join on l.city = r.city
    all                     ≈2.0  ≈[time]

    ≈[time] in all, of which [time] to read, encode and plan as here; ≈[memory] of memory
    ");
    let json = folder.stdout("check people.csv -r rules.toml --device cpu --format json");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["wrong"], &json["pairs"]), (&serde_json::json!([]), &10.into()));
    assert_eq!(json["rules"][0]["name"], "same name");
    assert_eq!(json["rules"][0]["pairs"], 1.0);
    assert_eq!(folder.names().len(), 2, "nothing is written");
}

/// Of people who match all conditions hold together, which no product of shares tells.
#[test]
fn numbers_are_near_what_happens() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/people");
    let read = |name: &str| fs::read_to_string(example.join(name)).expect("people are bundled");
    let folder = Folder::with(&[("people.csv", &read("people.csv")), ("rules.toml", &read("rules.toml"))]);
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let told = json(&folder.stdout("check people.csv -r rules.toml --device cpu --format json"));
    let job = folder.run("dedupe people.csv -r rules.toml --device cpu --count --each-rule --summary json");
    let happened = json(&job.stderr);
    let near = |told: &Value, happened: &Value, what: &str| {
        let [told, happened] = [told, happened].map(|number| number.as_f64().expect("a number"));
        assert!(happened > 0.0 && (0.6..1.6).contains(&(told / happened)), "{what}: {told}, not {happened}");
    };
    let rules = happened["pairs"]["by_rule"].as_array().unwrap();
    assert_eq!(rules.len(), 4);
    for (told, happened) in told["rules"].as_array().unwrap().iter().zip(rules) {
        assert_eq!(told["name"], happened["name"]);
        near(&told["pairs"], &happened["allows"], &told["name"].to_string());
    }
    near(&told["all"]["candidates"], &happened["pairs"]["candidates"], "all");
}

#[test]
fn all_that_is_wrong_at_once() {
    let wrong = "[[rules]]\nname = 'a'\nwhen = 'l.name ='\n[[rules]]\nname = 'b'\nwhen = 'l.x = r.x'\n[[rules]]\nname = 'c'\n";
    let unknown = RULES.replace("l.name = r.name", "l.nme = r.name").replace("abs(l.born", "abs(l.brn");
    let folder = Folder::with(&[("people.csv", PEOPLE), ("wrong.toml", wrong), ("unknown.toml", &unknown)]);
    let ran = folder.run("check people.csv nothing.csv -r wrong.toml --device cpu");
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stderr.contains("error: 3 things are wrong, and the job cannot run"), "{}", ran.stderr);
    for said in ["wrong.toml:3:", "`c` has no `when`", "nothing.csv: No such file"] {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    let ran = folder.run("check people.csv -r unknown.toml --device cpu --format json");
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let wrong = json["wrong"].as_array().unwrap();
    assert_eq!(wrong.len(), 2, "{json}");
    assert!(
        wrong[0].as_str().unwrap().contains("nme") && wrong[1].as_str().unwrap().contains("brn"),
        "{json}"
    );
}

#[test]
fn what_is_doubtful() {
    let row = |n: u32| {
        format!(
            "{n},{},{},{},x\n",
            n % 7,
            if n < 2500 { "Oslo" } else { "Bergen" },
            if n.is_multiple_of(3) { "a" } else { "" }
        )
    };
    let table: String = ["id,a,city,b,c\n".to_owned()].into_iter().chain((0..3000).map(row)).collect();
    let rules = "[[rules]]\nname = 'a'\nwhen = 'l.a = r.a AND l.b = r.b'\n[[rules]]\nname = 'b'\nwhen = 'l.b = r.b AND l.a = r.a AND l.c = r.c'\n\
                 [[rules]]\nname = 'city'\nwhen = 'l.city = r.city'\n[[rules]]\nname = 'all'\nwhen = 'l.a <> r.a'\n";
    let other = "id,a,city,b,c\n1,x1,Oslo,a,x\n2,3,Rome,b,x\n";
    let folder = Folder::with(&[("t.csv", &table), ("u.csv", other), ("r.toml", rules)]);
    let doubts = |tables: &str| -> Vec<(String, String)> {
        let json = folder.stdout(&format!("check {tables} -r r.toml --device cpu --format json"));
        let json: Value = serde_json::from_str(&json).unwrap();
        let text = |doubt: &Value, key: &str| doubt[key].as_str().unwrap().to_owned();
        json["doubts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|doubt| (text(doubt, "kind"), text(doubt, "said")))
            .collect()
    };
    let one = doubts("t.csv");
    let says = |all: &[(String, String)], kind: &str, said: &str| {
        assert!(all.iter().any(|(own, words)| own == kind && words.contains(said)), "{kind} {said}: {all:?}");
    };
    says(&one, "subsumed", "`b` adds nothing: every pair that it allows is allowed by `a`");
    says(&one, "heavy key", "`city` compares the 2,500 records that have 'Oslo' as l.city with each other");
    says(&one, "all pairs", "`all` compares all pairs");
    says(&one, "missing", "66.7% of l.b is missing");
    says(&doubts("t.csv u.csv"), "kinds", "numbers on the left and text on the right");
}
