//! The join: two columns of keys on every device, from all keys alike to very few that most rows have.
//!
//! As figure 4 and table I of 'CPU and GPU Hash Joins on Skewed Data' (2025), on the keys of `gen zipf`. What
//! is timed begins with both columns loaded, and ends with the number of pairs back here; where pairs are
//! materialised, they go to a buffer that is overwritten when it is full. Every run must find as many pairs
//! as the frequencies of the keys say, and where [`merge`] has time to, their rows are compared as well.
//! Methods and outputs take turns, so what else the machine does hits all alike.

mod merge;
mod report;

use super::measure::Times;
use super::scan::{names, open};
use super::{JoinArgs, JoinWay};
use crate::r#gen::zipf::{Alphabet, SEED};
use anyhow::{Context, Result, ensure};
use hyperblock::DeviceChoice;
use hyperblock::baselines::joins::{Baseline, Detection};
use hyperblock::device::cuda::{Cuda, GpuBaseline};
use hyperblock::operators::Backend;
use hyperblock::operators::join::{Join, JoinOperator, Joined, Output};
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::join::{JoinMethod, KeyColumn};
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

/// What takes longer than this is measured once.
const LONG: Duration = Duration::from_secs(2);
/// Pairs that a CPU, or a GPU that does nothing about heavy keys, goes through in minutes.
const MOST_PAIRS: u64 = 200_000_000_000;
/// Rows up to which the pairs themselves are compared.
const COMPARED_ROWS: u32 = 1_000_000;
/// Pairs in the buffer where a profiler saves and restores it.
const FEW_PAIRS: usize = 1 << 24;

/// One way to join.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    method: Method,
    output: Output,
}

/// Ours, or what it is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    Ours(JoinMethod),
    Baseline(Baseline),
    OnGpu(GpuBaseline),
}

impl Display for Method {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ours(method) => f.pad(&method.to_string()),
            Self::Baseline(baseline) => f.pad(&baseline.to_string()),
            Self::OnGpu(baseline) => f.pad(&baseline.to_string()),
        }
    }
}

/// The same two columns, loaded for each.
struct Loaded<'a> {
    ours: Box<dyn Join + 'a>,
    baselines: Vec<(Method, Box<dyn Join + 'a>)>,
}

impl<'a> Loaded<'a> {
    fn new(
        device: &'a dyn Backend,
        gpu: Option<&'a Cuda>,
        methods: &'a [Method],
        left: KeyColumn<'a>,
        right: KeyColumn<'a>,
    ) -> Result<Self> {
        let mut baselines = Vec::new();
        for method in methods {
            let join = match method {
                Method::Ours(_) => continue,
                Method::Baseline(baseline) => baseline.load_join(left, Some(right))?,
                Method::OnGpu(baseline) => {
                    let gpu = gpu.context("a baseline of GPUs wants one")?;
                    gpu.load_baseline(*baseline, left, Some(right))?
                }
            };
            baselines.push((*method, join));
        }
        Ok(Self { ours: device.load_join(left, Some(right))?, baselines })
    }

    fn of(&mut self, method: Method) -> Result<(&mut dyn Join, JoinMethod)> {
        match method {
            Method::Ours(method) => Ok((&mut *self.ours, method)),
            Method::Baseline(_) | Method::OnGpu(_) => {
                let found = self.baselines.iter_mut().find(|(baseline, _)| *baseline == method);
                // What it is asked for is its own matter.
                Ok((&mut *found.context("a baseline is loaded before it is run")?.1, JoinMethod::Plain))
            }
        }
    }
}

/// One way, on one device, of one exponent.
struct Figure {
    s: f64,
    kind: BackendKind,
    device: String,
    rows: u32,
    n_pairs: u64,
    way: Way,
    /// None, if it was left out.
    measured: Option<Measured>,
}

struct Measured {
    times: Times,
    n_heavy: u32,
    /// The median seconds of each.
    phases: Vec<(&'static str, f64)>,
}

pub(super) fn run(args: &JoinArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let gpus = names(&args.on.device).into_iter().zip(&devices).map(|(name, device)| {
        let is_wanted = methods(args, device.kind()).iter().any(|way| matches!(way, Method::OnGpu(_)));
        if is_wanted { Ok(Some(Cuda::open(ordinal(&name)?)?)) } else { Ok(None) }
    });
    let gpus = gpus.collect::<Result<Vec<_>>>()?;
    let exponents = exponents(&args.s, || (0..=10).map(|tenths| f64::from(tenths) / 10.0).collect());
    let alphabet = Alphabet::new(args.rows, SEED);
    let numbers: Vec<u32> = (0..args.rows).collect();
    let mut figures = Vec::new();
    for device in &devices {
        println!("{}: {}", device.kind(), device.name());
    }
    report::print_head();
    for s in exponents {
        let columns = alphabet.draw(s);
        let n_pairs = columns.known().n_pairs;
        let compared = args.rows <= COMPARED_ROWS && n_pairs <= u64::from(args.buffer);
        let wanted = compared.then(|| merge::pairs(&columns));
        for (device, gpu) in devices.iter().zip(&gpus) {
            let side = |keys| KeyColumn { keys, rows: Some(&numbers) };
            let methods = methods(args, device.kind());
            let (left, right) = (side(&columns.left), side(&columns.right));
            let mut joins = Loaded::new(&**device, gpu.as_ref(), &methods, left, right)?;
            let new = measure(s, n_pairs, args, &**device, &methods, &mut joins)?;
            new.iter().for_each(report::print);
            figures.extend(new);
            if let Some(wanted) = &wanted {
                compare(wanted, args, &methods, &mut joins)?;
            }
        }
    }
    match &args.save {
        Some(folder) => report::save(folder, &figures),
        None => Ok(()),
    }
}

/// The number of a GPU, by the name that it was opened by.
fn ordinal(name: &str) -> Result<usize> {
    match name.parse().map_err(anyhow::Error::msg)? {
        DeviceChoice::Cuda(ordinal) => Ok(ordinal),
        DeviceChoice::Auto | DeviceChoice::Cpu => Ok(0),
    }
}

/// Joins two columns once, counted and written: what a profiler looks at.
pub(super) fn once(method: JoinMethod, rows: u32, s: f64, device: &dyn Backend) -> Result<()> {
    let columns = Alphabet::new(rows, SEED).draw(s);
    let numbers: Vec<u32> = (0..rows).collect();
    let side = |keys| KeyColumn { keys, rows: Some(&numbers) };
    let mut join = device.load_join(side(&columns.left), Some(side(&columns.right)))?;
    let known = columns.known().n_pairs;
    for output in [Output::Count, Output::Pairs { capacity: FEW_PAIRS }] {
        let n_pairs = join.run(method, output)?.n_pairs;
        ensure!(n_pairs == known, "{method}: {n_pairs} pairs, but {known} are right");
    }
    Ok(())
}

/// Those that are asked for, or the others; each once, ascending.
pub(super) fn exponents(asked: &[f64], others: impl FnOnce() -> Vec<f64>) -> Vec<f64> {
    let mut exponents = if asked.is_empty() { others() } else { asked.to_vec() };
    exponents.sort_by(f64::total_cmp);
    exponents.dedup();
    exponents
}

/// Those that are asked for, as far as this kind of device has them.
fn methods(args: &JoinArgs, kind: BackendKind) -> Vec<Method> {
    let ours = [JoinWay::Skew, JoinWay::Plain];
    let asked = if args.method.is_empty() { &ours[..] } else { &args.method };
    let method = |method: &JoinWay| match method {
        JoinWay::Skew => Method::Ours(JoinMethod::Skew),
        JoinWay::Plain => Method::Ours(JoinMethod::Plain),
        JoinWay::Cbase => Method::Baseline(Baseline::Cbase),
        JoinWay::CbaseNpj => Method::Baseline(Baseline::CbaseNpj),
        JoinWay::Csh => {
            Method::Baseline(Baseline::Csh(Detection { one_of: args.one_of, at_least: args.at_least }))
        }
        JoinWay::Gbase => Method::OnGpu(GpuBaseline::Gbase),
        JoinWay::Gsh => Method::OnGpu(GpuBaseline::Gsh { top: args.top }),
    };
    let is_here = |method: &Method| match method {
        Method::Ours(_) => true,
        Method::Baseline(_) => kind == BackendKind::Cpu,
        Method::OnGpu(_) => kind == BackendKind::Cuda,
    };
    asked.iter().map(method).filter(is_here).collect()
}

impl Way {
    /// The pairs up to which it is measured.
    fn most_pairs(self, kind: BackendKind, asked: Option<u64>) -> u64 {
        match (self.method, self.output, kind) {
            // Heavy keys are multiplied.
            (Method::Ours(JoinMethod::Skew), Output::Count, _) => u64::MAX,
            (Method::Ours(JoinMethod::Plain), Output::Pairs { .. }, _)
            | (Method::OnGpu(GpuBaseline::Gbase), _, _)
            | (_, _, BackendKind::Cpu) => asked.unwrap_or(MOST_PAIRS),
            (_, _, BackendKind::Cuda) => asked.unwrap_or(u64::MAX),
        }
    }

    fn output(self) -> &'static str {
        match self.output {
            Output::Count => "count",
            Output::Pairs { .. } => "pairs",
        }
    }
}

/// Measures a loaded join in every way.
fn measure(
    s: f64,
    n_pairs: u64,
    args: &JoinArgs,
    device: &dyn Backend,
    methods: &[Method],
    joins: &mut Loaded<'_>,
) -> Result<Vec<Figure>> {
    let outputs = [Output::Count, Output::Pairs { capacity: args.buffer as usize }];
    let ways = methods.iter().flat_map(|&method| outputs.map(|output| Way { method, output }));
    let kind = device.kind();
    let (runs, left_out): (Vec<Way>, Vec<Way>) =
        ways.partition(|way| n_pairs <= way.most_pairs(kind, args.most_pairs));
    let mut joined: Vec<Vec<Joined>> = vec![Vec::new(); runs.len()];
    let times = Times::in_turns(runs.len(), LONG, |ix| {
        let Way { method, output } = runs[ix];
        let (join, of_ours) = joins.of(method)?;
        let run = join.run(of_ours, output)?;
        ensure!(
            run.n_pairs == n_pairs,
            "s = {s}, {method}, {} on {}: {} pairs, but {n_pairs} are right",
            runs[ix].output(),
            device.name(),
            run.n_pairs
        );
        joined[ix].push(run);
        Ok(())
    })?;
    let measured = runs.into_iter().zip(times).zip(joined).map(|((way, times), joined)| {
        // What was only to warm up came first.
        let counted = &joined[joined.len() - times.n_runs()..];
        let n_heavy = counted.last().map_or(0, |run| run.n_heavy);
        (way, Some(Measured { phases: phases(counted), n_heavy, times }))
    });
    let all = measured.chain(left_out.into_iter().map(|way| (way, None)));
    let figure = |(way, measured)| {
        let (device, rows) = (device.name(), args.rows);
        Figure { s, kind, device, rows, n_pairs, way, measured }
    };
    Ok(all.map(figure).collect())
}

/// The median of each phase over some runs, in seconds.
fn phases(runs: &[Joined]) -> Vec<(&'static str, f64)> {
    let Some(last) = runs.last() else { return Vec::new() };
    let took = |run: &Joined, name| {
        run.phases.iter().filter(|phase| phase.0 == name).map(|phase| phase.1).sum::<Duration>()
    };
    // A name that comes up twice is one phase.
    let names = last.phases.iter().fold(Vec::new(), |mut names, (name, _)| {
        if !names.contains(name) {
            names.push(*name);
        }
        names
    });
    let median = |name| Times::new(runs.iter().map(|run| took(run, name)).collect()).median();
    names.into_iter().map(|name| (name, median(name))).collect()
}

/// Fails if any method finds other pairs than are wanted.
fn compare(wanted: &[(u32, u32)], args: &JoinArgs, methods: &[Method], joins: &mut Loaded<'_>) -> Result<()> {
    for &method in methods {
        let (join, of_ours) = joins.of(method)?;
        join.run(of_ours, Output::Pairs { capacity: args.buffer as usize })?;
        let mut pairs = join.pairs()?;
        pairs.sort_unstable();
        ensure!(pairs == wanted, "{method}: the number of pairs is right, but not the pairs");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Loaded, Measured, Method, Way, compare, exponents, measure, merge, methods, phases};
    use crate::bench::{Devices, JoinArgs, JoinWay};
    use crate::r#gen::zipf::{Alphabet, Columns};
    use hyperblock::base::error::Result;
    use hyperblock::device::cpu::Cpu;
    use hyperblock::device::cuda::GpuBaseline;
    use hyperblock::operators::join::{Join, Joined, Output};
    use hyperblock::plan::cost::BackendKind;
    use hyperblock::plan::join::JoinMethod;
    use std::time::Duration;

    /// A join that is right, or whose pairs are all of row 0.
    struct Naive<'a> {
        columns: &'a Columns,
        is_right: bool,
        n_runs: usize,
    }

    impl Join for Naive<'_> {
        fn run(&mut self, _: JoinMethod, _: Output) -> Result<Joined> {
            self.n_runs += 1;
            let phase = ("all", Duration::from_millis(self.n_runs as u64));
            Ok(Joined { n_pairs: self.columns.known().n_pairs, n_heavy: 3, phases: vec![phase] })
        }

        fn pairs(&self) -> Result<Vec<(u32, u32)>> {
            let mut pairs = merge::pairs(self.columns);
            pairs.reverse();
            if !self.is_right {
                pairs.iter_mut().for_each(|pair| pair.0 = 0);
            }
            Ok(pairs)
        }
    }

    fn args(most_pairs: Option<u64>) -> JoinArgs {
        let (s, on, save) = (Vec::new(), Devices::default(), None);
        JoinArgs {
            rows: 500,
            s,
            on,
            method: vec![],
            one_of: 100,
            at_least: 2,
            top: 3,
            buffer: 1 << 20,
            most_pairs,
            save,
        }
    }

    #[test]
    fn every_way_is_measured_or_left_out() {
        let columns = Alphabet::new(500, 1).draw(0.5);
        let n_pairs = columns.known().n_pairs;
        for (most_pairs, n_measured) in [(None, 4), (Some(n_pairs), 4), (Some(n_pairs - 1), 1)] {
            let ours = Box::new(Naive { columns: &columns, is_right: true, n_runs: 0 });
            let mut joins = Loaded { ours, baselines: Vec::new() };
            let (args, cpu) = (args(most_pairs), Cpu::new());
            let methods = methods(&args, BackendKind::Cpu);
            let figures = measure(0.5, n_pairs, &args, &cpu, &methods, &mut joins).unwrap();
            assert_eq!(figures.len(), 4);
            let measured: Vec<&Measured> =
                figures.iter().filter_map(|figure| figure.measured.as_ref()).collect();
            assert_eq!(measured.len(), n_measured);
            assert!(measured.iter().all(|measured| measured.n_heavy == 3 && measured.phases[0].0 == "all"));
        }
    }

    #[test]
    fn wrong_joins_are_found_out() {
        let columns = Alphabet::new(500, 1).draw(0.5);
        let (wanted, n_pairs) = (merge::pairs(&columns), columns.known().n_pairs);
        for is_right in [true, false] {
            let ours = Box::new(Naive { columns: &columns, is_right, n_runs: 0 });
            let mut joins = Loaded { ours, baselines: Vec::new() };
            let methods = methods(&args(None), BackendKind::Cpu);
            assert_eq!(compare(&wanted, &args(None), &methods, &mut joins).is_ok(), is_right);
            assert!(measure(0.5, n_pairs + 1, &args(None), &Cpu::new(), &methods, &mut joins).is_err());
        }
    }

    #[test]
    fn phases_are_medians_by_name() {
        let run = |phases: &[(&'static str, u64)]| Joined {
            phases: phases.iter().map(|(name, seconds)| (*name, Duration::from_secs(*seconds))).collect(),
            ..Joined::default()
        };
        let runs =
            [run(&[("a", 1), ("b", 9)]), run(&[("a", 5), ("b", 7)]), run(&[("a", 2), ("b", 3), ("a", 1)])];
        assert_eq!(phases(&runs), [("a", 3.0), ("b", 7.0)]);
        assert_eq!(phases(&[]), []);
    }

    #[test]
    fn only_what_enumerates_has_a_bound() {
        let pairs = Output::Pairs { capacity: 1 };
        let most =
            |method, output, kind| Way { method: Method::Ours(method), output }.most_pairs(kind, Some(7));
        for kind in [BackendKind::Cpu, BackendKind::Cuda] {
            assert_eq!(most(JoinMethod::Skew, Output::Count, kind), u64::MAX);
            for (method, output) in
                [(JoinMethod::Skew, pairs), (JoinMethod::Plain, pairs), (JoinMethod::Plain, Output::Count)]
            {
                assert_eq!(most(method, output, kind), 7);
            }
        }
    }

    #[test]
    fn exponents_ascend() {
        assert_eq!(exponents(&[1.0, 0.5, 1.0], Vec::new), [0.5, 1.0]);
        assert_eq!(exponents(&[], || vec![0.0]), [0.0]);
        let args = JoinArgs { method: vec![JoinWay::Plain, JoinWay::Cbase], ..args(None) };
        assert_eq!(methods(&args, BackendKind::Cuda), [Method::Ours(JoinMethod::Plain)]);
        assert_eq!(methods(&args, BackendKind::Cpu).len(), 2);
        let args = JoinArgs { method: vec![JoinWay::Csh, JoinWay::Gbase, JoinWay::Gsh], ..args };
        assert_eq!(methods(&args, BackendKind::Cpu).len(), 1);
        let of_gpu = [GpuBaseline::Gbase, GpuBaseline::Gsh { top: 3 }].map(Method::OnGpu);
        assert_eq!(methods(&args, BackendKind::Cuda), of_gpu);
    }
}
