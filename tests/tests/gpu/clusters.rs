//! Clustering on the GPU.

use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda::Cuda;
use hyperblock::entities::cluster::{Method, cluster};
use hyperblock_shared::join::hash;
use hyperblock_shared::layout::Scored;
use hyperblock_tests::clusters;
use libtest_mimic::Failed;

/// All methods, against naive ones; and with room for few pairs at a time.
pub(crate) fn clusters() -> Result<(), Failed> {
    let (roomy, narrow) = (Cuda::open(0)?, Cuda::open(0)?.with_memory(5000));
    for n_records in [0, 1, 33, 700] {
        for case in clusters::cases(n_records) {
            // The naive way to link completely takes the third power.
            let by_scores = if n_records < 100 { &[Method::Center, Method::Complete][..] } else { &[] };
            case.assert_exact(&[&[Method::Components, Method::TiledFw], by_scores].concat(), &roomy);
            case.assert_exact(&[Method::Components], &narrow);
        }
    }
    Ok(())
}

/// Few pairs, as many as records, and so many that nearly all records are in one component; all at once and
/// in chunks.
pub(crate) fn clusters_of_many_records() -> Result<(), Failed> {
    const N: u32 = 3_000_000;
    let (roomy, narrow) = (Cuda::open(0)?, Cuda::open(0)?.with_memory(40_000_000));
    let components = |device: &dyn hyperblock::operators::Backend, pairs: &[Scored]| {
        cluster(device, N, pairs, Method::Components, &Control::default())
    };
    for n_pairs in [N / 3, N, 5 * N] {
        let record = |seed: u32| ((u64::from(hash(seed)) * u64::from(N)) >> 32) as u32;
        let pair = |ix: u32| Scored { left: record(2 * ix), right: record(2 * ix + 1), score: ix };
        let pairs: Vec<Scored> = (0..n_pairs).map(pair).collect();
        let wanted = components(&Cpu::new(), &pairs)?;
        for device in [&roomy, &narrow] {
            if components(device, &pairs)? != wanted {
                return Err(format!("{n_pairs} pairs: other components").into());
            }
        }
    }
    Ok(())
}

/// Where parents do not fit, or a matrix, that is said.
pub(crate) fn clusters_without_memory() -> Result<(), Failed> {
    let narrow = Cuda::open(0)?.with_memory(300);
    let pairs = [Scored { left: 0, right: 99, score: 1 }];
    for (method, said) in [(Method::Components, "of device memory"), (Method::TiledFw, "--method components")]
    {
        match cluster(&narrow, 100, &pairs, method, &Control::default()) {
            Err(error) if error.to_string().contains(said) => {}
            other => return Err(format!("{method}: {other:?}").into()),
        }
    }
    Ok(())
}
