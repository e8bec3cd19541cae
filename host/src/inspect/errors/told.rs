//! What is told of an error in words: the rule, what of it fails, and by how much.

use super::examiner::Examiner;
use super::row::ErrorRow;
use crate::base::billionths::Billionths;
use crate::base::error::Result;
use crate::entities::score::{Scoring, probability};
use crate::job::Prepared;
use crate::operators::neighbours::Places;
use crate::rules::ScoreMethod;
use crate::tell::errors::Cause;
use hyperblock_shared::score::weight;

/// What errors are told by.
pub(super) struct Told<'a> {
    job: &'a Prepared,
    /// Of rules, then of neighbourhoods, or of all pairs.
    names: Vec<&'a str>,
    /// By neighbourhood.
    places: Vec<Places<'a>>,
}

impl<'a> Told<'a> {
    pub(super) fn new(job: &'a Prepared) -> Self {
        let places = job.orders.places(job.right().n_records());
        Self { job, names: job.names().collect(), places }
    }

    /// The neighbourhood that has two records nearest to each other, as it is named among rules.
    pub(super) fn nearest_window(&self, [left, right]: [u32; 2]) -> Option<u32> {
        let beyond = |nth: &usize| {
            let distance = self.places[*nth].distance(left, right);
            distance
                .map_or(u32::MAX, |distance| distance - self.job.neighbourhoods[*nth].window.min(distance))
        };
        let nearest = (0..self.places.len()).min_by_key(beyond)?;
        Some((self.job.plan.rules.len() + nearest) as u32)
    }

    /// The rule's name, what of it fails, and by how much; empty, where there is nothing to tell.
    pub(super) fn of(&self, row: &ErrorRow, examiner: &Examiner<'_>) -> Result<[String; 3]> {
        let pair = [row.left, row.right];
        let rule = row.rule.map_or("", |rule| self.names[rule as usize]).to_owned();
        let [failed, by_how_much] = match (row.cause, row.conjunction, row.rule) {
            (Cause::NoRule, Some(conjunction), _) => examiner.failed(conjunction as usize, pair)?,
            (Cause::Block, Some(conjunction), _) => {
                let most = self.job.most_in_block().unwrap_or_default();
                let said = format!("in a block of more than {most} records, which is left out");
                [examiner.equalities(conjunction as usize), said]
            }
            (Cause::Window, _, Some(rule)) => self.window(rule as usize - self.job.plan.rules.len(), pair),
            (Cause::Split, ..) => [String::new(), self.split(pair)],
            (Cause::TooLow, ..) => [String::new(), self.too_low(row.score)],
            _ => [String::new(), String::new()],
        };
        Ok([rule, failed, by_how_much])
    }

    fn window(&self, nth: usize, [left, right]: [u32; 2]) -> [String; 2] {
        let said = match self.places[nth].distance(left, right) {
            Some(n) => format!("{n} places apart"),
            None => "a record without a key has no neighbours".to_owned(),
        };
        [self.job.neighbourhoods[nth].to_string(), said]
    }

    /// Records of one source stay apart. Others may be apart for many reasons.
    fn split(&self, [left, right]: [u32; 2]) -> String {
        let first_right = self.job.second().map_or(0, |_| self.job.left.n_records());
        let sources = self.job.sources();
        let own = sources.filter(|sources| sources.are_one(left, first_right + right));
        own.map_or(String::new(), |sources| format!("both records are of one {}", sources.column()))
    }

    fn too_low(&self, score: u32) -> String {
        let threshold = Billionths(self.job.scoring().map_or(0, Scoring::threshold));
        match self.job.scoring().map(Scoring::method) {
            Some(ScoreMethod::FellegiSunter) => {
                format!("probability is {}, below {threshold}", Billionths(probability(weight(score))))
            }
            _ => format!("score is {}, below {threshold}", Billionths(score)),
        }
    }
}
