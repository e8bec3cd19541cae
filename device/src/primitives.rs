//! What kernels are made of, each written once.
//!
//! [`appending`]: what lanes have, to the end of an array; [`lanes`]: which warp this is, and who stands before a lane; [`sums`]: of what the threads of a warp or a block bring, and
//! over arrays in device memory; [`owners`]: whose the nth of things is that are numbered through; [`queues`]: what waits in
//! shared memory until there is some for every lane; [`radix`]: words brought into the order of a digit; [`unrolled`]: loops
//! that are written out.
//!
//! Rows of a join are partitioned by `join::partition` and not by [`radix`]: their order within a class does not matter, so
//! an atomic ranks them, which is faster than ballots.

pub(crate) mod appending;
pub(crate) mod lanes;
pub(crate) mod owners;
pub(crate) mod queues;
pub mod radix;
pub mod sums;
pub(crate) mod unrolled;
