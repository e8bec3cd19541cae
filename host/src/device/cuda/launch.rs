//! Launches: one safe, typed function a kernel. Nothing else hands arguments to the device.

#![expect(unsafe_code, reason = "what is handed over as it is must be told to be plain data")]

mod closure;
mod cluster;
mod join;
mod listed;
mod neighbours;
mod overlap;
mod relation;
mod residual;
mod scan;
mod score;

pub(super) use closure::{ClosureKernels, ClosureLaunches};
pub(super) use cluster::{ClusterKernels, ForestLaunches, MatrixLaunches};
pub(super) use join::{JoinKernels, Launches, THREADS, TILE_ROWS};
pub(super) use listed::{ListedBuffers, ListedKernel, launch_listed};
pub(super) use neighbours::{NeighbourKernels, NeighbourLaunches};
pub(super) use overlap::{OverlapKernels, OverlapLaunches};
pub(super) use relation::{
    DeviceIndex, DeviceSet, MERGE_TILE, RELATION_THREADS, RelationKernels, RelationLaunches, SORT_TILE,
};
pub(super) use residual::{RESIDUAL_THREADS, ResidualBuffers, ResidualKernel, launch_residual};
pub(super) use scan::{ScanBuffers, launch_scan};
pub(super) use score::{SCORE_THREADS, ScoreBuffers, ScoreKernel, launch_score, words_per_pair};

use super::driver;
use crate::base::error::{Error, Result};
use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as N_MULTIPROCESSORS;
use cudarc::driver::sys::CUlimit;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DeviceRepr, LaunchConfig};
use cudarc::nvrtc::Ptx;
use hyperblock_shared::layout::{
    DeviceClosure, DeviceColumns, DeviceForest, DeviceJoin, DeviceMatrix, DeviceNeighbours, DeviceOverlap,
    DevicePass, DeviceSettings, DeviceSlice, DeviceSweep,
};
use std::sync::{Arc, OnceLock};

/// The kernels as `cargo xtask device` built them.
const PTX: &str = include_str!("../../../../device/kernels.ptx");
/// The same with paths walked by recursion.
const DESCENT_PTX: &str = include_str!("../../../../device/descent.ptx");

/// Bytes of stack that a thread needs to walk a path by recursion: a frame of some hundred for each predicate of a rule.
const DESCENT_STACK: usize = 16 << 10;

/// The loaded kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    scan: CudaFunction,
    /// Rarely wanted, and the driver takes its time to compile it.
    descent: OnceLock<CudaFunction>,
    /// Likewise, where no rule has an equality.
    join: OnceLock<JoinKernels>,
    residual: OnceLock<ResidualKernel>,
    /// Where no similarity is joined.
    overlap: OnceLock<OverlapKernels>,
    listed: OnceLock<ListedKernel>,
    /// Where there are no neighbourhoods.
    neighbours: OnceLock<NeighbourKernels>,
    /// Where nothing is scored.
    score: OnceLock<ScoreKernel>,
    /// Where pairs are only wanted.
    cluster: OnceLock<ClusterKernels>,
    /// Where nothing is closed.
    relation: OnceLock<RelationKernels>,
    closure: OnceLock<ClosureKernels>,
}

/// An argument that kernels take by value.
#[repr(transparent)]
struct ByValue<T>(T);

// SAFETY: plain data, laid out as the kernels' own type.
unsafe impl DeviceRepr for ByValue<DeviceColumns> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceSweep> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceSettings> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceJoin> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DevicePass> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceOverlap> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceNeighbours> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceClosure> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceSlice> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceForest> {}
// SAFETY: likewise.
unsafe impl DeviceRepr for ByValue<DeviceMatrix> {}

impl Kernels {
    /// Hands the PTX to the driver, which compiles it, and finds every kernel in it.
    pub(super) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        Ok(Self {
            scan: load(context, device, PTX)?,
            descent: OnceLock::new(),
            join: OnceLock::new(),
            residual: OnceLock::new(),
            overlap: OnceLock::new(),
            listed: OnceLock::new(),
            neighbours: OnceLock::new(),
            score: OnceLock::new(),
            cluster: OnceLock::new(),
            relation: OnceLock::new(),
            closure: OnceLock::new(),
        })
    }

    /// The same for the kernels that walk paths by recursion.
    pub(super) fn load_descent(&self, context: &Arc<CudaContext>, device: &str) -> Result<()> {
        if self.descent.get().is_none() {
            let stack = context.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, DESCENT_STACK);
            stack.map_err(|error| driver::failed(device, "making room for a stack", error))?;
            // Whoever was first has loaded the same.
            let _ = self.descent.set(load(context, device, DESCENT_PTX)?);
        }
        Ok(())
    }

    /// The kernels of joins.
    pub(super) fn load_join(&self, context: &Arc<CudaContext>, device: &str) -> Result<&JoinKernels> {
        first_time(&self.join, || JoinKernels::load(context, device))
    }

    /// The kernel of joins that decide their pairs.
    fn load_residual(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ResidualKernel> {
        first_time(&self.residual, || ResidualKernel::load(context, device))
    }

    /// The kernels of overlap joins.
    pub(super) fn load_overlap(&self, context: &Arc<CudaContext>, device: &str) -> Result<&OverlapKernels> {
        first_time(&self.overlap, || OverlapKernels::load(context, device))
    }

    /// The kernel that decides what they find.
    fn load_listed(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ListedKernel> {
        first_time(&self.listed, || ListedKernel::load(context, device))
    }

    /// The kernels of sorted neighbourhoods.
    pub(super) fn load_neighbours(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
    ) -> Result<&NeighbourKernels> {
        first_time(&self.neighbours, || NeighbourKernels::load(context, device))
    }

    /// The kernel that scores pairs.
    pub(super) fn load_score(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ScoreKernel> {
        first_time(&self.score, || ScoreKernel::load(context, device))
    }

    /// The kernels of clustering.
    pub(super) fn load_cluster(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ClusterKernels> {
        first_time(&self.cluster, || ClusterKernels::load(context, device))
    }

    /// The kernels of relational operators.
    pub(super) fn load_relation(&self, context: &Arc<CudaContext>, device: &str) -> Result<&RelationKernels> {
        first_time(&self.relation, || RelationKernels::load(context, device))
    }

    /// The kernels of closures over components.
    pub(super) fn load_closure(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ClosureKernels> {
        first_time(&self.closure, || ClosureKernels::load(context, device))
    }

    fn scan(&self, by_descent: bool) -> Result<&CudaFunction> {
        if !by_descent {
            return Ok(&self.scan);
        }
        self.descent.get().ok_or_else(|| Error::Internal("the kernels for recursion are not loaded".into()))
    }
}

/// What was loaded before, or is loaded now. Whoever was first has loaded the same.
fn first_time<T>(loaded: &OnceLock<T>, load: impl FnOnce() -> Result<T>) -> Result<&T> {
    match loaded.get() {
        Some(kernels) => Ok(kernels),
        None => load().map(|kernels| loaded.get_or_init(|| kernels)),
    }
}

/// How many multiprocessors a GPU has.
fn n_multiprocessors(context: &CudaContext, device: &str) -> Result<u32> {
    let asked = context.attribute(N_MULTIPROCESSORS);
    asked.map(|n| n as u32).map_err(|error| driver::failed(device, "asking for its sizes", error))
}

/// As many blocks as so many multiprocessors have room for at once.
fn filling(kernel: &CudaFunction, n_multiprocessors: u32, threads: u32, shared_words: u32) -> LaunchConfig {
    let one = one_block(threads, shared_words);
    let shared_bytes = one.shared_mem_bytes as usize;
    let fitting = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, shared_bytes, None);
    // What does not fit is said by the launch.
    let n_blocks = n_multiprocessors * fitting.unwrap_or(1).max(1);
    LaunchConfig { grid_dim: (n_blocks, 1, 1), ..one }
}

/// A block that is alone.
fn one_block(threads: u32, shared_words: u32) -> LaunchConfig {
    let shared_mem_bytes = shared_words * size_of::<u32>() as u32;
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}

fn load_module(context: &Arc<CudaContext>, device: &str, ptx: &str) -> Result<Arc<CudaModule>> {
    context.load_module(Ptx::from_src(ptx)).map_err(|error| {
        driver::failed(device, "compiling the kernels (is the driver older than CUDA 12?)", error)
    })
}

fn load(context: &Arc<CudaContext>, device: &str, ptx: &str) -> Result<CudaFunction> {
    let module = load_module(context, device, ptx)?;
    let lacks = |_| Error::Internal("the kernels lack `hyperblock_scan`".into());
    module.load_function("hyperblock_scan").map_err(lacks)
}

#[cfg(test)]
mod tests {
    use super::{PTX, closure, cluster, listed, neighbours, overlap, relation, score};
    use hyperblock_shared::layout::{
        DeviceClosure, DeviceColumns, DeviceForest, DeviceMatrix, DeviceNeighbours, DeviceOverlap,
        DeviceSlice, DeviceSweep,
    };

    /// The parameters of a kernel, as its PTX declares them.
    fn parameters(ptx: &str, kernel: &str) -> Vec<String> {
        let (_, entry) = ptx.split_once(&format!(".visible .entry {kernel}(")).expect("the kernel is there");
        let (parameters, _) = entry.split_once(')').expect("its parameters end");
        parameters
            .split(',')
            .map(|parameter| {
                parameter.split_whitespace().filter(|word| *word != ".param").collect::<String>()
            })
            .map(|parameter| {
                let parameter = parameter.replace(&format!("{kernel}_param_"), "");
                parameter.replace(".ptr.align1", "").replace(".ptr.align8", "")
            })
            .collect()
    }

    fn by_value<T>(ix: usize) -> String {
        format!(".align8.b8{ix}[{}]", size_of::<T>())
    }

    /// path, path_len, results, capacity, n_found, scratch, scratch_words
    fn rest(first: usize) -> Vec<String> {
        let types = ["u64", "u64", "u64", "u32", "u64", "u64", "u32"];
        (first..).zip(types).map(|(ix, kind)| format!(".{kind}{ix}")).collect()
    }

    #[test]
    fn the_scan_takes_what_is_handed_over() {
        let own = vec![by_value::<DeviceColumns>(0), by_value::<DeviceSweep>(1)];
        assert_eq!(parameters(PTX, "hyperblock_scan"), [own, rest(2)].concat());
    }

    #[test]
    fn what_is_listed_is_taken_as_it_is_handed_over() {
        let own = vec![
            by_value::<DeviceColumns>(0),
            by_value::<DeviceSweep>(1),
            by_value::<DeviceSlice>(2),
            by_value::<DeviceSlice>(3),
        ];
        assert_eq!(parameters(listed::PTX, "hyperblock_listed"), [own, rest(4)].concat());
    }

    #[test]
    fn neighbourhoods_take_what_is_handed_over() {
        for kernel in ["count", "write"] {
            let own = parameters(neighbours::PTX, &format!("hyperblock_neighbours_{kernel}"));
            assert_eq!(own, [by_value::<DeviceNeighbours>(0)]);
        }
    }

    #[test]
    fn scores_are_taken_as_they_are_handed_over() {
        let own = vec![
            by_value::<DeviceColumns>(0),
            by_value::<DeviceSlice>(1),
            by_value::<DeviceSlice>(2),
            ".u323".to_owned(),
            by_value::<DeviceSlice>(4),
            ".u645".to_owned(),
            ".u326".to_owned(),
        ];
        assert_eq!(parameters(score::PTX, "hyperblock_score"), own);
    }

    #[test]
    fn the_overlap_join_takes_what_is_handed_over() {
        for kernel in ["count", "fill", "measure", "probe", "dense"] {
            let own = parameters(overlap::PTX, &format!("hyperblock_overlap_{kernel}"));
            assert_eq!(own, [by_value::<DeviceOverlap>(0)]);
        }
        for (kernel, n) in [("totals", 2), ("starts", 1), ("spread", 2)] {
            let own = parameters(overlap::PTX, &format!("hyperblock_overlap_{kernel}"));
            assert_eq!(own, (0..n).map(by_value::<DeviceSlice>).collect::<Vec<_>>());
        }
    }

    #[test]
    fn clustering_takes_what_is_handed_over() {
        for (kernels, own) in [
            (&["begin", "hook", "compress", "choose", "mark"], by_value::<DeviceForest>(0)),
            (&["connect", "diagonal", "cross", "rest", "firsts"], by_value::<DeviceMatrix>(0)),
        ] {
            for kernel in kernels {
                let taken = parameters(cluster::PTX, &format!("hyperblock_cluster_{kernel}"));
                assert_eq!(taken, [own.as_str()]);
            }
        }
    }

    #[test]
    fn closures_take_what_is_handed_over() {
        for kernel in ["own", "rows", "count", "sum", "write"] {
            let own = parameters(closure::PTX, &format!("hyperblock_closure_{kernel}"));
            assert_eq!(own, [by_value::<DeviceClosure>(0)]);
        }
    }

    #[test]
    fn relational_operators_take_what_is_handed_over() {
        let kernels = [
            ("histogram", 2, true),
            ("totals", 2, false),
            ("narrow_starts", 1, false),
            ("spread", 2, false),
            ("scatter", 3, true),
            ("starts", 2, false),
            ("mark", 4, false),
            ("compact", 4, false),
            ("split", 3, false),
            ("count", 4, false),
            ("merge", 5, false),
            ("index", 3, false),
            ("fill", 2, false),
            ("deduplicate", 5, true),
            ("measure", 5, false),
            ("join", 6, true),
        ];
        for (kernel, n_slices, has_number) in kernels {
            let own = parameters(relation::PTX, &format!("hyperblock_relation_{kernel}"));
            let mut expected: Vec<_> = (0..n_slices).map(by_value::<DeviceSlice>).collect();
            expected.extend(has_number.then(|| format!(".u64{n_slices}")));
            assert_eq!(own, expected, "{kernel}");
        }
    }
}
