//! Matches: how probable each level is where records match.
//!
//! Which pairs match is not known, but what a rule finds is a mixture of matches and others, and [`em`] takes that apart. A
//! rule chose its candidates by some attributes, in which all of them agree: these say nothing there, and are left out. Those
//! that do not match are of the rule's own kind, more alike than any two records in whatever goes with what it asks for, so
//! what they look like is estimated with the rest, and forgotten. What several rules say of an attribute comes together by
//! the matches that each is expected to have found, and by how few others.
//!
//! With labels, m is what the labelled pairs look like that match.

use super::strangers::{Strangers, strangers};
use super::{FitOptions, Seen, Share, n_levels};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::stopwatch::Stopwatch;
use crate::entities::em::{self, Before, Counted, Estimate, Probabilities};
use crate::entities::score::Scoring;
use crate::job::Prepared;
use crate::operators::Backend;
use crate::rules::{Operand, Predicate, Side, Test};
use crate::run::neighbours::Stream;
use crate::tell::evaluate::Truth;
use hashbrown::HashSet;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::score::BITS_PER_LEVEL;
use std::collections::BTreeMap;

/// Attributes that must be left to learn from, and to learn what others look like too.
const LEAST_ATTRIBUTES: usize = 2;
const ENOUGH_ATTRIBUTES: usize = 3;
/// What is known of any two records counts as much as this share of the candidates: enough to say which class is which.
const WORTH: f64 = 0.005;
/// Those that do not match must look like any two records in more than half of the attributes: these agree in them as often,
/// but for so many times as often and so much.
const TIMES: f64 = 5.0;
const MORE: f64 = 0.05;
/// Matches that a rule must be expected to have found.
const LEAST_MATCHES: f64 = 5.0;
/// A share of matches nearer to 0 tells nothing apart.
const LEAST_SHARE: f64 = 1e-6;
/// Labelled pairs that are looked at at once.
const AT_ONCE: usize = 1 << 20;

/// What was learnt from the candidates of a rule or a neighbourhood.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The rule's name.
    pub name: String,
    /// Pairs that it finds.
    pub n_candidates: u64,
    /// Of them, those that are expected to match.
    pub n_matches: f64,
    /// By attribute: whether it was looked at. Those that the rule asks for were not.
    pub is_used: Vec<bool>,
    /// Rounds that it took.
    pub n_rounds: usize,
    /// Whether the probabilities had settled by then.
    pub has_settled: bool,
    /// Why nothing was learnt, if that is so.
    pub failure: Option<&'static str>,
    /// What two kinds of pairs do not explain, if that is much.
    pub strangers: Option<Strangers>,
    m: Vec<Vec<f64>>,
}

/// m, and where it is from.
pub(super) struct Matching {
    /// By attribute and level, the best first; nothing for attributes that nothing is known of.
    pub(super) levels: Vec<Option<Vec<Share>>>,
    pub(super) lessons: Vec<Lesson>,
}

/// What there is to learn from.
pub(super) struct Teaching<'a> {
    pub(super) job: &'a Prepared,
    pub(super) scoring: &'a Scoring,
    pub(super) device: &'a dyn Backend,
    pub(super) control: &'a Control,
    pub(super) options: FitOptions,
    /// What any two records look like.
    pub(super) u: Vec<Vec<f64>>,
    /// Attributes that go together, those that do most first.
    pub(super) together: Vec<(usize, usize)>,
}

/// Where candidates come from: a rule, or a neighbourhood; or all pairs are.
enum Source {
    Rule(usize),
    Neighbourhood(usize),
    All,
}

impl Matching {
    /// From what labelled pairs look like.
    pub(super) fn of_labels(
        truth: &Truth,
        scoring: &Scoring,
        device: &dyn Backend,
        control: &Control,
    ) -> Result<Self> {
        let (mut patterns, mut scores) = (BTreeMap::<u64, f64>::new(), scoring.load_patterns(device)?);
        let all = truth.matching_pairs();
        if all.is_empty() {
            let message = "the truth names no pair of these tables: there is nothing to learn from";
            return Err(Error::Job(message.into()));
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        for pairs in all.chunks(AT_ONCE) {
            for (pattern, [left, right]) in scores.patterns(pairs, control)?.into_iter().zip(pairs) {
                let weight = truth.weight(*left, *right);
                *patterns.entry(pattern).or_insert(0.0) += weight;
                (sum, squares) = (sum + weight, squares + weight * weight);
            }
        }
        // Pairs that stand for others say more about them than others do, and no more than so many pairs do together.
        let worth = sum / squares;
        let weighted = patterns.into_iter().map(|(pattern, weight)| (pattern, weight * worth));
        let of = |levels: Vec<f64>| {
            let there: f64 = levels.iter().sum();
            (there > 0.0).then(|| levels.iter().map(|&n| Share::new(n, there, false)).collect())
        };
        let levels = em::sums(weighted, &n_levels(scoring)).into_iter().map(of).collect();
        Ok(Self { levels, lessons: Vec::new() })
    }

    /// From the candidates of each rule and neighbourhood, without labels.
    pub(super) fn of_candidates(teaching: &Teaching<'_>) -> Result<Self> {
        let job = teaching.job;
        let rules = (0..job.plan.rules.len()).map(Source::Rule);
        let neighbourhoods = (0..job.neighbourhoods.len()).map(Source::Neighbourhood);
        let all = job.all.iter().map(|_| Source::All);
        let mut lessons = Vec::new();
        for source in rules.chain(neighbourhoods).chain(all) {
            teaching.control.check()?;
            lessons.push(source.lesson(teaching)?);
        }
        if lessons.iter().all(|lesson| lesson.n_candidates == 0) {
            let message = "the rules find no candidates: there is nothing to fit weights to";
            return Err(Error::Job(message.into()));
        }
        let levels = (0..teaching.u.len()).map(|nth| combined(nth, &lessons)).collect();
        Ok(Self { levels, lessons })
    }
}

/// What all lessons say of an attribute: by the matches that each found, and by how few others it found with them, which
/// some of the matches may be.
fn combined(nth: usize, lessons: &[Lesson]) -> Option<Vec<Share>> {
    let of: Vec<&Lesson> =
        lessons.iter().filter(|lesson| lesson.failure.is_none() && lesson.is_used[nth]).collect();
    let n_levels = of.first()?.m[nth].len();
    let counts = |lesson: &Lesson| lesson.n_matches * lesson.n_matches / lesson.n_candidates.max(1) as f64;
    let n_matches: f64 = of.iter().map(|lesson| lesson.n_matches).sum();
    let all: f64 = of.iter().map(|lesson| counts(lesson)).sum();
    let share = |level: usize| {
        let share = of.iter().map(|lesson| counts(lesson) * lesson.m[nth][level]).sum::<f64>() / all;
        Share::new(share * n_matches, n_matches, false)
    };
    Some((0..n_levels).map(share).collect())
}

impl Source {
    fn lesson(&self, teaching: &Teaching<'_>) -> Result<Lesson> {
        let Teaching { job, scoring, .. } = *teaching;
        let asked = self.columns(job);
        let is_used: Vec<bool> = scoring
            .attributes()
            .iter()
            .map(|attribute| {
                let mut own = attribute.predicates().flat_map(columns);
                own.all(|column| !asked.contains(&column))
            })
            .collect();
        let patterns = self.patterns(teaching, &is_used)?;
        let n_candidates = patterns.iter().map(|(_, n)| n).sum();
        let mut lesson = Lesson {
            name: self.name(job),
            n_candidates,
            n_matches: 0.0,
            is_used,
            n_rounds: 0,
            has_settled: true,
            failure: None,
            strangers: None,
            m: Vec::new(),
        };
        let n_used = lesson.is_used.iter().filter(|used| **used).count();
        lesson.failure = match (n_used, patterns.len()) {
            (0..LEAST_ATTRIBUTES, _) => Some("it asks for nearly all attributes"),
            (_, 0) => Some("it finds nothing"),
            (_, 1) => Some("all that it finds looks alike"),
            _ => None,
        };
        if lesson.failure.is_some() {
            return Ok(lesson);
        }
        let learning = Learning { teaching, patterns: &patterns, is_used: &lesson.is_used };
        let Estimate { probabilities, log_likelihoods, has_settled } = learning.estimate(n_candidates);
        let is_turned = probabilities.is_turned();
        let asked: Vec<usize> = (0..lesson.is_used.len()).filter(|&nth| lesson.is_used[nth]).collect();
        lesson.strangers = strangers(&patterns, &probabilities, &asked, &teaching.together);
        let Probabilities { prior, m, .. } = probabilities;
        lesson.n_matches = prior * n_candidates as f64;
        (lesson.n_rounds, lesson.has_settled, lesson.m) = (log_likelihoods.len(), has_settled, m);
        lesson.failure = match prior {
            ..LEAST_SHARE => Some("nothing that it finds seems to match"),
            _ if is_turned => Some("what seems to match agrees less than the rest"),
            _ if lesson.n_matches < LEAST_MATCHES => Some("too little that it finds matches"),
            _ => None,
        };
        Ok(lesson)
    }

    fn name(&self, job: &Prepared) -> String {
        match *self {
            Self::Rule(ix) => job.plan.rules[ix].name.clone(),
            Self::Neighbourhood(ix) => job.neighbourhoods[ix].name.clone(),
            Self::All => job.all.as_ref().map_or_else(String::new, |all| all.name.clone()),
        }
    }

    /// The columns that candidates are chosen by.
    fn columns(&self, job: &Prepared) -> HashSet<(Side, usize)> {
        match *self {
            Self::Rule(ix) => job.plan.rules[ix].conjunctions.iter().flatten().flat_map(columns).collect(),
            Self::Neighbourhood(ix) => {
                let [left, right] = &job.neighbourhoods[ix].keys;
                places(Side::Left, left).chain(places(Side::Right, right)).collect()
            }
            Self::All => HashSet::new(),
        }
    }

    /// What its candidates look like in the attributes that are used.
    fn patterns(&self, teaching: &Teaching<'_>, is_used: &[bool]) -> Result<Vec<Counted>> {
        let Teaching { job, scoring, device, control, .. } = *teaching;
        let used = is_used.iter().enumerate().filter(|(_, used)| **used);
        let mask = used.fold(0, |mask, (nth, _)| mask | bits(nth));
        let mut seen = Seen::new(scoring, device, control);
        let mut take = |found: &[Candidate]| seen.take(found, mask);
        match *self {
            Self::Rule(ix) => job.find(vec![job.plan.rules[ix].clone()], device, control, &mut take)?,
            Self::Neighbourhood(ix) => {
                let (orders, watch) = (job.orders.only(ix), Stopwatch::default());
                Stream::load(device, &orders, 0, control, &watch)?.finish(&mut take)?;
            }
            Self::All => job.product(control, &mut take)?,
        }
        Ok(seen.counted())
    }
}

/// What is learnt from candidates.
struct Learning<'a> {
    teaching: &'a Teaching<'a>,
    patterns: &'a [Counted],
    is_used: &'a [bool],
}

impl Learning<'_> {
    fn estimate(&self, n_candidates: u64) -> Estimate {
        let Teaching { u, together, .. } = self.teaching;
        // What goes together counts twice if both decide who matches, so only the one that tells more does.
        let mut telling: Vec<usize> = (0..self.is_used.len()).filter(|&nth| self.is_used[nth]).collect();
        for &(a, b) in together {
            if telling.len() > LEAST_ATTRIBUTES && telling.contains(&a) && telling.contains(&b) {
                let less = if u[a][0] > u[b][0] { a } else { b };
                telling.retain(|&nth| nth != less);
            }
        }
        let mask = telling.iter().fold(0, |mask, &nth| mask | bits(nth));
        if telling.len() < ENOUGH_ATTRIBUTES {
            return self.as_by_chance(mask);
        }
        let before = Before { u: u.clone(), worth: WORTH * n_candidates as f64 };
        let estimate = self.once(&before, mask);
        let is_by_chance = |(u, by_chance): (&Vec<f64>, &Vec<f64>)| match (u.first(), by_chance.first()) {
            (Some(u), Some(by_chance)) => *u <= TIMES * by_chance + MORE,
            _ => false,
        };
        let of = |&&nth: &&usize| is_by_chance((&estimate.probabilities.u[nth], &u[nth]));
        let n_by_chance = telling.iter().filter(of).count();
        // Else those that do not match are matches with slips: nearly all match.
        if 2 * n_by_chance > telling.len() { estimate } else { self.as_by_chance(mask) }
    }

    /// With those that do not match like any two records.
    fn as_by_chance(&self, telling: u64) -> Estimate {
        self.once(&Before { u: self.teaching.u.clone(), worth: f64::INFINITY }, telling)
    }

    fn once(&self, before: &Before, telling: u64) -> Estimate {
        let Teaching { scoring, options, .. } = self.teaching;
        em::estimate(self.patterns, &n_levels(scoring), before, telling, options.rounds.max(1))
    }
}

/// The bits of an attribute in a pattern.
fn bits(attribute: usize) -> u64 {
    ((1 << BITS_PER_LEVEL) - 1) << (BITS_PER_LEVEL * attribute as u32)
}

fn places(side: Side, operand: &Operand) -> impl Iterator<Item = (Side, usize)> {
    operand.columns.iter().map(move |column| (side, column.place))
}

/// The columns that a predicate looks at.
fn columns(predicate: &Predicate) -> Vec<(Side, usize)> {
    match &predicate.test {
        Test::Value { side, operand, .. } => places(*side, operand).collect(),
        Test::Compare { left, right, .. } => {
            places(Side::Left, left).chain(places(Side::Right, right)).collect()
        }
    }
}
