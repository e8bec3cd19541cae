//! Baselines on the titles' sets, as the engine has encoded them.

use anyhow::{Context, Result};
use hyperblock::baselines::sets::{Baseline, Sets};
use hyperblock::{Control, Error, Prepared};
use hyperblock_shared::columns::{Columns, MISSING};
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::predicate::ArchivedTest;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The sets of all records, and what is asked of two.
pub(super) struct Collection<'a> {
    sets: Sets,
    measure: &'a ArchivedMeasure,
}

impl<'a> Collection<'a> {
    /// Those that the only predicate of a job is about.
    pub(super) fn of(job: &'a Prepared) -> Result<Self> {
        let predicate = job.plan.program().walk()?.predicate(0);
        let (operand, measure) = match &predicate.test {
            ArchivedTest::Compare { left, measure, .. } => Some((left.to_native(), measure)),
            ArchivedTest::Left { .. } | ArchivedTest::Right { .. } => None,
        }
        .context("the rule compares nothing")?;
        let column = match measure {
            ArchivedMeasure::Sets { sets, .. } => Some(job.encoded.sets(sets.to_native())),
            _ => None,
        }
        .context("the rule compares no sets")?;
        let set =
            |&code: &u32| if code == MISSING { &[][..] } else { column.set(&column.heads[code as usize]) };
        Ok(Self { sets: Sets::new(job.encoded.codes(operand).iter().map(set)), measure })
    }

    /// The number of pairs that a baseline finds; none if it was stopped after so many seconds.
    pub(super) fn found(&self, baseline: Baseline, most_seconds: u32) -> Result<Option<u64>> {
        let most = Duration::from_secs(most_seconds.into());
        let pairs = within(most, |control| baseline.pairs(&self.sets, self.measure, control))?;
        Ok(pairs.map(|pairs| pairs.len() as u64))
    }
}

/// Where it runs, as devices are named.
pub(super) fn device(baseline: Baseline) -> String {
    match baseline.n_threads() {
        1 => "cpu (1 thread)".to_owned(),
        n => format!("cpu ({n} threads)"),
    }
}

/// What work comes to; none if it was cancelled, as it took longer than it may.
fn within<T>(most: Duration, work: impl FnOnce(&Control) -> hyperblock::Result<T>) -> Result<Option<T>> {
    let control = Control::default();
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let control = &control;
        scope.spawn(move || {
            if is_done.recv_timeout(most) == Err(RecvTimeoutError::Timeout) {
                control.cancel();
            }
        });
        let worked = work(control);
        drop(done);
        match worked {
            Ok(result) => Ok(Some(result)),
            Err(Error::Interrupted) => Ok(None),
            Err(error) => Err(error.into()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::within;
    use hyperblock::Error;
    use std::time::Duration;

    #[test]
    fn only_what_takes_too_long_is_stopped() {
        let long = Duration::from_secs(600);
        assert_eq!(within(long, |_| Ok(7)).unwrap(), Some(7));
        assert!(within::<()>(long, |_| Err(Error::Job("wrong".into()))).is_err());
        let endless = within::<()>(Duration::ZERO, |control| {
            loop {
                control.check()?;
            }
        });
        assert_eq!(endless.unwrap(), None);
    }
}
