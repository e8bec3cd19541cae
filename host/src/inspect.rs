//! Looking into a job: its plan beside what happened ([`explain`], [`analyze`]), the verdict on one pair ([`why`]), the
//! pairs that are missed and wrong ([`errors`]), some candidates to look at ([`sample`]), what is to be said before it runs
//! ([`check`]); and who looks on while it runs ([`closer`]). And into tables before there is one: what is in them ([`profile`]).

pub mod analyze;
pub mod check;
pub mod closer;
pub mod errors;
pub mod explain;
pub mod profile;
pub mod sample;
pub mod why;
