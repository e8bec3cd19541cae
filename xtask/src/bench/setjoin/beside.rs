//! Baselines on the titles' sets, as the engine has encoded them.

use anyhow::{Context, Result};
use hyperblock::baselines::sets::{Baseline, BySize, Sets};
use hyperblock::device::cuda::Cuda;
use hyperblock::plan::cost::BackendKind;
use hyperblock::{Control, Error, Prepared};
use hyperblock_shared::columns::{Columns, MISSING};
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::predicate::ArchivedTest;
use std::cell::OnceCell;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Pairs that a GPU has room for at first.
const EXPECTED: usize = 1 << 24;

/// Which one, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Beside {
    Cpu(Baseline),
    GssjoinOnGpu,
}

impl Beside {
    pub(super) fn name(self) -> String {
        match self {
            Self::Cpu(baseline) => baseline.to_string(),
            Self::GssjoinOnGpu => "gssjoin-gpu".to_owned(),
        }
    }

    pub(super) fn kind(self) -> BackendKind {
        match self {
            Self::Cpu(_) => BackendKind::Cpu,
            Self::GssjoinOnGpu => BackendKind::Cuda,
        }
    }

    /// Where it runs, as devices are named, beside one of its kind.
    pub(super) fn device(self, beside: &str) -> String {
        match self {
            Self::GssjoinOnGpu => beside.to_owned(),
            Self::Cpu(baseline) => match baseline.n_threads() {
                1 => "cpu (1 thread)".to_owned(),
                n => format!("cpu ({n} threads)"),
            },
        }
    }
}

/// The sets of all records, and what is asked of two.
pub(super) struct Collection<'a> {
    sets: Sets,
    measure: &'a ArchivedMeasure,
    /// Opened when it is first asked.
    gpu: OnceCell<Cuda>,
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
        let sets = Sets::new(job.encoded.codes(operand).iter().map(set));
        Ok(Self { sets, measure, gpu: OnceCell::new() })
    }

    /// The number of pairs that a baseline finds; none if it was stopped after so many seconds.
    pub(super) fn found(&self, beside: Beside, most_seconds: u32) -> Result<Option<u64>> {
        let most = Duration::from_secs(most_seconds.into());
        let pairs = match beside {
            Beside::Cpu(baseline) => {
                within(most, |control| baseline.pairs(&self.sets, self.measure, control))?
            }
            Beside::GssjoinOnGpu => {
                let gpu = match self.gpu.get() {
                    Some(gpu) => gpu,
                    None => self.gpu.get_or_init({
                        let gpu = Cuda::open(0)?;
                        || gpu
                    }),
                };
                let by_size = BySize::new(&self.sets, self.measure)?;
                Some(by_size.records(gpu.gssjoin_pairs(by_size.lists(), EXPECTED)?))
            }
        };
        Ok(pairs.map(|pairs| pairs.len() as u64))
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
