//! What is said of rules that are wrong, in one place, to be read as their writer would read it.

use super::bound;
use crate::base::error::Error;
use insta::assert_snapshot;

/// The rule with a mark below what is wrong with it, and what is said.
fn said(when: &str) -> String {
    let error = match bound(when, false) {
        Ok(rule) => return format!("no error in {when}: {rule}"),
        Err(Error::Rule(error)) => error,
        Err(error) => return format!("no complaint about {when}: {error}"),
    };
    let start = error.source.find(when).unwrap_or_default();
    let before = error.span.start.saturating_sub(start);
    let marks = error.span.end.min(start + when.len()).saturating_sub(start + before).max(1);
    let help = error.help.map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    format!("{when}\n{}{}\n{}{help}\n", " ".repeat(before), "^".repeat(marks), error.message)
}

#[test]
fn bad_rules() {
    let whens = [
        "",
        "l.title = r.title AND",
        "l.title = r.title,",
        "l.title r.title",
        "l.title = r.title AND ()",
        "title = title",
        "q.title = r.title",
        "l.title = l.zip",
        "l.titel = r.title",
        "l.year < l.price",
        "l.year - l.price > 3",
        "levenstein(l.title, r.title) <= 1",
        "jaro_winkle(l.title, r.title) >= 0.9",
        "length(l.title) = 3",
        "upper(l.title, r.title) = 'X'",
        "left(l.title) = 'X'",
        "right(l.title, 0) = 'X'",
        "year() = 1999",
        "overlap(words(l.title)) >= 2",
        "damerau_levenshtein(l.title, 'smith') <= 1",
        "metaphone('smith') = metaphone(r.title)",
        "hamming(words(l.title), words(r.title)) <= 1",
        "jaccard('abc', words(r.title)) >= 0.5",
        "jaccard(words(l.title), r.title) >= 0.5",
        "cosine(qgrams(l.title, 2), qgrams(r.title, 3)) >= 0.5",
        "dice(qgrams(l.title, 0), qgrams(r.title, 0)) >= 0.5",
        "overlap(qgrams(l.title, 99), qgrams(r.title, 99)) > 1",
        "regexp_replace(l.title, '(', '') = r.title",
        "regexp_replace(l.title, '[a-', 'x', 'g') = r.title",
        "regexp_replace(l.title, 'a', 'b', 'gx') = r.title",
        "regexp_replace(l.title, 'a') = r.title",
        "regexp_replace(l.title, r.title, '') = r.title",
        "hamming(l.title, r.title) < 0",
        "jaro(l.title, r.title) >= 90",
        "dice(words(l.title), words(r.title)) > 1",
        "cosine(l.title, r.title) >= 0",
        "jaccard(l.title, r.title) = 1",
        "jaro(l.title, r.title) >= '0.9'",
        "jaro(l.title, r.title) >= r.price",
        "overlap(words(l.title), words(r.title)) >= 0.8",
        "overlap(words(l.title), words(r.title)) >= 0",
        "overlap(words(l.title), words(r.title)) < 0",
        "l.year BETWEEN 3 AND 1",
        "l.born BETWEEN '2021-01-01' AND '2020-01-01'",
        "levenshtein(l.title, r.title) BETWEEN 3 AND 1",
        "jaro(l.title, r.title) BETWEEN 0 AND 1",
        "levenshtein(l.title, r.title) BETWEEN 1.2 AND 1.8",
        "jaro(l.title, r.title) BETWEEN 0.5 AND 5",
        "l.title IN ()",
        "l.title IN ('a', r.title)",
        "l.title IN ('a', '')",
        "l.title IN ('a', NULL)",
        "l.year IN ('a')",
        "l.title > 3",
        "l.year > 'x'",
        "l.born >= '31.12.2020'",
        "l.born < 2020",
        "l.title < r.title",
        "lower(l.born) - r.born <= 3",
        "l.year - 3 <= r.year",
        "l.born - r.year <= 3",
        "year(l.born) = '1999'",
        "abs(l.year + r.year) <= 3",
        "abs(3) <= 3",
        "l.title = NULL",
        "l.title <= ''",
        "levenshtein(l.title, r.title) IS NULL",
        "words(l.title) IS NULL",
        "'x' IS NULL",
        "1 = 1",
        "NOT FALSE",
        "l.year - r.year",
        "overlap(words(l.title), words(r.title))",
        "l.title = r.title AND levenshtein(l.title, r.title) > 1",
        "l.year > 3 AND l.year < 2",
        "l.title = 'a' AND l.title = 'b'",
        "l.title IS NULL AND lower(l.title) = r.title",
        "l.year < r.year AND r.year < l.year",
        "(l.year = 1 OR l.year = 2) AND l.year > 5",
        "jaccard(words(l.title), words(r.title)) > 0.8 AND dice(words(l.title), words(r.title)) < 0.7",
        "l.title = r.title OR l.title <> r.title",
        "l.title IS NULL OR l.title IS NOT NULL",
        "levenshtein(l.title, r.title) <= 2 OR levenshtein(l.title, r.title) > 1",
        "l.year <= r.year OR l.year >= r.year",
    ];
    assert_snapshot!(whens.map(said).join("\n"), @r"
                     ^
    the rule is empty
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    l.title = r.title AND
                         ^
    expected an expression, but the rule ends

    l.title = r.title,
                     ^
    unexpected `,`
    help: join comparisons by AND or OR

    l.title r.title
            ^
    unexpected `r`
    help: join comparisons by AND or OR

    l.title = r.title AND ()
                           ^
    expected an expression, found `)`
    help: something is missing before the parenthesis

    title = title
    ^^^^^
    `title` could be a column of l or of r
    help: write l.title or r.title

    q.title = r.title
    ^
    `q` is neither l nor r
    help: write l. for a column of the left record, r. for one of the right record

    l.title = l.zip
    ^^^^^^^^^^^^^^^
    both columns are of the same record
    help: a rule compares l with r: one column must be of l, the other of r

    l.titel = r.title
    ^^^^^^^
    left.csv has no column `titel`
    help: did you mean `title`? its columns are title, Full Name, year, price, born, zip, group, Größe

    l.year < l.price
    ^^^^^^^^^^^^^^^^
    both columns are of the same record
    help: a rule compares l with r: one column must be of l, the other of r

    l.year - l.price > 3
    ^^^^^^^^^^^^^^^^
    both columns are of the same record
    help: a rule compares l with r: one column must be of l, the other of r

    levenstein(l.title, r.title) <= 1
    ^^^^^^^^^^
    there is no function `levenstein`
    help: did you mean `levenshtein`?

    jaro_winkle(l.title, r.title) >= 0.9
    ^^^^^^^^^^^
    there is no function `jaro_winkle`
    help: did you mean `jaro_winkler_similarity`?

    length(l.title) = 3
    ^^^^^^
    there is no function `length`
    help: did you mean `length_key`?

    upper(l.title, r.title) = 'X'
    ^^^^^^^^^^^^^^^^^^^^^^^
    upper takes one column, and here are 2 arguments

    left(l.title) = 'X'
    ^^^^^^^^^^^^^
    left takes a column and a length, and here is one argument

    right(l.title, 0) = 'X'
                   ^
    the length of right must be a whole number from 1 up

    year() = 1999
    ^^^^^^
    year takes one column, and here is nothing

    overlap(words(l.title)) >= 2
    ^^^^^^^^^^^^^^^^^^^^^^^
    overlap takes two sets, and here is one argument

    damerau_levenshtein(l.title, 'smith') <= 1
                                 ^^^^^^^
    damerau_levenshtein takes a column, not a text
    help: write a column of l or of r, perhaps in a transform such as lower

    metaphone('smith') = metaphone(r.title)
              ^^^^^^^
    metaphone takes a column, not a text
    help: write a column of l or of r, perhaps in a transform such as lower

    hamming(words(l.title), words(r.title)) <= 1
            ^^^^^^^^^^^^^^
    hamming takes a column, not a set of tokens
    help: write a column of l or of r, perhaps in a transform such as lower

    jaccard('abc', words(r.title)) >= 0.5
            ^^^^^
    jaccard compares sets, and this is a text
    help: write jaccard(words(l.a), words(r.a)) or jaccard(qgrams(l.a, 3), qgrams(r.a, 3))

    jaccard(words(l.title), r.title) >= 0.5
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    jaccard compares sets of the same kind of token
    help: write jaccard(words(l.a), words(r.a)) or jaccard(qgrams(l.a, 3), qgrams(r.a, 3))

    cosine(qgrams(l.title, 2), qgrams(r.title, 3)) >= 0.5
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    cosine compares sets of the same kind of token
    help: write cosine(words(l.a), words(r.a)) or cosine(qgrams(l.a, 3), qgrams(r.a, 3))

    dice(qgrams(l.title, 0), qgrams(r.title, 0)) >= 0.5
                         ^
    the length of q-grams must be a whole number from 1 to 16

    overlap(qgrams(l.title, 99), qgrams(r.title, 99)) > 1
                            ^^
    the length of q-grams must be a whole number from 1 to 16

    regexp_replace(l.title, '(', '') = r.title
                            ^^^
    this is not a regular expression: unclosed group
    help: patterns are those of Rust's regex crate; see docs.rs/regex

    regexp_replace(l.title, '[a-', 'x', 'g') = r.title
                            ^^^^^
    this is not a regular expression: unclosed character class
    help: patterns are those of Rust's regex crate; see docs.rs/regex

    regexp_replace(l.title, 'a', 'b', 'gx') = r.title
                                      ^^^^
    regexp_replace has no flag `x`
    help: write 'g' to replace all matches, 'i' to ignore case, or 'gi'

    regexp_replace(l.title, 'a') = r.title
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    regexp_replace takes a column, a pattern, a replacement and perhaps flags, and here are 2 arguments

    regexp_replace(l.title, r.title, '') = r.title
                            ^^^^^^^
    the pattern of regexp_replace must be a text, and this is a column
    help: write it in single quotes

    hamming(l.title, r.title) < 0
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is never true
    help: compare with another number

    jaro(l.title, r.title) >= 90
                              ^^
    a similarity lies between 0 and 1
    help: write, say, >= 0.8

    dice(words(l.title), words(r.title)) > 1
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is never true
    help: compare with another number

    cosine(l.title, r.title) >= 0
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is true wherever both values are there
    help: leave it out, or compare with another number

    jaccard(l.title, r.title) = 1
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    a similarity is compared by >=, >, <= or <
    help: write >= 1

    jaro(l.title, r.title) >= '0.9'
                              ^^^^^
    a measure is compared with a number, not a text
    help: write it without quotes: >= 0.8

    jaro(l.title, r.title) >= r.price
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    a measure is compared with a number
    help: compare it with a number between 0 and 1: >= 0.8

    overlap(words(l.title), words(r.title)) >= 0.8
                                               ^^^
    overlap counts the tokens in common, and this is a fraction
    help: write a whole number, or, for a share, overlap_coefficient(…) >= 0.8

    overlap(words(l.title), words(r.title)) >= 0
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is true wherever both values are there
    help: leave it out, or compare with another number

    overlap(words(l.title), words(r.title)) < 0
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is never true
    help: compare with another number

    l.year BETWEEN 3 AND 1
    ^^^^^^^^^^^^^^^^^^^^^^
    this is never true: the first of the two is the greater one
    help: BETWEEN takes the smaller one first

    l.born BETWEEN '2021-01-01' AND '2020-01-01'
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is never true: the first of the two is the greater one
    help: BETWEEN takes the smaller one first

    levenshtein(l.title, r.title) BETWEEN 3 AND 1
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is never true: the first of the two is the greater one
    help: BETWEEN takes the smaller one first

    jaro(l.title, r.title) BETWEEN 0 AND 1
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is true wherever both values are there
    help: leave it out, or compare with another number

    levenshtein(l.title, r.title) BETWEEN 1.2 AND 1.8
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    this is never true
    help: compare with another number

    jaro(l.title, r.title) BETWEEN 0.5 AND 5
                                           ^
    a similarity lies between 0 and 1
    help: write, say, >= 0.8

    l.title IN ()
                ^
    expected an expression, found `)`
    help: something is missing before the parenthesis

    l.title IN ('a', r.title)
                     ^^^^^^^
    IN lists constants, and this is a column
    help: write it out: l.a = r.a OR l.a = r.b

    l.title IN ('a', '')
                     ^^
    this is never true: an empty value is a missing one, and missing is not equal
    help: for a missing value, write IS NULL; for one that is there, IS NOT NULL

    l.title IN ('a', NULL)
                     ^^^^
    a comparison with NULL is never true
    help: missing is not equal: for a missing value, write IS NULL

    l.year IN ('a')
               ^^^
    `l.year` holds numbers, and this is a text
    help: write a number, without quotes

    l.title > 3
              ^
    `l.title` holds text, and this is a number
    help: quote it: '3'

    l.year > 'x'
             ^^^
    `l.year` holds numbers, and this is a text
    help: write a number, without quotes

    l.born >= '31.12.2020'
              ^^^^^^^^^^^^
    `l.born` holds dates, and this is not a date
    help: write it as '2020-12-31'

    l.born < 2020
             ^^^^
    `l.born` holds dates, and this is a number
    help: write a date: '2020-12-31'

    l.title < r.title
    ^^^^^^^
    a difference or an order needs numbers or dates, and `l.title` holds text
    help: mend the table, or compare the text by levenshtein

    lower(l.born) - r.born <= 3
    ^^^^^^^^^^^^^
    a difference or an order needs numbers or dates, and `lower(l.born)` gives text
    help: compare columns alone, or their year

    l.year - 3 <= r.year
             ^
    a difference is of two columns, and this is a number
    help: write l.x - r.x, and compare it with a number

    l.born - r.year <= 3
             ^^^^^^
    `l.born` holds dates, and `r.year` holds numbers: they have no difference
    help: compare numbers with numbers and dates with dates

    year(l.born) = '1999'
                   ^^^^^^
    `year(l.born)` gives numbers, and this is a text
    help: write a number, without quotes

    abs(l.year + r.year) <= 3
        ^^^^^^^^^^^^^^^
    `+` is not supported here
    help: a rule joins comparisons by AND, OR and NOT: l.a = r.a or l.a = 'x' (also <>, <, BETWEEN, IN, IS NULL), levenshtein(l.a, r.a) <= 2, jaccard(words(l.a), words(r.a)) >= 0.8, abs(l.x - r.x) <= 2

    abs(3) <= 3
        ^
    abs takes the difference of two columns
    help: write abs(l.x - r.x)

    l.title = NULL
              ^^^^
    a comparison with NULL is never true
    help: missing is not equal: for a missing value, write IS NULL

    l.title <= ''
    ^^^^^^^^^^^^^
    this is never true: an empty value is a missing one, and missing is not equal
    help: for a missing value, write IS NULL; for one that is there, IS NOT NULL

    levenshtein(l.title, r.title) IS NULL
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    a column may be NULL, and this is a measure
    help: write l.a IS NULL or r.a IS NULL

    words(l.title) IS NULL
    ^^^^^^^^^^^^^^
    a column may be NULL, and this is a set of tokens
    help: write l.a IS NULL or r.a IS NULL

    'x' IS NULL
    ^^^
    a column may be NULL, and this is a text
    help: write l.a IS NULL or r.a IS NULL

    1 = 1
    ^^^^^
    this compares no columns: a cross product without any predicate
    help: compare a column of l with one of r, or leave it out

    NOT FALSE
        ^^^^^
    this compares no columns: a cross product without any predicate
    help: compare a column of l with one of r, or leave it out

    l.year - r.year
    ^^^^^^^^^^^^^^^
    a difference alone is no comparison
    help: compare it with a number: <= 2

    overlap(words(l.title), words(r.title))
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    a measure alone is no comparison
    help: compare it with a number of tokens: >= 2

    l.title = r.title AND levenshtein(l.title, r.title) > 1
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule can never hold
    help: `l.title = r.title` and `levenshtein(l.title, r.title) > 1` are never true of the same pair

    l.year > 3 AND l.year < 2
    ^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule can never hold
    help: `l.year > 3` and `l.year < 2` are never true of the same pair

    l.title = 'a' AND l.title = 'b'
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule can never hold
    help: `l.title = 'a'` and `l.title = 'b'` are never true of the same pair

    l.title IS NULL AND lower(l.title) = r.title
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule can never hold
    help: `l.title IS NULL` and `lower(l.title) = r.title` are never true of the same pair

    l.year < r.year AND r.year < l.year
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule can never hold
    help: `l.year < r.year` and `l.year > r.year` are never true of the same pair

    (l.year = 1 OR l.year = 2) AND l.year > 5
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule can never hold
    help: whichever way it is met, two comparisons are asked for that are never true of the same pair

    jaccard(words(l.title), words(r.title)) > 0.8 AND dice(words(l.title), words(r.title)) < 0.7
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule can never hold
    help: `jaccard(words(l.title), words(r.title)) > 0.8` and `dice(words(l.title), words(r.title)) < 0.7` are never true of the same pair

    l.title = r.title OR l.title <> r.title
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule is true of every pair whose values are there
    help: whatever the values are, one of its comparisons is true: ask for more, or leave the rule out

    l.title IS NULL OR l.title IS NOT NULL
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule is true of every pair whose values are there
    help: whatever the values are, one of its comparisons is true: ask for more, or leave the rule out

    levenshtein(l.title, r.title) <= 2 OR levenshtein(l.title, r.title) > 1
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule is true of every pair whose values are there
    help: whatever the values are, one of its comparisons is true: ask for more, or leave the rule out

    l.year <= r.year OR l.year >= r.year
    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    the rule is true of every pair whose values are there
    help: whatever the values are, one of its comparisons is true: ask for more, or leave the rule out
    ");
}
