//! Neighbourhoods: what is read of them, and what is said of wrong ones.

use super::{parse, schema};
use crate::rules::{Domain, Side, bind_neighbourhoods};
use insta::assert_snapshot;

/// One neighbourhood of two tables as it is understood, or what is said of it.
fn shown(lines: &str, dedupe: bool) -> String {
    let bound = parse(&format!("[[neighbourhoods]]\n{lines}\n")).and_then(|file| {
        let right = schema(if dedupe { "left.csv" } else { "right.csv" });
        bind_neighbourhoods(&file, &schema("left.csv"), &right, dedupe)
    });
    match bound {
        Ok(all) => all.iter().map(|near| format!("{}: {near}, {:?}", near.name, near.domain)).collect(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn keys_are_columns_under_transforms() {
    for (key, want) in [
        ("'title'", "key title, window 3, Text"),
        ("'l.title'", "key title, window 3, Text"),
        ("'soundex(upper(Title))'", "key soundex(upper(title)), window 3, Text"),
        ("'length_key(t.\"Full Name\")'", "key length_key(\"Full Name\"), window 3, Number"),
        ("'year'", "key year, window 3, Number"),
        ("'extract(year from born)'", "key year(born), window 3, Number"),
        ("'born'", "key born, window 3, Date"),
        // Numbers in one table, text in the other.
        ("'zip'", "key zip, window 3, Text"),
        ("['title', 'r.\"group\"']", "keys title and group, window 3, Text"),
        ("['year', 'price']", "keys year and price, window 3, Number"),
    ] {
        let got = shown(&format!("key = {key}\nwindow = 0x3"), false);
        assert_eq!(got, format!("neighbourhood 1: {want}"), "{key}");
    }
    assert_eq!(
        shown("name = 'n'\nkey = 'zip'\nwindow = 1_000", true),
        format!("n: key zip, window 1000, {:?}", Domain::Number)
    );
}

#[test]
fn columns_of_keys_are_read() {
    let file =
        parse("[[neighbourhoods]]\nkey = ['lower(a)', 'b']\nwindow = 2\n[[rules]]\nwhen = 'l.c = r.c'")
            .unwrap();
    let columns = [(Side::Left, "c"), (Side::Right, "c"), (Side::Left, "a"), (Side::Right, "b")];
    assert_eq!(file.columns().collect::<Vec<_>>(), columns);
    assert_eq!((file.len(), parse("[[neighbourhoods]]\nkey = 'a'\nwindow = 2").unwrap().len()), (1, 0));
}

#[test]
fn wrong_ones() {
    let all = [
        "key = 'title'",
        "window = 3",
        "key = 'title'\nwindow = 1",
        "key = 'title'\nwindow = 2.5",
        "key = 'title'\nwindow = '3'",
        "key = 'title'\nwindows = 3",
        "key = 3\nwindow = 3",
        "key = ''\nwindow = 3",
        "key = ['title']\nwindow = 3",
        "key = 'r.title'\nwindow = 3",
        "key = 'sondex(title)'\nwindow = 3",
        "key = 'words(title)'\nwindow = 3",
        "key = \"'x'\"\nwindow = 3",
        "key = 'title, year'\nwindow = 3",
        "key = 'titel'\nwindow = 3",
        "key = ['year', 'born']\nwindow = 3",
        "name = ' '\nkey = 'title'\nwindow = 3",
        "name = 'a'\nkey = 'title'\nwindow = 3\n[[rules]]\nname = 'a'\nwhen = 'l.zip = r.zip'",
    ];
    let two = shown("key = ['title', 'title']\nwindow = 3", true);
    let said: Vec<String> = all.iter().map(|lines| shown(lines, false)).chain([two]).collect();
    assert_snapshot!(said.join("\n\n"), @r#"
    `neighbourhood 1` has no `window`
     --> rules.toml:1:1
      |
    1 | [[neighbourhoods]]
      | ^^^^^^^^^^^^^^^^^^
      |
    help: a neighbourhood is written `[[neighbourhoods]]`, then `key = "soundex(title)"` and `window = 20` on lines of their own

    `neighbourhood 1` has no `key`
     --> rules.toml:1:1
      |
    1 | [[neighbourhoods]]
      | ^^^^^^^^^^^^^^^^^^
      |
    help: a neighbourhood is written `[[neighbourhoods]]`, then `key = "soundex(title)"` and `window = 20` on lines of their own

    `window` must be a whole number from 2 to 1073741824
     --> rules.toml:3:10
      |
    3 | window = 1
      |          ^
      |
    help: records whose places differ by less than it are paired: 2 pairs each with the next

    `window` must be a whole number from 2 to 1073741824
     --> rules.toml:3:10
      |
    3 | window = 2.5
      |          ^^^
      |
    help: records whose places differ by less than it are paired: 2 pairs each with the next

    `window` must be a whole number from 2 to 1073741824
     --> rules.toml:3:10
      |
    3 | window = '3'
      |          ^^^
      |
    help: records whose places differ by less than it are paired: 2 pairs each with the next

    a neighbourhood has no key `windows`
     --> rules.toml:3:1
      |
    3 | windows = 3
      | ^^^^^^^
      |
    help: did you mean `window`?

    `key` is a number, not text
     --> rules.toml:2:7
      |
    2 | key = 3
      |       ^
      |
    help: put it in quotes

    the key is empty
     --> rules.toml:2:7
      |
    2 | key = ''
      |       ^^
      |
    help: write a column, perhaps in transforms: soundex(title)

    `key` is a list of 1, and there are at most two tables
     --> rules.toml:2:7
      |
    2 | key = ['title']
      |       ^^^^^^^^^
      |
    help: write one key, or one for each table

    this key is of the left table
     --> rules.toml:2:8
      |
    2 | key = 'r.title'
      |        ^^^^^^^
      |
    help: write the column alone, without l. or r.

    there is no function `sondex`
     --> rules.toml:2:8
      |
    2 | key = 'sondex(title)'
      |        ^^^^^^
      |
    help: did you mean `soundex`?

    a key is a column, and this is a set of tokens
     --> rules.toml:2:8
      |
    2 | key = 'words(title)'
      |        ^^^^^^^^^^^^
      |
    help: write a column, perhaps in transforms: soundex(title)

    a key is a column, and this is a text
     --> rules.toml:2:8
      |
    2 | key = "'x'"
      |        ^^^
      |
    help: write a column, perhaps in transforms: soundex(title)

    unexpected `,`
     --> rules.toml:2:13
      |
    2 | key = 'title, year'
      |             ^
      |
    help: a key is one column: for several, write several neighbourhoods

    left.csv has no column `titel`
     --> rules.toml:2:8
      |
    2 | key = 'titel'
      |        ^^^^^
      |
    help: did you mean `title`? its columns are title, Full Name, year, price, born, zip, group, Größe

    `l.year` holds numbers, and `r.born` holds dates: they have no order
     --> rules.toml:2:7
      |
    2 | key = ['year', 'born']
      |       ^^^^^^^^^^^^^^^^
      |
    help: sort numbers with numbers and dates with dates

    the neighbourhood's name is empty
     --> rules.toml:2:8
      |
    2 | name = ' '
      |        ^^^
      |
    help: give it a name, or leave `name` out

    there is a rule or neighbourhood `a` already
     --> rules.toml:2:8
      |
    2 | name = 'a'
      |        ^^^
      |
    help: give each a name of its own

    there is one table, and here are two keys
     --> rules.toml:2:7
      |
    2 | key = ['title', 'title']
      |       ^^^^^^^^^^^^^^^^^^
      |
    help: write one key: key = "soundex(title)"
    "#);
}
