//! The command line.

mod cli;

use clap::Parser;
use cli::{Cli, Command};
use hyperblock::Error;
use std::io::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
    cli::log::start(cli.verbose);
    let done = match &cli.command {
        Command::Link(args) => cli::run::link(args, cli.quiet),
        Command::Dedupe(args) => cli::run::dedupe(args, cli.quiet),
        Command::Cluster(args) => cli::cluster::cluster(args, cli.quiet),
        Command::Resolve(args) => cli::resolve::resolve(args, cli.quiet),
        Command::Explain(args) => cli::explain::explain(args, cli.quiet),
        Command::Why(args) => cli::why::why(args),
        Command::Fit(args) => cli::fit::fit(args, cli.quiet),
        Command::Closure(args) => cli::closure::closure(args, cli.quiet, cli.verbose > 0),
        Command::Devices => cli::devices::devices(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough.
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => ExitCode::from(141),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if matches!(error, Error::Interrupted) { 130 } else { 1 })
        }
    }
}
