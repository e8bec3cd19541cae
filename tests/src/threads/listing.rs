//! The kernels that make keys and lists on CPU threads, one after the other as `cuda::listing` launches them. What they make
//! goes on as if the host had listed it.

use super::join::{Checked, plain};
use super::{KernelOnThreads, Thread, UNWRITTEN, atomics, launch};
use hyperblock::encode::Encoded;
use hyperblock::plan::Program;
use hyperblock::plan::access::{Access, By, ByKey, KeyJoin, KeyList, Lists, Unlisted};
use hyperblock::plan::join::JoinMethod;
use hyperblock::plan::path::KeyMethod;
use hyperblock::plan::sweep::{Block, ItemList, Sweep};
use hyperblock::{Error, Result};
use hyperblock_device::listing as kernels;
use hyperblock_shared::columns::Columns;
use hyperblock_shared::listing::{Listing, N_TOTALS, Signed, Total};
use hyperblock_shared::relation::{EMPTY, first_of, n_slots_for, second_of};
use hyperblock_shared::screen::{Screen, Sketch};
use hyperblock_shared::sweep::{Order, Settings};
use hyperblock_shared::window::Interval;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// A block's records by key, by side; of one side with itself, once.
pub(super) struct Keys {
    light: Vec<Vec<u64>>,
    heavy: Vec<Vec<u64>>,
    keys: Vec<Vec<u32>>,
    kinds: Vec<u32>,
    totals: Vec<u64>,
}

/// A list, and the items of each group.
pub(super) struct List {
    pub(super) items: Arc<ItemList>,
    groups: Vec<Range<u32>>,
}

/// Which records may be listed, as `cuda::listing` has it.
pub(super) enum Which<'a> {
    All(&'a Range<u32>),
    Heavy(&'a Keys, usize, u32),
    Light(&'a [u64]),
}

/// What kernels make of records that nobody has listed.
pub(super) struct Lister<'a> {
    pub(super) device: &'a KernelOnThreads,
    pub(super) encoded: &'a Encoded,
    pub(super) program: &'a Program,
}

/// The items of two lists that may meet, group by group.
pub(super) fn groups([left, right]: [&List; 2]) -> Vec<[Range<u32>; 2]> {
    let both = left.groups.iter().cloned().zip(right.groups.iter().cloned());
    match left.groups.is_empty() {
        true => vec![[0..left.items.len(), 0..right.items.len()]],
        false => both.map(|(left, right)| [left, right]).collect(),
    }
}

pub(super) fn wide_atomics(n: usize, value: u64) -> Vec<AtomicU64> {
    (0..n).map(|_| AtomicU64::new(value)).collect()
}

pub(super) fn wide_plain(words: Vec<AtomicU64>) -> Vec<u64> {
    words.into_iter().map(AtomicU64::into_inner).collect()
}

impl Lister<'_> {
    pub(super) fn launch(&self, body: impl Fn(&Thread<'_>) + Sync) {
        launch(self.device.n_blocks, self.device.threads_per_block, 0, body);
    }

    /// The same, listed.
    pub(super) fn accesses(&self, unlisted: &Unlisted) -> Result<Vec<Access>> {
        let block = &unlisted.block;
        match &unlisted.by {
            By::Lead(lists @ Lists { of, settings, .. }) => {
                let left = self.list(of[0], Which::All(&block.left));
                let right = match settings.order {
                    Order::Unordered => None,
                    Order::AsTheyAre | Order::Ascending => Some(self.list(of[1], Which::All(&block.right))),
                };
                self.lead([&left, right.as_ref().unwrap_or(&left)], lists)
            }
            By::Key(by) => self.by_key(block, by),
        }
    }

    fn by_key(&self, block: &Block, by: &ByKey) -> Result<Vec<Access>> {
        let keys = self.keys(block, by);
        let mut accesses = Vec::new();
        let n_pairs = keys.totals[Total::LightPairs as usize];
        match by.found_by {
            _ if n_pairs == 0 => {}
            KeyMethod::Hash => {
                let mut lists = keys.light.iter().map(|words| {
                    let (keys, rows) = words.iter().map(|&word| (second_of(word), first_of(word))).unzip();
                    Arc::new(KeyList { keys, rows })
                });
                let left = lists.next().expect("there is a left side");
                accesses.push(Access::Join(KeyJoin {
                    right: lists.next().unwrap_or_else(|| left.clone()),
                    left,
                    settings: by.light,
                    method: JoinMethod::Skew,
                    found_by: by.found_by,
                    predicates: Vec::new(),
                    is_same_value: false,
                    n_keys: keys.totals[Total::LightKeys as usize] as u32,
                    n_pairs,
                }));
            }
            KeyMethod::Sweep => {
                let lists: Vec<List> =
                    keys.light.iter().map(|words| self.list(None, Which::Light(words))).collect();
                let settings = Settings { screen: Screen::Codes, is_decided: true, ..by.light };
                let both = [&lists[0], lists.get(1).unwrap_or(&lists[0])];
                accesses.extend(self.sweep(both, &groups(both), settings)?.map(Access::Sweep));
            }
        }
        let is_heavy = keys.totals[Total::HeavyKeys as usize] > 0;
        if let Some((_, lists @ Lists { of, settings, .. })) = by.heavy.as_ref().filter(|_| is_heavy) {
            let left = self.list(of[0], Which::Heavy(&keys, 0, block.left.start));
            let right = match settings.order {
                Order::Unordered => None,
                Order::AsTheyAre | Order::Ascending => {
                    let side = keys.heavy.len() - 1;
                    let first = [block.left.start, block.right.start][side];
                    Some(self.list(of[1], Which::Heavy(&keys, side, first)))
                }
            };
            accesses.extend(self.lead([&left, right.as_ref().unwrap_or(&left)], lists)?);
        }
        Ok(accesses)
    }

    /// Two lists, swept or joined by what their values have in common.
    fn lead(&self, lists: [&List; 2], of: &Lists) -> Result<Vec<Access>> {
        match &of.overlap {
            Some(manner) => self.overlap(lists, of, manner),
            None => {
                Ok(self.sweep(lists, &groups(lists), of.settings)?.map(Access::Sweep).into_iter().collect())
            }
        }
    }

    fn keys(&self, block: &Block, by: &ByKey) -> Keys {
        let records = [&block.left, &block.right];
        let n_sides = if by.is_symmetric { 1 } else { 2 };
        let codes = |operand: u32, side: usize| {
            &self.encoded.codes(operand)[records[side].start as usize..records[side].end as usize]
        };
        let mut n_keys = self.encoded.n_codes(by.operands[0][0]);
        let mut keys: Vec<Vec<u32>> =
            (0..n_sides).map(|side| codes(by.operands[0][side], side).to_vec()).collect();
        for more in &by.operands[1..] {
            let n_records: usize = keys.iter().map(Vec::len).sum();
            let slots = wide_atomics(n_slots_for(n_records as u64, 50) as usize, EMPTY);
            for side in 0..n_sides {
                let numbered = atomics(keys[side].len() as u32, UNWRITTEN - 1);
                self.launch(|thread| {
                    kernels::number(thread, [&keys[side], codes(more[side], side)], &slots, &numbered);
                });
                keys[side] = plain(&numbered);
            }
            n_keys = slots.len() as u32;
        }
        let counts: Vec<Vec<u32>> = keys
            .iter()
            .map(|keys| {
                let counts = atomics(n_keys, 0);
                self.launch(|thread| kernels::count(thread, keys, &counts));
                plain(&counts)
            })
            .collect();
        let (kinds, totals) = (atomics(n_keys, 0), wide_atomics(N_TOTALS, 0));
        let job = kernels::Kinds {
            counts: [&counts[0], counts.get(1).unwrap_or(&counts[0])],
            is_symmetric: by.is_symmetric,
            most: by.heavy.as_ref().map_or(u64::MAX, |(most, _)| *most),
            kinds: &kinds,
            totals: &totals,
        };
        self.launch(|thread| kernels::kinds(thread, &job));
        let (kinds, totals) = (plain(&kinds), wide_plain(totals));
        let (mut light, mut heavy) = (Vec::new(), Vec::new());
        for side in 0..n_sides {
            let room = |total: Total| Checked::new(totals[total as usize + side] as usize, false);
            let (lights, heavies) = (room(Total::LightRecords), room(Total::HeavyRecords));
            let dealt = kernels::Dealt {
                keys: &keys[side],
                kinds: &kinds,
                first: records[side].start,
                is_joined: by.found_by == KeyMethod::Hash,
                light: &lights,
                heavy: &heavies,
                n_dealt: &atomics(2, 0),
            };
            self.launch(|thread| kernels::deal(thread, &dealt));
            light.push(lights.written());
            heavy.push(heavies.written());
        }
        Keys { light, heavy, keys, kinds, totals }
    }

    /// Words after another sort: what is in their lower halves stays as it stands where upper ones are equal.
    fn sorted_again(&self, words: Vec<u64>, kernel: impl Fn(&Thread<'_>, &[AtomicU64]) + Sync) -> Vec<u64> {
        let words: Vec<AtomicU64> = words.into_iter().map(AtomicU64::new).collect();
        self.launch(|thread| kernel(thread, &words));
        let mut words = wide_plain(words);
        words.sort_by_key(|&word| first_of(word));
        words
    }

    pub(super) fn list(&self, listing: Option<Listing>, which: Which<'_>) -> List {
        let encoded = self.encoded;
        let places = match which {
            Which::Light(words) => {
                let mut words = words.to_vec();
                words.sort_by_key(|&word| first_of(word));
                return self.filled(None, &words, 0, true);
            }
            Which::All(records) => {
                kernels::Places::All { first: records.start, n: records.end - records.start }
            }
            Which::Heavy(keys, side, _) => kernels::Places::Of(&keys.heavy[side]),
        };
        let most = match places {
            kernels::Places::All { n, .. } => n as usize,
            kernels::Places::Of(words) => words.len(),
        };
        let (placed, n_words) = (Checked::new(most, false), AtomicU32::new(0));
        self.launch(|thread| kernels::place(thread, listing, encoded, places, &placed, &n_words));
        let mut words = placed.written_upto(n_words.into_inner() as usize);
        words.sort_by_key(|&word| first_of(word));
        if listing.is_some_and(|listing| listing.signed.is_some()) {
            words = self.sorted_again(words, |thread, words| kernels::lens(thread, listing, encoded, words));
        }
        let mut n_groups = 0;
        if let Which::Heavy(keys, side, first) = which {
            n_groups = keys.totals[Total::HeavyKeys as usize] as usize;
            words = self.sorted_again(words, |thread, words| {
                kernels::groups(thread, first, &keys.keys[side], &keys.kinds, words);
            });
        }
        self.filled(listing, &words, n_groups, listing.is_some())
    }

    fn filled(&self, listing: Option<Listing>, words: &[u64], n_groups: usize, is_sketched: bool) -> List {
        let encoded = self.encoded;
        let is_grouped = listing.is_some_and(|listing| listing.is_grouped);
        let mut n_items = words.len() as u32;
        let mut begins = Vec::new();
        if is_grouped {
            let flags = atomics(words.len() as u32, UNWRITTEN);
            self.launch(|thread| kernels::begin(thread, listing, encoded, words, &flags));
            n_items = 0;
            for begin in plain(&flags) {
                begins.push(n_items);
                n_items += begin;
            }
        }
        let signed = listing.and_then(|listing| listing.signed);
        let n_signed = if signed.is_some() { n_items } else { 0 };
        let n_wide = if signed.is_some_and(Signed::is_wide) { n_items as usize } else { 0 };
        let sketches = wide_atomics(if is_sketched { 2 * n_items as usize } else { 0 }, 0);
        let (uppers, lens) = (wide_atomics(n_wide, 0), atomics(n_signed, UNWRITTEN));
        // Of no items, none is there to say where they end.
        let starts =
            atomics(if is_grouped { n_items + 1 } else { 0 }, if words.is_empty() { 0 } else { UNWRITTEN });
        let (records, bounds) = (atomics(words.len() as u32, UNWRITTEN), atomics(2 * n_groups as u32, 0));
        let job = kernels::Fill {
            listing,
            columns: encoded,
            words,
            begins: &begins,
            n_items,
            sketches: &sketches,
            uppers: &uppers,
            lens: &lens,
            starts: &starts,
            records: &records,
            bounds: &bounds,
        };
        self.launch(|thread| kernels::items(thread, &job));
        let sketch = |words: &[u64]| Sketch {
            signature: words[0],
            ones: words[1] as u32,
            first: (words[1] >> 32) as u32,
        };
        let items = ItemList {
            sketches: wide_plain(sketches).chunks(2).map(sketch).collect(),
            uppers: wide_plain(uppers),
            lens: plain(&lens),
            starts: plain(&starts),
            records: plain(&records),
        };
        let all = [&items.lens, &items.starts, &items.records];
        assert!(!all.iter().any(|words| words.contains(&UNWRITTEN)), "an item was left out");
        let groups = plain(&bounds).chunks(2).map(|bounds| bounds[0]..bounds[1]).collect();
        List { items: Arc::new(items), groups }
    }

    /// The sweep of some groups of two lists, if anything can meet.
    pub(super) fn sweep(
        &self,
        [left, right]: [&List; 2],
        groups: &[[Range<u32>; 2]],
        settings: Settings,
    ) -> Result<Option<Sweep>> {
        let interval = self.device.threads_per_block;
        let mut words = Vec::new();
        for [lefts, rights] in groups {
            for left_from in lefts.clone().step_by(interval as usize) {
                let left_upto = lefts.end.min(left_from + interval);
                words.extend([left_from, left_upto, rights.start, rights.end].map(AtomicU32::new));
            }
        }
        let walk = self.program.walk()?;
        let measure = match settings.screen {
            Screen::Signatures | Screen::WideSignatures => walk.predicate(settings.lead).measure(),
            Screen::None | Screen::Codes | Screen::Reaches => None,
        };
        let met = kernels::Met {
            screen: settings.screen,
            order: settings.order,
            measure,
            sketches: [&left.items.sketches, &right.items.sketches],
            lens: [&left.items.lens, &right.items.lens],
        };
        self.launch(|thread| kernels::reach(thread, &met, &words));
        let interval = |words: &[AtomicU32]| {
            let word = |nth: usize| words[nth].load(Relaxed);
            Interval { left_from: word(0), left_upto: word(1), right_from: word(2), right_upto: word(3) }
        };
        let intervals = words.chunks(4).map(interval).filter(|it| it.right_from < it.right_upto);
        let intervals: Vec<Interval> = intervals.collect();
        if intervals.is_empty() {
            return Ok(None);
        }
        let lists = [left.items.clone(), right.items.clone()];
        let sweep = Sweep::new(lists, intervals, settings, self.program.options().stretch);
        sweep.map(Some).map_err(|error| Error::Internal(error.to_string()))
    }
}
