//! `hyperblock closure`.

use super::AnswerFormat;
use super::input::PackedArgs;
use super::place::DeviceArgs;
use super::plan::RESEARCH;
use super::run::tell;
use super::say::{answer, say};
use clap::{ArgGroup, Args};
use hyperblock::base::paths::keep_apart;
use hyperblock::base::stopwatch::{Stages, enter, time, whole};
use hyperblock::graph::closure::{self, Options};
use hyperblock::graph::report::Report;
use hyperblock::operators::closure::{ClosureMethod, Deduplicate, Rounds, Wanted};
use hyperblock::operators::relations::LoadFactor;
use hyperblock::read::edges::EdgeList;
use hyperblock::tell::output::{Format, IterationRows, Output, TupleRows};
use hyperblock::{Control, Error, Result};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("result").required(true).args(["output", "count"])))]
pub(crate) struct ClosureArgs {
    /// The edges: lines of a source and a target (also .gz, .zst), Parquet or Arrow, - for standard input
    ///
    /// A tab, a comma or blanks separate the two. Lines that begin with # or % are comments, unless that is quoted. Of a table, the first two columns are taken. Nodes are
    /// integers if all are, else text as written: 007 is not 7.
    edges: PathBuf,
    /// Where the pairs of nodes go: .csv, .tsv, .parquet or .arrow, or - for CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print only how many pairs there are
    #[arg(long)]
    count: bool,
    /// How they are found: condense (components, then rows of bits) or semi-naive (rounds of a join, until
    /// nothing is new)
    #[arg(long, value_name = "METHOD", default_value_t)]
    method: ClosureMethod,
    /// How a round finds what is new: table (a hash table) or sort
    #[arg(long, value_name = "HOW", default_value_t, help_heading = RESEARCH, hide_short_help = true)]
    deduplicate: Deduplicate,
    /// How full the hash tables of semi-naive may be, from 0.01 to 0.99: fuller ones are smaller, and slower
    #[arg(long, value_name = "SHARE", default_value_t, help_heading = RESEARCH, hide_short_help = true)]
    load_factor: LoadFactor,
    /// The first line of the edges is a header
    #[arg(long)]
    header: bool,
    #[command(flatten)]
    packed: PackedArgs,
    /// With semi-naive: also write what each round did, and what its operators took
    #[arg(long, value_name = "FILE", help_heading = RESEARCH, hide_short_help = true)]
    iterations: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceArgs,
}

/// The stage in which the closure is found, which is told in parts.
const FINDING: &str = "find";

pub(crate) fn closure(
    args: &ClosureArgs,
    told: Option<AnswerFormat>,
    verbose: bool,
    control: &Control,
) -> Result<()> {
    // What can be refused at once is refused before any work is done.
    for path in args.output.iter().chain(&args.iterations) {
        Format::of(path)?;
    }
    let outputs = [("-o", &args.output), ("--iterations", &args.iterations)];
    let outputs = outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
    keep_apart(&outputs.collect::<Vec<_>>(), &[("the file of edges", &args.edges)])?;
    if args.iterations.is_some() && args.method != ClosureMethod::SemiNaive {
        return Err(Error::Job(format!(
            "--iterations: there are none with --method {}; add --method {}",
            args.method,
            ClosureMethod::SemiNaive
        )));
    }
    let device = time("open", || args.device.open())?;
    if told == Some(AnswerFormat::Text) {
        say!("running on {}\n", device.name());
    }
    let EdgeList { graph, names, n_lines } =
        time("read", || EdgeList::read(&args.edges, args.header, args.packed.max_unpacked, control))?;

    let mut output = match &args.output {
        Some(path) => Some(Output::create(path, TupleRows { names: &names }, control)?),
        None => None,
    };
    let mut rounds = match &args.iterations {
        Some(path) => Some(Output::create(path, IterationRows::default(), control)?),
        None => None,
    };
    let wanted = Wanted { tuples: output.is_some() };
    let rounds_by = Rounds { deduplicate: args.deduplicate, load: args.load_factor };
    let options = Options { method: args.method, rounds: rounds_by, wanted };
    control.begin_comparing(graph.n_nodes.into(), "nodes");
    let finding = enter(FINDING);
    let report = closure::run(&*device, &graph, &options, control, &mut |tuples| match &mut output {
        Some(output) => output.write(tuples),
        None => Ok(()),
    })?;
    drop(finding);
    let writing = enter("write");
    output.map_or(Ok(()), Output::finish)?;
    if let Some(mut output) = rounds.take() {
        output.write(&report.rounds().collect::<Vec<_>>())?;
        output.finish()?;
    }
    drop(writing);
    if args.count {
        answer(format_args!("{}\n", report.n_tuples))?;
    }
    // What finding took is known in parts.
    let all = whole();
    let stages = all.iter().filter(|(name, _)| *name != FINDING).chain(report.stages.iter());
    let stages: Stages = stages.collect();
    let report = Report { n_lines: Some(n_lines), stages, ..report };
    tell(told, &report, || report.json());
    if told == Some(AnswerFormat::Text) && verbose && !report.iterations.is_empty() {
        say!("{}", report.table());
    }
    Ok(())
}
