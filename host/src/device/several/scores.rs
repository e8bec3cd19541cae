//! Scores at several places: stripes of a list of pairs.

use super::Several;
use super::round::{Nth, share};
use super::stripe::Stripe;
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::encode::Encoded;
use crate::operators::scan::Outcome;
use crate::operators::scores::{PairScores, ScoresOperator, Tests};
use hyperblock_shared::score::Wanted;

/// What a pair is expected to take.
const MILLISECONDS_PER_PAIR: f64 = 1e-4;

impl ScoresOperator for Several {
    fn load_scores<'a>(&'a self, encoded: &'a Encoded, tests: Tests) -> Result<Box<dyn PairScores + 'a>> {
        let held = self.load_all(|place| place.device.load_scores(encoded, tests.clone()))?;
        Ok(Box::new(SeveralScores { several: self, held }))
    }
}

struct SeveralScores<'a> {
    several: &'a Several,
    /// By place: the columns there; none, where it failed.
    held: Vec<Option<Box<dyn PairScores + 'a>>>,
}

/// What becomes of some of the pairs, in their order.
type Score<'w, 'a, R> = dyn Fn(&[[u32; 2]], &mut (dyn PairScores + 'a)) -> Result<Vec<R>> + Sync + 'w;

impl<'a> SeveralScores<'a> {
    /// By stripe, in order: where it begins, and what became of it.
    fn stripes<R: Send>(
        &mut self,
        pairs: &[[u32; 2]],
        control: &Control,
        score: &Score<'_, 'a, R>,
    ) -> Result<Vec<(usize, Vec<R>)>> {
        let whole = Stripe { range: 0..pairs.len(), milliseconds: MILLISECONDS_PER_PAIR, kind: "score" };
        let work = |stripe: &Stripe, _: Nth, scores: &mut Box<dyn PairScores + 'a>| {
            Ok((Outcome::Done, score(&pairs[stripe.range.clone()], &mut **scores)?))
        };
        let runs = share(self.several, whole, &mut self.held, usize::MAX, control, &work)?;
        let runs = runs.ok_or_else(|| Error::Internal("no number of pairs is too many".into()))?;
        let mut stripes: Vec<_> =
            runs.into_iter().map(|(stripe, scored)| (stripe.range.start, scored)).collect();
        stripes.sort_by_key(|(start, _)| *start);
        Ok(stripes)
    }
}

impl PairScores for SeveralScores<'_> {
    fn kept(&mut self, pairs: &[[u32; 2]], wanted: Wanted, control: &Control) -> Result<Vec<(u32, u32)>> {
        let stripes = self.stripes(pairs, control, &|pairs, scores| scores.kept(pairs, wanted, control))?;
        let in_all = |(start, kept): (usize, Vec<(u32, u32)>)| {
            kept.into_iter().map(move |(place, score)| (start as u32 + place, score))
        };
        Ok(stripes.into_iter().flat_map(in_all).collect())
    }

    fn scores(
        &mut self,
        pairs: &[[u32; 2]],
        wanted: Wanted,
        control: &Control,
        into: &mut [u32],
    ) -> Result<()> {
        let stripes = self.stripes(pairs, control, &|pairs, scores| {
            let mut scored = vec![0; pairs.len()];
            scores.scores(pairs, wanted, control, &mut scored)?;
            Ok(scored)
        })?;
        for (start, scored) in stripes {
            into[start..start + scored.len()].copy_from_slice(&scored);
        }
        Ok(())
    }

    fn patterns(&mut self, pairs: &[[u32; 2]], control: &Control) -> Result<Vec<u64>> {
        let stripes = self.stripes(pairs, control, &|pairs, scores| scores.patterns(pairs, control))?;
        Ok(stripes.into_iter().flat_map(|(_, patterns)| patterns).collect())
    }
}
