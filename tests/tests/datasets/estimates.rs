//! How far what a plan is expected to do lies from what it does.

use crate::set::DataSet;
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::inspect::explain::What;
use libtest_mimic::Failed;
use std::fmt::Write;

/// An estimate is good within this factor.
const FACTOR: f64 = 4.0;

/// Records of each table. A sample meets fewer of the pairs that matter the larger a table is.
const N_RECORDS: usize = 1200;

/// So many must be good.
const SHARE: f64 = 0.9;

/// A node of some data set's execution tree.
struct Node {
    data: String,
    what: String,
    expected: f64,
    actual: f64,
}

impl Node {
    /// How many times too high or too low, numbers below one pair being as good as one.
    fn off(&self) -> f64 {
        let (expected, actual) = (self.expected.max(1.0), self.actual.max(1.0));
        (expected / actual).max(actual / expected)
    }
}

/// Over all data sets together, nine nodes in ten pass about as many pairs as expected.
pub(crate) fn hold(all: &[DataSet]) -> Result<(), Failed> {
    let mut nodes = Vec::new();
    for data in all.iter().filter(|data| data.is_there()) {
        nodes.extend(of(data)?);
    }
    nodes.sort_by(|a, b| b.off().total_cmp(&a.off()));
    let n_good = nodes.iter().filter(|node| node.off() <= FACTOR).count();
    let share = n_good as f64 / nodes.len() as f64;
    let mut report = format!("{n_good} of {} nodes within a factor of {FACTOR}: {share:.3}\n", nodes.len());
    for node in nodes.iter().take(40) {
        let Node { data, what, expected, actual } = node;
        let _ = writeln!(report, "{:8.1}x {data}: {what}: expected {expected:.1}, was {actual}", node.off());
    }
    if share < SHARE { Err(report.into()) } else { Ok(()) }
}

fn of(data: &DataSet) -> Result<Vec<Node>, Failed> {
    let cut = data.cut(N_RECORDS)?;
    let prepared = cut.job().prepare(&Cpu::new(), &Control::default())?;
    let analysis = prepared.analyze(&Cpu::new(), &Control::default())?;
    let explained = prepared.explain(&Control::default())?;
    let node = |line: hyperblock::inspect::explain::Line<'_>| {
        let counted = analysis.steps[line.step]?;
        let what = match line.what {
            What::Node { predicate, .. } => predicate,
            What::Witness { rule } => format!("→ {rule}"),
        };
        let (expected, actual) = (line.passing, counted.passed as f64);
        Some(Node { data: data.name.clone(), what, expected, actual })
    };
    Ok(explained.lines().into_iter().filter_map(node).collect())
}
