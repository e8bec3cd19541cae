//! How near expected milliseconds are to what paths took, and how well they order the paths of a job.

use super::Timed;
use crate::ndcg::ndcg;
use std::fmt;

/// How good expectations are.
pub(crate) struct Accuracy {
    n: usize,
    /// Of log2 of milliseconds: 1 is a factor of 2.
    rmse: f64,
    within_twice: f64,
    /// The mean over jobs of several paths.
    ndcg: f64,
}

impl Accuracy {
    /// Of paths, job by job, with the milliseconds that were expected of each.
    pub(crate) fn new(timed: &[&Timed], expected: impl Fn(&Timed) -> f64) -> Self {
        let errors: Vec<f64> = timed.iter().map(|one| (expected(one) / one.took).log2()).collect();
        let n = errors.len().max(1) as f64;
        let rmse = (errors.iter().map(|error| error * error).sum::<f64>() / n).sqrt();
        let within_twice = errors.iter().filter(|error| error.abs() <= 1.0).count() as f64 / n;
        let jobs = timed.chunk_by(|a, b| a.job == b.job).filter(|job| job.len() > 1);
        let orders: Vec<f64> = jobs
            .map(|job| {
                let predicted: Vec<f64> = job.iter().map(|one| expected(one)).collect();
                ndcg(&predicted, &job.iter().map(|one| one.took).collect::<Vec<_>>())
            })
            .collect();
        let ndcg = if orders.is_empty() { 1.0 } else { orders.iter().sum::<f64>() / orders.len() as f64 };
        Self { n: errors.len(), rmse, within_twice, ndcg }
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, rmse, within_twice, ndcg } = self;
        write!(
            f,
            "{n} paths, NDCG {ndcg:.4}, RMSE {rmse:.2} of log2, within a factor of 2: {:.0}%",
            100.0 * within_twice
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Accuracy, Timed};
    use hyperblock::plan::work::Work;

    #[test]
    fn by_hand() {
        let one = |job: &str, expected: f64, took: f64| Timed {
            job: job.to_owned(),
            branch: 0,
            nth: 0,
            path: String::new(),
            work: Work::default(),
            expected,
            took,
        };
        // Off by 2, 4, 1 and 1 powers of two; the first job is in order, the second is not, and the third has one path.
        let all = [
            one("a", 1.0, 4.0),
            one("a", 32.0, 2.0 * 256.0),
            one("b", 4.0, 2.0),
            one("b", 2.0, 4.0),
            one("c", 1.0, 1.0),
        ];
        let timed: Vec<&Timed> = all.iter().collect();
        let accuracy = Accuracy::new(&timed, |one| one.expected);
        assert!((accuracy.rmse - (22.0f64 / 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(accuracy.within_twice, 0.6);
        // Relevances 1 and 2 at discounts 1 and log2 3, beside 2 and 1.
        let log3 = 3f64.log2();
        let second = (1.0 + 2.0 / log3) / (2.0 + 1.0 / log3);
        assert!((accuracy.ndcg - (1.0 + second) / 2.0).abs() < 1e-12);
        assert_eq!(Accuracy::new(&[], |one| one.expected).ndcg, 1.0);
    }
}
