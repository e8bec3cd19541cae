//! A real graph of matches: place names of four sources, and links between them with a similarity each.

use super::set;
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda;
use hyperblock::device::cuda::Cuda;
use hyperblock::entities::cluster::{ClusterMethod, cluster};
use hyperblock::operators::Backend;
use hyperblock::read::pairs::{PairFile, PairSource};
use hyperblock::tell::evaluate::Truth;
use hyperblock_tests::clusters::naive_by_component;
use libtest_mimic::Failed;

/// The data set.
pub(crate) const NAME: &str = "geo_settlements";

/// All methods, on all devices, are as the naive ways; and not chaining is worth something.
pub(crate) fn settlements() -> Result<(), Failed> {
    let folder = set::folder().join(NAME);
    let source = PairSource {
        path: folder.join("similarity_edges.csv"),
        records: [vec![folder.join("table.csv")], Vec::new()],
        ..PairSource::default()
    };
    let file = PairFile::read(&source, &Control::default())?;
    let truth = Truth::of_ids(&folder.join("truth.csv"), &file.left, None, &Control::default())?;
    let mut devices: Vec<Box<dyn Backend>> = vec![Box::new(Cpu::new())];
    if cuda::gpus().is_ok() {
        devices.push(Box::new(Cuda::open(0)?));
    }
    let mut precisions = Vec::new();
    for method in ClusterMethod::ALL {
        let wanted = naive_by_component(file.n_records(), &file.pairs, method);
        for device in &devices {
            let entities = cluster(&**device, file.n_records(), &file.pairs, method, &Control::default())?;
            if entities != wanted {
                return Err(format!("{method} on {}: other entities", device.name()).into());
            }
        }
        precisions
            .push(truth.of_entities(&wanted).b_cubed.map_or(f64::NAN, |of_records| of_records.precision));
    }
    match precisions[..] {
        [components, center, complete, _] if center > components && complete > components => Ok(()),
        _ => Err(format!("precisions {precisions:?}").into()),
    }
}
