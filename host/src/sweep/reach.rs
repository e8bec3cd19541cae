//! Reach: which range of right items can meet a run of left ones.

use super::ItemList;
use super::lead::Lead;
use hyperblock_shared::path::Walk;
use hyperblock_shared::predicate::ArchivedMeasure;
use hyperblock_shared::screen::{Limits, Screen, Sketch};
use hyperblock_shared::sweep::Order;
use hyperblock_shared::window::Interval;
use std::ops::Range;

/// Cuts the left list into intervals, each with the right items within reach. Intervals that reach nothing are left out.
pub(super) fn intervals(
    lead: &Lead,
    [left, right]: [&ItemList; 2],
    walk: Walk<'_>,
    order: Order,
    n_items: u32,
) -> Vec<Interval> {
    let reach = Reach::new(lead, left, right, walk);
    let mut intervals = Vec::new();
    for left_from in (0..left.len()).step_by(n_items as usize) {
        let left_upto = left.len().min(left_from.saturating_add(n_items));
        let Range { start, end } = reach.of(left_from as usize..left_upto as usize);
        // Of one list, items before the first have met it already.
        let start = if order == Order::Unordered { start.max(left_from) } else { start };
        if start < end {
            intervals.push(Interval { left_from, left_upto, right_from: start, right_upto: end });
        }
    }
    intervals
}

/// How the range of right items is found.
enum Reach<'a> {
    Everything(u32),
    /// By code, which ascends in both lists.
    Codes {
        left: &'a [Sketch],
        right: &'a [Sketch],
        is_reach: bool,
    },
    /// By length, which ascends in both lists: where the items of each length begin.
    Lens {
        left: &'a [u32],
        right: Vec<(u32, u32)>,
        n_right: u32,
        measure: &'a ArchivedMeasure,
    },
}

impl<'a> Reach<'a> {
    fn new(lead: &Lead, left: &'a ItemList, right: &'a ItemList, walk: Walk<'a>) -> Self {
        let (lefts, rights) = (&left.sketches[..], &right.sketches[..]);
        match lead.screen {
            Screen::None => Self::Everything(right.len()),
            Screen::Codes => Self::Codes { left: lefts, right: rights, is_reach: false },
            Screen::Reaches => Self::Codes { left: lefts, right: rights, is_reach: true },
            Screen::Signatures | Screen::WideSignatures => match walk.predicate(lead.predicate).measure() {
                None => Self::Everything(right.len()),
                Some(measure) => {
                    let mut firsts: Vec<(u32, u32)> = Vec::new();
                    for (place, &len) in (0..).zip(&right.lens) {
                        if firsts.last().is_none_or(|&(last, _)| last != len) {
                            firsts.push((len, place));
                        }
                    }
                    Self::Lens { left: &left.lens, right: firsts, n_right: right.len(), measure }
                }
            },
        }
    }

    fn of(&self, items: Range<usize>) -> Range<u32> {
        match self {
            Self::Everything(n_right) => 0..*n_right,
            Self::Codes { left, right, is_reach } => {
                let reaches = left[items].iter().map(|sketch| match is_reach {
                    true => (sketch.reach().from, sketch.reach().upto),
                    false => (sketch.code(), sketch.code() + 1),
                });
                let (from, upto) =
                    reaches.fold((u32::MAX, 0), |(from, upto), (f, u)| (from.min(f), upto.max(u)));
                let place = |code: u32| right.partition_point(|sketch| sketch.code() < code) as u32;
                if from < upto { place(from)..place(upto) } else { 0..0 }
            }
            Self::Lens { left, right, n_right, measure } => {
                let (mut from, mut upto) = (u32::MAX, 0);
                let mut seen = None;
                for &len in left[items].iter().filter(|&&len| seen.replace(len) != Some(len)) {
                    let Range { start, end } = lens_within(measure, len, right, *n_right);
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
fn lens_within(measure: &ArchivedMeasure, len: u32, firsts: &[(u32, u32)], n_items: u32) -> Range<u32> {
    let is_near = |other: u32| Limits::of(measure, len, other).is_possible();
    let same = firsts.partition_point(|&(other, _)| other < len);
    let start = firsts[..same].partition_point(|&(other, _)| !is_near(other));
    let end = same + firsts[same..].partition_point(|&(other, _)| is_near(other));
    let place = |ix: usize| firsts.get(ix).map_or(n_items, |&(_, place)| place);
    place(start)..place(end)
}
