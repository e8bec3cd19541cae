//! Tables of many rows and of long texts, without chance, and rules for them.

use hyperblock_tests::case::Sheet;

/// A number that looks random and is the same on every machine.
pub(crate) fn scrambled(seed: usize) -> usize {
    let mixed = (seed as u64 ^ 0x9e37_79b9).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 33) as usize
}

/// `len` characters of `alphabet`, one in `every` of them changed from those of the same `family`.
pub(crate) fn relative(family: usize, member: usize, len: usize, every: usize, alphabet: &[char]) -> String {
    let character = |ix: usize| {
        let of_family = scrambled(family * 1_000_003 + ix);
        let own = scrambled(member * 7_919 + ix * 13 + 1);
        let seed = if own.is_multiple_of(every) { own / every } else { of_family };
        alphabet[seed % alphabet.len()]
    };
    (0..len).map(character).collect()
}

pub(crate) fn long_sheet(n_rows: usize, salt: usize, alphabet: &[char]) -> Sheet {
    let row = |ix: usize| {
        let member = ix + salt;
        let len = [3, 60, 64, 65, 130, 255, 256, 300, 1000, 5003][ix % 10] + member % 3;
        let text = relative(ix % 20, member, len, 12, alphabet);
        vec![Some(text), Some(relative(ix % 10, member, 1 + member % 6, 5, &['a', 'b', 'c', ' ']))]
    };
    Sheet::new(&["text", "short"], (0..n_rows).map(row).collect())
}

pub(crate) fn text_rules() -> Vec<String> {
    [
        "levenshtein(l.text, r.text) <= 40 AND levenshtein(l.text, r.text) > 3",
        "levenshtein_similarity(l.text, r.text) >= 0.85",
        "jaro_winkler_similarity(l.text, r.text) > 0.91",
        "jaccard(qgrams(l.text, 2), qgrams(r.text, 2)) >= 0.7",
        "jaccard(words(l.short), words(r.short)) >= 1 AND l.short <> r.short",
        "levenshtein(l.text, r.short) = 3",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(crate) fn name_sheet(n_rows: usize, salt: usize) -> Sheet {
    let first = ["ann", "anna", "bob", "rob", "robert", "zoë", "joão", "li", "maría josé", "x"];
    let row = |ix: usize| {
        let seed = scrambled(ix + salt);
        let name = format!(
            "{} {}",
            first[seed % 10],
            relative(seed / 10 % 400, ix, 7, 9, &['a', 'e', 'n', 's', 't'])
        );
        let year = (seed / 7 % 70 + 1940).to_string();
        vec![Some(name), (!seed.is_multiple_of(11)).then_some(year), Some((seed / 3 % 1000).to_string())]
    };
    Sheet::new(&["name", "year", "zip"], (0..n_rows).map(row).collect())
}

pub(crate) fn name_rules() -> Vec<String> {
    [
        "l.zip = r.zip AND abs(l.year - r.year) <= 1",
        "levenshtein(l.name, r.name) <= 1",
        "jaro_winkler_similarity(l.name, r.name) >= 0.95 AND soundex(l.name) = soundex(r.name)",
        "jaccard(qgrams(l.name, 3), qgrams(r.name, 3)) >= 0.8 AND NOT l.year = r.year",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Few names have most of the records.
pub(crate) fn heavy_sheet(n_rows: usize, names: [&str; 2], alphabet: &[char]) -> Sheet {
    let name = |ix: usize| match scrambled(ix) % 10 {
        0..4 => names[0].to_owned(),
        4..6 => names[1].to_owned(),
        _ => relative(ix % 900, ix, 11, 9, alphabet),
    };
    let row = |ix: usize| vec![Some(name(ix)), Some((scrambled(ix + 7) % 300).to_string())];
    Sheet::new(&["name", "zip"], (0..n_rows).map(row).collect())
}
