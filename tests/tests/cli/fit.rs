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
    // 100 matches, all of them among the candidates, and 400 records.
    let n_pairs = 400.0 * 399.0 / 2.0;
    assert!((90.0..115.0).contains(&(prior * n_pairs)), "{said}");
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
        (
            "alike.toml",
            "`name`: there is no m, nothing is learnt of `rule 1` because it asks for nearly all attributes. Add a rule",
        ),
    ] {
        let said = folder.failure(1, &format!("fit people.csv -r {rules} -o w.toml --device cpu"));
        assert!(said.contains(want), "{rules}: {said}");
    }
    for prior in ["0", "1", "half"] {
        let said = folder.failure(2, &format!("fit people.csv -r none.toml -o w.toml --prior {prior}"));
        assert!(said.contains("expected a number between 0 and 1"), "{said}");
    }
}

/// Persons, and what is said of rules and a score that differ in a line.
fn doubts(rules: &str, score: &str, more: &str) -> String {
    let folder = Folder::with(&[("people.csv", &persons())]).file("rules.toml", format!("{rules}{score}"));
    // Any two persons, who are not the same.
    let strangers: String = (0..60).map(|ix| format!("{},{}\n", 2 * ix, 2 * ix + 100)).collect();
    let folder = folder.file("strangers.csv", format!("id_a,id_b\n{strangers}"));
    // The same person, with a slip in the name.
    let slips: String = (0..300).step_by(6).map(|ix| format!("{},{}\n", 2 * ix, 2 * ix + 1)).collect();
    let folder = folder.file("slips.csv", format!("id_a,id_b\n{slips}"));
    let outcome = folder.run(&format!("fit people.csv -r rules.toml -o w.toml --device cpu {more}"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    outcome.stderr
}

const BY_ZIP: &str = "[[rules]]\nname = 'zip'\nwhen = 'l.zip = r.zip'\n";
const BY_PHONE: &str = "[[rules]]\nname = 'phone'\nwhen = 'l.phone = r.phone'\n";

#[test]
fn what_is_doubtful_is_told() {
    let rules = format!("{BY_ZIP}{BY_PHONE}");
    let never = SCORE.replace("levels = [1, 0.9]", "levels = [1, 0.999]");
    let said = doubts(&rules, &never, "");
    assert!(
        said.contains("`name`, level >= 0.999: no pair of records has it, so that u is a guess below"),
        "{said}"
    );
    assert!(said.contains("`name`, level >= 0.999: no match is expected to have it"), "{said}");
    let said = doubts(&rules, SCORE, "--rounds 1");
    assert!(said.contains("rule `zip`: its probabilities have not settled after 1 rounds"), "{said}");
    let said = doubts(&rules, SCORE, "--truth strangers.csv");
    assert!(said.contains("`city`, level holds: it is rarer among matches"), "{said}");
    let said = doubts(&rules, SCORE, "--truth slips.csv");
    assert!(
        said.contains(
            "`name`, level >= 0.9: it seems to weigh more than >= 1, which is better: both weigh the same"
        ),
        "{said}"
    );
    let said = doubts(&rules, &SCORE.replace("[1, 0.9]", "[1, 0.9, 0.01]"), "--sample 300");
    assert!(said.contains("no random pair has it, so that u is a guess below"), "{said}");
    // A rule that learns nothing does no harm beside others.
    for (when, why) in [
        ("l.name = r.name AND l.city = r.city AND l.zip = r.zip", "it asks for nearly all attributes"),
        ("l.name = r.city", "it finds nothing"),
        ("l.zip = r.zip AND l.zip = 'z3' AND l.name = r.name", "all that it finds looks alike"),
        ("l.city <> r.city", "nothing that it finds seems to match"),
        ("l.zip = r.zip AND l.zip = 'z3'", "too little that it finds matches"),
    ] {
        let said = doubts(&format!("{rules}[[rules]]\nname = 'more'\nwhen = \"{when}\"\n"), SCORE, "");
        assert!(
            said.contains(&format!("rule `more`: nothing is learnt from what it finds: {why}")),
            "{said}"
        );
    }
}

#[test]
fn what_cannot_be_estimated_is_refused() {
    let folder = Folder::with(&[("people.csv", &persons())]);
    let nobody = SCORE.replace("[score]\n", "[score]\nsure = [\"l.name = 'nobody' AND l.zip = r.zip\"]\n");
    let none = SCORE.replace("[score]\n", "[score]\nsure = ['l.phone = r.phone']\nrecall = 0\n");
    let folder = folder
        .file("nobody.toml", format!("{BY_ZIP}{BY_PHONE}{nobody}"))
        .file("none.toml", format!("{BY_ZIP}{BY_PHONE}{none}"))
        .file("zip.toml", format!("{BY_ZIP}{SCORE}"));
    for (rules, want) in [
        ("nobody.toml", "`sure` in [score] finds 0 pairs: the prior is 0, and must lie between 0 and 1"),
        ("none.toml", "`recall` is 0: then there is nothing to count"),
        (
            "zip.toml",
            "`zip`: there is no m, nothing is learnt of `zip` because it asks for the attribute itself",
        ),
    ] {
        let said = folder.failure(1, &format!("fit people.csv -r {rules} -o w.toml --device cpu"));
        assert!(said.contains(want), "{rules}: {said}");
    }
}

#[test]
fn a_prior_is_counted_given_or_labelled() {
    let sure =
        SCORE.replace("[score]\n", "[score]\nsure = ['l.phone = r.phone AND l.zip = r.zip']\nrecall = 0.8\n");
    let folder =
        Folder::with(&[("people.csv", &persons())]).file("rules.toml", format!("{BY_ZIP}{BY_PHONE}{sure}"));
    let labels: String = (0..300).step_by(3).map(|ix| format!("{},{}\n", 2 * ix, 2 * ix + 1)).collect();
    let folder = folder.file("truth.csv", format!("id_a,id_b\n{labels}"));
    let fit = "fit people.csv -r rules.toml -o w.toml --device cpu";
    for (more, want) in [
        ("", "sure pairs, taken to be 0.8 of all matches)"),
        ("--prior 0.001", "prior            1.000e-3 (as given)"),
        ("--truth truth.csv", "prior            1.253e-3 (100 labelled pairs)"),
    ] {
        let said = folder.stdout(&format!("{fit} {more}"));
        assert!(said.contains(want), "{said}");
    }
}
