//! A unit, solved: the candidates of one branch among its records.
//!
//! The walk of a pair looks back at earlier branches, and looks on at later ones where an earlier rule may hold. So what access paths
//! of one branch find over the tree of all rules is what that branch finds in a job over the whole tables, with the same witnesses.
//!
//! The branch that a pair is of depends on which of its records is the left one. In one table that is the one with the lesser id. A
//! unit that compares two blocks of one table holds both as one table, the records of one before those of the other, and compares
//! them either way round, unless all that rules ask is the same both ways.

use super::cover::{Ready, Shown};
use super::decided::{BranchUnits, Scored};
use super::terms::{Terms, agreeing};
use super::unit_plan::{UnitPlan, of_id, predicates};
use crate::base::compared::Compared;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::encode;
use crate::entities::score::{Kept, Scoring};
use crate::operators::Backend;
use crate::operators::scan::Wanted;
use crate::plan::ScanOptions;
use crate::plan::access::{choose, paths};
use crate::plan::cost::{self, CostModel};
use crate::plan::partition::{Area, whole};
use crate::plan::sweep::Block;
use crate::read::table::{Batches, Table};
use crate::rules::{Limit, Measure, Predicate, RuleSet, Score, Test};
use crate::run::loaded::Loaded;
use crate::run::schedule::{MOST_CANDIDATES, run_as};
use crate::tell::output::{CandidateRows, Rows, ScoredRows};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use hashbrown::HashMap;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::path::{Branch, UNKNOWN};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows of a batch.
const ROWS: usize = 1 << 16;
/// Pairs that are not worth another thread.
const PAIRS: usize = 1 << 10;

/// What was found in a unit.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The columns, as a job's that finds the same.
    pub schema: SchemaRef,
    /// The candidates, in order.
    pub batches: Vec<RecordBatch>,
    /// How many pairs were compared.
    pub compared: Compared,
}

/// The records of a unit, and which of their pairs it compares.
struct Records {
    left: Table,
    right: Option<Table>,
    /// Where two blocks of one table are compared: how many records the first has.
    n_first: Option<u32>,
}

impl UnitPlan {
    /// The candidates of a unit, given the rows on its left side, and on its right side if it has any.
    pub fn solve(
        &self,
        unit: u64,
        left: &Batches,
        right: Option<&Batches>,
        device: &dyn Backend,
        control: &Control,
    ) -> Result<Solved> {
        let branch = self.branch(unit)?;
        let is_one_sided = branch.cover.is_one_sided(unit);
        let right = right.filter(|right| right.n_rows() > 0);
        if is_one_sided && right.is_some() {
            return Err(Error::Job(format!("unit {unit} has no right side, and here are rows on it")));
        }
        if left.n_rows() == 0 || !is_one_sided && right.is_none() {
            return Ok(Solved { schema: self.schema(), batches: Vec::new(), compared: Compared::default() });
        }
        let left = self.narrowed(0, left)?;
        let (tables, n_first) = match (self.is_one_table(), right) {
            (true, None) => (vec![Some(left)], None),
            (true, Some(right)) => {
                let right = self.narrowed(0, right)?;
                let n_first = left.n_rows();
                (vec![Some(together(&left, &right)?)], Some(n_first))
            }
            (false, right) => (vec![Some(left), right.map(|it| self.narrowed(1, it)).transpose()?], None),
        };
        let mut bound = self.bound(tables, control)?;
        let rules = predicates(&mut bound);
        let records =
            Records { left: bound.left, right: bound.right, n_first: n_first.map(|n_first| n_first as u32) };
        control.take_compared();
        let mut found = self.found(branch, &rules, &records, device, control)?;
        let compared = control.take_compared();
        control.check()?;
        let ready = Ready::new(&branch.cover, &rules.predicates, self.is_one_table())?;
        if ready.are_pairs_shared(self.is_one_table()) {
            records.keep_own(&ready, unit, &mut found)?;
        }
        let mut found = self.witnessed(branch, &rules, &records, found, control)?;
        found.sort_unstable_by_key(|pair| (pair.left, pair.right));
        let (schema, batches) = self.rows(&rules, bound.score, &records, &found, (device, control))?;
        Ok(Solved { schema, batches, compared })
    }

    /// The pairs that the branch admits of those that the unit compares, in any order, each with the lesser id on the left; and with the
    /// first of its own rules. Only what the branch asks is encoded.
    fn found(
        &self,
        branch: &BranchUnits,
        rules: &RuleSet,
        records: &Records,
        device: &dyn Backend,
        control: &Control,
    ) -> Result<Vec<Candidate>> {
        let order = records.order();
        let part = order.as_ref().map(|order| records.left.part(order));
        let left = part.as_ref().unwrap_or(&records.left);
        let alone = self.decided.plan.part(rules, branch.steps.clone())?;
        let encoded = encode(left, records.right.as_ref(), &alone.predicates, control)?;
        control.check()?;
        let program = alone.program(&encoded, ScanOptions::default())?;
        let (n_left, n_right) = (encoded.n_left, encoded.n_right);
        let areas = match records.n_first {
            None => vec![whole(n_left, n_right, records.right.is_none())],
            Some(n) => {
                let there = Area { left_from: 0, left_upto: n, right_from: n, right_upto: n_right, half: 0 };
                let back = Area { left_from: n, left_upto: n_left, right_from: 0, right_upto: n, half: 0 };
                if alone.predicates.iter().all(is_same_turned) { vec![there] } else { vec![there, back] }
            }
        };
        let is_either_way = areas.len() > 1;
        let first = areas[0];
        let block = Block {
            left: first.left_from..first.left_upto,
            right: first.right_from..first.right_upto,
            half: first.half == 1,
        };
        let model = CostModel::builtin(device.kind())?.on(device.figures());
        let costs = cost::costs(&model, &encoded);
        let chosen = choose(&encoded, &program, &block, &costs, &model.rates())?;
        let program = program.with_paths(paths(&chosen));
        let mut loaded = Loaded::new(device, &encoded, &program)?;
        let wanted = Wanted { most: MOST_CANDIDATES, is_sorted: false, control };
        let mut found = Vec::new();
        run_as(&wanted, &mut loaded, areas, &mut |candidates| {
            let Some(order) = &order else {
                found.extend_from_slice(candidates);
                return Ok(());
            };
            for Candidate { left, right, rule } in candidates.iter().copied() {
                let (left, right) = (order[left as usize], order[right as usize]);
                // The other way round it is found where its records are so.
                if left < right || !is_either_way {
                    found.push(Candidate { left: left.min(right), right: left.max(right), rule });
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Leaves those of a branch's pairs that no earlier branch admits, with the first rule of all: what a walk over all branches says of
    /// them. Of most branches few records have pairs, so only these are encoded for that.
    fn witnessed(
        &self,
        branch: &BranchUnits,
        rules: &RuleSet,
        records: &Records,
        found: Vec<Candidate>,
        control: &Control,
    ) -> Result<Vec<Candidate>> {
        let plan = &self.decided.plan;
        let goes_on = plan.part(rules, branch.steps.clone())?.goes_on;
        if found.is_empty() || branch.steps.start == 0 && !goes_on {
            return Ok(found);
        }
        let all = plan.part(rules, 0..if goes_on { plan.n_steps() } else { branch.steps.end })?;
        let Named { left, right, pairs } = records.named(&found);
        let encoded = encode(&left, right.as_ref(), &all.predicates, control)?;
        let program = all.program(&encoded, ScanOptions::default())?;
        let walk = program.walk()?;
        let branch = Branch { from: branch.steps.start, upto: branch.steps.end, known: UNKNOWN };
        let scratch = || vec![0u64; scratch_words(encoded.longest()) as usize];
        let witness = |scratch: &mut Vec<u64>, (pair, [left, right]): (&Candidate, &[u32; 2])| {
            control.pass();
            let rule = walk.witness(branch, &encoded, *left, *right, &mut scratch[..], &mut ())?;
            Some(Candidate { rule, ..*pair })
        };
        let both = found.par_iter().zip(&pairs).with_min_len(PAIRS);
        Ok(both.map_init(scratch, witness).flatten_iter().collect())
    }

    /// Candidates as a job hands them on: if they are scored, those that reach the threshold.
    fn rows(
        &self,
        rules: &RuleSet,
        score: Option<Score>,
        records: &Records,
        found: &[Candidate],
        (device, control): (&dyn Backend, &Control),
    ) -> Result<(SchemaRef, Vec<RecordBatch>)> {
        let names = rules.rules.iter().map(|rule| rule.name.clone()).collect();
        let right = records.right.as_ref().unwrap_or(&records.left);
        let rows = CandidateRows::new(&records.left.ids, &right.ids, names);
        let (Some(scored), false) = (&self.decided.scored, found.is_empty()) else {
            let schema = if self.decided.scored.is_some() { self.schema() } else { rows.schema() };
            return Ok((schema, in_batches(&rows, found)?));
        };
        let no_score = || Error::Job("the rule file has no [score] section".into());
        let Named { left, right, pairs } = records.named(found);
        let encode = |predicates: &[Predicate]| encode(&left, right.as_ref(), predicates, control);
        let mut scoring = Scoring::of(score.ok_or_else(no_score)?, encode)?;
        if let Some(weights) = &scored.weights {
            scoring = scoring.weighted(weights)?;
        }
        if !scored.terms.is_empty() {
            let sides = [&left, right.as_ref().unwrap_or(&left)];
            let attributes = scoring.attributes().to_vec();
            scoring = scoring.with_frequencies(|nth| {
                Terms::shares(&scored.terms, nth, agreeing(&attributes, nth)?, sides)
            })?;
        }
        let numbered = found.iter().zip(pairs);
        let numbered = numbered.map(|(pair, [left, right])| Candidate { left, right, ..*pair });
        let numbered: Vec<Candidate> = numbered.collect();
        let kept = scoring.load(device)?.kept(&numbered, scoring.threshold(), control)?;
        let kept: Vec<Kept> = kept.into_iter().map(|(place, score)| (found[place], score)).collect();
        let rows = ScoredRows { candidates: rows, are_weights: scored.weights.is_some() };
        Ok((rows.schema(), in_batches(&rows, &kept)?))
    }

    /// The columns of candidates.
    pub fn schema(&self) -> SchemaRef {
        let ids = |table: usize| match self.decided.has_integers.get(table) {
            Some(true) => DataType::Int64,
            _ => DataType::LargeUtf8,
        };
        let rule = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let field = |name: &str, data_type| Field::new(name, data_type, false);
        let mut fields =
            vec![field("left", ids(0)), field("right", ids(self.n_tables() - 1)), field("rule", rule)];
        let names: &[&str] = match &self.decided.scored {
            None => &[],
            Some(Scored { weights: None, .. }) => &["score"],
            Some(Scored { weights: Some(_), .. }) => &["weight", "probability"],
        };
        fields.extend(names.iter().map(|name| field(name, DataType::Float64)));
        Arc::new(Schema::new(fields))
    }
}

fn in_batches<R: Rows>(rows: &R, all: &[R::Row]) -> Result<Vec<RecordBatch>> {
    let internal = |error| Error::Internal(format!("candidates are no batch: {error}"));
    all.chunks(ROWS).map(|some| rows.batch(some).map_err(internal)).collect()
}

/// Two blocks of one table as one.
fn together(left: &Batches, right: &Batches) -> Result<Batches> {
    let both = left.batches().iter().chain(right.batches()).cloned().collect();
    Batches::new(&left.name().display().to_string(), left.schema().clone(), both)
}

/// Whether a predicate holds on a pair either way round, or neither way.
fn is_same_turned(predicate: &Predicate) -> bool {
    let Test::Compare { left, right, measure, .. } = &predicate.test else { return false };
    let turned = |limit: &Option<Limit>| limit.map(|limit| Limit { at: limit.at.negated(), ..limit });
    left == right
        && match measure {
            Measure::Difference { least, most } => turned(least) == *most,
            _ => true,
        }
}

/// The records that some pairs are of, by themselves.
struct Named {
    left: Table,
    right: Option<Table>,
    /// By pair: which of them.
    pairs: Vec<[u32; 2]>,
}

impl Records {
    /// The records that pairs are of, numbered anew in their order.
    fn named(&self, found: &[Candidate]) -> Named {
        let numbered = |records: &mut dyn Iterator<Item = u32>, n: u32| {
            let mut numbers = vec![0; n as usize];
            records.for_each(|record| numbers[record as usize] = 1);
            let there: Vec<u32> = (0..n).filter(|record| numbers[*record as usize] == 1).collect();
            (0..).zip(&there).for_each(|(number, &record)| numbers[record as usize] = number);
            (numbers, there)
        };
        let n_left = self.left.n_records();
        let [lefts, rights] = [|it: &Candidate| it.left, |it: &Candidate| it.right];
        match &self.right {
            None => {
                let mut both = found.iter().map(lefts).chain(found.iter().map(rights));
                let (numbers, there) = numbered(&mut both, n_left);
                let pair = |it: &Candidate| [it.left, it.right].map(|record| numbers[record as usize]);
                Named { left: self.left.part(&there), right: None, pairs: found.iter().map(pair).collect() }
            }
            Some(right) => {
                let (of_left, lefts) = numbered(&mut found.iter().map(lefts), n_left);
                let (of_right, rights) = numbered(&mut found.iter().map(rights), right.n_records());
                let pair = |it: &Candidate| [of_left[it.left as usize], of_right[it.right as usize]];
                let (left, right) = (self.left.part(&lefts), Some(right.part(&rights)));
                Named { left, right, pairs: found.iter().map(pair).collect() }
            }
        }
    }

    /// The records of two blocks of one table, those of the first before those of the second.
    fn order(&self) -> Option<Vec<u32>> {
        let n_first = self.n_first?;
        let is_first = |record: &u32| (self.left.ids.row(*record) as u32) < n_first;
        let (first, second): (Vec<u32>, Vec<u32>) = (0..self.left.n_records()).partition(is_first);
        Some([first, second].concat())
    }

    /// Leaves the pairs that no lesser unit compares.
    fn keep_own(&self, ready: &Ready<'_>, unit: u64, found: &mut Vec<Candidate>) -> Result<()> {
        let tables = [&self.left, self.right.as_ref().unwrap_or(&self.left)];
        let over = [ready.over(tables[0], 0)?, ready.over(tables[1], 1)?];
        let mut known: [HashMap<u32, (Shown, u64)>; 2] = Default::default();
        let mut lost = None;
        for Candidate { left, right, .. } in found.iter() {
            for (side, record) in [*left, *right].into_iter().enumerate() {
                if !known[side].contains_key(&record) {
                    let mut shown = Shown::default();
                    let id = of_id(&tables[side].ids, record);
                    over[side].shown(tables[side].ids.row(record), id, &mut shown)?;
                    known[side].insert(record, (shown, id));
                }
            }
        }
        found.retain(|pair| {
            let (Some((left, l)), Some((right, r))) = (known[0].get(&pair.left), known[1].get(&pair.right))
            else {
                return false;
            };
            let meeting = ready.meeting([left, right], [*l, *r]);
            if meeting.is_none() {
                lost = Some(*pair);
            }
            meeting == Some(unit)
        });
        match lost {
            None => Ok(()),
            Some(pair) => Err(Error::Internal(format!(
                "records {} and {} are a pair that no unit compares",
                tables[0].ids.text(pair.left),
                tables[1].ids.text(pair.right)
            ))),
        }
    }
}
