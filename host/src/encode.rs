//! Encoding: from tables of text to columns of codes, in the form that both sides of the engine read.
//!
//! 1. Every operand that a predicate names (a column after its transforms) becomes a *slot*; slots that are compared
//!    with each other form a group, and a group is one domain with one [`Dictionary`].
//! 2. A column's distinct values are found first, so transforms run once per distinct value, not once per record.
//! 3. What measures need of a value is stored per code: packed symbols in the smallest alphabet, token sets, or the
//!    codes within numeric reach.
//! 4. Each predicate is restated over those numbers; constants became codes like any other value.

mod dictionary;
mod group;
mod numbers;
mod restrict;
mod symbols;
mod tokens;
mod transform;

use crate::error::{Error, Result};
use crate::rules::{Domain, Measure, Operand, Predicate, Side, Test, Tokenizer};
use crate::table::Table;
use dictionary::Dictionary;
use group::{Group, Slot, Values};
use hyperblock_shared::columns::{Columns, Extent, Reach, Sets, TextHead, Texts};
use hyperblock_shared::predicate as lowered;
use rayon::prelude::*;

/// Tables and predicates, encoded.
#[derive(Debug, Default)]
pub struct Encoded {
    /// Left records.
    pub n_left: u32,
    /// Right records; of the same table when one table is deduplicated.
    pub n_right: u32,
    /// The predicates, in the order they were given, over the columns below.
    pub predicates: Vec<lowered::Predicate>,
    /// For people: what was encoded.
    pub domains: Vec<DomainSummary>,
    pub(crate) codes: Vec<CodeColumn>,
    pub(crate) texts: Vec<TextColumn>,
    pub(crate) sets: Vec<SetColumn>,
    pub(crate) reaches: Vec<ReachColumn>,
}

/// What `explain` tells of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSummary {
    /// The operands that share it, as rules write them.
    pub operands: Vec<String>,
    /// Distinct values.
    pub n_values: usize,
    /// Bits a symbol and the longest value's symbols, if a measure looks at them.
    pub symbols: Option<(u32, u32)>,
}

/// An operand's codes.
#[derive(Debug)]
pub(crate) struct CodeColumn {
    pub(crate) domain: usize,
    pub(crate) codes: Vec<u32>,
}

/// A domain's packed symbols.
#[derive(Debug)]
pub(crate) struct TextColumn {
    pub(crate) domain: usize,
    pub(crate) bits: u32,
    pub(crate) heads: Vec<TextHead>,
    pub(crate) words: Vec<u64>,
    pub(crate) longest: u32,
}

/// A domain's token sets.
#[derive(Debug)]
pub(crate) struct SetColumn {
    pub(crate) domain: usize,
    pub(crate) extents: Vec<Extent>,
    pub(crate) tokens: Vec<u32>,
}

/// What each value of a domain reaches under one numeric predicate.
#[derive(Debug)]
pub(crate) struct ReachColumn {
    pub(crate) domain: usize,
    pub(crate) reaches: Vec<Reach>,
}

impl Columns for Encoded {
    fn codes(&self, operand: u32) -> &[u32] {
        &self.codes[operand as usize].codes
    }

    fn texts(&self, ix: u32) -> Texts<'_> {
        let TextColumn { bits, heads, words, .. } = &self.texts[ix as usize];
        Texts { bits: *bits, heads, words }
    }

    fn sets(&self, ix: u32) -> Sets<'_> {
        let SetColumn { extents, tokens, .. } = &self.sets[ix as usize];
        Sets { extents, tokens }
    }

    fn reaches(&self, ix: u32) -> &[Reach] {
        &self.reaches[ix as usize].reaches
    }
}

impl Encoded {
    /// The most symbols of any value that a measure looks at.
    pub fn longest(&self) -> u32 {
        self.texts.iter().map(|texts| texts.longest).max().unwrap_or(0)
    }

    /// The bytes that a device needs to hold all of it.
    pub fn n_bytes(&self) -> u64 {
        let texts = self.texts.iter().map(|texts| 16 * texts.heads.len() + 8 * texts.words.len());
        let sets = self.sets.iter().map(|sets| 8 * sets.extents.len() + 4 * sets.tokens.len());
        let reaches = self.reaches.iter().map(|column| 8 * column.reaches.len());
        let codes = self.codes.iter().map(|column| 4 * column.codes.len());
        texts.chain(sets).chain(reaches).chain(codes).sum::<usize>() as u64
    }
}

/// Encodes what `predicates` need of the tables. `right` is `None` when one table is deduplicated.
pub fn encode(left: &Table, right: Option<&Table>, predicates: &[Predicate]) -> Result<Encoded> {
    let (n_left, n_right) = (left.n_records(), right.map_or(left.n_records(), Table::n_records));
    let plan = Grouping::new(right.is_some(), predicates);
    // Every record may bring a value of its own, and every predicate a constant.
    if u64::from(n_left) + u64::from(n_right) + predicates.len() as u64 >= u64::from(u32::MAX) {
        return Err(Error::Job(format!("{n_left} and {n_right} records are too many for one job")));
    }
    let tables = [left, right.unwrap_or(left)];
    let groups: Vec<Group> =
        plan.members.par_iter().map(|members| Group::new(&tables, members, &plan)).collect::<Result<_>>()?;
    let mut encoded = Encoded { n_left, n_right, ..Encoded::default() };
    let mut lowering =
        Lowering { plan: &plan, groups: &groups, texts: Vec::new(), sets: Vec::new(), reaches: Vec::new() };
    for predicate in predicates {
        let lowered = lowering.lower(predicate, &mut encoded)?;
        encoded.predicates.push(lowered);
    }
    encoded.domains = (0..groups.len())
        .map(|domain| DomainSummary {
            operands: plan.members[domain].iter().map(|&slot| plan.slots[slot].to_string()).collect(),
            n_values: groups[domain].values.len(),
            symbols: encoded
                .texts
                .iter()
                .find(|texts| texts.domain == domain)
                .map(|texts| (texts.bits, texts.longest)),
        })
        .collect();
    let mut by_slot: Vec<_> =
        plan.slots.iter().map(|_| CodeColumn { domain: 0, codes: Vec::new() }).collect();
    for (domain, (group, members)) in groups.into_iter().zip(&plan.members).enumerate() {
        for (codes, &slot) in group.codes.into_iter().zip(members) {
            by_slot[slot] = CodeColumn { domain, codes };
        }
    }
    encoded.codes = by_slot;
    Ok(encoded)
}

/// Which operands there are, and which of them share a domain.
struct Grouping {
    two_tables: bool,
    slots: Vec<Slot>,
    /// By group: its slots.
    members: Vec<Vec<usize>>,
}

impl Grouping {
    fn new(two_tables: bool, predicates: &[Predicate]) -> Self {
        let mut plan = Self { two_tables, slots: Vec::new(), members: Vec::new() };
        for predicate in predicates {
            match &predicate.test {
                Test::Is { side, operand, domain, constant } => {
                    let group = plan.group_of(*side, operand, *domain);
                    let slot = plan.members[group][0];
                    plan.slots[slot].constants.push(constant.clone());
                }
                Test::Compare { left, right, domain, .. } => {
                    let l = plan.group_of(Side::Left, left, *domain);
                    let r = plan.group_of(Side::Right, right, *domain);
                    if l != r {
                        let moved = plan.members.swap_remove(l.max(r));
                        plan.members[l.min(r)].extend(moved);
                    }
                }
            }
        }
        plan
    }

    fn slot(&self, side: Side, operand: &Operand, domain: Domain) -> Option<usize> {
        let table = usize::from(self.two_tables && side == Side::Right);
        self.slots
            .iter()
            .position(|slot| slot.table == table && slot.operand == *operand && slot.domain == domain)
    }

    fn group_of(&mut self, side: Side, operand: &Operand, domain: Domain) -> usize {
        let slot = self.slot(side, operand, domain).unwrap_or_else(|| {
            let table = usize::from(self.two_tables && side == Side::Right);
            self.slots.push(Slot { table, operand: operand.clone(), domain, constants: Vec::new() });
            self.members.push(vec![self.slots.len() - 1]);
            self.slots.len() - 1
        });
        self.members.iter().position(|members| members.contains(&slot)).unwrap_or_default()
    }
}

/// Restates predicates over codes, and encodes what their measures need on the way, each once.
struct Lowering<'a> {
    plan: &'a Grouping,
    groups: &'a [Group],
    texts: Vec<usize>,
    sets: Vec<(usize, Tokenizer)>,
    reaches: Vec<(usize, Measure)>,
}

impl Lowering<'_> {
    fn lower(&mut self, predicate: &Predicate, encoded: &mut Encoded) -> Result<lowered::Predicate> {
        let lost = || Error::Internal(format!("`{predicate}` was not encoded"));
        let find = |side, operand, domain| {
            let slot = self.plan.slot(side, operand, domain)?;
            let group = self.plan.members.iter().position(|members| members.contains(&slot))?;
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
