//! Looking into a job: its plan beside what happened ([`explain`], [`analyze`]), and the verdict on one pair ([`why`]).

pub mod analyze;
pub mod explain;
pub mod why;
