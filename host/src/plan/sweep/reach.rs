//! Reach: which range of right items can meet a run of left ones.

use super::ItemList;
use super::lead::Lead;
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::path::Walk;
use hyperblock_shared::screen::{Screen, Sketch};
use hyperblock_shared::sweep::Order;
use hyperblock_shared::window::Interval;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// How items meet.
pub(super) struct Meeting<'a> {
    pub(super) screen: Screen,
    /// If the screen has signatures, of what.
    pub(super) measure: Option<&'a ArchivedMeasure>,
    pub(super) order: Order,
    /// Left items in an interval.
    pub(super) n_items: u32,
}

impl<'a> Meeting<'a> {
    pub(super) fn new(lead: &Lead, walk: Walk<'a>, order: Order, n_items: u32) -> Self {
        let has_signatures = matches!(lead.screen, Screen::Signatures | Screen::WideSignatures);
        let measure = has_signatures.then(|| walk.predicate(lead.predicate).measure()).flatten();
        Self { screen: lead.screen, measure, order, n_items }
    }

    /// Cuts a range of the left list into intervals, each with the items of a range of the right list within reach.
    /// Intervals that reach nothing are left out.
    pub(super) fn intervals(
        &self,
        [left, right]: &[Arc<ItemList>; 2],
        [lefts, rights]: [Range<u32>; 2],
    ) -> Vec<Interval> {
        let reach = Reach::new(self, left, right, rights);
        let interval = |left_from: u32| {
            let left_upto = lefts.end.min(left_from.saturating_add(self.n_items));
            let Range { start, end } = reach.of(left_from as usize..left_upto as usize);
            // Of one list, items before the first have met it already.
            let start = if self.order == Order::Unordered { start.max(left_from) } else { start };
            (start < end).then_some(Interval { left_from, left_upto, right_from: start, right_upto: end })
        };
        let starts = lefts.clone().step_by(self.n_items as usize);
        if starts.len() < MANY_INTERVALS {
            return starts.filter_map(interval).collect();
        }
        let starts = (0..starts.len()).into_par_iter().map(|ix| lefts.start + ix as u32 * self.n_items);
        starts.filter_map(interval).collect()
    }
}

/// Fewer intervals than this are found in less time than it takes to wake a thread.
const MANY_INTERVALS: usize = 1 << 8;

/// How the range of right items is found.
enum Reach<'a> {
    Everything(Range<u32>),
    /// By code, which ascends in both lists.
    Codes {
        left: &'a [Sketch],
        right: &'a [Sketch],
        /// The place of the first of them.
        right_from: u32,
        is_reach: bool,
    },
    /// By length, which ascends in both lists: where the items of each length begin.
    Lens {
        left: &'a [u32],
        right: Vec<(u32, u32)>,
        right_upto: u32,
        measure: &'a ArchivedMeasure,
    },
}

impl<'a> Reach<'a> {
    fn new(meeting: &Meeting<'a>, left: &'a ItemList, right: &'a ItemList, range: Range<u32>) -> Self {
        let codes = |is_reach| {
            let rights = &right.sketches[range.start as usize..range.end as usize];
            Self::Codes { left: &left.sketches, right: rights, right_from: range.start, is_reach }
        };
        match meeting.screen {
            Screen::None => Self::Everything(range),
            Screen::Codes => codes(false),
            Screen::Reaches => codes(true),
            Screen::Signatures | Screen::WideSignatures => match meeting.measure {
                None => Self::Everything(range),
                Some(measure) => {
                    let mut firsts: Vec<(u32, u32)> = Vec::new();
                    let lens = &right.lens[range.start as usize..range.end as usize];
                    let mut place = 0;
                    while let Some(&len) = lens.get(place) {
                        firsts.push((len, range.start + place as u32));
                        place += lens[place..].partition_point(|&other| other <= len);
                    }
                    Self::Lens { left: &left.lens, right: firsts, right_upto: range.end, measure }
                }
            },
        }
    }

    fn of(&self, items: Range<usize>) -> Range<u32> {
        match self {
            Self::Everything(range) => range.clone(),
            Self::Codes { left, right, right_from, is_reach } => {
                let reaches = left[items].iter().map(|sketch| match is_reach {
                    true => (sketch.reach().from, sketch.reach().upto),
                    false => (sketch.code(), sketch.code() + 1),
                });
                let (from, upto) =
                    reaches.fold((u32::MAX, 0), |(from, upto), (f, u)| (from.min(f), upto.max(u)));
                let place =
                    |code: u32| right_from + right.partition_point(|sketch| sketch.code() < code) as u32;
                if from < upto { place(from)..place(upto) } else { 0..0 }
            }
            Self::Lens { left, right, right_upto, measure } => {
                let (mut from, mut upto) = (u32::MAX, 0);
                let mut seen = None;
                for &len in left[items].iter().filter(|&&len| seen.replace(len) != Some(len)) {
                    let Range { start, end } = lens_within(measure, len, right, *right_upto);
                    if start < end {
                        (from, upto) = (from.min(start), upto.max(end));
                    }
                }
                from..upto
            }
        }
    }
}

/// The items whose lengths go with `len`. For every measure these are the lengths between two bounds around `len`: the
/// nearer the lengths, the more alike values can be.
fn lens_within(measure: &ArchivedMeasure, len: u32, firsts: &[(u32, u32)], end_of_all: u32) -> Range<u32> {
    let is_near = |other: u32| measure.limits(len, other).is_possible();
    let same = firsts.partition_point(|&(other, _)| other < len);
    let start = firsts[..same].partition_point(|&(other, _)| !is_near(other));
    let end = same + firsts[same..].partition_point(|&(other, _)| is_near(other));
    let place = |ix: usize| firsts.get(ix).map_or(end_of_all, |&(_, place)| place);
    place(start)..place(end)
}
