//! Points that are near each other, where nobody has listed what has a cell in common: a GPU looks up cells, and a thread goes
//! around the sphere instead.
//!
//! ```text
//!   records ─► bands of latitude, in the order of longitude ─► of each point, a range of its own band and of the next ─► walk
//! ```
//!
//! The ranges of a point begin and end where those of the point before it do, or a little later, so nothing is looked up. The
//! points of a range lie together in memory, and about half of them are near ([`bands`] says how far they can be, [`chords`] which
//! are): of points that have a cell in common, as an index finds them, it is one in eleven. A point that many records have is as many
//! points here: each pair of them is a candidate of the lead anyway.

mod bands;
mod chords;

use super::scan::CpuScan;
use super::verify::Walker;
use crate::base::compared::Compared;
use crate::base::control::{Control, Steps};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::latency::Latency;
use crate::base::ranges;
use crate::base::threads;
use crate::base::timeline::Lane;
use crate::plan::WalkChoice;
use crate::plan::access::{By, Lists, Unlisted};
use crate::plan::overlap::Sampled;
use crate::plan::path::OverlapMethod;
use bands::{Bands, Standing};
use chords::Farthest;
use hyperblock_shared::columns::{Columns, MISSING, Point};
use hyperblock_shared::layout::Candidate;
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::sweep::Order;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// Points of which a thread takes the ranges at a time.
const BATCH: usize = 1 << 8;
/// Points that are worth another thread.
const POINTS_AT_ONCE: usize = 1 << 12;

/// Its test, and the witness behind it.
const STEPS_OF_A_LEAD: u32 = 2;

impl CpuScan<'_> {
    /// Whether a path is left for this to list.
    pub(super) fn is_around(by: &By) -> bool {
        matches!(by, By::Lead(lists) if lists.overlap.is_some_and(|manner| {
            manner.method == OverlapMethod::Index && matches!(manner.elements, Sampled::Cells(_))
        }))
    }

    /// The steps that this is done in, about.
    pub(super) fn steps_around(unlisted: &Unlisted) -> u64 {
        unlisted.block.left.len().div_ceil(BATCH) as u64
    }

    /// Appends the candidates of a path that is its own, or some of them if they are more than `most`. How many pairs of records
    /// were compared.
    pub(super) fn near(
        &self,
        unlisted: &Unlisted,
        most: usize,
        control: &Control,
        steps: &Steps<'_>,
        found: &mut Vec<Candidate>,
    ) -> Result<Compared> {
        let other =
            || Error::Internal("points that are near each other, without a lead that asks for that".into());
        let Unlisted { by: By::Lead(Lists { of: [Some(left), Some(right)], settings, .. }), block, .. } =
            unlisted
        else {
            return Err(other());
        };
        let measure = self.program.walk()?.predicate(settings.lead).measure();
        let Some(ArchivedMeasure::Near { points, most: chord, .. }) = measure else { return Err(other()) };
        let (points, chord) = (self.encoded.points(points.to_native()), chord.get());
        let is_self = settings.order == Order::Unordered;
        let farthest = Farthest::new(chord);
        let bands = Bands::new(chord, block.left.len().max(block.right.len()));
        let list = |operand: u32, records: &Range<u32>| {
            Ring::new(self.encoded.codes(operand), records.clone(), points, &bands, control)
        };
        let (left, right) = control.note(Lane::Scan, "lists", || {
            let right = (!is_self).then(|| list(right.operand, &block.right)).transpose()?;
            Ok::<_, Error>((list(left.operand, &block.left)?, right))
        })?;
        let right = right.as_ref();
        let (taken, n_found) = (AtomicUsize::new(0), AtomicUsize::new(found.len()));
        let branch = settings.branch(true);
        // Where nothing else is asked, all pairs have the same witness.
        let is_all = self.program.branches().len() == 1
            && settings.upto - settings.from == STEPS_OF_A_LEAD
            && self.program.options().walk == WalkChoice::StepByStep;
        let work = || {
            let mut walker = Walker::new(self.encoded, self.program, &self.counts)?;
            let mut own: Vec<Candidate> = Vec::new();
            let mut of_all = None;
            let mut took = control.is_watched().then(Latency::default);
            let mut n_compared = 0u64;
            loop {
                let from = taken.fetch_add(BATCH, Relaxed);
                if from >= left.len() || n_found.load(Relaxed) > most {
                    break;
                }
                control.check()?;
                let since = Instant::now();
                let n_before = own.len();
                Around { bands: &bands, left: &left, right, farthest }.each(
                    from..from + BATCH,
                    &mut |ranges| {
                        control.pass();
                        n_compared += ranges.len() as u64;
                        ranges.near(&mut |l, r| {
                            if let Some((left, right)) = settings.order.pair(l, r)
                                && let Some(rule) = of_all.or_else(|| walker.witness(branch, left, right))
                            {
                                of_all = Some(rule).filter(|_| is_all);
                                own.push(Candidate { left, right, rule });
                            }
                        });
                        // Very many records may have one point.
                        own.len() <= most
                    },
                );
                n_found.fetch_add(own.len() - n_before, Relaxed);
                took.iter_mut().for_each(|took| took.record(since.elapsed()));
                steps.done(1);
            }
            took.iter().for_each(|took| control.watch(|latencies| latencies.intervals.add(took)));
            Ok((own, n_compared))
        };
        // Most of the threads would wake up to find that the work is done already.
        let n_threads = threads::n_threads().min(left.len().div_ceil(BATCH));
        let parts = (0..n_threads).into_par_iter().with_max_len(1).map(|_| work());
        let parts: Vec<(Vec<Candidate>, u64)> = parts.collect::<Result<_>>()?;
        let n_compared = parts.iter().map(|(_, n)| n).sum();
        gather(found, parts.into_iter().map(|(own, _)| own));
        // Of pairs that come either way round one counts.
        Ok(match settings.order {
            Order::Unordered | Order::AsTheyAre => Compared::exactly(n_compared),
            Order::Ascending => Compared::at_most(n_compared),
        })
    }
}

/// Appends what threads have found.
fn gather(found: &mut Vec<Candidate>, parts: impl Iterator<Item = Vec<Candidate>>) {
    for part in parts {
        if found.is_empty() {
            *found = part;
        } else {
            found.par_extend(part);
        }
    }
}

/// Points of a side, band by band and around each.
struct Ring {
    points: Vec<Point>,
    around: Vec<u32>,
    records: Vec<u32>,
    /// By band: where its points begin; and at the end, how many there are.
    starts: Vec<u32>,
}

/// A record's point, and where it is.
#[derive(Clone, Copy)]
struct Stood {
    at: u64,
    record: u32,
    code: u32,
}

impl Ring {
    fn new(
        codes: &[u32],
        records: Range<u32>,
        points: &[Point],
        bands: &Bands,
        control: &Control,
    ) -> Result<Self> {
        let at = |point: &Point| {
            let Standing { band, around } = bands.standing(point);
            u64::from(band) << 32 | u64::from(around)
        };
        // Where nearly all are asked for, it takes less to go through them in the order that they lie in.
        let known: Vec<u64> = match records.len() >= points.len() / 2 {
            true => points.par_iter().with_min_len(POINTS_AT_ONCE).map(at).gather(),
            false => Vec::new(),
        };
        let stood = |record: u32| {
            let code = codes[record as usize];
            let at = || known.get(code as usize).copied().unwrap_or_else(|| at(&points[code as usize]));
            (code != MISSING).then(|| Stood { at: at(), record, code })
        };
        let mut all: Vec<Stood> =
            records.into_par_iter().with_min_len(POINTS_AT_ONCE).filter_map(stood).collect();
        drop(known);
        let compare = |a: &Stood, b: &Stood| (a.at, a.record).cmp(&(b.at, b.record));
        ranges::sort(&mut all, &mut Vec::new(), |it| it.at, compare, control)?;
        let mut starts = Vec::with_capacity(bands.n() as usize + 1);
        for (place, it) in (0..).zip(&all) {
            let band = (it.at >> 32) as usize;
            while starts.len() <= band {
                starts.push(place);
            }
        }
        starts.resize(bands.n() as usize + 1, all.len() as u32);
        let each = || all.par_iter().with_min_len(POINTS_AT_ONCE);
        Ok(Self {
            points: each().map(|it| points[it.code as usize]).collect(),
            around: each().map(|it| it.at as u32).collect(),
            records: each().map(|it| it.record).collect(),
            starts,
        })
    }

    /// How many there are.
    fn len(&self) -> usize {
        self.records.len()
    }

    /// The points of a band.
    fn band(&self, band: u32) -> Range<usize> {
        self.starts[band as usize] as usize..self.starts[band as usize + 1] as usize
    }
}

/// Who goes around the sphere.
struct Around<'a> {
    bands: &'a Bands,
    left: &'a Ring,
    /// None, if that is the left one, and each pair counts once.
    right: Option<&'a Ring>,
    farthest: Farthest,
}

/// A left point, and the right ones that may be near it.
struct Ranges<'a> {
    left: usize,
    lefts: &'a Ring,
    rights: &'a Ring,
    /// The second one, where the way around ends within the first.
    ranges: [Range<usize>; 2],
    farthest: Farthest,
}

impl Ranges<'_> {
    fn len(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// The records of the pairs that are near.
    #[inline(always)]
    fn near(&self, take: &mut impl FnMut(u32, u32)) {
        let (point, record) = (&self.lefts.points[self.left], self.lefts.records[self.left]);
        for range in &self.ranges {
            let (points, names) = (&self.rights.points[range.clone()], &self.rights.records[range.clone()]);
            self.farthest.near(point, points, names, |right| take(record, right));
        }
    }
}

impl<'a> Around<'a> {
    /// Some left points with those that may be near them, until `take` wants no more.
    fn each(&self, lefts: Range<usize>, take: &mut impl FnMut(Ranges<'a>) -> bool) {
        let lefts = lefts.start..lefts.end.min(self.left.len());
        let mut from = lefts.start;
        while from < lefts.end {
            let band = self.left.starts.partition_point(|&start| start as usize <= from) as u32 - 1;
            let of_band = from..self.left.band(band).end.min(lefts.end);
            from = of_band.end;
            // Of one side with itself, the next band meets the one before it.
            let others = match self.right {
                Some(_) => band.saturating_sub(1)..(band + 2).min(self.bands.n()),
                None => band..(band + 2).min(self.bands.n()),
            };
            for other in others {
                if !self.both(of_band.clone(), (band, other), take) {
                    return;
                }
            }
        }
    }

    /// The same of one band with another. Whether more is wanted.
    fn both(
        &self,
        lefts: Range<usize>,
        (band, other): (u32, u32),
        take: &mut impl FnMut(Ranges<'a>) -> bool,
    ) -> bool {
        let rights = self.right.unwrap_or(self.left);
        let all = rights.band(other);
        let is_within = self.right.is_none() && band == other;
        let reach = self.bands.reach(band, other);
        let around = &rights.around[all.clone()];
        let (mut from, mut upto) = (0, 0);
        lefts.into_iter().all(|left| {
            let ranges = match reach {
                None if is_within => [left + 1..all.end, 0..0],
                None => [all.clone(), 0..0],
                Some(reach) => {
                    let at = self.left.around[left];
                    let first = at.wrapping_sub(if is_within { 0 } else { reach });
                    let last = at.wrapping_add(reach);
                    from =
                        if is_within { left + 1 - all.start } else { moved(around, from, |it| it < first) };
                    upto = moved(around, upto, |it| it <= last);
                    match first <= last {
                        true => [all.start + from..all.start + upto.max(from), 0..0],
                        false => [all.start + from..all.end, all.start..all.start + upto],
                    }
                }
            };
            let nearest = Ranges { left, lefts: self.left, rights, ranges, farthest: self.farthest };
            nearest.len() == 0 || take(nearest)
        })
    }
}

/// How many of these, which ascend, come before something: it was so many before, and is about as many now.
fn moved(all: &[u32], before: usize, is_before: impl Fn(u32) -> bool) -> usize {
    const STEPS: usize = 16;
    let next = all[before..].iter().take(STEPS).take_while(|&&it| is_before(it)).count();
    let is_there = next < STEPS && (next > 0 || before == 0 || is_before(all[before - 1]));
    if is_there { before + next } else { all.partition_point(|&it| is_before(it)) }
}
