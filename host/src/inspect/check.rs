//! Checking a job without running it: all that is wrong with its rules and tables; and if nothing is, how many pairs each rule is
//! expected to allow, what it would take here, and what looks doubtful.
//!
//! Tables are read, encoded and planned, as for any job. A rule by itself is planned over the same columns and statistics: nothing is
//! read or encoded for that. How many pairs it allows is estimated more closely than planning needs it, from where they are.

mod doubts;
mod json;
mod text;

pub use doubts::Doubt;

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::inspect::explain::Expects;
use crate::job::{Job, Prepared};
use crate::operators::Backend;
use crate::plan::Plan;
use crate::plan::statistics::{Effort, Pairs};
use crate::plan::task::Task;
use rayon::prelude::*;

/// What is to be said of a job before it runs.
#[derive(Debug)]
pub enum Check {
    /// It cannot run: all that is wrong.
    Wrong(Vec<Error>),
    /// It can.
    Right(Box<Checked>),
}

/// A job that can run.
#[derive(Debug)]
pub struct Checked {
    /// What it would run on.
    pub device: String,
    /// Records of the table, or of both.
    pub n_records: Vec<u32>,
    /// The pairs that there are.
    pub n_pairs: u64,
    /// Each rule by itself, then neighbourhoods, or all pairs.
    pub rules: Vec<CheckedRule>,
    /// Candidates that are expected in all.
    pub n_candidates: f64,
    /// What all of it is expected to take.
    pub expects: Expects,
    /// What looks as if it were not meant.
    pub doubts: Vec<Doubt>,
}

/// A rule as if it were the only one, or a neighbourhood, or all pairs.
#[derive(Debug)]
pub struct CheckedRule {
    /// Its name.
    pub name: String,
    /// Pairs that it is expected to allow; of a neighbourhood at most.
    pub n_pairs: f64,
    /// What finding them is expected to take, if that is known.
    pub milliseconds: Option<f64>,
    /// How they are found.
    pub ways: Vec<String>,
}

impl Check {
    /// Reads and plans a job that is only planned ([`Job::only_planned`]).
    pub fn new(job: &Job, device: &dyn Backend, control: &Control) -> Result<Self> {
        let prepared = match job.prepare(device, control) {
            Ok(prepared) => prepared,
            Err(error) if error.is_of_input() => return Ok(Self::Wrong(job.complaints(error, control)?)),
            Err(error) => return Err(error),
        };
        if let Some(Err(error)) = prepared.scoring().map(|scoring| scoring.check()) {
            return Ok(Self::Wrong(vec![error]));
        }
        checked(&prepared, device, control).map(|checked| Self::Right(Box::new(checked)))
    }
}

fn checked(job: &Prepared, device: &dyn Backend, control: &Control) -> Result<Checked> {
    let plans: Vec<Plan> =
        (0..job.plan.rules.len()).into_par_iter().map(|rule| job.alone(rule)).gather_all()?;
    let mut pairs = Pairs::new(&job.encoded, job.second().is_none(), Effort::Fair)?;
    let mut n_pairs = |plan: &Plan| Ok::<_, Error>(plan.passing_about(&mut pairs)?.n_candidates());
    let mut rules = Vec::new();
    for (rule, plan) in job.plan.rules.iter().zip(&plans) {
        let task = Task::unlisted(&job.encoded, plan.program(), &job.area(), control)?;
        let predicate = |ix: u32| plan.predicates[ix as usize].to_string();
        let ways = plan.chosen.iter().filter_map(|chosen| chosen.alternatives.first());
        rules.push(CheckedRule {
            name: rule.name.clone(),
            n_pairs: n_pairs(plan)?,
            milliseconds: Some(task.milliseconds()),
            ways: ways.map(|way| way.path.describe(&predicate)).collect(),
        });
        control.check()?;
    }
    // Each number is of pairs drawn for itself: together rules allow no fewer than any of them, and no more than all of them.
    let each = rules.iter().map(|rule| rule.n_pairs);
    let (least, most) = (each.clone().fold(0.0, f64::max), each.sum::<f64>());
    let by_rules = n_pairs(&job.plan)?.max(least).min(most);
    let near = job.neighbourhoods.iter().zip(job.orders.n_records());
    let near = near.map(|(near, n_records)| CheckedRule {
        name: near.name.clone(),
        n_pairs: f64::from(n_records) * f64::from(near.window.saturating_sub(1)),
        milliseconds: None,
        ways: vec![near.to_string()],
    });
    let all = job.all.iter().map(|all| CheckedRule {
        name: all.name.clone(),
        n_pairs: job.n_pairs() as f64,
        milliseconds: None,
        ways: vec!["all pairs".into()],
    });
    let others: Vec<CheckedRule> = near.chain(all).collect();
    let n_candidates = by_rules + others.iter().map(|rule| rule.n_pairs).sum::<f64>();
    rules.extend(others);
    Ok(Checked {
        device: device.name(),
        n_records: [Some(&job.left), job.second()].into_iter().flatten().map(|it| it.n_records()).collect(),
        n_pairs: job.n_pairs(),
        doubts: doubts::doubts(job, &plans, &rules)?,
        rules,
        n_candidates,
        expects: job.expects(control)?,
    })
}
