//! Telling: results as files, how good they are where the truth is known, and summaries for people.

pub mod apart;
pub mod clusters;
pub mod curve;
pub mod each_rule;
pub mod errors;
pub mod evaluate;
pub mod json;
pub mod left_out;
pub mod output;
pub mod report;
pub(crate) mod survived;
