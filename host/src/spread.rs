//! A job spread over units, each done by whoever has its records: an engine of distributed tables, or a test.
//!
//! ```text
//!   samples, counts, rules ─► plan ─► bytes ─┬─► cover: records, each copied to the units that it is in
//!                                            └─► solve: the candidates of one branch among the records of a unit
//! ```
//!
//! What of a job hangs on whole tables is decided once and carried as bytes: the tree and the order of its branches, the one order of
//! elements, and how records come together. Kinds of columns and the order of ids follow from types. A unit chooses access paths only.

mod alike;
mod bytes;
mod choice;
mod count;
mod cover;
mod covered;
mod decided;
mod forest;
mod grid;
mod hash;
mod packs;
mod placed;
mod planned;
mod reach;
mod schema;
mod solve;
mod terms;
mod unit_plan;
mod values;

pub use forest::Forest;
pub use planned::{Budget, Counts};
pub use solve::Solved;
pub use unit_plan::UnitPlan;
