//! Distances on the sphere: what is understood, what is refused, and what follows from what.

use super::{bound, errors, shown};
use crate::rules::Predicate;
use crate::rules::implication::Said;
use insta::assert_snapshot;

#[test]
fn what_is_understood() {
    assert_snapshot!(shown(&[
        "distance_km(l.year, l.price, r.year, r.price) <= 1.50",
        "distance_km(r.year, r.price, l.year, l.price) < 2",
        "1e2 >= DISTANCE_KM(l.year, l.price, r.price, r.year)",
        "distance_km(l.year, l.price, r.year, r.price) BETWEEN 1 AND 2",
        "NOT distance_km(l.year, l.price, r.year, r.price) > 0.001",
        "distance_km(l.year, l.price, r.year, r.price) NOT BETWEEN 0 AND 20015",
        "distance_km(trim(l.title), coalesce(l.price, l.year), trim(r.title), r.price) >= 3",
    ]), @r"
    distance_km(l.year, l.price, r.year, r.price) <= 1.50
        distance_km(l.year, l.price, r.year, r.price) <= 1.5
    distance_km(r.year, r.price, l.year, l.price) < 2
        distance_km(l.year, l.price, r.year, r.price) < 2
    1e2 >= DISTANCE_KM(l.year, l.price, r.price, r.year)
        distance_km(l.year, l.price, r.price, r.year) <= 100
    distance_km(l.year, l.price, r.year, r.price) BETWEEN 1 AND 2
        distance_km(l.year, l.price, r.year, r.price) <= 2 AND distance_km(l.year, l.price, r.year, r.price) >= 1
    NOT distance_km(l.year, l.price, r.year, r.price) > 0.001
        distance_km(l.year, l.price, r.year, r.price) <= 0.001
    distance_km(l.year, l.price, r.year, r.price) NOT BETWEEN 0 AND 20015
        distance_km(l.year, l.price, r.year, r.price) > 20015
    distance_km(trim(l.title), coalesce(l.price, l.year), trim(r.title), r.price) >= 3
        distance_km(trim(l.title), coalesce(l.price, l.year), trim(r.title), r.price) >= 3
    ");
}

#[test]
fn what_is_refused() {
    assert_snapshot!(errors(&[
        "distance_km(l.year, l.price, r.year) <= 1",
        "distance_km(l.year, r.year, l.price, r.price) <= 1",
        "distance_km(l.year, l.price, l.year, l.price) <= 1",
        "distance_km(l.year, 8.5, r.year, r.price) <= 1",
        "distance_km(l.title, l.price, r.year, r.price) <= 1",
        "distance_km(l.year, l.price, r.zip, r.price) <= 1",
        "distance_km(l.year, l.born, r.year, r.price) <= 1",
        "distance_km(l.year, l.longitude, r.year, r.price) <= 1",
        "distance_km(l.year, l.price, r.year, r.price) <= -1",
        "distance_km(l.year, l.price, r.year, r.price) < 0",
        "distance_km(l.year, l.price, r.year, r.price) >= 0",
        "distance_km(l.year, l.price, r.year, r.price) <= 20016",
        "distance_km(l.year, l.price, r.year, r.price) > 20016",
        "distance_km(l.year, l.price, r.year, r.price) = 1",
        "distance_km(l.year, l.price, r.year, r.price) <= '1'",
        "distance_km(l.year, l.price, r.year, r.price)",
        "distance(l.year, l.price, r.year, r.price) <= 1",
    ]), @r#"
    distance_km takes a latitude and a longitude of each record, and here are 3 arguments
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year) <= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write distance_km(l.lat, l.lon, r.lat, r.lon): latitude and longitude of the one, then of the other

    a latitude and a longitude side by side are of two records here
     --> rules.toml:2:29
      |
    2 | when = "distance_km(l.year, r.year, l.price, r.price) <= 1"
      |                             ^^^^^^
      |
    help: write distance_km(l.lat, l.lon, r.lat, r.lon): latitude and longitude of the one, then of the other

    both columns are of the same record
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, l.year, l.price) <= 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule compares l with r: one column must be of l, the other of r

    distance_km takes a column, not a number
     --> rules.toml:2:29
      |
    2 | when = "distance_km(l.year, 8.5, r.year, r.price) <= 1"
      |                             ^^^
      |
    help: write a column of l or of r, perhaps in a transform such as lower

    distance_km needs degrees, as numbers, and `title` holds text
     --> rules.toml:2:21
      |
    2 | when = "distance_km(l.title, l.price, r.year, r.price) <= 1"
      |                     ^^^^^^^
      |
    help: mend the table, or write trim(title), which is missing where it is no number

    distance_km needs degrees, as numbers, and `zip` holds text (row 17 holds `D-10115`)
     --> rules.toml:2:38
      |
    2 | when = "distance_km(l.year, l.price, r.zip, r.price) <= 1"
      |                                      ^^^^^
      |
    help: mend the table, or write trim(zip), which is missing where it is no number

    distance_km needs degrees, as numbers, and `born` holds dates
     --> rules.toml:2:29
      |
    2 | when = "distance_km(l.year, l.born, r.year, r.price) <= 1"
      |                             ^^^^^^
      |
    help: write the columns of latitudes and longitudes

    left.csv has no column `longitude`
     --> rules.toml:2:29
      |
    2 | when = "distance_km(l.year, l.longitude, r.year, r.price) <= 1"
      |                             ^^^^^^^^^^^
      |
    help: its columns are title, Full Name, year, price, born, zip, group, Größe

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price) <= -1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price) < 0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price) >= 0"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    this is true wherever both values are there
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price) <= 20016"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: leave it out, or compare with another number

    this is never true
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price) > 20016"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare with another number

    a distance on the sphere is compared by <=, <, >= or >
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price) = 1"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write <= 1

    a measure is compared with a number, not a text
     --> rules.toml:2:58
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price) <= '1'"
      |                                                          ^^^
      |
    help: write it without quotes: <= 1.5

    a measure alone is no comparison
     --> rules.toml:2:9
      |
    2 | when = "distance_km(l.year, l.price, r.year, r.price)"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: compare it with a number of kilometres: <= 1.5

    there is no function `distance`
     --> rules.toml:2:9
      |
    2 | when = "distance(l.year, l.price, r.year, r.price) <= 1"
      |         ^^^^^^^^
      |
    help: did you mean `distance_km`?
    "#);
}

#[test]
fn what_follows_from_what() {
    let predicate = |what: &str| -> Predicate {
        let when = what.replace("d ", "distance_km(l.year, l.price, r.year, r.price) ");
        bound(&when, false).unwrap().conjunctions[0][0].clone()
    };
    let implies = |p: &str, q: &str| Said::by(&predicate(p)).implies(&Said::by(&predicate(q)));
    assert!(implies("d <= 1", "d <= 2") && implies("d <= 1", "d < 1.5") && implies("d < 1", "d <= 1"));
    assert!(implies("d > 2", "d > 1") && implies("d > 2", "d >= 2") && implies("d <= 0", "d <= 0.000001"));
    assert!(!implies("d <= 2", "d <= 1") && !implies("d <= 1", "d < 1") && !implies("d <= 1", "d > 0.5"));
    // Other columns, or the same in another order.
    let turned = "distance_km(l.price, l.year, r.year, r.price) <= 2";
    assert!(!implies("d <= 1", turned));
    let excludes = |p: &str, q: &str| Said::by(&predicate(p)).excludes(&Said::by(&predicate(q)));
    assert!(excludes("d <= 1", "d > 1") && excludes("d <= 1", "d >= 2") && !excludes("d <= 2", "d >= 1"));
    // A number so near to another one that no chord lies between them asks for the same, whatever it is called.
    assert!(implies("d <= 1", "d <= 1.00000000000000000001"));
}
