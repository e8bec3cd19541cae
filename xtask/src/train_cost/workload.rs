//! The workload: tables with short and long values in narrow and wide alphabets, and predicates of every measure.
//!
//! Rules in the rule language bring each column to the engine in every form that a measure needs: symbols, words,
//! q-grams, numbers. The predicates that are timed are then drawn over those forms directly, with thresholds from tight
//! to loose, so no measure and no bound depends on what rules can be written.

use crate::cargo::target;
use crate::r#gen::{self, names};
use crate::replace::replace;
use anyhow::{Context, Result};
use hyperblock::Control;
use hyperblock::Job;
use hyperblock::device::cpu::Cpu;
use hyperblock::encode::Encoded;
use hyperblock_shared::measure::{Asked, Measure, OfSets, OfTexts};
use hyperblock_shared::predicate::{Predicate, Test};
use hyperblock_shared::threshold::Threshold;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::RangeInclusive;

/// Predicates of each edit distance, and of Jaro's similarity, over a column.
const EACH_TEXT_MEASURE: usize = 6;
/// Predicates over a column's token sets under each tokenizer.
const EACH_TOKENIZER: usize = 5;

/// Draws the tables and the predicates: encodings that are ready to be timed.
pub(super) fn draw(rows: u32, seed: u64) -> Result<Vec<Encoded>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let folder = target().join("train-cost");
    let (people, texts) = (folder.join("people.csv"), folder.join("texts.csv"));
    let output = folder.clone();
    r#gen::run(&r#gen::Command::People { rows, seed, duplicates: 0.2, skew: None, output })?;
    let table = text_table(rows, seed, &mut rng)?;
    replace(&texts, |file| file.write_all(table.as_bytes()))?;
    let rules = |name: &str, whens: Vec<String>| -> Result<_> {
        let path = folder.join(name);
        let rule = |when: String| format!("[[rules]]\nwhen = \"{when}\"\n");
        let text: String = whens.into_iter().map(rule).collect();
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    };
    let of_people = ["first_name", "last_name", "street", "city", "zip", "phone", "email"];
    let of_texts = ["name", "title", "abstract", "wide_name", "wide_title"];
    // Sides of different lengths.
    let across = [("last_name", "name"), ("email", "title"), ("title", "street"), ("name", "city")];
    let own = |columns: &[&str]| columns.iter().flat_map(|column| forms(column, column)).collect::<Vec<_>>();
    let mut whens = own(&of_people);
    // More than a job would have, since each of them is one predicate, not one for every threshold of every measure.
    for (difference, unit) in
        [("abs(l.birth_year - r.birth_year)", 1), ("abs(l.birth_date - r.birth_date)", 100)]
    {
        whens.extend((0..10).map(|nth| format!("{difference} <= {}", nth * unit)));
    }
    for same in
        ["soundex(l.first_name) = soundex(r.first_name)", "soundex(l.last_name) = soundex(r.last_name)"]
    {
        whens.push(same.to_owned());
    }
    whens.extend((1..=4).map(|n| format!("substr(l.last_name, 1, {n}) = substr(r.last_name, 1, {n})")));
    for city in ["Paris", "Berlin", "Madrid", "Roma", "Hamburg", "Lyon", "Nice", "Dallas"] {
        whens.push(format!("l.city = '{city}'"));
    }
    let (left, right): (Vec<_>, Vec<_>) = across.iter().partition(|(left, _)| of_people.contains(left));
    let linked = |pairs: &[(&str, &str)]| pairs.iter().flat_map(|(l, r)| forms(l, r)).collect::<Vec<_>>();
    let jobs = [
        Job::dedupe(&people, rules("people.toml", whens)?),
        Job::dedupe(&texts, rules("texts.toml", own(&of_texts))?),
        Job::link(&people, &texts, rules("people-texts.toml", linked(&left))?),
        Job::link(&texts, &people, rules("texts-people.toml", linked(&right))?),
    ];
    let vary = |job: Job| -> Result<Encoded> {
        let mut encoded = job.prepare(&Cpu::new(), &Control::default())?.encoded;
        encoded.predicates =
            encoded.predicates.iter().flat_map(|predicate| variants(predicate, &mut rng)).collect();
        Ok(encoded)
    };
    jobs.into_iter().map(vary).collect()
}

/// Rules that bring two columns to the engine in every form.
fn forms(l: &str, r: &str) -> [String; 5] {
    [
        format!("l.{l} = r.{r}"),
        format!("levenshtein(l.{l}, r.{r}) <= 1"),
        format!("jaccard(words(l.{l}), words(r.{r})) >= 0.5"),
        format!("jaccard(qgrams(l.{l}, 2), qgrams(r.{r}, 2)) >= 0.5"),
        format!("jaccard(qgrams(l.{l}, 3), qgrams(r.{r}, 3)) >= 0.5"),
    ]
}

/// A predicate, or others over the same form of the same columns.
fn variants(predicate: &Predicate, rng: &mut ChaCha8Rng) -> Vec<Predicate> {
    let Test::Compare { left, right, measure } = predicate.test else { return vec![*predicate] };
    let measures: Vec<Measure> = match measure {
        Measure::Texts { texts, .. } => {
            let distances = [OfTexts::Levenshtein, OfTexts::Damerau, OfTexts::Hamming];
            let edits = distances.into_iter().flat_map(|by| (0..EACH_TEXT_MEASURE).map(move |nth| (by, nth)));
            let mut measures: Vec<_> = edits
                .map(|(by, nth)| {
                    let asked = match nth % 2 {
                        0 => Asked::Count([1, 2, 3, 4, 6, 8, 12][rng.random_range(0..7)]),
                        _ => Asked::Similarity(percent(rng, 40..=98)),
                    };
                    Measure::Texts { texts, by, asked }
                })
                .collect();
            measures.extend((0..EACH_TEXT_MEASURE).map(|nth| {
                let by = if nth % 2 == 0 { OfTexts::Jaro } else { OfTexts::JaroWinkler };
                Measure::Texts { texts, by, asked: Asked::Similarity(percent(rng, 50..=98)) }
            }));
            measures
        }
        Measure::Sets { sets, .. } => (0..EACH_TOKENIZER)
            .map(|nth| {
                let by = match nth {
                    0 => OfSets::Jaccard,
                    1 => OfSets::Dice,
                    2 => OfSets::Cosine,
                    3 => OfSets::Overlap,
                    _ => {
                        let asked = Asked::Count(rng.random_range(1..=6));
                        return Measure::Sets { sets, by: OfSets::Overlap, asked };
                    }
                };
                Measure::Sets { sets, by, asked: Asked::Similarity(percent(rng, 20..=95)) }
            })
            .collect(),
        other => vec![other],
    };
    let predicate = |measure| Predicate { test: Test::Compare { left, right, measure }, negated: false };
    measures.into_iter().map(predicate).collect()
}

fn percent(rng: &mut ChaCha8Rng, range: RangeInclusive<u32>) -> Threshold {
    Threshold { digits: rng.random_range(range), scale: 100, strict: false }
}

/// Names, titles of 3 to 12 words, abstracts of 20 to 80, and names and titles in a script of many characters.
fn text_table(rows: u32, seed: u64, rng: &mut ChaCha8Rng) -> Result<String> {
    let names = names::draw(rows, seed)?;
    let vocabulary: Vec<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
    let mut words = |range: RangeInclusive<usize>| {
        let n = rng.random_range(range);
        let word = |_| {
            // Early words more often, as in any language.
            let place = rng.random::<f64>() * rng.random::<f64>();
            vocabulary[(place * vocabulary.len() as f64) as usize]
        };
        (0..n).map(word).collect::<Vec<_>>().join(" ")
    };
    let mut table = "id,name,title,abstract,wide_name,wide_title\n".to_owned();
    for (ix, name) in names.iter().enumerate() {
        let (title, long) = (words(3..=12), words(20..=80));
        writeln!(table, "t{ix:07},{name},{title},{long},{},{}", wide(name), wide(&title))?;
    }
    Ok(table)
}

/// A text in a script with a character for every two letters: fewer symbols, from an alphabet of thousands.
fn wide(text: &str) -> String {
    let word = |word: &str| {
        let letters: Vec<u32> = word.chars().map(u32::from).collect();
        let character = |pair: &[u32]| {
            let mixed = pair.iter().fold(7u32, |mixed, letter| mixed.wrapping_mul(31).wrapping_add(*letter));
            char::from_u32(0x4e00 + mixed % 5000).unwrap_or('一')
        };
        letters.chunks(2).map(character).collect::<String>()
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
