//! What finding a closure took, for people.

use crate::base::json::{SUMMARY_VERSION, seconds as times};
use crate::base::stopwatch::{Stages, seconds};
use crate::operators::closure::{ClosureMethod, Iteration};
use indicatif::HumanCount;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// What was found, and how.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The device that found it.
    pub device: String,
    /// The method that found it.
    pub method: ClosureMethod,
    /// Nodes of the graph.
    pub n_nodes: u32,
    /// Its edges, each once.
    pub n_edges: u64,
    /// Edges in the file, repeated ones included, if there was one.
    pub n_lines: Option<u64>,
    /// Components, if the graph was condensed.
    pub n_components: Option<u32>,
    /// Tuples of the closure.
    pub n_tuples: u64,
    /// Pieces that it was found in.
    pub n_pieces: u32,
    /// What each round did, over all pieces, if there were rounds.
    pub iterations: Vec<Iteration>,
    /// Time by stage, in order.
    pub stages: Stages,
    /// The most memory that the process held, where the system tells.
    pub peak_memory: Option<u64>,
}

/// The operators of a round, in the order that they are told in.
pub const OPERATORS: [&str; 4] = ["join", "deduplicate", "union", "clear"];

impl Iteration {
    /// What an operator took.
    pub fn time(&self, operator: &str) -> Duration {
        self.times.of(operator)
    }
}

impl Report {
    /// Rounds, each with its number, counted from 1, and the tuples that there are after it.
    pub fn rounds(&self) -> impl Iterator<Item = (u32, u64, &Iteration)> {
        let n_first = self.n_tuples - self.iterations.iter().map(|round| round.n_new).sum::<u64>();
        let mut n_tuples = n_first;
        (1..).zip(&self.iterations).map(move |(number, round)| {
            n_tuples += round.n_new;
            (number, n_tuples, round)
        })
    }

    /// The rounds as a table.
    pub fn table(&self) -> String {
        let head = ["round", "joined", "new", "total"].iter().chain(&OPERATORS);
        let mut table = head.map(|name| format!("{name:>16}")).collect::<String>() + "\n";
        for (number, n_tuples, round) in self.rounds() {
            let counts = [u64::from(number), round.n_joined, round.n_new, n_tuples];
            table.extend(counts.map(|n| format!("{:>16}", HumanCount(n).to_string())));
            table.extend(OPERATORS.map(|operator| format!("{:>16}", seconds(round.time(operator)))));
            table.push('\n');
        }
        table
    }
}

impl Report {
    /// The report for programs, as `tell::json` says.
    pub fn json(&self) -> Value {
        json!({
            "version": SUMMARY_VERSION,
            "device": self.device,
            "method": self.method.to_string(),
            "nodes": self.n_nodes,
            "edges": { "all": self.n_edges, "in_file": self.n_lines },
            "components": self.n_components,
            "tuples": self.n_tuples,
            "rounds": self.iterations.len(),
            "seconds": times(&self.stages),
            "memory": { "peak": self.peak_memory },
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "device           {}", self.device)?;
        writeln!(f, "nodes            {}", HumanCount(self.n_nodes.into()))?;
        match self.n_lines {
            Some(n) if n > self.n_edges => {
                writeln!(f, "edges            {} of {} lines", HumanCount(self.n_edges), HumanCount(n))?
            }
            _ => writeln!(f, "edges            {}", HumanCount(self.n_edges))?,
        }
        writeln!(f, "method           {}", self.method)?;
        match self.n_components {
            Some(n) => writeln!(f, "components       {}", HumanCount(n.into()))?,
            None => writeln!(f, "iterations       {}", HumanCount(self.iterations.len() as u64))?,
        }
        writeln!(f, "tuples           {}", HumanCount(self.n_tuples))?;
        writeln!(f, "pieces           {}", HumanCount(self.n_pieces.into()))?;
        writeln!(f, "time             {}", self.stages)?;
        if let Some(bytes) = self.peak_memory {
            writeln!(f, "peak memory      {:.1} MiB", bytes as f64 / f64::from(1 << 20))?;
        }
        Ok(())
    }
}
