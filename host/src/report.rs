//! A report to look at: one HTML page of what a job was asked, what it found, and pair after pair of records, side by side.
//!
//! ```text
//! candidates, as they come ─► watching (tickets, counts) ─► drawn pairs ─► records, read again ─┐
//! summary, plan, times, entities, weights ──────────────────────────────────────────────────────┴─► sections ─► page
//! ```
//!
//! [`watching`] looks on while candidates come, and holds a bounded number of them. Each section of the page is a part of one
//! JSON object, made by the file of its name; [`page`] puts it into the page, whose own source is in `page/`. Whatever is drawn or
//! cut off says so.

mod asked;
mod blocks;
mod cells;
mod chosen;
mod cut;
mod entities;
mod labels;
mod page;
mod pairs;
mod plan;
mod profile;
mod records;
mod rules;
mod sample;
mod scores;
mod strata;
mod summary;
mod timeline;
mod truth;
mod watching;
mod weights;

pub use asked::{Asked, ShownValues};
pub use sample::MOST_LABELS;
pub use watching::Watching;

use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::target::Target;
use crate::entities::cluster::ClusterMethod;
use crate::entities::score::Weights;
use crate::inspect::explain::Explained;
use crate::job::Prepared;
use crate::tell::evaluate::Truth;
use crate::tell::report::Summary;
use chosen::Chosen;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The seed that pairs are drawn by, as `sample` does by default.
const SEED: u64 = 1;

/// What a job came to.
pub struct Outcome<'a> {
    /// What was done.
    pub summary: &'a Summary,
    /// The summary as people read it.
    pub text: &'a str,
    /// What really matches, if it is known.
    pub truth: Option<&'a Truth>,
    /// Of each record its entity, and how those were made, if they were.
    pub entities: Option<(&'a [u32], ClusterMethod)>,
}

/// A report in the making.
pub struct Report<'a> {
    asked: &'a Asked,
    job: &'a Prepared,
    control: &'a Control,
    sections: Map<String, Value>,
}

impl<'a> Report<'a> {
    /// Of a job, with nothing in it yet but what was asked.
    fn new(asked: &'a Asked, job: &'a Prepared, control: &'a Control) -> Self {
        let warnings = summary::warnings(job, asked.values);
        let sections = json!({
            "version": 1,
            "program": format!("hyperblock {}", env!("CARGO_PKG_VERSION")),
            "made": asked::now(),
            "job": asked.json(job),
            "warnings": warnings,
        });
        let sections = if let Value::Object(sections) = sections { sections } else { Map::new() };
        Self { asked, job, control, sections }
    }

    fn add(&mut self, name: &str, section: Value) {
        self.sections.insert(name.to_owned(), section);
    }

    /// Of a job that has run while it was watched.
    pub fn of_job(
        asked: &'a Asked,
        watching: Watching<'a>,
        outcome: &Outcome<'_>,
        control: &'a Control,
    ) -> Result<Self> {
        let job = watching.job();
        let mut report = Self::new(asked, job, control);
        let Outcome { summary, truth, .. } = *outcome;
        asked::add_outcome(&mut report.sections["job"], summary);
        let text = summary::withheld(outcome.text, summary, asked.values);
        report.add("summary", summary::lines(&text));
        let explained = job.explain_briefly()?;
        report.add("plan", plan::section(&explained, Some(summary), control));
        report.add("scores", scores::section(&watching, outcome, control));
        report.add("rules", rules::section(&watching, asked, summary, truth));
        if let Some((entities, method)) = outcome.entities {
            report.add("entities", entities::section(job, entities, method));
        }
        report.add("weights", weights::of_job(job));
        let blocks = blocks::largest(job, control)?;
        let chosen = Chosen::new(watching, outcome, &blocks, control)?;
        report.add("profile", profile::section(&chosen.records, job, asked, control)?);
        report.add("blocks", blocks::section(&blocks, &chosen.records, job, asked)?);
        report.add("truth", truth::section(&chosen.errors, truth));
        report.add("timeline", timeline::section(control, &summary.device));
        report.add_pairs(&chosen, outcome)?;
        Ok(report)
    }

    /// Of weights that were fitted.
    pub fn of_fit(
        asked: &'a Asked,
        job: &'a Prepared,
        (weights, text): (&Weights, &str),
        control: &'a Control,
    ) -> Result<Self> {
        let mut report = Self::new(asked, job, control);
        report.add("summary", summary::lines(text));
        report.add("weights", weights::of_fit(weights, job));
        report.add_profile()?;
        Ok(report)
    }

    /// Of a plan, and what was seen of it if it was run.
    pub fn of_plan(
        asked: &'a Asked,
        job: &'a Prepared,
        explained: &Explained<'_>,
        control: &'a Control,
    ) -> Result<Self> {
        let mut report = Self::new(asked, job, control);
        report.add("plan", plan::section(explained, None, control));
        report.add_profile()?;
        let blocks = blocks::largest(job, control)?;
        let records = records::Records::read(job, &blocks::examples(&blocks), control)?;
        report.add("blocks", blocks::section(&blocks, &records, job, asked)?);
        Ok(report)
    }

    fn add_profile(&mut self) -> Result<()> {
        let records = records::Records::read(self.job, &[], self.control)?;
        let section = profile::section(&records, self.job, self.asked, self.control)?;
        self.add("profile", section);
        Ok(())
    }

    /// Adds pairs, as many as there is room for.
    fn add_pairs(&mut self, chosen: &Chosen<'_>, outcome: &Outcome<'_>) -> Result<()> {
        for size in sample::sizes(self.asked.label_sample) {
            let most = (size, page::MOST);
            let section = pairs::section(chosen, outcome, self.asked, most, self.control)?;
            let Some((pairs, labels)) = section else { continue };
            self.add("pairs", pairs);
            self.add("labels", labels);
            if page::fits(&self.sections) {
                break;
            }
        }
        Ok(())
    }

    /// Where the job ran, and how long it took.
    pub fn ran(mut self, device: &str, time: Duration) -> Self {
        let timeline = timeline::section(self.control, device);
        self.add("timeline", timeline);
        self.sections["job"]["device"] = device.into();
        self.sections["job"]["time_ms"] = timeline::milliseconds(time);
        self
    }

    /// Writes the page to where it was made ready for, and puts it in its place.
    pub fn write(self, target: Target) -> Result<()> {
        page::write(&self.sections, target)
    }
}
