//! What `profile` says of tables: of whole ones, and of odd ones.

use crate::program::Folder;
use hyperblock::serde_json::Value;

const PEOPLE: &str = "\
id,name,born,phone,none
1,Ann,1980-01-01,0000,
2,Ann,1980-01-02,0000,
3,Bob,N/A,0000,
4,Zoë,1980-01-02,5551234,
";

fn json(folder: &Folder, arguments: &str) -> Value {
    let said = folder.stdout(&format!("profile {arguments} --format json"));
    hyperblock::serde_json::from_str(&said).expect("an answer for programs is JSON")
}

#[test]
fn text_and_json_say_the_same() {
    let folder = Folder::with(&[("people.csv", PEOPLE)]);
    let said = folder.stdout("profile people.csv");
    insta::assert_snapshot!(said, @r#"
    people.csv: 4 records, 5 columns
      id: whole numbers, distinct=4, missing=0 (0.0%)
          the ids
          length 1 to 1, median 1, mean 1.0
      name: text, distinct=3, missing=0 (0.0%)
          length 3 to 3, median 3, mean 3.0
                  2 (50.0%)  'Ann'
      born: text, distinct=3, missing=0 (0.0%)
          length 3 to 10, median 10, mean 8.2
                  2 (50.0%)  '1980-01-02'
          placeholder? 'N/A' (1): a word for nothing
      phone: text, distinct=2, missing=0 (0.0%)
          length 4 to 7, median 4, mean 4.8
                  3 (75.0%)  '0000'
      none: empty, distinct=0, missing=4 (100.0%)
    What looks like a placeholder counts as missing if the rule file says so; keep what is a value:
        [missing]
        words = ["N/A"]
    "#);
    let json = json(&folder, "people.csv");
    let column = |nth: usize| &json["tables"][0]["columns"][nth];
    assert_eq!(json["tables"][0]["records"], 4);
    assert_eq!(column(0)["id"], true);
    assert_eq!(column(0)["key"]["unique"], true);
    assert_eq!(column(1)["heavy"][0]["records"], 2);
    assert_eq!(column(2)["placeholders"][0]["value"], "N/A");
    assert_eq!(column(4)["missing"], 4);
    assert!(column(4)["lengths"].is_null());
}

/// What is told as missing is what a rule file makes missing: the snippet runs.
#[test]
fn the_section_that_is_shown_is_one() {
    let folder = Folder::with(&[("people.csv", PEOPLE)]);
    let said = folder.stdout("profile people.csv");
    let section = said.split("[missing]").nth(1).expect("there are placeholders");
    let rules = format!("[[rules]]\nwhen = \"l.born = r.born\"\n[missing]{section}");
    let folder = folder.file("rules.toml", rules);
    assert_eq!(folder.stdout("dedupe people.csv -r rules.toml --count"), "1\n");
}

#[test]
fn odd_tables() {
    let wide: Vec<String> = (0..3000).map(|n| format!("c{n}")).collect();
    let wide = format!("{}\n{}\n", wide.join(","), vec!["x"; 3000].join(","));
    let folder = Folder::with(&[
        ("header.csv", "id,name\n"),
        ("one.csv", "name\nAnn\nBob\n"),
        ("nothing.csv", ""),
        ("wide.csv", &wide),
        ("huge.csv", &format!("id,text\n1,{}\n2,x\n", "a".repeat(1 << 20))),
        ("twice.csv", "id,name\n1,a\n1,b\n,c\n"),
    ]);
    assert!(folder.stdout("profile header.csv").starts_with("header.csv: 0 records, 2 columns\n"));
    assert!(folder.stdout("profile one.csv").contains("1 column\n"));
    assert!(folder.stdout("profile wide.csv").contains("c2999: text"));
    assert!(folder.stdout("profile huge.csv").contains("length 1 to 1048576, median 1,"));
    let twice = folder.stdout("profile twice.csv");
    assert!(
        twice.contains("the ids, but 2 records have none of their own; name another column with --id"),
        "{twice}"
    );
    assert!(
        folder
            .stdout("profile twice.csv --id name")
            .contains("name: text, distinct=3, missing=0 (0.0%)\n      the ids\n")
    );
    assert!(folder.failure(1, "profile nothing.csv").contains("the file is empty"));
    assert!(
        folder
            .failure(1, "profile one.csv --id nr")
            .contains("no column `nr` for the ids; the columns are `name`")
    );
    let folder = folder.file("latin.csv", b"id,name\n1,Zo\xeb\n");
    assert!(folder.failure(1, "profile latin.csv").contains("UTF-8"));
}
