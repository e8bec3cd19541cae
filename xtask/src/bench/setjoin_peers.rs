//! Our CPU backend beside py_stringsimjoin and SetSimilaritySearch, which join sets too.
//!
//! All get the same titles and must find the same pairs. The others are installed from PyPI, each to an
//! environment of its own in the build folder; `setjoin_peers.py` says how they are called. One that cannot
//! be installed, or takes too long or too much memory, is said to. What the others are timed for begins with
//! titles in memory and includes cutting them into grams, so they are compared with our whole way from there:
//! encoding, planning and the join.

use super::measure::Times;
use super::peers::{self, Seen};
use super::setjoin::data::Titles;
use super::setjoin::{rule, thresholds};
use super::{SetjoinData, SetjoinPeersArgs};
use crate::cargo::{at_root, target};
use crate::python::built;
use crate::record;
use anyhow::{Context, Result, bail, ensure};
use hyperblock::device::cpu::Cpu;
use hyperblock::{Control, Job};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCRIPT: &str =
    concat!(include_str!("limited.py"), include_str!("setjoin_peers.py"), include_str!("setjoin_main.py"));
/// Packages as Python imports them, and what they are built with. The first has no binaries for a recent
/// Python, and its sources know neither a recent setuptools nor a recent numpy.
const PROGRAMS: [(&str, &[&str]); 2] =
    [("py_stringsimjoin", &["setuptools<74", "numpy<2", "wheel"]), ("SetSimilaritySearch", &[])];
const Q: u32 = 3;
const RUNS: usize = 5;
/// What a run may take, and all of them together.
const MOST_SECONDS: u32 = 60;
const MOST_GIGABYTES: u32 = 12;
/// What is not timed: both sides begin with titles in memory.
const READING: &str = "read";
/// What is left if titles are encoded and there is a plan.
const JOINING: [&str; 2] = ["load", "scan"];

/// Pairs of rows, sorted.
type Pairs = Vec<(u32, u32)>;

/// One program on one threshold.
struct Figure {
    name: String,
    seen: Seen,
}

/// Where another program is, or why it is nowhere.
struct Peer {
    name: &'static str,
    python: Result<PathBuf>,
}

pub(super) fn run(args: &SetjoinPeersArgs) -> Result<()> {
    let peers = PROGRAMS.map(|(name, tools)| {
        let python = built(&format!("setjoin-peers-{}", name.to_lowercase()), tools, &[name]);
        Peer { name, python }
    });
    let titles = SetjoinData::Titles.make(Some(args.rows))?.context("titles are generated")?;
    let mut lines =
        vec!["threshold,program,data,rows,pairs,runs,median_s,fastest_s,slowest_s,seen".to_owned()];
    for threshold in thresholds(&args.threshold, &[0.8, 0.5]) {
        let Ours { pairs, join, whole } = ours(&titles, threshold)?;
        println!("{}, {} rows, {Q}-grams, {threshold}: {} pairs", titles.name, titles.rows, pairs.len());
        let ours = whole.median();
        let of_us = [("join alone", join), ("from titles to pairs", whole)];
        let of_us = of_us
            .map(|(part, times)| Figure { name: format!("hyperblock, {part}"), seen: Seen::Times(times) });
        let mut report = |figure: &Figure, beside: Option<f64>| {
            println!("  {}", figure.describe(beside));
            lines.push(figure.line(threshold, &titles, pairs.len()));
        };
        of_us.iter().for_each(|figure| report(figure, None));
        for peer in &peers {
            report(&theirs(peer, &titles, threshold, &pairs)?, Some(ours));
        }
    }
    match &args.save {
        Some(folder) => record::save(folder, "setjoin-peers", &lines),
        None => Ok(()),
    }
}

struct Ours {
    pairs: Pairs,
    join: Times,
    whole: Times,
}

/// The whole job, several times over.
fn ours(titles: &Titles, threshold: f64) -> Result<Ours> {
    let device = Cpu::new();
    let job = Job::dedupe(&titles.path, rule(Q, threshold)?);
    let (mut joins, mut wholes) = (Vec::new(), Vec::new());
    let mut pairs = Vec::new();
    for _ in 0..=RUNS {
        let prepared = job.prepare(&device, &Control::default())?;
        let mut found = Vec::new();
        let summary = prepared.run(&device, &Control::default(), &mut |candidates| {
            found.extend(candidates.iter().map(|candidate| (candidate.left, candidate.right)));
            Ok(())
        })?;
        let took = |wanted: &dyn Fn(&str) -> bool| -> Duration {
            summary.stages.iter().filter(|(stage, _)| wanted(stage)).map(|(_, took)| took).sum()
        };
        joins.push(took(&|stage| JOINING.contains(&stage)));
        wholes.push(took(&|stage| stage != READING));
        // Ids are written so that records are in the order of rows.
        pairs = found;
    }
    // The first run was to warm up.
    Ok(Ours { pairs, join: Times::new(joins.split_off(1)), whole: Times::new(wholes.split_off(1)) })
}

/// Runs the script over the titles.
fn theirs(peer: &Peer, titles: &Titles, threshold: f64, pairs: &[(u32, u32)]) -> Result<Figure> {
    let program = peer.name;
    let python = match &peer.python {
        Ok(python) => python,
        Err(error) => {
            let why = format!("could not be installed: {error:#}");
            return Ok(Figure { name: program.to_owned(), seen: Seen::Nothing(why) });
        }
    };
    let n_processes = std::thread::available_parallelism().map_or(1, usize::from);
    let output = target().join("bench").join("setjoin").join(format!("pairs-{program}.bin"));
    let words = [Q.to_string(), threshold.to_string(), RUNS.to_string(), n_processes.to_string()];
    let limits = [MOST_SECONDS.to_string(), MOST_GIGABYTES.to_string()];
    let mut script = at_root(python);
    script.args(["-c", SCRIPT, program]).arg(&titles.path).args(words).args(limits).arg(&output);
    let script = script.output()?;
    if !script.status.success() {
        let said = String::from_utf8_lossy(&script.stderr);
        bail!("setjoin_peers.py failed for {program} ({}):\n{said}", script.status);
    }
    let figure = parse(program, pairs.len(), &String::from_utf8_lossy(&script.stdout))
        .with_context(|| format!("what setjoin_peers.py printed for {program} is not as expected"))?;
    if matches!(figure.seen, Seen::Times(_)) {
        ensure!(read(&output)? == pairs, "{program} finds other pairs at {threshold}, though as many");
    }
    Ok(figure)
}

/// Pairs as the script writes them.
fn read(path: &Path) -> Result<Pairs> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let row = |bytes: &[u8]| bytes.iter().rev().fold(0, |row, byte| row << 8 | u32::from(*byte));
    Ok(bytes.chunks_exact(8).map(|pair| (row(&pair[..4]), row(&pair[4..]))).collect())
}

fn parse(program: &str, n_pairs: usize, printed: &str) -> Result<Figure> {
    // One that takes long is measured once.
    let (name, seen) = peers::parse(program, n_pairs as u64, |n| n == RUNS || n == 1, printed)?;
    Ok(Figure { name, seen })
}

impl Figure {
    /// Theirs, beside the seconds that we take for all of it.
    fn describe(&self, ours: Option<f64>) -> String {
        match &self.seen {
            Seen::Times(times) => format!(
                "{:32} {:9.4} s median of {}, {:.4} to {:.4}{}",
                self.name,
                times.median(),
                times.n_runs(),
                times.fastest(),
                times.slowest(),
                ours.map_or_else(String::new, |ours| format!("; {:.1} times ours", times.median() / ours)),
            ),
            Seen::Nothing(why) => format!("{:32} {why}", self.name),
        }
    }

    fn line(&self, threshold: f64, titles: &Titles, n_pairs: usize) -> String {
        let seen = match &self.seen {
            Seen::Times(times) => format!(
                "{},{:.6},{:.6},{:.6},compared",
                times.n_runs(),
                times.median(),
                times.fastest(),
                times.slowest()
            ),
            Seen::Nothing(why) => format!("0,,,,\"{}\"", why.replace('"', "'")),
        };
        format!("{threshold},\"{}\",{},{},{n_pairs},{seen}", self.name, titles.name, titles.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Peer, Seen, ours, parse, read, theirs};
    use crate::bench::SetjoinData;
    use crate::cargo::target;
    use crate::replace::replace;
    use std::io::Write;

    #[test]
    fn what_the_script_prints_is_read() {
        let titles = SetjoinData::Titles.make(Some(30)).unwrap().unwrap();
        let figure = parse("peer", 7, "1.2\n7\n0.5 0.25 0.3 0.4 0.2\n").unwrap();
        assert!(figure.describe(Some(0.1)).ends_with("; 3.0 times ours"), "{}", figure.describe(Some(0.1)));
        let line = figure.line(0.5, &titles, 7);
        assert!(line.starts_with("0.5,\"peer 1.2\","), "{line}");
        assert!(line.ends_with(",30,7,5,0.300000,0.200000,0.500000,compared"), "{line}");
        let long = parse("peer", 7, "1.2\n7\n12.5\n").unwrap();
        assert!(matches!(&long.seen, Seen::Times(times) if times.n_runs() == 1));
        for wrong in ["", "1.2\n", "1.2\n8\n1 1 1 1 1\n", "1.2\n7\n1 1\n", "1.2\n7\n-1\n", "1.2\nelse\n"] {
            assert!(parse("peer", 7, wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn why_there_are_no_times_is_told() {
        let titles = SetjoinData::Titles.make(Some(30)).unwrap().unwrap();
        let told = |figure: &Figure, why: &str| {
            figure.describe(None).ends_with(why)
                && figure.line(0.5, &titles, 7).ends_with(&format!("0,,,,\"{why}\""))
        };
        for why in ["over 60 s", "out of memory (12 GB)"] {
            assert!(told(&parse("peer", 7, &format!("1.2\n{why}\n")).unwrap(), why));
        }
        let peer = Peer { name: "peer", python: Err(anyhow::anyhow!("no compiler").context("cannot build")) };
        let figure = theirs(&peer, &titles, 0.5, &[]).unwrap();
        assert!(told(&figure, "could not be installed: cannot build: no compiler"));
    }

    #[test]
    fn pairs_are_of_rows() {
        let path = target().join("bench").join("setjoin-test").join("pairs.bin");
        replace(&path, |file| file.write_all(&[1, 0, 0, 0, 2, 1, 0, 0])).unwrap();
        assert_eq!(read(&path).unwrap(), [(1, 258)]);
        let titles = SetjoinData::Titles.make(Some(300)).unwrap().unwrap();
        let ours = ours(&titles, 0.5).unwrap();
        assert!(
            !ours.pairs.is_empty() && ours.pairs.iter().all(|(left, right)| left < right && *right < 300)
        );
        assert!(ours.join.median() <= ours.whole.median());
    }
}
