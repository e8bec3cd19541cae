//! Which rules a draft has.
//!
//! Keys come first: what two records have the same. Each time that one comes in which finds most of the pairs that the score takes
//! for the same and that were not found. Behind them comes one rule about everything at once: how alike two records are in all
//! columns together, as pieces of three letters, as lenient as its share of candidates allows. Others come in between, keys and
//! texts by themselves, if they find what no other does. What each finds is seen on a sample, by the engine.

use super::compared::Compared;
use super::keys::{all_the_same, keys, together};
use super::role::Role;
use super::sample::{Sample, Seen};
use super::score;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::read::table::Table;
use std::collections::BTreeSet;

/// Candidates a record: of all rules together, of the first one, and of each other one.
const MOST: f64 = 40.0;
const OF_ALL: f64 = 20.0;
const OF_ONE: f64 = 5.0;
/// Keys that come first, and rules beside the one about everything.
const KEYS: usize = 4;
const RULES: usize = 7;
/// Keys that are tried.
const TRIED: usize = 16;
/// A key comes in if it finds one more pair of so many that are alike, and another rule one of so many.
const KEY_WORTH: usize = 50;
const WORTH: usize = 200;
/// Similarities of the first trial, and of those after it where pairs are few.
const FLOORS: [f64; 7] = [0.8, 0.7, 0.6, 0.5, 0.45, 0.35, 0.2];
/// Of tables with more pairs, no similarity is as low: to find what has little in common takes as long as there are pairs.
const LOWEST: [(f64, f64); 4] = [(1e12, 0.8), (1e10, 0.6), (1e8, 0.45), (2e7, 0.35)];
/// Longer texts have too much to say beside others.
const LONG: f64 = 120.0;
/// Columns that tell less are in no text by themselves, or with others.
const TELLING: f64 = 3.0;

/// A rule of the draft.
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) why: String,
    pub(super) when: String,
    /// Pairs that it allows, about.
    pub(super) n_pairs: f64,
}

/// All rules, and what they come to.
pub(super) struct Chosen {
    pub(super) rules: Vec<Rule>,
    /// Candidates a record, about.
    pub(super) a_record: f64,
    /// The score that pairs should reach.
    pub(super) threshold: f64,
}

/// A rule that may come in.
struct Tried {
    rule: Rule,
    seen: Vec<Seen>,
    is_key: bool,
}

/// Rules as they come in.
struct Choosing<'a> {
    sample: &'a Sample<'a>,
    /// Pairs that the score takes for the same.
    alike: BTreeSet<(u32, u32)>,
    tried: Vec<Tried>,
    /// What the rules find that are in.
    found: BTreeSet<(u32, u32)>,
    rules: Vec<Rule>,
}

impl Choosing<'_> {
    /// Takes rules until there are so many, each time the one that finds most of what is alike and was not found; as long as that is
    /// one of so many.
    fn take(&mut self, most: usize, of_so_many: usize, wanted: impl Fn(&Tried) -> bool) {
        let least = self.alike.len() / of_so_many;
        while self.rules.len() < most {
            let is_new = |seen: &&Seen| self.alike.contains(&seen.pair) && !self.found.contains(&seen.pair);
            let places = self.tried.iter().enumerate().filter(|(_, tried)| wanted(tried));
            let more = places.map(|(nth, tried)| (tried.seen.iter().filter(is_new).count(), nth));
            let Some((n, nth)) = more.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))) else { break };
            let is_enough = n >= least && (n > 0 || of_so_many == usize::MAX);
            if !is_enough {
                break;
            }
            let Tried { rule, seen, .. } = self.tried.remove(nth);
            let new = seen.iter().filter(|seen| !self.found.contains(&seen.pair)).count();
            if self.sample.a_record(self.found.len() + new) <= MOST {
                self.found.extend(seen.iter().map(|seen| seen.pair));
                self.rules.push(rule);
            }
        }
    }
}

/// A similarity that a rule may ask for.
struct Alike {
    name: String,
    why: String,
    measure: String,
}

pub(super) fn choose(
    tables: &[Table],
    compared: &[Compared],
    sample: &Sample<'_>,
    control: &Control,
) -> Result<Chosen> {
    let attributes = score::attributes(compared);
    let trying = Trying { sample, attributes: &attributes };
    let first = match everything(compared) {
        None => None,
        Some(alike) => trying.lenient(&alike, OF_ALL)?,
    };
    let mut tried = Vec::new();
    for alike in singly(compared, first.is_some()) {
        tried.extend(trying.lenient(&alike, OF_ONE)?);
    }
    for key in keys(tables, compared, OF_ONE * sample.n_records, control)?.into_iter().take(TRIED) {
        // A little more than was counted is not too many.
        if let Some(seen) = sample.pairs(&key.when, &attributes, 4.0 * OF_ONE)? {
            let why = format!("Records with the {} are few enough to look at all.", key.name);
            let rule = Rule { name: key.name, why, when: key.when, n_pairs: key.n_pairs };
            tried.push(Tried { rule, seen, is_key: true });
        }
    }
    let of_first = first.as_ref().map_or(&[][..], |first| &first.seen);
    let seen: BTreeSet<Seen> = of_first.iter().chain(tried.iter().flat_map(|it| &it.seen)).copied().collect();
    let threshold = score::threshold(&seen);
    let least = (threshold * 1e9) as u32;
    let alike = seen.iter().filter(|seen| seen.score >= least).map(|seen| seen.pair).collect();
    let mut choosing = Choosing { sample, alike, tried, found: BTreeSet::new(), rules: Vec::new() };
    choosing.take(KEYS, KEY_WORTH, |tried| tried.is_key);
    choosing.found.extend(of_first.iter().map(|seen| seen.pair));
    choosing.take(RULES, WORTH, |_| true);
    if choosing.rules.is_empty() && first.is_none() {
        // One that finds nothing alike is better than none.
        choosing.take(1, usize::MAX, |_| true);
    }
    let Choosing { mut rules, found, .. } = choosing;
    let a_record = sample.a_record(found.len());
    rules.extend(first.map(|first| first.rule));
    if rules.is_empty() {
        let when = all_the_same(compared);
        let seen = sample.pairs(&when, &attributes, f64::MAX)?.unwrap_or_default();
        let n_pairs = seen.len() as f64 * sample.scale;
        let why = "No column, and no two of them, tell records apart well enough: these are the pairs that are the same in \
                   all of them."
            .to_owned();
        let rule = Rule { name: "all the same".into(), why, when, n_pairs };
        return Ok(Chosen { rules: vec![rule], a_record: sample.a_record(seen.len()), threshold });
    }
    Ok(Chosen { rules, a_record, threshold })
}

/// How rules are tried.
struct Trying<'a> {
    sample: &'a Sample<'a>,
    attributes: &'a str,
}

impl Trying<'_> {
    /// The most lenient rule by a similarity that stays within so many candidates a record, if there is one.
    fn lenient(&self, Alike { name, why, measure }: &Alike, most: f64) -> Result<Option<Tried>> {
        let mut at = None;
        let lowest = LOWEST
            .iter()
            .find(|(n_pairs, _)| self.sample.n_pairs > *n_pairs)
            .map_or(0.0, |(_, floor)| *floor);
        for floor in FLOORS.into_iter().filter(|floor| *floor >= lowest) {
            let counts = self.sample.histogram(measure, floor)?;
            let lowest = (floor * 100.0).round() as usize;
            let step = (lowest..counts.len()).find(|step| self.sample.a_record(counts[*step]) <= most);
            at = step.or(at);
            // It is as lenient as can be, or already too lenient there.
            if step != Some(lowest) {
                break;
            }
        }
        let Some(step) = at else { return Ok(None) };
        let when = format!("{measure} >= {:.2}", step as f64 / 100.0);
        let Some(seen) = self.sample.pairs(&when, self.attributes, 2.0 * most)? else { return Ok(None) };
        let n_pairs = seen.len() as f64 * self.sample.scale;
        let rule = Rule { name: name.clone(), why: why.clone(), when, n_pairs };
        Ok(Some(Tried { rule, seen, is_key: false }).filter(|tried| !tried.seen.is_empty()))
    }
}

/// All that tells much, as one text.
fn everything(compared: &[Compared]) -> Option<Alike> {
    let is_text = |it: &&Compared| it.role != Role::Number;
    let texts: Vec<&Compared> = compared.iter().filter(is_text).collect();
    let telling: Vec<&Compared> =
        texts.iter().copied().filter(|it| it.told >= TELLING && it.length <= LONG).collect();
    let chosen = if telling.is_empty() { texts } else { telling };
    if chosen.is_empty() {
        return None;
    }
    let [l, r] = [0, 1].map(|side| together(&chosen, side));
    let names: Vec<String> = chosen.iter().map(|it| format!("`{}`", it.names[0])).collect();
    let name =
        if chosen.len() == 1 { format!("alike {}", chosen[0].names[0]) } else { "alike in all".to_owned() };
    let why = format!(
        "Pieces of three letters in common, in {}: whatever is misspelt, left out or in another column.",
        names.join(", ")
    );
    Some(Alike { name, why, measure: format!("cosine(qgrams({l}, 3), qgrams({r}, 3))") })
}

/// Each text by itself.
fn singly(compared: &[Compared], is_one_enough: bool) -> Vec<Alike> {
    let is_text = |it: &&Compared| {
        matches!(it.role, Role::Name | Role::Text) || (it.role == Role::Code && it.length >= 8.0)
    };
    let texts: Vec<&Compared> = compared.iter().filter(is_text).filter(|it| it.told >= TELLING).collect();
    if texts.len() == 1 && is_one_enough && texts[0].length <= LONG {
        return Vec::new();
    }
    let alike = |it: &&Compared| {
        let [l, r] = it.values();
        let (measure, of) = match it.role {
            Role::Text => (format!("cosine(alphanumeric({l}), alphanumeric({r}))"), "Words"),
            _ => (format!("cosine(qgrams({l}, 3), qgrams({r}, 3))"), "Pieces of three letters"),
        };
        let name = it.names[0].clone();
        Alike { why: format!("{of} in common, in `{name}` alone."), name: format!("alike {name}"), measure }
    };
    texts.iter().map(alike).collect()
}
