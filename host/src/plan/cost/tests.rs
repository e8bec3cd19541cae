//! Tests of costs: over a small table that has a bit of everything.

use super::*;
use crate::base::control::Control;
use crate::device::cpu::Cpu;
use crate::job::Job;
use crate::plan::cost::BackendKind;
use crate::plan::work::{Bottleneck, Unit};
use crate::run::measured::measured;
use hyperblock_shared::measure::{Asked, Measure, OfSets, OfTexts};
use hyperblock_shared::predicate::{Predicate, Test as PredicateTest};
use hyperblock_shared::threshold::Threshold;
use proptest::prelude::*;
use std::path::Path;
use strum::VariantArray;

const RULES: [&str; 9] = [
    "l.name = r.name",
    "levenshtein(l.name, r.name) <= 1",
    "levenshtein_similarity(l.title, r.title) >= 0.9",
    "jaro_winkler_similarity(l.name, r.name) >= 0.9",
    "jaccard(words(l.title), words(r.title)) >= 0.5",
    "jaccard(qgrams(l.title, 3), qgrams(r.title, 3)) >= 0.5",
    "abs(l.year - r.year) <= 2",
    "l.year = 1999",
    "levenshtein(l.name, r.title) <= 3",
];

/// Names of about 3 symbols, titles of about 40, years; some are missing.
fn rows(n: u32) -> Vec<[String; 3]> {
    let letter = |ix: u32| char::from(b'a' + (ix.wrapping_mul(2_654_435_761) >> 16) as u8 % 26);
    let word = |from: u32, len: u32| (from..from + len).map(letter).collect::<String>();
    let row = |ix: u32| {
        let name = if ix % 10 == 9 { String::new() } else { word(ix * 7, 2 + ix % 3) };
        let title = (0..8).map(|nth| word(ix * 100 + nth * 9, 4)).collect::<Vec<_>>().join(" ");
        [name, title, (1950 + ix % 60).to_string()]
    };
    (0..n).map(row).collect()
}

fn encoded(rows: &[[String; 3]]) -> Encoded {
    let folder = tempfile::tempdir().unwrap();
    let (table, rules) = (folder.path().join("table.csv"), folder.path().join("rules.toml"));
    let lines = rows.iter().enumerate().map(|(ix, row)| format!("{ix},{}\n", row.join(",")));
    std::fs::write(&table, format!("id,name,title,year\n{}", lines.collect::<String>())).unwrap();
    let rule = |when: &&str| format!("[[rules]]\nwhen = \"{when}\"\n");
    std::fs::write(&rules, RULES.iter().map(rule).collect::<String>()).unwrap();
    Job::dedupe(table, rules).prepare(&Cpu::new(), &Control::default()).unwrap().encoded
}

fn find(encoded: &Encoded, is: impl Fn(&Measure) -> bool) -> Predicate {
    let of = |predicate: &&Predicate| matches!(&predicate.test, PredicateTest::Compare { measure, .. } if is(measure));
    *encoded.predicates.iter().find(of).unwrap()
}

fn feature(encoded: &Encoded, predicate: &Predicate, name: &str) -> f64 {
    Features::of(encoded, predicate).0[FEATURES.iter().position(|other| *other == name).unwrap()]
}

fn models() -> Vec<CostModel> {
    [BackendKind::Cpu, BackendKind::Cuda].map(|kind| CostModel::builtin(kind).unwrap()).to_vec()
}

#[test]
fn sources_and_kinds_have_names() {
    for source in [CostSource::Measured, CostSource::Model, CostSource::Static] {
        assert_eq!(source.to_string().parse(), Ok(source));
    }
    for kind in [BackendKind::Cpu, BackendKind::Cuda] {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        assert_eq!(CostModel::builtin(kind).unwrap().backend, kind);
    }
    assert_eq!(CostSource::default(), CostSource::Model);
    assert!("guess".parse::<CostSource>().is_err());
    assert_eq!("own/cpu.toml".parse(), Ok(CostSource::File("own/cpu.toml".into())));
}

#[test]
fn features_know_the_columns() {
    let encoded = encoded(&rows(500));
    let name = find(&encoded, |measure| matches!(measure, Measure::Texts { asked: Asked::Count(1), .. }));
    assert_eq!(feature(&encoded, &name, "levenshtein"), 1.0);
    assert_eq!(Features::of(&encoded, &name).0[..8].iter().sum::<f64>(), 1.0);
    // Lengths 2, 3 and 4; a tenth is missing on either side.
    assert!((feature(&encoded, &name, "length_left") - 2.0).abs() < 0.1);
    assert!((feature(&encoded, &name, "spread_left") - 0.27).abs() < 0.02);
    assert!((feature(&encoded, &name, "missing") - 0.19).abs() < 0.01);
    assert!((feature(&encoded, &name, "room") - 1.0 / 3.0).abs() < 0.05);
    let title =
        find(&encoded, |measure| matches!(measure, Measure::Texts { asked: Asked::Similarity(_), .. }));
    assert!((feature(&encoded, &title, "length_left") - 40f64.log2()).abs() < 0.1);
    assert!((feature(&encoded, &title, "room") - 0.1).abs() < 1e-9);
    assert_eq!(feature(&encoded, &title, "spread_left"), 0.0);
    let words = find(&encoded, |measure| matches!(measure, Measure::Sets { .. }));
    assert!((feature(&encoded, &words, "length_left") - 9f64.log2()).abs() < 0.1);
    let across = find(&encoded, |measure| matches!(measure, Measure::Texts { asked: Asked::Count(3), .. }));
    assert!(feature(&encoded, &across, "length_left") < feature(&encoded, &across, "length_right"));
}

#[test]
fn looser_thresholds_let_more_pass() {
    let encoded = encoded(&rows(500));
    let title =
        find(&encoded, |measure| matches!(measure, Measure::Texts { asked: Asked::Similarity(_), .. }));
    let passing = |digits| {
        let PredicateTest::Compare { left, right, measure: Measure::Texts { texts, by, .. } } = title.test
        else {
            panic!("{title:?} is another measure");
        };
        let threshold = Threshold { digits, scale: 10, strict: false };
        let measure = Measure::Texts { texts, by, asked: Asked::Similarity(threshold) };
        let predicate = Predicate { test: PredicateTest::Compare { left, right, measure }, negated: false };
        feature(&encoded, &predicate, "passing")
    };
    assert_eq!(passing(0), 0.0, "everything");
    assert!(
        passing(9) < passing(7) && passing(7) < passing(5),
        "{} {} {}",
        passing(9),
        passing(7),
        passing(5)
    );
    assert!(passing(10).is_finite());
}

#[test]
fn every_predicate_is_timed() {
    let encoded = encoded(&rows(200));
    let costs = measured(&Cpu::new(), &encoded, 1).unwrap();
    assert_eq!(costs.len(), encoded.predicates.len());
    assert!(costs.iter().all(|cost| cost.is_finite() && *cost > 0.0), "{costs:?}");
}

#[test]
fn nothing_to_compare_has_a_cost() {
    let encoded = encoded(&rows(3)).restrict(0..0, 0..0);
    let all =
        [static_costs(&encoded), costs(&models()[0], &encoded), measured(&Cpu::new(), &encoded, 1).unwrap()];
    for costs in all {
        assert!(costs.iter().all(|cost| cost.is_finite()), "{costs:?}");
    }
}

#[test]
fn static_costs_know_measures_and_lengths() {
    let encoded = encoded(&rows(300));
    let costs = static_costs(&encoded);
    let cost = |is: &dyn Fn(&Measure) -> bool| {
        let predicate = find(&encoded, is);
        costs[encoded.predicates.iter().position(|other| *other == predicate).unwrap()]
    };
    let equal = cost(&|measure| matches!(measure, Measure::Equal));
    let short = cost(&|measure| matches!(measure, Measure::Texts { asked: Asked::Count(1), .. }));
    let long = cost(&|measure| matches!(measure, Measure::Texts { asked: Asked::Similarity(_), .. }));
    assert!(equal < short && short < long, "{equal} {short} {long}");
}

#[test]
fn the_network_is_what_it_says() {
    let layer = |weights: &[&[f64]], biases: &[f64]| Layer {
        weights: weights.iter().map(|row| row.to_vec()).collect(),
        biases: biases.to_vec(),
    };
    let network = Network {
        layers: vec![layer(&[&[1.0, 2.0], &[-1.0, 0.0]], &[0.5, 0.0]), layer(&[&[-2.0, 3.0]], &[1.0])],
    };
    // max(1 + 2·2 + 0.5, 0) = 5.5 and max(−1, 0) = 0; −2 · 5.5 + 1 = −10: the last layer is linear.
    assert_eq!(network.forward(&[1.0, 2.0]), -10.0);
    // max(−3.5, 0) = 0 and max(4, 0) = 4; 3 · 4 + 1 = 13.
    assert_eq!(network.forward(&[-4.0, 0.0]), 13.0);
}

#[test]
fn a_file_holds_the_whole_model() {
    let mut model = models().remove(0);
    model.machine = "a \"fast\"\none".into();
    model.network.layers[0].weights[1][3] = 1.0 / 3.0;
    let model = model.rounded();
    let read = CostModel::parse("file", &model.to_string()).unwrap();
    assert_eq!(read, CostModel { machine: "a 'fast' one".into(), ..model });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.toml");
    std::fs::write(&path, read.to_string()).unwrap();
    assert_eq!(CostModel::read(&path).unwrap(), read);
    assert!(CostModel::read(Path::new("no/such/file")).unwrap_err().to_string().contains("no/such/file"));
}

#[test]
fn foreign_files_are_refused() {
    let good = models().remove(0).to_string();
    let refused = |from: &str, to: &str| {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from} is not there");
        CostModel::parse("here.toml", &text).unwrap_err().to_string()
    };
    for (from, to, says) in [
        ("version = 3", "version = 1", "`version` is 1"),
        ("version = 3\n", "", "`version` is missing"),
        ("version = 3", "version = \"3\"", "`version` is not a whole number"),
        ("backend = \"cpu\"", "backend = \"abacus\"", "`backend` is \"abacus\""),
        ("\"equal\", ", "", "`features` are not mark, equal"),
        ("\"mark\", \"equal\"", "\"equal\", \"mark\"", "`features`"),
        ("means = [", "means = [nan, ", "`means` are 17 numbers"),
        ("deviations = [", "deviations = [0.0, ", "`deviations` are 17"),
        ("timings", "runs", "there is no key `runs`"),
        ("biases = [", "biases = [\"one\", ", "`biases of layer 1` are 3 numbers"),
        ("[[layers]]", "[[layers]]\nweights = []\nbiases = []\n[[layers]]", "`layers` are 4"),
        ("screened = ", "seen = ", "there is no key `seen of paths`"),
        ("screened = ", "screened = -", "`screened of paths` is not a number from 0 on"),
        ("[[layers]]", "[[layers", "not TOML"),
    ] {
        let message = refused(from, to);
        assert!(message.starts_with("here.toml: ") && message.contains(says), "{message} / {says}");
    }
}

#[test]
fn another_gpu_starts_from_scaled_figures() {
    let model = models().remove(1);
    let own = model.figures.unwrap();
    let rate = |model: &CostModel, unit: Unit| model.rates[unit as usize];
    let scaled = |figures: Figures, unit: Unit| {
        let other = model.clone().on(Some(figures));
        assert_eq!(other.figures, Some(figures));
        rate(&other, unit) / rate(&model, unit)
    };
    let half = Figures { multiprocessors: own.multiprocessors / 2, ..own };
    let slow = Figures { clock_mhz: own.clock_mhz / 3, ..own };
    let narrow = Figures { bandwidth_gb_s: 1, ..own };
    for &unit in Unit::VARIANTS {
        let of = [half, slow, narrow].map(|figures| scaled(figures, unit));
        let wanted = match unit.bottleneck() {
            _ if unit == Unit::Decided => [1.0, 1.0, 1.0],
            Bottleneck::Start | Bottleneck::Host => [1.0, 1.0, 1.0],
            Bottleneck::OneBlock => [1.0, 3.0, 1.0],
            Bottleneck::Arithmetic => [2.0, 3.0, 1.0],
            Bottleneck::Memory => [1.0, 1.0, f64::from(own.bandwidth_gb_s)],
        };
        assert!(
            of.iter().zip(wanted).all(|(of, wanted)| (of / wanted - 1.0).abs() < 1e-9),
            "{unit:?} {of:?}"
        );
    }
    // And predicates take twice as long, all of them.
    let encoded = encoded(&rows(300));
    for (before, after) in
        costs(&model, &encoded).into_iter().zip(costs(&model.clone().on(Some(half)), &encoded))
    {
        assert!((after / before - 2.0).abs() < 1e-9, "{before} {after}");
    }
}

#[test]
fn what_is_not_known_of_a_gpu_makes_no_difference() {
    let [cpu, cuda] = [0, 1].map(|ix| models().remove(ix));
    let own = cuda.figures.unwrap();
    let unknown = Figures { multiprocessors: 0, clock_mhz: 0, bandwidth_gb_s: 0 };
    assert_eq!(cuda.clone().on(Some(own)), cuda);
    assert_eq!(cuda.clone().on(None), cuda);
    assert_eq!(cuda.clone().on(Some(unknown)), CostModel { figures: Some(unknown), ..cuda.clone() });
    let without = CostModel { figures: None, ..cuda.clone() };
    assert_eq!(without.clone().on(Some(own)), without);
    assert_eq!(CostModel::parse("file", &without.to_string()).unwrap(), without);
    assert_eq!(cpu.clone().on(Some(own)), cpu);
    // Clocks alone are not known to newer drivers.
    let half = Figures { multiprocessors: own.multiprocessors / 2, clock_mhz: 0, ..own };
    let screened = |model: &CostModel| model.rates[Unit::Screened as usize];
    assert_eq!(screened(&cuda.clone().on(Some(half))), 2.0 * screened(&cuda));
}

#[test]
fn figures_are_whole_numbers() {
    let good = models().remove(1).to_string();
    for (from, to, says) in [
        ("clock_mhz = 1980", "clock_mhz = 1.5", "`clock_mhz of device` is not a whole number"),
        ("clock_mhz = 1980\n", "", "`clock_mhz of device` is missing"),
        ("clock_mhz", "clock", "there is no key `clock of device`"),
        ("clock_mhz = 1980", "clock_mhz = 5000000000", "`clock_mhz of device` is too large"),
    ] {
        let message = CostModel::parse("here.toml", &good.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(message.contains(says), "{message} / {says}");
    }
}

/// Some measure over the texts and sets at hand.
fn measure(kind: usize, digits: u32, bound: u32) -> Measure {
    let threshold = Threshold { digits, scale: 100, strict: bound.is_multiple_of(2) };
    let distance = [OfTexts::Levenshtein, OfTexts::Damerau, OfTexts::Hamming][kind % 3];
    let (count, alike) = (Asked::Count(bound), Asked::Similarity(threshold));
    match kind {
        0..3 => Measure::Texts { texts: 0, by: distance, asked: count },
        3..6 => Measure::Texts { texts: 0, by: distance, asked: alike },
        6 => Measure::Texts { texts: 0, by: OfTexts::Jaro, asked: alike },
        7 => Measure::Texts { texts: 0, by: OfTexts::JaroWinkler, asked: alike },
        8 => Measure::Sets { sets: 0, by: OfSets::Cosine, asked: alike },
        9 => Measure::Sets { sets: 0, by: OfSets::Overlap, asked: alike },
        _ => Measure::Sets { sets: 0, by: OfSets::Overlap, asked: count },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn costs_are_positive_and_finite(
        names in prop::collection::vec(("[a-zé]{0,9}", "[a-z ]{0,30}", 1900u32..2000), 1..30),
        kinds in prop::collection::vec((0usize..11, 0u32..=100, 0u32..9), 1..9),
    ) {
        let rows: Vec<_> = names.into_iter().map(|(name, title, year)| [name, title, year.to_string()]).collect();
        let mut encoded = encoded(&rows);
        for (kind, digits, bound) in kinds {
            let measure = measure(kind, digits, bound);
            let wants_sets = matches!(measure, Measure::Sets { .. });
            let like = find(&encoded, |other| match other {
                Measure::Sets { sets: 0, .. } => wants_sets,
                Measure::Texts { texts: 0, asked: Asked::Count(_), .. } => !wants_sets,
                _ => false,
            });
            let PredicateTest::Compare { left, right, .. } = like.test else { continue };
            let test = PredicateTest::Compare { left, right, measure };
            encoded.predicates.push(Predicate { test, negated: bound == 3 });
        }
        for model in models() {
            for costs in [costs(&model, &encoded), static_costs(&encoded)] {
                prop_assert_eq!(costs.len(), encoded.predicates.len());
                prop_assert!(costs.iter().all(|cost| cost.is_finite() && *cost > 0.0), "{:?}", costs);
            }
        }
    }
}
