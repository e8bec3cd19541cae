//! Figures: what a GPU has, as its driver says, to tell what another one takes.
//!
//! Rates are fitted on one GPU. Until somebody fits them on another, what computes is expected to take as much longer there as
//! its multiprocessors are fewer and slower, and what reads here and there as its memory is slower. What the host does is not
//! the GPU's.

use crate::plan::work::{Bottleneck, Unit};

/// What a GPU has. A figure that the driver does not know is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Their clock, in megahertz.
    pub clock_mhz: u32,
    /// What memory reads or writes, in gigabytes a second.
    pub bandwidth_gb_s: u32,
}

/// How many times as long as on one GPU it takes on another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slowness {
    one_block: f64,
    arithmetic: f64,
    memory: f64,
}

impl Figures {
    /// How many times as long as here it takes on another GPU. What either does not know makes no difference.
    pub(super) fn slowness(&self, other: &Self) -> Slowness {
        let times = |own: u32, other: u32| {
            if own == 0 || other == 0 { 1.0 } else { f64::from(own) / f64::from(other) }
        };
        let one_block = times(self.clock_mhz, other.clock_mhz);
        Slowness {
            one_block,
            arithmetic: one_block * times(self.multiprocessors, other.multiprocessors),
            memory: times(self.bandwidth_gb_s, other.bandwidth_gb_s),
        }
    }
}

impl Slowness {
    /// Of a unit of work.
    pub(super) fn of(&self, unit: Unit) -> f64 {
        match unit.bottleneck() {
            // It counts nanoseconds of predicates, and those are longer already.
            _ if unit == Unit::Decided => 1.0,
            Bottleneck::Start | Bottleneck::Host => 1.0,
            Bottleneck::OneBlock => self.one_block,
            Bottleneck::Arithmetic => self.arithmetic,
            Bottleneck::Memory => self.memory,
        }
    }

    /// Of a predicate.
    pub(super) fn of_predicates(&self) -> f64 {
        self.arithmetic
    }
}
