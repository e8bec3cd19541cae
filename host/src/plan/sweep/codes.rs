//! Sweeps over records in the order of codes that are no column's.

use super::reach::Meeting;
use super::{ItemList, Sweep};
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::plan::ScanOptions;
use hyperblock_shared::screen::{Screen, Sketch};
use hyperblock_shared::sweep::{Order, Settings};
use rayon::prelude::*;
use std::sync::Arc;

impl Sweep {
    /// The pairs of records with equal codes: by side, codes and the records that have them. One side's are those of both if
    /// pairs are unordered.
    pub(crate) fn by_code(
        [left, right]: [(&[u32], &[u32]); 2],
        settings: Settings,
        options: &ScanOptions,
    ) -> Result<Self> {
        let list = |(codes, records): (&[u32], &[u32])| {
            let mut coded: Vec<(u32, u32)> =
                codes.par_iter().copied().zip(records.par_iter().copied()).gather();
            coded.par_sort_unstable();
            let sketches = coded.par_iter().map(|&(code, _)| Sketch::of_code(code)).gather();
            let records = coded.par_iter().map(|&(_, record)| record).gather();
            Arc::new(ItemList { sketches, records, ..ItemList::default() })
        };
        let left = list(left);
        let right = if settings.order == Order::Unordered { left.clone() } else { list(right) };
        let lists = [left, right];
        let whole = lists.each_ref().map(|list| 0..list.len());
        let (order, n_items) = (settings.order, options.interval);
        let meeting = Meeting { screen: Screen::Codes, measure: None, order, n_items };
        let intervals = meeting.intervals(&lists, whole);
        let settings = Settings { screen: Screen::Codes, is_decided: true, ..settings };
        Self::new(lists, intervals, settings, options.stretch)
    }
}
