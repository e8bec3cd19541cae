//! The tree as text: a line a node, indented by depth, what is expected beside what happened.

use super::{BranchScan, Considered, Expects, Explained, Line, Near, What, about};
use crate::base::shown::shown;
use crate::base::stopwatch::OTHER;
use crate::inspect::analyze::{Analysis, PathRun};
use indicatif::HumanCount;
use std::fmt;

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, encoded, n_pairs, .. } = self;
        let of = |kept: u32, all: u32| match kept == all {
            true => HumanCount(all.into()).to_string(),
            false => format!("{} of {}", HumanCount(kept.into()), HumanCount(all.into())),
        };
        let (left, right) = (of(encoded.n_left, self.n_records[0]), of(encoded.n_right, self.n_records[1]));
        if let Some(kind) = self.planned_for {
            writeln!(f, "Planned for: {kind}, as its costs say")?;
        }
        if !self.tables.is_empty() {
            let table = |(name, n): &(String, u32)| format!("{}={}", shown(name), HumanCount((*n).into()));
            let tables: Vec<String> = self.tables.iter().map(table).collect();
            writeln!(f, "Tables: {}", tables.join(", "))?;
        }
        if !plan.rules.is_empty() {
            writeln!(f, "Scan: all pairs, left={left}, right={right}, pairs={}", HumanCount(*n_pairs))?;
        }
        self.tree(f)?;
        for scan in &self.scans {
            writeln!(f, "{scan}")?;
        }
        for (nth, considered) in self.considered.iter().enumerate() {
            writeln!(f, "Considered, with what it is expected to take:")?;
            let mut taken = self.analysis.as_ref().and_then(|analysis| analysis.paths.get(nth));
            for Considered { way, milliseconds, .. } in considered {
                write!(f, "  {way}  ≈{} ms", about(*milliseconds))?;
                // The first is what runs.
                if let Some(PathRun { time, n_candidates }) = taken.take() {
                    let (took, found) = (about(time.as_secs_f64() * 1e3), HumanCount(*n_candidates));
                    write!(f, "  actual={took} ms, candidates={found}")?;
                }
                writeln!(f)?;
            }
        }
        if let [_, _, ..] = self.tasks[..] {
            let [least, median, most] = self.task_times().map(about);
            let n = HumanCount(self.tasks.len() as u64);
            writeln!(f, "Tasks: {n}, expected to take ≈{median} ms each, from {least} to {most}")?;
        }
        for Near { neighbourhood, n_records } in &self.neighbourhoods {
            let (name, records) = (shown(&neighbourhood.name), HumanCount(*n_records as u64));
            write!(f, "Sorted neighbourhood: \"{name}\", {neighbourhood}, records={records}; ")?;
            writeln!(f, "approximate: pairs outside the windows are not looked at")?;
        }
        if let Some((all, n_pairs)) = self.all {
            let (name, n, most) = (shown(&all.name), HumanCount(n_pairs), HumanCount(all.most));
            write!(f, "All pairs: \"{name}\", pairs={n}, most={most}")?;
            writeln!(f, "{}", if n_pairs > all.most { "; refused: there are more" } else { "" })?;
        }
        for left_out in self.left_out {
            writeln!(f, "Approximate: {left_out}")?;
        }
        for subsumed in self.subsumed {
            let name = |rule: usize| shown(&plan.rules[rule].name);
            let (rule, by) = (name(subsumed.rule), name(subsumed.by));
            writeln!(f, "Subsumed: every pair that \"{rule}\" allows is allowed by \"{by}\"")?;
        }
        if let Some(analysis) = &self.analysis {
            let Analysis { device, latencies, n_candidates, .. } = analysis;
            let (found, seconds) = (HumanCount(*n_candidates), analysis.time().as_secs_f64());
            writeln!(f, "Candidates: {found}; on {device} in {seconds:.2} s")?;
            self.times(analysis, f)?;
            write!(f, "Latencies:\n{latencies}")?;
        }
        let Expects { preparing, finding, memory } = self.expects;
        let (preparing, finding) = (preparing.as_secs_f64(), finding / 1e3);
        let memory = memory as f64 / f64::from(1 << 20);
        writeln!(
            f,
            "Expected: ≈{:.2} s in all, {preparing:.2} s to read, encode and plan as here and ≈{finding:.2} s to find \
             candidates; ≈{memory:.1} MiB of memory",
            preparing + finding
        )?;
        writeln!(f, "Domains: {}, device bytes={}", encoded.domains.len(), HumanCount(encoded.n_bytes()))?;
        for domain in &encoded.domains {
            write!(f, "  {}: values={}", domain.operands.join(", "), HumanCount(domain.n_values as u64))?;
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

impl fmt::Display for BranchScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Join { is_swept, equalities, n_records, n_keys, n_pairs } => {
                let [left, right] = n_records.map(|n| HumanCount(n as u64));
                let (keys, pairs) = (HumanCount((*n_keys).into()), HumanCount(*n_pairs));
                let how = if *is_swept { "Sweep by key" } else { "Hash join" };
                write!(f, "{how}: on {}, records={left} × {right}", equalities.join(" AND "))?;
                write!(f, ", keys={keys}, pairs with the same key={pairs}")
            }
            Self::SameValue { lead, n_values, n_pairs } => {
                let (values, pairs) = (HumanCount((*n_values).into()), HumanCount(*n_pairs));
                write!(
                    f,
                    "Join: on the same value under {lead}, values={values}, pairs with the same={pairs}"
                )
            }
            Self::Overlap { lead, within, found_by, elements, n_values } => {
                let [left, right] = n_values.map(|n| HumanCount(n.into()));
                write!(f, "Overlap join: ")?;
                write_within(f, within.as_ref())?;
                write!(f, "led by {lead}, values={left} × {right}, {found_by} of {elements}")
            }
            Self::Sweep { within, lead, n_items, of_values, n_reached, screen } => {
                write!(f, "Sweep: ")?;
                write_within(f, within.as_ref())?;
                match lead {
                    Some(lead) => write!(f, "led by {lead}")?,
                    None => write!(f, "without a lead")?,
                }
                let [left, right] = n_items.map(|n| HumanCount(n.into()));
                let items = if *of_values { "values" } else { "records" };
                let reached = HumanCount(*n_reached);
                write!(f, ", {items}={left} × {right}, pairs in reach≈{reached}, screen: {screen}")
            }
        }
    }
}

fn write_within(f: &mut fmt::Formatter<'_>, within: Option<&(Vec<String>, u32)>) -> fmt::Result {
    let Some((equalities, n_keys)) = within else { return Ok(()) };
    let keys = HumanCount((*n_keys).into());
    write!(f, "within heavy keys={keys} of {}, ", equalities.join(" AND "))
}

impl Explained<'_> {
    /// What the job took, by stage, and of the scan by access path: each number is what those below it come to.
    fn times(&self, analysis: &Analysis, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![("  all".to_owned(), analysis.time())];
        for (stage, time) in analysis.stages.iter() {
            lines.push((format!("    {stage}"), time));
            if stage == "scan" {
                let ways = self.considered.iter().filter_map(|ways| Some(&ways.first()?.way));
                let paths = ways.zip(&analysis.shares);
                lines.extend(paths.map(|(way, time)| (format!("      {}", shown(way)), *time)));
                lines.push((format!("      {OTHER}"), analysis.rest()));
            }
        }
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        writeln!(f, "Times:")?;
        for (name, time) in lines {
            writeln!(f, "{name:width$} {:>13}", format!("{:.3} ms", time.as_secs_f64() * 1e3))?;
        }
        Ok(())
    }

    fn tree(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let label = |line: &Line<'_>| {
            let indent = "  ".repeat(line.depth + 1);
            match &line.what {
                What::Node { predicate, .. } => format!("{indent}{}", shown(predicate)),
                What::Witness { rule } => format!("{indent}→ {}", shown(rule)),
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
            if let Some(counted) = self.analysis.as_ref().and_then(|analysis| analysis.steps[line.step]) {
                write!(f, "  actual={}", HumanCount(counted.passed))?;
                if let What::Node { .. } = line.what {
                    let tested = if counted.computed == counted.tested {
                        HumanCount(counted.tested).to_string()
                    } else {
                        format!("{} ({} computed)", HumanCount(counted.tested), HumanCount(counted.computed))
                    };
                    write!(f, " of {tested}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
