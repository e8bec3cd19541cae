//! Lowering: predicates restated over codes, and what their measures need of the values encoded on the way.

use super::group::{Group, Values};
use super::grouping::Grouping;
use super::{Encoded, ReachColumn, Ready, TakeReady, marks, numbers, symbols, tokens};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::timeline::Lane;
use crate::rules::{Condition, Measure, Predicate, Side, Test, Tokenizer};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use hyperblock_shared::measure as shared;
use hyperblock_shared::predicate as lowered;
use std::borrow::Cow;
use std::hash::Hash;

/// Adds the lowered predicates, and the columns that they read, to `encoded`.
pub(super) fn lower(
    predicates: &[Predicate],
    grouping: &Grouping,
    groups: &[Group<'_>],
    encoded: &mut Encoded,
    (control, take): (&Control, TakeReady<'_>),
) -> Result<()> {
    let mut lowering = Lowering {
        control,
        take,
        grouping,
        groups,
        texts: HashMap::new(),
        sets: HashMap::new(),
        reaches: HashMap::new(),
        marks: HashMap::new(),
    };
    for predicate in predicates {
        control.check()?;
        let lowered = lowering.lower(predicate, encoded)?;
        encoded.predicates.push(lowered);
        control.did(1);
    }
    Ok(())
}

/// Restates predicates over codes, and encodes what their measures need on the way, each once.
struct Lowering<'a> {
    control: &'a Control,
    take: TakeReady<'a>,
    grouping: &'a Grouping,
    groups: &'a [Group<'a>],
    texts: HashMap<usize, u32>,
    sets: HashMap<(usize, Tokenizer), u32>,
    reaches: HashMap<(usize, Measure), u32>,
    marks: HashMap<(u32, Condition, bool), u32>,
}

impl Lowering<'_> {
    fn lower(&mut self, predicate: &Predicate, encoded: &mut Encoded) -> Result<lowered::Predicate> {
        let lost = || Error::Internal(format!("`{predicate}` was not encoded"));
        let find = |side, operand, domain| {
            let slot = self.grouping.slot(side, operand, domain)?;
            Some((slot as u32, self.grouping.groups[slot]))
        };
        let test = match &predicate.test {
            Test::Value { side, operand, domain, condition } => {
                let (slot, group) = find(*side, operand, *domain).ok_or_else(lost)?;
                let key = (slot, condition.clone(), predicate.negated);
                let marks = once(&mut self.marks, key, &mut encoded.marks, || {
                    let Group { values, codes } = &self.groups[group];
                    let members = &self.grouping.members[group];
                    let member =
                        members.iter().position(|&member| member == slot as usize).ok_or_else(lost)?;
                    let table = self.grouping.slots[slot as usize].table;
                    marks::mark(table, &codes[member], values, *domain, condition, predicate.negated)
                })?;
                // The marks know of the negation.
                let test = match side {
                    Side::Left => lowered::Test::Left { marks },
                    Side::Right => lowered::Test::Right { marks },
                };
                return Ok(lowered::Predicate { test, negated: false });
            }
            Test::Compare { left, right, domain, measure } => {
                let (left, group) = find(Side::Left, left, *domain).ok_or_else(lost)?;
                let (right, _) = find(Side::Right, right, *domain).ok_or_else(lost)?;
                lowered::Test::Compare { left, right, measure: self.measure(*measure, group, encoded)? }
            }
        };
        Ok(lowered::Predicate { test, negated: predicate.negated })
    }

    fn measure(&mut self, measure: Measure, group: usize, encoded: &mut Encoded) -> Result<shared::Measure> {
        let values = &self.groups[group].values;
        Ok(match (measure, values) {
            (Measure::Equal, _) => shared::Measure::Equal,
            (Measure::Texts(by, asked), Values::Texts(values)) => {
                let texts = self.symbols(group, values, encoded)?;
                shared::Measure::Texts { texts, by, asked: asked.map(Into::into) }
            }
            (Measure::Sets(tokenizer, by, asked), Values::Texts(values)) => {
                let sets = self.tokens(group, values, tokenizer, encoded)?;
                shared::Measure::Sets { sets, by, asked: asked.map(Into::into) }
            }
            (Measure::Difference { least, most }, Values::Numbers(values)) => {
                let reaches = once(&mut self.reaches, (group, measure), &mut encoded.reaches, || {
                    Ok(ReachColumn { domain: group, reaches: numbers::reaches(values, least, most) })
                })?;
                shared::Measure::Within { reaches }
            }
            (measure, _) => {
                return Err(Error::Internal(format!("{measure:?} over a domain of another kind")));
            }
        })
    }

    fn tokens(
        &mut self,
        group: usize,
        values: &[Cow<'_, str>],
        tokenizer: Tokenizer,
        encoded: &mut Encoded,
    ) -> Result<u32> {
        once(&mut self.sets, (group, tokenizer), &mut encoded.sets, || {
            let tokenize = || tokens::tokenize(group, values, tokenizer, self.control);
            let sets = self.control.note(Lane::Encode, "tokens", tokenize)?;
            (self.take)(Ready::Heads(sets.heads.clone()));
            (self.take)(Ready::Halves(sets.tokens.clone()));
            Ok(sets)
        })
    }

    fn symbols(&mut self, group: usize, values: &[Cow<'_, str>], encoded: &mut Encoded) -> Result<u32> {
        once(&mut self.texts, group, &mut encoded.texts, || {
            let pack = || symbols::pack(group, values, self.control);
            let texts = self.control.note(Lane::Encode, "symbols", pack)?;
            (self.take)(Ready::Heads(texts.heads.clone()));
            (self.take)(Ready::Words(texts.words.clone()));
            Ok(texts)
        })
    }
}

/// The place that `key` has; if it is new, `make` makes what stands there.
fn once<K: Eq + Hash, T>(
    places: &mut HashMap<K, u32>,
    key: K,
    made: &mut Vec<T>,
    make: impl FnOnce() -> Result<T>,
) -> Result<u32> {
    match places.entry(key) {
        Entry::Occupied(known) => Ok(*known.get()),
        Entry::Vacant(new) => {
            made.push(make()?);
            Ok(*new.insert(made.len() as u32 - 1))
        }
    }
}
