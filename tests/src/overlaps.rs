//! Overlap joins to try, and the naive one that says what is right: all pairs, with what they have in common counted.

use hyperblock::Control;
use hyperblock::baselines::sets::{Baseline, Sets};
use hyperblock::plan::ScanOptions;
use hyperblock::plan::overlap::{BlockJoin, ElementList, Lens, Values};
use hyperblock::plan::path::OverlapMethod;
use hyperblock_shared::join::hash;
use hyperblock_shared::measure::of_sets::ArchivedOfSets;
use hyperblock_shared::measure::{ArchivedAsked, ArchivedMeasure};
use hyperblock_shared::overlap::{Signature, sign};
use hyperblock_shared::threshold::ArchivedThreshold;
use std::collections::BTreeSet;

/// What two sets are asked.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    /// Jaccard similarity, in hundredths.
    Jaccard(u32),
    /// Dice's coefficient, in hundredths.
    Dice(u32),
    /// Cosine similarity, in hundredths.
    Cosine(u32),
    /// Overlap coefficient, in hundredths.
    Overlap(u32),
    /// So many elements in common.
    Common(u32),
}

impl Asked {
    fn measure(self) -> ArchivedMeasure {
        let sets = |by, asked| ArchivedMeasure::Sets { sets: 0.into(), by, asked };
        let alike = |hundredths: u32| {
            let (digits, scale) = (hundredths.into(), 100.into());
            ArchivedAsked::Similarity(ArchivedThreshold { digits, scale, strict: false })
        };
        match self {
            Self::Jaccard(hundredths) => sets(ArchivedOfSets::Jaccard, alike(hundredths)),
            Self::Dice(hundredths) => sets(ArchivedOfSets::Dice, alike(hundredths)),
            Self::Cosine(hundredths) => sets(ArchivedOfSets::Cosine, alike(hundredths)),
            Self::Overlap(hundredths) => sets(ArchivedOfSets::Overlap, alike(hundredths)),
            Self::Common(least) => sets(ArchivedOfSets::Overlap, ArchivedAsked::Count(least.into())),
        }
    }

    /// Whether it holds on sets with so many elements, and so many in common.
    fn holds(self, n_a: usize, n_b: usize, common: usize) -> bool {
        match self {
            Self::Jaccard(hundredths) => 100 * common >= hundredths as usize * (n_a + n_b - common),
            Self::Dice(hundredths) => 200 * common >= hundredths as usize * (n_a + n_b),
            Self::Cosine(hundredths) => (100 * common).pow(2) >= (hundredths as usize).pow(2) * n_a * n_b,
            Self::Overlap(hundredths) => 100 * common >= hundredths as usize * n_a.min(n_b),
            Self::Common(least) => common >= least as usize,
        }
    }
}

/// Two lists of sets.
#[derive(Clone, Debug)]
pub struct OverlapCase {
    name: String,
    left: Vec<Vec<u32>>,
    right: Vec<Vec<u32>>,
    asked: Vec<Asked>,
}

/// How an overlap join is done.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// How pairs are found.
    pub method: OverlapMethod,
    /// What is on and what is off.
    pub options: ScanOptions,
    /// Pairs that there is room for.
    pub capacity: usize,
}

/// All manners to do one in: with little room, in blocks, without bitmap, without filter, without an index.
pub fn manners() -> Vec<Manner> {
    let usual = ScanOptions::default();
    let manner = |options, capacity| Manner { method: OverlapMethod::Index, options, capacity };
    let dense = |options, capacity| Manner { method: OverlapMethod::Dense, options, capacity };
    vec![
        manner(usual, 1 << 12),
        manner(usual, 3),
        manner(ScanOptions { indexed: 13, ..usual }, 1 << 12),
        manner(ScanOptions { bitmap: false, ..usual }, 1 << 12),
        manner(ScanOptions { filter: false, indexed: 40, ..usual }, 1 << 12),
        dense(usual, 1 << 12),
        dense(ScanOptions { bitmap: false, indexed: 13, ..usual }, 5),
    ]
}

/// A number below a bound that looks random.
fn random(seed: u32, below: u32) -> u32 {
    hash(seed.wrapping_mul(0x9e37_79b1) ^ 0x5bd1) % below
}

/// `n` different numbers below a bound, small ones rarer than large ones.
fn set(seed: u32, n: u32, below: u32) -> Vec<u32> {
    let drawn = |nth: u32| {
        let numbers = [0, 1].map(|salt| random(seed * 8191 + 2 * nth + salt, below));
        numbers[0].max(numbers[1])
    };
    let drawn: BTreeSet<u32> = (0..).map(drawn).take(20 * n as usize).collect();
    // From any place on, so that not all have the small ones.
    let skipped = random(seed, (drawn.len() as u32).saturating_sub(n) + 1) as usize;
    drawn.into_iter().skip(skipped).take(n as usize).collect()
}

/// Sets of all kinds, so many a side.
pub fn cases(n: u32) -> Vec<OverlapCase> {
    let all = [
        Asked::Jaccard(30),
        Asked::Jaccard(60),
        Asked::Jaccard(85),
        Asked::Jaccard(100),
        Asked::Overlap(70),
        Asked::Common(2),
    ];
    let sets = |from: u32, lens: &dyn Fn(u32) -> u32, below: u32| -> Vec<Vec<u32>> {
        (from..from + n).map(|seed| set(seed, lens(seed), below)).collect()
    };
    // Copies of few sets, each with one element changed.
    let relatives = |from: u32, len: u32| -> Vec<Vec<u32>> {
        let relative = |seed: u32| {
            let mut own: BTreeSet<u32> = set(seed % 7, len, 4 * len).into_iter().collect();
            own.remove(&own.iter().copied().nth(random(seed, len) as usize % own.len()).unwrap_or(0));
            own.insert(4 * len + random(seed + 1, len));
            own.into_iter().collect()
        };
        (from..from + n).map(relative).collect()
    };
    let shared = |from: u32| -> Vec<Vec<u32>> {
        let with_it = |mut own: Vec<u32>| {
            own.push(1000);
            own
        };
        sets(from, &|seed| random(seed, 5), 90).into_iter().map(with_it).collect()
    };
    let case = |name: &str, left, right, asked: &[Asked]| OverlapCase {
        name: name.into(),
        left,
        right,
        asked: asked.to_vec(),
    };
    let lens = |seed: u32| random(seed, 12);
    vec![
        case("random", sets(0, &lens, 60), sets(500, &lens, 60), &all),
        case("equal sizes", sets(0, &|_| 6, 20), sets(300, &|_| 6, 20), &all[..4]),
        case("one element in all", shared(0), shared(200), &[all[1], Asked::Common(1)]),
        case("relatives", relatives(0, 20), relatives(70, 20), &all[1..4]),
        case("more than a group", relatives(0, 90), relatives(70, 90), &[Asked::Jaccard(30), all[2]]),
        case("an empty side", Vec::new(), sets(0, &lens, 60), &all[..1]),
        case("empty sets", vec![Vec::new(); n as usize], sets(0, &|_| 1, 4), &[all[0]]),
    ]
}

/// Sets of thousands of elements, which a warp compares together, among short ones.
pub fn long() -> OverlapCase {
    let long = |seed: u32| -> Vec<u32> {
        let is_left_out = |element: &u32| random(seed * 4200 + element, 20 + 30 * seed) == 0;
        (0..4200 + 7 * seed).filter(|element| !is_left_out(element)).collect()
    };
    let mut left: Vec<Vec<u32>> = (1..4).map(long).collect();
    left.extend((0..9).map(|seed| set(seed, 5, 4000)));
    let mut right: Vec<Vec<u32>> = (3..5).map(long).collect();
    // So much in common that an early end decides.
    right.push((2000..4300).collect());
    right.push((0..40).collect());
    let asked = vec![Asked::Jaccard(60), Asked::Jaccard(95), Asked::Overlap(95)];
    OverlapCase { name: "thousands of elements".into(), left, right, asked }
}

/// So many values that lists are in several parts.
pub fn parts() -> OverlapCase {
    let sets = |from: u32| (from..from + 150).map(|seed| set(seed, 1 + seed % 8, 40)).collect();
    OverlapCase {
        name: "several parts".into(),
        left: sets(0),
        right: sets(900),
        asked: vec![Asked::Jaccard(50)],
    }
}

/// A list so long that its postings make several segments.
pub fn segments() -> OverlapCase {
    let left = vec![vec![3, 5], vec![5, 7], vec![5, 9]];
    let right = (0..5000).map(|ix| if ix % 9 == 0 { vec![9] } else { vec![5] }).collect();
    OverlapCase { name: "several segments".into(), left, right, asked: vec![Asked::Common(1)] }
}

/// A list of sets as a join takes it, the elements appended to those that are there.
fn list(sets: &[Vec<u32>], elements: &mut Vec<u32>) -> ElementList {
    let lens: Vec<u32> = sets.iter().map(|set| set.len() as u32).collect();
    let mut list = ElementList { lens: Lens::new(&lens), ..ElementList::default() };
    for set in sets {
        let mut signature = Signature::default();
        set.iter().for_each(|&element| sign(&mut signature, element));
        list.starts.push(elements.len() as u32);
        list.signatures.push(signature);
        elements.extend(set);
    }
    list
}

/// Pairs of items that have something in common, and how many elements.
fn in_common(left: &[Vec<u32>], right: &[Vec<u32>]) -> Vec<((u32, u32), usize)> {
    let mut pairs = Vec::new();
    for (item_l, a) in (0..).zip(left) {
        for (item_r, b) in (0..).zip(right) {
            let common = a.iter().filter(|&element| b.binary_search(element).is_ok()).count();
            if common > 0 {
                pairs.push(((item_l, item_r), common));
            }
        }
    }
    pairs
}

fn naive(left: &[Vec<u32>], right: &[Vec<u32>], asked: Asked) -> Vec<(u32, u32)> {
    let mut pairs = in_common(left, right);
    pairs.retain(|((l, r), common)| asked.holds(left[*l as usize].len(), right[*r as usize].len(), *common));
    pairs.into_iter().map(|(pair, _)| pair).collect()
}

impl OverlapCase {
    /// One list of sets, to be joined with itself.
    pub fn of_one(name: &str, sets: Vec<Vec<u32>>, asked: Vec<Asked>) -> Self {
        Self { name: name.into(), left: sets, right: Vec::new(), asked }
    }

    /// The same, asked this as well.
    pub fn with_asked(mut self, asked: &[Asked]) -> Self {
        self.asked.extend_from_slice(asked);
        self
    }

    /// Joins all sets of both lists with each other by all baselines of the CPU.
    pub fn assert_baselines(&self) {
        for baseline in Baseline::ALL {
            self.assert_baseline(&baseline.to_string(), |sets, measure| {
                let control = Control::default();
                let counted = baseline.count(sets, measure, &control).expect("a baseline counts");
                let found = baseline.pairs(sets, measure, &control).expect("a baseline finds its pairs");
                assert_eq!(counted, found.len() as u64, "{}, by {baseline}: counted", self.name);
                found
            });
        }
    }

    /// The same by one that finds pairs in any order.
    pub fn assert_baseline(&self, baseline: &str, find: impl Fn(&Sets, &ArchivedMeasure) -> Vec<(u32, u32)>) {
        let all: Vec<Vec<u32>> = self.left.iter().chain(&self.right).cloned().collect();
        let sets = Sets::new(all.iter().map(Vec::as_slice));
        let mut common = in_common(&all, &all);
        common.retain(|((left, right), _)| left < right);
        for asked in &self.asked {
            let measure = asked.measure();
            let len = |item: u32| all[item as usize].len();
            let holds =
                |((left, right), common): &((u32, u32), usize)| asked.holds(len(*left), len(*right), *common);
            let wanted: Vec<(u32, u32)> =
                common.iter().filter(|pair| holds(pair)).map(|(pair, _)| *pair).collect();
            let mut found = find(&sets, &measure);
            found.sort_unstable();
            assert!(found == wanted, "{}, {asked:?}, by {baseline}: other pairs", self.name);
        }
    }

    /// Joins the lists, and the left one with itself: `join` finds the pairs of items of two blocks.
    pub fn assert_exact(&self, manner: &Manner, join: impl Fn(&BlockJoin<'_>, &Manner) -> Vec<(u32, u32)>) {
        let by_len = |sets: &[Vec<u32>]| {
            let mut sets = sets.to_vec();
            sets.sort_by_key(Vec::len);
            sets
        };
        let (left, right) = (by_len(&self.left), by_len(&self.right));
        let mut elements = Vec::new();
        let (lefts, rights) = (list(&left, &mut elements), list(&right, &mut elements));
        let n_elements = elements.iter().max().map_or(0, |most| most + 1);
        for asked in &self.asked {
            let measure = asked.measure();
            for is_self in [false, true] {
                let lists = [&lefts, if is_self { &lefts } else { &rights }];
                let values = Values { lists, elements: &elements, n_elements, q: 1, bare: 0 };
                let mut found = Vec::new();
                for blocks in values.blocks(is_self, &measure, manner.options.indexed) {
                    let block = BlockJoin::of(values, &blocks, &measure, &manner.options);
                    found.extend(join(&block, manner));
                }
                found.sort_unstable();
                let mut wanted = naive(&left, if is_self { &left } else { &right }, *asked);
                wanted.retain(|(item_l, item_r)| !is_self || item_l < item_r);
                let what = format!("{}, {asked:?}, of one list: {is_self}, {manner:?}", self.name);
                assert!(found == wanted, "{what}: {} pairs, not {}", found.len(), wanted.len());
            }
        }
    }
}
