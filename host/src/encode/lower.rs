//! Lowering: predicates restated over codes, and what their measures need of the values encoded on the way.

use super::dictionary::Dictionary;
use super::group::{Group, Values};
use super::grouping::Grouping;
use super::{Encoded, ReachColumn, numbers, symbols, tokens};
use crate::error::{Error, Result};
use crate::rules::{Measure, Predicate, Side, Test, Tokenizer};
use hyperblock_shared::predicate as lowered;

/// Adds the lowered predicates, and the columns that they read, to `encoded`.
pub(super) fn lower(
    predicates: &[Predicate],
    grouping: &Grouping,
    groups: &[Group],
    encoded: &mut Encoded,
) -> Result<()> {
    let mut lowering =
        Lowering { grouping, groups, texts: Vec::new(), sets: Vec::new(), reaches: Vec::new() };
    for predicate in predicates {
        let lowered = lowering.lower(predicate, encoded)?;
        encoded.predicates.push(lowered);
    }
    Ok(())
}

/// Restates predicates over codes, and encodes what their measures need on the way, each once.
struct Lowering<'a> {
    grouping: &'a Grouping,
    groups: &'a [Group],
    texts: Vec<usize>,
    sets: Vec<(usize, Tokenizer)>,
    reaches: Vec<(usize, Measure)>,
}

impl Lowering<'_> {
    fn lower(&mut self, predicate: &Predicate, encoded: &mut Encoded) -> Result<lowered::Predicate> {
        let lost = || Error::Internal(format!("`{predicate}` was not encoded"));
        let find = |side, operand, domain| {
            let slot = self.grouping.slot(side, operand, domain)?;
            let group = self.grouping.members.iter().position(|members| members.contains(&slot))?;
            Some((slot as u32, group))
        };
        let test = match &predicate.test {
            Test::Is { side, operand, domain, constant } => {
                let (operand, group) = find(*side, operand, *domain).ok_or_else(lost)?;
                let code = self.groups[group].values.code_of(constant, *domain).ok_or_else(lost)?;
                match side {
                    Side::Left => lowered::Test::LeftIs { operand, code },
                    Side::Right => lowered::Test::RightIs { operand, code },
                }
            }
            Test::Compare { left, right, domain, measure } => {
                let (left, group) = find(Side::Left, left, *domain).ok_or_else(lost)?;
                let (right, _) = find(Side::Right, right, *domain).ok_or_else(lost)?;
                lowered::Test::Compare { left, right, measure: self.measure(*measure, group, encoded)? }
            }
        };
        Ok(lowered::Predicate { test, negated: predicate.negated })
    }

    fn measure(&mut self, measure: Measure, group: usize, encoded: &mut Encoded) -> Result<lowered::Measure> {
        let values = &self.groups[group].values;
        Ok(match (measure, values) {
            (Measure::Equal, _) => lowered::Measure::Equal,
            (Measure::LevenshteinAtMost(most), Values::Texts(values)) => {
                lowered::Measure::LevenshteinAtMost { texts: self.symbols(group, values, encoded)?, most }
            }
            (Measure::LevenshteinSimilarity(bound), Values::Texts(values)) => {
                let texts = self.symbols(group, values, encoded)?;
                lowered::Measure::LevenshteinSimilarity { texts, threshold: bound.into() }
            }
            (Measure::JaroWinklerSimilarity(bound), Values::Texts(values)) => {
                let texts = self.symbols(group, values, encoded)?;
                lowered::Measure::JaroWinklerSimilarity { texts, threshold: bound.into() }
            }
            (Measure::Jaccard(tokenizer, bound), Values::Texts(values)) => {
                let sets = once(&mut self.sets, (group, tokenizer), &mut encoded.sets, || {
                    tokens::tokenize(group, values, tokenizer)
                })?;
                lowered::Measure::Jaccard { sets, threshold: bound.into() }
            }
            (Measure::Within { most, strict }, Values::Numbers(values)) => {
                let reaches = once(&mut self.reaches, (group, measure), &mut encoded.reaches, || {
                    numbers::reaches(values, most, strict)
                        .map(|reaches| ReachColumn { domain: group, reaches })
                })?;
                lowered::Measure::Within { reaches }
            }
            (measure, _) => {
                return Err(Error::Internal(format!("{measure:?} over a domain of another kind")));
            }
        })
    }

    fn symbols(&mut self, group: usize, values: &Dictionary, encoded: &mut Encoded) -> Result<u32> {
        once(&mut self.texts, group, &mut encoded.texts, || symbols::pack(group, values))
    }
}

/// The place of `key` in `keys`; if it is new, `make` makes what stands in the same place of `made`.
fn once<K: PartialEq, T>(
    keys: &mut Vec<K>,
    key: K,
    made: &mut Vec<T>,
    make: impl FnOnce() -> Result<T>,
) -> Result<u32> {
    let ix = match keys.iter().position(|other| *other == key) {
        Some(ix) => ix,
        None => {
            made.push(make()?);
            keys.push(key);
            keys.len() - 1
        }
    };
    Ok(ix as u32)
}
