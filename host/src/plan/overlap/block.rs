//! Pairs of blocks: ranges of values, one to be indexed and one that probes, and the tables that say which of them may meet.

use super::{ElementList, OverlapJoin};
use crate::encode::Encoded;
use crate::plan::ScanOptions;
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::overlap::{
    Class, MOST_CLASSES, NEVER, Overlap, OverlapSide, Signature, Sizes, Value, least_common,
};
use rayon::prelude::*;
use std::ops::Range;

/// Two blocks that are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPair {
    /// Items of the indexed list.
    pub indexed: Range<u32>,
    /// Items of the probing list.
    pub probing: Range<u32>,
    /// Whether the left list is the indexed one.
    pub is_left_indexed: bool,
    /// Whether values with equally many elements may meet.
    pub with_equals: bool,
    /// Whether both blocks are one, and a value meets those before it.
    pub is_self: bool,
}

/// Two blocks with their tables.
#[derive(Debug)]
pub struct BlockJoin<'a> {
    /// The left block and the right one.
    pub blocks: BlockPair,
    indexed: Block<'a>,
    probing: Block<'a>,
    elements: &'a [u32],
    least: Vec<u32>,
    sizes: Sizes,
}

#[derive(Debug)]
struct Block<'a> {
    values: Vec<Value>,
    signatures: &'a [Signature],
    classes: Vec<Class>,
    bounds: Vec<u32>,
    /// By class: one past its last item.
    ends: Vec<u32>,
}

/// Postings for each slot of the index's starts, at least: so starts take no more room than postings.
const POSTINGS_PER_SLOT: u64 = 2;
/// Parts of a list at most, and items of a part at least.
const MOST_PARTS: u32 = 64;
const LEAST_PART_BITS: u32 = 6;
/// Values that a thread looks at at a time.
const VALUES_AT_ONCE: usize = 1 << 14;
/// Slots that are affordable in any case.
const SLOTS: u64 = 1 << 16;

/// Where the values end that have as many elements as the one at `from`; the end, if there is none.
fn class_end(lens: &[u32], from: usize) -> usize {
    lens.get(from).map_or(lens.len(), |len| from + lens[from..].partition_point(|other| other <= len))
}

/// Ranges of a group's items that have elements: at most `most` items each, and few enough classes.
fn cut(list: &ElementList, group: &Range<u32>, most: u32) -> Vec<Range<u32>> {
    let mut blocks = Vec::new();
    let end = group.end as usize;
    let mut from = group.start as usize;
    from += list.lens[from..end].partition_point(|&len| len == 0);
    while from < end {
        let most = end.min(from + most.max(1) as usize);
        let (mut upto, mut n_classes) = (from, 0);
        while upto < most && n_classes < MOST_CLASSES {
            upto = class_end(&list.lens[..most], upto);
            n_classes += 1;
        }
        blocks.push(from as u32..upto as u32);
        from = upto;
    }
    blocks
}

/// The pairs of a group's blocks that may have values in common, of two lists or of one with itself.
pub(super) fn pairs(
    lists: [&ElementList; 2],
    group: &[Range<u32>; 2],
    is_self: bool,
    q: u32,
    measure: &ArchivedMeasure,
    most: u32,
) -> Vec<BlockPair> {
    let cuts = [0, 1].map(|side: usize| cut(lists[side], &group[side], most));
    // The nearest sizes: the largest of what is indexed, and the smallest that is not smaller.
    let may_meet = |pair: &BlockPair| {
        let [of_indexed, of_probing] = indexed_first(lists, pair.is_left_indexed);
        let largest = of_indexed.lens[pair.indexed.end as usize - 1];
        let smallest = of_probing.lens[pair.probing.start as usize];
        let first = of_indexed.lens[pair.indexed.start as usize];
        let last = of_probing.lens[pair.probing.end as usize - 1];
        let near = largest.min(last).max(first);
        first <= last && least_common(measure, q, near, smallest.max(near)).is_some()
    };
    let mut pairs = Vec::new();
    if is_self {
        for (ix, indexed) in cuts[0].iter().enumerate() {
            for probing in &cuts[0][ix..] {
                pairs.push(BlockPair {
                    indexed: indexed.clone(),
                    probing: probing.clone(),
                    is_left_indexed: true,
                    with_equals: true,
                    is_self: indexed == probing,
                });
            }
        }
    } else {
        for is_left_indexed in [true, false] {
            let [indexed, probing] = if is_left_indexed { [0, 1] } else { [1, 0] };
            for indexed in &cuts[indexed] {
                for probing in &cuts[probing] {
                    pairs.push(BlockPair {
                        indexed: indexed.clone(),
                        probing: probing.clone(),
                        is_left_indexed,
                        with_equals: is_left_indexed,
                        is_self: false,
                    });
                }
            }
        }
    }
    pairs.retain(may_meet);
    pairs
}

impl BlockPair {
    /// The same as pairs of blocks of at most `most` items.
    pub(super) fn refined(self, most: u32) -> Vec<Self> {
        let chunks = |range: &Range<u32>| -> Vec<Range<u32>> {
            let starts = range.clone().step_by(most.max(1) as usize);
            starts.map(|start| start..range.end.min(start.saturating_add(most.max(1)))).collect()
        };
        let (indexed, probing) = (chunks(&self.indexed), chunks(&self.probing));
        let mut pairs = Vec::new();
        for (nth, indexed) in indexed.iter().enumerate() {
            // Within one block a value meets those before it.
            for probing in &probing[if self.is_self { nth } else { 0 }..] {
                pairs.push(Self {
                    indexed: indexed.clone(),
                    probing: probing.clone(),
                    is_self: self.is_self && indexed == probing,
                    ..self.clone()
                });
            }
        }
        pairs
    }
}

/// The list that is indexed, and the one that probes.
fn indexed_first([left, right]: [&ElementList; 2], is_left_indexed: bool) -> [&ElementList; 2] {
    if is_left_indexed { [left, right] } else { [right, left] }
}

/// What is joined.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// Left and right.
    pub lists: [&'a ElementList; 2],
    /// The elements of all values.
    pub elements: &'a [u32],
    /// How many different ones there are.
    pub n_elements: u32,
    /// Symbols of an element, if it is made of them.
    pub q: u32,
    /// Values with so many elements, or fewer, need nothing in common with each other.
    pub bare: u32,
}

impl Values<'_> {
    /// The pairs of blocks to join, of at most `most` items each.
    pub fn blocks(&self, is_self: bool, measure: &ArchivedMeasure, most: u32) -> Vec<BlockPair> {
        let whole = self.lists.map(|list| 0..list.len());
        pairs(self.lists, &whole, is_self, self.q, measure, most)
    }
}

impl<'a> Block<'a> {
    fn new(list: &'a ElementList, items: &Range<u32>) -> Self {
        let range = items.start as usize..items.end as usize;
        let (starts, lens) = (&list.starts[range.clone()], &list.lens[range.clone()]);
        let (mut classes, mut ends): (Vec<Class>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut from = 0;
        while let Some(&len) = lens.get(from) {
            from = class_end(lens, from);
            classes.push(Class { len, ..Class::default() });
            ends.push(from as u32);
        }
        let class = |len: u32| classes.partition_point(|class| class.len < len) as u32;
        let value = |(&start, &len): (&u32, &u32)| Value { start, class: class(len) };
        let values = starts.par_iter().zip(lens).with_min_len(VALUES_AT_ONCE).map(value).collect();
        Self { values, signatures: &list.signatures[range], classes, bounds: Vec::new(), ends }
    }

    fn side(&'a self, elements: &'a [u32]) -> OverlapSide<'a> {
        let Self { values, signatures, classes, bounds, .. } = self;
        OverlapSide { values, signatures, elements, classes, bounds }
    }

    /// Gives a class its prefix and the bounds of its elements. `met` are the classes of the other side that it may meet,
    /// ascending: what they need in common, and one past their last place. Where so many elements are left, a bound is that
    /// of the last class that needs no more.
    fn bind(&mut self, class: usize, met: impl Iterator<Item = (u32, u32)>, is_filtered: bool) {
        let Class { len, .. } = self.classes[class];
        // By how many elements are needed.
        let mut last = vec![0; len as usize + 1];
        let mut least = NEVER;
        for (needed, end) in met {
            let place = if is_filtered { needed } else { 0 };
            last[place as usize] = end;
            least = least.min(if is_filtered { needed } else { 1 });
        }
        for left in 1..last.len() {
            last[left] = last[left].max(last[left - 1]);
        }
        let prefix = if least == NEVER { 0 } else { len - least + 1 };
        let bounds = self.bounds.len() as u32;
        self.bounds.extend((0..prefix).map(|nth| last[(len - nth) as usize]));
        self.classes[class] = Class { prefix, bounds, ..self.classes[class] };
    }
}

impl<'a> BlockJoin<'a> {
    /// Two blocks of a join whose lead has this measure.
    pub fn new(
        join: &'a OverlapJoin,
        blocks: &BlockPair,
        encoded: &'a Encoded,
        measure: &ArchivedMeasure,
        options: &ScanOptions,
    ) -> Self {
        let values = Values {
            lists: [&join.lists[0], &join.lists[1]],
            elements: join.kind.elements(encoded),
            n_elements: join.n_elements,
            q: join.kind.q(),
            bare: join.bare,
        };
        Self::of(values, blocks, measure, options)
    }

    /// Two blocks of these values.
    pub fn of(
        values: Values<'a>,
        blocks: &BlockPair,
        measure: &ArchivedMeasure,
        options: &ScanOptions,
    ) -> Self {
        let Values { lists, elements, n_elements, q, bare } = values;
        let [indexed, probing] = indexed_first(lists, blocks.is_left_indexed);
        let mut indexed = Block::new(indexed, &blocks.indexed);
        let mut probing = Block::new(probing, &blocks.probing);
        let needs = |x: &Class, y: &Class| {
            let is_met = y.len < x.len || (blocks.with_equals && y.len == x.len);
            let least = least_common(measure, q, x.len, y.len).filter(|_| is_met && x.len > bare);
            least.unwrap_or(NEVER)
        };
        let least: Vec<u32> = probing
            .classes
            .iter()
            .flat_map(|x| indexed.classes.iter().map(|y| needs(x, y)).collect::<Vec<_>>())
            .collect();
        let n_indexed = indexed.classes.len();
        for y in 0..n_indexed {
            let met = (0..).zip(least[y..].iter().step_by(n_indexed));
            let met = met.filter(|&(_, &least)| least != NEVER).map(|(x, &least)| (least, x + 1));
            indexed.bind(y, met, options.filter);
        }
        for x in 0..probing.classes.len() {
            let row = &least[x * n_indexed..][..n_indexed];
            let met = row.iter().zip(&indexed.ends).filter(|&(&least, _)| least != NEVER);
            probing.bind(x, met.map(|(&least, &end)| (least, end)), options.filter);
            let first = row.iter().position(|&least| least != NEVER).unwrap_or(0);
            probing.classes[x].from = if first == 0 { 0 } else { indexed.ends[first - 1] };
        }
        let n_postings = prefixes(&indexed);
        let (part_bits, n_parts) = parts(n_elements, n_postings, indexed.values.len() as u32);
        let sizes = Sizes {
            n_elements,
            part_bits,
            n_parts,
            is_self: u32::from(blocks.is_self),
            has_bitmap: u32::from(options.bitmap),
            padding: 0,
        };
        Self { blocks: blocks.clone(), indexed, probing, elements, least, sizes }
    }

    /// As both sides see it.
    pub fn borrow(&self) -> Overlap<'_> {
        Overlap {
            indexed: self.indexed.side(self.elements),
            probing: self.probing.side(self.elements),
            least: &self.least,
            sizes: self.sizes,
        }
    }

    /// How many postings the index has.
    pub fn n_postings(&self) -> u64 {
        prefixes(&self.indexed)
    }

    /// How many elements are looked up.
    pub fn n_lookups(&self) -> u64 {
        prefixes(&self.probing)
    }
}

fn prefixes(block: &Block<'_>) -> u64 {
    let starts = [0].into_iter().chain(block.ends.iter().copied());
    let sizes = starts.zip(&block.ends).map(|(start, end)| end - start);
    sizes.zip(&block.classes).map(|(n, class)| u64::from(n) * u64::from(class.prefix)).sum()
}

/// In which parts lists are cut: bits of the values of a part, and how many parts.
fn parts(n_elements: u32, n_postings: u64, n_items: u32) -> (u32, u32) {
    let affordable = (n_postings / POSTINGS_PER_SLOT).max(SLOTS) / u64::from(n_elements.max(1));
    let wanted = affordable.clamp(1, MOST_PARTS.into()) as u32;
    let bits = n_items.div_ceil(wanted).next_power_of_two().trailing_zeros().max(LEAST_PART_BITS);
    (bits, (n_items.saturating_sub(1) >> bits) + 1)
}
