//! hyperblock finds the pairs of records that may be the same real-world thing.

pub mod decimal;
pub mod error;
pub mod rules;
pub mod table;
