//! Doubts: what about a fit should not be believed without a look.

use super::Share;
use crate::rules::ScoreAttribute;
use std::fmt;

/// Pairs that a share must rest on.
const FEW: f64 = 1.0;
/// The least that a level may differ from a better one to contradict it: hundredths of a bit are noise.
const NOISE: f64 = 0.1;

/// Something about a fit, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The attribute and the level, or the rule.
    pub about: String,
    /// What is the matter, and what to do.
    pub what: String,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, self.what)
    }
}

/// An attribute whose levels have their probabilities.
pub(super) struct Fitted<'a> {
    pub(super) attribute: &'a ScoreAttribute,
    pub(super) m: &'a [Share],
    pub(super) u: &'a [Share],
}

impl Fitted<'_> {
    fn doubt(&self, nth: usize, what: String) -> Doubt {
        let ScoreAttribute { name, .. } = self.attribute;
        Doubt { about: format!("`{name}`, level {}", self.attribute.level_name(nth)), what }
    }

    /// m and u of each level, in order unless the attribute says otherwise, and what is doubtful about them.
    pub(super) fn levels(&self) -> (Vec<(f64, f64)>, Vec<Doubt>) {
        let mut doubts = Vec::new();
        for (nth, (m, u)) in self.m.iter().zip(self.u).enumerate() {
            if u.n_seen < FEW {
                let seen = if u.is_counted { "no pair of records has it" } else { "no random pair has it" };
                let more =
                    if u.is_counted { "ask for less" } else { "ask for less, or draw more (--sample)" };
                let high = u.high.max(u.share);
                doubts
                    .push(self.doubt(nth, format!("{seen}, so that u is a guess below {high:.1e}; {more}")));
            }
            if m.n_seen < FEW {
                let what = "no match is expected to have it, so that m is a guess; leave the level out, or give labels \
                            (--truth)";
                doubts.push(self.doubt(nth, what.to_owned()));
            }
        }
        let normal = |shares: &[Share]| -> Vec<f64> {
            let sum: f64 = shares.iter().map(|share| share.share).sum();
            shares.iter().map(|share| share.share / sum).collect()
        };
        let (mut m, u) = (normal(self.m), normal(self.u));
        if let ([first_m, ..], [first_u, ..]) = (&m[..], &u[..])
            && first_m < first_u
        {
            let what = format!(
                "it is rarer among matches (m = {first_m:.6}) than among any two records (u = {first_u:.6}): what the \
                 rules find is hardly matches, or the attribute is not about the same thing in both; look at pairs with \
                 `hyperblock why`"
            );
            doubts.push(self.doubt(0, what));
        }
        if self.attribute.monotone {
            for (better, worse) in in_order(&mut m, &u) {
                let what = format!(
                    "it seems to weigh more than {}, which is better: both weigh the same now; leave one of them out, or \
                     write `monotone = false` for the attribute if that is right",
                    self.attribute.level_name(better)
                );
                doubts.push(self.doubt(worse, what));
            }
        }
        (m.into_iter().zip(u).collect(), doubts)
    }
}

/// Changes m so that no level weighs more than a better one: those that do share what they have, in proportion to u (pool
/// adjacent violators; Ayer and others, Annals of Mathematical Statistics 26, 1955). Which levels contradicted which.
fn in_order(m: &mut [f64], u: &[f64]) -> Vec<(usize, usize)> {
    // Levels that weigh the same: where they begin, and what they have together.
    let mut pools: Vec<(usize, f64, f64)> = Vec::new();
    let mut contradictions = Vec::new();
    for (nth, (m, u)) in m.iter().zip(u).enumerate() {
        let mut pool = (nth, *m, *u);
        while let Some(&(from, better_m, better_u)) = pools.last()
            && better_m * pool.2 < pool.1 * better_u
        {
            if (pool.1 / pool.2 / (better_m / better_u)).log2() > NOISE {
                contradictions.push((from, pool.0));
            }
            pools.pop();
            pool = (from, better_m + pool.1, better_u + pool.2);
        }
        pools.push(pool);
    }
    let ends = pools.iter().skip(1).map(|pool| pool.0).chain([m.len()]).collect::<Vec<_>>();
    for (&(from, sum_m, sum_u), upto) in pools.iter().zip(ends) {
        for (m, u) in m[from..upto].iter_mut().zip(&u[from..upto]) {
            *m = u / sum_u * sum_m;
        }
    }
    contradictions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn levels_that_contradict_weigh_the_same() {
        let (mut m, u) = (vec![0.2, 0.7, 0.1], vec![0.1, 0.1, 0.8]);
        assert_eq!(in_order(&mut m, &u), [(0, 1)]);
        assert!((m[0] - 0.45).abs() < 1e-12 && (m[1] - 0.45).abs() < 1e-12 && (m[2] - 0.1).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn weights_fall_and_nothing_is_lost(pairs in prop::collection::vec((0.01f64..1.0, 0.01f64..1.0), 1..8)) {
            let normal = |values: Vec<f64>| -> Vec<f64> {
                let sum: f64 = values.iter().sum();
                values.into_iter().map(|value| value / sum).collect()
            };
            let (m, u): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let (mut m, u) = (normal(m), normal(u));
            let was_in_order = m.iter().zip(&u).is_sorted_by(|a, b| a.0 / a.1 >= b.0 / b.1);
            let before = m.clone();
            in_order(&mut m, &u);
            prop_assert!((m.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(m.iter().zip(&u).is_sorted_by(|a, b| a.0 / a.1 >= b.0 / b.1 * (1.0 - 1e-9)));
            prop_assert!(!was_in_order || m.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }
}
