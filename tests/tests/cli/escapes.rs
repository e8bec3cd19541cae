//! What would move a cursor or turn a text around is shown, not obeyed; files and JSON hold it as it is.

use crate::program::Folder;

/// A colour, the end of a title, a C1 sequence, and a text that turns round.
const EVIL: &str = "\u{1b}[31m\u{7}\u{9b}2J\u{202e}";
const SHOWN: &str = r"\x1b[31m\x07\u{9b}2J\u{202e}";

fn folder() -> Folder {
    let table = format!("id,name,x\na{EVIL},b{EVIL},1\nc,b{EVIL},NaN\nd,b{EVIL},2\n");
    let rules = r#"
        [[rules]]
        name = "n EVIL"
        when = "l.name = r.name OR l.name = 'EVIL'"
        [[rules]]
        name = "m EVIL"
        when = "l.name = r.name AND l.x = r.x"
        [score]
        [[score.attributes]]
        name = "a EVIL"
        measure = "jaro(l.name, r.name)"
    "#;
    let escaped = r"\u001b[31m\u0007\u009b2J\u202e";
    Folder::with(&[("t.csv", &table), ("rules.toml", &rules.replace("EVIL", escaped))])
}

#[track_caller]
fn check(text: &str) {
    let is_obeyed =
        |char: char| char != '\n' && (char.is_control() || ('\u{202a}'..='\u{202e}').contains(&char));
    assert!(!text.contains(is_obeyed) && text.contains(SHOWN), "{text:?}");
}

#[test]
fn in_summaries_and_warnings() {
    let folder = folder();
    let ran = folder.run("dedupe t.csv -r rules.toml -o out.csv --device cpu");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    check(&ran.stderr);
    assert!(ran.stderr.contains(&format!("  n {SHOWN}  3\n")), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("every pair that rule `m {SHOWN}` allows")), "{}", ran.stderr);
    assert!(folder.read("out.csv").contains(&format!("a{EVIL},c,n {EVIL},1")), "data stays as it is");
}

#[test]
fn in_plans_and_answers() {
    let folder = folder();
    check(&folder.stdout("explain t.csv -r rules.toml --device cpu"));
    let stats = folder.stdout("explain t.csv -r rules.toml --device cpu --stats");
    check(&stats);
    assert!(stats.contains(&format!("'b{SHOWN}'")), "{stats}");
    check(&folder.stdout("why c d t.csv -r rules.toml"));
    let json = folder.stdout("why c d t.csv -r rules.toml --format json");
    assert!(
        json.contains(&format!("\"b{EVIL}\"").replace('\u{1b}', r"\u001b").replace('\u{7}', r"\u0007")),
        "{json}"
    );
    let fellegi = folder.read("rules.toml").replace("[score]", "[score]\nscore = 'fellegi-sunter'");
    let table = "id,name,x\n1,ab,1\n2,abc,1\n3,ab,1\n";
    let folder =
        folder.file("rules.toml", fellegi.replace("l.name = r.name OR", "l.x = r.x OR")).file("t.csv", table);
    check(&folder.failure(1, "fit t.csv -r rules.toml -o w.toml --device cpu"));
    let folder = folder.file("truth.csv", "id_a,id_b\n1,2\n1,3\n");
    check(&folder.stdout("fit t.csv -r rules.toml -o w.toml --device cpu --truth truth.csv"));
}

#[test]
fn in_errors() {
    let folder = folder();
    let message = |arguments: &str| folder.failure(1, &format!("{arguments} --device cpu --quiet"));
    check(&message(&format!("dedupe nothing{EVIL}.csv -r rules.toml -o out.csv")));
    let name = "twice.csv";
    let folder = self::folder().file(name, format!("id,name,x\n{EVIL},a,1\n{EVIL},b,2\n"));
    check(&folder.failure(1, "dedupe twice.csv -r rules.toml -o out.csv --device cpu --quiet"));
    let folder =
        folder.file("bad.toml", "[[rules]]\nname = 'x'\nwhen = \"l.x = 'EVIL\"\n".replace("EVIL", r"\u001b"));
    let said = folder.failure(1, "dedupe t.csv -r bad.toml -o out.csv --device cpu --quiet");
    assert!(!said.replace('\n', "").contains(char::is_control), "{said:?}");
    let folder = folder.file("bad.toml", format!("[[rules]]\nname = 'x'\nwhen = \"l.{EVIL} = r.y\"\n"));
    let said = folder.failure(1, "dedupe t.csv -r bad.toml -o out.csv --device cpu --quiet");
    assert!(!said.replace('\n', "").contains(char::is_control), "{said:?}");
}
