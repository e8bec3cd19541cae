//! Looking into a job: its plan beside what happened ([`explain`], [`analyze`]), the verdict on one pair ([`why`]), and
//! the pairs that are missed and wrong ([`errors`]). And into tables before there is one: what is in them ([`profile`]).

pub mod analyze;
pub mod errors;
pub mod explain;
pub mod profile;
pub mod why;
