//! Strangers: candidates that are neither matches nor others as the estimate has them, such as people who live together.
//!
//! Two classes whose attributes are independent say how often any two attributes agree together. Where they do far more often,
//! a third kind of pairs is common, and the estimate has counted some of it among the matches.

use crate::entities::em::{Counted, Probabilities};
use hyperblock_shared::score::level;

/// Strangers that are a smaller share of the matches do not matter: m is off by no more than that.
const LEAST_SHARE: f64 = 0.05;
/// Nor do fewer than chance may bring, by so many standard deviations.
const DEVIATIONS: f64 = 5.0;

/// Two attributes that agree together more often than matches and others explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strangers {
    /// Their places in the score.
    pub attributes: [usize; 2],
    /// Candidates that agree in both.
    pub n_seen: f64,
    /// Those that are explained.
    pub n_explained: f64,
}

/// The two attributes of those `asked` about that are explained worst, if that is bad enough. Those that go `together` among
/// any two records are left out: they do among candidates.
pub(super) fn strangers(
    patterns: &[Counted],
    probabilities: &Probabilities,
    asked: &[usize],
    together: &[(usize, usize)],
) -> Option<Strangers> {
    let Probabilities { prior, m, u } = probabilities;
    let n_candidates: f64 = patterns.iter().map(|(_, n)| *n as f64).sum();
    let go_together = |a, b| together.contains(&(a, b)) || together.contains(&(b, a));
    let mut worst: Option<Strangers> = None;
    for (nth, &a) in asked.iter().enumerate() {
        for &b in asked.iter().skip(nth + 1).filter(|b| !go_together(a, **b)) {
            let (mut n_both, mut n_seen) = (0.0, 0.0);
            for &(pattern, n) in patterns {
                let levels = (level(pattern, a as u32), level(pattern, b as u32));
                n_both += if levels.0 != 0 && levels.1 != 0 { n as f64 } else { 0.0 };
                n_seen += if levels == (1, 1) { n as f64 } else { 0.0 };
            }
            let (Some(m), Some(u)) = (m[a].first().zip(m[b].first()), u[a].first().zip(u[b].first())) else {
                continue;
            };
            let n_explained = n_both * (prior * m.0 * m.1 + (1.0 - prior) * u.0 * u.1);
            let (more, deviation) = (n_seen - n_explained, n_explained.max(1.0).sqrt());
            let is_bad = more > LEAST_SHARE * prior * n_candidates && more > DEVIATIONS * deviation;
            if is_bad && worst.is_none_or(|worst| more > worst.n_seen - worst.n_explained) {
                worst = Some(Strangers { attributes: [a, b], n_seen, n_explained });
            }
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three attributes; the first of two levels.
    fn model() -> Probabilities {
        let m = vec![vec![0.9, 0.1]; 3];
        Probabilities { prior: 0.5, m, u: vec![vec![0.1, 0.9]; 3] }
    }

    /// As many of each pattern as the model says.
    fn explained() -> Vec<Counted> {
        let patterns = (0..8u64).map(|bits| {
            let of = |best: f64| {
                (0..3).map(|nth| if bits >> nth & 1 == 0 { best } else { 1.0 - best }).product::<f64>()
            };
            let pattern = (0..3).fold(0, |pattern, nth| pattern | (1 + (bits >> nth & 1)) << (4 * nth));
            (pattern, (10_000.0 * (0.5 * of(0.9) + 0.5 * of(0.1))).round() as u64)
        });
        patterns.collect()
    }

    #[test]
    fn what_is_explained_is_no_stranger() {
        assert_eq!(strangers(&explained(), &model(), &[0, 1, 2], &[]), None);
    }

    #[test]
    fn a_third_kind_is_seen_by_what_it_has_in_common() {
        let mut patterns = explained();
        // They agree in the first two, and not in the last.
        let both = patterns.iter_mut().find(|(pattern, _)| *pattern == 0x211).unwrap();
        both.1 += 1500;
        let found = strangers(&patterns, &model(), &[0, 1, 2], &[]).unwrap();
        assert_eq!(found.attributes, [0, 1]);
        assert!(found.n_seen - found.n_explained > 500.0, "{found:?}");
        assert_eq!(strangers(&patterns, &model(), &[0, 2], &[]), None);
        assert_eq!(strangers(&patterns, &model(), &[0, 1, 2], &[(1, 0)]), None);
    }
}
