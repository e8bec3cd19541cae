//! Lists, and tokens of all kinds.

use super::{bound, errors, schema, shown};
use crate::read::table::Kind;
use insta::assert_snapshot;

#[test]
fn what_is_understood() {
    assert_snapshot!(shown(&[
        "overlap(split(l.title, ';'), split(r.title, '; ')) >= 1",
        "jaccard(lower(split(l.title, ';')), lower(split(r.title, ';'))) >= 0.5",
        "split(l.title, 'it''s') = split(r.title, ';')",
        "split(l.title, ';') IS NULL",
        "overlap(split(concat(l.title, ';', l.group), ';'), coalesce(split(r.title, ';'), split(r.group, ';'))) > 1",
        "overlap(l.title, chars(r.title)) >= 2",
        "overlap(l.title, r.title) >= 2",
        "dice(alphanumeric(casefold(l.title)), alphanumeric(casefold(r.title))) > 0.5",
        "jaccard(shingles(l.title, 2), shingles(r.title, 2)) >= 0.3",
    ]), @r"
    overlap(split(l.title, ';'), split(r.title, '; ')) >= 1
        overlap(split(l.title, ';'), split(r.title, '; ')) >= 1
    jaccard(lower(split(l.title, ';')), lower(split(r.title, ';'))) >= 0.5
        jaccard(lower(split(l.title, ';')), lower(split(r.title, ';'))) >= 0.5
    split(l.title, 'it''s') = split(r.title, ';')
        split(l.title, 'it''s') = split(r.title, ';')
    split(l.title, ';') IS NULL
        split(l.title, ';') IS NULL
    overlap(split(concat(l.title, ';', l.group), ';'), coalesce(split(r.title, ';'), split(r.group, ';'))) > 1
        overlap(split(concat(l.title, ';', l.group), ';'), coalesce(split(r.title, ';'), split(r.group, ';'))) >= 2
    overlap(l.title, chars(r.title)) >= 2
        overlap(chars(l.title), chars(r.title)) >= 2
    overlap(l.title, r.title) >= 2
        overlap(chars(l.title), chars(r.title)) >= 2
    dice(alphanumeric(casefold(l.title)), alphanumeric(casefold(r.title))) > 0.5
        dice(alphanumeric(casefold(l.title)), alphanumeric(casefold(r.title))) > 0.5
    jaccard(shingles(l.title, 2), shingles(r.title, 2)) >= 0.3
        jaccard(shingles(l.title, 2), shingles(r.title, 2)) >= 0.3
    ");
}

#[test]
fn what_is_wrong() {
    assert_snapshot!(errors(&[
        "split(l.title) = r.title",
        "split(l.title, '') = split(r.title, ';')",
        "split(l.title, 5) = split(r.title, ';')",
        "split(l.title, ';') = r.title",
        "overlap(split(l.title, ';'), r.title) >= 1",
        "overlap(split(l.title, ';'), words(r.title)) >= 1",
        "overlap(words(split(l.title, ';')), words(split(r.title, ';'))) >= 1",
        "levenshtein(split(l.title, ';'), split(r.title, ';')) <= 1",
        "split(l.title, ';') < split(r.title, ';')",
        "split(l.title, ';') = 'x'",
        "split(l.title, ';') IN ('x', 'y')",
        "concat(split(l.title, ';'), 'x') = r.title",
        "coalesce(split(l.title, ';'), l.group) = r.title",
        "nullif(split(l.title, ';'), 'x') = r.title",
        "alphanumeric(l.title, 2) = 3",
        "jaccard(shingles(l.title), shingles(r.title)) >= 0.3",
        "jaccard(shingles(l.title, 0), shingles(r.title, 0)) >= 0.3",
        "lookup(l.title) = r.title",
        "overlap(lookup(l.title, ''), lookup(r.title, '')) >= 1",
        "overlap(lookup(l.title, 'no/such.csv'), lookup(r.title, 'no/such.csv')) >= 1",
    ]), @r#"
    split takes a column and a separator, and here is one argument
     --> rules.toml:2:9
      |
    2 | when = "split(l.title) = r.title"
      |         ^^^^^^^^^^^^^^

    the separator of split is empty
     --> rules.toml:2:24
      |
    2 | when = "split(l.title, '') = split(r.title, ';')"
      |                        ^^
      |
    help: write what stands between two elements: split(l.phones, ';')

    the separator of split must be a text, and this is a number
     --> rules.toml:2:24
      |
    2 | when = "split(l.title, 5) = split(r.title, ';')"
      |                        ^
      |
    help: write it in single quotes

    `split(l.title, ';')` gives lists, and `r.title` holds text: a list is compared with a list
     --> rules.toml:2:9
      |
    2 | when = "split(l.title, ';') = r.title"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: make a list of the other: split(r.title, ';')

    `split(l.title, ';')` gives lists, and `r.title` holds text: a list is compared with a list
     --> rules.toml:2:9
      |
    2 | when = "overlap(split(l.title, ';'), r.title) >= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: make a list of the other: split(r.title, ';')

    overlap compares sets of the same kind of token
     --> rules.toml:2:9
      |
    2 | when = "overlap(split(l.title, ';'), words(r.title)) >= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write overlap(words(l.a), words(r.a)) or overlap(qgrams(l.a, 3), qgrams(r.a, 3))

    `split(l.title, ';')` gives lists, whose elements are its tokens
     --> rules.toml:2:9
      |
    2 | when = "overlap(words(split(l.title, ';')), words(split(r.title, ';'))) >= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare the lists themselves: overlap(l.phones, r.phones) >= 1

    `split(l.title, ';')` gives lists, and this compares single values
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(split(l.title, ';'), split(r.title, ';')) <= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare the elements of lists: overlap(l.phones, r.phones) >= 1

    `split(l.title, ';')` gives lists, and this compares single values
     --> rules.toml:2:9
      |
    2 | when = "split(l.title, ';') < split(r.title, ';')"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare the elements of lists: overlap(l.phones, r.phones) >= 1

    `split(l.title, ';')` gives lists, and this is one value
     --> rules.toml:2:9
      |
    2 | when = "split(l.title, ';') = 'x'"
      |         ^^^^^^^^^^^^^^^^^^^
      |
    help: of a list, ask whether it IS NULL; or compare it with a list: overlap(l.phones, r.phones) >= 1

    `split(l.title, ';')` gives lists, and this is one value
     --> rules.toml:2:9
      |
    2 | when = "split(l.title, ';') IN ('x', 'y')"
      |         ^^^^^^^^^^^^^^^^^^^
      |
    help: of a list, ask whether it IS NULL; or compare it with a list: overlap(l.phones, r.phones) >= 1

    a list is no text that can be joined
     --> rules.toml:2:16
      |
    2 | when = "concat(split(l.title, ';'), 'x') = r.title"
      |                ^^^^^^^^^^^^^^^^^^^
      |
    help: join the texts, and split what comes of it

    here are a list and a text
     --> rules.toml:2:39
      |
    2 | when = "coalesce(split(l.title, ';'), l.group) = r.title"
      |                                       ^^^^^^^
      |
    help: make a list of the text: split(l.phone, ';')

    here are a list and a text
     --> rules.toml:2:37
      |
    2 | when = "nullif(split(l.title, ';'), 'x') = r.title"
      |                                     ^^^
      |
    help: make a list of the text: split(l.phone, ';')

    alphanumeric takes one column, and here are 2 arguments
     --> rules.toml:2:9
      |
    2 | when = "alphanumeric(l.title, 2) = 3"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^

    shingles takes a column and a number of words, and here is one argument
     --> rules.toml:2:17
      |
    2 | when = "jaccard(shingles(l.title), shingles(r.title)) >= 0.3"
      |                 ^^^^^^^^^^^^^^^^^

    the words of a shingle must be a whole number from 1 to 16
     --> rules.toml:2:35
      |
    2 | when = "jaccard(shingles(l.title, 0), shingles(r.title, 0)) >= 0.3"
      |                                   ^

    lookup takes a column and a file, and here is one argument
     --> rules.toml:2:9
      |
    2 | when = "lookup(l.title) = r.title"
      |         ^^^^^^^^^^^^^^^

    the file of lookup has no name
     --> rules.toml:2:33
      |
    2 | when = "overlap(lookup(l.title, ''), lookup(r.title, '')) >= 1"
      |                                 ^^
      |
    help: write lookup(l.first_name, 'nicknames.csv')

    cannot read no/such.csv: No such file or directory (os error 2)
     --> rules.toml:2:33
      |
    2 | when = "overlap(lookup(l.title, 'no/such.csv'), lookup(r.title, 'no/such.csv')) >= 1"
      |                                 ^^^^^^^^^^^^^
      |
    help: name a table of two columns, by its path from the folder of the rule file
    "#);
}

/// Lists are never texts: what follows of a text does not follow of them.
#[test]
fn columns_of_lists() {
    let mut lists = schema("left.csv");
    lists.columns[0].kind = Kind::List;
    let file = |when: &str| super::parse(&super::toml(when)).unwrap();
    let shown = |when: &str| match crate::rules::bind(&file(when), &lists, &lists, false) {
        Ok(rules) => rules[0].to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(shown("overlap(l.title, r.title) >= 1"), "overlap(l.title, r.title) >= 1");
    assert_eq!(shown("upper(l.title) = upper(r.title)"), "upper(l.title) = upper(r.title)");
    assert_snapshot!(shown("l.title = r.group"), @r#"
    `l.title` holds lists, and `r.group` holds text: a list is compared with a list
     --> rules.toml:2:9
      |
    2 | when = "l.title = r.group"
      |         ^^^^^^^^^^^^^^^^^
      |
    help: make a list of the other: split(r.group, ';')
    "#);
    assert_snapshot!(shown("abs(l.title - r.title) <= 1"), @r#"
    `l.title` holds lists, and this compares single values
     --> rules.toml:2:9
      |
    2 | when = "abs(l.title - r.title) <= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare the elements of lists: overlap(l.phones, r.phones) >= 1
    "#);
    assert!(bound("overlap(l.title, r.title) >= 1", false).unwrap().to_string().contains("chars"));
}
