//! What values on which a similarity holds have in common, whoever they are: how many of its elements a value must show, and which
//! lengths go together.
//!
//! Elements are tokens, q-grams with their repetitions, or the cells of a grid. If values of n and m elements need at least one in
//! common, `least(n, m)` says how many. With α(n) the least of them over all m that go together with n, the first n − α(n) + 1
//! elements of both, in any one order of all elements, have one in common (Chaudhuri, Ganti and Kaushik, ICDE 2006). A value that
//! may need nothing in common with another one is *free*: so may the other one be, and free values are compared in another way.

use super::hash;
use super::values::Values;
use crate::base::error::{Error, Result};
use crate::encode::{Grid, for_each_token};
use crate::rules::{Asked, Measure, Predicate, Test, Tokenizer};
use hyperblock_shared::measure::{self as shared, ArchivedMeasure};
use hyperblock_shared::overlap::least_common;
use rkyv::util::AlignedVec;
use std::sync::OnceLock;

/// Lengths of which it is remembered what they need.
const REMEMBERED: u32 = 256;
/// Points from which on a grid is worked out beforehand.
const MANY_POINTS: usize = 1 << 12;
/// Numbers of cells.
const CELLS: u32 = 1 << 31;
/// More edits, or a lesser similarity, and nearly all lengths go together.
const MOST_EDITS: u32 = 64;
const LEAST_SIMILARITY: (i128, u32) = (25, 2);

/// What elements of a value are.
enum Kind {
    Tokens(Tokenizer),
    Grams(u32),
    Cells(Box<Grid>),
}

/// A similarity, as covers see it.
pub(super) struct Alike {
    kind: Kind,
    /// Archived: it is asked as backends ask it.
    measure: AlignedVec,
    /// By length, as far as somebody asked.
    needs: Vec<OnceLock<Needs>>,
}

/// What is needed of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// How many of its first elements: none, if no other value can have enough of them.
    pub(super) prefix: u32,
    pub(super) is_free: bool,
}

impl Alike {
    /// The elements by which a predicate can be asked: one way of sets and of places, some of texts, none of all else.
    pub(super) fn all_of(predicate: &Predicate) -> Vec<u32> {
        let Test::Compare { measure, .. } = &predicate.test else { return Vec::new() };
        let are_bounded = |asked: &Asked<crate::rules::Bound>| match asked {
            Asked::Count(most) => *most <= MOST_EDITS,
            Asked::Similarity(bound) => {
                let (digits, scale) = LEAST_SIMILARITY;
                bound.least.at_scale(bound.least.scale().max(scale)).is_some_and(|least| {
                    least >= digits * 10i128.pow(bound.least.scale().saturating_sub(scale))
                })
            }
        };
        match measure {
            _ if predicate.negated => Vec::new(),
            Measure::Sets(..) | Measure::Near(_) => vec![1],
            // Of the others nobody says that longer values need more.
            Measure::Texts(by, asked) if is_by_edits(*by) && are_bounded(asked) => by.grams().to_vec(),
            _ => Vec::new(),
        }
    }

    /// A similarity by elements of `q` symbols, if it has any; lengths go together or not whatever elements are.
    pub(super) fn new(predicate: &Predicate, q: u32) -> Result<Self> {
        let Test::Compare { measure, .. } = &predicate.test else { return Err(none(predicate)) };
        let (kind, measure) = match *measure {
            Measure::Texts(by, asked) => {
                (Kind::Grams(q), shared::Measure::Texts { texts: 0, by, asked: asked.map(Into::into) })
            }
            Measure::Sets(tokenizer, by, asked) => {
                let measure = shared::Measure::Sets { sets: 0, by, asked: asked.map(Into::into) };
                (Kind::Tokens(tokenizer), measure)
            }
            Measure::Near(limit) => {
                let most = limit.chord().ok_or_else(|| none(predicate))?;
                let grid = Box::new(Grid::new(most, MANY_POINTS));
                (Kind::Cells(grid), shared::Measure::Near { points: 0, cells: 0, most })
            }
            Measure::Equal | Measure::Difference { .. } => return Err(none(predicate)),
        };
        let measure = rkyv::to_bytes::<rkyv::rancor::Error>(&measure)
            .map_err(|error| Error::Internal(format!("`{predicate}` cannot be archived: {error}")))?;
        let needs = (0..=REMEMBERED).map(|_| OnceLock::new()).collect();
        Ok(Self { kind, measure, needs })
    }

    fn measure(&self) -> Result<&ArchivedMeasure> {
        rkyv::access::<ArchivedMeasure, rkyv::rancor::Error>(&self.measure)
            .map_err(|error| Error::Internal(format!("the archive of a measure is damaged: {error}")))
    }

    /// Whether values of these lengths can be a pair.
    pub(super) fn go_together(&self, left: u32, right: u32) -> Result<bool> {
        Ok(left > 0 && right > 0 && self.measure()?.limits(left, right).is_possible())
    }

    /// How long a row's value is, in what lengths are counted in: symbols, or tokens. None, if it is in no pair.
    pub(super) fn length(&self, values: &Values<'_>, row: usize) -> Option<u32> {
        match &self.kind {
            Kind::Grams(_) => Some(values.text(row)?.chars().count() as u32),
            Kind::Tokens(tokenizer) => {
                let mut tokens = Vec::new();
                tokens_of(&values.text(row)?, *tokenizer, &mut tokens);
                Some(tokens.len() as u32).filter(|&n| n > 0)
            }
            Kind::Cells(_) => values.place(row).map(|_| 1),
        }
    }

    /// Writes the hashes of a row's elements to `found`, in no order, and says what is needed of them; `None`, if it is in no pair.
    pub(super) fn elements(
        &self,
        values: &Values<'_>,
        row: usize,
        found: &mut Vec<u64>,
    ) -> Result<Option<Needs>> {
        found.clear();
        let length = match &self.kind {
            Kind::Tokens(_) | Kind::Grams(_) => match values.text(row) {
                Some(text) => self.parts(&text, found),
                None => 0,
            },
            Kind::Cells(grid) => {
                let Some(place) = values.place(row) else { return Ok(None) };
                found.extend(grid.cells(place, CELLS).map(u64::from));
                found.sort_unstable();
                found.dedup();
                found.len() as u32
            }
        };
        if length == 0 { Ok(None) } else { self.needs(length).map(Some) }
    }

    /// The same of a text; its length.
    fn parts(&self, text: &str, found: &mut Vec<u64>) -> u32 {
        match &self.kind {
            Kind::Tokens(tokenizer) => {
                tokens_of(text, *tokenizer, found);
                found.len() as u32
            }
            Kind::Grams(q) => grams_of(text, *q, found),
            Kind::Cells(_) => 0,
        }
    }

    /// What is needed of a value of this length.
    fn needs(&self, length: u32) -> Result<Needs> {
        let Some(known) = self.needs.get(length as usize) else { return self.worked_out(length) };
        match known.get() {
            Some(needs) => Ok(*needs),
            None => {
                let needs = self.worked_out(length)?;
                Ok(*known.get_or_init(|| needs))
            }
        }
    }

    fn worked_out(&self, length: u32) -> Result<Needs> {
        let measure = self.measure()?;
        let (mut least, mut is_free) = (None::<u32>, false);
        let mut meet = |q: u32, n: u32, m: u32| match least_common(measure, q, n, m) {
            Some(0) => is_free = true,
            Some(needed) => least = Some(least.map_or(needed, |least| least.min(needed))),
            None => {}
        };
        let n = match self.kind {
            // Sets need no less of a larger set than of one that is as large.
            Kind::Tokens(_) => {
                (1..=length).for_each(|other| meet(1, length, other));
                length
            }
            Kind::Cells(_) => {
                meet(1, length, length);
                length
            }
            Kind::Grams(q) => {
                let n_grams = |length: u32| (length + 1).saturating_sub(q);
                let n = n_grams(length);
                let reaches = |other: &u32| measure.limits(length, *other).is_possible();
                // Lengths that go together are those near each other.
                let shorter = (1..=length).rev().take_while(reaches);
                let longer = (length + 1..u32::MAX).take_while(reaches);
                let mut is_bare = false;
                for other in shorter.chain(longer) {
                    match n_grams(other) {
                        // Nothing is known of values that have none.
                        m if n == 0 || m == 0 => is_bare = true,
                        m => meet(q, n, m),
                    }
                }
                is_free |= is_bare;
                n
            }
        };
        let prefix = least.map_or(0, |least| (n + 1).saturating_sub(least));
        Ok(Needs { prefix, is_free })
    }
}

fn is_by_edits(by: crate::rules::OfTexts) -> bool {
    use crate::rules::OfTexts::{Damerau, Hamming, Levenshtein};
    matches!(by, Levenshtein | Damerau | Hamming)
}

fn none(predicate: &Predicate) -> Error {
    Error::Internal(format!("`{predicate}` is no similarity"))
}

/// The hashes of a value's tokens, each token once.
fn tokens_of(text: &str, tokenizer: Tokenizer, found: &mut Vec<u64>) {
    let mut tokens: Vec<(u64, String)> = Vec::new();
    for_each_token(text, tokenizer, |token| tokens.push((hash::of_text(token), token.to_owned())));
    tokens.sort_unstable();
    tokens.dedup();
    found.extend(tokens.into_iter().map(|(hash, _)| hash));
}

/// The hashes of a value's q-grams, each with which of its occurrences it is, and how many symbols it has.
fn grams_of(text: &str, q: u32, found: &mut Vec<u64>) -> u32 {
    let starts: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
    found.extend(starts.windows(q as usize + 1).map(|ends| hash::of_text(&text[ends[0]..ends[q as usize]])));
    found.sort_unstable();
    let mut nth = 0;
    for ix in 1..found.len() {
        // Those before it were told apart already: it is compared with what it was.
        nth = if found[ix] == found[ix - 1 - nth as usize] { nth + 1 } else { 0 };
        if nth > 0 {
            found[ix] = hash::mixed(found[ix], nth);
        }
    }
    starts.len() as u32 - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::table::{ColumnSchema, Kind, Schema};
    use crate::rules::{RuleFile, RuleSet, bind};
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn alike(when: &str) -> Vec<Alike> {
        let column = ColumnSchema { name: "a".into(), kind: Kind::Text, why_text: None };
        let schema = Schema { table: "t".into(), columns: vec![column] };
        let source = format!("[[rules]]\nwhen = \"{when}\"\n");
        let file = RuleFile::parse(Path::new("rules.toml"), source).unwrap();
        let RuleSet { predicates, .. } = RuleSet::new(bind(&file, &schema, &schema, true).unwrap());
        let all = Alike::all_of(&predicates[0]);
        all.into_iter().map(|q| Alike::new(&predicates[0], q).unwrap()).collect()
    }

    /// The first elements of a value, and whether it is free.
    fn shown(alike: &Alike, text: &str) -> (BTreeSet<u64>, bool) {
        let mut found = Vec::new();
        let length = alike.parts(text, &mut found);
        let Needs { prefix, is_free } = alike.needs(length).unwrap();
        found.sort_unstable();
        (found.into_iter().take(prefix as usize).collect(), is_free)
    }

    #[track_caller]
    fn is_found(when: &str, a: &str, b: &str) -> Result<(), TestCaseError> {
        for alike in alike(when) {
            let [(of_a, a_is_free), (of_b, b_is_free)] = [a, b].map(|text| shown(&alike, text));
            let is_found = !of_a.is_disjoint(&of_b) || a_is_free && b_is_free;
            prop_assert!(is_found, "{when}: {a:?} {b:?}: {of_a:?} {of_b:?}");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn values_that_hold_show_an_element_in_common(
            a in "[abc]{1,14}", edits in prop::collection::vec((0usize..14, "[abc]?"), 0..4),
            words in prop::collection::btree_set("[a-e]", 1..6), others in prop::collection::btree_set("[a-e]", 1..6),
            tenths in 3u32..10,
        ) {
            let mut b: Vec<String> = a.chars().map(String::from).collect();
            for (place, by) in edits {
                let place = place % (b.len() + 1);
                b.splice(place..(place + 1).min(b.len()), [by]);
            }
            let b = b.concat();
            if !b.is_empty() {
                let distance = strsim::levenshtein(&a, &b);
                for most in distance..distance + 2 {
                    is_found(&format!("levenshtein(l.a, r.a) <= {}", most.max(1)), &a, &b)?;
                }
                let longest = a.chars().count().max(b.chars().count());
                if 10 * (longest - distance) >= tenths as usize * longest {
                    is_found(&format!("levenshtein_similarity(l.a, r.a) >= 0.{tenths}"), &a, &b)?;
                }
            }
            let (common, all) = (words.intersection(&others).count(), words.union(&others).count());
            let [a, b] = [&words, &others].map(|words| words.iter().cloned().collect::<Vec<_>>().join(" "));
            if 10 * common >= tenths as usize * all {
                is_found(&format!("jaccard(words(l.a), words(r.a)) >= 0.{tenths}"), &a, &b)?;
            }
            if common > 0 {
                is_found(&format!("overlap(words(l.a), words(r.a)) >= {common}"), &a, &b)?;
            }
        }
    }

    #[test]
    fn only_what_is_bounded_has_elements() {
        assert_eq!(alike("levenshtein(l.a, r.a) <= 2").len(), 3);
        assert_eq!(alike("levenshtein_similarity(l.a, r.a) >= 0.25").len(), 3);
        assert_eq!(alike("levenshtein_similarity(l.a, r.a) >= 0.2").len(), 0);
        assert_eq!(alike("jaro_winkler(l.a, r.a) >= 0.9").len(), 0);
        assert_eq!(alike("jaccard(words(l.a), words(r.a)) >= 0.1").len(), 1);
    }
}
