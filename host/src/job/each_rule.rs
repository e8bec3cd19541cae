//! Rules one by one: how many candidates each rule and each neighbourhood allows by itself, and how many it alone.
//!
//! A plan names one witness for a pair, and leaves out rules that add nothing. Here each candidate, as it is found, is asked
//! for every rule, by the predicates that the scan itself asks, over the same columns: what a rule says, not what the plan
//! made of it. Where candidates name their witness, it holds, and no rule before it does.

use super::Prepared;
use crate::base::budget::Reserved;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::operators::neighbours::Places;
use crate::tell::each_rule::{MatchCounts, RuleCounts};
use crate::tell::evaluate::{Counts, Truth};
use crate::tell::report::Summary;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::path::{ArchivedPath, Path, Walk};
use hyperblock_shared::text::scratch_words;
use rayon::prelude::*;
use rkyv::util::AlignedVec;

/// Candidates that a thread asks for at a time.
const AT_ONCE: usize = 1 << 12;
/// The record is left out: no rule is about it.
const NOWHERE: u32 = u32::MAX;

/// Counts what each rule and each neighbourhood allows of candidates.
#[derive(Debug)]
pub struct EachRule<'a> {
    job: &'a Prepared,
    control: &'a Control,
    /// The job's predicates.
    archive: AlignedVec,
    /// By rule: its conjunctions.
    rules: Vec<Vec<&'a [usize]>>,
    /// Left and right: by record of the table, its number among those that were encoded, unless that is the same.
    numbers: [Option<Vec<u32>>; 2],
    places: Vec<Places<'a>>,
    /// In the order of [`Prepared::witnesses`].
    counts: Vec<OfRule>,
    _held: Reserved<'a>,
}

/// Of a rule, or a neighbourhood.
#[derive(Clone, Debug, Default)]
struct OfRule {
    /// Candidates whose witness it is.
    n_first: u64,
    n_allowed: u64,
    n_alone: u64,
    /// The truth of those that it allows, and of those that it alone does.
    allowed: Counts,
    alone: Counts,
}

/// What is seen of a rule in some candidates.
#[derive(Clone, Default)]
struct Seen {
    n_first: u64,
    allowed: Vec<(u32, u32)>,
    alone: Vec<(u32, u32)>,
}

impl<'a> EachRule<'a> {
    /// None yet.
    pub fn new(job: &'a Prepared, control: &'a Control) -> Result<Self> {
        let path = Path { predicates: &job.encoded.predicates, steps: &[] };
        let archive = rkyv::to_bytes::<rkyv::rancor::Error>(&path)
            .map_err(|error| Error::Internal(format!("the predicates cannot be archived: {error}")))?;
        let mut rules = vec![Vec::new(); job.plan.rules.len()];
        for (rule, predicates) in &job.conjunctions {
            rules[*rule].push(&predicates[..]);
        }
        let [n_left, n_right] = [job.left.n_records(), job.right().n_records()];
        let n_bytes = 4 * (u64::from(n_left) + u64::from(n_right)) * (1 + job.orders.len() as u64);
        let held = control.budget().reserve(n_bytes, "where records stand, for rules one by one")?;
        let number = |kept: &Option<Vec<u32>>, n: u32| {
            kept.as_ref().map(|kept| {
                let mut numbers = vec![NOWHERE; n as usize];
                (0..).zip(kept).for_each(|(number, &record)| numbers[record as usize] = number);
                numbers
            })
        };
        Ok(Self {
            job,
            control,
            archive,
            rules,
            numbers: [number(&job.selection.left, n_left), number(&job.selection.right, n_right)],
            places: job.orders.places(n_right),
            counts: vec![OfRule::default(); job.names().count()],
            _held: held,
        })
    }

    /// Some more candidates, of which the same truth is known as of those before, if one is.
    pub fn add(&mut self, candidates: &[Candidate], truth: Option<&Truth>) -> Result<()> {
        let path = rkyv::access::<ArchivedPath<'_>, rkyv::rancor::Error>(&self.archive)
            .map_err(|error| Error::Internal(format!("the predicates' archive is damaged: {error}")))?;
        let of_part = |part: &[Candidate]| {
            self.control.check()?;
            let mut seen = vec![Seen::default(); self.counts.len()];
            let mut asking = Asking {
                each: self,
                walk: path.walk(),
                known: vec![None; self.job.encoded.predicates.len()],
                scratch: vec![0; scratch_words(self.job.encoded.longest()) as usize],
                allowing: Vec::new(),
            };
            part.iter().for_each(|candidate| asking.see(candidate, &mut seen));
            Ok::<_, Error>(seen)
        };
        let parts: Vec<Vec<Seen>> = candidates.par_chunks(AT_ONCE).map(of_part).gather_all()?;
        for seen in parts {
            for (counts, Seen { n_first, allowed, alone }) in self.counts.iter_mut().zip(seen) {
                counts.n_first += n_first;
                counts.n_allowed += allowed.len() as u64;
                counts.n_alone += alone.len() as u64;
                if let Some(truth) = truth {
                    truth.add(&mut counts.allowed, &allowed, |pair| *pair);
                    truth.add(&mut counts.alone, &alone, |pair| *pair);
                }
            }
        }
        Ok(())
    }

    /// Tells of them in a summary, by rule also where candidates do not name one.
    pub fn tell(self, truth: Option<&Truth>, summary: &mut Summary) {
        let of = |(name, counts): (&str, &OfRule)| RuleCounts {
            name: name.to_owned(),
            n_allowed: counts.n_allowed,
            n_alone: counts.n_alone,
            matches: truth.map(|truth| MatchCounts {
                n_allowed: counts.allowed.n_found(),
                n_alone: counts.alone.n_found(),
                recall_lost: truth.agreement(&counts.alone).recall,
                precision: truth.agreement(&counts.allowed).precision,
            }),
        };
        let firsts = self.counts.iter().map(|counts| counts.n_first);
        summary.by_rule = self.job.names().map(str::to_owned).zip(firsts).collect();
        summary.each_rule = Some(self.job.names().zip(&self.counts).map(of).collect());
    }
}

/// A thread that asks about one pair after the other.
struct Asking<'a> {
    each: &'a EachRule<'a>,
    walk: Walk<'a>,
    /// By predicate: whether it holds on the pair, once that was asked.
    known: Vec<Option<bool>>,
    scratch: Vec<u64>,
    /// Who allows the pair.
    allowing: Vec<usize>,
}

impl Asking<'_> {
    fn see(&mut self, candidate: &Candidate, seen: &mut [Seen]) {
        self.ask(candidate);
        let pair = (candidate.left, candidate.right);
        if let Some(&first) = self.allowing.first() {
            seen[first].n_first += 1;
        }
        for &rule in &self.allowing {
            seen[rule].allowed.push(pair);
        }
        if let [rule] = self.allowing[..] {
            seen[rule].alone.push(pair);
        }
    }

    /// Finds who allows a pair, in the order of the file.
    fn ask(&mut self, &Candidate { left, right, rule: witness }: &Candidate) {
        self.allowing.clear();
        self.known.fill(None);
        let EachRule { job, rules, numbers, places, .. } = self.each;
        let first = if job.names_rules { witness as usize } else { 0 };
        let number = |numbers: &Option<Vec<u32>>, record: u32| match numbers {
            None => record,
            Some(numbers) => numbers[record as usize],
        };
        let [l, r] = [number(&numbers[0], left), number(&numbers[1], right)];
        if l != NOWHERE && r != NOWHERE {
            for (rule, conjunctions) in rules.iter().enumerate().skip(first) {
                let is_witness = job.names_rules && rule == first;
                if is_witness || conjunctions.iter().any(|all| self.holds(all, l, r)) {
                    self.allowing.push(rule);
                }
            }
        }
        let near = (0..).zip(places).filter(|(_, places)| places.are_near(left, right));
        self.allowing.extend(near.map(|(nth, _): (usize, _)| rules.len() + nth));
        if job.all.is_some() {
            self.allowing.push(rules.len() + places.len());
        }
    }

    fn holds(&mut self, conjunction: &[usize], left: u32, right: u32) -> bool {
        conjunction.iter().all(|&ix| {
            *self.known[ix].get_or_insert_with(|| {
                let encoded = &self.each.job.encoded;
                self.walk.holds(ix as u32, encoded, left, right, self.scratch.as_mut_slice())
            })
        })
    }
}
