//! All pairs: what is read of them, and what is said of wrong ones.

use super::parse;
use crate::rules::AllPairs;
use insta::assert_snapshot;

#[test]
fn all_pairs_stand_alone() {
    let all = |source: &str| parse(source).unwrap().all_pairs().cloned().unwrap();
    let plain = AllPairs { name: "all pairs".into(), most: 1_000_000_000 };
    assert_eq!(all("[[pairs]]\nall = true"), plain);
    let named = AllPairs { name: "every".into(), most: 20 };
    assert_eq!(all("[[pairs]]\nname = 'every'\nall = true\nmost = 2_0"), named);
    assert!(parse("[[rules]]\nwhen = 'l.zip = r.zip'").unwrap().all_pairs().is_none());
}

#[test]
fn more_than_are_wanted_are_refused() {
    let all = AllPairs { name: "every".into(), most: 1_000_000_000 };
    assert!(all.check(1_000_000_000).is_ok());
    assert_snapshot!(all.check(4_999_950_000).unwrap_err().to_string(), @"there are 4,999,950,000 pairs, and [[pairs]] allows 1,000,000,000 at most (written out, they would take some 116.41 GiB): write [[rules]] that leave fewer, or set `most = 4999950000`");
}

#[test]
fn wrong_ones() {
    let all = [
        "[[pairs]]",
        "pairs = []",
        "pairs = true",
        "pairs = [1]",
        "[[pairs]]\nall = false",
        "[[pairs]]\nall = 'true'",
        "[[pairs]]\nall = true\nmost = -1",
        "[[pairs]]\nall = true\nmost = 1e9",
        "[[pairs]]\nall = true\nmots = 1",
        "[[pairs]]\nall = true\nname = ' '",
        "[[pairs]]\nall = true\n[[pairs]]\nall = true",
        "[[pairs]]\nall = true\n[[rules]]\nwhen = 'l.zip = r.zip'",
        "[[pairs]]\nall = true\n[[neighbourhoods]]\nkey = 'zip'\nwindow = 2",
    ];
    let said: Vec<String> = all.iter().map(|source| parse(source).unwrap_err().to_string()).collect();
    assert_snapshot!(said.join("\n\n"), @r#"
    it has no `all`
     --> rules.toml:1:1
      |
    1 | [[pairs]]
      | ^^^^^^^^^
      |
    help: all pairs are written `[[pairs]]`, then `all = true`, and if need be `most = 5_000_000_000`, on lines of their own

    `pairs` is not a list of one table
     --> rules.toml:1:9
      |
    1 | pairs = []
      |         ^^
      |
    help: all pairs are written `[[pairs]]`, then `all = true`, and if need be `most = 5_000_000_000`, on lines of their own

    `pairs` is not a list of one table
     --> rules.toml:1:9
      |
    1 | pairs = true
      |         ^^^^
      |
    help: all pairs are written `[[pairs]]`, then `all = true`, and if need be `most = 5_000_000_000`, on lines of their own

    `pairs` is not a list of one table
     --> rules.toml:1:9
      |
    1 | pairs = [1]
      |         ^^^
      |
    help: all pairs are written `[[pairs]]`, then `all = true`, and if need be `most = 5_000_000_000`, on lines of their own

    `all` must be true
     --> rules.toml:2:7
      |
    2 | all = false
      |       ^^^^^
      |
    help: or leave `[[pairs]]` out

    `all` must be true
     --> rules.toml:2:7
      |
    2 | all = 'true'
      |       ^^^^^^
      |
    help: or leave `[[pairs]]` out

    `most` must be a whole number of pairs
     --> rules.toml:3:8
      |
    3 | most = -1
      |        ^^
      |
    help: with more pairs than that, the job is refused

    `most` must be a whole number of pairs
     --> rules.toml:3:8
      |
    3 | most = 1e9
      |        ^^^
      |
    help: with more pairs than that, the job is refused

    a section `pairs` has no key `mots`
     --> rules.toml:3:1
      |
    3 | mots = 1
      | ^^^^
      |
    help: did you mean `most`?

    the name is empty
     --> rules.toml:3:8
      |
    3 | name = ' '
      |        ^^^
      |
    help: give a name, or leave `name` out

    all pairs are there already
     --> rules.toml:3:1
      |
    3 | [[pairs]]
      | ^^^^^^^^^
      |
    help: leave one `[[pairs]]`

    with all pairs, nothing is left for this to find
     --> rules.toml:3:1
      |
    3 | [[rules]]
      | ^^^^^^^^^
      |
    help: leave it out; or leave `[[pairs]]` out

    with all pairs, nothing is left for this to find
     --> rules.toml:3:1
      |
    3 | [[neighbourhoods]]
      | ^^^^^^^^^^^^^^^^^^
      |
    help: leave it out; or leave `[[pairs]]` out
    "#);
}
