//! Semi-naive transitive closure on the CPU.
//!
//! What a source reaches depends on no other source. So threads take a few sources at a time and do all rounds for them,
//! with a set of tuples that stays within the cache and is nobody else's. Where tuples are sorted and merged instead, all
//! sources go together, and operators are shared by all threads.

use super::relation::{Index, TupleSet, difference, join, merge, radix, sort};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::threads;
use crate::operators::closure::{Deduplicate, Iteration, Piece, Rounds, Wanted};
use crate::operators::relations::{LoadFactor, bits_below, digits};
use crate::read::edges::Graph;
use hyperblock_shared::relation::{first_of, second_of, tuple};
use rayon::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Tuples that sources which are taken together should reach: their set then fits into a core's cache.
const TOGETHER: u64 = 1 << 15;
/// Sources that are taken together at first.
const FIRST_SOURCES: u32 = 16;
/// Tuples that are joined before the set takes them: they too are to stay in the cache.
const JOINED: usize = 1 << 12;
/// Shares of the sources for each thread, of which it takes one after the other.
const SHARES: u32 = 8;

/// The operators, in the order of the times of a round.
const OPERATORS: [&str; 4] = ["join", "deduplicate", "union", "clear"];

/// A round: what was joined, what is new, and the time of each operator.
#[derive(Clone, Copy, Default)]
struct Round {
    n_joined: u64,
    n_new: u64,
    times: [Duration; 4],
}

impl Round {
    /// The times of several threads are as if they had shared the work.
    fn iteration(self, n_threads: u32) -> Iteration {
        let times = OPERATORS.into_iter().zip(self.times.map(|time| time / n_threads)).collect();
        Iteration { n_joined: self.n_joined, n_new: self.n_new, times }
    }
}

/// What some sources reach. A round is a join and what follows it; the last one finds nothing new.
pub(super) fn semi_naive(
    graph: &Graph,
    sources: Range<u32>,
    rounds: Rounds,
    wanted: Wanted,
    control: &Control,
) -> Result<Option<Piece>> {
    let start = Instant::now();
    let index = Index::new(&graph.edges, rounds.load)?;
    let indexed = start.elapsed();
    let job = Job { graph, index, sources, load: rounds.load, wanted, control };
    let start = Instant::now();
    let mut piece = match rounds.deduplicate {
        Deduplicate::Table => job.by_table()?,
        Deduplicate::Sort => job.by_sorting()?,
    };
    piece.phases = vec![("index", indexed), ("rounds", start.elapsed())];
    Ok(Some(piece))
}

struct Job<'a> {
    graph: &'a Graph,
    index: Index<'a>,
    sources: Range<u32>,
    load: LoadFactor,
    wanted: Wanted,
    control: &'a Control,
}

impl Job<'_> {
    /// The edges from some sources.
    fn edges(&self, sources: &Range<u32>) -> &[u64] {
        let edges = &self.graph.edges;
        let place = |source: u32| edges.partition_point(|&edge| first_of(edge) < source);
        edges.get(place(sources.start)..place(sources.end)).unwrap_or_default()
    }

    fn by_table(&self) -> Result<Piece> {
        let Range { start, end } = self.sources;
        let n_sources = end.saturating_sub(start);
        let n_threads = threads::n_threads() as u32;
        let len = n_sources.div_ceil(n_threads * SHARES).max(1);
        let shares: Vec<Range<u32>> =
            (start..end).step_by(len as usize).map(|from| from..end.min(from.saturating_add(len))).collect();
        let reached: Result<Vec<Reached>> =
            shares.into_par_iter().with_max_len(1).map(|share| self.share(share)).gather_all();
        let mut piece = Piece::default();
        let mut rounds: Vec<Round> = Vec::new();
        for reached in reached? {
            piece.n_tuples += reached.n_tuples;
            piece.tuples.extend(reached.sorted);
            add(&mut rounds, &reached.rounds);
        }
        piece.iterations = rounds.into_iter().map(|round| round.iteration(n_threads)).collect();
        Ok(piece)
    }

    /// A thread's share of the sources.
    fn share(&self, share: Range<u32>) -> Result<Reached> {
        let mut own = Reached::default();
        let mut group = Group::new(self.load);
        let digits = digits(&bits_below(self.graph.n_nodes));
        let mut from = share.start;
        while from < share.end {
            self.control.check()?;
            // As many as will reach what should be reached together, if they go on like those before.
            let n_before = u64::from(from - share.start);
            let n = match n_before {
                0 => FIRST_SOURCES,
                _ => (TOGETHER * n_before / own.n_tuples.max(1)).clamp(1, TOGETHER) as u32,
            };
            let sources = from..share.end.min(from.saturating_add(n));
            from = sources.end;
            let rounds = group.reach(self.edges(&sources), &self.index);
            own.n_tuples += group.tuples.len() as u64;
            add(&mut own.rounds, &rounds);
            if self.wanted.tuples {
                radix(&mut group.tuples, &mut group.joined, &digits);
                own.sorted.extend_from_slice(&group.tuples);
            }
        }
        Ok(own)
    }

    fn by_sorting(&self) -> Result<Piece> {
        let bits = bits_below(self.graph.n_nodes);
        let mut all = self.edges(&self.sources).to_vec();
        let mut new = all.clone();
        let mut iterations = Vec::new();
        loop {
            self.control.check()?;
            let start = Instant::now();
            let joined = join(&new, &self.index);
            let joined_at = Instant::now();
            new = difference(&sort(&joined, &bits), &all);
            let known_at = Instant::now();
            all = merge(&all, &new);
            let merged_at = Instant::now();
            let n_joined = joined.len() as u64;
            drop(joined);
            let times = [joined_at - start, known_at - joined_at, merged_at - known_at, merged_at.elapsed()];
            iterations.push(Round { n_joined, n_new: new.len() as u64, times }.iteration(1));
            if new.is_empty() {
                break;
            }
        }
        let n_tuples = all.len() as u64;
        Ok(Piece {
            n_tuples,
            tuples: if self.wanted.tuples { all } else { Vec::new() },
            iterations,
            ..Piece::default()
        })
    }
}

/// Adds rounds to those of other sources.
fn add(all: &mut Vec<Round>, rounds: &[Round]) {
    if all.len() < rounds.len() {
        all.resize(rounds.len(), Round::default());
    }
    for (round, other) in all.iter_mut().zip(rounds) {
        round.n_joined += other.n_joined;
        round.n_new += other.n_new;
        round.times.iter_mut().zip(other.times).for_each(|(time, other)| *time += other);
    }
}

/// What a share of the sources reaches.
#[derive(Default)]
struct Reached {
    n_tuples: u64,
    sorted: Vec<u64>,
    rounds: Vec<Round>,
}

/// Sources that are taken together.
struct Group {
    set: TupleSet,
    /// What is in the set; each round appends to it.
    tuples: Vec<u64>,
    joined: Vec<u64>,
}

impl Group {
    fn new(load: LoadFactor) -> Self {
        Self { set: TupleSet::new(load), tuples: Vec::new(), joined: Vec::new() }
    }

    /// All rounds from some edges on.
    fn reach(&mut self, edges: &[u64], index: &Index<'_>) -> Vec<Round> {
        let start = Instant::now();
        self.set.clear();
        self.tuples.clear();
        let cleared = start.elapsed();
        self.append(edges.iter().copied());
        let mut rounds = Vec::new();
        let mut from = 0;
        loop {
            let upto = self.tuples.len();
            let mut round = Round::default();
            while from < upto {
                from = self.join(from..upto, index, &mut round);
            }
            round.n_new = (self.tuples.len() - upto) as u64;
            rounds.push(round);
            if round.n_new == 0 {
                break;
            }
        }
        if let Some(first) = rounds.first_mut() {
            first.times[3] = cleared;
        }
        rounds
    }

    /// Joins some tuples, until enough is joined for the set to take it; where it stopped.
    fn join(&mut self, tuples: Range<usize>, index: &Index<'_>, round: &mut Round) -> usize {
        let start = Instant::now();
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        let mut upto = tuples.start;
        for &outer in self.tuples.get(tuples).unwrap_or_default() {
            let rows = index.rows(second_of(outer));
            joined.extend(rows.iter().map(|&row| tuple(first_of(outer), second_of(row))));
            upto += 1;
            if joined.len() >= JOINED {
                break;
            }
        }
        let joined_at = Instant::now();
        self.append(joined.iter().copied());
        round.n_joined += joined.len() as u64;
        round.times[0] += joined_at - start;
        round.times[1] += joined_at.elapsed();
        self.joined = joined;
        upto
    }

    fn append(&mut self, tuples: impl Iterator<Item = u64>) {
        for tuple in tuples {
            if self.set.insert(tuple) {
                self.tuples.push(tuple);
            }
        }
    }
}
