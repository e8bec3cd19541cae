//! Lists, made where the columns are: which records have a key that joins something, and items in the order of a lead.
//!
//! ```text
//! number ─► (once more for each equality) ─► count ─► kinds ─► deal ─┬─► light: to be joined, or a list by key
//!                                                                   └─► heavy: a list within keys
//! place ─► sort ─► lens ─► sort ─► groups ─► sort ─► begin ─► sums ─► items ─► reach
//! ```
//!
//! A key is the number of a slot in a table of the combinations that there are, so the keys of several columns need no order
//! among each other. What a list is sorted by is made in turns, from what counts least to what counts most: codes, lengths,
//! groups. A sort leaves equal words as they stand, so each turn needs no more than the upper half of a word.

mod items;
mod keys;
mod reach;

pub use items::{Fill, Places, begin, groups, items, lens, place};
pub use keys::{Dealt, Kinds, count, deal, kinds, number};
pub use reach::{Met, reach};
