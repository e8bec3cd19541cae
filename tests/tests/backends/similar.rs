//! Overlap joins: whatever finds the values that have enough in common, it finds what the oracle finds.

use crate::bench::{Bench, Device, EVERYWHERE, GPU, NOT_ON_THREADS, On, Registered, hashed, trials};
use crate::papers::{for_random_cases, prepare};
use crate::sheets::{heavy_sheet, long_sheet, name_rules, name_sheet, text_rules};
use hyperblock::Control;
use hyperblock::device::cpu::Cpu;
use hyperblock::plan::access::{Access, accesses};
use hyperblock::plan::overlap::Elements;
use hyperblock::plan::partition::blocks;
use hyperblock::plan::path::OverlapMethod;
use hyperblock::plan::{ScanOptions, SimilarityChoice, Variant};
use hyperblock::{Prepared, Result};
use hyperblock_tests::case::{Case, Paper, Sheet};
use hyperblock_tests::generate::{for_cases, similar_cases, similar_keyed_cases};
use hyperblock_tests::oracle::Found;
use hyperblock_tests::small::SmallCpu;
use std::cell::RefCell;

pub(crate) const TRIALS: &[Registered] = trials![
    EVERYWHERE => [similar_values, random_cases, no_values, heavy_values],
    NOT_ON_THREADS => [
        within_keys,
        beside_keys,
        long_values,
        many_sizes,
        the_widest_alphabet,
        one_token_for_all,
        all_values_equal,
    ],
    // Too many values for the others.
    GPU => [many_values],
];

const JOINS: [SimilarityChoice; 2] = [SimilarityChoice::Join, SimilarityChoice::Dense];

/// What accesses there were.
#[derive(Debug, Default)]
struct Counts {
    /// Overlap joins by method, index first: of sets, and of texts.
    sets: [usize; 2],
    texts: [usize; 2],
    /// Those of several pairs of blocks, and those within keys, by method.
    in_blocks: [usize; 2],
    within: [usize; 2],
    /// Sweeps of short values beside them, and joins of records with the very same value.
    sweeps: usize,
    same: usize,
    /// The most elements that a value had.
    longest: u32,
}

impl Counts {
    fn add(&mut self, paper: &Paper<'_>) -> Result<()> {
        let Prepared { encoded, plan, .. } = &paper.prepared;
        let program = plan.program();
        for block in blocks(&paper.prepared.area()) {
            let accesses = accesses(encoded, program, &block, &Control::default())?;
            let is_joined = accesses.iter().any(|access| matches!(access, Access::Overlap(_)));
            for access in accesses.iter().filter(|_| is_joined) {
                match access {
                    Access::Overlap(join) => {
                        let method = usize::from(join.method == OverlapMethod::Dense);
                        match join.kind {
                            Elements::Tokens(_) => self.sets[method] += 1,
                            Elements::Grams(_) => self.texts[method] += 1,
                        }
                        let lens = join.lists.iter().flat_map(|list| list.lens.all());
                        self.longest = lens.map(|(len, _)| len).max().unwrap_or(0).max(self.longest);
                        self.within[method] += usize::from(join.sweep.within.is_some());
                        let walk = program.walk()?;
                        let lead = walk.predicate(join.sweep.settings.lead).measure();
                        let most = program.options().indexed;
                        let n_blocks = lead.map_or(0, |measure| join.blocks(measure, most).len());
                        self.in_blocks[method] += usize::from(n_blocks > 1);
                    }
                    Access::Join(join) => self.same += usize::from(join.is_same_value),
                    Access::Sweep(_) => self.sweeps += 1,
                }
            }
        }
        Ok(())
    }
}

/// The same case under other options, and what it looks at.
fn again<'a>(
    paper: &Paper<'a>,
    options: ScanOptions,
    variants: &[Variant],
    counts: &RefCell<Counts>,
) -> Paper<'a> {
    let again = paper.again(&|job| job.scan_options(options).variants(variants.to_vec()));
    counts.borrow_mut().add(&again).unwrap_or_else(|error| panic!("{error}"));
    again
}

fn in_blocks_of(indexed: u32) -> ScanOptions {
    ScanOptions { indexed, ..hashed() }
}

/// Both methods find what is wanted, and were really asked, in several blocks.
fn assert_joined(device: &Device, paper: &Paper<'_>, wanted: &[Found], options: ScanOptions) -> Counts {
    let counts = RefCell::new(Counts::default());
    for similarity in JOINS {
        let options = ScanOptions { similarity, ..options };
        let found = again(paper, options, &[], &counts).run(&**device);
        paper.assert_same(&format!("{} with {options:?}", device.name()), wanted, &found);
    }
    let counts = counts.into_inner();
    let Counts { sets, texts, in_blocks, .. } = &counts;
    let is_joined = |method: usize| sets[method] + texts[method] > 0 && in_blocks[method] > 0;
    assert!(is_joined(0) && is_joined(1), "not both ways, in blocks: {counts:?}");
    counts
}

/// With many blocks and with few, as variants, at once, and on the CPU in halves and in pieces.
fn similar_values(bench: Bench) {
    let device = bench.shape(32, 2, 64).open();
    let counts = RefCell::new(Counts::default());
    let default = hashed();
    let (n_cases, most_rows) = bench.by((100, 40), (4, 16), (20, 40));
    let blocks = bench.by(vec![1, 3, default.indexed], vec![7], vec![7, default.indexed]);
    let variants = [Variant::NoBitmap, Variant::NoFilter, Variant::NoDictionary];
    let variants = bench.by(&variants[..], &[], &variants);
    let others = [SimilarityChoice::Cheapest, SimilarityChoice::Sweep];
    let others = bench.by(&others[..], &[], &others);
    for_cases(n_cases, &similar_cases(most_rows), |paper| {
        let wanted = paper.oracle();
        for similarity in JOINS {
            for &indexed in &blocks {
                let options = ScanOptions { similarity, indexed, ..default };
                let again = again(paper, options, &[], &counts);
                let name = |how: &str| format!("{} {how} with {options:?}", device.name());
                paper.assert_same(&name("at once"), &wanted, &again.run(&*device));
                if indexed == 3 && bench.on == On::Cpu {
                    paper.assert_same(&name("in halves"), &wanted, &again.run_in_halves(&*device, 20));
                    paper.assert_same(&name("in pieces"), &wanted, &again.run(&SmallCpu(3000)));
                }
            }
            for &variant in variants {
                let options = ScanOptions { similarity, indexed: 16, ..default };
                let found = again(paper, options, &[variant], &counts).run(&*device);
                let name = format!("{} as {variant:?} with {options:?}", device.name());
                paper.assert_same(&name, &wanted, &found);
            }
        }
        for &similarity in others {
            let options = ScanOptions { similarity, ..default };
            let found = paper.again(&|job| job.scan_options(options)).run(&*device);
            paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &found);
        }
    });
    let counts = counts.into_inner();
    let Counts { sets, texts, in_blocks, sweeps, same, .. } = counts;
    assert!((0..2).all(|method| sets[method] + texts[method] > 0), "not both ways: {counts:?}");
    // The others see fewer cases.
    if bench.on == On::Cpu {
        let all = [sets, texts, in_blocks, [sweeps, same]];
        assert!(all.iter().flatten().all(|&n| n > 20), "too few of {counts:?}");
    }
}

/// Through an index and without one, in one block and in blocks of so many.
fn joined(indexed: u32) -> impl Iterator<Item = ScanOptions> {
    let all = JOINS.into_iter().flat_map(move |similarity| [(similarity, 1 << 20), (similarity, indexed)]);
    all.map(|(similarity, indexed)| ScanOptions { similarity, indexed, ..hashed() })
}

/// Whatever similarity can be joined is, and with a small result buffer too.
fn random_cases(bench: Bench) {
    let device = bench.shape(32, 2, 1 << 12).open();
    let narrow = bench.results(32).open();
    let of_one_block = || JOINS.map(|similarity| ScanOptions { similarity, ..hashed() });
    let options: Vec<_> = match bench.on {
        On::Threads => of_one_block().to_vec(),
        On::Cpu | On::Gpu => joined(7).collect(),
    };
    let (n_cases, most_rows) = bench.by((40, 60), (20, 20), (100, 60));
    for_random_cases(n_cases, most_rows, |paper| {
        let wanted = paper.oracle();
        for &options in &options {
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &again.run(&*device));
            if bench.on == On::Gpu && wanted.len() < 300 {
                paper.assert_same("the GPU, joined, with little room", &wanted, &again.run(&*narrow));
            }
        }
    });
}

/// A table of few cities, and titles of five of a dozen words: many are alike, and few are the same.
fn cities(n_rows: usize, salt: usize) -> Sheet {
    let words = ["the", "old", "man", "and", "sea", "moby", "dick", "or", "whale", "war", "peace", "pride"];
    // The middle of a square is as good as random, and the same every time.
    let random = |ix: usize| ((ix * 7919 + 104_729).pow(2) >> 13) % 10_007;
    let row = |ix: usize| {
        let ix = ix + salt;
        let title: Vec<&str> = (0..5).map(|nth| words[random(ix * 5 + nth) % words.len()]).collect();
        let values = [format!("c{}", random(ix) % 2), title.join(" "), (ix % 7).to_string()];
        values.map(|value| (!ix.is_multiple_of(31)).then_some(value)).to_vec()
    };
    Sheet::new(&["city", "title", "n"], (0..n_rows).map(row).collect())
}

/// Keys are few and have many records: those are joined within each.
fn within_keys(bench: Bench) {
    let device = bench.open();
    let mut n_within = [0; 2];
    let sets =
        ["jaccard(words(l.title), words(r.title)) >= 0.3", "overlap(words(l.title), words(r.title)) >= 2"];
    let beside = ["", " AND l.n <> r.n"];
    for (set, beside) in sets.into_iter().zip(beside) {
        for right in [None, Some(cities(1000, 2000))] {
            let whens = vec![format!("l.city = r.city AND {set}{beside}")];
            let case = Case { left: cities(1100, 0), right, whens };
            let paper = prepare(&case);
            let wanted = paper.oracle();
            for heavy in [0, 3] {
                let options = ScanOptions { heavy, ..in_blocks_of(50) };
                let Counts { within, .. } = assert_joined(&device, &paper, &wanted, options);
                n_within = [0, 1].map(|method: usize| n_within[method] + within[method]);
            }
        }
    }
    assert!(n_within.iter().all(|&n| n > 2), "too few within keys: {n_within:?}");
}

/// The same with random titles and rules; what costs least may also be a join of all values, or of records.
fn beside_keys(bench: Bench) {
    let device = bench.open();
    for_cases(6, &similar_keyed_cases(200), |paper| {
        let wanted = paper.oracle();
        for similarity in JOINS {
            for (heavy, indexed) in [(0, 50), (3, 1 << 20)] {
                let options = ScanOptions { similarity, heavy, indexed, ..hashed() };
                let found = paper.again(&|job| job.scan_options(options)).run(&*device);
                paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &found);
            }
        }
    });
}

/// Words of three letters, all different up to 17,576 of them, and as good as random.
fn words(n: usize) -> Vec<String> {
    let letter = |ix: usize| char::from(b'a' + (ix % 26) as u8);
    (0..n)
        .map(|ix| ix * 7919 % 17_576)
        .map(|ix| [ix, ix / 26, ix / 676].map(letter).iter().collect())
        .collect()
}

/// A table of one column.
fn column(values: Vec<String>) -> Sheet {
    Sheet::new(&["v"], values.into_iter().map(|value| vec![Some(value)]).collect())
}

/// Values of thousands of tokens beside short ones, some of them near.
fn long_values(bench: Bench) {
    let device = bench.open();
    let all = words(10_000);
    // So many words of the first half, and so many of the second.
    let sizes = [
        (5000, 0),
        (5000, 0),
        (4900, 200),
        (2500, 2500),
        (0, 4500),
        (3, 0),
        (2, 1),
        (1, 0),
        (40, 0),
        (37, 0),
    ];
    for (tokens, between) in [("words({})", " "), ("qgrams({}, 3)", "")] {
        let [l, r] = ["l.v", "r.v"].map(|operand| tokens.replace("{}", operand));
        let value = |(n, more): (usize, usize)| [&all[..n], &all[5000..5000 + more]].concat().join(between);
        let values = sizes.map(value).to_vec();
        for bound in ["0.3", "0.9"] {
            for right in [None, Some(column(values[2..].to_vec()))] {
                let whens = vec![format!("jaccard({l}, {r}) >= {bound}")];
                let case = Case { left: column(values.clone()), right, whens };
                let paper = prepare(&case);
                let wanted = paper.oracle();
                assert!(wanted.len() > 2, "{} candidates are few", wanted.len());
                let Counts { longest, .. } = assert_joined(&device, &paper, &wanted, in_blocks_of(4));
                assert!(longest > 4096, "values of {longest} tokens are not long");
            }
        }
    }
}

/// More sizes of values than a block may have: each value has the words of all before it, and one more.
fn many_sizes(bench: Bench) {
    let device = bench.open();
    let all = words(1030);
    let sizes: Vec<usize> = (1..=all.len()).collect();
    let sheet = |sizes: &[usize]| column(sizes.iter().map(|&n| all[..n].join(" ")).collect());
    for right in [None, Some(&sizes[1000..])] {
        let case = Case {
            left: sheet(&sizes),
            right: right.map(sheet),
            whens: vec!["jaccard(words(l.v), words(r.v)) >= 0.9".to_owned()],
        };
        let wanted: Vec<_> = (1..)
            .zip(&sizes)
            .flat_map(|l| (1..).zip(right.unwrap_or(&sizes)).map(move |r| (l, r)))
            .filter(|&((_, &l), (_, &r))| (l < r || right.is_some()) && 10 * l.min(r) >= 9 * l.max(r))
            .map(|((id_l, _), (id_r, _)): ((usize, _), (usize, _))| (id_l.to_string(), id_r.to_string(), 0))
            .collect();
        assert_joined(&device, &prepare(&case), &wanted, hashed());
    }
}

/// Characters that 16 bits cannot number: q-grams are of two at most.
fn the_widest_alphabet(bench: Bench) {
    let device = bench.open();
    let many = (0x1_0000u32..0x2_1000).filter_map(char::from_u32).collect();
    let names =
        ["anne smith", "ann smith", "anna smyth", "漢字漢字漢字漢字", "漢字漢字漢字字", "", "a", "ab"];
    let left = column([many].into_iter().chain(names.map(str::to_owned)).collect());
    for when in ["levenshtein(l.v, r.v) <= 2", "hamming_similarity(l.v, r.v) >= 0.8"] {
        let case = Case { left: left.clone(), right: None, whens: vec![when.to_owned()] };
        let paper = prepare(&case);
        let wanted = paper.oracle();
        assert!(!wanted.is_empty(), "nothing holds");
        assert_joined(&device, &paper, &wanted, in_blocks_of(2));
    }
}

fn one_token_for_all(bench: Bench) {
    let device = bench.open();
    let values: Vec<String> = (0..300).map(|ix| format!("the {}", ix % 150)).collect();
    let left = column(values);
    for (bound, least) in
        [("overlap(words(l.v), words(r.v)) >= 1", 44_850), ("dice(words(l.v), words(r.v)) > 0.5", 150)]
    {
        let case = Case { left: left.clone(), right: None, whens: vec![bound.to_owned()] };
        let paper = prepare(&case);
        let wanted = paper.oracle();
        assert_eq!(wanted.len(), least, "{bound}");
        assert_joined(&device, &paper, &wanted, in_blocks_of(7));
    }
}

/// A column without values, and values without tokens.
fn no_values(bench: Bench) {
    let device = bench.open();
    let row = |v: Option<&str>| vec![v.map(str::to_owned), Some("x".to_owned())];
    let whens = ["jaccard(words(l.v), words(r.v)) >= 0.5", "levenshtein(l.v, r.v) <= 1", "l.w <> r.w"];
    for values in
        [vec![None, None, None], vec![Some(" "), Some(" "), Some("  ")], vec![Some("a"), None, Some(" ")]]
    {
        let left = Sheet::new(&["v", "w"], values.into_iter().map(row).collect());
        for right in [None, Some(left.clone())] {
            let case = Case { left: left.clone(), right, whens: whens.map(str::to_owned).to_vec() };
            let paper = prepare(&case);
            let wanted = paper.oracle();
            for similarity in JOINS {
                let options = ScanOptions { similarity, ..hashed() };
                let found = paper.again(&|job| job.scan_options(options)).run(&*device);
                paper.assert_same(&format!("{} with {options:?}", device.name()), &wanted, &found);
            }
        }
    }
}

/// Two near values, and nearly all records have one of them: they stand for so many pairs of records that a
/// thread leaves them to all threads.
fn all_values_equal(bench: Bench) {
    let device = bench.open();
    let names = [("the old man", 300), ("the old men", 280), ("moby dick", 2)];
    let names: Vec<&str> = names.iter().flat_map(|&(name, n)| vec![name; n]).collect();
    // By turns, so that neither value has all the smaller ids.
    let name = |ix: usize| names[ix * 7 % names.len()];
    let row =
        |ix: usize| [name(ix), name(ix), &(ix % 5).to_string()].map(|value| Some(value.to_owned())).to_vec();
    let left = Sheet::new(&["v", "w", "n"], (0..names.len()).map(row).collect());
    let whens = [
        ("jaccard(words(l.v), words(r.v)) >= 0.5 AND l.n <> r.n", true),
        ("levenshtein(l.v, r.v) <= 1 AND l.n <> r.n", true),
        ("levenshtein(l.v, r.w) <= 1", false),
    ];
    for (when, asks_for_n) in whens {
        for right in [None, Some(left.clone())] {
            let is_one = right.is_none();
            let case = Case { left: left.clone(), right, whens: vec![when.to_owned()] };
            let holds = |l: usize, r: usize| {
                (l % 5 != r % 5 || !asks_for_n)
                    && (name(l) == "moby dick") == (name(r) == "moby dick")
                    && (l < r || !is_one)
            };
            let wanted: Vec<_> = (0..names.len())
                .flat_map(|l| (0..names.len()).map(move |r| (l, r)))
                .filter(|&(l, r)| holds(l, r))
                .map(|(l, r)| ((l + 1).to_string(), (r + 1).to_string(), 0))
                .collect();
            assert_joined(&device, &prepare(&case), &wanted, in_blocks_of(2));
        }
    }
}

/// Pairs of values that very many records have are handed on, as far as there is room; and expanded, where there is none.
fn heavy_values(bench: Bench) {
    let row = |ix: usize| vec![Some(["maria garcia lopez", "maria garcia", "ann lee"][ix % 3].to_owned())];
    let left = Sheet::new(&["name"], (0..220).map(row).collect());
    let whens = ["jaccard(words(l.name), words(r.name)) >= 0.6".to_owned()];
    let case = Case { left, right: None, whens: whens.to_vec() };
    let options = ScanOptions { similarity: SimilarityChoice::Join, ..hashed() };
    let paper = case.prepare_with(&|job| job.scan_options(options)).expect("the case is sound");
    let wanted = paper.oracle();
    for most_heavies in [16, 0] {
        let device = bench.shape(32, 2, 1 << 14).heavies(most_heavies).open();
        paper.assert_same(&device.name(), &wanted, &paper.run(&*device));
        if let Some(threads) = device.threads() {
            assert_eq!(threads.n_heavies() > 0, most_heavies > 0);
        }
    }
}

/// Many values, long ones, and pairs of values that very many records have.
fn many_values(bench: Bench) {
    let device = bench.open();
    let alphabet: Vec<char> = "abcdeé ".chars().collect();
    let heavy_names = heavy_sheet(3_000, ["maria garcia lopez", "maria garcia"], &['a', 'e', 'n', 's', ' ']);
    let heavy_rules = ["jaccard(words(l.name), words(r.name)) >= 0.6 AND NOT l.zip = r.zip".to_owned()];
    let cases = [
        Case { left: name_sheet(9_000, 5), right: None, whens: name_rules() },
        Case { left: name_sheet(9_000, 5), right: Some(name_sheet(3_000, 70_000)), whens: name_rules() },
        Case { left: long_sheet(24, 0, &alphabet), right: None, whens: text_rules() },
        Case { left: heavy_names, right: None, whens: heavy_rules.to_vec() },
    ];
    for case in &cases {
        // The case is too large to print.
        let prepare = |options: ScanOptions| {
            case.prepare_with(&|job| job.scan_options(options)).expect("the case is sound")
        };
        // The CPU sweeps: it is another way to the same pairs.
        let swept = ScanOptions { similarity: SimilarityChoice::Sweep, ..hashed() };
        let wanted = prepare(swept).run(&Cpu::new());
        for options in joined(1000) {
            let got = prepare(options).run(&*device);
            assert!(got == wanted, "{options:?}: {} candidates, not {}", got.len(), wanted.len());
        }
    }
}
