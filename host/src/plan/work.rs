//! What an access path takes, in units of work, and what a unit takes on a device.
//!
//! A path's work is counted, not timed: records that are listed, keys that are numbered, elements that are gathered, pairs
//! that are screened, hits of an index. [`Rates`] say how long a unit of each takes on one kind of device, and the
//! sum is what the path is expected to take, in milliseconds. `cargo xtask train-cost` fits rates to what paths took.

use std::iter::Sum;
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
    /// A key within which values are joined by what they have in common: a pair of blocks beside others.
    Group,
    /// A record that is listed in the order of a lead.
    Listed,
    /// An item of a list, with its signature.
    Item,
    /// A record whose key is numbered.
    Keyed,
    /// A record that a hash join partitions.
    Joined,
    /// A pair of records with the same key that a hash join finds: it comes alone, and not in runs as those of a sweep do.
    Paired,
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
    /// A pair that is found: written, brought back and sorted.
    Candidate,
}

/// How many units there are.
pub const N_UNITS: usize = Unit::VARIANTS.len();

impl Unit {
    /// As files have it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it waits for.
    pub fn bottleneck(self) -> Bottleneck {
        match self {
            Self::Sweep | Self::Join | Self::Block | Self::Group => Bottleneck::Start,
            Self::Element | Self::Candidate => Bottleneck::Host,
            Self::Heaviest => Bottleneck::OneBlock,
            // Lists are sorted, and values that an index finds are anywhere.
            Self::Listed | Self::Item | Self::Keyed | Self::Joined => Bottleneck::Memory,
            Self::Posting | Self::Hit | Self::Compared => Bottleneck::Memory,
            Self::Screened
            | Self::Paired
            | Self::Passed
            | Self::Decided
            | Self::Edits
            | Self::Matches
            | Self::Tokens
            | Self::Near => Bottleneck::Arithmetic,
        }
    }

    /// Whether it is what the host does before places can share the rest.
    fn is_listing(self) -> bool {
        matches!(self, Self::Listed | Self::Item | Self::Keyed | Self::Element)
    }

    /// Whether the threads of a CPU share it; all else is done by one, or nearly.
    fn is_shared(self) -> bool {
        matches!(self.bottleneck(), Bottleneck::Arithmetic | Bottleneck::Memory)
    }
}

/// What units of work wait for: those that wait for the same become faster and slower together, from device to device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Bottleneck {
    /// What it takes to begin at all: launches, copies, threads that wake up.
    Start,
    /// The host.
    Host,
    /// One block of threads, while the others wait.
    OneBlock,
    /// All threads, which compute.
    Arithmetic,
    /// All threads, which read here and there.
    Memory,
}

/// How many bottlenecks there are.
pub const N_BOTTLENECKS: usize = Bottleneck::VARIANTS.len();

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

/// What a path is expected to take, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taking {
    /// On the device that it was planned for.
    pub planned: f64,
    /// To list what it looks at, by the host, if several places are to share it.
    pub of_host: f64,
    /// On a CPU beside that device, if there is one; else as planned.
    pub beside: f64,
}

impl Taking {
    /// Of something of which nothing is known but that it is there.
    pub(crate) const UNKNOWN: Self = Self { planned: 1.0, of_host: 0.0, beside: 1.0 };
}

impl Mul<f64> for Taking {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        let Self { planned, of_host, beside } = self;
        Self { planned: planned * by, of_host: of_host * by, beside: beside * by }
    }
}

impl Add for Taking {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let Self { planned, of_host, beside } = other;
        Self {
            planned: self.planned + planned,
            of_host: self.of_host + of_host,
            beside: self.beside + beside,
        }
    }
}

impl Sum for Taking {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
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
        Unit::VARIANTS.iter().map(|&unit| self.of_unit(work, unit)).sum::<f64>() / 1e6
    }

    /// What of that is spent on lists.
    pub(crate) fn listing(&self, work: &Work) -> f64 {
        let listing = Unit::VARIANTS.iter().filter(|unit| unit.is_listing());
        listing.map(|&unit| self.of_unit(work, unit)).sum::<f64>() / 1e6
    }

    /// The same, by bottleneck.
    pub fn by_bottleneck(&self, work: &Work) -> [f64; N_BOTTLENECKS] {
        let mut all = [0.0; N_BOTTLENECKS];
        for &unit in Unit::VARIANTS {
            all[unit.bottleneck() as usize] += self.of_unit(work, unit) / 1e6;
        }
        all
    }

    /// Nanoseconds.
    fn of_unit(&self, work: &Work, unit: Unit) -> f64 {
        let n_threads = if unit.is_shared() { self.n_threads as f64 } else { 1.0 };
        work.get(unit) * self.nanoseconds[unit as usize] / n_threads
    }

    /// Rates on a device that takes so many times as long, by bottleneck.
    pub fn times(mut self, factors: &[f64; N_BOTTLENECKS]) -> Self {
        for (rate, unit) in self.nanoseconds.iter_mut().zip(Unit::VARIANTS) {
            *rate *= factors[unit.bottleneck() as usize];
        }
        self
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
