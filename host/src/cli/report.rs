//! Options of the report.

use super::Command;
use clap::{Args, ValueEnum};
use hyperblock::base::target::Target;
use hyperblock::report::{Asked, MOST_LABELS, ShownValues};
use hyperblock::{Job, Result};
use std::path::{Path, PathBuf};

/// The report of a command, and what is shown in it.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Where a report to look at goes: one HTML page, which fetches nothing
    ///
    /// What was asked and found, the plan, where time went, rules, blocks, scores with the threshold as a slider, entities, and pairs of
    /// records side by side, which can be labelled there. It is below 2 MB, whatever the job: pairs are drawn, and it says so.
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Which values of records the report has: none, or those of the pairs that are drawn
    ///
    /// With none it has ids, but no values of pairs, columns or blocks.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t, requires = "report")]
    report_values: Which,
}

/// The same, with pairs to be labelled.
#[derive(Args, Debug)]
pub(crate) struct LabelArgs {
    #[command(flatten)]
    pub(super) page: ReportArgs,
    /// Choose so many candidates for the report that are worth labelling, at most 2,000
    ///
    /// Across scores, more of them near the threshold; by rule, where there are none. The labels that the report exports say how
    /// probable each pair was to be chosen, and --truth reads them as they are.
    #[arg(long, value_name = "N", requires = "report", value_parser = clap::value_parser!(u32).range(1..=MOST_LABELS as i64))]
    label_sample: Option<u32>,
}

/// Which values are shown.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum Which {
    /// None
    None,
    /// Those of pairs that are drawn
    #[default]
    Sample,
}

impl ReportArgs {
    /// The output, with the option that names it.
    pub(crate) fn outputs(&self) -> Option<(&'static str, &Path)> {
        self.report.as_deref().map(|report| ("--report", report))
    }

    /// The job, made ready for what is asked.
    pub(crate) fn apply(&self, job: Job) -> Job {
        if self.report.is_some() { job.reported() } else { job }
    }

    /// The file, made ready, with what was asked of a command with these rules.
    pub(crate) fn begin(&self, command: &'static str, rules: &Path) -> Result<Option<(Target, Asked)>> {
        self.begun(command, rules, 0)
    }

    fn begun(
        &self,
        command: &'static str,
        rules: &Path,
        label_sample: usize,
    ) -> Result<Option<(Target, Asked)>> {
        let Some(report) = &self.report else { return Ok(None) };
        let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
        // What stands before the command is for all commands.
        let arguments: Vec<String> = arguments.collect();
        let place = arguments.iter().position(|argument| argument == command).map_or(0, |place| place + 1);
        let values = match self.report_values {
            Which::None => ShownValues::None,
            Which::Sample => ShownValues::Sample,
        };
        let asked = Asked {
            command,
            arguments: arguments[place..].to_vec(),
            rules: rules.to_owned(),
            values,
            label_sample,
        };
        Ok(Some((Target::create(report)?, asked)))
    }
}

impl LabelArgs {
    /// The same as [`ReportArgs::begin`].
    pub(crate) fn begin(&self, command: &'static str, rules: &Path) -> Result<Option<(Target, Asked)>> {
        self.page.begun(command, rules, self.label_sample.unwrap_or(0) as usize)
    }
}

impl Command {
    /// Whether it is noted what goes on when: an analysis tells it, and a report draws it.
    pub(crate) fn is_watched(&self) -> bool {
        let (is_analyzed, report) = match self {
            Self::Link(args) => (false, &args.job.output.report.page),
            Self::Dedupe(args) => (false, &args.job.output.report.page),
            Self::Resolve(args) => (false, &args.report.page),
            Self::Explain(args) => (args.analyze, &args.report),
            Self::Fit(args) => (false, &args.report),
            Self::Profile(_)
            | Self::Init(_)
            | Self::Cluster(_)
            | Self::Why(_)
            | Self::Check(_)
            | Self::Sample(_)
            | Self::Closure(_)
            | Self::Devices
            | Self::Completions(_)
            | Self::Man => return false,
        };
        is_analyzed || report.report.is_some()
    }
}
