//! The command line.

mod cli;

use clap::Parser;
use cli::progress::Show;
use cli::say::say;
use cli::{Cli, Command, colour, exit};
use hyperblock::{Control, Stopwatch};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

#[global_allocator]
static MEMORY: cli::memory::Reporting = cli::memory::Reporting;

fn main() -> ExitCode {
    // Summaries tell the time from here on.
    let _whole = Stopwatch::default();
    cli::memory::begin();
    cli::panics::tell();
    let cli = Cli::parse();
    cli::log::start(cli.verbose);
    match catch_unwind(AssertUnwindSafe(|| run(&cli))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            let (code, is_told) = exit::of(&error);
            if is_told {
                say!("{}: {error}\n", colour::error());
            }
            code
        }
        // It was told of.
        Err(_) => ExitCode::from(exit::FAILED),
    }
}

fn run(cli: &Cli) -> hyperblock::Result<()> {
    let control = if cli.command.is_watched() { Control::watching() } else { Control::default() };
    let budget = cli.command.budget();
    if budget.is_limited() {
        cli::memory::keep_little();
    }
    let control = cli::signal::cancels(control.with_budget(budget))?;
    let show = if cli.quiet { Show::None } else { cli.progress };
    let summary = (!cli.quiet).then_some(cli.summary);
    let work = || match &cli.command {
        Command::Profile(args) => cli::profile::profile(args, &control),
        Command::Init(args) => cli::init::init(args, cli.quiet, &control),
        Command::Link(args) => cli::run::link(args, summary, &control),
        Command::Dedupe(args) => cli::run::dedupe(args, summary, &control),
        Command::Cluster(args) => cli::cluster::cluster(args, summary, &control),
        Command::Resolve(args) => cli::resolve::resolve(args, summary, &control),
        Command::Explain(args) => cli::explain::explain(args, &control),
        Command::Why(args) => cli::why::why(args, &control),
        Command::Check(args) => cli::check::check(args, &control),
        Command::Sample(args) => cli::sample::sample(args, &control),
        Command::Fit(args) => cli::fit::fit(args, cli.quiet, &control),
        Command::Closure(args) => cli::closure::closure(args, summary, cli.verbose > 0, &control),
        Command::Devices => cli::devices::devices(),
        Command::Completions(args) => cli::shell::completions(args),
        Command::Man => cli::shell::man(),
    };
    cli::progress::watch(show, &control, || control.guard(work))
}
