//! A plan for people: the tree with what each node is expected to do, and with `--analyze` what it did.

use super::Plan;
use crate::analyze::Analysis;
use crate::encode::Encoded;
use crate::grouped::grouped;
use crate::rules::Subsumed;
use crate::statistics::ColumnStatistics;
use hyperblock_shared::path::Step;
use std::fmt;

/// A plan beside what it was made for and what it is expected to do.
pub struct Explained<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What it runs over.
    pub encoded: &'a Encoded,
    /// Records of the tables, before those that no rule is about were left out.
    pub n_records: [u32; 2],
    /// The number of pairs to compare.
    pub n_pairs: u64,
    /// Rules that need not be evaluated.
    pub subsumed: &'a [Subsumed],
    /// By step: how many pairs are expected to pass it.
    pub passing: Vec<f64>,
    /// By step: what it did, if the job was run.
    pub analysis: Option<Analysis>,
    /// What is in the columns, if that was asked for.
    pub columns: Vec<ColumnStatistics>,
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
    /// The tree, line by line, depth first.
    pub fn lines(&self) -> Vec<Line<'a>> {
        let Plan { rules, predicates, statistics, costs, layout, .. } = self.plan;
        let lines = layout.steps.iter().enumerate().map(|(step, kind)| {
            let prefix = &layout.prefixes[step];
            let (depth, what) = match *kind {
                Step::Witness { rule, .. } => {
                    (prefix.len(), What::Witness { rule: &rules[rule as usize].name })
                }
                Step::Test { predicate, otherwise, bit } => {
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
            Line { step, depth, what, passing: self.passing[step] }
        });
        lines.collect()
    }

    /// The greatest Π sp among the witnesses in a range of steps.
    fn score(&self, from: usize, upto: usize) -> f64 {
        let Plan { statistics, layout, .. } = self.plan;
        let witness = |step: &usize| matches!(layout.steps[*step], Step::Witness { .. });
        let product = |step: usize| -> f64 {
            let prefix = &layout.prefixes[step];
            let first = |place: usize| !prefix[..place].contains(&prefix[place]);
            (0..prefix.len())
                .filter(|&place| first(place))
                .map(|place| statistics.selectivity[prefix[place] as usize])
                .product()
        };
        (from..upto).filter(witness).map(product).fold(0.0, f64::max)
    }
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, encoded, n_pairs, .. } = self;
        let of = |kept: u32, all: u32| match kept == all {
            true => grouped(all.into()),
            false => format!("{} of {}", grouped(kept.into()), grouped(all.into())),
        };
        let (left, right) = (of(encoded.n_left, self.n_records[0]), of(encoded.n_right, self.n_records[1]));
        writeln!(f, "Scan: all pairs, left={left}, right={right}, pairs={}", grouped(*n_pairs))?;
        self.tree(f)?;
        for subsumed in self.subsumed {
            let (rule, by) = (&plan.rules[subsumed.rule].name, &plan.rules[subsumed.by].name);
            writeln!(f, "Subsumed: every pair that \"{rule}\" allows is allowed by \"{by}\"")?;
        }
        if let Some(analysis) = &self.analysis {
            let (found, seconds) = (grouped(analysis.n_candidates), analysis.time.as_secs_f64());
            writeln!(f, "Candidates: {found}; run under watch on the CPU in {seconds:.2} s")?;
        }
        writeln!(f, "Domains: {}, device bytes={}", encoded.domains.len(), grouped(encoded.n_bytes()))?;
        for domain in &encoded.domains {
            write!(f, "  {}: values={}", domain.operands.join(", "), grouped(domain.n_values as u64))?;
            match domain.symbols {
                Some((bits, longest)) => writeln!(f, ", symbol bits={bits}, longest={longest}")?,
                None => writeln!(f)?,
            }
        }
        if !self.columns.is_empty() {
            writeln!(f, "Columns:")?;
            self.columns.iter().try_for_each(|column| column.fmt(f))?;
        }
        Ok(())
    }
}

impl Explained<'_> {
    fn tree(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let label = |line: &Line<'_>| {
            let indent = "  ".repeat(line.depth + 1);
            match &line.what {
                What::Node { predicate, .. } => format!("{indent}{predicate}"),
                What::Witness { rule } => format!("{indent}→ {rule}"),
            }
        };
        let width = lines.iter().map(|line| label(line).chars().count()).max().unwrap_or(0).min(72);
        for line in &lines {
            let label = label(line);
            write!(f, "{label:width$}")?;
            if let What::Node { selectivity, counted, cost, score, remembered, .. } = &line.what {
                let sp = if *counted { "sp=" } else { "sp≈" };
                write!(f, "  {sp}{selectivity:.2e}  cost={cost:.1} ns  score={score:.1e}")?;
                write!(f, "{}", if *remembered { "  remembered" } else { "" })?;
            }
            write!(f, "  pairs≈{}", about(line.passing))?;
            if let Some(counted) = self.analysis.as_ref().map(|analysis| analysis.steps[line.step]) {
                write!(f, "  actual={}", grouped(counted.passed))?;
                if let What::Node { .. } = line.what {
                    let tested = if counted.computed == counted.tested {
                        grouped(counted.tested)
                    } else {
                        format!("{} ({} computed)", grouped(counted.tested), grouped(counted.computed))
                    };
                    write!(f, " of {tested}  time={:.1} ms", counted.nanoseconds / 1e6)?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Explained<'_> {
    /// The tree as a graph, for Graphviz.
    pub fn dot(&self) -> String {
        let mut dot =
            String::from("digraph plan {\n  node [shape=box, fontname=\"sans-serif\"];\n  root [label=\"");
        dot.push_str(&format!("all pairs\\n{}\"];\n", grouped(self.n_pairs)));
        // By depth: the last node there, which what follows one level deeper hangs on.
        let mut parents: Vec<String> = vec!["root".to_owned()];
        for line in self.lines() {
            let name = format!("step{}", line.step);
            let pairs = about(line.passing);
            let (label, style) = match &line.what {
                What::Node { predicate, selectivity, cost, .. } => (
                    format!("{}\\nsp {selectivity:.2e}, {cost:.1} ns\\n≈ {pairs} pairs", escaped(predicate)),
                    "",
                ),
                What::Witness { rule } => {
                    (format!("{}\\n≈ {pairs} pairs", escaped(rule)), ", shape=ellipse, style=bold")
                }
            };
            dot.push_str(&format!("  {name} [label=\"{label}\"{style}];\n"));
            let edge = match &line.what {
                What::Node { score, .. } => format!(" [label=\"{score:.1e}\"]"),
                What::Witness { .. } => String::new(),
            };
            dot.push_str(&format!("  {} -> {name}{edge};\n", parents[line.depth]));
            parents.truncate(line.depth + 1);
            parents.push(name);
        }
        dot.push_str("}\n");
        dot
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A number that is only about right, with as many digits as it deserves.
fn about(number: f64) -> String {
    if number >= 10.0 {
        let unit = 10f64.powf(number.log10().floor() - 1.0);
        return grouped(((number / unit).round() * unit) as u64);
    }
    if number >= 1.0 { format!("{number:.1}") } else { format!("{number:.2}") }
}
