//! Samples of candidates that are labelled: what a few hundred labels say of precision, and of recall among candidates, beside what
//! all of the truth says. Labels go the way that those of a report go: they are written to a file, and read from it.

use super::set;
use hyperblock::device::cpu::Cpu;
use hyperblock::report::Watching;
use hyperblock::{Candidate, Control, Job, RuleSource, Truth};
use libtest_mimic::{Failed, Trial};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// Labels of a sample, samples, and how often at least the truth must lie in both intervals.
const LABELS: usize = 300;
const SAMPLES: u64 = 100;
const LEAST: usize = 90;

/// Names that have a few words in common, most of which are of different things.
const WORDS: &str = r#"
[[rules]]
name = "words"
when = "jaccard(words(lower(l.name)), words(lower(r.name))) >= 0.1"
[score]
threshold = 0.45
[[score.attributes]]
measure = "jaccard(words(lower(l.name)), words(lower(r.name)))"
"#;

/// Public data sets, with rules from the root of the checkout, and the truth: linked and not, scored and not.
const PUBLIC: [(&str, &str, &str); 5] = [
    ("dblp_acm", "examples/dblp_acm/rules.toml", "matches.csv"),
    ("febrl4", "examples/febrl4/rules.toml", "matches.csv"),
    ("musicbrainz_20k", "examples/musicbrainz_20k/rules.toml", "truth.csv"),
    ("dblp_scholar_labelled", "tests/rules/dblp_scholar_labelled.toml", "matches.csv"),
    ("freedb_cds", "tests/rules/freedb_cds.toml", "matches.csv"),
];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let people = root.join("examples/people");
    let of_people = move |rules: &str| {
        let at = |name: &str| people.join(name);
        (Job::dedupe(at("people.csv"), at(rules)), at("truth.csv"))
    };
    let shop = set::folder().join("abt_buy");
    let is_there = shop.is_dir();
    let of_shop = move || {
        let at = |name: &str| shop.join(name);
        let (left, right) = (at("tableA.csv").as_path().into(), at("tableB.csv").as_path().into());
        (Job::over(left, Some(right), RuleSource::Text(WORDS.into())), at("matches.csv"))
    };
    let public = PUBLIC.map(|(name, rules, truth)| {
        let (folder, rules) = (set::folder().join(name), root.join(rules));
        let kind = if rules.starts_with(root.join("examples")) { "" } else { "_without_scores" };
        let is_there = folder.is_dir();
        let of_set = move || {
            let at = |name: &str| folder.join(name);
            let job = match at("table.csv").is_file() {
                true => Job::dedupe(at("table.csv"), rules),
                false => Job::link(at("tableA.csv"), at("tableB.csv"), rules),
            };
            (job, at(truth))
        };
        Trial::test(format!("samples::{name}{kind}"), move || hold(&of_set())).with_ignored_flag(!is_there)
    });
    let scored = of_people("mean.toml");
    let unscored = of_people("rules.toml");
    [
        Trial::test("samples::people", move || hold(&scored)),
        Trial::test("samples::people_without_scores", move || hold(&unscored)),
        Trial::test("samples::abt_buy", move || hold(&of_shop())).with_ignored_flag(!is_there),
    ]
    .into_iter()
    .chain(public)
}

/// Shares of what is kept, and of the candidates that match.
#[derive(Clone, Copy, Debug)]
struct Shares {
    precision: f64,
    recall: f64,
}

fn hold((job, truth): &(Job, PathBuf)) -> Result<(), Failed> {
    let (device, control) = (Cpu::new(), Control::default());
    let job = job.prepare(&device, &control)?;
    let truth = Truth::read(truth, &job.left, job.second(), &control)?;
    let new = |seed| Ok(Watching::new(&job, LABELS, None, &control)?.seeded(seed));
    let mut samples = (0..SAMPLES).map(new).collect::<hyperblock::Result<Vec<_>>>()?;
    let (mut found, mut kept): (Vec<Candidate>, Vec<Candidate>) = Default::default();
    job.run_scores(&device, &control, &mut |all, scored| {
        let of_scores = scored.map(|scored| samples[0].kept(scored));
        samples.iter_mut().try_for_each(|it| it.look(all, scored.zip(of_scores.as_deref()), None))?;
        found.extend_from_slice(all);
        match of_scores {
            None => kept.extend_from_slice(all),
            Some(of_scores) => kept.extend(of_scores.iter().map(|(pair, _)| *pair)),
        }
        Ok(())
    })?;
    let is_match = |pair: &&Candidate| truth.verdict(pair.left, pair.right) == Some(true);
    let [n_found, n_kept] = [&found, &kept].map(|all| all.iter().filter(is_match).count() as f64);
    let whole = Shares { precision: n_kept / kept.len() as f64, recall: n_kept / n_found };
    let file = tempfile::Builder::new().suffix(".csv").tempfile()?;
    let (mut n_held, mut sums) = (0, [0.0; 2]);
    for sample in &samples {
        let labels = sample.to_be_labelled(LABELS);
        if labels.len() != LABELS.min(found.len()) {
            return Err(format!("{} of {LABELS} labels", labels.len()).into());
        }
        let mut text = String::from("id_a,id_b,label,sampled_with\n");
        for (pair, chance) in &labels {
            let (left, right) = (job.left.ids.text(pair.left), job.right().ids.text(pair.right));
            let label = if is_match(&pair) { "match" } else { "no match" };
            writeln!(text, "{left},{right},{label},{chance}")?;
        }
        fs::write(file.path(), text)?;
        let mut said = Truth::read(file.path(), &job.left, job.second(), &control)?;
        said.count(&kept);
        let quality = said.quality();
        let intervals = quality.intervals.ok_or("labels cover a part")?;
        let holds = |interval: Option<hyperblock::Interval>, share: f64| {
            interval.is_some_and(|it| it.low <= share + 1e-9 && share <= it.high + 1e-9)
        };
        let both = [(intervals.precision, whole.precision), (intervals.recall, whole.recall)];
        n_held += usize::from(both.into_iter().all(|(interval, share)| holds(interval, share)));
        sums[0] += quality.precision;
        sums[1] += quality.recall;
    }
    let mean = sums.map(|sum| sum / SAMPLES as f64);
    // A ratio of sums is not without bias where a few labels stand for most of the pairs.
    let is_near = |mean: f64, share: f64| (mean - share).abs() < 0.08;
    if n_held < LEAST || !is_near(mean[0], whole.precision) || !is_near(mean[1], whole.recall) {
        return Err(format!("{whole:?} lie in {n_held} of {SAMPLES} intervals; on average {mean:?}").into());
    }
    Ok(())
}
