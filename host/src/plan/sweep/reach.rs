//! Reach: which range of right items can meet a run of left ones.

use super::ItemList;
use super::lead::Lead;
use hyperblock_shared::listing::{codes_met, items_of_codes, items_of_lens};
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
        rights: Range<u32>,
        screen: Screen,
    },
    /// By length, which ascends in both lists.
    Lens {
        left: &'a [u32],
        right: &'a [u32],
        rights: Range<u32>,
        measure: &'a ArchivedMeasure,
    },
}

impl<'a> Reach<'a> {
    fn new(meeting: &Meeting<'a>, left: &'a ItemList, right: &'a ItemList, rights: Range<u32>) -> Self {
        match (meeting.screen, meeting.measure) {
            (Screen::Codes | Screen::Reaches, _) => {
                Self::Codes { left: &left.sketches, right: &right.sketches, rights, screen: meeting.screen }
            }
            (Screen::Signatures | Screen::WideSignatures, Some(measure)) => {
                Self::Lens { left: &left.lens, right: &right.lens, rights, measure }
            }
            (Screen::None | Screen::Signatures | Screen::WideSignatures, _) => Self::Everything(rights),
        }
    }

    fn of(&self, items: Range<usize>) -> Range<u32> {
        match self {
            Self::Everything(range) => range.clone(),
            Self::Codes { left, right, rights, screen } => {
                let codes = hull(left[items].iter().map(|sketch| codes_met(*screen, sketch)));
                if codes.is_empty() { 0..0 } else { items_of_codes(right, rights.clone(), codes) }
            }
            Self::Lens { left, right, rights, measure } => {
                let mut seen = None;
                let lens = left[items].iter().filter(|&&len| seen.replace(len) != Some(len));
                hull(lens.map(|&len| items_of_lens(measure, len, right, rights.clone())))
            }
        }
    }
}

/// From the first of what ranges have to the last.
fn hull(ranges: impl Iterator<Item = Range<u32>>) -> Range<u32> {
    let (from, upto) = ranges
        .filter(|range| !range.is_empty())
        .fold((u32::MAX, 0), |(from, upto), range| (from.min(range.start), upto.max(range.end)));
    from..upto
}
