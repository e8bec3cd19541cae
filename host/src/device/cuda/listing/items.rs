//! Lists on a GPU: records brought into the order of a lead, and what of two lists can meet.

use super::{Keys, Source, Words, no_list, upper_bits};
use crate::base::error::{Error, Result};
use crate::device::cuda::Cuda;
use crate::device::cuda::columns::Slices;
use crate::device::cuda::relation::SortBuffers;
use crate::encode::Encoded;
use crate::plan::sweep::ItemList;
use bytemuck::{cast_slice, cast_slice_mut};
use cudarc::driver::CudaSlice;
use hyperblock_shared::layout::{DeviceItems, DeviceLists, DeviceReach, DeviceSlice, n_sum_tiles};
use hyperblock_shared::listing::{Listing, Signed};
use hyperblock_shared::sweep::Settings;
use hyperblock_shared::window::Interval;
use std::ops::Range;

/// A list of items in device memory.
pub(in crate::device::cuda) struct List {
    /// As kernels see it. Its addresses point into the arrays below.
    pub(in crate::device::cuda) items: DeviceItems,
    pub(in crate::device::cuda) n_items: u32,
    /// By group, if there are any: its items.
    pub(in crate::device::cuda) groups: Vec<Range<u32>>,
    starts: CudaSlice<u32>,
    records: CudaSlice<u32>,
    _lens: CudaSlice<u32>,
    /// Of sketches and upper halves of signatures.
    _words: [CudaSlice<u64>; 2],
}

/// Which records may be listed.
pub(in crate::device::cuda) enum Which<'a> {
    /// All of a range.
    All(&'a Range<u32>),
    /// Those of heavy keys, group by group, of the side with this number; and its first record.
    Heavy(&'a Keys, usize, u32),
    /// Those of light keys, in the order of their keys.
    Light(&'a mut Words, u32),
}

impl List {
    /// A list of some records.
    pub(in crate::device::cuda) fn new(
        source: &Source<'_>,
        listing: Option<Listing>,
        from: Which<'_>,
    ) -> Result<Self> {
        let Source { gpu, encoded, columns, .. } = *source;
        let (slices, launches) = (Slices(gpu), gpu.listing_launches()?);
        let n_words = gpu.zeros::<u32>(1)?;
        let none = no_list(columns.root, listing, slices.of(&n_words).cell(0));
        let mut n_groups = 0;
        let words = match from {
            Which::Light(words, n_keys) => {
                let mut buffers = SortBuffers::new(gpu, words.n)?;
                gpu.sort(&mut words.array, words.n, &[upper_bits(n_keys)], &mut buffers)?;
                return Self::of_words(source, none, words, 0, true);
            }
            Which::All(records) => placed(gpu, &n_words, records.len(), |words| DeviceLists {
                words: words.atomic(),
                first: records.start,
                n_records: records.end - records.start,
                ..none
            })?,
            Which::Heavy(keys, side, _) => {
                n_groups = keys.n_heavy;
                let Words { array, n } = &keys.heavy[side];
                placed(gpu, &n_words, *n, |words| DeviceLists {
                    words: words.atomic(),
                    from: slices.first(array, *n),
                    ..none
                })?
            }
        };
        let mut words = words;
        let mut buffers = SortBuffers::new(gpu, words.n)?;
        let mut sort =
            |words: &mut Words, bits: Range<u32>| gpu.sort(&mut words.array, words.n, &[bits], &mut buffers);
        if let Some(listing) = listing {
            sort(&mut words, upper_bits(encoded.n_codes(listing.operand)))?;
            if let Some(signed) = listing.signed {
                launches.lens(DeviceLists { words: slices.first(&words.array, words.n).atomic(), ..none })?;
                sort(&mut words, upper_bits(longest(encoded, signed) + 1))?;
            }
        }
        if let Which::Heavy(keys, side, first) = from {
            launches.groups(DeviceLists {
                words: slices.first(&words.array, words.n).atomic(),
                keys: keys.keys[side],
                kinds: slices.of(&keys.kinds),
                first,
                ..none
            })?;
            sort(&mut words, upper_bits(n_groups))?;
        }
        drop(buffers);
        Self::of_words(source, none, &words, n_groups, listing.is_some())
    }

    /// Of words that are in order; whether items are sketched.
    fn of_words(
        source: &Source<'_>,
        none: DeviceLists,
        words: &Words,
        n_groups: u32,
        is_sketched: bool,
    ) -> Result<Self> {
        let gpu = source.gpu;
        let (slices, launches) = (Slices(gpu), gpu.listing_launches()?);
        let listing: Option<Listing> = none.listing.into();
        let is_grouped = listing.is_some_and(|listing| listing.is_grouped);
        let begins = gpu.room::<u32>(if is_grouped { words.n } else { 0 })?;
        let begins_at = slices.first(&begins, if is_grouped { words.n } else { 0 });
        let in_order = DeviceLists {
            words: slices.first(&words.array, words.n).atomic(),
            begins: begins_at.atomic(),
            ..none
        };
        let mut n_items = [words.n as u32];
        if is_grouped {
            launches.begin(in_order)?;
            let tiles = gpu.zeros::<u32>(n_sum_tiles(words.n as u64) as usize + 1)?;
            gpu.relation_launches()?.sums(begins_at, slices.of(&tiles))?;
            gpu.download(&tiles.slice(tiles.len() - 1..), &mut n_items)?;
        }
        let [n_items] = n_items;
        let (n, n_signed) =
            (n_items as usize, listing.and_then(|listing| listing.signed).map_or(0, |_| n_items));
        let n_wide = if listing.and_then(|it| it.signed).is_some_and(Signed::is_wide) { n } else { 0 };
        let n_sketches = if is_sketched { 2 * n } else { 0 };
        let n_starts = if is_grouped { n + 1 } else { 0 };
        let (sketches, uppers) = (gpu.room::<u64>(n_sketches)?, gpu.room::<u64>(n_wide)?);
        let (lens, starts) = (gpu.room::<u32>(n_signed as usize)?, gpu.zeros::<u32>(n_starts.max(1))?);
        let records = gpu.room::<u32>(words.n)?;
        let bounds = gpu.zeros::<u32>((2 * n_groups as usize).max(1))?;
        let items = DeviceItems {
            sketches: slices.first(&sketches, n_sketches).of(),
            uppers: slices.first(&uppers, n_wide),
            lens: slices.first(&lens, n_signed as usize),
            starts: slices.first(&starts, n_starts),
            records: slices.first(&records, words.n),
        };
        launches.items(DeviceLists {
            sketches: slices.first(&sketches, n_sketches).atomic(),
            uppers: items.uppers.atomic(),
            lens: items.lens.atomic(),
            starts: items.starts.atomic(),
            records: items.records.atomic(),
            bounds: slices.first(&bounds, 2 * n_groups as usize).atomic(),
            n_items,
            ..in_order
        })?;
        let mut groups = vec![0u32; 2 * n_groups as usize];
        if n_groups > 0 {
            gpu.download(&bounds, &mut groups)?;
        }
        let groups = groups.chunks(2).map(|bounds| bounds[0]..bounds[1]).collect();
        Ok(Self { items, n_items, groups, starts, records, _lens: lens, _words: [sketches, uppers] })
    }

    /// What says which records its items have, brought to the host.
    pub(in crate::device::cuda) fn brought(&self, gpu: &Cuda) -> Result<ItemList> {
        let bring = |array: &CudaSlice<u32>, len: u64| -> Result<Vec<u32>> {
            let mut words = vec![0; len as usize];
            if len > 0 {
                gpu.download(&array.slice(..len as usize), &mut words)?;
            }
            Ok(words)
        };
        let starts = bring(&self.starts, self.items.starts.len())?;
        Ok(ItemList {
            starts,
            records: bring(&self.records, self.items.records.len())?,
            ..ItemList::default()
        })
    }
}

/// The items of two lists that may meet, group by group.
pub(in crate::device::cuda) fn groups([left, right]: [&List; 2]) -> Result<Vec<[Range<u32>; 2]>> {
    if left.groups.len() != right.groups.len() {
        return Err(Error::Internal("two lists within keys that are not the same".into()));
    }
    if left.groups.is_empty() {
        return Ok(vec![[0..left.n_items, 0..right.n_items]]);
    }
    Ok(left.groups.iter().cloned().zip(right.groups.iter().cloned()).map(|(l, r)| [l, r]).collect())
}

/// What of some groups of two lists can meet: intervals of the left one, each with the items of the right one within reach.
pub(in crate::device::cuda) fn intervals(
    source: &Source<'_>,
    [left, right]: [&List; 2],
    groups: &[[Range<u32>; 2]],
    settings: &Settings,
) -> Result<Vec<Interval>> {
    let (gpu, slices) = (source.gpu, Slices(source.gpu));
    let mut intervals = Vec::new();
    for [lefts, rights] in groups.iter().filter(|[_, rights]| !rights.is_empty()) {
        for left_from in lefts.clone().step_by(source.interval as usize) {
            let left_upto = lefts.end.min(left_from.saturating_add(source.interval));
            let Range { start, end } = *rights;
            intervals.push(Interval { left_from, left_upto, right_from: start, right_upto: end });
        }
    }
    if intervals.is_empty() {
        return Ok(intervals);
    }
    let words = gpu.upload::<u32>(cast_slice(&intervals))?;
    gpu.listing_launches()?.reach(DeviceReach {
        path: source.path,
        sketches: [left.items.sketches, right.items.sketches],
        lens: [left.items.lens, right.items.lens],
        intervals: slices.of(&words).atomic(),
        screen: settings.screen as u32,
        order: settings.order as u32,
        lead: settings.lead,
        padding: 0,
    })?;
    gpu.download(&words, cast_slice_mut::<Interval, u32>(&mut intervals))?;
    intervals.retain(|interval| interval.right_from < interval.right_upto);
    Ok(intervals)
}

/// What is placed of at most so many records.
fn placed(
    gpu: &Cuda,
    n_words: &CudaSlice<u32>,
    most: usize,
    place: impl FnOnce(DeviceSlice<u64>) -> DeviceLists,
) -> Result<Words> {
    let array = gpu.room::<u64>(most)?;
    gpu.listing_launches()?.place(place(Slices(gpu).first(&array, most)))?;
    let mut n = [0];
    gpu.download(n_words, &mut n)?;
    Ok(Words { array, n: n[0] as usize })
}

/// The most symbols or tokens of a value.
fn longest(encoded: &Encoded, signed: Signed) -> u32 {
    match signed {
        Signed::Texts { texts, .. } => encoded.texts[texts as usize].longest,
        Signed::Sets { sets, .. } => encoded.sets[sets as usize].longest,
    }
}
