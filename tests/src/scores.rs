//! Cases of scores: tables, a `[score]` section, and which pairs are scored.

use crate::case::Sheet;
use crate::oracle;
use hyperblock::base::billionths::Billionths;
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::score::Weights;
use hyperblock::operators::Backend;
use hyperblock::rules::ScoreAttribute;
use hyperblock::{Candidate, Control, Error, Job, Prepared, Result};
use hyperblock_shared::join::hash;
use hyperblock_shared::score::{Wanted, rank, weight as weight_of};
use proptest::prelude::*;
use std::path::Path;

/// Tables with a column `id`, and how their records are scored.
#[derive(Clone, Debug)]
pub struct ScoreCase {
    /// The left table, or the only one.
    pub left: Sheet,
    /// The right table, if there are two.
    pub right: Option<Sheet>,
    /// By attribute: its table in the rule file.
    pub attributes: Vec<String>,
    /// Left records, by their places, that are too large for the oracle.
    pub without: Vec<u32>,
    /// What else stands in the section.
    pub section: &'static str,
}

/// A score by weights, and by means in which what is missing counts.
pub const BY_WEIGHTS: &str = "score = 'fellegi-sunter'\nweights = 'weights.toml'\n";
const MISSING_IS_ZERO: &str = "missing = 'zero'\n";

/// Conditions that levels are made of.
pub const CONDITIONS: [&str; 13] = [
    "l.a = r.a",
    "l.a = r.b AND l.b = r.a",
    "levenshtein(l.a, r.a) <= 1",
    "jaro_winkler(l.b, r.b) >= 0.9",
    "jaro(l.a, r.a) > 0.75 OR l.n = r.n",
    "NOT jaccard(words(l.b), words(r.b)) >= 0.5",
    "abs(l.n - r.n) <= 1 AND l.a <> r.a",
    "l.n > 3 AND r.n > 3",
    "l.a IS NULL OR r.b IS NULL",
    "levenshtein(l.a, r.a) = 2 OR l.n IN (1, 2)",
    "substr(l.a, 1, 1) = substr(r.a, 1, 1) AND l.b = r.b",
    "overlap(words(l.b), words(r.b)) >= 2 AND NOT (l.n = r.n AND l.a = r.a)",
    "distance_km(l.n, l.n, r.n, r.n) <= 160 OR NOT distance_km(l.n, l.n, r.n, r.n) < 600",
];

/// The measures that cases choose from, over the columns `a` and `b` of text and `n` of numbers.
pub const MEASURES: [&str; 27] = [
    "levenshtein_similarity(l.a, r.a)",
    "levenshtein_similarity(lower(l.b), lower(r.a))",
    "damerau_levenshtein_similarity(l.a, r.a)",
    "hamming_similarity(l.a, r.a)",
    "jaro(l.a, r.a)",
    "jaro_winkler(l.a, r.a)",
    "lcs_similarity(l.a, r.a)",
    "jaro_winkler(substr(l.b, 1, 5), substr(r.b, 1, 5))",
    "jaccard(words(l.b), words(r.b))",
    "jaccard(qgrams(l.a, 2), qgrams(r.a, 2))",
    "dice(qgrams(l.b, 3), qgrams(r.b, 3))",
    "cosine(l.a, r.a)",
    "cosine(words(l.b), words(r.b))",
    "overlap_coefficient(qgrams(l.a, 2), qgrams(r.b, 2))",
    "braun_blanquet(words(l.b), words(r.b))",
    "braun_blanquet(qgrams(l.a, 2), qgrams(r.a, 2))",
    "l.a = r.a",
    "l.n <> r.n",
    "abs(l.n - r.n) <= 2",
    "l.n < r.n",
    "levenshtein(l.a, r.a) <= 3",
    "hamming(l.a, r.a) > 2",
    "overlap(words(l.b), words(r.b)) >= 2",
    "lcs_similarity(lower(l.b), lower(r.b))",
    "lcs(l.a, r.a) >= 4",
    "distance_km(l.n, l.n, r.n, r.n) <= 157.5",
    "distance_km(l.n, l.n, r.n, r.n) > 7000",
];

/// Comparisons that come to several predicates.
pub const COMPOUND: [&str; 7] = [
    "levenshtein(l.a, r.a) = 1",
    "hamming(l.a, r.a) <> 2",
    "abs(l.n - r.n) = 2",
    "lcs(l.a, r.a) BETWEEN 2 AND 4",
    "levenshtein(l.a, r.a) NOT IN (1, 3)",
    "overlap(words(l.b), words(r.b)) = 1",
    "distance_km(l.n, l.n, r.n, r.n) BETWEEN 100 AND 400",
];

impl ScoreCase {
    /// The rule file. The rule is never asked.
    pub fn toml(&self) -> String {
        let attributes =
            self.attributes.iter().map(|attribute| format!("[[score.attributes]]\n{attribute}\n"));
        let attributes = attributes.collect::<String>();
        format!("[[rules]]\nwhen = \"l.a = r.a\"\n[score]\n{}{attributes}", self.section)
    }

    /// Writes the files, and has the engine read and encode them.
    pub fn prepare(&self) -> Result<Prepared> {
        let folder = tempfile::tempdir().map_err(Error::io(&std::env::temp_dir()))?;
        self.prepare_in(folder.path())
    }

    fn prepare_in(&self, folder: &Path) -> Result<Prepared> {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(Error::io(&path)).map(|()| path)
        };
        let (left, rules) = (write("left.csv", &self.left.csv())?, write("rules.toml", &self.toml())?);
        let job = match &self.right {
            None => Job::dedupe(&left, &rules),
            Some(right) => Job::link(&left, write("right.csv", &right.csv())?, &rules),
        };
        job.prepare(&Cpu::new(), &Control::default())
    }

    /// All pairs but those of what is too large; of one table, each once.
    pub fn pairs(&self) -> Vec<[u32; 2]> {
        let right = self.right.as_ref().unwrap_or(&self.left);
        let lefts = (0..self.left.rows.len() as u32).filter(|left| !self.without.contains(left));
        let is_left_out = |right: &u32| self.right.is_none() && self.without.contains(right);
        let rights: Vec<u32> = (0..right.rows.len() as u32).filter(|right| !is_left_out(right)).collect();
        let first = |left: u32| if self.right.is_none() { left } else { 0 };
        let of = |left: u32| {
            rights.iter().filter(move |&&right| right >= first(left)).map(move |&right| [left, right])
        };
        lefts.flat_map(of).collect()
    }

    /// That a device gives the oracle's means and patterns.
    pub fn assert_exact(&self, device: &dyn Backend) {
        let prepared = self.prepare().unwrap_or_else(|error| panic!("{error}\n{self:?}"));
        let scoring = prepared.scoring().expect("the rule file has a score");
        let attributes = scoring.attributes();
        let (lefts, rights) = (self.left.values(), self.right.as_ref().unwrap_or(&self.left).values());
        let pairs = self.pairs();
        let (means, patterns) = scores(&prepared, device, &pairs);
        for ((&[left, right], mean), pattern) in pairs.iter().zip(means).zip(patterns) {
            let (left, right) = (&lefts[left as usize], &rights[right as usize]);
            let similarity = |attribute| oracle::scores::similarity(attribute, left, right);
            let similarities: Vec<_> = attributes.iter().map(similarity).collect();
            let wanted = oracle::scores::mean(attributes, &similarities, self.section == MISSING_IS_ZERO);
            let (mean, wanted) = (Billionths(mean), Billionths(wanted));
            assert_eq!(mean, wanted, "{}: {left:?} {right:?}\n{}", device.name(), self.toml());
            let level = |attribute| u64::from(oracle::scores::level(attribute, left, right));
            let wanted =
                attributes.iter().rev().fold(0, |pattern, attribute| pattern << 4 | level(attribute));
            assert_eq!(pattern, wanted, "{}: {left:?} {right:?}\n{}", device.name(), self.toml());
        }
        self.assert_bounded(&prepared, device, &pairs);
    }

    /// That scores are the same where only those from a bound on are asked for: also from one that is reached exactly.
    fn assert_bounded(&self, prepared: &Prepared, device: &dyn Backend, pairs: &[[u32; 2]]) {
        let control = Control::default();
        let mut scores = prepared.scoring().expect("a score").load(device).expect("the columns are loaded");
        let candidates = candidates(pairs);
        let exact = scores.score(&candidates, &control).expect("the pairs are scored");
        let missing_is_zero = self.section == MISSING_IS_ZERO;
        for least in [middle(&exact), middle(&exact) + 1, 800_000_000] {
            let wanted = Wanted::Mean { least, missing_is_zero };
            let kept = scores.reaching(&candidates, wanted, &control).expect("the pairs are scored");
            let enough = exact.iter().copied().enumerate().filter(|(_, score)| *score >= least);
            assert_eq!(kept, enough.collect::<Vec<_>>(), "from {least} on\n{}", self.toml());
        }
    }

    /// That a device gives the oracle's weights, for weights that are made up here; all of them, and those from one on.
    pub fn assert_weights(&self, device: &dyn Backend) {
        let folder = tempfile::tempdir().expect("a folder is made");
        let prepared = self.prepare_in(folder.path()).unwrap_or_else(|error| panic!("{error}\n{self:?}"));
        let scoring = prepared.scoring().expect("the rule file has a score");
        let attributes = scoring.attributes();
        let random = |seed: u32| f64::from(hash(seed) % 999 + 1) / 1000.0;
        let levels = |(nth, attribute): (u32, &ScoreAttribute)| {
            (0..=attribute.levels.len() as u32)
                .map(move |ix| 64 * nth + 2 * ix)
                .map(|ix| (random(ix), random(ix + 1)))
        };
        let levels: Vec<Vec<(f64, f64)>> = (0..).zip(attributes).map(|it| levels(it).collect()).collect();
        let weights = Weights::new(0.2, attributes, &levels);
        weights.write(&folder.path().join("weights.toml")).expect("weights are written");

        let millionths = |odds: f64| (odds.log2() * 1e6).round() as i32;
        let (lefts, rights) = (self.left.values(), self.right.as_ref().map(Sheet::values));
        let all: Vec<Vec<String>> =
            attributes.iter().map(|it| oracle::scores::values_of(it, &lefts, rights.as_deref())).collect();
        let rights = rights.as_ref().unwrap_or(&lefts);
        let weight = |&[left, right]: &[u32; 2]| {
            let (left, right) = (&lefts[left as usize], &rights[right as usize]);
            let of = |(nth, attribute): (usize, &ScoreAttribute)| {
                let level = oracle::scores::level(attribute, left, right) as usize;
                let Some(&(m, u)) = level.checked_sub(1).and_then(|ix| levels[nth].get(ix)) else { return 0 };
                let agreed = oracle::scores::agreed(attribute, left, right).filter(|_| level == 1);
                let more = agreed.zip(attribute.term_frequency).map_or(0, |(value, least)| {
                    let n = all[nth].iter().filter(|other| **other == value).count() as f64;
                    let frequency = (n / all[nth].len() as f64).max(f64::from(least) / 1e9);
                    millionths(levels[nth][0].1 / frequency)
                });
                millionths(m / u) + more
            };
            millionths(0.25) + attributes.iter().enumerate().map(of).sum::<i32>()
        };
        let (pairs, control) = (self.pairs(), Control::default());
        let wanted: Vec<u32> = pairs.iter().map(|pair| rank(weight(pair))).collect();
        let candidates = candidates(&pairs);
        let mut scores = scoring.load(device).expect("the columns are loaded");
        let exact = scores.score(&candidates, &control).expect("the pairs are scored");
        for ((pair, got), wanted) in pairs.iter().zip(&exact).zip(&wanted) {
            let (got, wanted) = (weight_of(*got), weight_of(*wanted));
            assert_eq!(got, wanted, "{} {pair:?} {:?}\n{}", device.name(), self.left, self.toml());
        }
        for least in [middle(&exact), middle(&exact).saturating_add(1)] {
            let wanted = Wanted::Weight { prior: millionths(0.25), least: weight_of(least) };
            let kept = scores.reaching(&candidates, wanted, &control).expect("the pairs are scored");
            let enough = exact.iter().copied().enumerate().filter(|(_, score)| *score >= least);
            assert_eq!(kept, enough.collect::<Vec<_>>(), "from {} on\n{}", weight_of(least), self.toml());
        }
        // What is told of one pair comes to the same.
        for (&[left, right], wanted) in pairs.iter().zip(&wanted) {
            let shares = scoring.shares(left, right).expect("the pair is there");
            assert_eq!(shares.weight().map(rank), Some(*wanted), "{}", self.toml());
        }
    }
}

fn middle(scores: &[u32]) -> u32 {
    let mut scores = scores.to_vec();
    scores.sort_unstable();
    scores.get(scores.len() / 2).copied().unwrap_or(0)
}

fn candidates(pairs: &[[u32; 2]]) -> Vec<Candidate> {
    pairs.iter().map(|&[left, right]| Candidate { left, right, rule: 0 }).collect()
}

/// The means and patterns of pairs on a device.
pub fn scores(prepared: &Prepared, device: &dyn Backend, pairs: &[[u32; 2]]) -> (Vec<u32>, Vec<u64>) {
    let control = Control::default();
    let mut scores = prepared.scoring().expect("a score").load(device).expect("the columns are loaded");
    let means = scores.score(&candidates(pairs), &control).expect("the pairs are scored");
    (means, scores.patterns(pairs, &control).expect("the pairs have patterns"))
}

/// Random tables and random attributes.
pub fn cases(most_rows: usize) -> impl Strategy<Value = ScoreCase> {
    cases_of(most_rows, prop::sample::subsequence(MEASURES.to_vec(), 1..8))
}

/// The same, where some attributes come to several predicates.
pub fn compound_cases(most_rows: usize) -> impl Strategy<Value = ScoreCase> {
    let compound = prop::sample::subsequence(COMPOUND.to_vec(), 1..4);
    let others = prop::sample::subsequence(MEASURES.to_vec(), 0..4);
    cases_of(most_rows, (compound, others).prop_map(|(compound, others)| [compound, others].concat()))
}

/// Scores by weights: attributes by similarities, by conditions and by both, some of them with frequencies.
pub fn weighted_cases(most_rows: usize) -> impl Strategy<Value = ScoreCase> {
    let conditions = prop::sample::subsequence(CONDITIONS.to_vec(), 1..4);
    let by_conditions = (conditions, any::<bool>()).prop_map(|(conditions, is_mixed)| {
        let conditions: Vec<String> = conditions.iter().map(|condition| format!("\"{condition}\"")).collect();
        match is_mixed {
            true => format!("measure = \"jaro(l.a, r.a)\"\nlevels = [0.95, {}, 0.5]", conditions.join(", ")),
            false => format!("levels = [{}]", conditions.join(", ")),
        }
    });
    let frequent = prop::sample::select(vec![
        "measure = \"jaro_winkler(l.a, r.a)\"\nlevels = [1, 0.8]\nterm_frequency = true",
        "measure = \"l.n = r.n\"\nterm_frequency = true\nleast_frequency = 0.25",
        "levels = [\"l.a = r.a\", \"l.a = r.b\"]\nterm_frequency = true\nmonotone = false",
        "levels = [\"lower(l.b) = lower(r.b)\", \"l.n = r.n\"]\nterm_frequency = true",
    ]);
    let frequent = frequent.prop_map(str::to_owned);
    let similar = prop::sample::select(MEASURES.to_vec()).prop_flat_map(attribute);
    let one = prop_oneof![3 => by_conditions, 2 => frequent, 2 => similar];
    (cases(most_rows), prop::collection::vec(one, 1..5)).prop_map(|(case, attributes)| {
        let named = attributes.iter().enumerate().map(|(nth, it)| format!("name = \"{nth}\"\n{it}"));
        ScoreCase { attributes: named.collect(), section: BY_WEIGHTS, ..case }
    })
}

fn cases_of(
    most_rows: usize,
    measures: impl Strategy<Value = Vec<&'static str>>,
) -> impl Strategy<Value = ScoreCase> {
    let sheet =
        || prop::collection::vec(row(), 1..most_rows).prop_map(|rows| Sheet::new(&["a", "b", "n"], rows));
    let attributes =
        measures.prop_flat_map(|measures| measures.into_iter().map(attribute).collect::<Vec<_>>());
    let right = prop_oneof![Just(None), sheet().prop_map(Some)];
    let section = prop::sample::select(vec!["", MISSING_IS_ZERO]);
    (sheet(), right, attributes, section)
        .prop_map(|(left, right, attributes, section)| ScoreCase {
            left,
            right,
            attributes,
            without: Vec::new(),
            section,
        })
        .prop_filter("n must be a number", |case| {
            let has_number = |sheet: &Sheet| sheet.rows.iter().any(|row| row[2].is_some());
            has_number(&case.left) && case.right.as_ref().is_none_or(has_number)
        })
}

fn row() -> impl Strategy<Value = Vec<Option<String>>> {
    let word = prop::sample::select(vec!["ab", "abba", "b", "ca", "Cab", "daé", "éd", "bac", "abcdabcd"]);
    let words = move |n| prop::collection::vec(word.clone(), 1..n);
    let text = prop_oneof![
        6 => words(4).prop_map(|words| words.join("")),
        1 => words(30).prop_map(|words| words.join("")),
    ];
    let many = words(6).prop_map(|words| words.join(" "));
    let missing = |text: BoxedStrategy<String>| prop_oneof![1 => Just(None), 8 => text.prop_map(Some)];
    let number = (0..8i32).prop_map(|number| number.to_string());
    (missing(text.boxed()), missing(many.boxed()), missing(number.boxed()))
        .prop_map(|(a, b, n)| vec![a, b, n])
}

fn attribute(measure: &'static str) -> impl Strategy<Value = String> {
    let operators = [" <", " >", " = ", " BETWEEN ", " IN "];
    let is_condition = operators.iter().any(|operator| measure.contains(operator));
    let weights =
        prop::sample::select(vec!["", "weight = 30", "weight = 0.5", "weight = 2.125", "weight = 1000"]);
    let thresholds =
        prop::sample::select(vec!["", "threshold = 0.5", "threshold = 0.666666667", "threshold = 1"]);
    let levels = prop::sample::select(match is_condition {
        true => vec!["", "levels = [1]"],
        false => {
            vec!["", "levels = [1, 0.92, 0.8]", "levels = [0.5]", "levels = [0.9, 0.75, 0.666666667, 0.2]"]
        }
    });
    (weights, thresholds, levels).prop_map(move |(weight, threshold, levels)| {
        format!("measure = \"{measure}\"\n{weight}\n{threshold}\n{levels}")
    })
}

/// Texts about the edges of blocks and beyond, of few characters and of many.
pub fn long() -> Vec<ScoreCase> {
    let lens = [63, 64, 65, 128, 129, 300, 520, 4200];
    let few: Vec<char> = "abcdefé".chars().collect();
    let wide: Vec<char> = (0x4e00..0x4e00 + 300).filter_map(char::from_u32).collect();
    [few, wide]
        .iter()
        .map(|alphabet| ScoreCase {
            left: texts(&lens, alphabet),
            right: None,
            attributes: MEASURES[..16].iter().map(|measure| format!("measure = \"{measure}\"")).collect(),
            without: Vec::new(),
            section: "",
        })
        .collect()
}

/// Texts of more characters than 16 bits number.
pub fn very_wide() -> ScoreCase {
    let alphabet: Vec<char> = (0x4e00..0x4e00 + 70_000).filter_map(char::from_u32).collect();
    let mut left = texts(&[5, 20, 64, 70, 130, 200], &alphabet[..5]);
    left.rows[0][0] = Some(alphabet.iter().collect());
    let attributes = MEASURES[..7].iter().map(|measure| format!("measure = \"{measure}\"")).collect();
    ScoreCase { left, right: None, attributes, without: vec![0], section: "" }
}

/// Texts of these lengths, each a few edits from another.
fn texts(lens: &[usize], alphabet: &[char]) -> Sheet {
    let random = |seed: usize| hash(seed as u32) as usize;
    let original = |len: usize| -> Vec<char> {
        (0..len).map(|ix| alphabet[random(ix * 31 + len) % alphabet.len()]).collect()
    };
    let row = |ix: usize| {
        let len = lens[ix / 2];
        let mut text = original(len);
        for nth in 0..ix % 2 * (1 + len / 12) {
            let at = random(ix * 1000 + nth) % text.len();
            match nth % 4 {
                0 => text[at] = alphabet[random(nth) % alphabet.len()],
                1 => drop(text.remove(at)),
                2 => text.insert(at, alphabet[random(nth + 7) % alphabet.len()]),
                _ => text.rotate_left(at.min(9)),
            }
        }
        let text: String = text.into_iter().collect();
        let words =
            text.chars().enumerate().flat_map(|(ix, char)| [Some(char), (ix % 6 == 5).then_some(' ')]);
        vec![Some(text.clone()), Some(words.flatten().collect()), Some(ix.to_string())]
    };
    Sheet::new(&["a", "b", "n"], (0..2 * lens.len()).map(row).collect())
}

/// Many records, and random pairs of them: too many for the oracle.
pub fn many(n_records: usize, n_pairs: u32) -> (ScoreCase, Vec<[u32; 2]>) {
    let lens: Vec<usize> =
        (0..n_records / 2).map(|ix| 4 + (hash(ix as u32) % 60) as usize * (1 + ix % 7)).collect();
    let left = texts(&lens, &"etaoinshrdlu cmfwyp".chars().collect::<Vec<_>>());
    let measures =
        ["jaro_winkler(l.a, r.a)", "levenshtein_similarity(l.a, r.a)", "cosine(words(l.b), words(r.b))"];
    let attributes = measures.iter().chain(&["abs(l.n - r.n) <= 100"]);
    let attributes = attributes.map(|measure| format!("measure = \"{measure}\"\nthreshold = 0.2")).collect();
    let n = left.rows.len() as u32;
    let pairs = (0..n_pairs).map(|ix| [hash(ix) % n, hash(ix ^ 0x5555_5555) % n]).collect();
    (ScoreCase { left, right: None, attributes, without: Vec::new(), section: "" }, pairs)
}
