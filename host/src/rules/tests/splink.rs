//! Rules as they stand in other people's files: blocking rules of Splink over DuckDB and Spark, unchanged.

use super::{parse, toml};
use crate::read::table::{ColumnSchema, Kind, Schema};
use crate::rules::bind;

fn people() -> Schema {
    let column = |(name, kind): (&str, Kind)| ColumnSchema { name: name.to_owned(), kind, why_text: None };
    let columns = [
        ("unique_id", Kind::Integer),
        ("first_name", Kind::Text),
        ("surname", Kind::Text),
        ("dob", Kind::Date),
        ("postcode_fake", Kind::Text),
        ("birth_place", Kind::Text),
        ("occupation", Kind::Text),
        ("email", Kind::Text),
        ("city", Kind::Text),
        ("amount", Kind::Float),
    ];
    Schema { table: "people.csv".to_owned(), columns: columns.into_iter().map(column).collect() }
}

#[test]
fn splink_rules_run_unchanged() {
    for when in [
        "l.first_name = r.first_name",
        "l.first_name = r.first_name AND levenshtein(l.dob, r.dob) <= 1",
        "l.first_name = r.first_name and levenshtein(r.dob, l.dob) <= 1",
        "l.\"first_name\" = r.\"first_name\" AND l.\"surname\" = r.\"surname\"",
        "\"l\".\"surname\" = \"r\".\"surname\"",
        "(l.\"surname\" = r.\"surname\") AND (l.\"dob\" = r.\"dob\")",
        "\n    l.first_name = r.first_name\n    and l.surname = r.surname\n    and l.dob = r.dob\n    ",
        "substr(l.dob, 1, 4) = substr(r.dob, 1, 4)",
        "substr(l.first_name,1,2) = substr(r.first_name,1,2) and l.surname = r.surname",
        "SUBSTRING(l.surname, 1, 4) = SUBSTRING(r.surname, 1, 4)",
        "substring(l.postcode_fake FROM 1 FOR 3) = substring(r.postcode_fake FROM 1 FOR 3)",
        "left(l.surname, 3) = left(r.surname, 3) AND right(l.dob, 5) = right(r.dob, 5)",
        "l.dob = r.dob and substr(l.first_name,1,1) = substr(r.first_name,1,1)",
        "lower(l.email) = lower(r.email) or lcase(l.city) = lcase(r.city)",
        "jaro_winkler_similarity(l.surname, r.surname) > 0.9",
        "jaro_similarity(l.first_name, r.first_name) >= 0.88 AND l.city = r.city",
        "damerau_levenshtein(l.dob, r.dob) <= 1 AND l.surname = r.surname",
        "jaccard(l.first_name, r.first_name) > 0.7 AND l.dob = r.dob",
        "levenshtein(l.first_name, r.first_name) < 3 AND l.unique_id < r.unique_id",
        "year(l.dob) = year(r.dob) AND l.surname = r.surname",
        "abs(year(l.dob) - year(r.dob)) <= 1 and soundex(l.surname) = soundex(r.surname)",
        "extract(year from l.dob) = extract(year from r.dob)",
        "strip_accents(lower(l.surname)) = strip_accents(lower(r.surname))",
        "regexp_replace(l.postcode_fake, '[^0-9A-Z]', '', 'g') = regexp_replace(r.postcode_fake, '[^0-9A-Z]', '', 'g')",
        "l.first_name = r.surname and l.surname = r.first_name",
        "l.city = r.city and l.email is not null and r.email is not null",
        "l.amount > 100 and r.amount > 100 and abs(l.amount - r.amount) < 0.01",
        "l.occupation in ('poet', 'novelist') and l.occupation = r.occupation",
        "l.surname = r.surname and not l.first_name = r.first_name",
    ] {
        let people = people();
        for dedupe in [false, true] {
            let bound = parse(&toml(when)).and_then(|file| bind(&file, &people, &people, dedupe));
            assert!(bound.is_ok(), "{}", bound.unwrap_err());
        }
    }
}
