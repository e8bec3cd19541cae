//! Running: a job's tasks on a device, whole or in pieces, one after the other, and their candidates in order.

pub mod calibrated;
mod gathered;
pub mod loaded;
pub mod measured;
pub mod neighbours;
mod pieces;
mod piped;
pub mod product;
pub mod schedule;
