//! `cargo xtask`: the project's own commands, one file each.
//!
//! [`device`] builds the kernels, [`r#gen`] makes example data, [`demo`] shows the main job, [`bench`] measures,
//! [`ablate`] measures without one part or another, [`figures`] draws the papers' figures from both, [`compare`] runs other
//! programs beside the engine, [`train_cost`] makes cost models, [`fuzz`] reads damaged files, [`simulate`] replays tasks over
//! machines that are not here, [`docs`] builds the book, [`browser`] drives reports, [`dist`] makes what is given to others, which [`deny`] looks through, and [`test`] is what CI runs. A new command is a file, a variant of `Command` and a line in `main`.

mod ablate;
mod bench;
mod browser;
mod cargo;
mod compare;
mod debian;
mod demo;
mod deny;
mod device;
mod dist;
mod docs;
mod figures;
mod fuzz;
mod r#gen;
#[cfg(feature = "bench")]
mod ncu;
#[cfg(feature = "bench")]
mod ndcg;
#[cfg(feature = "bench")]
mod paths;
mod python;
#[cfg(feature = "bench")]
mod record;
mod replace;
mod simulate;
mod test;
mod tested;
mod tidy;
mod tools;
mod train_cost;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the kernels to device/ptx, assemble them to device/cubin, or check the committed files
    Device(device::Args),
    /// Generate example data
    #[command(subcommand)]
    Gen(r#gen::Command),
    /// Find the duplicates in the bundled example, and say how many were right
    Demo(demo::Args),
    /// Measure the engine, side by side on all devices there are
    Bench(bench::Args),
    /// Switch one part of the engine off at a time, and measure how much slower it gets
    Ablate(ablate::Args),
    /// Measure and draw the figures and tables of the papers, with what the papers state beside
    Figures(figures::Args),
    /// Run other programs from PyPI on the same files, hold their answers against ours, and measure both
    Compare(compare::Args),
    /// Time predicates and access paths on a device, and train the model that predicts what they take
    TrainCost(train_cost::Args),
    /// Read damaged files of every kind, made by chance, for as long as asked
    Fuzz(fuzz::Args),
    /// Replay the tasks of a job over more GPUs than there are
    Simulate(simulate::Args),
    /// Build, install and test the Python package, as `test` does; or measure it
    Python(python::Args),
    /// Make reports and drive them in a browser, as `test` does; or take the picture of one
    Browser(browser::Args),
    /// Build what is given to others: the program with completions, manual and licences, and the wheel; both are tried out
    Dist(dist::Args),
    /// Look at the licences, doubles, sources and advisories of all dependencies: a part of a release
    Deny,
    /// Build the book of all pages to target/book, and check its links
    Docs(docs::Args),
    /// Run everything CI runs: tidy, links, format, clippy, documentation, tests, kernels, the Python package, alone and on Spark, reports in a browser
    Test(test::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Device(args) => device::run(&args),
        Command::Gen(command) => r#gen::run(&command),
        Command::Demo(args) => demo::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Ablate(args) => ablate::run(&args),
        Command::Figures(args) => figures::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::TrainCost(args) => train_cost::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Python(args) => python::run(&args),
        Command::Browser(args) => browser::run(&args),
        Command::Dist(args) => dist::run(&args),
        Command::Deny => deny::run(),
        Command::Docs(args) => docs::run(&args),
        Command::Test(args) => test::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
