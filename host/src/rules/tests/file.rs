//! The TOML around the rules.

use super::{parse, toml};
use crate::base::error::Error;
use crate::rules::{RuleFile, Side};
use insta::assert_snapshot;

fn errors(sources: &[&str]) -> String {
    let error = |source: &&str| match parse(source) {
        Ok(_) => format!("no error in {source}"),
        Err(error) => error.to_string(),
    };
    sources.iter().map(error).collect::<Vec<_>>().join("\n\n")
}

#[test]
fn names_and_columns() {
    let file = parse(
        "[[rules]]\nwhen = \"l.a = r.b\"\n\
         [[rules]]\nname = \"second\"\nwhen = 'NOT (T.a = s.\"B c\" OR lower(l.a) = ''x'')'\n\
         [[rules]]\nwhen = '''\nabs(r.y - l.y) <= 2 -- years\n'''\n"
            .replace("''x''", "r.d")
            .as_str(),
    )
    .unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["rule 1", "second", "rule 3"]);
    assert_eq!((file.len(), file.is_empty()), (3, false));
    let (l, r) = (Side::Left, Side::Right);
    let columns = [(l, "a"), (r, "b"), (r, "B c"), (r, "d"), (l, "y"), (r, "y")];
    assert_eq!(file.columns().collect::<Vec<_>>(), columns);
    assert!(parse("rules = [{ when = 'l.a = r.a' }]").is_ok());
}

#[test]
fn not_a_rule_file() {
    assert_snapshot!(errors(&[
        "",
        "rules = []",
        "rules = 3",
        "rules = ['l.a = r.a']",
        "[rules]\nwhen = 'l.a = r.a'",
        "[[rule]]\nwhen = 'l.a = r.a'",
        "threshold = 3\n[[rules]]\nwhen = 'l.a = r.a'",
        "[[rules]]\nwhen = l.a = r.a",
        "[[rules]]\nwhen = 'l.a = r.a",
    ]), @r#"
    there are no rules in this file
     --> rules.toml:1:1
      |
    1 |
      | ^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    there are no rules in this file
     --> rules.toml:1:9
      |
    1 | rules = []
      |         ^^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    `rules` is not a list of tables
     --> rules.toml:1:9
      |
    1 | rules = 3
      |         ^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    a rule is a table
     --> rules.toml:1:10
      |
    1 | rules = ['l.a = r.a']
      |          ^^^^^^^^^^^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    `rules` is not a list of tables
     --> rules.toml:1:1
      |
    1 | [rules]
      | ^^^^^^^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    a rule file has no key `rule`
     --> rules.toml:1:3
      |
    1 | [[rule]]
      |   ^^^^
      |
    help: did you mean `rules`?

    a rule file has no key `threshold`
     --> rules.toml:1:1
      |
    1 | threshold = 3
      | ^^^^^^^^^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    this is not TOML: unexpected key or value, expected newline, `#`
     --> rules.toml:2:12
      |
    2 | when = l.a = r.a
      |            ^

    this is not TOML: invalid literal string, expected `'`
     --> rules.toml:2:18
      |
    2 | when = 'l.a = r.a
      |                  ^
    "#);
}

#[test]
fn not_a_rule() {
    assert_snapshot!(errors(&[
        "[[rules]]\nname = 'a'",
        "[[rules]]",
        "[[rules]]\nwhere = 'l.a = r.a'",
        "[[rules]]\nwhen = 'l.a = r.a'\nweight = 3",
        "[[rules]]\nwhen = 3",
        "[[rules]]\nwhen = ['l.a = r.a']",
        "[[rules]]\nname = true\nwhen = 'l.a = r.a'",
        "[[rules]]\nname = ' '\nwhen = 'l.a = r.a'",
        "[[rules]]\nname = 'a'\nwhen = 'l.a = r.a'\n[[rules]]\nname = 'a'\nwhen = 'l.b = r.b'",
        "[[rules]]\nname = 'rule 2'\nwhen = 'l.a = r.a'\n[[rules]]\nwhen = 'l.b = r.b'",
        "[[rules]]\nwhen = ''",
        "[[rules]]\nwhen = ' '",
        "[[rules]]\nwhen = '-- later'",
    ]), @r#"
    `a` has no `when`
     --> rules.toml:1:1
      |
    1 | [[rules]]
      | ^^^^^^^^^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    `rule 1` has no `when`
     --> rules.toml:1:1
      |
    1 | [[rules]]
      | ^^^^^^^^^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    a rule has no key `where`
     --> rules.toml:2:1
      |
    2 | where = 'l.a = r.a'
      | ^^^^^
      |
    help: did you mean `when`?

    a rule has no key `weight`
     --> rules.toml:3:1
      |
    3 | weight = 3
      | ^^^^^^
      |
    help: a rule is written `[[rules]]`, then `name = "…"` and `when = "…"` on lines of their own

    `when` is a number, not text
     --> rules.toml:2:8
      |
    2 | when = 3
      |        ^
      |
    help: put it in quotes

    `when` is a list, not text
     --> rules.toml:2:8
      |
    2 | when = ['l.a = r.a']
      |        ^^^^^^^^^^^^^
      |
    help: put it in quotes

    `name` is true or false, not text
     --> rules.toml:2:8
      |
    2 | name = true
      |        ^^^^
      |
    help: put it in quotes

    the rule's name is empty
     --> rules.toml:2:8
      |
    2 | name = ' '
      |        ^^^
      |
    help: give it a name, or leave `name` out

    there is a rule `a` already
     --> rules.toml:5:8
      |
    5 | name = 'a'
      |        ^^^
      |
    help: give every rule a name of its own

    there is a rule `rule 2` already
     --> rules.toml:4:1
      |
    4 | [[rules]]
      | ^^^^^^^^^
      |
    help: give every rule a name of its own

    the rule is empty
     --> rules.toml:2:8
      |
    2 | when = ''
      |        ^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    the rule is empty
     --> rules.toml:2:8
      |
    2 | when = ' '
      |        ^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    the rule is empty
     --> rules.toml:2:8
      |
    2 | when = '-- later'
      |        ^^^^^^^^^^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2
    "#);
}

#[test]
fn points_into_every_kind_of_string() {
    assert_snapshot!(errors(&[
        "[[rules]]\nwhen = \"l.\\\"Full Name\\\" = r.\\u00e9 AND x = r.a\"",
        "[[rules]]\nwhen = 'l.\"é\" = r.é AND x = r.a'",
        "[[rules]]\nwhen = \"\"\"\nl.a = r.a AND \\\n   x = \\\n   r.a\"\"\"",
        "[[rules]]\nwhen = '''\nl.a = r.a AND\n\tx = r.a'''",
        "\u{feff}[[rules]]\r\nwhen = '''\r\nl.a = r.a AND\r\n x = r.a'''",
        "[[rules]]\nwhen = \"\"\"\nl.a = r.a AND lower(l.b) LIKE\\\n   'x'\"\"\"",
    ]), @r#"
    `x` could be a column of l or of r
     --> rules.toml:2:40
      |
    2 | when = "l.\"Full Name\" = r.\u00e9 AND x = r.a"
      |                                        ^
      |
    help: write l.x or r.x

    `x` could be a column of l or of r
     --> rules.toml:2:25
      |
    2 | when = 'l."é" = r.é AND x = r.a'
      |                         ^
      |
    help: write l.x or r.x

    `x` could be a column of l or of r
     --> rules.toml:4:4
      |
    4 |    x = \
      |    ^
      |
    help: write l.x or r.x

    `x` could be a column of l or of r
     --> rules.toml:4:2
      |
    4 |     x = r.a'''
      |     ^
      |
    help: write l.x or r.x

    `x` could be a column of l or of r
     --> rules.toml:4:2
      |
    4 |  x = r.a'''
      |  ^
      |
    help: write l.x or r.x

    `LIKE` is not supported here
     --> rules.toml:3:15
      |
    3 |   l.a = r.a AND lower(l.b) LIKE\
      |  _______________^
    4 | |    'x'"""
      | |______^
      |
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2
    "#);
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(RuleFile::read(&folder.path().join("none.toml")), Err(Error::Io { .. })));
    assert!(matches!(RuleFile::read(folder.path()), Err(Error::Io { .. })));

    let path = folder.path().join("rules.toml");
    std::fs::write(&path, toml("l.a = r.a")).unwrap();
    assert_eq!(RuleFile::read(&path).unwrap().len(), 1);

    std::fs::write(&path, b"[[rules]]\nwhen = 'l.a = \xff\xfe'").unwrap();
    let error = RuleFile::read(&path).unwrap_err().to_string();
    assert_snapshot!(error.replace(&folder.path().display().to_string(), ""), @r#"
    this is not UTF-8
     --> /rules.toml:2:15
      |
    2 | when = 'l.a = ��'
      |               ^
      |
    help: save the rule file as UTF-8
    "#);
}
