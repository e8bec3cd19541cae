//! Measured costs: every predicate timed by itself, on the device that will run the job and on its own records.
//!
//! A scan over a path of that one test, over a block of records that grows until a run is long enough for the clock. A
//! GPU spreads a pair's work over thousands of threads and is timed as it is; the CPU is timed on one thread, so that
//! neither the number of cores nor what else they do counts. Nothing is subtracted: walking the path is part of the cost.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::base::random::Random;
use crate::encode::Encoded;
use crate::operators::Backend;
use crate::plan::Program;
use crate::plan::cost::BackendKind;
use crate::plan::partition::Area;
use crate::run::loaded::Loaded;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Records of each side that are brought to the device: enough for the longest run asked for, few enough to upload again
/// for every predicate.
const MOST_RECORDS: u32 = 1 << 15;
/// How many times as many pairs the next, longer run has at most.
const MOST_GROWTH: f64 = 16.0;

/// A pair that takes as long is not timed again.
const LONG: Duration = Duration::from_millis(20);

/// How carefully to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// A run should take as long.
    pub least: Duration,
    /// Runs of that length, of which the median counts.
    pub n_runs: usize,
    /// The records of the first, shortest run, on each side.
    pub first_records: u32,
}

impl Effort {
    /// Some milliseconds a predicate: before a job.
    pub fn quick(backend: BackendKind) -> Self {
        match backend {
            BackendKind::Cpu => Self { least: Duration::from_millis(2), n_runs: 3, first_records: 4 },
            BackendKind::Cuda => Self { least: Duration::from_millis(1), n_runs: 3, first_records: 1024 },
        }
    }

    /// To learn from.
    pub fn careful(backend: BackendKind) -> Self {
        Self { n_runs: 5, ..Self::quick(backend) }
    }
}

/// How long a predicate took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The median of the runs, in nanoseconds a pair.
    pub nanoseconds: f64,
    /// Pairs in a run.
    pub n_pairs: u64,
}

impl Timing {
    fn of(took: Duration, area: &Area) -> Self {
        let n_pairs = area.n_pairs();
        Self { nanoseconds: took.as_secs_f64() * 1e9 / n_pairs.max(1) as f64, n_pairs }
    }
}

/// The cost of each predicate of an encoding, measured on a device; `seed` chooses the records.
pub fn measured(device: &dyn Backend, encoded: &Encoded, seed: u64) -> Result<Vec<f64>> {
    let backend = device.kind();
    let sample = sample(encoded, seed);
    let encoded = sample.as_ref().unwrap_or(encoded);
    let effort = Effort::quick(backend);
    (0..encoded.predicates.len())
        .map(|predicate| Ok(timing(device, encoded, predicate, effort)?.nanoseconds))
        .collect()
}

/// Times one predicate of an encoding. The encoding goes to the device whole, so it should be small.
pub fn timing(device: &dyn Backend, encoded: &Encoded, predicate: usize, effort: Effort) -> Result<Timing> {
    match device.kind() {
        BackendKind::Cuda => walked(device, encoded, predicate, effort),
        BackendKind::Cpu => {
            let program = Program::of_one(encoded, predicate as u32)?;
            let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let one_thread =
                one_thread.map_err(|error| Error::Job(format!("cannot start a thread: {error}")))?;
            one_thread.install(|| grow(device, encoded, &program, effort))
        }
    }
}

/// The same by kernels, without signatures: they are looked at before a pair is walked, and walks are what costs.
pub fn walked(device: &dyn Backend, encoded: &Encoded, predicate: usize, effort: Effort) -> Result<Timing> {
    let walked = encoded.restrict(0..encoded.n_left, 0..encoded.n_right).without_signatures();
    // Not of the whole: operands are numbered anew.
    let program = Program::of_one(&walked, predicate as u32)?;
    grow(device, &walked, &program, effort)
}

fn grow(device: &dyn Backend, encoded: &Encoded, program: &Program, effort: Effort) -> Result<Timing> {
    let mut loaded = Loaded::whole(device, encoded, program)?;
    let (control, mut found) = (Control::default(), Vec::new());
    let mut run = |area: &Area| {
        let start = Instant::now();
        loaded.run(area, usize::MAX, &control, &mut found)?;
        // A clock that stands still must not make a predicate free.
        Ok::<_, Error>(start.elapsed().max(Duration::from_nanos(1)))
    };
    // One pair first: of long values it may take so long that neither its being cold nor others count.
    let mut area = block(encoded, 1.0);
    let mut took = run(&area)?;
    if took >= LONG {
        return Ok(Timing::of(took, &area));
    }
    area = block(encoded, f64::from(effort.first_records));
    took = run(&area)?;
    while took < effort.least {
        let missing = effort.least.as_secs_f64() / took.as_secs_f64();
        // A little more than is missing, since the first run also warms up.
        let side = (area.left_upto - area.left_from).max(area.right_upto - area.right_from);
        let longer = block(encoded, f64::from(side) * (1.2 * missing).clamp(2.0, MOST_GROWTH).sqrt());
        if longer == area {
            break;
        }
        area = longer;
        took = run(&area)?;
    }
    // What led here is discarded: it ran cold.
    let mut times = (0..effort.n_runs.max(1)).map(|_| run(&area)).collect::<Result<Vec<_>>>()?;
    times.sort_unstable();
    Ok(Timing::of(times[times.len() / 2], &area))
}

/// The first left with the last right records: in one table, different ones as long as there are enough.
fn block(encoded: &Encoded, side: f64) -> Area {
    let side = side.ceil().min(f64::from(u32::MAX)) as u32;
    let Encoded { n_left, n_right, .. } = *encoded;
    Area {
        left_from: 0,
        left_upto: side.min(n_left),
        right_from: n_right - side.min(n_right),
        right_upto: n_right,
        half: 0,
    }
}

/// The part of an encoding that is measured, or `None` if that is all of it.
fn sample(encoded: &Encoded, seed: u64) -> Option<Encoded> {
    let Encoded { n_left, n_right, .. } = *encoded;
    if n_left.max(n_right) <= MOST_RECORDS {
        return None;
    }
    let mut random = Random::new(seed);
    let [left, right] = [n_left, n_right].map(|n_records| stretch(n_records, MOST_RECORDS, &mut random));
    Some(encoded.restrict(left, right))
}

/// Neighbouring records: so many, or all.
pub(super) fn stretch(n_records: u32, n: u32, random: &mut Random) -> Range<u32> {
    let n = n_records.min(n);
    let from = random.below(u64::from(n_records - n) + 1) as u32;
    from..from + n
}
