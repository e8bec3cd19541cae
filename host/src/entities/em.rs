//! Expectation maximisation over patterns.
//!
//! Two classes of pairs, those that match and the others, make the patterns that are seen; which pair is of
//! which class is not known. From a guess of all probabilities follows how probable it is that a pair with a
//! pattern matches; from that follow better probabilities, and so on (Dempster, Laird and Rubin, JRSS B 39,
//! 1977; for record linkage Winkler, *Using the EM algorithm for weight computation in the Fellegi-Sunter
//! model of record linkage*, 1988). A pattern is looked at once a round, however many pairs have it.
//!
//! By hand, since crates for mixtures know points in space, not counted patterns of levels of which some are missing;
//! and sums are taken in one order, so that a fit does not change from one run to the next.

use hyperblock_shared::score::level;

/// Half a pair is taken to have been seen at each level: one that never comes up is rare, not impossible.
const PSEUDO_COUNT: f64 = 0.5;
/// Probabilities that change by less have settled.
const SETTLED: f64 = 1e-6;
/// The share of matches to begin with.
const FIRST_PRIOR: f64 = 0.2;
/// What a level has to begin with of what is left by the better ones, among matches.
const FIRST_SHARE: f64 = 0.8;
/// A prior is no nearer to 0 and 1.
const LEAST_PRIOR: f64 = 1e-9;

/// How often a pattern was seen.
pub type Counted = (u64, u64);

/// The probabilities of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    /// That a pair matches.
    pub prior: f64,
    /// By attribute, by level, the best first: its probability where records match.
    pub m: Vec<Vec<f64>>,
    /// Likewise where they do not.
    pub u: Vec<Vec<f64>>,
}

/// What was estimated.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// The probabilities after the last round.
    pub probabilities: Probabilities,
    /// By round: the logarithm of how probable they make what was seen, and what is taken to have been seen.
    pub log_likelihoods: Vec<f64>,
    /// Whether they had settled then.
    pub has_settled: bool,
}

/// What is known before of pairs that do not match: the probabilities of their levels, and how many such pairs that is worth.
/// Of very many the probabilities stay as they are, of none they are free.
#[derive(Clone, Debug)]
pub struct Before {
    /// By attribute and level.
    pub u: Vec<Vec<f64>>,
    /// Pairs.
    pub worth: f64,
}

/// Estimates the model of the patterns. It may end in what is best only nearby, so it begins twice: with those that do not
/// match as they are known, and as what is seen at large. The end counts in which matches agree most, since what is most
/// probable may be another thing that many pairs have in common, such as a household. Which pairs match is decided by
/// attributes that are `telling`, bits of a pattern; the others are estimated along with them.
pub fn estimate(
    patterns: &[Counted],
    n_levels: &[usize],
    before: &Before,
    telling: u64,
    rounds: u32,
) -> Estimate {
    let of = Estimation { patterns, n_levels, before, telling, rounds };
    let known = of.from(before.u.clone());
    if before.worth.is_infinite() {
        return known;
    }
    let at_large = patterns.iter().map(|&(pattern, n)| (pattern, n as f64));
    let at_large = maximised(&sums(at_large, n_levels));
    let other = of.from(at_large);
    let agreement = |estimate: &Estimate| {
        let m = (0..).zip(&estimate.probabilities.m);
        let m = m.filter(|(nth, _)| level(telling, *nth) != 0).filter_map(|(_, levels)| levels.last());
        m.map(|last| (1.0 - last).ln()).sum::<f64>()
    };
    if agreement(&other) > agreement(&known) { other } else { known }
}

/// What is estimated, and from what.
struct Estimation<'a> {
    patterns: &'a [Counted],
    n_levels: &'a [usize],
    before: &'a Before,
    telling: u64,
    rounds: u32,
}

impl Estimation<'_> {
    /// Beginning with this u.
    fn from(&self, u: Vec<Vec<f64>>) -> Estimate {
        let Self { patterns, n_levels, before, telling, rounds } = *self;
        let m = n_levels.iter().map(|&n| falling(n)).collect();
        let mut now = Probabilities { prior: FIRST_PRIOR, m, u };
        let mut log_likelihoods = Vec::new();
        let n_pairs: f64 = patterns.iter().map(|&(_, n)| n as f64).sum();
        for _ in 0..rounds {
            let (matching, log_likelihood) = now.expected(patterns, telling);
            log_likelihoods.push(log_likelihood + now.log_of_what_is_known(before));
            let of_patterns = || patterns.iter().zip(&matching);
            let matches = of_patterns().map(|(&(pattern, n), share)| (pattern, share * n as f64));
            let others = of_patterns().map(|(&(pattern, n), share)| (pattern, (1.0 - share) * n as f64));
            let n_matches: f64 = matches.clone().map(|(_, n)| n).sum();
            let next = Probabilities {
                prior: (n_matches / n_pairs).clamp(LEAST_PRIOR, 1.0 - LEAST_PRIOR),
                m: maximised(&sums(matches, n_levels)),
                u: before.maximised(&sums(others, n_levels)),
            };
            let change = now.change(&next);
            now = next;
            if change < SETTLED {
                return Estimate { probabilities: now, log_likelihoods, has_settled: true };
            }
        }
        Estimate { probabilities: now, log_likelihoods, has_settled: false }
    }
}

/// Probabilities of so many levels, each with most of what is left.
fn falling(n_levels: usize) -> Vec<f64> {
    let mut left = 1.0;
    let mut levels: Vec<f64> = (1..n_levels)
        .map(|_| {
            let own = left * FIRST_SHARE;
            left -= own;
            own
        })
        .collect();
    levels.push(left);
    levels
}

/// By attribute and level, how much of the patterns has it. What is missing counts for nothing.
pub fn sums(patterns: impl Iterator<Item = (u64, f64)>, n_levels: &[usize]) -> Vec<Vec<f64>> {
    let mut sums: Vec<Vec<f64>> = n_levels.iter().map(|&n| vec![0.0; n]).collect();
    for (pattern, n) in patterns {
        for (nth, levels) in (0..).zip(&mut sums) {
            let seen = (level(pattern, nth) as usize).checked_sub(1).and_then(|ix| levels.get_mut(ix));
            seen.into_iter().for_each(|sum| *sum += n);
        }
    }
    sums
}

/// The probabilities that make the sums most probable.
fn maximised(sums: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let of_attribute = |levels: &Vec<f64>| {
        let all: f64 = levels.iter().map(|n| n + PSEUDO_COUNT).sum();
        levels.iter().map(|n| (n + PSEUDO_COUNT) / all).collect()
    };
    sums.iter().map(of_attribute).collect()
}

impl Before {
    /// The probabilities that make the sums most probable, with what was known before.
    fn maximised(&self, sums: &[Vec<f64>]) -> Vec<Vec<f64>> {
        if self.worth.is_infinite() {
            return self.u.clone();
        }
        let of_attribute = |(seen, known): (&Vec<f64>, &Vec<f64>)| {
            let both = || seen.iter().zip(known).map(|(n, share)| n + PSEUDO_COUNT + self.worth * share);
            let all: f64 = both().sum();
            both().map(|n| n / all).collect()
        };
        sums.iter().zip(&self.u).map(of_attribute).collect()
    }
}

impl Probabilities {
    /// By pattern, how probable it is that a pair with it matches; and the logarithm of how probable all
    /// patterns are. Only attributes that are `telling` are looked at: bits of a pattern.
    fn expected(&self, patterns: &[Counted], telling: u64) -> (Vec<f64>, f64) {
        let logs = |all: &[Vec<f64>]| -> Vec<Vec<f64>> {
            all.iter().map(|levels| levels.iter().map(|p| p.ln()).collect()).collect()
        };
        let (m, u) = (logs(&self.m), logs(&self.u));
        let of = |pattern: u64, logs: &[Vec<f64>]| -> f64 {
            let level = |nth: u32| (level(pattern, nth) as usize).checked_sub(1);
            (0..).zip(logs).filter_map(|(nth, levels)| levels.get(level(nth)?)).sum()
        };
        let mut log_likelihood = 0.0;
        let matching = patterns.iter().map(|&(pattern, n)| {
            let pattern = pattern & telling;
            let matching = self.prior.ln() + of(pattern, &m);
            let other = (1.0 - self.prior).ln() + of(pattern, &u);
            // ln(e^a + e^b) without powers that are too small to be told from 0.
            let most = matching.max(other);
            let both = most + ((matching - most).exp() + (other - most).exp()).ln();
            log_likelihood += n as f64 * both;
            (matching - both).exp()
        });
        let matching = matching.collect();
        (matching, log_likelihood)
    }

    /// The same for what is taken to have been seen at each level, and for what was known before.
    fn log_of_what_is_known(&self, before: &Before) -> f64 {
        let sum = |all: &[Vec<f64>]| PSEUDO_COUNT * all.iter().flatten().map(|p| p.ln()).sum::<f64>();
        if before.worth.is_infinite() {
            return sum(&self.m);
        }
        let known = before.u.iter().flatten().zip(self.u.iter().flatten());
        sum(&self.m) + sum(&self.u) + before.worth * known.map(|(share, u)| share * u.ln()).sum::<f64>()
    }

    /// The most that a probability changes.
    fn change(&self, next: &Self) -> f64 {
        let all = |it: &Self| -> Vec<f64> {
            it.m.iter().chain(&it.u).flatten().copied().chain([it.prior]).collect()
        };
        all(self).into_iter().zip(all(next)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Whether records that match seem to agree less than others: then the two classes have changed places.
    pub fn is_turned(&self) -> bool {
        let first = |levels: &Vec<f64>| levels.first().copied().unwrap_or(1.0).log2();
        let weight: f64 = self.m.iter().zip(&self.u).map(|(m, u)| first(m) - first(u)).sum();
        weight < 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Patterns of so many pairs that a model makes; one value of ten is missing.
    fn simulated(model: &Probabilities, n_pairs: u32, seed: u64) -> Vec<Counted> {
        let mut random = Random::new(seed);
        let mut chance = || random.below(1 << 40) as f64 / (1u64 << 40) as f64;
        let mut patterns = BTreeMap::new();
        for _ in 0..n_pairs {
            let levels = if chance() < model.prior { &model.m } else { &model.u };
            let mut pattern = 0u64;
            for (nth, levels) in levels.iter().enumerate() {
                let (mut left, is_missing) = (chance(), chance() < 0.1);
                let level = levels.iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                let level = level.unwrap_or(levels.len() - 1) as u64 + 1;
                pattern |= if is_missing { 0 } else { level } << (4 * nth);
            }
            *patterns.entry(pattern).or_insert(0) += 1;
        }
        patterns.into_iter().collect()
    }

    fn known() -> Probabilities {
        Probabilities {
            prior: 0.3,
            m: vec![vec![0.8, 0.15, 0.05], vec![0.9, 0.1], vec![0.6, 0.2, 0.1, 0.1], vec![0.7, 0.3]],
            u: vec![vec![0.01, 0.04, 0.95], vec![0.1, 0.9], vec![0.05, 0.05, 0.1, 0.8], vec![0.2, 0.8]],
        }
    }

    #[track_caller]
    fn assert_near(got: &Probabilities, want: &Probabilities, most: f64) {
        assert!(got.change(want) < most, "{got:?}\nis not {want:?}");
    }

    #[test]
    fn a_known_model_is_recovered() {
        let model = known();
        let n_levels = [3, 2, 4, 2];
        let patterns = simulated(&model, 200_000, 1);
        let others = simulated(&Probabilities { prior: 0.0, ..model.clone() }, 200_000, 2);
        let u = shares(&others, &n_levels);
        for worth in [f64::INFINITY, 10_000.0, 0.0] {
            let estimate = estimate(&patterns, &n_levels, &Before { u: u.clone(), worth }, u64::MAX, 1000);
            assert!(estimate.has_settled);
            assert_near(&estimate.probabilities, &model, 0.02);
            assert!(!estimate.probabilities.is_turned());
        }
    }

    #[test]
    fn classes_that_have_changed_places_are_seen() {
        let Probabilities { prior, m, u } = known();
        assert!(Probabilities { prior: 1.0 - prior, m: u, u: m }.is_turned());
    }

    /// Shares of levels among patterns.
    fn shares(patterns: &[Counted], n_levels: &[usize]) -> Vec<Vec<f64>> {
        maximised(&sums(patterns.iter().map(|&(pattern, n)| (pattern, n as f64)), n_levels))
    }

    #[test]
    fn where_nearly_all_match_the_others_are_as_known() {
        // Matches with slips are not others: what any two records look like is known.
        let model = Probabilities { prior: 0.98, ..known() };
        let n_levels = [3, 2, 4, 2];
        let patterns = simulated(&model, 20_000, 3);
        let before = Before { u: known().u, worth: 2_000.0 };
        let Estimate { probabilities, .. } = estimate(&patterns, &n_levels, &before, u64::MAX, 2000);
        let most = |got: &[Vec<f64>], want: &[Vec<f64>]| {
            let all = got.iter().flatten().zip(want.iter().flatten());
            all.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(most(&probabilities.m, &model.m) < 0.03, "{probabilities:?}");
    }

    #[test]
    fn what_was_never_seen_is_rare_and_not_impossible() {
        let shares = shares(&[(0x11, 999), (0x01, 1)], &[2, 3]);
        assert!(shares.iter().flatten().all(|&p| p > 0.0 && p < 1.0));
        assert!(shares[0][1] < 0.001 && shares[1][2] < 0.001);
        // Missing is no level: the attribute was seen 999 times.
        assert!((shares[1][0] - 999.5 / 1000.5).abs() < 1e-9);
    }

    #[test]
    fn one_pattern_alone_breaks_nothing() {
        let u = vec![vec![0.1, 0.9]];
        let Estimate { probabilities, .. } =
            estimate(&[(1, 10)], &[2], &Before { u, worth: f64::INFINITY }, u64::MAX, 50);
        assert!((LEAST_PRIOR..1.0).contains(&probabilities.prior), "{probabilities:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_round_makes_it_less_probable(
            seen in prop::collection::vec((0u64..4, 0u64..3, 0u64..5, 1u64..2000), 1..40),
            worth in prop_oneof![Just(0.0), Just(50.0), Just(f64::INFINITY)],
        ) {
            let n_levels = [3, 2, 4];
            let patterns: Vec<Counted> = seen.iter().map(|&(a, b, c, n)| (a | b << 4 | c << 8, n)).collect();
            let u = shares(&[(0x111, 3), (0x423, 90), (0x323, 20)], &n_levels);
            let estimate = estimate(&patterns, &n_levels, &Before { u, worth }, u64::MAX, 200);
            for two in estimate.log_likelihoods.windows(2) {
                prop_assert!(two[1] >= two[0] - 1e-9 * two[0].abs(), "{:?}", estimate.log_likelihoods);
            }
            for levels in estimate.probabilities.m.iter().chain(&estimate.probabilities.u) {
                prop_assert!((levels.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
    }
}
