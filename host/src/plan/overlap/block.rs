//! Pairs of blocks: ranges of values, one to be indexed and one that probes, and the tables that say which of them may meet.

use super::{ElementList, Lens, OverlapJoin};
use crate::base::gather::Gather;
use crate::encode::Encoded;
use crate::plan::ScanOptions;
use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::overlap::{
    Class, MOST_CLASSES, NEVER, Overlap, OverlapSide, Range32, Signature, Sizes, Value, least_common,
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

/// The tables of two blocks: which of their values may meet, and where. They follow from lengths alone.
#[derive(Debug)]
pub struct BlockTables {
    /// The blocks.
    pub blocks: BlockPair,
    indexed: Classes,
    probing: Classes,
    least: Vec<u32>,
    sizes: Sizes,
}

/// The classes of a block.
#[derive(Debug)]
struct Classes {
    classes: Vec<Class>,
    bounds: Vec<u32>,
    /// By class: one past its last item.
    ends: Vec<u32>,
}

/// Two blocks with their tables and values.
#[derive(Debug)]
pub struct BlockJoin<'a> {
    /// Their tables.
    pub tables: BlockTables,
    /// What is indexed, and what probes.
    values: [Vec<Value>; 2],
    signatures: [&'a [Signature]; 2],
    elements: &'a [u32],
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

/// Ranges of a group's items that have elements: at most `most` items each, and few enough classes.
fn cut(lens: &Lens, group: &Range<u32>, most: u32) -> Vec<Range<u32>> {
    let mut blocks = Vec::new();
    let mut from =
        lens.runs(group.clone()).find(|(len, _)| *len > 0).map_or(group.end, |(_, items)| items.start);
    while from < group.end {
        let longest = from..group.end.min(from.saturating_add(most.max(1)));
        let upto =
            lens.runs(longest.clone()).take(MOST_CLASSES).last().map_or(longest.end, |(_, items)| items.end);
        blocks.push(from..upto);
        from = upto;
    }
    blocks
}

/// The pairs of a group's blocks that may have values in common, of two lists or of one with itself.
fn pairs(shape: &Shape<'_>, group: &[Range<u32>; 2], measure: &ArchivedMeasure, most: u32) -> Vec<BlockPair> {
    let Shape { lens, is_self, q, .. } = *shape;
    let cuts = [0, 1].map(|side: usize| cut(lens[side], &group[side], most));
    // The nearest sizes: the largest of what is indexed, and the smallest that is not smaller.
    let may_meet = |pair: &BlockPair| {
        let [of_indexed, of_probing] = indexed_first(lens, pair.is_left_indexed);
        let largest = of_indexed.at(pair.indexed.end - 1);
        let smallest = of_probing.at(pair.probing.start);
        let first = of_indexed.at(pair.indexed.start);
        let last = of_probing.at(pair.probing.end - 1);
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

/// What is indexed, and what probes, of left and right.
fn indexed_first<T>([left, right]: [T; 2], is_left_indexed: bool) -> [T; 2] {
    if is_left_indexed { [left, right] } else { [right, left] }
}

/// What is joined, but for the values themselves: all that blocks are cut from.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Left and right.
    pub lens: [&'a Lens; 2],
    /// Items that may meet, left and right, group by group.
    pub groups: &'a [[Range<u32>; 2]],
    /// Whether both lists are one, and each pair of items counts once.
    pub is_self: bool,
    /// How many different elements there are.
    pub n_elements: u32,
    /// Symbols of an element, if it is made of them.
    pub q: u32,
    /// Values with so many elements, or fewer, need nothing in common with each other.
    pub bare: u32,
}

impl Shape<'_> {
    /// The pairs of blocks to join, of at most `most` items each.
    pub fn blocks(&self, measure: &ArchivedMeasure, most: u32) -> Vec<BlockPair> {
        self.groups.iter().flat_map(|group| pairs(self, group, measure, most)).collect()
    }
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

impl<'a> Values<'a> {
    fn shape(&self, groups: &'a [[Range<u32>; 2]], is_self: bool) -> Shape<'a> {
        let Self { lists, n_elements, q, bare, .. } = *self;
        Shape { lens: lists.map(|list| &list.lens), groups, is_self, n_elements, q, bare }
    }

    /// The pairs of blocks to join, of at most `most` items each.
    pub fn blocks(&self, is_self: bool, measure: &ArchivedMeasure, most: u32) -> Vec<BlockPair> {
        let whole = [self.lists.map(|list| 0..list.len())];
        self.shape(&whole, is_self).blocks(measure, most)
    }
}

impl Classes {
    fn new(lens: &Lens, items: &Range<u32>) -> Self {
        let (mut classes, mut ends): (Vec<Class>, Vec<u32>) = (Vec::new(), Vec::new());
        for (len, own) in lens.runs(items.clone()) {
            classes.push(Class { len, ..Class::default() });
            ends.push(own.end - items.start);
        }
        Self { classes, bounds: Vec::new(), ends }
    }

    /// The values of a block, whose elements start there.
    fn values(&self, starts: &[u32]) -> Vec<Value> {
        let class = |item: usize| self.ends.partition_point(|&end| end as usize <= item) as u32;
        let value = |(item, &start): (usize, &u32)| Value { start, class: class(item) };
        starts.par_iter().enumerate().with_min_len(VALUES_AT_ONCE).map(value).gather()
    }

    /// The number of values, of each class.
    fn n_values(&self) -> impl Iterator<Item = u32> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| end - start)
    }

    /// How many elements all prefixes have.
    fn prefixes(&self) -> u64 {
        self.n_values().zip(&self.classes).map(|(n, class)| u64::from(n) * u64::from(class.prefix)).sum()
    }

    /// As a side without values.
    fn side(&self) -> OverlapSide<'_> {
        let Self { classes, bounds, .. } = self;
        OverlapSide { values: &[], signatures: &[], elements: &[], classes, bounds }
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

impl BlockTables {
    /// Of two blocks of a join whose lead has this measure.
    pub fn new(
        shape: &Shape<'_>,
        blocks: &BlockPair,
        measure: &ArchivedMeasure,
        options: &ScanOptions,
    ) -> Self {
        let Shape { lens, n_elements, q, bare, .. } = *shape;
        let [indexed, probing] = indexed_first(lens, blocks.is_left_indexed);
        let mut indexed = Classes::new(indexed, &blocks.indexed);
        let mut probing = Classes::new(probing, &blocks.probing);
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
        let n_items = blocks.indexed.end - blocks.indexed.start;
        let (part_bits, n_parts) = parts(n_elements, indexed.prefixes(), n_items);
        let sizes = Sizes {
            n_elements,
            part_bits,
            n_parts,
            is_self: u32::from(blocks.is_self),
            has_bitmap: u32::from(options.bitmap),
            padding: 0,
        };
        Self { blocks: blocks.clone(), indexed, probing, least, sizes }
    }

    /// As both sides see it, without values.
    pub fn borrow(&self) -> Overlap<'_> {
        Overlap {
            indexed: self.indexed.side(),
            probing: self.probing.side(),
            least: &self.least,
            sizes: self.sizes,
        }
    }

    /// How many postings the index has.
    pub fn n_postings(&self) -> u64 {
        self.indexed.prefixes()
    }

    /// How many elements are looked up.
    pub fn n_lookups(&self) -> u64 {
        self.probing.prefixes()
    }

    /// By class of the probing side, and one more: its first group of so many elements that are looked up together, if all
    /// groups are numbered through, and its first value.
    pub fn groups(&self, of: u32) -> (Vec<u32>, Vec<u32>) {
        let Classes { classes, ends, .. } = &self.probing;
        let (mut firsts, mut values) = (vec![0], vec![0]);
        for ((n_values, class), &end) in self.probing.n_values().zip(classes).zip(ends) {
            firsts.push(firsts[firsts.len() - 1] + n_values * class.prefix.div_ceil(of));
            values.push(end);
        }
        (firsts, values)
    }

    /// What probing values reach by their sizes.
    pub fn reaches(&self) -> Reaches {
        let overlap = self.borrow();
        let reach = |(class, &end): (u32, &u32)| (end, overlap.reach_of(class, u32::MAX));
        Reaches { classes: (0..).zip(&self.probing.ends).map(reach).collect(), is_self: self.blocks.is_self }
    }
}

/// What values reach by their sizes.
#[derive(Debug)]
pub struct Reaches {
    /// By class: one past its last value, and what its values reach.
    classes: Vec<(u32, Range32)>,
    /// Whether a value reaches only those before it.
    is_self: bool,
}

impl Reaches {
    /// How many values there are.
    pub fn n_values(&self) -> u32 {
        self.classes.last().map_or(0, |&(end, _)| end)
    }

    /// What each so many of some values reach together.
    pub fn together(&self, values: Range<u32>, at_once: u32) -> Vec<Range32> {
        let mut hulls = vec![Range32::default(); values.len().div_ceil(at_once as usize)];
        let mut next = values.start;
        let first = self.classes.partition_point(|&(end, _)| end <= next);
        for &(end, Range32 { from, upto }) in &self.classes[first..] {
            while next < end.min(values.end) {
                let nth = (next - values.start) / at_once;
                let last = end.min(values.end).min(values.start + (nth + 1) * at_once) - 1;
                // Of equally long values, the last one reaches what all do.
                let upto = if self.is_self { upto.min(last).max(from) } else { upto };
                let hull = &mut hulls[nth as usize];
                *hull = hull.hull(Range32 { from, upto });
                next = last + 1;
            }
        }
        hulls
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
        let tables = BlockTables::new(&join.shape(), blocks, measure, options);
        Self::with_tables(tables, [&join.lists[0], &join.lists[1]], join.kind.elements(encoded))
    }

    /// Two blocks of these values.
    pub fn of(
        values: Values<'a>,
        blocks: &BlockPair,
        measure: &ArchivedMeasure,
        options: &ScanOptions,
    ) -> Self {
        let tables = BlockTables::new(&values.shape(&[], false), blocks, measure, options);
        Self::with_tables(tables, values.lists, values.elements)
    }

    fn with_tables(tables: BlockTables, lists: [&'a ElementList; 2], elements: &'a [u32]) -> Self {
        let BlockPair { indexed, probing, is_left_indexed, .. } = &tables.blocks;
        let ranges = [indexed, probing].map(|items| items.start as usize..items.end as usize);
        let [of_indexed, of_probing] = indexed_first(lists, *is_left_indexed);
        Self {
            values: [
                tables.indexed.values(&of_indexed.starts[ranges[0].clone()]),
                tables.probing.values(&of_probing.starts[ranges[1].clone()]),
            ],
            signatures: [
                &of_indexed.signatures[ranges[0].clone()],
                &of_probing.signatures[ranges[1].clone()],
            ],
            tables,
            elements,
        }
    }

    /// As both sides see it.
    pub fn borrow(&self) -> Overlap<'_> {
        let without = self.tables.borrow();
        let [indexed, probing] = [without.indexed, without.probing];
        let [of_indexed, of_probing] = &self.values;
        let elements = self.elements;
        Overlap {
            indexed: OverlapSide { values: of_indexed, signatures: self.signatures[0], elements, ..indexed },
            probing: OverlapSide { values: of_probing, signatures: self.signatures[1], elements, ..probing },
            ..without
        }
    }
}

/// In which parts lists are cut: bits of the values of a part, and how many parts.
fn parts(n_elements: u32, n_postings: u64, n_items: u32) -> (u32, u32) {
    let affordable = (n_postings / POSTINGS_PER_SLOT).max(SLOTS) / u64::from(n_elements.max(1));
    let wanted = affordable.clamp(1, MOST_PARTS.into()) as u32;
    let bits = n_items.div_ceil(wanted).next_power_of_two().trailing_zeros().max(LEAST_PART_BITS);
    (bits, (n_items.saturating_sub(1) >> bits) + 1)
}
