//! The kernels of a closure over components on CPU threads, one after the other as `cuda::condensed` launches
//! them, with small parts: so few targets make several.

use super::join::{Checked, plain};
use super::{KernelOnThreads, Thread, UNWRITTEN, atomics, launch};
use hyperblock::operators::closure::{Condensed, Levels, Piece, Wanted};
use hyperblock_device::closure as kernels;
use hyperblock_shared::layout::{COLUMN_SOURCES, ClosureSizes, GROUP_SOURCES, Quad, Target, WARP};
use std::ops::Range;

/// Targets of a part.
const PART: u32 = 64;

/// What some sources reach; none, if the result buffer holds too little for a group of them.
pub(super) fn condensed(
    device: &KernelOnThreads,
    condensed: &Condensed,
    sources: Range<u32>,
    wanted: Wanted,
) -> Option<Piece> {
    let launch = |body: &(dyn Fn(&Thread<'_>) + Sync)| {
        launch(device.n_blocks, device.threads_per_block, 0, body);
    };
    let n_nodes = condensed.components.len() as u32;
    let n_sources = sources.end - sources.start;
    let mut sizes = ClosureSizes {
        first_source: sources.start,
        n_sources,
        row_words: n_sources.next_multiple_of(COLUMN_SOURCES) / WARP,
        part: PART,
        n_parts: n_nodes.div_ceil(PART),
        ..ClosureSizes::default()
    };
    let Levels { starts: levels, predecessor_starts, predecessors, places } = condensed.levels();
    let is_apart = |node: u32| !condensed.is_cyclic[condensed.components[node as usize] as usize];
    let target = |node: u32| Target { place: places[node as usize], is_apart: is_apart(node) }.word();
    let targets: Vec<u32> = (0..n_nodes).map(target).collect();

    let rows = atomics(condensed.n_components() * sizes.row_words, 0);
    launch(&|thread| kernels::own(thread, &targets, &rows, &sizes));
    launch(&|thread| kernels::rows(thread, &levels, [&predecessor_starts, &predecessors], &rows, &sizes));
    let words = plain(&rows);
    let quads: Vec<Quad> = words.chunks(4).map(|four| Quad(four.try_into().expect("whole quads"))).collect();

    let turned = kernels::Turned { targets: &targets, rows: &quads, sizes };
    let counts = atomics(n_sources * sizes.n_parts, UNWRITTEN);
    let totals = atomics(n_sources, UNWRITTEN);
    launch(&|thread| kernels::count(thread, &turned, &counts));
    launch(&|thread| kernels::sum(thread, &sizes, &counts, &totals));
    let (counts, totals) = (plain(&counts), plain(&totals));
    assert!(!counts.contains(&UNWRITTEN) && !totals.contains(&UNWRITTEN), "all is counted");

    let starts: Vec<u64> =
        totals.iter().scan(0, |sum, total| Some(std::mem::replace(sum, *sum + u64::from(*total)))).collect();
    let n_tuples = totals.iter().copied().map(u64::from).sum();
    let start_of = |group: u32| starts.get((group * GROUP_SOURCES) as usize).copied().unwrap_or(n_tuples);
    let mut tuples = Vec::new();
    // A group at a time, into a buffer that holds no more.
    for group in 0..sizes.n_groups() {
        let n = start_of(group + 1) - start_of(group);
        if n > u64::from(device.result_capacity) {
            return None;
        }
        (sizes.first_group, sizes.end_group) = (group, group + 1);
        let turned = kernels::Turned { sizes, ..turned };
        let written = Checked::new(n as usize, false);
        let first = start_of(group);
        launch(&|thread| kernels::write(thread, &turned, &counts, &starts, first, &written));
        tuples.extend(written.written());
    }
    if !wanted.tuples {
        tuples.clear();
    }
    Some(Piece { n_tuples, tuples, ..Piece::default() })
}
