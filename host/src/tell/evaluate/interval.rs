//! How far an estimate may be off: intervals that hold what is estimated 19 times of 20.
//!
//! A share of independent things lies within Wilson's score interval (*Probable inference, the law of succession, and
//! statistical inference*, JASA 22, 1927). Labelled pairs that stand for more or fewer others are worth fewer pairs than there
//! are, and so are those that share records. How many they are worth follows from the variance of the share (Korn and
//! Graubard, *Confidence intervals for proportions with small expected number of positive counts estimated from survey data*,
//! Survey Methodology 24, 1998): that of a ratio of weighted sums, or that of a jackknife which leaves out one entity after
//! the other (Efron and Stein, *The jackknife estimate of variance*, 1981). Where all of them agree there is no variance to go
//! by, and they are worth (Σ w)² / Σ w² (Kish, *Survey Sampling*, 1965).
//!
//! Where labelled pairs stand for different numbers, a few that stand for very many say most of what the variance is, and it is
//! not known well either. It then has as many degrees of freedom as its terms have (Satterthwaite, *An approximate distribution of
//! estimates of variance components*, 1946), and pairs are worth less by the quantile of Student's distribution, as Korn and
//! Graubard have it.

/// The half width of an interval that holds 19 times of 20, in standard deviations.
const DEVIATIONS: f64 = 1.96;
/// Less than this share of a sum is what rounding leaves of nothing.
const NOTHING: f64 = 1e-9;

/// Between which numbers something lies 19 times of 20.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower one.
    pub low: f64,
    /// The higher one.
    pub high: f64,
}

/// Between which numbers measures lie 19 times of 20; nothing where no pair is decided that would say so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intervals {
    /// Of precision.
    pub precision: Option<Interval>,
    /// Of recall.
    pub recall: Option<Interval>,
    /// Of F1.
    pub f1: Option<Interval>,
}

/// Where a share lies that was seen among so many.
pub(crate) fn wilson(share: f64, n: f64) -> Interval {
    let z = DEVIATIONS;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

/// How many standard deviations an interval reaches to each side whose variance has so many degrees of freedom (Abramowitz and Stegun,
/// *Handbook of Mathematical Functions*, 26.7.5).
fn student(freedom: f64) -> f64 {
    let z = DEVIATIONS;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

/// A share that was estimated, and of how many pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    share: f64,
    worth: f64,
}

impl Estimate {
    /// Of pairs that are independent of each other: what those that count stand for and the others do, each with the sum of
    /// squares and of fourth powers, and how many there are.
    pub(super) fn of_pairs(
        [yes, yes_squares, yes_fourth]: [f64; 3],
        [no, no_squares, no_fourth]: [f64; 3],
        n: u64,
    ) -> Option<Self> {
        let all = yes + no;
        if n == 0 || all <= 0.0 {
            return None;
        }
        let share = yes / all;
        let squares = yes_squares + no_squares;
        let terms = (1.0 - share).powi(2) * yes_squares + share.powi(2) * no_squares;
        let estimate = Self::new(share, terms / (all * all), n, all * all / squares);
        let are_alike = n as f64 * squares <= all * all * (1.0 + NOTHING);
        if are_alike || terms <= 0.0 {
            return Some(estimate);
        }
        let freedom = terms * terms / ((1.0 - share).powi(4) * yes_fourth + share.powi(4) * no_fourth);
        let less = (DEVIATIONS / student(freedom.max(1.0))).powi(2);
        Some(Self { worth: estimate.worth * less, ..estimate })
    }

    /// Of pairs that belong to units, which are independent of each other: by unit what those that count stand for, the
    /// others, and those of the others that are its own, if some have two units each. There are `n` pairs.
    pub(super) fn of_units(units: &[[f64; 3]], n: u64) -> Option<Self> {
        let (yes, no) = units.iter().fold((0.0, 0.0), |(yes, no), unit| (yes + unit[0], no + unit[2]));
        if n == 0 || yes + no <= 0.0 {
            return None;
        }
        let share = yes / (yes + no);
        let (mut sum, mut squares, mut others, mut other_squares) = (0.0, 0.0, 0.0, 0.0);
        for unit in units {
            let own = unit[0] + unit[1];
            sum += own;
            squares += own * own;
            let (yes, left) = (yes - unit[0], yes + no - own);
            // Who leaves nothing behind says nothing about the rest.
            let without = if left > NOTHING * (left + own) { yes / left } else { share };
            others += without - share;
            other_squares += (without - share).powi(2);
        }
        let n_units = units.len() as f64;
        let variance = (other_squares - others * others / n_units) * (n_units - 1.0) / n_units;
        Some(Self::new(share, variance, n, sum * sum / squares))
    }

    fn new(share: f64, variance: f64, n: u64, alike: f64) -> Self {
        let spread = share * (1.0 - share);
        let worth = if spread > 0.0 && variance > 0.0 { spread / variance } else { alike };
        Self { share, worth: worth.min(n as f64) }
    }

    pub(super) fn interval(self) -> Interval {
        wilson(self.share, self.worth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_distribution_is_wider_the_less_is_known() {
        // From tables.
        for (freedom, quantile) in [(3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (1e9, 1.96)] {
            assert!((student(freedom) - quantile).abs() < 0.05, "{freedom}: {}", student(freedom));
        }
    }

    #[test]
    fn pairs_that_stand_for_as_many_are_worth_as_many() {
        let plain = Estimate::of_pairs([30.0, 30.0, 30.0], [10.0, 10.0, 10.0], 40).unwrap();
        let Interval { low, high } = plain.interval();
        let want = wilson(0.75, 40.0);
        assert!((low - want.low).abs() < 1e-9 && (high - want.high).abs() < 1e-9);
        // One that stands for ten says little by itself.
        let uneven = Estimate::of_pairs([30.0, 30.0, 30.0], [10.0, 100.0, 10_000.0], 31).unwrap();
        assert!(uneven.interval().low < low && uneven.interval().high > high);
    }
}
