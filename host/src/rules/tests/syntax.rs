//! What a `when` can say, and what is said where it is not SQL.

use super::{errors, parse, shown, toml};
use crate::rules::Side;
use insta::assert_snapshot;

#[test]
fn spellings() {
    assert_snapshot!(shown(&[
        "l.title = r.title",
        "R.title != T.title",
        "S.\"Full Name\" = l.`title`",
        "(l.title) = ((r.title))",
        "l.group == r.GROUP",
        "l.Größe = r.\"Größe\"",
        "l.title = 'It''s'",
        "'DE' <> r.title",
        "l.year = 1999 AND -1.50 <> r.price AND l.price = .5",
        "l.born = '2020-02-29'",
        "lower(trim(l.title)) = soundex(substr(r.title, 2))",
        "SUBSTRING(l.title FROM 2 FOR 3) = substr(r.title, 2, 3)",
        "substring(l.title for 3) = substring(r.title, 1, 3)",
        "l.zip = r.zip",
        "-- a comment\nl.title = r.title /* another */",
        "ucase(l.title) = lcase(r.title) OR upper(l.title) = left(r.title, 3)",
        "right(strip_accents(l.title), 4) = metaphone(r.title)",
        "regexp_replace(l.title, '[^a-z]', '', 'gi') = regexp_replace(r.title, '(\\w+) (\\w+)', '\\2 \\1')",
        "year(l.born) = extract(year FROM r.born) AND year(r.title) >= 1990",
        "l.title IS NULL AND trim(r.title) IS NOT NULL",
        "l.title IN ('a', 'b') AND r.year NOT IN (1, 2)",
        "l.title < 'm' AND r.year >= 1990 AND l.born > '2020-01-31' AND 3 >= l.price",
        "l.year BETWEEN 1 AND 2 AND r.title NOT BETWEEN 'a' AND 'b'",
        "l.year BETWEEN r.year AND r.price",
    ]), @r#"
    l.title = r.title
        l.title = r.title
    R.title != T.title
        l.title <> r.title
    S."Full Name" = l.`title`
        l.title = r."Full Name"
    (l.title) = ((r.title))
        l.title = r.title
    l.group == r.GROUP
        l.group = r.group
    l.Größe = r."Größe"
        l."Größe" = r."Größe"
    l.title = 'It''s'
        l.title = 'It''s'
    'DE' <> r.title
        r.title <> 'DE'
    l.year = 1999 AND -1.50 <> r.price AND l.price = .5
        l.year = 1999 AND r.price <> -1.5 AND l.price = 0.5
    l.born = '2020-02-29'
        l.born = '2020-02-29'
    lower(trim(l.title)) = soundex(substr(r.title, 2))
        lower(trim(l.title)) = soundex(substr(r.title, 2))
    SUBSTRING(l.title FROM 2 FOR 3) = substr(r.title, 2, 3)
        substr(l.title, 2, 3) = substr(r.title, 2, 3)
    substring(l.title for 3) = substring(r.title, 1, 3)
        substr(l.title, 1, 3) = substr(r.title, 1, 3)
    l.zip = r.zip
        l.zip = r.zip
    -- a comment
    l.title = r.title /* another */
        l.title = r.title
    ucase(l.title) = lcase(r.title) OR upper(l.title) = left(r.title, 3)
        upper(l.title) = lower(r.title) OR upper(l.title) = substr(r.title, 1, 3)
    right(strip_accents(l.title), 4) = metaphone(r.title)
        right(strip_accents(l.title), 4) = metaphone(r.title)
    regexp_replace(l.title, '[^a-z]', '', 'gi') = regexp_replace(r.title, '(\w+) (\w+)', '\2 \1')
        regexp_replace(l.title, '[^a-z]', '', 'gi') = regexp_replace(r.title, '(\w+) (\w+)', '\2 \1')
    year(l.born) = extract(year FROM r.born) AND year(r.title) >= 1990
        year(l.born) = year(r.born) AND year(r.title) >= 1990
    l.title IS NULL AND trim(r.title) IS NOT NULL
        l.title IS NULL AND trim(r.title) IS NOT NULL
    l.title IN ('a', 'b') AND r.year NOT IN (1, 2)
        l.title IN ('a', 'b') AND r.year NOT IN (1, 2)
    l.title < 'm' AND r.year >= 1990 AND l.born > '2020-01-31' AND 3 >= l.price
        l.title < 'm' AND r.year >= 1990 AND l.born > '2020-01-31' AND l.price <= 3
    l.year BETWEEN 1 AND 2 AND r.title NOT BETWEEN 'a' AND 'b'
        (l.year >= 1 AND l.year <= 2 AND r.title < 'a') OR (l.year >= 1 AND l.year <= 2 AND r.title > 'b')
    l.year BETWEEN r.year AND r.price
        l.year >= r.year AND l.year <= r.price
    "#);
}

#[test]
fn measures() {
    assert_snapshot!(shown(&[
        "levenshtein(r.title, l.title) <= 2",
        "levenshtein(l.title, r.title) < 2",
        "levenshtein(l.title, r.title) <= 2.5",
        "levenshtein(l.title, r.title) < 2.5",
        "levenshtein(l.title, r.title) > 2",
        "levenshtein(l.title, r.title) >= 2",
        "levenshtein(l.title, r.title) = 2",
        "levenshtein(l.title, r.title) = 0",
        "levenshtein(l.title, r.title) <> 2",
        "2 >= levenshtein(l.title, r.title)",
        "levenshtein_similarity(lower(l.title), lower(r.title)) >= 0.80",
        "levenshtein_similarity(l.title, r.title) > 0",
        "jaro_winkler_similarity(l.title, r.title) < 0.9",
        "0.9 < jaro_winkler_similarity(l.title, r.year)",
        "jaccard(words(r.title), words(l.title)) >= 0.123456789",
        "jaccard(qgrams(l.title, 3), qgrams(lower(r.title), 3)) <= 0.5",
        "abs(l.year - r.price) <= 2",
        "abs((r.born - l.born)) < 1.5",
        "abs(l.year - r.year) > 2 OR abs(l.year - r.year) >= 3",
        "abs(l.year - r.year) = 2 OR abs(l.year - r.year) = 0",
        "abs(l.year - r.year) BETWEEN 1 AND 2",
        "l.year - r.year <= 2 OR r.price - l.price < 2",
        "r.year - l.year >= 2",
        "l.year - r.year = 2 OR l.price - r.price <> 2",
        "r.year - l.year BETWEEN -1 AND 3",
        "l.year - r.year NOT BETWEEN 1 AND 3",
        "l.year < r.year OR r.born <= l.born",
        "abs(year(l.born) - year(r.born)) <= 1",
        "damerau_levenshtein(l.title, r.title) BETWEEN 1 AND 3",
        "hamming(l.title, r.title) NOT BETWEEN 0 AND 2.5",
        "jaro(l.title, r.title) > 0.9 AND jaro_winkler(l.zip, r.zip) BETWEEN 0.5 AND 0.9",
        "hamming_similarity(l.title, r.title) BETWEEN 0.8 AND 1",
        "damerau_levenshtein_similarity(l.title, r.title) BETWEEN 0 AND 0.8",
        "jaccard(l.title, r.title) >= 0.5 AND dice(chars(l.zip), chars(r.zip)) >= 0.5",
        "cosine(qgrams(l.title, 2), qgrams(r.title, 2)) >= 0.5",
        "overlap_coefficient(words(l.title), words(r.title)) >= 0.5",
        "overlap(words(l.title), words(r.title)) >= 2",
        "overlap(words(l.title), words(r.title)) > 2",
        "overlap(words(l.title), words(r.title)) < 2",
        "overlap(words(l.title), words(r.title)) <= 2",
        "overlap(words(l.title), words(r.title)) = 2",
        "overlap(words(l.title), words(r.title)) = 0",
        "overlap(words(l.title), words(r.title)) BETWEEN 0 AND 3",
    ]), @r#"
    levenshtein(r.title, l.title) <= 2
        levenshtein(l.title, r.title) <= 2
    levenshtein(l.title, r.title) < 2
        levenshtein(l.title, r.title) <= 1
    levenshtein(l.title, r.title) <= 2.5
        levenshtein(l.title, r.title) <= 2
    levenshtein(l.title, r.title) < 2.5
        levenshtein(l.title, r.title) <= 2
    levenshtein(l.title, r.title) > 2
        levenshtein(l.title, r.title) > 2
    levenshtein(l.title, r.title) >= 2
        levenshtein(l.title, r.title) > 1
    levenshtein(l.title, r.title) = 2
        levenshtein(l.title, r.title) <= 2 AND levenshtein(l.title, r.title) > 1
    levenshtein(l.title, r.title) = 0
        levenshtein(l.title, r.title) <= 0
    levenshtein(l.title, r.title) <> 2
        levenshtein(l.title, r.title) > 2 OR levenshtein(l.title, r.title) <= 1
    2 >= levenshtein(l.title, r.title)
        levenshtein(l.title, r.title) <= 2
    levenshtein_similarity(lower(l.title), lower(r.title)) >= 0.80
        levenshtein_similarity(lower(l.title), lower(r.title)) >= 0.8
    levenshtein_similarity(l.title, r.title) > 0
        levenshtein_similarity(l.title, r.title) > 0
    jaro_winkler_similarity(l.title, r.title) < 0.9
        jaro_winkler_similarity(l.title, r.title) < 0.9
    0.9 < jaro_winkler_similarity(l.title, r.year)
        jaro_winkler_similarity(l.title, r.year) > 0.9
    jaccard(words(r.title), words(l.title)) >= 0.123456789
        jaccard(words(l.title), words(r.title)) >= 0.123456789
    jaccard(qgrams(l.title, 3), qgrams(lower(r.title), 3)) <= 0.5
        jaccard(qgrams(l.title, 3), qgrams(lower(r.title), 3)) <= 0.5
    abs(l.year - r.price) <= 2
        abs(l.year - r.price) <= 2
    abs((r.born - l.born)) < 1.5
        abs(l.born - r.born) < 1.5
    abs(l.year - r.year) > 2 OR abs(l.year - r.year) >= 3
        abs(l.year - r.year) > 2
    abs(l.year - r.year) = 2 OR abs(l.year - r.year) = 0
        (abs(l.year - r.year) <= 2 AND abs(l.year - r.year) >= 2) OR abs(l.year - r.year) <= 0
    abs(l.year - r.year) BETWEEN 1 AND 2
        abs(l.year - r.year) <= 2 AND abs(l.year - r.year) >= 1
    l.year - r.year <= 2 OR r.price - l.price < 2
        l.year - r.year <= 2 OR l.price - r.price > -2
    r.year - l.year >= 2
        l.year - r.year <= -2
    l.year - r.year = 2 OR l.price - r.price <> 2
        l.year - r.year = 2 OR l.price - r.price <> 2
    r.year - l.year BETWEEN -1 AND 3
        l.year - r.year BETWEEN -3 AND 1
    l.year - r.year NOT BETWEEN 1 AND 3
        l.year - r.year NOT BETWEEN 1 AND 3
    l.year < r.year OR r.born <= l.born
        l.year < r.year OR l.born >= r.born
    abs(year(l.born) - year(r.born)) <= 1
        abs(year(l.born) - year(r.born)) <= 1
    damerau_levenshtein(l.title, r.title) BETWEEN 1 AND 3
        damerau_levenshtein(l.title, r.title) <= 3 AND damerau_levenshtein(l.title, r.title) > 0
    hamming(l.title, r.title) NOT BETWEEN 0 AND 2.5
        hamming(l.title, r.title) > 2
    jaro(l.title, r.title) > 0.9 AND jaro_winkler(l.zip, r.zip) BETWEEN 0.5 AND 0.9
        jaro_similarity(l.title, r.title) > 0.9 AND jaro_winkler_similarity(l.zip, r.zip) <= 0.9 AND jaro_winkler_similarity(l.zip, r.zip) >= 0.5
    hamming_similarity(l.title, r.title) BETWEEN 0.8 AND 1
        hamming_similarity(l.title, r.title) >= 0.8
    damerau_levenshtein_similarity(l.title, r.title) BETWEEN 0 AND 0.8
        damerau_levenshtein_similarity(l.title, r.title) <= 0.8
    jaccard(l.title, r.title) >= 0.5 AND dice(chars(l.zip), chars(r.zip)) >= 0.5
        jaccard(chars(l.title), chars(r.title)) >= 0.5 AND dice(chars(l.zip), chars(r.zip)) >= 0.5
    cosine(qgrams(l.title, 2), qgrams(r.title, 2)) >= 0.5
        cosine(qgrams(l.title, 2), qgrams(r.title, 2)) >= 0.5
    overlap_coefficient(words(l.title), words(r.title)) >= 0.5
        overlap_coefficient(words(l.title), words(r.title)) >= 0.5
    overlap(words(l.title), words(r.title)) >= 2
        overlap(words(l.title), words(r.title)) >= 2
    overlap(words(l.title), words(r.title)) > 2
        overlap(words(l.title), words(r.title)) >= 3
    overlap(words(l.title), words(r.title)) < 2
        overlap(words(l.title), words(r.title)) < 2
    overlap(words(l.title), words(r.title)) <= 2
        overlap(words(l.title), words(r.title)) < 3
    overlap(words(l.title), words(r.title)) = 2
        overlap(words(l.title), words(r.title)) < 3 AND overlap(words(l.title), words(r.title)) >= 2
    overlap(words(l.title), words(r.title)) = 0
        overlap(words(l.title), words(r.title)) < 1
    overlap(words(l.title), words(r.title)) BETWEEN 0 AND 3
        overlap(words(l.title), words(r.title)) < 4
    "#);
}

#[test]
fn not_sql() {
    assert_snapshot!(errors(&[
        "l.title =",
        "l.title = = r.title",
        "(l.title = r.title",
        "l.title = r.title)",
        "l.title = r.title; l.year = r.year",
        "l.title = r.title l.year",
        "l.title = 'abc",
        "l. = r.title",
        &format!("{}l.title = r.title{}", "(".repeat(80), ")".repeat(80)),
    ]), @r#"
    expected an expression, but the rule ends
     --> rules.toml:2:18
      |
    2 | when = "l.title ="
      |                  ^

    expected an expression, found `=`
     --> rules.toml:2:19
      |
    2 | when = "l.title = = r.title"
      |                   ^

    expected `)`, but the rule ends
     --> rules.toml:2:27
      |
    2 | when = "(l.title = r.title"
      |                           ^

    unexpected `)`
     --> rules.toml:2:26
      |
    2 | when = "l.title = r.title)"
      |                          ^
      |
    help: there is no parenthesis for it to close

    unexpected `;`
     --> rules.toml:2:26
      |
    2 | when = "l.title = r.title; l.year = r.year"
      |                          ^
      |
    help: a rule is one condition: write it without a semicolon

    unexpected `l`
     --> rules.toml:2:27
      |
    2 | when = "l.title = r.title l.year"
      |                           ^
      |
    help: join comparisons by AND or OR

    unterminated string literal
     --> rules.toml:2:19
      |
    2 | when = "l.title = 'abc"
      |                   ^^^^

    expected identifier, found `=`
     --> rules.toml:2:12
      |
    2 | when = "l. = r.title"
      |            ^

    the rule is nested too deeply
     --> rules.toml:2:8
      |
    2 | ... = "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((l.title = r.title))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))"
      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: write it with fewer parentheses
    "#);
}

#[test]
fn columns() {
    assert_snapshot!(errors(&[
        "title = r.title",
        "l.title = \"DE\"",
        "x.title = r.title",
        "l.a.b = r.title",
        "l.title = l.group",
        "levenshtein(r.title, r.title) <= 2",
        "abs(l.year - l.price) <= 2",
        "jaccard(words(l.title), words(l.title)) >= 0.5",
    ]), @r#"
    `title` could be a column of l or of r
     --> rules.toml:2:9
      |
    2 | when = "title = r.title"
      |         ^^^^^
      |
    help: write l.title or r.title

    `DE` could be a column of l or of r
     --> rules.toml:2:19
      |
    2 | when = "l.title = \"DE\""
      |                   ^^^^^^
      |
    help: write l."DE" or r."DE"; a text stands in single quotes: 'DE'

    `x` is neither l nor r
     --> rules.toml:2:9
      |
    2 | when = "x.title = r.title"
      |         ^
      |
    help: write l. for a column of the left record, r. for one of the right record

    a column is written with its side and its name
     --> rules.toml:2:9
      |
    2 | when = "l.a.b = r.title"
      |         ^^^^^
      |
    help: if the name has a dot in it, quote it: l."a.b"

    both columns are of the same record
     --> rules.toml:2:9
      |
    2 | when = "l.title = l.group"
      |         ^^^^^^^^^^^^^^^^^
      |
    help: a rule compares l with r: one column must be of l, the other of r

    both columns are of the same record
     --> rules.toml:2:9
      |
    2 | when = "levenshtein(r.title, r.title) <= 2"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule compares l with r: one column must be of l, the other of r

    both columns are of the same record
     --> rules.toml:2:13
      |
    2 | when = "abs(l.year - l.price) <= 2"
      |             ^^^^^^^^^^^^^^^^
      |
    help: a rule compares l with r: one column must be of l, the other of r

    both columns are of the same record
     --> rules.toml:2:9
      |
    2 | when = "jaccard(words(l.title), words(l.title)) >= 0.5"
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
    help: a rule compares l with r: one column must be of l, the other of r
    "#);
}

#[test]
fn every_keyword_can_name_a_column() {
    // `END-EXEC` is the one that is not a word.
    for keyword in sqlparser::keywords::ALL_KEYWORDS.iter().filter(|keyword| !keyword.contains('-')) {
        let when = format!(
            "l.{keyword} = r.{keyword} AND lower(l.{keyword}) = 'x' AND abs(l.{keyword} - r.{keyword}) < 1"
        );
        let file = parse(&toml(&when)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.columns().collect::<Vec<_>>(), [(Side::Left, *keyword), (Side::Right, *keyword)]);
    }
}

#[test]
fn long_lists() {
    let list = |n: usize| (0..n).map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ");
    let when = format!("l.title = r.title AND l.title NOT IN ({})", list(1000));
    let rule = super::bound(&when, true).unwrap();
    assert_eq!(rule.conjunctions.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    let rule = super::bound(&format!("l.title IN ({})", list(4000)), false).unwrap();
    assert_eq!(rule.conjunctions.len(), 1);
    assert_eq!(rule.to_string(), "l.title IN ('0', '1', … 3998 more)");
    let one = super::bound("l.title IN ('a', 'a')", false).unwrap();
    assert_eq!(one.to_string(), "l.title = 'a'");
    let ors = (0..1025).map(|n| format!("l.title = '{n}'")).collect::<Vec<_>>().join(" OR ");
    assert!(errors(&[&ors]).contains("more than 1024 conjunctions"));
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let long = |unit: &str, by: &str, n: usize| vec![unit; n].join(by);
    assert!(!errors(&[&long("l.title = r.title", " AND ", 800)]).contains('^'));
    for (unit, by, n) in
        [("l.title = r.title", " OR ", 900), ("1", " + ", 4000), ("l.title", " = ", 2000), ("NOT", " ", 4000)]
    {
        let error = errors(&[&long(unit, by, n)]);
        assert!(error.contains('^') || error.starts_with("no error"), "{by}");
    }
    assert!(errors(&[&long("l.title = r.title", " OR ", 100_000)]).contains("longer than"));
}
