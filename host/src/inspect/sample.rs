//! A sample of candidates to look at: some of all that a job finds, each with both records, column by column.
//!
//! ```text
//! candidates, in any order ─► a ticket each ─► the lowest of each rule ─► those drawn ─► records, read again ─► text, JSON
//! ```
//!
//! A ticket follows from the seed and the pair alone, and the lowest are drawn. So a sample is uniform, and the same whatever
//! finds the candidates, in whatever order. A rule that would have none has its own lowest drawn, in the place of the highest of
//! the others, if there is room for all rules.

mod drawing;
mod json;
pub(crate) mod marks;
mod text;

pub use text::Printed;

use crate::base::billionths::{Billionths, Millionths};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::list;
use crate::entities::score::probability;
use crate::job::Prepared;
use crate::operators::Backend;
use crate::read::table::{Ids, Kind, Table};
use crate::rules::ScoreMethod;
use crate::tell::output::{SideColumn, side_by_side};
use arrow_array::Array;
use drawing::Drawing;

pub(crate) use drawing::Drawn;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::weight;

/// What is drawn.
#[derive(Clone, Debug)]
pub struct Draw {
    /// So many candidates, if there are.
    pub n: usize,
    /// The same seed draws the same.
    pub seed: u64,
    /// Only of candidates that name this rule.
    pub rule: Option<String>,
}

/// Some candidates.
#[derive(Debug)]
pub struct Sample {
    /// What they were drawn by.
    pub seed: u64,
    /// By rule and neighbourhood: its name, its candidates, and how many of them were drawn.
    pub rules: Vec<(String, u64, usize)>,
    /// In the order of rules, then of records.
    pub pairs: Vec<Looked>,
}

/// A candidate with both records.
#[derive(Debug)]
pub struct Looked {
    /// The ids.
    pub ids: [String; 2],
    /// What the tables of both are called, if there are several that are compared as one.
    pub sources: Option<[String; 2]>,
    /// Who found it.
    pub rule: String,
    /// What it scores, if the rule file has a score.
    pub score: Option<PairScore>,
    /// Those of the same name together.
    pub columns: Vec<Compared>,
}

/// What a candidate scores.
#[derive(Clone, Copy, Debug)]
pub struct PairScore {
    /// By Fellegi and Sunter's model.
    pub weight: Option<Millionths>,
    /// The score, or the probability.
    pub reached: Billionths,
    /// What it must come to.
    pub threshold: Billionths,
}

impl PairScore {
    /// Whether a pair with it is kept.
    pub fn is_kept(&self) -> bool {
        self.reached >= self.threshold
    }
}

/// A column of both records, or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Left and right, where the table has the column: the value, unless it is missing.
    pub values: [Option<Option<String>>; 2],
}

impl Sample {
    /// Runs a job, and draws from what it finds. Its records are to be looked at as a whole
    /// ([`Job::looked_at_whole`](crate::job::Job::looked_at_whole)).
    pub fn draw(job: &Prepared, draw: &Draw, device: &dyn Backend, control: &Control) -> Result<Self> {
        let names: Vec<&str> = job.names().collect();
        let only = draw.rule.as_ref().map(|rule| find(rule, &names)).transpose()?;
        let mut drawing = Drawing::new(draw.n, draw.seed, only, names.len());
        job.run_unsorted(device, control, &mut |found| {
            drawing.add(found);
            Ok(())
        })?;
        let counts = drawing.counts().to_vec();
        let drawn = drawing.done();
        let pairs = looked(job, &drawn, device, control)?;
        let n_drawn = |rule: usize| drawn.iter().filter(|drawn| drawn.pair.rule as usize == rule).count();
        let rules = names.iter().zip(counts).enumerate();
        let rules = rules.filter(|(rule, _)| only.is_none_or(|only| only as usize == *rule));
        let rules = rules.map(|(rule, (name, n))| ((*name).to_owned(), n, n_drawn(rule))).collect();
        Ok(Self { seed: draw.seed, rules, pairs })
    }

    /// The candidates that it was drawn from.
    pub fn n_candidates(&self) -> u64 {
        self.rules.iter().map(|(_, n, _)| n).sum()
    }
}

fn find(rule: &str, names: &[&str]) -> Result<u32> {
    let place = names.iter().position(|name| *name == rule);
    place.map(|place| place as u32).ok_or_else(|| {
        let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        Error::Job(format!("--rule: there is no rule `{rule}`; there are {}", known.join(", ")))
    })
}

/// What both records of candidates say, and what they score.
fn looked(job: &Prepared, drawn: &[Drawn], device: &dyn Backend, control: &Control) -> Result<Vec<Looked>> {
    let pairs: Vec<Candidate> = drawn.iter().map(|drawn| drawn.pair).collect();
    let scores = scores(job, &pairs, device, control)?;
    let is_one_table = job.second().is_none();
    let mut lefts: Vec<u32> = pairs.iter().map(|pair| pair.left).collect();
    let mut rights: Vec<u32> = pairs.iter().map(|pair| pair.right).collect();
    if is_one_table {
        lefts.append(&mut rights);
    }
    for records in [&mut lefts, &mut rights] {
        records.sort_unstable();
        records.dedup();
    }
    let rights = if is_one_table { &lefts } else { &rights };
    let (left, right) = job.text_of([&lefts, rights], control)?;
    let right = right.as_ref().unwrap_or(&left);
    let tables = [&left, right];
    let columns = tables.map(|table| {
        let is_shown = |nth: &usize| Some(*nth) != job.left.source_column() && table.values(*nth).is_ok();
        (0..table.schema.columns.len()).filter(is_shown).collect::<Vec<_>>()
    });
    let columns = side_by_side(tables, columns);
    let names: Vec<&str> = job.names().collect();
    let look = |(pair, score): (&Candidate, Option<PairScore>)| {
        let place = |records: &[u32], record| records.binary_search(&record).map_err(|_| lost(record));
        let places = [place(&lefts, pair.left)?, place(rights, pair.right)?];
        let (own, other): (&Ids, &Ids) = (&job.left.ids, &job.right().ids);
        let sources = own.source(pair.left).zip(other.source(pair.right));
        Ok(Looked {
            ids: [own.text(pair.left), other.text(pair.right)],
            sources: sources.map(|(left, right)| [left.to_owned(), right.to_owned()]),
            rule: names[pair.rule as usize].to_owned(),
            score,
            columns: compared(&columns, tables, places)?,
        })
    };
    pairs.iter().zip(scores).map(look).collect()
}

fn lost(record: u32) -> Error {
    Error::Internal(format!("record {record} was not read again"))
}

fn scores(
    job: &Prepared,
    pairs: &[Candidate],
    device: &dyn Backend,
    control: &Control,
) -> Result<Vec<Option<PairScore>>> {
    let Some(scoring) = job.scoring() else { return Ok(vec![None; pairs.len()]) };
    scoring.check()?;
    let threshold = Billionths(scoring.threshold());
    let are_weights = scoring.method() == ScoreMethod::FellegiSunter;
    let of = |score: u32| match are_weights {
        true => PairScore {
            weight: Some(Millionths(weight(score))),
            reached: Billionths(probability(weight(score))),
            threshold,
        },
        false => PairScore { weight: None, reached: Billionths(score), threshold },
    };
    let scores = scoring.load(device)?.score(pairs, control)?;
    Ok(scores.into_iter().map(|score| Some(of(score))).collect())
}

/// The values of two records, by column.
fn compared(columns: &[SideColumn], tables: [&Table; 2], records: [usize; 2]) -> Result<Vec<Compared>> {
    let mut all: Vec<Compared> = Vec::new();
    for &SideColumn { is_left, column } in columns {
        let side = usize::from(!is_left);
        let name = tables[side].schema.columns[column].name.clone();
        let value = value(tables[side], column, records[side])?;
        // Those of the same name stand side by side.
        let is_partner = |last: &&mut Compared| {
            !is_left && last.values[1].is_none() && last.name.eq_ignore_ascii_case(&name)
        };
        match all.last_mut().filter(is_partner) {
            Some(last) => last.values[1] = Some(value),
            None if is_left => all.push(Compared { name, values: [Some(value), None] }),
            None => all.push(Compared { name, values: [None, Some(value)] }),
        }
    }
    Ok(all)
}

/// A value for people.
fn value(table: &Table, column: usize, row: usize) -> Result<Option<String>> {
    let (values, is_list) = (table.values(column)?, table.schema.columns[column].kind == Kind::List);
    let value = values.is_valid(row).then(|| values.value(row));
    Ok(value.map(|value| if is_list { list::shown(value) } else { value.to_owned() }))
}
