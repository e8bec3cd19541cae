//! A plan for people: the tree with what each node is expected to do, and with `--analyze` what it did. [`text`] is for
//! reading, [`json`] for programs, [`dot`] for Graphviz.

mod dot;
mod job;
mod json;
mod text;

use crate::encode::Encoded;
use crate::inspect::analyze::Analysis;
use crate::plan::cost::BackendKind;
use crate::plan::statistics::{ColumnStatistics, Passing};
use crate::plan::{Plan, PlannedStep};
use crate::rules::{AllPairs, Neighbourhood, Subsumed};
use crate::tell::left_out::LeftOut;
use indicatif::HumanCount;
use serde_json::Value;
use std::time::Duration;

/// A plan beside what it was made for and what it is expected to do.
pub struct Explained<'a> {
    /// The plan.
    #[doc(hidden)]
    pub plan: &'a Plan,
    /// The kind of device that it is for, if it is not that of the job's own.
    #[doc(hidden)]
    pub planned_for: Option<BackendKind>,
    /// What it runs over.
    #[doc(hidden)]
    pub encoded: &'a Encoded,
    /// Records of the tables, before those that no rule is about were left out.
    #[doc(hidden)]
    pub n_records: [u32; 2],
    /// Where several tables are compared as one: what each is called, and its records.
    #[doc(hidden)]
    pub tables: Vec<(String, u32)>,
    /// The number of pairs to compare.
    #[doc(hidden)]
    pub n_pairs: u64,
    /// Rules that need not be evaluated.
    #[doc(hidden)]
    pub subsumed: &'a [Subsumed],
    /// Blocks that a guard leaves out, by rule.
    #[doc(hidden)]
    pub left_out: &'a [LeftOut],
    /// By step: how many pairs are expected to pass it, and to name its rule.
    #[doc(hidden)]
    pub passing: Passing,
    /// How branches are scanned.
    #[doc(hidden)]
    pub scans: Vec<BranchScan>,
    /// For each branch, or part of one, that has several ways to be scanned: all of them, the cheapest first.
    #[doc(hidden)]
    pub considered: Vec<Vec<Considered>>,
    /// What the whole job is expected to take.
    #[doc(hidden)]
    pub expects: Expects,
    /// By task that it is cut into for several places: the milliseconds that it is expected to take.
    #[doc(hidden)]
    pub tasks: Vec<f64>,
    /// By step: what it did, if the job was run.
    #[doc(hidden)]
    pub analysis: Option<Analysis>,
    /// What is in the columns, if that was asked for.
    #[doc(hidden)]
    pub columns: Vec<ColumnStatistics>,
    /// Keys that records are sorted by, beside the plan.
    #[doc(hidden)]
    pub neighbourhoods: Vec<Near<'a>>,
    /// That all pairs are candidates, if so, and how many there are.
    #[doc(hidden)]
    pub all: Option<(&'a AllPairs, u64)>,
}

/// What a job is expected to take.
#[derive(Clone, Copy, Debug)]
pub struct Expects {
    /// Reading, encoding and planning, as it took here.
    pub preparing: Duration,
    /// Milliseconds to find the candidates.
    pub finding: f64,
    /// Bytes of memory at most: what was held until now, or columns, lists and candidates together.
    pub memory: u64,
}

/// A sorted neighbourhood.
pub struct Near<'a> {
    /// The neighbourhood, with its key and window.
    pub neighbourhood: &'a Neighbourhood,
    /// Records that have a key.
    pub n_records: usize,
}

/// How a branch, or a part of it, comes by the pairs that it looks at.
#[derive(Clone, Debug)]
pub enum BranchScan {
    /// Items within reach of each other.
    Sweep {
        /// If only records with the same key meet: its equalities, as SQL, and how many keys there are.
        within: Option<(Vec<String>, u32)>,
        /// The predicate that leads it, as SQL, if there is one.
        lead: Option<String>,
        /// How many items it compares on each side.
        n_items: [u32; 2],
        /// Whether items are distinct values; otherwise they are records.
        of_values: bool,
        /// How many pairs of items are within reach of each other, about.
        n_reached: u64,
        /// What tells most of them apart.
        screen: &'static str,
    },
    /// Records with the same key.
    Join {
        /// Whether they are swept in the order of their keys, rather than hashed.
        is_swept: bool,
        /// The equalities that make the key, as SQL.
        equalities: Vec<String>,
        /// How many records it has on each side.
        n_records: [usize; 2],
        /// How many keys there are.
        n_keys: u32,
        /// How many pairs of records have the same one.
        n_pairs: u64,
    },
    /// Records with the same value, where that is like itself.
    SameValue {
        /// The predicate, as SQL.
        lead: String,
        /// How many values several records have.
        n_values: u32,
        /// How many pairs of records that makes.
        n_pairs: u64,
    },
    /// Values that have enough in common.
    Overlap {
        /// The predicate that says how much, as SQL.
        lead: String,
        /// If only records with the same key meet: its equalities, as SQL, and how many keys there are.
        within: Option<(Vec<String>, u32)>,
        /// What finds them: an index or signatures.
        found_by: &'static str,
        /// What they have in common.
        elements: String,
        /// How many values there are on each side.
        n_values: [u32; 2],
    },
}

/// A way to scan a branch.
#[derive(Clone, Debug)]
pub struct Considered {
    /// Which, with its predicates as SQL.
    pub way: String,
    /// The same for programs.
    pub path: Value,
    /// What it is expected to take.
    pub milliseconds: f64,
}

/// A node of the tree, or a witness under one.
pub struct Line<'a> {
    /// The step of the path.
    pub step: usize,
    /// How deep in the tree: 0 for a branch.
    pub depth: usize,
    /// What it is.
    pub what: What<'a>,
    /// Pairs expected to pass.
    pub passing: f64,
}

/// What stands in a line.
pub enum What<'a> {
    /// A predicate.
    Node {
        /// As SQL.
        predicate: String,
        /// The share of pairs on which it holds.
        selectivity: f64,
        /// Whether that was counted.
        counted: bool,
        /// Nanoseconds a pair.
        cost: f64,
        /// The greatest Π sp among the rules below.
        score: f64,
        /// Whether its outcome is remembered for later places of the same predicate.
        remembered: bool,
    },
    /// The end of a rule.
    Witness {
        /// Its name.
        rule: &'a str,
    },
}

impl<'a> Explained<'a> {
    /// What tasks are expected to take: the least, the one in the middle, the most.
    fn task_times(&self) -> [f64; 3] {
        let mut sorted = self.tasks.clone();
        sorted.sort_by(f64::total_cmp);
        [0, sorted.len() / 2, sorted.len().saturating_sub(1)].map(|ix| sorted.get(ix).copied().unwrap_or(0.0))
    }

    /// The tree, line by line, depth first.
    #[doc(hidden)]
    pub fn lines(&self) -> Vec<Line<'a>> {
        let Plan { rules, predicates, statistics, costs, .. } = self.plan;
        let lines = self.plan.steps().iter().enumerate().map(|(step, kind)| {
            let prefix = &self.plan.prefixes()[step];
            let (depth, what) = match *kind {
                PlannedStep::Witness { rule, .. } => {
                    (prefix.len(), What::Witness { rule: &rules[rule as usize].name })
                }
                PlannedStep::Test { predicate, otherwise, bit } => {
                    let ix = predicate as usize;
                    let what = What::Node {
                        predicate: predicates[ix].to_string(),
                        selectivity: statistics.selectivity[ix],
                        counted: statistics.counted[ix],
                        cost: costs[ix],
                        score: self.score(step, otherwise as usize),
                        remembered: bit < hyperblock_shared::path::REMEMBERED,
                    };
                    (prefix.len() - 1, what)
                }
            };
            Line { step, depth, what, passing: self.passing.passed[step] }
        });
        lines.collect()
    }

    /// The greatest Π sp among the witnesses in a range of steps.
    fn score(&self, from: usize, upto: usize) -> f64 {
        let (statistics, steps) = (&self.plan.statistics, self.plan.steps());
        let witness = |step: &usize| matches!(steps[*step], PlannedStep::Witness { .. });
        let product = |step: usize| -> f64 {
            let prefix = &self.plan.prefixes()[step];
            let first = |place: usize| !prefix[..place].contains(&prefix[place]);
            (0..prefix.len())
                .filter(|&place| first(place))
                .map(|place| statistics.selectivity[prefix[place] as usize])
                .product()
        };
        (from..upto).filter(witness).map(product).fold(0.0, f64::max)
    }
}

/// A number that is only about right, with as many digits as it deserves.
pub(in crate::inspect) fn about(number: f64) -> String {
    if number >= 10.0 {
        let unit = 10f64.powf(number.log10().floor() - 1.0);
        return HumanCount(((number / unit).round() * unit) as u64).to_string();
    }
    if number >= 1.0 { format!("{number:.1}") } else { format!("{number:.2}") }
}
