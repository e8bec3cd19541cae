//! What a rule file says counts as missing.

use super::{parse, schema};
use crate::rules::bind;
use insta::assert_snapshot;

fn said(section: &str) -> String {
    let rules = format!("[[rules]]\nwhen = 'l.title = r.title'\n{section}");
    let (left, right) = (schema("left.csv"), schema("right.csv"));
    match parse(&rules).and_then(|file| bind(&file, &left, &right, false)) {
        Ok(_) => "fine".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_understood() {
    assert_eq!(said("[missing]\nwords = ['NA', '-']\n"), "fine");
    assert_eq!(said("[missing.columns]\nyear = ['0']\n'full name' = ['?']\n"), "fine");
    assert_eq!(said("[missing]\nwords = []\n[missing.columns]\nTitle = ['', ' ']\n"), "fine");
}

#[test]
fn what_is_wrong() {
    let all = [
        "[missing]\n",
        "[missing]\nwords = []\n",
        "[missing]\nword = ['NA']\n",
        "[missing]\nwords = 'NA'\n",
        "[missing]\nwords = ['NA', 0]\n",
        "[missing]\nwords = ['NA']\ncolumns = ['year']\n",
        "[missing.columns]\nyear = 0\n",
        "[missing.columns]\nyear = ['0']\ntitel = ['-']\n",
        "[missing.columns]\nxyz = ['-']\n",
        "[[missing]]\nwords = ['NA']\n",
    ];
    assert_snapshot!(all.map(said).join("\n\n"), @r#"
    `[missing]` lists nothing
     --> rules.toml:3:1
      |
    3 | [missing]
      | ^^^^^^^^^
      |
    help: what counts as missing is written `[missing]`, then `words = ["NA", "unknown"]`; for one column, `[missing.columns]`, then `phone = ["0000000000"]`

    `[missing]` lists nothing
     --> rules.toml:3:1
      |
    3 | [missing]
      | ^^^^^^^^^
      |
    help: what counts as missing is written `[missing]`, then `words = ["NA", "unknown"]`; for one column, `[missing.columns]`, then `phone = ["0000000000"]`

    `[missing]` has no key `word`
     --> rules.toml:4:1
      |
    4 | word = ['NA']
      | ^^^^
      |
    help: did you mean `words`?

    `words` is not a list of texts
     --> rules.toml:4:9
      |
    4 | words = 'NA'
      |         ^^^^
      |
    help: what counts as missing is written `[missing]`, then `words = ["NA", "unknown"]`; for one column, `[missing.columns]`, then `phone = ["0000000000"]`

    `words` is a number, not text
     --> rules.toml:4:16
      |
    4 | words = ['NA', 0]
      |                ^
      |
    help: put it in quotes

    `columns` is not a table
     --> rules.toml:5:11
      |
    5 | columns = ['year']
      |           ^^^^^^^^
      |
    help: what counts as missing is written `[missing]`, then `words = ["NA", "unknown"]`; for one column, `[missing.columns]`, then `phone = ["0000000000"]`

    `year` is not a list of texts
     --> rules.toml:4:8
      |
    4 | year = 0
      |        ^
      |
    help: what counts as missing is written `[missing]`, then `words = ["NA", "unknown"]`; for one column, `[missing.columns]`, then `phone = ["0000000000"]`

    neither left.csv nor right.csv has a column `titel`
     --> rules.toml:5:1
      |
    5 | titel = ['-']
      | ^^^^^
      |
    help: did you mean `title`?

    neither left.csv nor right.csv has a column `xyz`
     --> rules.toml:4:1
      |
    4 | xyz = ['-']
      | ^^^
      |
    help: the columns are `title`, `Full Name`, `year`, `price`, `born`, `zip`, `group`, `Größe`

    `missing` is not a table
     --> rules.toml:3:1
      |
    3 | [[missing]]
      | ^^^^^^^^^^^
      |
    help: what counts as missing is written `[missing]`, then `words = ["NA", "unknown"]`; for one column, `[missing.columns]`, then `phone = ["0000000000"]`
    "#);
}
