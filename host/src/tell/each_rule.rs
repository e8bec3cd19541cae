//! Rules one by one, for people: what each finds by itself, and what goes if it goes.
//!
//! ```text
//! rules one by one         allows  alone  matches  alone  recall lost  precision
//!   same phone              1,234    800      700    120       0.0120     0.5673
//!   name, near birthday       900    466      590     10       0.0010     0.6556
//! ```

use crate::base::shown::shown;
use crate::tell::evaluate::cell;
use indicatif::HumanCount;
use std::fmt;

/// What a rule, or a neighbourhood, finds by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleCounts {
    /// Its name.
    pub name: String,
    /// Candidates that it allows, whichever others do too.
    pub n_allowed: u64,
    /// Those that no other one allows: they go if it goes.
    pub n_alone: u64,
    /// The same of pairs that match, where the truth is known.
    pub matches: Option<MatchCounts>,
}

/// The pairs that match among those that a rule allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchCounts {
    /// All of them.
    pub n_allowed: u64,
    /// Those that no other rule allows.
    pub n_alone: u64,
    /// The recall of all candidates that goes if the rule goes.
    pub recall_lost: f64,
    /// What matches of what it allows, as far as that is decided.
    pub precision: f64,
}

/// A line for each rule.
pub(super) struct Table<'a>(pub(super) &'a [RuleCounts]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: u64| HumanCount(n).to_string();
        let cells = |rule: &RuleCounts| {
            let mut cells =
                vec![format!("  {}", shown(&rule.name)), count(rule.n_allowed), count(rule.n_alone)];
            if let Some(matches) = &rule.matches {
                cells.extend([count(matches.n_allowed), count(matches.n_alone)]);
                cells.extend([matches.recall_lost, matches.precision].map(cell));
            }
            cells
        };
        let header = ["rules one by one", "allows", "alone", "matches", "alone", "recall lost", "precision"];
        let lines: Vec<Vec<String>> =
            [header.map(str::to_owned).to_vec()].into_iter().chain(self.0.iter().map(cells)).collect();
        // Without a truth there is less to tell.
        let n_cells = lines.last().map_or(0, Vec::len);
        let width = |nth: usize| {
            let cells = lines.iter().filter_map(|cells| cells.get(nth));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..n_cells).map(width).collect();
        for cells in &lines {
            for (nth, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                match nth {
                    0 => write!(f, "{cell:width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
