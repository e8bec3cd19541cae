//! Graphs of the data sets: sizes as their README says them, by every method on every device that is here.

use crate::set;
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda;
use hyperblock::device::cuda::Cuda;
use hyperblock::graph::closure;
use hyperblock::operators::Backend;
use hyperblock::read::edges::EdgeList;
use hyperblock_tests::closures::all_methods;
use libtest_mimic::{Failed, Trial};
use std::path::PathBuf;

/// Name, lines, distinct edges, nodes, closure.
const GRAPHS: [(&str, u64, usize, u32, u64); 4] = [
    ("OL.cedge", 7_035, 7_029, 6_105, 146_120),
    ("cal.cedge", 21_693, 21_693, 21_048, 501_755),
    ("wing", 121_544, 121_544, 62_032, 329_438),
    ("ego-Facebook", 88_234, 88_234, 4_039, 2_508_102),
];

/// Device memory that does not hold the closure of p2p-Gnutella30, which is 2.5 GB.
const LITTLE: u64 = 512 << 20;
const LARGE: (&str, u64) = ("p2p-Gnutella30", 311_129_068);

fn file(name: &str) -> PathBuf {
    set::folder().join("graphs").join(format!("{name}.tsv"))
}

/// One for each graph.
pub(crate) fn trials() -> Vec<Trial> {
    let small = GRAPHS.map(|graph| {
        let trial = Trial::test(format!("closure::{}", graph.0), move || check(graph));
        trial.with_ignored_flag(!file(graph.0).exists())
    });
    let is_here = file(LARGE.0).exists() && cuda::gpus().is_ok();
    let large = Trial::test(format!("closure_in_pieces::{}", LARGE.0), in_pieces).with_ignored_flag(!is_here);
    small.into_iter().chain([large]).collect()
}

fn check((name, n_lines, n_edges, n_nodes, n_tuples): (&str, u64, usize, u32, u64)) -> Result<(), Failed> {
    let list = EdgeList::read(&file(name), false, None, &Control::default())?;
    let sizes = (list.n_lines, list.graph.edges.len(), list.graph.n_nodes);
    if sizes != (n_lines, n_edges, n_nodes) {
        return Err(format!("lines, edges and nodes are {sizes:?}").into());
    }
    let mut devices: Vec<Box<dyn Backend>> = vec![Box::new(Cpu::new())];
    if cuda::gpus().is_ok() {
        devices.push(Box::new(Cuda::open(0)?));
    }
    for device in &devices {
        for options in all_methods() {
            let mut n_seen = 0;
            let report =
                closure::run(&**device, &list.graph, &options, &Control::default(), &mut |tuples| {
                    n_seen += tuples.len() as u64;
                    Ok(())
                })?;
            let n_wanted = if options.wanted.tuples { n_tuples } else { 0 };
            if (report.n_tuples, n_seen) != (n_tuples, n_wanted) {
                return Err(format!("{options:?} on {}: {} tuples", device.name(), report.n_tuples).into());
            }
        }
    }
    Ok(())
}

/// Where memory is too small for the whole, it goes on in pieces.
fn in_pieces() -> Result<(), Failed> {
    let (name, n_tuples) = LARGE;
    let graph = EdgeList::read(&file(name), false, None, &Control::default())?.graph;
    let device = Cuda::open(0)?.with_memory(LITTLE);
    for options in all_methods().into_iter().filter(|options| !options.wanted.tuples) {
        let report = closure::run(&device, &graph, &options, &Control::default(), &mut |_| Ok(()))?;
        if report.n_tuples != n_tuples {
            return Err(format!("{options:?}: {} tuples", report.n_tuples).into());
        }
        eprintln!("{name} by {} in {} pieces", options.method, report.n_pieces);
    }
    Ok(())
}
