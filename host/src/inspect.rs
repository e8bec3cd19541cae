//! Looking into a job: its plan beside what happened ([`explain`], [`analyze`]), the verdict on one pair ([`why`]), and
//! the pairs that are missed and wrong ([`errors`]); and who looks on while a job runs ([`closer`]).

pub mod analyze;
pub mod closer;
pub mod errors;
pub mod explain;
pub mod why;
