//! Our closure on the CPU beside DuckDB's recursive query, and beside Ascent, a Datalog in Rust.
//!
//! All get the same edges, all use as many threads as the machine has, and all must count the tuples that are known. DuckDB is
//! installed from PyPI, and Ascent built from crates.io, each to a folder of its own in the build folder; `closure_peers.py`
//! and `xtask/peers/ascent.rs` say how they are asked. One that takes too long or too much memory is said to.

use super::closure::{GRAPHS, read};
use super::graph_args::ClosurePeersArgs;
use super::measure::Times;
use super::peers::{self, Seen};
use super::scan::open;
use crate::cargo::{at_root, run as run_command, target};
use crate::python::environment;
use crate::record;
use crate::replace::replace;
use anyhow::{Context, Result, bail, ensure};
use hyperblock::Control;
use hyperblock::graph::closure::{Options, run_loaded};
use hyperblock::operators::Backend;
use hyperblock::operators::closure::{ClosureMethod, Rounds, Wanted};
use hyperblock::read::edges::Graph;
use std::io::Write;
use std::path::{Path, PathBuf};

const SCRIPT: &str = concat!(include_str!("limited.py"), include_str!("closure_peers.py"));
const ASCENT: &str = include_str!("../../peers/ascent.rs");
const ASCENT_VERSION: &str = "0.8.1";
const RUNS: usize = 3;

/// The other programs, ready to be run.
struct Peers {
    python: PathBuf,
    ascent: PathBuf,
}

pub(super) fn run(args: &ClosurePeersArgs) -> Result<()> {
    let devices = open(&args.on.device)?;
    let peers = Peers { python: environment("closure-peers", &["duckdb", "numpy"])?, ascent: built()? };
    let mut lines = vec!["graph,edges,tuples,program,runs,median_s,ratio,seen".to_owned()];
    for (name, n_tuples, _) in GRAPHS {
        if !args.graph.is_empty() && !args.graph.iter().any(|asked| asked == name) {
            continue;
        }
        let Some(graph) = read(name)? else { continue };
        println!("{name}: {} edges, {n_tuples} tuples", graph.edges.len());
        let mut ours = None;
        for device in &devices {
            let times = measured(&**device, &graph, n_tuples)?;
            ours = ours.or(Some(times.median()));
            let program = format!("hyperblock {}", device.name());
            tell(name, &graph, n_tuples, (&program, &Seen::Times(times)), None, &mut lines);
        }
        for (program, seen) in peers.run(&graph, n_tuples, args)? {
            tell(name, &graph, n_tuples, (&program, &seen), ours, &mut lines);
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "closure-peers", &lines),
        None => Ok(()),
    }
}

fn measured(device: &dyn Backend, graph: &Graph, n_tuples: u64) -> Result<Times> {
    let loaded = device.load_graph(graph)?;
    let (method, rounds) = (ClosureMethod::default(), Rounds::default());
    let options = Options { method, rounds, wanted: Wanted { tuples: false } };
    Times::of(|| {
        let found = run_loaded(&*loaded, graph, &options, &Control::default(), &mut |_| Ok(()))?.n_tuples;
        ensure!(found == n_tuples, "we find {found} tuples, but {n_tuples} are right");
        Ok(())
    })
}

fn tell(
    name: &str,
    graph: &Graph,
    n_tuples: u64,
    (program, seen): (&str, &Seen),
    ours: Option<f64>,
    lines: &mut Vec<String>,
) {
    let start = format!("{name},{},{n_tuples},{program}", graph.edges.len());
    match seen {
        Seen::Times(times) => {
            let ratio = ours.map_or_else(String::new, |ours| format!("{:.3}", times.median() / ours));
            println!("  {program:32} {:10.4} s  {ratio}", times.median());
            lines.push(format!("{start},{},{:.6},{ratio},counted", times.n_runs(), times.median()));
        }
        Seen::Nothing(why) => {
            println!("  {program:32} {why}");
            lines.push(format!("{start},0,,,{why}"));
        }
    }
}

/// Ascent's program, built in the build folder.
fn built() -> Result<PathBuf> {
    let folder = target().join("bench/ascent");
    let manifest = format!(
        "[package]\nname = \"ascent-closure\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nascent = {{ version = \"={ASCENT_VERSION}\", features = [\"par\"] }}\n\n[workspace]\n"
    );
    replace(&folder.join("Cargo.toml"), |file| file.write_all(manifest.as_bytes()))?;
    replace(&folder.join("src/main.rs"), |file| file.write_all(ASCENT.as_bytes()))?;
    let mut cargo = at_root("cargo");
    cargo.args(["build", "--release", "--quiet", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    run_command(cargo.arg("--target-dir").arg(folder.join("target")))
        .context("cannot build Ascent's program from crates.io")?;
    Ok(folder.join("target/release/ascent-closure"))
}

impl Peers {
    fn run(&self, graph: &Graph, n_tuples: u64, args: &ClosurePeersArgs) -> Result<Vec<(String, Seen)>> {
        let edges = target().join("bench/edges.bin");
        let halves = graph.edges.iter().flat_map(|edge| [(edge >> 32) as u32, *edge as u32]);
        let bytes: Vec<u8> = halves.flat_map(u32::to_le_bytes).collect();
        replace(&edges, |file| file.write_all(&bytes))?;
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        let limits = [RUNS as u32, n_threads as u32, args.most_seconds, args.most_gigabytes];
        let mut script = at_root(&self.python);
        script.args(["-c", SCRIPT]).arg(&edges).args(limits.map(|limit| limit.to_string()));
        let printed = script.output()?;
        ensure!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        let duckdb = parse("duckdb", n_tuples, &String::from_utf8_lossy(&printed.stdout))?;
        Ok(vec![duckdb, self.ascent(&edges, n_tuples, args)?])
    }

    fn ascent(&self, edges: &Path, n_tuples: u64, args: &ClosurePeersArgs) -> Result<(String, Seen)> {
        let mut program = at_root("prlimit");
        program.arg(format!("--data={}", u64::from(args.most_gigabytes) * 1_000_000_000)).arg(&self.ascent);
        program.arg(edges).args([RUNS.to_string(), args.most_seconds.to_string()]);
        let ended = program.output().context("cannot start prlimit (on Debian, install util-linux)")?;
        let said = match (ended.status.success(), ended.status.code()) {
            (true, _) => String::from_utf8_lossy(&ended.stdout).into_owned(),
            // A signal: what is refused memory aborts.
            (false, None) => format!("out of memory ({} GB)\n", args.most_gigabytes),
            (false, Some(_)) => bail!("Ascent failed: {}", String::from_utf8_lossy(&ended.stderr)),
        };
        parse("ascent", n_tuples, &format!("{ASCENT_VERSION}\n{said}"))
    }
}

fn parse(program: &str, n_tuples: u64, printed: &str) -> Result<(String, Seen)> {
    peers::parse(program, n_tuples, |n| n == RUNS || n == 1, printed)
        .with_context(|| format!("what {program} printed is not as expected"))
}

#[cfg(test)]
mod tests {
    use super::{Seen, parse};

    #[test]
    fn what_is_printed_is_read() {
        let (name, seen) = parse("ascent", 7, "0.8.1\n7\n0.5 0.25 0.3\n").unwrap();
        assert!(name == "ascent 0.8.1" && matches!(seen, Seen::Times(times) if times.median() == 0.3));
        assert!(
            matches!(parse("duckdb", 7, "1\nover 9 s\n").unwrap().1, Seen::Nothing(why) if why == "over 9 s")
        );
        assert!(parse("ascent", 7, "0.8.1\n8\n0.5 0.25 0.3\n").is_err());
    }
}
