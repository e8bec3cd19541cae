//! Items: records in the order of a lead, and what is known of each.
//!
//! Computes  words[place] = (what the list is sorted by, record); then, in their order, items and the records of each
//! Layout    words, sorted between these kernels; a list as `shared::sweep::Items` has it; by group its first item and its end
//! Launch    1-D, any number of blocks, no shared memory
//! Cost      a code for each record and each turn; a head for each item
//! Next      `reach`, then the scan
//! Twin      `host::plan::sweep::list` and `within`

use crate::block::Block;
use crate::memory::Words;
use crate::primitives::appending::{AT_ONCE, append};
use crate::primitives::lanes::{stride, warp_of_launch};
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use hyperblock_shared::columns::Columns;
use hyperblock_shared::layout::WARP;
use hyperblock_shared::listing::Listing;
use hyperblock_shared::relation::{first_of, second_of, tuple};
use hyperblock_shared::screen::Sketch;

/// Which records may be listed.
#[derive(Clone, Copy)]
pub enum Places<'a> {
    /// So many, from one on.
    All {
        /// The first.
        first: u32,
        /// How many.
        n: u32,
    },
    /// Those in the lower halves of words.
    Of(&'a [u64]),
}

impl Places<'_> {
    #[inline(always)]
    fn len(&self) -> u64 {
        match self {
            Self::All { n, .. } => u64::from(*n),
            Self::Of(words) => words.len() as u64,
        }
    }

    #[inline(always)]
    fn record(&self, ix: usize) -> u32 {
        match self {
            Self::All { first, .. } => first + ix as u32,
            Self::Of(words) => second_of(words[ix]),
        }
    }
}

/// Writes what is listed as words, by code; without a lead all of it, by nothing.
#[inline(always)]
pub fn place(
    block: &impl Block,
    listing: Option<Listing>,
    columns: &impl Columns,
    from: Places<'_>,
    words: &impl Words,
    n_words: &AtomicU32,
) {
    let (warp, n_warps) = warp_of_launch(block);
    let n_batch = AT_ONCE as u64 * u64::from(WARP);
    let mut first = u64::from(warp) * n_batch;
    while first < from.len() {
        append(block, words, n_words, |nth| {
            let ix = first as usize + nth * WARP as usize + block.lane() as usize;
            if ix as u64 >= from.len() {
                return None;
            }
            let record = from.record(ix);
            let Some(listing) = listing else { return Some(tuple(0, record)) };
            let code = columns.codes(listing.operand)[record as usize];
            listing.has(columns, code).then(|| tuple(code, record))
        });
        first += u64::from(n_warps) * n_batch;
    }
}

/// Has words sorted by length next.
#[inline(always)]
pub fn lens(block: &impl Block, listing: Option<Listing>, columns: &impl Columns, words: &[AtomicU64]) {
    let Some(Listing { operand, signed: Some(signed), .. }) = listing else { return };
    let codes = columns.codes(operand);
    for_each(block, words, |record| signed.len(columns, codes[record as usize]));
}

/// Has words sorted by the groups of their records next.
#[inline(always)]
pub fn groups(block: &impl Block, first: u32, keys: &[u32], kinds: &[u32], words: &[AtomicU64]) {
    for_each(block, words, |record| kinds[keys[(record - first) as usize] as usize]);
}

#[inline(always)]
fn for_each(block: &impl Block, words: &[AtomicU64], by: impl Fn(u32) -> u32) {
    let (mut ix, step) = stride(block);
    while ix < words.len() {
        let record = second_of(words[ix].load(Relaxed));
        words[ix].store(tuple(by(record), record), Relaxed);
        ix += step;
    }
}

/// Says of each word whether an item begins there: the first of a value's records, in each group.
#[inline(always)]
pub fn begin(
    block: &impl Block,
    listing: Option<Listing>,
    columns: &impl Columns,
    words: &[u64],
    begins: &[AtomicU32],
) {
    let Some(listing) = listing else { return };
    let codes = columns.codes(listing.operand);
    let code = |word: u64| codes[second_of(word) as usize];
    let (mut ix, step) = stride(block);
    while ix < words.len() {
        let is_same = ix > 0 && {
            let (before, own) = (words[ix - 1], words[ix]);
            first_of(before) == first_of(own) && code(before) == code(own)
        };
        begins[ix].store(u32::from(!is_same), Relaxed);
        ix += step;
    }
}

/// A list to be filled.
#[derive(Clone, Copy)]
pub struct Fill<'a, C> {
    /// What is listed.
    pub listing: Option<Listing>,
    /// The tables.
    pub columns: &'a C,
    /// In order.
    pub words: &'a [u64],
    /// By word how many items begin before it, if items are values.
    pub begins: &'a [u32],
    /// How many begin in all.
    pub n_items: u32,
    /// Two words for each item.
    pub sketches: &'a [AtomicU64],
    /// By item, if signatures are wide.
    pub uppers: &'a [AtomicU64],
    /// By item, if the screen looks at lengths.
    pub lens: &'a [AtomicU32],
    /// By item, and one more, if items are values.
    pub starts: &'a [AtomicU32],
    /// By word.
    pub records: &'a [AtomicU32],
    /// Two words for each group, if there are any: its first item, and one past its last.
    pub bounds: &'a [AtomicU32],
}

/// Fills a list.
#[inline(always)]
pub fn items<C: Columns>(block: &impl Block, job: &Fill<'_, C>) {
    let is_grouped = !job.begins.is_empty();
    // How many items begin before a word, those of all words at last.
    let before = |ix: usize| job.begins.get(ix).copied().unwrap_or(job.n_items);
    let (mut ix, step) = stride(block);
    while ix < job.words.len() {
        let word = job.words[ix];
        let (by, record) = (first_of(word), second_of(word));
        job.records[ix].store(record, Relaxed);
        let (item, is_first) = match is_grouped {
            true => (before(ix + 1) - 1, before(ix + 1) != before(ix)),
            false => (ix as u32, true),
        };
        if is_first {
            if is_grouped {
                job.starts[item as usize].store(ix as u32, Relaxed);
            }
            item_of(job, item, by, record);
        }
        if is_grouped && ix + 1 == job.words.len() {
            job.starts[item as usize + 1].store(ix as u32 + 1, Relaxed);
        }
        if !job.bounds.is_empty() {
            let is_other = |ix: usize| job.words.get(ix).is_none_or(|&other| first_of(other) != by);
            if ix == 0 || is_other(ix - 1) {
                job.bounds[2 * by as usize].store(item, Relaxed);
            }
            if is_other(ix + 1) {
                job.bounds[2 * by as usize + 1].store(item + 1, Relaxed);
            }
        }
        ix += step;
    }
}

/// What is known of an item.
#[inline(always)]
fn item_of<C: Columns>(job: &Fill<'_, C>, item: u32, by: u32, record: u32) {
    let sketch = match job.listing {
        // A list by key: what it is sorted by.
        None if job.sketches.is_empty() => return,
        None => Sketch::of_code(by),
        Some(listing) => {
            let code = job.columns.codes(listing.operand)[record as usize];
            match listing.signed {
                None => listing.plain(job.columns, code),
                Some(signed) => {
                    let (sketch, upper) = signed.sketch(job.columns, code);
                    job.lens[item as usize].store(signed.len(job.columns, code), Relaxed);
                    if signed.is_wide() {
                        job.uppers[item as usize].store(upper, Relaxed);
                    }
                    sketch
                }
            }
        }
    };
    let place = 2 * item as usize;
    job.sketches[place].store(sketch.signature, Relaxed);
    job.sketches[place + 1].store(u64::from(sketch.ones) | u64::from(sketch.first) << 32, Relaxed);
}
