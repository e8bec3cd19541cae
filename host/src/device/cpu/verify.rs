//! Verification on a thread: the lead once for two items, the rest of the branch for each pair of their records.

use crate::base::error::Result;
use crate::encode::Encoded;
use crate::plan::{Program, WalkChoice};
use hyperblock_shared::counts::Counts;
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::path::{Branch, Walk};
use hyperblock_shared::sweep::{Settings, Sweep};
use hyperblock_shared::text::scratch_words;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// More pairs of records than this are left to all threads together. A thread is worth many lanes of a GPU, for which
/// `hyperblock_shared::sweep::HEAVY` is the bound.
const HEAVY_FOR_A_THREAD: u64 = 1 << 16;

/// A thread's way to decide a pair.
#[derive(Clone)]
pub(super) struct Walker<'a> {
    encoded: &'a Encoded,
    walk: Walk<'a>,
    way: Way<'a>,
    scratch: Vec<u64>,
}

/// How a thread walks.
#[derive(Clone)]
enum Way<'a> {
    StepByStep,
    ByDescent,
    Counted(Tally<'a>),
}

/// A thread's own counts: it adds them to those of all when it is done, so that threads do not wait for each other.
struct Tally<'a> {
    own: Vec<AtomicU64>,
    all: &'a [AtomicU64],
}

impl<'a> Tally<'a> {
    fn new(all: &'a [AtomicU64]) -> Self {
        Self { own: all.iter().map(|_| AtomicU64::new(0)).collect(), all }
    }
}

impl Clone for Tally<'_> {
    /// Of another thread, which has counted nothing yet.
    fn clone(&self) -> Self {
        Self::new(self.all)
    }
}

impl Drop for Tally<'_> {
    fn drop(&mut self) {
        for (all, own) in self.all.iter().zip(&mut self.own) {
            all.fetch_add(*own.get_mut(), Relaxed);
        }
    }
}

impl<'a> Walker<'a> {
    /// A thread of a scan; `counts` are those of all threads.
    pub(super) fn new(encoded: &'a Encoded, program: &'a Program, counts: &'a [AtomicU64]) -> Result<Self> {
        let scratch = vec![0u64; scratch_words(encoded.longest()) as usize];
        let way = match program.options().walk {
            WalkChoice::StepByStep => Way::StepByStep,
            WalkChoice::ByDescent => Way::ByDescent,
            WalkChoice::Counted => Way::Counted(Tally::new(counts)),
        };
        Ok(Self { encoded, walk: program.walk()?, way, scratch })
    }

    #[inline]
    pub(super) fn witness(&mut self, branch: Branch, left: u32, right: u32) -> Option<u32> {
        let Self { encoded, walk, way, scratch } = self;
        let scratch = &mut scratch[..];
        match way {
            Way::StepByStep => walk.witness(branch, *encoded, left, right, scratch, &mut ()),
            Way::ByDescent => walk.witness_by_descent(branch, *encoded, left, right, scratch),
            Way::Counted(tally) => {
                walk.witness(branch, *encoded, left, right, scratch, &mut Counts(&tally.own))
            }
        }
    }
}

/// A thread's verification, and what it found.
pub(super) struct Verify<'a> {
    walker: Walker<'a>,
    sweep: &'a Sweep<'a>,
    is_grouped: bool,
    /// Candidates.
    pub(super) found: Vec<Candidate>,
    /// Pairs of items that satisfy the lead and stand for very many pairs of records.
    pub(super) heavies: Vec<(u32, u32)>,
}

impl<'a> Verify<'a> {
    pub(super) fn new(walker: Walker<'a>, sweep: &'a Sweep<'a>) -> Self {
        let is_grouped = !sweep.left.starts.is_empty();
        Self { walker, sweep, is_grouped, found: Vec::new(), heavies: Vec::new() }
    }

    /// Two items that passed the screen.
    pub(super) fn items(&mut self, left: u32, right: u32) {
        let Sweep { left: lefts, right: rights, settings, .. } = *self.sweep;
        if !self.is_grouped {
            let branch = settings.branch(settings.is_decided);
            self.records(&settings, branch, lefts.records[left as usize], rights.records[right as usize]);
            return;
        }
        let (places_l, places_r) = (lefts.places(left), rights.places(right));
        let first = |records: &[u32], place: u32| records[place as usize];
        let (a, b) = (first(lefts.records, places_l.start), first(rights.records, places_r.start));
        if !settings.is_decided && self.walker.witness(settings.lead(), a, b).is_none() {
            return;
        }
        if u64::from(places_l.end - places_l.start) * u64::from(places_r.end - places_r.start)
            > HEAVY_FOR_A_THREAD
        {
            self.heavies.push((left, right));
            return;
        }
        // Of an item with itself, each pair of records once.
        let is_same = settings.order == hyperblock_shared::sweep::Order::Unordered && left == right;
        let branch = settings.branch(true);
        for place_l in places_l {
            let from = if is_same { place_l + 1 } else { places_r.start };
            for place_r in from..places_r.end {
                let (l, r) = (lefts.records[place_l as usize], rights.records[place_r as usize]);
                self.records(&settings, branch, l, r);
            }
        }
    }

    #[inline]
    fn records(&mut self, settings: &Settings, branch: Branch, left: u32, right: u32) {
        if let Some((left, right)) = settings.order.pair(left, right)
            && let Some(rule) = self.walker.witness(branch, left, right)
        {
            self.found.push(Candidate { left, right, rule });
        }
    }
}
