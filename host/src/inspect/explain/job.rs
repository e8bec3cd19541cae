//! From a prepared job to its explanation: how each branch is scanned, and what else was considered.

use super::{BranchScan, Considered, Expects, Explained, Near};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::memory::peak_memory;
use crate::job::Prepared;
use crate::operators::Backend;
use crate::plan::access::{Access, Alternative, accesses};
use crate::plan::overlap::Elements;
use crate::plan::partition::blocks;
use crate::plan::path::{ElementKind, KeyMethod};
use crate::plan::statistics::{ColumnStatistics, Effort, Pairs};
use crate::plan::sweep::Sweep;
use crate::plan::task::Task;
use crate::run::schedule::MOST_CANDIDATES;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::path::UNKNOWN;
use hyperblock_shared::screen::Screen;

impl Prepared {
    /// The plan beside what it is expected to do.
    pub fn explain(&self, control: &Control) -> Result<Explained<'_>> {
        let mut pairs = Pairs::new(&self.encoded, self.second().is_none(), Effort::Thorough)?;
        Ok(Explained {
            plan: &self.plan,
            planned_for: self.planned_for,
            encoded: &self.encoded,
            n_records: [self.left.n_records(), self.right().n_records()],
            tables: self.tables(),
            n_pairs: self.n_decided(),
            subsumed: &self.subsumed,
            left_out: &self.left_out,
            passing: self.plan.passing(&mut pairs)?,
            scans: self.scans(control)?,
            considered: self.considered(),
            expects: self.expects(control)?,
            tasks: Vec::new(),
            analysis: None,
            columns: Vec::new(),
            all: self.all.as_ref().map(|all| (all, self.n_pairs())),
            neighbourhoods: self
                .neighbourhoods
                .iter()
                .zip(self.orders.n_records())
                .map(|(near, n_records)| Near { neighbourhood: near, n_records: n_records as usize })
                .collect(),
        })
    }

    /// The tree alone with what passes its nodes, as far as that is known without looking any further.
    pub(crate) fn explain_briefly(&self) -> Result<Explained<'_>> {
        let mut pairs = Pairs::new(&self.encoded, self.second().is_none(), Effort::Fair)?;
        let near = |(neighbourhood, n): (_, u32)| Near { neighbourhood, n_records: n as usize };
        Ok(Explained {
            plan: &self.plan,
            planned_for: self.planned_for,
            encoded: &self.encoded,
            n_records: [self.left.n_records(), self.right().n_records()],
            tables: self.tables(),
            n_pairs: self.n_decided(),
            subsumed: &self.subsumed,
            left_out: &self.left_out,
            passing: self.plan.passing_about(&mut pairs)?,
            scans: Vec::new(),
            considered: self.considered(),
            expects: Expects { preparing: self.preparing(), finding: 0.0, memory: 0 },
            tasks: Vec::new(),
            analysis: None,
            columns: Vec::new(),
            neighbourhoods: self.neighbourhoods.iter().zip(self.orders.n_records()).map(near).collect(),
            all: self.all.as_ref().map(|all| (all, self.n_pairs())),
        })
    }

    /// What the job is expected to take.
    pub(in crate::inspect) fn expects(&self, control: &Control) -> Result<Expects> {
        let whole = Task::unlisted(&self.encoded, self.plan.program(), &self.area(), control)?;
        // Those that are held at once are found, sorted and handed on.
        let n_held = (self.plan.expected_candidates() as u64).min(MOST_CANDIDATES as u64);
        let held = self.n_bytes_held() + 3 * n_held * size_of::<Candidate>() as u64;
        Ok(Expects {
            preparing: self.preparing(),
            finding: whole.milliseconds(),
            memory: held.max(peak_memory().unwrap_or(0)),
        })
    }

    /// What a device will cut the job into, if several places share it: what each task is expected to take.
    #[doc(hidden)]
    pub fn tasks(&self, device: &dyn Backend, control: &Control) -> Result<Vec<f64>> {
        let whole = Task::new(&self.encoded, self.plan.program(), &self.area(), control)?;
        Ok(device.tasks(&whole).iter().map(Task::milliseconds).collect())
    }

    /// How branches are scanned.
    fn scans(&self, control: &Control) -> Result<Vec<BranchScan>> {
        let mut scans = Vec::new();
        for block in blocks(&self.area()) {
            for access in accesses(&self.encoded, self.plan.program(), &block, control)? {
                scans.push(self.scan(&access));
            }
        }
        Ok(scans)
    }

    /// The paths that branches may have, with what each is expected to take.
    fn considered(&self) -> Vec<Vec<Considered>> {
        let predicate = |ix: u32| self.plan.predicates[ix as usize].to_string();
        let considered = |it: &Alternative| Considered {
            way: it.path.describe(&predicate),
            path: it.path.json(&predicate),
            milliseconds: it.milliseconds,
        };
        self.plan.chosen.iter().map(|it| it.alternatives.iter().map(considered).collect()).collect()
    }

    fn scan(&self, access: &Access) -> BranchScan {
        let predicate = |ix: u32| self.plan.predicates[ix as usize].to_string();
        let equalities = |predicates: &[u32]| predicates.iter().map(|&ix| predicate(ix)).collect();
        let within =
            |sweep: &Sweep| sweep.within.as_ref().map(|keys| (equalities(&keys.predicates), keys.n_keys));
        match access {
            Access::Overlap(join) => BranchScan::Overlap {
                lead: predicate(join.sweep.settings.lead),
                elements: {
                    let grams = match &join.kind {
                        Elements::Tokens(_) => None,
                        Elements::Grams(grams) => Some(grams.q),
                    };
                    let lead = &self.encoded.predicates[join.sweep.settings.lead as usize];
                    ElementKind::of(lead, grams).to_string()
                },
                n_values: join.lists.each_ref().map(|list| list.len()),
                within: within(&join.sweep),
                found_by: join.method.for_people(),
            },
            Access::Join(join) if join.is_same_value => BranchScan::SameValue {
                lead: predicate(join.settings.lead),
                n_values: join.n_keys,
                n_pairs: join.n_pairs,
            },
            Access::Join(join) => BranchScan::Join {
                is_swept: join.found_by == KeyMethod::Sweep,
                equalities: equalities(&join.predicates),
                n_records: [join.left.rows.len(), join.right.rows.len()],
                n_keys: join.n_keys,
                n_pairs: join.n_pairs,
            },
            Access::Sweep(sweep) => BranchScan::Sweep {
                within: within(sweep),
                lead: (sweep.settings.lead_step != UNKNOWN).then(|| predicate(sweep.settings.lead)),
                n_items: [sweep.left.len(), sweep.right.len()],
                of_values: !sweep.left.starts.is_empty(),
                n_reached: sweep.n_pairs(),
                screen: match sweep.settings.screen {
                    Screen::None => "none",
                    Screen::Codes => "equal codes",
                    Screen::Reaches => "codes in reach",
                    Screen::Signatures => "signatures of 64 bits",
                    Screen::WideSignatures => "signatures of 128 bits",
                },
            },
        }
    }

    /// What is in the columns that the rules look at.
    #[doc(hidden)]
    pub fn columns(&self) -> Result<Vec<ColumnStatistics>> {
        let tables = [&self.left, self.right()];
        self.encoded.codes.iter().map(|column| ColumnStatistics::of(tables, column)).collect()
    }
}
