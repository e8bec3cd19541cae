//! What an access path takes, in units of work, and what a unit takes on a device.
//!
//! A path's work is counted, not timed: records that the host lists, keys that it numbers, elements that it gathers, pairs
//! that the device screens, hits of an index. [`Rates`] say how long a unit of each takes on one kind of device, and the
//! sum is what the path is expected to take, in milliseconds. `cargo xtask train-cost` fits rates to what paths took.

use std::ops::{Add, AddAssign, Mul};
use strum::{IntoStaticStr, VariantArray};

/// A unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Unit {
    /// A sweep that is begun.
    Sweep,
    /// A hash join that is begun.
    Join,
    /// A pair of blocks of an overlap join that is begun.
    Block,
    /// A record that is listed in the order of a lead.
    Listed,
    /// An item of a list, with its signature.
    Item,
    /// A record whose key is numbered.
    Keyed,
    /// A record that a hash join partitions.
    Joined,
    /// A pair of records with the same key, of the key that has most: one block of threads does them all.
    Heaviest,
    /// A pair of items that is screened.
    Screened,
    /// A pair that passes, whatever it asks for.
    Passed,
    /// A nanosecond that the cost of a predicate says pairs take that nothing screened.
    Decided,
    /// A symbol of two texts whose edits are counted, for each 64 of the other.
    Edits,
    /// The same of two texts whose symbols are matched.
    Matches,
    /// A token of two sets that are compared.
    Tokens,
    /// An element of a value that is gathered.
    Element,
    /// An element that is posted to an index, or looked up there.
    Posting,
    /// A value that a look-up finds.
    Hit,
    /// A pair of values whose signatures are compared.
    Near,
    /// An element of two values that are compared.
    Compared,
}

/// How many units there are.
pub const N_UNITS: usize = Unit::VARIANTS.len();

impl Unit {
    /// As files have it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the threads of a CPU share it; what comes before that is done by one, or nearly.
    fn is_shared(self) -> bool {
        use Unit::{Compared, Decided, Edits, Hit, Matches, Near, Passed, Posting, Screened, Tokens};
        matches!(
            self,
            Screened | Passed | Decided | Edits | Matches | Tokens | Posting | Hit | Near | Compared
        )
    }
}

/// What a pair takes.
pub(crate) type PerPair = (Unit, f64);

/// How much of each unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work(pub [f64; N_UNITS]);

impl Work {
    /// So much of these units, and nothing of the others.
    pub fn of<const N: usize>(parts: [(Unit, f64); N]) -> Self {
        let mut work = Self::default();
        parts.into_iter().for_each(|(unit, n)| work.0[unit as usize] += n);
        work
    }

    /// How much of one unit.
    pub fn get(&self, unit: Unit) -> f64 {
        self.0[unit as usize]
    }
}

impl Add for Work {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }
}

impl Mul<f64> for Work {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        Self(self.0.map(|n| n * by))
    }
}

/// By unit: the nanoseconds that it takes; on a CPU, one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// By unit.
    pub nanoseconds: [f64; N_UNITS],
    /// Threads that share what can be shared.
    pub n_threads: usize,
}

impl Rates {
    /// The milliseconds that some work is expected to take.
    pub fn milliseconds(&self, work: &Work) -> f64 {
        let took = |&unit: &Unit| {
            let n_threads = if unit.is_shared() { self.n_threads as f64 } else { 1.0 };
            work.get(unit) * self.nanoseconds[unit as usize] / n_threads
        };
        Unit::VARIANTS.iter().map(took).sum::<f64>() / 1e6
    }

    /// The same work as one thread would have it: what a fit takes.
    pub fn per_thread(&self, work: &Work) -> Work {
        let mut work = *work;
        for &unit in Unit::VARIANTS.iter().filter(|unit| unit.is_shared()) {
            work.0[unit as usize] /= self.n_threads as f64;
        }
        work
    }
}
