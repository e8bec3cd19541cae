//! Which rules a draft has.
//!
//! The first is about everything at once: how alike two records are in all columns together, as pieces of three letters. It is as
//! lenient as its share of candidates allows. The others, keys and columns by themselves, come in as long as they find pairs that
//! the score takes for the same and no rule before them found: of all that could be, each time the one with the most of them.
//! What each finds is seen on a sample, by the engine.

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
/// Rules beside the first.
const RULES: usize = 8;
/// Keys that are tried.
const TRIED: usize = 16;
/// A rule stays if it finds one more pair of so many that are known to be alike.
const WORTH: usize = 200;
/// Similarities of the first trial, and of those after it where pairs are few.
const FLOORS: [f64; 4] = [0.7, 0.5, 0.35, 0.2];
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
            tried.push(Tried { rule, seen });
        }
    }
    let of_first = first.as_ref().map_or(&[][..], |first| &first.seen);
    let all: Vec<Seen> = of_first.iter().chain(tried.iter().flat_map(|it| &it.seen)).copied().collect();
    let threshold = score::threshold(&all);
    let least = (threshold * 1e9) as u32;
    let mut found: BTreeSet<(u32, u32)> = of_first.iter().map(|seen| seen.pair).collect();
    let mut n_alike = of_first.iter().filter(|seen| seen.score >= least).count();
    let mut rules = Vec::new();
    while rules.len() < RULES {
        let more = |it: &Tried| {
            it.seen.iter().filter(|seen| seen.score >= least && !found.contains(&seen.pair)).count()
        };
        let best = tried.iter().enumerate().map(|(nth, it)| (more(it), nth));
        let Some((n_more, nth)) = best.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))) else { break };
        // Without any rule, one that finds nothing alike is better than none.
        let is_needed = rules.is_empty() && first.is_none();
        if !is_needed && n_more * WORTH < n_alike.max(WORTH) {
            break;
        }
        let Tried { rule, seen } = tried.remove(nth);
        let mut with: BTreeSet<(u32, u32)> = found.clone();
        with.extend(seen.iter().map(|seen| seen.pair));
        if sample.a_record(with.len()) > MOST && !is_needed {
            continue;
        }
        found = with;
        n_alike += n_more;
        rules.push(rule);
    }
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
        for floor in FLOORS {
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
        Ok(Some(Tried { rule, seen }).filter(|tried| !tried.seen.is_empty()))
    }
}

/// All that tells much, as one text.
fn everything(compared: &[Compared]) -> Option<Alike> {
    let is_text = |it: &&Compared| it.role != Role::Number;
    let texts: Vec<&Compared> = compared.iter().filter(is_text).collect();
    let telling: Vec<&Compared> =
        texts.iter().copied().filter(|it| it.bits >= TELLING && it.length <= LONG).collect();
    let chosen = if telling.is_empty() { texts } else { telling };
    if chosen.is_empty() {
        return None;
    }
    let [l, r] = [0, 1].map(|side| together(&chosen, side));
    let names: Vec<String> = chosen.iter().map(|it| format!("`{}`", it.names[0])).collect();
    let name = if chosen.len() == 1 { format!("alike {}", chosen[0].names[0]) } else { "alike in all".to_owned() };
    let why = format!(
        "Pieces of three letters in common, in {}: whatever is misspelt, left out or in another column.",
        names.join(", ")
    );
    Some(Alike { name, why, measure: format!("cosine(qgrams({l}, 3), qgrams({r}, 3))") })
}

/// Each text by itself.
fn singly(compared: &[Compared], is_one_enough: bool) -> Vec<Alike> {
    let is_text = |it: &&Compared| matches!(it.role, Role::Name | Role::Text) || (it.role == Role::Code && it.length >= 8.0);
    let texts: Vec<&Compared> = compared.iter().filter(is_text).filter(|it| it.bits >= TELLING).collect();
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
