//! Fitting: the weights of a score by Fellegi and Sunter's model, from the tables alone, or from labels.
//!
//! ```text
//! any two records ─► u                                                  ┐
//! what each rule finds, without the attributes it asks for ─► EM ─► m   ├─► in order, doubted, written
//! sure rules, labels or candidates ─► prior                             ┘
//! ```
//!
//! u is of any two records ([`chance`]) and so is the [`prior`]: what the rules ask for has no say in either. m is of
//! [`matches`]. What is not known well is told ([`doubts`]), and what is not known at all is refused: weights that are wrong
//! in silence are worse than none.

mod chance;
mod doubts;
mod matches;
mod prior;
mod strangers;
mod told;

pub use chance::Share;
pub use doubts::Doubt;
pub use matches::Lesson;
pub use prior::PriorSource;
pub use strangers::Strangers;

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::entities::em::Counted;
use crate::entities::score::{Evidence, Scores, Scoring, Weights};
use crate::job::Prepared;
use crate::operators::Backend;
use crate::rules::ScoreAttribute;
use crate::tell::evaluate::Truth;
use chance::Chances;
use doubts::Fitted;
use hyperblock_shared::layout::Candidate;
use matches::{Matching, Teaching};
use prior::Asking;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The most random pairs that are drawn.
pub const MOST_SAMPLED: u64 = 10_000_000;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// The same seed draws the same pairs.
    pub seed: u64,
    /// Random pairs to draw; where there are fewer pairs, all are taken.
    pub sample: u64,
    /// Rounds of estimation at most, for each rule.
    pub rounds: u32,
    /// The probability that any two records match, if it is known.
    pub prior: Option<f64>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { seed: 1, sample: 1_000_000, rounds: 1000, prior: None }
    }
}

/// What was fitted, and to what.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The weights, with the evidence for them.
    pub weights: Weights,
    /// Where the prior is from.
    pub prior: PriorSource,
    /// What was learnt from each rule and neighbourhood; nothing, if there were labels.
    pub lessons: Vec<Lesson>,
    /// All pairs of records.
    pub n_pairs: u64,
    /// Random pairs that were looked at.
    pub n_sampled: u64,
    /// What should not be believed without a look.
    pub doubts: Vec<Doubt>,
}

impl Prepared {
    /// Fits the weights of the rule file's `[score]` to the tables, and to labels if there are any. An error if there is no
    /// score, or if there is an attribute that nothing is learnt about.
    pub fn fit(
        &self,
        device: &dyn Backend,
        control: &Control,
        options: FitOptions,
        truth: Option<&Truth>,
    ) -> Result<Fit> {
        let none = || {
            let help = "write one with attributes and their levels, and `score = \"fellegi-sunter\"`";
            Error::Job(format!("the rule file has no [score] section to fit weights for; {help}"))
        };
        let scoring = self.scoring().ok_or_else(none)?;
        control.guard(|| self.fitted(scoring, device, control, options, truth))
    }

    fn fitted(
        &self,
        scoring: &Scoring,
        device: &dyn Backend,
        control: &Control,
        options: FitOptions,
        truth: Option<&Truth>,
    ) -> Result<Fit> {
        let chances = Chances::new(self, scoring, device, control, options)?;
        let Matching { levels: matching, lessons } = match truth {
            Some(truth) => Matching::of_labels(truth, scoring, device, control)?,
            None => {
                let (u, together) = (chances.u(), chances.going_together());
                let job = self;
                let teaching = Teaching { job, scoring, device, control, options, u, together };
                Matching::of_candidates(&teaching)?
            }
        };
        let mut doubts = lessons_in_doubt(&lessons, scoring.attributes());
        let (mut levels, mut evidence) = (Vec::new(), Vec::new());
        for ((attribute, m), u) in scoring.attributes().iter().zip(&matching).zip(&chances.levels) {
            let m = m.as_ref().ok_or_else(|| nothing_learnt(&attribute.name, &lessons))?;
            let (of_levels, doubtful) = Fitted { attribute, m, u }.levels();
            levels.push(of_levels);
            doubts.extend(doubtful);
            evidence.extend(m.iter().zip(u).map(|(m, u)| evidence_of(m, u)));
        }
        let asking = Asking { job: self, scoring, device, control };
        let (prior, source) = asking.prior(options, truth, &levels)?;
        if truth.is_some() && matches!(source, PriorSource::Candidates { .. }) {
            let what = "labels of some pairs do not say how many of all pairs match, so that it is what is expected of the \
                        candidates; give it (--prior), or rules that hold on matches alone (`sure` in [score])";
            doubts.push(Doubt { about: "the prior".to_owned(), what: what.to_owned() });
        }
        Ok(Fit {
            weights: Weights::new(prior, scoring.attributes(), &levels).with_evidence(evidence),
            prior: source,
            lessons,
            n_pairs: chances.n_pairs,
            n_sampled: chances.n_sampled,
            doubts,
        })
    }
}

fn evidence_of(m: &Share, u: &Share) -> Evidence {
    Evidence {
        m_from: m.low,
        m_to: m.high,
        matches: m.n_seen,
        u_from: u.low,
        u_to: u.high,
        pairs: u.n_seen,
        is_counted: u.is_counted,
    }
}

fn lessons_in_doubt(lessons: &[Lesson], attributes: &[ScoreAttribute]) -> Vec<Doubt> {
    let doubt = |lesson: &Lesson| {
        let what = match (lesson.failure, lesson.has_settled, lesson.strangers) {
            (Some(failure), ..) => format!("nothing is learnt from what it finds: {failure}"),
            (None, false, _) => format!(
                "its probabilities have not settled after {} rounds; allow more (--rounds)",
                lesson.n_rounds
            ),
            (None, true, Some(Strangers { attributes: [a, b], n_seen, n_explained })) => {
                let [a, b] = [&attributes[a].name, &attributes[b].name];
                format!(
                    "`{a}` and `{b}` agree together in {n_seen:.0} of its candidates, and matches and others explain \
                     {n_explained:.0}: another kind of pairs is common among them, such as people who live together or songs of one album, and m \
                     may be off; let the rule ask for more, or give labels (--truth)"
                )
            }
            (None, true, None) => return None,
        };
        Some(Doubt { about: format!("rule `{}`", lesson.name), what })
    };
    lessons.iter().filter_map(doubt).collect()
}

/// Why there is no m for an attribute, and what to do.
fn nothing_learnt(name: &str, lessons: &[Lesson]) -> Error {
    let reasons = lessons.iter().map(|lesson| match lesson.failure {
        Some(failure) => format!("of `{}` because {failure}", lesson.name),
        None => format!("of `{}` because it asks for the attribute itself", lesson.name),
    });
    let reasons: Vec<String> = reasons.collect();
    let why = match reasons.is_empty() {
        true => "no labelled pair has it in both records".to_owned(),
        false => format!("nothing is learnt {}", reasons.join(", ")),
    };
    Error::Job(format!(
        "`{name}`: there is no m, {why}. Add a rule that does not ask for it and finds matches, or give labels (--truth), \
         or leave the attribute out of [score]"
    ))
}

/// What candidates look like, as they come by.
struct Seen<'a> {
    scoring: &'a Scoring,
    device: &'a dyn Backend,
    control: &'a Control,
    /// Brought to the device when there is something to look at: until then the scan has all of it.
    scores: Option<Scores<'a>>,
    patterns: BTreeMap<u64, u64>,
}

impl<'a> Seen<'a> {
    fn new(scoring: &'a Scoring, device: &'a dyn Backend, control: &'a Control) -> Self {
        Self { scoring, device, control, scores: None, patterns: BTreeMap::new() }
    }

    /// Looks at candidates, and at no more of their patterns than these bits.
    fn take(&mut self, found: &[Candidate], mask: u64) -> Result<()> {
        let scores = match &mut self.scores {
            Some(scores) => scores,
            none => none.insert(self.scoring.load_patterns(self.device)?),
        };
        let pairs: Vec<[u32; 2]> = found.par_iter().map(|pair| [pair.left, pair.right]).gather();
        let mut seen = scores.patterns(&pairs, self.control)?;
        seen.par_iter_mut().for_each(|pattern| *pattern &= mask);
        count(seen, &mut self.patterns);
        Ok(())
    }

    fn counted(self) -> Vec<Counted> {
        self.patterns.into_iter().collect()
    }
}

/// Levels of each attribute, also what is below all thresholds.
fn n_levels(scoring: &Scoring) -> Vec<usize> {
    scoring.attributes().iter().map(|attribute| attribute.levels.len() + 1).collect()
}

/// Adds how often each pattern comes up. In order of the patterns, so that sums over them are the same in
/// every run.
fn count(mut patterns: Vec<u64>, counts: &mut BTreeMap<u64, u64>) {
    patterns.par_sort_unstable();
    for same in patterns.chunk_by(|a, b| a == b) {
        *counts.entry(same[0]).or_insert(0) += same.len() as u64;
    }
}
