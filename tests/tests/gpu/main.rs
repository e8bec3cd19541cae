//! Exactness on the GPU: the checks of `exact.rs`, and sizes that only a GPU makes light work of.
//!
//! Where there is no GPU every trial is reported as ignored, never as passed. The binary needs nothing of the source
//! tree, so it can be carried to a machine that has one.

mod closures;
mod clusters;
mod relation;

use hyperblock::device::cpu::Cpu;
use hyperblock::device::cuda;
use hyperblock::device::cuda::Cuda;
use hyperblock::operators::Backend;
use hyperblock::operators::join::{JoinOperator, Output};
use hyperblock::plan::join::{Method, Side};
use hyperblock::plan::{JoinChoice, ScanOptions, SimilarityChoice, Variant};
use hyperblock_shared::join::hash;
use hyperblock_tests::case::{Case, Paper, Sheet, is_no_rule};
use hyperblock_tests::generate::{
    cases, keyed_cases, nothing_to_compare, regular_rules, regular_sheet, zipf_sheet,
};
use hyperblock_tests::joins::{self, JoinCase};
use hyperblock_tests::neighbours::{NearCase, near_cases};
use hyperblock_tests::overlaps;
use hyperblock_tests::scores;
use libtest_mimic::{Arguments, Failed, Trial};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

fn main() {
    let arguments = Arguments::from_args();
    let gpus = cuda::gpus();
    if let Err(reason) = &gpus {
        eprintln!("all ignored: {reason}");
    }
    let trial = |name: &str, check: fn() -> Result<(), Failed>| {
        Trial::test(name, check).with_ignored_flag(gpus.is_err())
    };
    let trials = vec![
        trial("random_cases", random_cases),
        trial("random_cases_with_a_full_buffer", random_cases_with_a_full_buffer),
        trial("tasks_done_again_in_halves", tasks_done_again_in_halves),
        trial("random_cases_in_pieces", random_cases_in_pieces),
        trial("warp_edges", warp_edges),
        trial("every_pair_is_a_candidate", every_pair_is_a_candidate),
        trial("columns_without_values", columns_without_values),
        trial("long_strings", long_strings),
        trial("wide_alphabets", wide_alphabets),
        trial("seventy_thousand_by_three_hundred", seventy_thousand_by_three_hundred),
        trial("one_table_of_nine_thousand", one_table_of_nine_thousand),
        trial("random_cases_as_variants", random_cases_as_variants),
        trial("heavy_values_and_stealing", heavy_values_and_stealing),
        trial("joins", joins),
        trial("joins_of_many_rows", joins_of_many_rows),
        trial("keys", keys),
        trial("heavy_keys", heavy_keys),
        trial("overlap_joins", overlap_joins),
        trial("similarities_by_overlap_joins", similarities_by_overlap_joins),
        trial("many_values_by_overlap_joins", many_values_by_overlap_joins),
        trial("clusters", clusters::clusters),
        trial("clusters_of_many_records", clusters::clusters_of_many_records),
        trial("clusters_without_memory", clusters::clusters_without_memory),
        trial("neighbourhoods", neighbourhoods),
        trial("many_neighbours", many_neighbours),
        trial("closures", closures::closures),
        trial("closures_of_many_nodes", closures::closures_of_many_nodes),
        trial("closures_in_pieces", closures::closures_in_pieces),
        trial("relational_operators", relation::relational_operators),
        trial("relational_operators_on_many_tuples", relation::relational_operators_on_many_tuples),
        trial("semi_naive_closures", relation::semi_naive_closures),
        trial("semi_naive_closures_of_many_tuples", relation::semi_naive_closures_of_many_tuples),
        trial("semi_naive_closures_in_little_memory", relation::semi_naive_closures_in_little_memory),
        trial("scores", random_scores),
        trial("scores_of_long_texts", scores_of_long_texts),
        trial("scores_of_many_pairs", scores_of_many_pairs),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

fn for_random_cases(n_cases: u32, check: impl Fn(&Paper<'_>)) -> Result<(), Failed> {
    for_cases(n_cases, &cases(60), check)
}

fn for_cases(
    n_cases: u32,
    cases: &impl Strategy<Value = Case>,
    check: impl Fn(&Paper<'_>),
) -> Result<(), Failed> {
    // The variable PROPTEST_CASES makes it fewer, for the slow tools that look for bad accesses and races.
    let usual = Config::default();
    let cases_to_run = n_cases.min(usual.cases);
    let config = Config { cases: cases_to_run, failure_persistence: None, max_shrink_iters: 2000, ..usual };
    let ran = TestRunner::new(config).run(cases, |case| {
        match case.prepare() {
            Ok(paper) => check(&paper),
            Err(error) if is_no_rule(&error) => return Err(TestCaseError::reject("no rule")),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        Ok(())
    });
    Ok(ran?)
}

fn assert_exact(paper: &Paper<'_>, device: &dyn Backend) {
    paper.assert_same(&device.name(), &paper.oracle(), &paper.run(device));
}

/// Where the oracle would take too long, the CPU backend stands in: `exact.rs` holds that to the oracle.
fn assert_as_on_the_cpu(case: &Case, device: &dyn Backend) -> Result<(), Failed> {
    let paper = case.prepare()?;
    let wanted = paper.run(&Cpu::new());
    if wanted.is_empty() {
        return Err("a case without candidates tests little".into());
    }
    let got = paper.run(device);
    // Too large to print: say where they part.
    match wanted.iter().zip(&got).position(|(wanted, got)| wanted != got) {
        Some(ix) => Err(format!("row {ix}: wanted {:?}, got {:?}", wanted[ix], got[ix]).into()),
        None if wanted.len() != got.len() => {
            Err(format!("wanted {} candidates, got {}", wanted.len(), got.len()).into())
        }
        None => Ok(()),
    }
}

fn random_cases() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for_random_cases(200, |paper| assert_exact(paper, &device))
}

fn random_cases_in_pieces() -> Result<(), Failed> {
    let device = Cuda::open(0)?.with_memory(4000);
    for_random_cases(20, |paper| assert_exact(paper, &device))
}

fn random_cases_with_a_full_buffer() -> Result<(), Failed> {
    let device = Cuda::open(0)?.with_result_capacity(32);
    for_random_cases(60, |paper| assert_exact(paper, &device))
}

fn tasks_done_again_in_halves() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for_random_cases(40, |paper| {
        paper.assert_same("the GPU, in halves", &paper.oracle(), &paper.run_in_halves(&device, 5));
    })
}

fn warp_edges() -> Result<(), Failed> {
    let (roomy, narrow) = (Cuda::open(0)?, Cuda::open(0)?.with_result_capacity(32));
    for n_rows in [1, 31, 32, 33, 65, 255, 256, 257] {
        for right in [None, Some(regular_sheet(n_rows, 3)), Some(regular_sheet(2, 1))] {
            let case = Case { left: regular_sheet(n_rows, 0), right, whens: regular_rules() };
            let paper = case.prepare()?;
            let wanted = paper.oracle();
            paper.assert_same("the GPU", &wanted, &paper.run(&roomy));
            // A full buffer means a launch for each few candidates: enough is enough.
            if n_rows <= 65 {
                paper.assert_same("the GPU with a small buffer", &wanted, &paper.run(&narrow));
            }
        }
    }
    Ok(())
}

/// The result buffer is far too small: tasks are done in ever smaller parts.
fn every_pair_is_a_candidate() -> Result<(), Failed> {
    let case = Case {
        left: regular_sheet(700, 0),
        right: Some(regular_sheet(90, 5)),
        whens: vec!["l.code <> ''".to_owned()],
    };
    assert_as_on_the_cpu(&case, &Cuda::open(0)?.with_result_capacity(32))?;
    let dedupe = Case { right: None, ..case };
    assert_as_on_the_cpu(&dedupe, &Cuda::open(0)?.with_result_capacity(1000))
}

fn columns_without_values() -> Result<(), Failed> {
    let case = nothing_to_compare();
    assert_exact(&case.prepare()?, &Cuda::open(0)?);
    Ok(())
}

/// A number that looks random and is the same on every machine.
fn scrambled(seed: usize) -> usize {
    let mixed = (seed as u64 ^ 0x9e37_79b9).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 33) as usize
}

/// `len` characters of `alphabet`, one in `every` of them changed from those of the same `family`.
fn relative(family: usize, member: usize, len: usize, every: usize, alphabet: &[char]) -> String {
    let character = |ix: usize| {
        let of_family = scrambled(family * 1_000_003 + ix);
        let own = scrambled(member * 7_919 + ix * 13 + 1);
        let seed = if own.is_multiple_of(every) { own / every } else { of_family };
        alphabet[seed % alphabet.len()]
    };
    (0..len).map(character).collect()
}

fn long_sheet(n_rows: usize, salt: usize, alphabet: &[char]) -> Sheet {
    let row = |ix: usize| {
        let member = ix + salt;
        let len = [3, 60, 64, 65, 130, 255, 256, 300, 1000, 5003][ix % 10] + member % 3;
        let text = relative(ix % 20, member, len, 12, alphabet);
        vec![Some(text), Some(relative(ix % 10, member, 1 + member % 6, 5, &['a', 'b', 'c', ' ']))]
    };
    Sheet::new(&["text", "short"], (0..n_rows).map(row).collect())
}

fn text_rules() -> Vec<String> {
    [
        "levenshtein(l.text, r.text) <= 40 AND levenshtein(l.text, r.text) > 3",
        "levenshtein_similarity(l.text, r.text) >= 0.85",
        "jaro_winkler_similarity(l.text, r.text) > 0.91",
        "jaccard(qgrams(l.text, 2), qgrams(r.text, 2)) >= 0.7",
        "jaccard(words(l.short), words(r.short)) >= 1 AND l.short <> r.short",
        "levenshtein(l.text, r.short) = 3",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn long_strings() -> Result<(), Failed> {
    let alphabet: Vec<char> = "abcdeé ".chars().collect();
    let left = long_sheet(24, 0, &alphabet);
    for right in [None, Some(long_sheet(12, 1000, &alphabet))] {
        let case = Case { left: left.clone(), right, whens: text_rules() };
        assert_as_on_the_cpu(&case, &Cuda::open(0)?)?;
        assert_as_on_the_cpu(&case, &Cuda::open(0)?.with_result_capacity(32))?;
    }
    Ok(())
}

/// 16 and 32 bits a symbol.
fn wide_alphabets() -> Result<(), Failed> {
    for n_characters in [600u32, 70_000] {
        let alphabet: Vec<char> = (0x4e00..0x4e00 + n_characters).filter_map(char::from_u32).collect();
        let mut left = long_sheet(30, 0, &alphabet);
        // All of the alphabet stands in one value, so that the column really needs that many symbols.
        left.rows[0][0] = Some(alphabet.iter().collect());
        // Among so many characters, random ones rarely agree: these few do.
        for (ix, row) in left.rows.iter_mut().enumerate().skip(20) {
            row[0] = Some(relative(1, ix, 20 + 30 * (ix % 4), 9, &alphabet[..4]));
        }
        let case = Case { left, right: None, whens: text_rules() };
        assert_as_on_the_cpu(&case, &Cuda::open(0)?)?;
    }
    Ok(())
}

fn name_sheet(n_rows: usize, salt: usize) -> Sheet {
    let first = ["ann", "anna", "bob", "rob", "robert", "zoë", "joão", "li", "maría josé", "x"];
    let row = |ix: usize| {
        let seed = scrambled(ix + salt);
        let name = format!(
            "{} {}",
            first[seed % 10],
            relative(seed / 10 % 400, ix, 7, 9, &['a', 'e', 'n', 's', 't'])
        );
        let year = (seed / 7 % 70 + 1940).to_string();
        vec![Some(name), (!seed.is_multiple_of(11)).then_some(year), Some((seed / 3 % 1000).to_string())]
    };
    Sheet::new(&["name", "year", "zip"], (0..n_rows).map(row).collect())
}

fn name_rules() -> Vec<String> {
    [
        "l.zip = r.zip AND abs(l.year - r.year) <= 1",
        "levenshtein(l.name, r.name) <= 1",
        "jaro_winkler_similarity(l.name, r.name) >= 0.95 AND soundex(l.name) = soundex(r.name)",
        "jaccard(qgrams(l.name, 3), qgrams(r.name, 3)) >= 0.8 AND NOT l.year = r.year",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn seventy_thousand_by_three_hundred() -> Result<(), Failed> {
    let case =
        Case { left: name_sheet(70_000, 0), right: Some(name_sheet(300, 90_000)), whens: name_rules() };
    assert_as_on_the_cpu(&case, &Cuda::open(0)?)?;
    assert_as_on_the_cpu(&case, &Cuda::open(0)?.with_result_capacity(5000))?;
    // The other way round: many right records, few left ones.
    let (left, right) = (name_sheet(300, 90_000), Some(name_sheet(70_000, 0)));
    assert_as_on_the_cpu(&Case { left, right, ..case }, &Cuda::open(0)?)
}

fn one_table_of_nine_thousand() -> Result<(), Failed> {
    let case = Case { left: name_sheet(9_000, 5), right: None, whens: name_rules() };
    assert_as_on_the_cpu(&case, &Cuda::open(0)?)
}

/// The parts of the scan that can be switched off, alone and all together.
fn scan_variants() -> Vec<Vec<Variant>> {
    let alone = [
        Variant::NoSeq,
        Variant::NoPsw,
        Variant::NoStealing,
        Variant::NoQueue,
        Variant::NoFilter,
        Variant::NoDictionary,
    ];
    let all = vec![Variant::NoHo, Variant::NoFilter, Variant::NoDictionary];
    alone.iter().map(|&variant| vec![variant]).chain([all]).collect()
}

fn random_cases_as_variants() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for_random_cases(25, |paper| {
        let wanted = paper.oracle();
        for set in scan_variants() {
            let again = paper.again(&|job| job.variants(set.clone()));
            paper.assert_same(&format!("the GPU as {set:?}"), &wanted, &again.run(&device));
        }
    })
}

/// Few values have most of the records, so that blocks rob each other all the time, with windows and intervals of all sizes.
fn heavy_values_and_stealing() -> Result<(), Failed> {
    let name = |ix: usize| match scrambled(ix) % 10 {
        0..4 => "maria garcia".to_owned(),
        4..6 => "mario garcia".to_owned(),
        _ => relative(ix % 900, ix, 11, 9, &['a', 'e', 'n', 's', 't']),
    };
    let row = |ix: usize| vec![Some(name(ix)), Some((scrambled(ix + 7) % 300).to_string())];
    let left = Sheet::new(&["name", "zip"], (0..6_000).map(row).collect());
    let whens = [
        "levenshtein(l.name, r.name) <= 1 AND NOT l.zip = r.zip AND jaro_winkler_similarity(l.zip, r.zip) > 0.9",
        "l.zip = r.zip AND levenshtein_similarity(l.name, r.name) >= 0.6",
    ];
    let case = Case { left, right: None, whens: whens.map(str::to_owned).to_vec() };
    let device = Cuda::open(0)?;
    let wanted = case.prepare()?.run(&Cpu::new());
    for (interval, window) in [(256, 1024), (32, 1024), (64, 7), (512, 3), (32, 1)] {
        for set in [vec![], vec![Variant::NoPsw], vec![Variant::NoStealing], vec![Variant::NoQueue]] {
            let scan = ScanOptions { interval, window, ..ScanOptions::default() };
            let paper = case.prepare_with(&|job| job.variants(set.clone()).scan_options(scan))?;
            let got = paper.run(&device);
            if got != wanted {
                let (n, m) = (got.len(), wanted.len());
                return Err(format!("{interval} × {window} as {set:?}: {n} candidates, not {m}").into());
            }
        }
    }
    Ok(())
}

fn joins() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for n_rows in [0, 33, 1500] {
        for case in joins::cases(n_rows) {
            case.assert_exact(&device);
        }
    }
    // Products of whole units, from an even place and from an odd one; and more than one chunk of a partition.
    for n_singles in [0, 1] {
        let keys = |n: usize| [vec![7; n], (0..n_singles).map(|ix| 100 + ix).collect()].concat();
        JoinCase::new("whole units", keys(700), keys(4200)).assert_exact(&device);
    }
    Ok(())
}

/// Two passes, many partitions, heavy keys: counted, and written through a buffer that is overwritten.
fn joins_of_many_rows() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    const N: u32 = 3_000_000;
    // Many keys that few rows have, and few that many have.
    let keys = |seed: u32| -> Vec<u32> {
        let key = |ix: u32| match hash(ix ^ seed) {
            h if h % 4 == 0 => h % 1000,
            h => h % N,
        };
        (0..N).map(key).collect()
    };
    let (left, right) = (keys(1), keys(0x5555_0000));
    let mut counts = vec![[0u64; 2]; N as usize];
    left.iter().for_each(|&key| counts[key as usize][0] += 1);
    right.iter().for_each(|&key| counts[key as usize][1] += 1);
    let expected: u64 = counts.iter().map(|[l, r]| l * r).sum();
    let within: u64 = counts.iter().map(|[l, _]| l * l.saturating_sub(1) / 2).sum();
    let side = |keys| Side { keys, rows: None };
    for (right, expected) in [(Some(side(&right)), expected), (None, within)] {
        let mut join = device.load_join(side(&left), right)?;
        for method in [Method::Skew, Method::Plain] {
            for output in [Output::Count, Output::Pairs { capacity: 1 << 20 }] {
                let joined = join.run(method, output)?;
                if joined.n_pairs != expected {
                    return Err(
                        format!("{method}, {output:?}: {} pairs of {expected}", joined.n_pairs).into()
                    );
                }
                if (method == Method::Skew) != (joined.n_heavy > 0) {
                    return Err(format!("{method}: {} heavy keys", joined.n_heavy).into());
                }
            }
            let is_pair = |&(l, r): &(u32, u32)| {
                left[l as usize] == right.map_or(&left[..], |right| right.keys)[r as usize]
            };
            if !join.pairs()?.iter().all(is_pair) {
                return Err(format!("{method}: pairs with different keys").into());
            }
        }
    }
    Ok(())
}

/// All ways to use equalities, with small bounds for heavy keys.
fn for_joins(check: impl Fn(ScanOptions)) {
    for join in [JoinChoice::Skew, JoinChoice::Plain, JoinChoice::None] {
        check(ScanOptions { join, heavy: 3, ..ScanOptions::default() });
    }
}

fn keys() -> Result<(), Failed> {
    let roomy = Cuda::open(0)?.with_fewest_joined(0);
    let narrow = Cuda::open(0)?.with_fewest_joined(0).with_result_capacity(32);
    for_cases(40, &keyed_cases(60), |paper| {
        let wanted = paper.oracle();
        for_joins(|options| {
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("the GPU with {options:?}"), &wanted, &again.run(&roomy));
        });
        if wanted.len() < 300 {
            paper.assert_same("the GPU, with little room", &wanted, &paper.run(&narrow));
        }
    })
}

fn heavy_keys() -> Result<(), Failed> {
    let device = Cuda::open(0)?.with_fewest_joined(0);
    let whens = [
        "l.home = r.home AND levenshtein(l.name, r.name) <= 1 AND abs(l.n - r.n) <= 20",
        "l.work = r.work AND l.state = r.state AND l.n = r.n",
        "l.work = r.home AND jaro_winkler_similarity(l.name, r.name) >= 0.9 AND l.n < r.n",
    ];
    for right in [None, Some(zipf_sheet(3000, 9))] {
        let case = Case { left: zipf_sheet(4000, 0), right, whens: whens.map(str::to_owned).to_vec() };
        let paper = case.prepare()?;
        let wanted = paper.run(&Cpu::new());
        for_joins(|options| {
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same(&format!("the GPU with {options:?}"), &wanted, &again.run(&device));
        });
    }
    Ok(())
}

/// Pairs of sets, against a naive join of them.
fn overlap_joins() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    let cases = [0, 1, 33, 300].into_iter().flat_map(overlaps::cases);
    for case in cases.chain([overlaps::long(), overlaps::parts(), overlaps::segments()]) {
        for manner in overlaps::manners() {
            case.assert_exact(&manner, |block, manner| {
                let found = device.overlapping(block, manner.method, manner.capacity);
                found.expect("a join finds its pairs")
            });
        }
    }
    Ok(())
}

/// Through an index and without one, in one block and in blocks of so many.
fn joined(indexed: u32) -> impl Iterator<Item = ScanOptions> {
    let all = [
        (SimilarityChoice::Join, 1 << 20),
        (SimilarityChoice::Join, indexed),
        (SimilarityChoice::Dense, 1 << 20),
        (SimilarityChoice::Dense, indexed),
    ];
    all.into_iter().map(|(similarity, indexed)| ScanOptions { similarity, indexed, ..ScanOptions::default() })
}

/// Whatever similarity can be joined is, and with a small result buffer too.
fn similarities_by_overlap_joins() -> Result<(), Failed> {
    let roomy = Cuda::open(0)?.with_fewest_joined(0);
    let narrow = Cuda::open(0)?.with_result_capacity(32);
    for_random_cases(100, |paper| {
        let wanted = paper.oracle();
        for options in joined(7) {
            let again = paper.again(&|job| job.scan_options(options));
            paper.assert_same("the GPU, joined", &wanted, &again.run(&roomy));
            if wanted.len() < 300 {
                paper.assert_same("the GPU, joined, with little room", &wanted, &again.run(&narrow));
            }
        }
    })
}

/// Many values, long ones, and pairs of values that very many records have.
fn many_values_by_overlap_joins() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    let alphabet: Vec<char> = "abcdeé ".chars().collect();
    let heavy = |ix: usize| match scrambled(ix) % 10 {
        0..4 => "maria garcia lopez".to_owned(),
        4..6 => "maria garcia".to_owned(),
        _ => relative(ix % 900, ix, 11, 9, &['a', 'e', 'n', 's', ' ']),
    };
    let heavy_row = |ix: usize| vec![Some(heavy(ix)), Some((scrambled(ix + 7) % 300).to_string())];
    let heavy_sheet = Sheet::new(&["name", "zip"], (0..3_000).map(heavy_row).collect());
    let heavy_rules = ["jaccard(words(l.name), words(r.name)) >= 0.6 AND NOT l.zip = r.zip".to_owned()];
    let cases = [
        Case { left: name_sheet(9_000, 5), right: None, whens: name_rules() },
        Case { left: name_sheet(9_000, 5), right: Some(name_sheet(3_000, 70_000)), whens: name_rules() },
        Case { left: long_sheet(24, 0, &alphabet), right: None, whens: text_rules() },
        Case { left: heavy_sheet, right: None, whens: heavy_rules.to_vec() },
    ];
    for case in &cases {
        // The CPU sweeps: it is another way to the same pairs.
        let swept = ScanOptions { similarity: SimilarityChoice::Sweep, ..ScanOptions::default() };
        let wanted = case.prepare_with(&|job| job.scan_options(swept))?.run(&Cpu::new());
        for options in joined(1000) {
            let got = case.prepare_with(&|job| job.scan_options(options))?.run(&device);
            if got != wanted {
                let (n, m) = (got.len(), wanted.len());
                return Err(format!("{options:?}: {n} candidates, not {m}").into());
            }
        }
    }
    Ok(())
}

/// With all memory, and with so little that pairs come in parts or orders stay on the host.
fn neighbourhoods() -> Result<(), Failed> {
    for device in [Cuda::open(0)?, Cuda::open(0)?.with_memory(100_000), Cuda::open(0)?.with_memory(400)] {
        let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
        TestRunner::new(config).run(&near_cases(60), |near| {
            if !near.is_well_formed() {
                return Err(TestCaseError::reject("no rule"));
            }
            near.assert_same(&device);
            Ok(())
        })?;
    }
    Ok(())
}

/// So many that they come in several parts, of one table and of two, of one order and of several.
fn many_neighbours() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for (right, keys, window) in [
        (None, &["'name'"][..], 200),
        (None, &["'name'", "'zip'", "'left(name, 3)'"], 20),
        (Some(name_sheet(30_000, 70_000)), &["'name'", "'year'"], 60),
    ] {
        let case = Case { left: name_sheet(60_000, 5), right, whens: Vec::new() };
        let near =
            NearCase { case, neighbourhoods: keys.iter().map(|key| ((*key).into(), window)).collect() };
        near.assert_as_on_the_cpu(&device);
    }
    Ok(())
}

fn random_scores() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    let config = Config { cases: 100, failure_persistence: None, ..Config::default() };
    Ok(TestRunner::new(config).run(&scores::cases(20), |case| {
        case.assert_exact(&device);
        Ok(())
    })?)
}

fn scores_of_long_texts() -> Result<(), Failed> {
    let device = Cuda::open(0)?;
    for case in scores::long().into_iter().chain([scores::very_wide()]) {
        case.assert_exact(&device);
    }
    Ok(())
}

/// More than are scored at once, as the CPU scores them.
fn scores_of_many_pairs() -> Result<(), Failed> {
    let (case, pairs) = scores::many(5000, 5_000_000);
    let prepared = case.prepare()?;
    let (means, patterns) = scores::scores(&prepared, &Cuda::open(0)?, &pairs);
    let (wanted_means, wanted_patterns) = scores::scores(&prepared, &Cpu::new(), &pairs);
    let differing = means.iter().zip(&wanted_means).position(|(got, wanted)| got != wanted);
    if let Some(ix) = differing {
        return Err(format!("pair {:?}: {} and not {}", pairs[ix], means[ix], wanted_means[ix]).into());
    }
    if patterns != wanted_patterns {
        return Err("patterns differ".into());
    }
    Ok(())
}
