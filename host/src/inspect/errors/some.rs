//! Some pairs to be looked at: errors that are drawn by chance, and of these and of any other pairs what each rule says.

use super::examiner::{Chosen, Examiner};
use super::inside::NO_RULE;
use super::told::Told;
use super::{Judged, Reasons};
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::encode::encode;
use crate::inspect::sample::Drawn;
use crate::inspect::why::{Look, Measured, Part, accessed, archived};
use crate::job::Prepared;
use crate::read::table::Table;
use crate::rules::RuleSet;
use crate::tell::errors::{Cause, Missed};
use hyperblock_shared::layout::Candidate;
use rayon::prelude::*;

/// Pairs that a thread takes at a time.
const PER_THREAD: usize = 1 << 4;

/// Errors that were drawn, and how many there are.
#[derive(Debug, Default)]
pub(crate) struct SomeErrors {
    pub(crate) missed: Vec<Missed>,
    pub(crate) wrong: Vec<Candidate>,
    pub(crate) n_missed: u64,
    pub(crate) n_wrong: u64,
}

impl Judged<'_> {
    /// Of both kinds so many, with the lowest tickets that follow from a key.
    pub(crate) fn some(&mut self, n: usize, key: u64, control: &Control) -> Result<SomeErrors> {
        self.gathered.sort();
        let (inside, missed) = self.missed();
        let ticket = |missed: &Missed| {
            Drawn::new(key, Candidate { left: missed.left, right: missed.right, rule: NO_RULE })
        };
        let n_missed = missed.len() as u64;
        let mut drawn: Vec<(Drawn, Missed)> = missed.into_iter().map(|it| (ticket(&it), it)).collect();
        lowest(&mut drawn, n, |(drawn, _)| *drawn);
        let (mut wrong, mut n_wrong) = (Vec::new(), 0);
        let mut take = |pairs: &[Candidate]| {
            n_wrong += pairs.len() as u64;
            wrong.extend(pairs.iter().map(|pair| Drawn::new(key, *pair)));
            lowest(&mut wrong, n, |drawn| *drawn);
            Ok(())
        };
        match &inside {
            Some(inside) => inside.for_each(control, &mut take)?,
            None => take(self.gathered.wrong())?,
        }
        Ok(SomeErrors {
            missed: drawn.into_iter().map(|(_, missed)| missed).collect(),
            wrong: wrong.into_iter().map(|drawn| drawn.pair).collect(),
            n_missed,
            n_wrong,
        })
    }
}

/// Leaves so many with the lowest tickets, in their order.
fn lowest<T>(all: &mut Vec<T>, n: usize, ticket: impl Fn(&T) -> Drawn) {
    if all.len() > n {
        all.select_nth_unstable_by_key(n, &ticket);
        all.truncate(n);
    }
    all.sort_unstable_by_key(ticket);
}

/// What a rule says of a pair.
#[derive(Clone, Debug)]
pub(crate) struct RuleVerdict {
    pub(crate) name: String,
    pub(crate) holds: bool,
    /// Those of its conjunctions that holds, or of which fewest fail.
    pub(crate) predicates: Vec<PredicateVerdict>,
}

/// What a predicate says of a pair.
#[derive(Clone, Debug)]
pub(crate) struct PredicateVerdict {
    /// As SQL.
    pub(crate) text: String,
    pub(crate) holds: bool,
    /// What the measure comes to. It has nothing of the values themselves.
    pub(crate) measured: Option<String>,
}

impl RuleVerdict {
    /// Predicates that do not hold.
    pub(crate) fn n_failed(&self) -> usize {
        self.predicates.iter().filter(|predicate| !predicate.holds).count()
    }
}

/// Why a pair is an error: the cause; the rule, what of it fails, and by how much.
pub(crate) type Reason = (Cause, [String; 3]);

/// Records of a job, whose text is there, to be looked at pair by pair.
pub(crate) struct Closely<'a> {
    job: &'a Prepared,
    part: Part,
    /// Left and right: which ones, in order. Of one table both are the same.
    records: [&'a [u32]; 2],
}

impl<'a> Closely<'a> {
    pub(crate) fn new(job: &'a Prepared, left: Table, right: Option<Table>, records: [&'a [u32]; 2]) -> Self {
        Self { job, part: Part { left, right }, records }
    }

    /// By pair what each rule says; and by pair that is missed why.
    pub(crate) fn verdicts(
        &self,
        pairs: &[[u32; 2]],
        missed: &[Missed],
        control: &Control,
    ) -> Result<(Vec<Vec<RuleVerdict>>, Vec<Reason>)> {
        let rules = RuleSet::new(self.job.plan.rules.clone());
        let encoded = encode(&self.part.left, self.part.right.as_ref(), &rules.predicates, control)?;
        let archive = archived(&encoded)?;
        let examiner = Examiner {
            rules: &rules,
            owners: rules.owners().collect(),
            chosen: Chosen { part: &self.part, records: self.records },
            encoded: &encoded,
            walk: accessed(&archive)?.walk(),
            looks: rules.predicates.iter().map(Look::new).collect::<Result<_>>()?,
        };
        let told = Told::new(self.job);
        let texts: Vec<String> = rules.predicates.iter().map(ToString::to_string).collect();
        let of = |some: &[[u32; 2]]| {
            control.check()?;
            let mut scratch = examiner.scratch();
            some.iter()
                .map(|pair| verdicts(&examiner, &texts, *pair, &mut scratch))
                .collect::<Result<Vec<_>>>()
        };
        let verdicts = pairs.par_chunks(PER_THREAD).map(of).gather_all()?;
        let reasons = Reasons { job: self.job, examiner: &examiner, told: &told };
        let mut scratch = examiner.scratch();
        let mut scores = self.job.scoring().map(|scoring| {
            let pairs: Vec<[u32; 2]> = missed.iter().map(|it| [it.left, it.right]).collect();
            Ok::<_, crate::base::error::Error>(scoring.shares_of(&pairs)?.into_iter().map(|it| it.score))
        });
        let mut scores = scores.take().transpose()?;
        let reason = |missed: &Missed| {
            let mut row = reasons.missed(missed, &mut scratch)?;
            row.score = scores.as_mut().and_then(Iterator::next).unwrap_or(0);
            Ok((row.cause, told.of(&row, &examiner)?))
        };
        let reasons = missed.iter().map(reason).collect::<Result<_>>()?;
        Ok((verdicts.concat(), reasons))
    }
}

/// What each rule says of a pair.
fn verdicts(
    examiner: &Examiner<'_>,
    texts: &[String],
    pair: [u32; 2],
    scratch: &mut [u64],
) -> Result<Vec<RuleVerdict>> {
    let pair = examiner.chosen.numbers(pair)?;
    let holds: Vec<bool> = (0..texts.len()).map(|ix| examiner.holds(ix, pair, scratch)).collect();
    let mut all = Vec::new();
    for (nth, rule) in examiner.rules.rules.iter().enumerate() {
        let own =
            examiner.owners.iter().zip(&examiner.rules.conjunctions).filter(|(owner, _)| **owner == nth);
        let n_failed = |conjunction: &&Vec<usize>| conjunction.iter().filter(|&&ix| !holds[ix]).count();
        let Some(nearest) = own.map(|(_, conjunction)| conjunction).min_by_key(n_failed) else { continue };
        let mut predicates = Vec::with_capacity(nearest.len());
        for &ix in nearest {
            let measured = examiner.finding(ix, pair, scratch)?.measured.as_ref().and_then(brief);
            predicates.push(PredicateVerdict { text: texts[ix].clone(), holds: holds[ix], measured });
        }
        let holds = predicates.iter().all(|predicate| predicate.holds);
        all.push(RuleVerdict { name: rule.name.clone(), holds, predicates });
    }
    Ok(all)
}

/// A measure in a word.
fn brief(measured: &Measured) -> Option<String> {
    match measured {
        Measured::Count(_, n) => Some(n.to_string()),
        Measured::Similarity(ratio) | Measured::Sets(_, Some(ratio)) => {
            Some(format!("{}{}", ratio.decimal, if ratio.is_cut { "…" } else { "" }))
        }
        Measured::Sets(common, None) => Some(common.tokens.len().to_string()),
        Measured::Difference { decimal, is_days } => {
            let unit = |decimal: &str| match decimal {
                _ if !is_days => "",
                "1" | "-1" => " day",
                _ => " days",
            };
            decimal.as_ref().map(|decimal| format!("{decimal}{}", unit(decimal)))
        }
        Measured::Distance(kilometres) => Some(format!("{kilometres} km")),
    }
}
