//! Fitting weights as a user meets it.

use crate::program::{Folder, PEOPLE, RULES};
use std::fmt::Write;

const SCORE: &str = "\
[score]
score = 'fellegi-sunter'
weights = 'weights.toml'
threshold = 0.5
[[score.attributes]]
name = 'name'
measure = 'jaro_winkler_similarity(l.name, r.name)'
levels = [1, 0.9]
[[score.attributes]]
name = 'city'
measure = 'l.city = r.city'
[[score.attributes]]
name = 'zip'
measure = 'l.zip = r.zip'
[[score.attributes]]
name = 'phone'
measure = 'l.phone = r.phone'
";

/// Three hundred persons, every third of them twice, with a slip in the name, another zip code or another phone.
fn persons() -> String {
    let mut csv = "id,name,city,zip,phone\n".to_owned();
    for ix in 0..300u32 {
        // What is in one column says nothing of the others.
        let chance = |salt: u32| {
            let mixed = (ix * 4 + salt).wrapping_mul(0x9e37_79b1);
            (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b) >> 5
        };
        let name: String =
            (0..8).map(|place| char::from(b'a' + (chance(0) >> (3 * place) & 7) as u8)).collect();
        let [city, zip, phone] = [(1, 12), (2, 40), (3, 500)].map(|(salt, n)| chance(salt) % n);
        let _ = writeln!(csv, "{},{name},c{city},z{zip},p{phone}", 2 * ix);
        if ix % 3 == 0 {
            let name = if ix % 2 == 0 { format!("{name}x") } else { name };
            let zip = if ix % 5 == 0 { zip + 1 } else { zip };
            let phone = if ix % 7 == 0 { phone + 1 } else { phone };
            let _ = writeln!(csv, "{},{name},c{city},z{zip},p{phone}", 2 * ix + 1);
        }
    }
    csv
}

#[test]
fn weights_are_written_and_found_again() {
    let rules = format!(
        "[[rules]]\nname = 'zip'\nwhen = 'l.zip = r.zip'\n[[neighbourhoods]]\nkey = 'name'\nwindow = 3\n{SCORE}"
    );
    let folder = Folder::with(&[("people.csv", &persons()), ("rules.toml", &rules)]);
    let fit = "fit people.csv -r rules.toml -o weights.toml --device cpu --sample 20000";
    let said = folder.stdout(fit);
    let prior = said.lines().find_map(|line| line.strip_prefix("prior ")).expect("the prior is said");
    let prior: f64 = prior.split_whitespace().next().and_then(|text| text.parse().ok()).expect("a number");
    // 100 matches, all of them among the candidates.
    let n = said.lines().find_map(|line| line.strip_prefix("candidates ")).expect("their number is said");
    let n: f64 = n.split_whitespace().next().and_then(|n| n.replace(',', "").parse().ok()).expect("a number");
    assert!((80.0..120.0).contains(&(prior * n)), "{said}");
    // The same again, to the byte.
    let weights = folder.read("weights.toml");
    folder.stdout(fit);
    assert_eq!(folder.read("weights.toml"), weights);
    let scored = folder.stdout("dedupe people.csv -r rules.toml -o - --device cpu");
    let is_same = |line: &&str| {
        let ids: Vec<u32> = line.split(',').take(2).filter_map(|id| id.parse().ok()).collect();
        matches!(ids[..], [left, right] if right == left + 1 && left % 2 == 0)
    };
    let found: Vec<&str> = scored.lines().skip(1).collect();
    let n_right = found.iter().filter(|line| is_same(line)).count();
    assert!(n_right >= 95 && found.len() - n_right <= 5, "{n_right} of {}", found.len());
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let near = "[[neighbourhoods]]\nkey = 'name'\nwindow = 3\n";
    let score = SCORE.split("[[score.attributes]]\nname = 'zip'").next().unwrap_or_default();
    let none = format!("[[rules]]\nwhen = 'l.name = r.city'\n{score}");
    let alike = format!("[[rules]]\nwhen = 'l.name = r.name AND l.city <> r.city'\n{score}");
    let folder = Folder::with(&[("people.csv", PEOPLE)])
        .file("no-score.toml", format!("{RULES}{near}"))
        .file("none.toml", none)
        .file("alike.toml", alike);
    for (rules, want) in [
        ("no-score.toml", "the rule file has no [score] section to fit weights for"),
        ("none.toml", "the rules find no candidates: there is nothing to fit weights to"),
        ("alike.toml", "all 1 candidates look alike: nothing tells matches from others"),
    ] {
        let said = folder.failure(1, &format!("fit people.csv -r {rules} -o w.toml --device cpu"));
        assert!(said.contains(want), "{rules}: {said}");
    }
}
