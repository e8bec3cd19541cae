//! Encoding: from tables of text to columns of codes, in the form that both sides of the engine read.
//!
//! 1. Every operand that a predicate names (a column after its transforms) becomes a *slot*; slots that are compared
//!    with each other form a group, and a group is one domain with one dictionary.
//! 2. A column's distinct values are found first, so transforms run once per distinct value, not once per record.
//! 3. What measures need of a value is stored per code: packed symbols in the smallest alphabet, token sets, or the
//!    codes within numeric reach.
//! 4. What predicates ask of one record alone is answered here, a bit a record; records that no rule is about are left
//!    out ([`Selection`]). The other predicates are restated over the numbers.

mod blocks;
pub(crate) mod dictionary;
pub(crate) mod grid;
mod group;
mod grouping;
mod kept;
mod largest;
mod lower;
mod made;
mod marks;
pub(crate) mod numbering;
mod numbers;
pub(crate) mod odd;
mod passes;
mod places;
mod points;
mod ranks;
mod raw;
mod ready;
mod restrict;
mod select;
mod symbols;
mod tokens;
mod transform;

pub use ready::{Ready, TakeReady};
pub use select::Selection;
pub(crate) use select::Sides;

pub(crate) use blocks::Block;
pub(crate) use grid::Grid;
pub(crate) use largest::{LargestBlock, TableOf};
pub(crate) use numbers::parse as number;
pub(crate) use passes::{Putting, keep, keep_ranks, known, known_ranks, operands, passes};
pub(crate) use places::place;
pub(crate) use ranks::{Ranks, ranks};
pub(crate) use raw::Raw;
pub(crate) use tokens::for_each_token;
pub(crate) use transform::{Fields, Pipeline};

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::timeline::Lane;
use crate::read::table::Table;
use crate::rules::{Domain, Operand, Predicate};
use group::{Group, Slot};
use grouping::Grouping;
use hyperblock_shared::columns::{Columns, Head, Point, Reach, Sets, Texts};
use hyperblock_shared::predicate as lowered;
use lower::{Needs, Places};
use rayon::prelude::*;
use std::sync::Arc;

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
    pub(crate) points: Vec<PointColumn>,
    pub(crate) reaches: Vec<ReachColumn>,
    pub(crate) marks: Vec<MarkColumn>,
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
    /// What was encoded.
    pub(crate) operand: Operand,
    /// 0 is the left table, 1 the right.
    pub(crate) table: usize,
    pub(crate) domain: usize,
    pub(crate) codes: Arc<Vec<u32>>,
}

/// A domain's packed symbols.
#[derive(Debug)]
pub(crate) struct TextColumn {
    pub(crate) domain: usize,
    pub(crate) bits: u32,
    pub(crate) heads: Arc<Vec<Head>>,
    pub(crate) words: Arc<Vec<u64>>,
    pub(crate) longest: u32,
}

/// A domain's token sets. Token codes ascend with frequency, so each set begins with its rarest tokens; but those of the cells
/// of a grid, which are not counted.
#[derive(Debug)]
pub(crate) struct SetColumn {
    pub(crate) domain: usize,
    pub(crate) heads: Arc<Vec<Head>>,
    pub(crate) tokens: Arc<Vec<u32>>,
    /// The most tokens of a set.
    pub(crate) longest: u32,
    /// How many different ones there are, or some more.
    pub(crate) n_tokens: u32,
}

impl SetColumn {
    fn new(domain: usize, heads: Vec<Head>, tokens: Vec<u32>) -> Self {
        let longest = heads.par_iter().map(|head| head.len).max().unwrap_or(0);
        // They are numbered through, and the last one of a set is its most frequent.
        let sets = Sets { heads: &heads, tokens: &tokens };
        let last = |head: &Head| sets.set(head).last().map_or(0, |last| last + 1);
        let n_tokens = heads.par_iter().map(last).max().unwrap_or(0);
        Self { domain, heads: Arc::new(heads), tokens: Arc::new(tokens), longest, n_tokens }
    }
}

/// The points of a domain, by code.
#[derive(Debug)]
pub(crate) struct PointColumn {
    pub(crate) domain: usize,
    pub(crate) points: Arc<Vec<Point>>,
    /// What is said of values that are no places, and so missing.
    pub(crate) odd: Vec<String>,
}

/// What each value of a domain reaches under one numeric predicate.
#[derive(Debug)]
pub(crate) struct ReachColumn {
    pub(crate) domain: usize,
    pub(crate) reaches: Vec<Reach>,
}

/// A bit for each record, 32 a word.
#[derive(Debug)]
pub(crate) struct MarkColumn {
    /// 0 is the left table, 1 the right.
    pub(crate) table: usize,
    pub(crate) bits: Vec<u32>,
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
        let SetColumn { heads, tokens, .. } = &self.sets[ix as usize];
        Sets { heads, tokens }
    }

    fn points(&self, ix: u32) -> &[Point] {
        &self.points[ix as usize].points
    }

    fn reaches(&self, ix: u32) -> &[Reach] {
        &self.reaches[ix as usize].reaches
    }

    fn marks(&self, ix: u32) -> &[u32] {
        &self.marks[ix as usize].bits
    }
}

impl Encoded {
    /// One past the last code that an operand may have.
    pub fn n_codes(&self, operand: u32) -> u32 {
        self.domains[self.codes[operand as usize].domain].n_values as u32
    }

    /// The most symbols of any value that a measure looks at.
    pub fn longest(&self) -> u32 {
        self.texts.iter().map(|texts| texts.longest).max().unwrap_or(0)
    }

    /// Without what tells values apart at a glance, except their lengths: for the variant that does without filters.
    pub(crate) fn without_signatures(mut self) -> Self {
        let of_texts = self.texts.iter_mut().map(|texts| &mut texts.heads);
        for heads in of_texts.chain(self.sets.iter_mut().map(|sets| &mut sets.heads)) {
            Arc::make_mut(heads).iter_mut().for_each(|head| (head.signature, head.beginning) = (0, 0));
        }
        self
    }

    /// The bytes that a device needs to hold all of it.
    pub fn n_bytes(&self) -> u64 {
        let texts =
            self.texts.iter().map(|texts| size_of::<Head>() * texts.heads.len() + 8 * texts.words.len());
        let sets = self.sets.iter().map(|sets| size_of::<Head>() * sets.heads.len() + 4 * sets.tokens.len());
        let points = self.points.iter().map(|column| size_of::<Point>() * column.points.len());
        let reaches = self.reaches.iter().map(|column| 8 * column.reaches.len());
        let codes = self.codes.iter().map(|column| 4 * column.codes.len());
        let marks = self.marks.iter().map(|column| 4 * column.bits.len());
        texts.chain(sets).chain(points).chain(reaches).chain(codes).chain(marks).sum::<usize>() as u64
    }
}

/// Encodes what `predicates` need of the tables. `right` is `None` when one table is deduplicated.
pub fn encode(
    left: &Table,
    right: Option<&Table>,
    predicates: &[Predicate],
    control: &Control,
) -> Result<Encoded> {
    encode_for(left, right, predicates, control, &|_| {})
}

/// The same for who takes columns as soon as they are ready.
pub(crate) fn encode_for(
    left: &Table,
    right: Option<&Table>,
    predicates: &[Predicate],
    control: &Control,
    take: TakeReady<'_>,
) -> Result<Encoded> {
    let (n_left, n_right) = (left.n_records(), right.map_or(left.n_records(), Table::n_records));
    let needs = Needs::new(right.is_some(), predicates)?;
    let grouping = &needs.grouping;
    // What is found of each operand, of each domain, and made of it.
    let n_steps = grouping.slots.len() + grouping.members.len() + needs.n_columns();
    control.begin(n_steps as u64, "steps");
    // Every record may bring a value of its own.
    if u64::from(n_left) + u64::from(n_right) >= u64::from(u32::MAX) {
        return Err(Error::Job(format!("{n_left} and {n_right} records are too many for one job")));
    }
    let tables = [left, right.unwrap_or(left)];
    let groups = groups(&tables, grouping, control)?;
    groups.iter().flat_map(|group| &group.codes).for_each(|codes| take(Ready::Halves(codes.clone())));
    let mut encoded = Encoded { n_left, n_right, ..Encoded::default() };
    made::make(&needs, &groups, &mut encoded, (control, take))?;
    let n_values: Vec<usize> = groups.iter().map(|group| group.values.len()).collect();
    let mut by_slot = vec![Arc::default(); grouping.slots.len()];
    for (group, members) in groups.into_iter().zip(&grouping.members) {
        group.codes.into_iter().zip(members).for_each(|(codes, &slot)| by_slot[slot] = codes);
    }
    Ok(encoded.with(needs, by_slot, &n_values))
}

impl Encoded {
    /// With the codes of each slot, in domains of so many values.
    fn with(self, needs: Needs, codes: Vec<Arc<Vec<u32>>>, n_values: &[usize]) -> Self {
        let Needs { grouping, predicates, .. } = needs;
        let summary = |domain: usize| DomainSummary {
            operands: grouping.members[domain].iter().map(|&slot| grouping.slots[slot].to_string()).collect(),
            n_values: n_values[domain],
            symbols: self
                .texts
                .iter()
                .find(|texts| texts.domain == domain)
                .map(|texts| (texts.bits, texts.longest)),
        };
        let domains = (0..n_values.len()).map(summary).collect();
        let slots = grouping.slots.into_iter().zip(grouping.groups);
        let column = |((slot, domain), codes): ((Slot, usize), _)| CodeColumn {
            operand: slot.operand,
            table: slot.table,
            domain,
            codes,
        };
        let codes = slots.zip(codes).map(column).collect();
        Self { predicates, domains, codes, ..self }
    }
}

/// Records of a table whose columns are looked through one after the other.
const LONG: u32 = 1 << 21;

/// The domains. A column that stands in several of them is looked through once.
fn groups<'a>(tables: &[&'a Table; 2], grouping: &Grouping, control: &Control) -> Result<Vec<Group<'a>>> {
    let (mut columns, mut raws) = (Places::default(), Places::default());
    let mut by_slot = Vec::new();
    for Slot { table, operand, domain } in &grouping.slots {
        // Places are numbered as they are.
        if *domain == Domain::Point {
            by_slot.push(None);
            continue;
        }
        let of = operand.columns.iter().map(|column| columns.place((*table, column.place)));
        let of: Vec<u32> = of.collect();
        by_slot.push(Some(raws.place((operand.is_one_column(), of)) as usize));
    }
    // All threads share the work of a long column, which takes memory: one after the other then.
    let are_long = tables.iter().any(|table| table.n_records() >= LONG);
    let column = |&(table, place): &(usize, usize)| {
        let column = control.note(Lane::Encode, "distinct", || raw::column(tables[table], place, control));
        control.did(1);
        column
    };
    let of_columns: Vec<raw::Column<'a>> = match are_long {
        true => columns.things.iter().map(column).collect::<Result<_>>()?,
        false => columns.things.par_iter().map(column).gather_all()?,
    };
    let raw = |(is_one_column, of): &(bool, Vec<u32>)| {
        let of = of.iter().map(|&place| of_columns[place as usize].clone()).collect();
        Raw::of(*is_one_column, of, control)
    };
    let raws: Vec<Raw<'a>> = match are_long {
        true => raws.things.iter().map(raw).collect(),
        false => raws.things.par_iter().map(raw).gather(),
    };
    drop(of_columns);
    // Each has its own, so that the last to look at a column may take it apart.
    let of_groups: Vec<(Vec<&Slot>, Vec<Raw<'a>>)> = grouping
        .members
        .iter()
        .map(|members| {
            let raws = members.iter().filter_map(|&slot| Some(raws[by_slot[slot]?].clone()));
            (members.iter().map(|&slot| &grouping.slots[slot]).collect(), raws.collect())
        })
        .collect();
    drop(raws);
    let group = |(slots, raws): (Vec<&Slot>, _)| {
        let group = control.note(Lane::Encode, "transform", || match slots[0].domain {
            Domain::Point => places::group(tables, &slots, control),
            _ => Group::of(&slots, raws, control),
        });
        control.did(1);
        group
    };
    of_groups.into_par_iter().map(group).gather_all()
}
