//! Access paths by the clock: what each path of a job takes, forced one after the other, beside what the plan expects.
//!
//! `cargo xtask train-cost` fits the rates of a device to half of the [`jobs`] ([`fit`]); `cargo xtask bench access` judges
//! the plan's choices, by the other half too.

mod accuracy;
mod fit;
mod jobs;
mod timed;

pub(crate) use accuracy::Accuracy;
pub(crate) use fit::{expected, fit};
pub(crate) use jobs::{PathJob, generated, rule_file};
pub(crate) use timed::{Timed, time};
