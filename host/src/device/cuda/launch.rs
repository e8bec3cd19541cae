//! Launches: safe, typed functions. Nothing else hands arguments to the device.
//!
//! A [`Kernel`] takes one struct of `layout`, and launching it is unsafe: the struct has addresses. The files below make
//! those structs, or take them from who holds the arrays, and say why each launch is sound.

#![expect(unsafe_code, reason = "a launch hands raw addresses to the device")]

mod baselines;
mod closure;
mod cluster;
mod decide;
mod elements;
mod file;
mod join;
mod listed;
mod listing;
mod neighbours;
mod overlap;
mod prepared;
mod relation;
mod residual;
mod scan;
mod score;

pub(super) use baselines::{BaselineKernels, BaselineLaunches};
pub(super) use closure::{ClosureKernels, ClosureLaunches};
pub(super) use cluster::{ClusterKernels, ForestLaunches, MatrixLaunches};
pub(super) use decide::Decide;
pub(super) use elements::{ElementKernels, ElementLaunches};
pub(super) use join::{JoinKernels, Launches, THREADS, TILE_ROWS};
pub(super) use listed::{LISTED_THREADS, ListedKernel, launch_listed};
pub(super) use listing::{ListingKernels, ListingLaunches};
pub(super) use neighbours::{NeighbourKernels, NeighbourLaunches, OrderLaunches};
pub(super) use overlap::{OverlapKernels, OverlapLaunches};
pub(super) use relation::{MERGE_TILE, RELATION_THREADS, RelationKernels, RelationLaunches, SORT_TILE};
pub(super) use residual::{RESIDUAL_THREADS, ResidualKernel, launch_residual};
pub(super) use scan::{ScanBlocks, launch_scan};
pub(super) use score::{SCORE_THREADS, ScoreBuffers, ScoreKernel, launch_score};

use super::{Cuda, driver};
use crate::base::error::{Error, Result};
use crate::plan::WalkChoice;
use bytemuck::Pod;
use cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT as N_MULTIPROCESSORS;
use cudarc::driver::sys::CUlimit;
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, DeviceRepr, LaunchConfig, PushKernelArg};
use file::{KernelFile, kernel_file};
use hyperblock_shared::layout::DeviceScan;
use hyperblock_shared::score::Wanted;
use score::ScoreKernels;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// The kernels as `cargo xtask device` built them, packed.
pub(super) const SCAN: KernelFile = kernel_file!("kernels");
/// The kernels that decide pairs, with paths walked by recursion.
const DESCENT: KernelFile = kernel_file!("descent");
/// The same, with the steps of paths counted.
const COUNTED: KernelFile = kernel_file!("counted");

/// Bytes of stack that a thread needs to walk a path by recursion: a frame of some hundred for each predicate of a rule.
const DESCENT_STACK: usize = 16 << 10;

/// The loaded kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    scan: ByWay<Kernel<DeviceScan>>,
    /// Rarely wanted, and the driver takes its time to compile it.
    descent: OnceLock<Arc<CudaModule>>,
    counted: OnceLock<Arc<CudaModule>>,
    /// Of no use where no rule has an equality.
    join: OnceLock<JoinKernels>,
    residual: ByWay<ResidualKernel>,
    /// Of no use where no similarity is joined.
    overlap: OnceLock<OverlapKernels>,
    elements: OnceLock<ElementKernels>,
    listed: ByWay<ListedKernel>,
    /// Of no use where tables are small.
    listing: OnceLock<ListingKernels>,
    /// Of no use where there are no neighbourhoods.
    neighbours: OnceLock<NeighbourKernels>,
    /// Of no use where nothing is scored.
    score: ScoreKernels,
    /// Of no use where pairs are all that is wanted.
    cluster: OnceLock<ClusterKernels>,
    /// Of no use where nothing is closed.
    relation: OnceLock<RelationKernels>,
    closure: OnceLock<ClosureKernels>,
    /// Of no use but to compare with.
    baselines: OnceLock<BaselineKernels>,
}

/// A kernel that decides pairs, for each way to walk their paths.
type ByWay<K> = [OnceLock<K>; 3];

/// A kernel, and the struct that it takes: one, by value.
struct Kernel<A> {
    function: CudaFunction,
    takes: PhantomData<fn(A)>,
}

/// The struct, handed over as it is.
#[repr(transparent)]
struct ByValue<A>(A);

// SAFETY: a `Pod` is its bytes, and those of `layout` have the layout that the kernels were built with.
unsafe impl<A: Pod> DeviceRepr for ByValue<A> {}

impl<A: Pod> Kernel<A> {
    /// Looks a kernel up. That the one of this name takes an `A` is for who asks to know; a test compares their sizes.
    fn find(module: &Arc<CudaModule>, name: &str) -> Result<Self> {
        let lacks = |_| Error::Internal(format!("the kernels lack `{name}`"));
        Ok(Self { function: module.load_function(name).map_err(lacks)?, takes: PhantomData })
    }

    /// As many blocks as so many multiprocessors have room for at once.
    fn filling(&self, n_multiprocessors: u32, threads: u32, shared_words: u32) -> LaunchConfig {
        let one = one_block(threads, shared_words);
        let shared_bytes = one.shared_mem_bytes as usize;
        let fitting =
            self.function.occupancy_max_active_blocks_per_multiprocessor(threads, shared_bytes, None);
        // What does not fit is said by the launch.
        let n_blocks = n_multiprocessors * fitting.unwrap_or(1).max(1);
        LaunchConfig { grid_dim: (n_blocks, 1, 1), ..one }
    }

    /// Starts the kernel; the stream's order makes later copies wait for it.
    ///
    /// # Safety
    /// As for [`Self::launch_with`], and it takes no addresses.
    unsafe fn launch(&self, gpu: &Cuda, config: LaunchConfig, arguments: A, doing: &str) -> Result<()> {
        // SAFETY: who calls this has seen to what `launch_with` wants.
        unsafe { self.launch_with(gpu, config, arguments, &[], doing) }
    }

    /// The same, for a kernel that takes some addresses once more: those of arrays of the struct that it reads most. The
    /// compiler only knows pointers that are parameters of their own to be of device memory.
    ///
    /// # Safety
    /// The arrays of `arguments` are memory of this GPU until the stream is past the launch, and are as `layout` says that
    /// this kernel wants them: as large as it reads and writes, in the state that it expects, and none that it writes is
    /// another one of them. The blocks are as its file in `device` says. The addresses are those that it takes.
    unsafe fn launch_with(
        &self,
        gpu: &Cuda,
        config: LaunchConfig,
        arguments: A,
        addresses: &[u64],
        doing: &str,
    ) -> Result<()> {
        let arguments = ByValue(arguments);
        let mut launch = gpu.stream.launch_builder(&self.function);
        launch.arg(&arguments);
        for address in addresses {
            launch.arg(address);
        }
        // SAFETY: the kernel takes one `A` and these addresses, and what it does with its arrays is sound, as who calls this
        // has seen to.
        unsafe { launch.launch(config) }.map(drop).map_err(gpu.failed(doing))
    }
}

impl<A> fmt::Debug for Kernel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.function.fmt(f)
    }
}

impl Kernels {
    /// Hands the kernels that every job needs to the driver.
    pub(super) fn load(context: &Arc<CudaContext>, device: &str) -> Result<Self> {
        let kernels = Self {
            scan: Default::default(),
            descent: OnceLock::new(),
            counted: OnceLock::new(),
            join: OnceLock::new(),
            residual: Default::default(),
            overlap: OnceLock::new(),
            elements: OnceLock::new(),
            listed: Default::default(),
            listing: OnceLock::new(),
            neighbours: OnceLock::new(),
            score: ScoreKernels::default(),
            cluster: OnceLock::new(),
            relation: OnceLock::new(),
            closure: OnceLock::new(),
            baselines: OnceLock::new(),
        };
        kernels.load_scan(context, device, WalkChoice::StepByStep)?;
        Ok(kernels)
    }

    /// The file that a kernel which decides pairs is in: its `own`, or that of another way to walk.
    fn file(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
        own: KernelFile,
        walk: WalkChoice,
    ) -> Result<Arc<CudaModule>> {
        match walk {
            WalkChoice::StepByStep => own.load(context, device),
            WalkChoice::Counted => first_time(&self.counted, || COUNTED.load(context, device)).cloned(),
            WalkChoice::ByDescent => {
                let stack = context.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, DESCENT_STACK);
                stack.map_err(|error| driver::failed(device, "making room for a stack", error))?;
                first_time(&self.descent, || DESCENT.load(context, device)).cloned()
            }
        }
    }

    /// The scan.
    fn load_scan(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
        walk: WalkChoice,
    ) -> Result<&Kernel<DeviceScan>> {
        first_time(&self.scan[walk as usize], || {
            Kernel::find(&self.file(context, device, SCAN, walk)?, "hyperblock_scan")
        })
    }

    /// The kernels of joins.
    pub(super) fn load_join(&self, context: &Arc<CudaContext>, device: &str) -> Result<&JoinKernels> {
        first_time(&self.join, || JoinKernels::load(context, device))
    }

    /// The kernel of joins that decide their pairs.
    fn load_residual(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
        walk: WalkChoice,
    ) -> Result<&ResidualKernel> {
        first_time(&self.residual[walk as usize], || {
            ResidualKernel::find(&self.file(context, device, residual::FILE, walk)?, context, device)
        })
    }

    /// The kernels of overlap joins.
    pub(super) fn load_overlap(&self, context: &Arc<CudaContext>, device: &str) -> Result<&OverlapKernels> {
        first_time(&self.overlap, || OverlapKernels::load(context, device))
    }

    /// The kernels that make their values.
    pub(super) fn load_elements(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ElementKernels> {
        first_time(&self.elements, || ElementKernels::load(context, device))
    }

    /// The kernel that decides what they find.
    fn load_listed(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
        walk: WalkChoice,
    ) -> Result<&ListedKernel> {
        first_time(&self.listed[walk as usize], || {
            ListedKernel::find(&self.file(context, device, listed::FILE, walk)?, context, device)
        })
    }

    /// The kernels of keys and lists.
    pub(super) fn load_listing(&self, context: &Arc<CudaContext>, device: &str) -> Result<&ListingKernels> {
        first_time(&self.listing, || ListingKernels::load(context, device))
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
    pub(super) fn load_score(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
        wanted: Wanted,
    ) -> Result<&ScoreKernel> {
        self.score.load(context, device, wanted)
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

    /// The kernels of baselines.
    pub(super) fn load_baselines(
        &self,
        context: &Arc<CudaContext>,
        device: &str,
    ) -> Result<&BaselineKernels> {
        first_time(&self.baselines, || BaselineKernels::load(context, device))
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

/// A block that is alone.
fn one_block(threads: u32, shared_words: u32) -> LaunchConfig {
    let shared_mem_bytes = shared_words * size_of::<u32>() as u32;
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}

#[cfg(test)]
mod tests {
    use super::{
        COUNTED, DESCENT, KernelFile, SCAN, baselines, closure, cluster, elements, join, listed, listing,
        neighbours, overlap, relation, residual, score,
    };
    use hyperblock_shared::layout::{
        DeviceAlike, DeviceBucketPass, DeviceBuckets, DeviceClosure, DeviceCompact, DeviceDeduplicate,
        DeviceFill, DeviceForest, DeviceGbase, DeviceGrams, DeviceGroups, DeviceGsh, DeviceGshStarts,
        DeviceGssjoin, DeviceHistogram, DeviceIndexing, DeviceJoin, DeviceKeys, DeviceListed, DeviceLists,
        DeviceMark, DeviceMatrix, DeviceMeasure, DeviceNeighbours, DeviceOrder, DeviceOverlap, DevicePack,
        DevicePass, DeviceProject, DeviceProjection, DeviceReach, DeviceResidual, DeviceScan, DeviceScatter,
        DeviceScores, DeviceSplit, DeviceStarts, DeviceSums, DeviceUnion, DeviceUnionCount, DeviceUnpack,
        DeviceValued, DeviceWideJoin,
    };

    /// The kernels of a file of PTX, each with its parameters as they are declared there.
    fn entries(ptx: &str) -> Vec<(&str, String)> {
        let after = ptx.split(".visible .entry ").skip(1);
        after
            .map(|text| {
                let (name, rest) = text.split_once('(').expect("parameters follow a name");
                let (parameters, _) = rest.split_once(')').expect("parameters end");
                let parameters = parameters.split_whitespace().collect::<Vec<_>>().join(" ");
                // How pointers are aligned is for the compiler to find out.
                (name, parameters.replace(" .ptr .align 1", "").replace(" .ptr .align 8", ""))
            })
            .collect()
    }

    /// Asserts that a file of PTX has these kernels and no others, and that each takes one struct of this size.
    #[track_caller]
    fn check(file: KernelFile, prefix: &str, kernels: &[(&str, usize)]) {
        check_with(file, prefix, kernels, 0);
    }

    /// The same, with so many addresses after the struct.
    #[track_caller]
    fn check_with(file: KernelFile, prefix: &str, kernels: &[(&str, usize)], n_addresses: usize) {
        let taken = |&(name, size): &(&str, usize)| {
            let name = format!("{prefix}{name}");
            let mut parameters = format!(".param .align 8 .b8 {name}_param_0[{size}]");
            for ix in 1..=n_addresses {
                parameters += &format!(", .param .u64 {name}_param_{ix}");
            }
            (name, parameters)
        };
        let mut expected: Vec<_> = kernels.iter().map(taken).collect();
        let ptx = file.ptx().unwrap();
        let mut found: Vec<_> = entries(&ptx).into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_decides_pairs_takes_what_is_handed_over() {
        // And the path and the scratch once more.
        check_with(SCAN, "hyperblock_", &[("scan", size_of::<DeviceScan>())], 2);
        check_with(residual::FILE, "hyperblock_", &[("residual", size_of::<DeviceResidual>())], 2);
        check_with(listed::FILE, "hyperblock_", &[("listed", size_of::<DeviceListed>())], 2);
        let all = [
            ("scan", size_of::<DeviceScan>()),
            ("residual", size_of::<DeviceResidual>()),
            ("listed", size_of::<DeviceListed>()),
        ];
        check_with(DESCENT, "hyperblock_", &all, 2);
        check_with(COUNTED, "hyperblock_", &all, 2);
        for (file, name) in [(score::MEAN, "mean"), (score::PATTERN, "pattern"), (score::WEIGHT, "weight")] {
            check_with(file, "hyperblock_", &[(name, size_of::<DeviceScores>())], 1);
        }
    }

    #[test]
    fn the_join_takes_what_is_handed_over() {
        let (join, pass) = (size_of::<DeviceJoin>(), size_of::<DevicePass>());
        let kernels = [
            ("sample", join),
            ("select", join),
            ("count", pass),
            ("starts", pass),
            ("partition", pass),
            ("light_count", join),
            ("light_count_self", join),
            ("light_pairs", join),
            ("light_pairs_self", join),
            ("products", join),
            ("heavy", join),
        ];
        check(join::FILE, "hyperblock_join_", &kernels);
    }

    #[test]
    fn baselines_take_what_is_handed_over() {
        let gbase = ["gbase_count", "gbase_pairs"].map(|name| (name, size_of::<DeviceGbase>()));
        let gsh =
            ["list", "detect", "measure", "divide", "normal_count", "normal_pairs", "products", "skewed"];
        let gsh = gsh.map(|name| (name, size_of::<DeviceGsh>()));
        let gssjoin = ["count_postings", "fill_postings", "scored_count", "scored_pairs"];
        let gssjoin = gssjoin.map(|name| (name, size_of::<DeviceGssjoin>()));
        let others = [
            ("begin", size_of::<DeviceBuckets>()),
            ("partition", size_of::<DeviceBucketPass>()),
            ("starts", size_of::<DeviceGshStarts>()),
            ("wide_join", size_of::<DeviceWideJoin>()),
            ("project", size_of::<DeviceProject>()),
        ];
        let kernels = [gbase.as_slice(), &gsh, &gssjoin, &others].concat();
        check(baselines::FILE, "hyperblock_baselines_", &kernels);
    }

    #[test]
    fn neighbourhoods_take_what_is_handed_over() {
        let near = ["count", "write"].map(|name| (name, size_of::<DeviceNeighbours>()));
        let orders = ["place", "order"].map(|name| (name, size_of::<DeviceOrder>()));
        check(neighbours::FILE, "hyperblock_neighbours_", &[near, orders].concat());
    }

    #[test]
    fn what_makes_elements_takes_what_is_handed_over() {
        let grams = ["counts", "number", "used", "rank", "place", "take"];
        let grams = grams.map(|name| (name, size_of::<DeviceGrams>()));
        let alike = ["runs", "same", "shared"].map(|name| (name, size_of::<DeviceAlike>()));
        let values = [("values", size_of::<DeviceValued>()), ("groups", size_of::<DeviceGroups>())];
        check(elements::FILE, "hyperblock_elements_", &[grams.as_slice(), &alike, &values].concat());
    }

    #[test]
    fn what_makes_lists_takes_what_is_handed_over() {
        let keys = ["number", "count", "kinds", "deal"].map(|name| (name, size_of::<DeviceKeys>()));
        let lists =
            ["place", "lens", "groups", "begin", "items"].map(|name| (name, size_of::<DeviceLists>()));
        let reach = [("reach", size_of::<DeviceReach>())];
        check(listing::FILE, "hyperblock_listing_", &[keys.as_slice(), &lists, &reach].concat());
    }

    #[test]
    fn the_overlap_join_takes_what_is_handed_over() {
        let own =
            ["count", "fill", "measure", "probe", "dense"].map(|name| (name, size_of::<DeviceOverlap>()));
        let sums = ["totals", "starts", "spread"].map(|name| (name, size_of::<DeviceSums>()));
        check(overlap::FILE, "hyperblock_overlap_", &[own.as_slice(), &sums].concat());
    }

    #[test]
    fn clustering_takes_what_is_handed_over() {
        let forest = ["begin", "hook", "compress", "choose", "mark"];
        let matrix = ["connect", "diagonal", "cross", "rest", "firsts"];
        let forest = forest.map(|name| (name, size_of::<DeviceForest>()));
        let matrix = matrix.map(|name| (name, size_of::<DeviceMatrix>()));
        check(cluster::FILE, "hyperblock_cluster_", &[forest, matrix].concat());
    }

    #[test]
    fn closures_take_what_is_handed_over() {
        let kernels = ["own", "rows", "count", "sum", "write"].map(|name| (name, size_of::<DeviceClosure>()));
        check(closure::FILE, "hyperblock_closure_", &kernels);
    }

    #[test]
    fn relational_operators_take_what_is_handed_over() {
        let kernels = [
            ("histogram", size_of::<DeviceHistogram>()),
            ("totals", size_of::<DeviceSums>()),
            ("narrow_starts", size_of::<DeviceSums>()),
            ("spread", size_of::<DeviceSums>()),
            ("scatter", size_of::<DeviceScatter>()),
            ("starts", size_of::<DeviceStarts>()),
            ("mark", size_of::<DeviceMark>()),
            ("compact", size_of::<DeviceCompact>()),
            ("pack", size_of::<DevicePack>()),
            ("rules", size_of::<DeviceUnpack>()),
            ("pairs", size_of::<DeviceUnpack>()),
            ("kept", size_of::<DeviceUnpack>()),
            ("split", size_of::<DeviceSplit>()),
            ("count", size_of::<DeviceUnionCount>()),
            ("merge", size_of::<DeviceUnion>()),
            ("index", size_of::<DeviceIndexing>()),
            ("fill", size_of::<DeviceFill>()),
            ("deduplicate", size_of::<DeviceDeduplicate>()),
            ("measure", size_of::<DeviceMeasure>()),
            ("join", size_of::<DeviceProjection>()),
        ];
        check(relation::FILE, "hyperblock_relation_", &kernels);
    }

    /// What the header of an ELF says of the GPU that it is for: the N of sm_N. Later ones have it elsewhere.
    fn architecture(elf: &[u8]) -> Option<i32> {
        const CUDA: [u8; 2] = 190u16.to_le_bytes();
        let is_code = elf.starts_with(b"\x7fELF") && elf.get(18..20)? == CUDA;
        let version = elf.get(8).filter(|_| is_code)?;
        Some(i32::from(*elf.get(if *version < 8 { 48 } else { 49 })?))
    }

    #[test]
    fn machine_code_has_the_kernels_of_its_ptx() {
        let files = [
            ("scan", SCAN),
            ("join", join::FILE),
            ("residual", residual::FILE),
            ("overlap", overlap::FILE),
            ("elements", elements::FILE),
            ("listed", listed::FILE),
            ("listing", listing::FILE),
            ("neighbours", neighbours::FILE),
            ("mean", score::MEAN),
            ("pattern", score::PATTERN),
            ("weight", score::WEIGHT),
            ("cluster", cluster::FILE),
            ("closure", closure::FILE),
            ("relation", relation::FILE),
        ];
        for (name, file) in files {
            let ptx = file.ptx().unwrap();
            for gpu in [(7, 0), (7, 5), (8, 0), (9, 0), (10, 0), (12, 0)] {
                // Of kernels that were built since there is none yet.
                let Some(code) = file.machine_code(gpu).unwrap() else { continue };
                assert_eq!(file.serving(gpu), Some(gpu), "{name}");
                assert_eq!(architecture(&code), Some(10 * gpu.0 + gpu.1), "{name}");
                let has =
                    |section: String| code.windows(section.len()).any(|bytes| bytes == section.as_bytes());
                for (kernel, _) in entries(&ptx) {
                    assert!(has(format!("\0.text.{kernel}\0")), "{name} lacks {kernel} for {gpu:?}");
                }
            }
        }
        // Only who looks at a job or measures variants needs these.
        let rare = [DESCENT, COUNTED, baselines::FILE];
        assert!(rare.iter().all(|file| file.machine_code.is_empty()));
    }
}
