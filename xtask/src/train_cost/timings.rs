//! Timings: what each predicate of the workload took on a device.

use super::{WorkloadArgs, workload};
use crate::record;
use anyhow::{Context, Result, ensure};
use hyperblock::operators::Backend;
use hyperblock::plan::cost;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::cost::{FEATURES, Features};
use hyperblock::run::measured;
use hyperblock::run::measured::Effort;
use hyperblock::{DeviceChoice, device};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use std::io::{self, Write};
use std::path::Path;

/// Every predicate is timed so often, all others in between. Each time the median of some runs counts, and of those the
/// fastest: what else a machine does, for a moment or for minutes, only ever makes it slower.
const ROUNDS: usize = 5;
/// A GPU has nothing else to do.
const ROUNDS_ON_GPU: usize = 1;
/// Of four timings, three are for training.
const TRAINING_SHARE: (usize, usize) = (3, 4);

/// What a predicate took.
#[derive(Clone)]
pub(crate) struct Timing {
    pub(crate) features: Features,
    pub(crate) nanoseconds: f64,
    /// What the table of guesses says.
    pub(crate) static_cost: f64,
}

/// All timings from one device.
pub(crate) struct Taken {
    pub(crate) backend: BackendKind,
    pub(crate) machine: String,
    pub(crate) timings: Vec<Timing>,
}

/// The device.
pub(crate) fn open(args: &WorkloadArgs) -> Result<Box<dyn Backend>> {
    let choice: DeviceChoice = args.device.parse().map_err(anyhow::Error::msg)?;
    Ok(device::open(choice, None)?)
}

/// Draws the workload and times it.
pub(crate) fn take(args: &WorkloadArgs) -> Result<Taken> {
    let device = open(args)?;
    let backend = device.kind();
    let jobs = workload::draw(args.rows, args.seed)?;
    let n_predicates: usize = jobs.iter().map(|job| job.predicates.len()).sum();
    eprintln!("timing {n_predicates} predicates on {}", device.name());
    let effort = Effort::careful(backend);
    let n_rounds = if backend == BackendKind::Cuda { ROUNDS_ON_GPU } else { ROUNDS };
    let mut timings = Vec::with_capacity(n_predicates);
    for encoded in &jobs {
        let static_costs = cost::static_costs(encoded);
        let mut fastest = vec![f64::INFINITY; encoded.predicates.len()];
        for _ in 0..n_rounds {
            for (ix, fastest) in fastest.iter_mut().enumerate() {
                *fastest = fastest.min(measured::timing(&*device, encoded, ix, effort)?.nanoseconds);
            }
        }
        for ((predicate, nanoseconds), static_cost) in
            encoded.predicates.iter().zip(fastest).zip(static_costs)
        {
            timings.push(Timing { features: Features::of(encoded, predicate), nanoseconds, static_cost });
        }
    }
    let machine = match backend {
        BackendKind::Cpu => record::cpu(),
        // `cuda:0 (NVIDIA …)`: the number says nothing.
        BackendKind::Cuda => {
            let name = device.name();
            name.split_once('(').map_or(name.as_str(), |(_, model)| model.trim_end_matches(')')).to_owned()
        }
    };
    Ok(Taken { backend, machine, timings })
}

/// Training and validation: each predicate falls to one of them by chance.
pub(crate) fn split(timings: &[Timing], seed: u64) -> (Vec<Timing>, Vec<Timing>) {
    let mut timings = timings.to_vec();
    timings.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let (part, whole) = TRAINING_SHARE;
    let validation = timings.split_off(timings.len() * part / whole);
    (timings, validation)
}

impl Taken {
    /// Everything, as CSV under a line that says where it was taken.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "# {}, {}", self.backend, self.machine)?;
        writeln!(out, "nanoseconds,static,{}", FEATURES.join(","))?;
        for Timing { features, nanoseconds, static_cost } in &self.timings {
            let features: Vec<_> = features.0.iter().map(|feature| format!("{feature:.4}")).collect();
            writeln!(out, "{nanoseconds:.6},{static_cost:.3},{}", features.join(","))?;
        }
        Ok(())
    }

    /// What [`Taken::write`] wrote.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let foreign = || format!("{} holds no timings of these features", path.display());
        let mut lines = text.lines();
        let taken =
            lines.next().and_then(|line| line.strip_prefix("# ")?.split_once(", ")).with_context(foreign)?;
        let backend = taken.0.parse().map_err(anyhow::Error::msg)?;
        ensure!(lines.next().is_some_and(|head| head.ends_with(&FEATURES.join(","))), "{}", foreign());
        let timing = |line: &str| {
            let numbers: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
            let [nanoseconds, static_cost, features @ ..] = numbers.as_slice() else { return None };
            let features = Features(features.try_into().ok()?);
            Some(Timing { features, nanoseconds: *nanoseconds, static_cost: *static_cost })
        };
        let timings = lines.map(timing).collect::<Option<Vec<_>>>().with_context(foreign)?;
        Ok(Self { backend, machine: taken.1.to_owned(), timings })
    }
}
