//! What the host and the device both know: the layouts that cross between them, and every computation that
//! both sides do. Nothing here allocates, does I/O or knows a device.
//!
//! Reading order: [`text`] and [`threshold`] are the ground; a [`measure`] says how alike two values are, each in a file with
//! its definition and its paper; a [`signature`] tells most pairs apart before it; [`soundex`] is the one transform whose definition is long enough to need a file; a
//! [`predicate`] applies a measure to a pair of records, reading their values through [`columns`]; a [`path`] joins
//! predicates into the program that decides a pair. A scan is a [`sweep`] over lists ([`listing`]): the [`screen`] of its lead tells
//! most pairs apart by a signature or a code; [`window`] cuts it into intervals and stretches; [`stealing`] says who does which.
//! Keys are joined by their hashes ([`join`]), values by the elements they have in common ([`overlap`]), which may be their q-grams ([`grams`]); pairs of anything
//! are tuples of a [`relation`]. Pairs become entities by a forest of records ([`components`]), or by a matrix of bits
//! ([`matrix`]).
//! [`layout`] is what kernels receive. [`baselines`] are there to be compared with.

#![no_std]

pub mod baselines;
pub mod billionths;
pub mod columns;
pub mod components;
pub mod counts;
pub mod grams;
pub mod join;
pub mod layout;
pub mod listing;
pub mod matrix;
#[expect(missing_docs, reason = "rkyv derives items without documentation")]
pub mod measure;
pub mod neighbours;
pub mod overlap;
pub mod packing;
#[expect(missing_docs, reason = "rkyv derives items without documentation")]
pub mod path;
#[expect(missing_docs, reason = "rkyv derives items without documentation")]
pub mod predicate;
pub mod relation;
pub mod score;
pub mod screen;
pub mod signature;
pub mod soundex;
pub mod stealing;
pub mod sweep;
pub mod text;
pub mod threshold;
pub mod window;

#[cfg(test)]
extern crate std;
#[cfg(test)]
mod testing;
