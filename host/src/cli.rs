//! The commands and their options, as `--help` shows them.

pub(crate) mod bar;
pub(crate) mod budget;
pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod checkpoint;
pub(crate) mod closer;
pub(crate) mod closure;
pub(crate) mod cluster;
pub(crate) mod colour;
pub(crate) mod devices;
pub(crate) mod exit;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod guards;
pub(crate) mod ids;
pub(crate) mod init;
pub(crate) mod input;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod panics;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod profile;
pub(crate) mod progress;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod run;
pub(crate) mod sample;
pub(crate) mod say;
pub(crate) mod shell;
pub(crate) mod signal;
pub(crate) mod tables;
pub(crate) mod why;

use clap::{Parser, Subcommand, ValueEnum};

/// What of it people are told.
const MESSAGES: &str = "Messages";

/// Finds the pairs of records that may be the same thing: exactly the pairs that some rule allows.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 110, propagate_version = true, after_long_help = exit::HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print no summary and no progress, only errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = MESSAGES)]
    pub(crate) quiet: bool,
    /// How to show progress, on standard error
    #[arg(long, global = true, value_name = "HOW", value_enum, default_value_t, help_heading = MESSAGES)]
    pub(crate) progress: progress::Show,
    /// How link, dedupe, resolve, cluster and closure print their summary, on standard error
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t, help_heading = MESSAGES)]
    pub(crate) summary: AnswerFormat,
    /// Say more about what is done; twice for still more
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = MESSAGES)]
    pub(crate) verbose: u8,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show what is in tables: kinds, missing and distinct values, lengths, frequent values, likely keys, placeholders
    Profile(profile::ProfileArgs),
    /// Write a first rule file for a table, or for two: keys, similarities and a score, each with the reason
    Init(init::InitArgs),
    /// Check rules and tables without running them: what is wrong, and what each rule would find and take
    Check(check::CheckArgs),
    /// Show a few candidates with their records, and where these differ
    Sample(sample::SampleArgs),
    /// Find pairs across two tables, or across each two of several
    Link(run::LinkArgs),
    /// Find pairs within one table, or several as one, each unordered pair once
    Dedupe(run::DedupeArgs),
    /// Put the records of pairs that are alike into entities
    Cluster(cluster::ClusterArgs),
    /// Find, score and cluster in one go: an entity for each record of one table, or of several
    Resolve(resolve::ResolveArgs),
    /// Show how rules would be evaluated, without evaluating them
    Explain(explain::ExplainArgs),
    /// Show why two records are a candidate, or why not: every rule, both values, what the measures say
    Why(why::WhyArgs),
    /// Estimate the weights of a score by Fellegi and Sunter's model from the tables alone, without labels
    ///
    /// m, how probable a level is where records match, u, how probable it is where they do not, and the share of
    /// matches are estimated by expectation maximisation over the candidates that the rules and neighbourhoods find. All
    /// three are among candidates, not among all pairs. A level that never comes up counts as half a pair.
    Fit(fit::FitArgs),
    /// Find which nodes of a directed graph reach which: its transitive closure
    Closure(closure::ClosureArgs),
    /// List the devices that --device can name
    Devices,
    /// Print completions for a shell: source them, or put them where it looks for them
    Completions(shell::CompletionsArgs),
    /// Print the man page, of all commands in one
    Man,
}

/// How a command answers.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}
