//! hyperblock finds the pairs of records that may be the same real-world thing: of one table (deduplicate) or of two
//! (link), exactly those that some rule allows, on a GPU or on the CPU.
//!
//! # Find
//!
//! A [`Job`] is tables and rules. It is prepared for a device, and then run; what it finds are record batches.
//!
//! ```
//! use hyperblock::arrow_array::record_batch;
//! use hyperblock::{Batches, Control, DeviceChoice, Found, Job, RuleSource, arrow_schema, device};
//!
//! let people = record_batch!(
//!     ("id", Int64, [1, 2, 3]),
//!     ("name", Utf8, ["Ann Smith", "Anne Smith", "Bob Jones"]),
//!     ("city", Utf8, ["Leeds", "Leeds", "York"])
//! )?;
//! let people = Batches::new("people", people.schema(), vec![people])?;
//! let rules = RuleSource::values([("names", "l.city = r.city AND jaro_winkler(l.name, r.name) >= 0.9")]);
//!
//! let (device, control) = (device::open(DeviceChoice::Cpu, None)?, Control::default());
//! let job = Job::over(people.into(), None, rules).prepare(&*device, &control)?;
//! let found = Found::of(&job, &*device, &control)?;
//!
//! let names: Vec<_> = found.schema.fields().iter().map(|field| field.name()).collect();
//! assert_eq!(names, ["left", "right", "rule"]);
//! assert_eq!(found.batches[0].num_rows(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Tables and rules in files do as well: [`Job::dedupe`] and [`Job::link`] take paths. What the job did is its
//! [`Summary`], text for people and JSON for programs:
//!
//! ```
//! # use hyperblock::arrow_array::record_batch;
//! # use hyperblock::{Batches, Control, DeviceChoice, Job, RuleSource, arrow_schema, device};
//! # let batch = record_batch!(("name", Utf8, ["Ann", "Ann", "Bob"]))?;
//! # let people = Batches::new("people", batch.schema(), vec![batch])?;
//! # let rules = RuleSource::values([("same name", "l.name = r.name")]);
//! # let (device, control) = (device::open(DeviceChoice::Cpu, None)?, Control::default());
//! # let job = Job::over(people.into(), None, rules).prepare(&*device, &control)?;
//! let summary = job.run(&*device, &control, &mut |candidates| {
//!     for pair in candidates {
//!         println!("{} {}", job.left.ids.text(pair.left), job.right().ids.text(pair.right));
//!     }
//!     Ok(())
//! })?;
//! assert_eq!(summary.json()["pairs"]["by_rule"][0]["name"], "same name");
//! assert_eq!(summary.json()["pairs"]["candidates"], 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Pull, and stop
//!
//! A job pushes what it finds. Whoever would rather ask for it has it run beside, at most so many batches ahead ([`Pull`]).
//! A [`Control`] is shared with a job that runs: it tells how far the job is, bounds its memory, and stops it.
//!
//! ```
//! # use hyperblock::arrow_array::record_batch;
//! # use hyperblock::{Batches, arrow_schema};
//! use hyperblock::{Control, DeviceChoice, Error, Job, Pull, RuleSource, Threads, device};
//! use std::sync::Arc;
//!
//! # let batch = record_batch!(("name", Utf8, ["Ann", "Ann", "Bob"]))?;
//! # let people = Batches::new("people", batch.schema(), vec![batch])?;
//! # let rules = RuleSource::values([("same name", "l.name = r.name")]);
//! let (device, control) = (device::open(DeviceChoice::Cpu, None)?, Arc::new(Control::default()));
//! let job = Job::over(people.into(), None, rules);
//! let prepared = job.prepare(&*device, &control)?;
//! let threads = Arc::new(Threads::new(None)?);
//! let mut pull = Pull::start(prepared, device, control.clone(), threads, 2)?;
//! let mut n_rows = 0;
//! while let Some(batch) = pull.pull() {
//!     n_rows += batch.num_rows() as u64;
//! }
//! assert_eq!(pull.finish()?.n_candidates(), n_rows);
//!
//! // From any thread, at any time.
//! control.cancel();
//! let device = device::open(DeviceChoice::Cpu, None)?;
//! assert!(matches!(job.prepare(&*device, &control), Err(Error::Interrupted)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Resolve, and fit
//!
//! [`Resolve`] goes on to entities: candidates are scored as the rules say, and what is kept is clustered.
//!
//! ```
//! # use hyperblock::arrow_array::record_batch;
//! # use hyperblock::{Batches, arrow_schema};
//! use hyperblock::{ClusterMethod, Control, DeviceChoice, Job, Resolve, RuleSource, device};
//!
//! # let batch = record_batch!(
//! #     ("id", Int64, [1, 2, 3]),
//! #     ("name", Utf8, ["Ann Smith", "Anne Smith", "Bob Jones"]),
//! #     ("city", Utf8, ["Leeds", "Leeds", "York"])
//! # )?;
//! # let people = Batches::new("people", batch.schema(), vec![batch])?;
//! let rules = RuleSource::Text(
//!     r#"
//!     [[rules]]
//!     name = "same city"
//!     when = "l.city = r.city"
//!
//!     [score]
//!     threshold = 0.9
//!     [[score.attributes]]
//!     measure = "jaro_winkler(l.name, r.name)"
//!     "#
//!     .into(),
//! );
//! let (device, control) = (device::open(DeviceChoice::Cpu, None)?, Control::default());
//! let resolve = Resolve::new(Job::over(people.into(), None, rules)).method(ClusterMethod::Complete);
//! let resolved = resolve.prepare(&*device, &control)?.run(&*device, &control)?;
//! // Of each record the first one of its entity.
//! assert_eq!(resolved.entities, [0, 0, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Prepared::fit`] finds the weights that such a score may go by, from the tables alone or from labels.
//!
//! # Look closer
//!
//! [`Prepared::explain`] tells the plan of a job, and [`Inquiry`] the verdict of every rule on one pair. [`EachRule`] counts what
//! each rule finds by itself, and [`Judged`] writes the pairs that are missed and wrong, with the reasons. [`cluster()`] makes
//! entities of pairs, wherever those are from, and [`closure`] tells which nodes of a graph reach which.
//!
//! # Inside
//!
//! What this page lists is the crate's face: it changes on purpose, and a test looks. The crate's command line, tests and
//! tools need more of it. So the rooms of the house are public too, though they are not listed here, and may change with
//! every version:
//!
//! ```text
//! tables ─► read ─► encode ─┐
//! rules  ─► rules ──────────┴─► plan ─► run (operators on a device) ─► candidates ─► entities ─► tell
//! ```
//!
//! One direction, no way back. `job` walks from tables to scored candidates, `resolve` goes on to entities and `fit` to
//! weights; `graph` stands beside that way, and `baselines` are there to be compared with. A room uses only what stands
//! before it, from the base to the top: `cargo xtask test` looks.

#![allow(rustdoc::private_intra_doc_links, reason = "who reads of a room has its private parts at hand")]

#[doc(hidden)]
pub mod base;
#[doc(hidden)]
pub mod baselines;
pub mod device;
#[doc(hidden)]
pub mod draft;
#[doc(hidden)]
pub mod encode;
#[doc(hidden)]
pub mod entities;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod graph;
#[doc(hidden)]
pub mod inspect;
#[doc(hidden)]
pub mod job;
#[doc(hidden)]
pub mod operators;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod read;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod resolve;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod run;
#[doc(hidden)]
pub mod spread;
#[doc(hidden)]
pub mod tell;

// Tables go in and candidates come out as arrow's types, and summaries as JSON: so whoever uses them has the same versions.
pub use {arrow_array, arrow_schema, serde_json};

// Tables and rules in, candidates out.
pub use hyperblock_shared::layout::Candidate;
pub use job::{EachRule, Found, Guards, Job, Prepared, Pull, RuleSource, Watch};
pub use operators::scores::Kept;
pub use read::table::{Batches, Cache, IdSource, Ids, Input, ReadOptions, Table};

// Where it runs, and what the outside may do meanwhile.
pub use base::budget::Budget;
pub use base::compared::Compared;
pub use base::control::Control;
pub use base::error::{Error, Result, RuleError};
pub use base::progress::Progress;
pub use base::threads::Threads;
pub use device::DeviceChoice;
pub use operators::Backend;

// What it did.
pub use base::json::indented as indented_json;
pub use base::shown::Shown;
pub use base::stopwatch::{Stages, Stopwatch};
pub use entities::score::Tally;
pub use tell::each_rule::{MatchCounts, RuleCounts};
pub use tell::errors::{Cause, ErrorCounts, Gathered};
pub use tell::evaluate::{Agreement, Coverage, EntityQuality, Interval, Intervals, Quality, Truth};
pub use tell::left_out::LeftOut;
pub use tell::report::Summary;

// Entities.
pub use base::decimal::Decimal;
pub use entities::cluster::{ClusterMethod, Clustered, Records, SAME, cluster, clustered};
pub use entities::survival::{Change, ChangeCounts, ChangeKind, EntityIds, Survival};
pub use hyperblock_shared::layout::ScoredPair;
pub use read::pairs::{PairFile, PairSource};
pub use read::previous::Previous;
pub use read::sources::Sources;
pub use resolve::{Entities, PreparedResolve, Resolve, ResolveSummary, Resolved, StepQuality};
pub use tell::apart::Apart;
pub use tell::clusters::ClusterSummary;
pub use tell::curve::{Bin, Curve, Point};
pub use tell::output::{ChangeRows, EntityRows, Rows};

// Weights.
pub use entities::score::{AttributeWeights, Evidence, LevelName, LevelWeights, Weights};
pub use fit::{Doubt, Fit, FitOptions, Lesson, PriorSource, Strangers};

// Looking closer.
pub use inspect::errors::Judged;
pub use inspect::explain::Explained;
pub use inspect::why::{Inquiry, Why};

/// Closures: which nodes of a directed graph reach which.
///
/// ```
/// use hyperblock::closure::{self, Graph, Options, Wanted, tuple};
/// use hyperblock::{Control, DeviceChoice, device};
///
/// let graph = Graph { n_nodes: 3, edges: vec![tuple(0, 1), tuple(1, 2)] };
/// let options = Options { wanted: Wanted { tuples: true }, ..Options::default() };
/// let device = device::open(DeviceChoice::Cpu, None)?;
/// let mut reached = Vec::new();
/// closure::run(&*device, &graph, &options, &Control::default(), &mut |tuples| {
///     reached.extend_from_slice(tuples);
///     Ok(())
/// })?;
/// assert_eq!(reached, [tuple(0, 1), tuple(0, 2), tuple(1, 2)]);
/// # Ok::<(), hyperblock::Error>(())
/// ```
pub mod closure {
    pub use crate::graph::closure::{Options, run};
    pub use crate::graph::report::Report;
    pub use crate::operators::closure::{
        ClosureMethod, Deduplicate, Iteration, Rounds, Wanted, first_of, second_of, tuple,
    };
    pub use crate::operators::relations::LoadFactor;
    pub use crate::read::edges::{EdgeList, Graph, Names};
    pub use crate::tell::output::TupleRows;
}
