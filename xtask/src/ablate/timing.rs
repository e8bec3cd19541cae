//! Times of every variant, on every data set and device.
//!
//! What is timed begins with encoded columns in memory and ends with all candidates back there, as in `bench scan`. All
//! variants read the same columns in the same place, walk the same path, and take turns. Devices are given tables of
//! different sizes; so before anything is timed, all are given one small table, and must find the same in it.

use super::data::{Part, Size, name};
use super::{Args, Data};
use crate::bench::measure::{LONG, Times, replanned, scan};
use crate::bench::scan::open;
use anyhow::{Result, ensure};
use hyperblock::Control;
use hyperblock::operators::Backend;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::{AccessChoice, Plan, ScanOptions, Variant};
use hyperblock::{Job, Prepared};

/// One variant on one data set and device.
pub(super) struct Figure {
    pub(super) data: Data,
    pub(super) kind: BackendKind,
    pub(super) device: String,
    pub(super) rows: u32,
    pub(super) part: Part,
    pub(super) n_candidates: u64,
    pub(super) times: Times,
    /// The median of the engine with all its parts, on the same table.
    pub(super) full: f64,
}

impl Figure {
    pub(super) fn slowdown(&self) -> f64 {
        self.times.median() / self.full
    }
}

pub(super) fn run(data: &[Data], args: &Args) -> Result<Vec<Figure>> {
    let devices = open(&args.on.device)?;
    let variants = args.variants()?;
    let mut figures = Vec::new();
    for &data in data {
        let sizes = |device: &dyn Backend| data.sizes(device.kind(), args.rows, &variants);
        // On the table that every device can compare all pairs of.
        let least = devices.iter().flat_map(|device| sizes(&**device)).map(|size| size.rows).min();
        if let (Some(rows), [_, _, ..]) = (least, &devices[..]) {
            compare(data, rows, &devices, access(args)?, &variants)?;
        }
        for device in &devices {
            for size in sizes(&**device) {
                figures.extend(measure(data, &size, &**device, access(args)?)?);
            }
        }
    }
    Ok(figures)
}

/// Every variant on every device, once: all must find as many candidates.
fn compare(
    data: Data,
    rows: u32,
    devices: &[Box<dyn Backend>],
    access: AccessChoice,
    variants: &[Variant],
) -> Result<()> {
    let job = data.make(rows)?;
    let mut known = None;
    for device in devices {
        let parts: Vec<Part> = [None].into_iter().chain(variants.iter().copied().map(Some)).collect();
        let jobs = Jobs::new(&job, &parts, &**device)?;
        for part in parts {
            let job = jobs.of(part);
            let n_found = scan(job, plan(job, part, access)?.program(), &**device)?;
            agree(data, part, &device.name(), n_found, &mut known)?;
        }
    }
    Ok(())
}

/// Times some variants on one table, the engine with all its parts first.
fn measure(data: Data, size: &Size, device: &dyn Backend, access: AccessChoice) -> Result<Vec<Figure>> {
    let Size { rows, parts } = size;
    let jobs = Jobs::new(&data.make(*rows)?, parts, device)?;
    let plans = parts.iter().map(|part| plan(jobs.of(*part), *part, access)).collect::<Result<Vec<_>>>()?;
    let (kind, device_name, mut known) = (device.kind(), device.name(), None);
    if kind == BackendKind::Cuda {
        // The driver compiles kernels of variants that nobody has used before, which may take longer than what counts once.
        for (part, plan) in parts.iter().zip(&plans) {
            scan(jobs.of(*part), plan.program(), device)?;
        }
    }
    let times = Times::in_turns(plans.len(), LONG, |ix| {
        let n_found = scan(jobs.of(parts[ix]), plans[ix].program(), device)?;
        agree(data, parts[ix], &device_name, n_found, &mut known)
    })?;
    let n_candidates = known.unwrap_or_default();
    let full = times[0].median();
    println!("{}, {rows} rows on {device_name}: {full:.4} s, {n_candidates} candidates", data.name());
    let figure = |(part, times): (&Part, Times)| Figure {
        data,
        kind,
        device: device_name.clone(),
        rows: *rows,
        part: *part,
        n_candidates,
        times,
        full,
    };
    Ok(parts.iter().zip(times).map(figure).collect())
}

/// A job, encoded with what filters look at and, where a variant does without, without it.
pub(super) struct Jobs {
    filtered: Prepared,
    unfiltered: Option<Prepared>,
}

impl Jobs {
    pub(super) fn new(job: &Job, parts: &[Part], device: &dyn Backend) -> Result<Self> {
        let without = |part: &Part| *part == Some(Variant::NoFilter);
        let unfiltered = parts.iter().any(without).then(|| job.clone().variants(vec![Variant::NoFilter]));
        Ok(Self {
            filtered: job.prepare(device, &Control::default())?,
            unfiltered: unfiltered.map(|job| job.prepare(device, &Control::default())).transpose()?,
        })
    }

    pub(super) fn of(&self, part: Part) -> &Prepared {
        let without = self.unfiltered.as_ref().filter(|_| part == Some(Variant::NoFilter));
        without.unwrap_or(&self.filtered)
    }
}

/// The access paths that are asked for.
pub(super) fn access(args: &Args) -> Result<AccessChoice> {
    args.access.parse().map_err(anyhow::Error::msg)
}

/// The same plan with a part of the engine switched off.
pub(super) fn plan(job: &Prepared, part: Part, access: AccessChoice) -> Result<Plan> {
    let variants: Vec<_> = part.into_iter().collect();
    replanned(job, &variants, ScanOptions { access, ..ScanOptions::default() })
}

fn agree(data: Data, part: Part, device: &str, n_found: u64, known: &mut Option<u64>) -> Result<()> {
    let wanted = *known.get_or_insert(n_found);
    let (data, part) = (data.name(), name(part));
    ensure!(n_found == wanted, "{data}, {part}, {device}: {n_found} candidates, but {wanted} before");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{AccessChoice, Variant, compare, plan};
    use crate::ablate::Data;
    use crate::ablate::data::VARIANTS;
    use clap::ValueEnum;
    use hyperblock::device::cpu::Cpu;
    use hyperblock::operators::Backend;

    #[test]
    fn all_variants_find_the_same() {
        let devices: [Box<dyn Backend>; 1] = [Box::new(Cpu::new())];
        for &data in Data::value_variants() {
            for access in [AccessChoice::Cheapest, AccessChoice::Sweep] {
                compare(data, 500, &devices, access, &VARIANTS).unwrap();
            }
        }
    }

    #[test]
    fn the_variant_is_what_changes() {
        let device = Cpu::new();
        let job = Data::Names.make(50).unwrap().prepare(&device, &hyperblock::Control::default()).unwrap();
        let of = |part| plan(&job, part, AccessChoice::Cheapest).unwrap();
        let (full, without) = (of(None), of(Some(Variant::NoQueue)));
        assert_eq!(full.program().bytes(), without.program().bytes());
        assert!(full.program().options().queue && !without.program().options().queue);
        for variant in VARIANTS.into_iter().filter(|variant| variant.leaves_paths()) {
            assert_eq!(of(Some(variant)).program().paths(), full.program().paths(), "{variant}");
        }
    }
}
