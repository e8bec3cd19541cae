//! The values of overlap joins, made where the columns are: the q-grams of texts as elements, and the values of a list's items
//! with their elements, signatures and classes.
//!
//! ```text
//! counts ─► sums ─► number ─► used ─► sort ─► rank ─► place ─► sort ─► take     (q-grams)
//! runs ─► (the host cuts blocks and classes) ─► values ─► groups                (values)
//! same ─► shared                                                                (records with the very same value)
//! ```
//!
//! What a token is was numbered with the columns. Q-grams are not, as few jobs ask for them: they are numbered here by a table
//! of those that there are, from the rarest on. What stands in a list by length has its elements by length too, so that
//! classes are runs of items: the host only has to know where runs begin.

mod alike;
mod grams;
mod values;

pub use alike::{Alike, runs, same, shared};
pub use grams::{Grams, counts, number, place, rank, take, used};
pub use values::{Of, Valued, groups, values};
