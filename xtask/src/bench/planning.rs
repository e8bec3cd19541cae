//! Planning: what it takes beside the scan, from short values to very long ones, from one rule to thousands, and from few
//! records to very many.
//!
//! Planning is all from parsed rules and encoded columns to the choice of access paths: binding, implication, statistics,
//! the tree and the paths. Lists, keys and indexes are made by the scan. What it may take is 50 ms and a tenth of the scan;
//! of 50 rules over people, however many those are, 50 ms, and nothing is scanned there. [`costs`] looks at one part of it.

mod costs;

use super::PlanningArgs;
use super::measure::Times;
use super::plan::pool::Pool;
use crate::cargo::target;
use crate::r#gen;
use crate::paths::rule_file;
use crate::record;
use crate::replace::replace;
use anyhow::{Result, ensure};
use hyperblock::operators::Backend;
use hyperblock::{Control, DeviceChoice, Job, device};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

const SEED: u64 = 1;
/// What planning may take, and beside it a share of the scan.
const BASE: f64 = 0.05;
const SHARE: f64 = 0.1;
/// Runs of which the median counts; one if it takes long.
const RUNS: usize = 5;
const LONG: Duration = Duration::from_secs(2);

/// Lengths of values, and how many records of them there are.
const LENGTHS: [(usize, usize); 5] = [(10, 2_000), (100, 1_000), (1_000, 100), (20_000, 9), (60_000, 3)];
/// What they are compared by.
const MEASURES: [&str; 4] = [
    "levenshtein_similarity(l.text, r.text) >= 0.8",
    "jaro(l.text, r.text) >= 0.7",
    "lcs_similarity(l.text, r.text) >= 0.7",
    "jaccard(qgrams(l.text, 3), qgrams(r.text, 3)) >= 0.5",
];
const RULES: [usize; 5] = [1, 10, 100, 1_000, 2_000];
const CONSTANTS: [usize; 2] = [900, 4_000];
const FEW_RECORDS: usize = 3;
const RECORDS: usize = 2_000;
/// People, if nothing else is said; and their rules, with so many predicates each.
const PEOPLE: [u32; 2] = [10_000, 1_000_000];
const OF_PEOPLE: (usize, usize) = (50, 5);
/// A table that takes so long to read and encode is planned for once more, no oftener.
const ENOUGH: Duration = Duration::from_secs(30);

/// One job: a table and rules.
struct Case {
    what: String,
    records: usize,
    length: usize,
    rules: Vec<String>,
}

/// What it took; of what was not scanned, nothing is known but planning.
struct Figure {
    case: Case,
    planning: Times,
    scan: Option<(u64, Times)>,
}

impl Figure {
    fn bound(&self) -> f64 {
        BASE + SHARE * self.scanning()
    }

    fn scanning(&self) -> f64 {
        self.scan.as_ref().map_or(0.0, |(_, scan)| scan.median())
    }

    fn holds(&self) -> bool {
        self.planning.median() <= self.bound()
    }
}

pub(super) fn run(args: &PlanningArgs) -> Result<()> {
    let choice: DeviceChoice = args.device.parse().map_err(anyhow::Error::msg)?;
    let device = device::open(choice, None)?;
    if args.costs {
        return costs::run(&*device, args.generated, args.save.as_deref());
    }
    println!(
        "{:44} {:>8} {:>8} {:>6}  {:>10} {:>10} {:>10}",
        "", "records", "length", "rules", "planning", "scan", "bound"
    );
    let mut figures = Vec::new();
    let cases = if args.rows.is_empty() { cases() } else { Vec::new() };
    let of_text = cases.into_iter().map(|case| measure(&*device, case));
    let rows = if args.rows.is_empty() { &PEOPLE[..] } else { &args.rows };
    for figure in of_text.chain(rows.iter().map(|&rows| measure_people(&*device, rows))) {
        let figure = figure?;
        println!(
            "{:44} {:8} {:8} {:6}  {:7.1} ms {:7.1} ms {:7.1} ms  {}",
            figure.case.what,
            figure.case.records,
            figure.case.length,
            figure.case.rules.len(),
            1e3 * figure.planning.median(),
            1e3 * figure.scanning(),
            1e3 * figure.bound(),
            if figure.holds() { "holds" } else { "DOES NOT HOLD" },
        );
        figures.push(figure);
    }
    let n_held = figures.iter().filter(|figure| figure.holds()).count();
    println!("{n_held} of {} hold", figures.len());
    let Some(folder) = &args.save else { return Ok(()) };
    record::save(folder, "planning", &lines(&device.name(), &figures))
}

fn cases() -> Vec<Case> {
    let by_length = LENGTHS.into_iter().flat_map(|(length, records)| {
        MEASURES.map(|measure| Case { what: name(measure), records, length, rules: vec![measure.to_owned()] })
    });
    let by_rules = [FEW_RECORDS, RECORDS].into_iter().flat_map(|records| {
        RULES.into_iter().flat_map(move |n| {
            let case = |what: &str, rule: fn(usize) -> String| Case {
                what: what.to_owned(),
                records,
                length: 10,
                rules: (0..n).map(rule).collect(),
            };
            let mut cases = vec![
                case("a constant each", |n| format!("l.text = r.text AND l.number = {n}")),
                case("a threshold each", |n| format!("jaro(l.text, r.text) >= 0.{:04}", 9_999 - n)),
                case("a constant and a similarity", |n| {
                    format!(
                        "l.number = {n} AND r.number = {n} AND levenshtein(l.text, r.text) <= {}",
                        n % 3 + 1
                    )
                }),
            ];
            // With many records, what holds of many pairs is asked of all branches: that is a matter of hours.
            if records == FEW_RECORDS {
                cases.push(case("a key each", |n| {
                    format!("substr(l.text, {}, {}) = substr(r.text, {0}, {1})", n % 40 + 1, n / 40 + 1)
                }));
            }
            cases
        })
    });
    let by_constants = CONSTANTS.into_iter().flat_map(|n| {
        let list = (0..n).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
        [("IN", ""), ("NOT IN", "NOT ")].map(|(what, not)| Case {
            what: format!("{what} a list of {n}"),
            records: RECORDS,
            length: 10,
            rules: vec![format!("l.number {not}IN ({list}) AND levenshtein(l.text, r.text) <= 2")],
        })
    });
    by_length.chain(by_rules).chain(by_constants).collect()
}

/// A comparison by its function.
fn name(measure: &str) -> String {
    measure.split('(').next().unwrap_or_default().to_owned()
}

fn measure(device: &dyn Backend, case: Case) -> Result<Figure> {
    let folder = target().join("bench");
    let (table, rules) = (folder.join("planning.csv"), folder.join("planning.toml"));
    write_table(&table, &case)?;
    replace(&rules, |file| {
        case.rules.iter().try_for_each(|when| writeln!(file, "[[rules]]\nwhen = \"{when}\""))
    })?;
    let (mut planning, mut scan, mut known) = (Vec::new(), Vec::new(), None);
    for _ in 0..RUNS {
        let prepared = Job::dedupe(&table, &rules).prepare(device, &Control::default())?;
        planning.push(prepared.planning());
        let start = Instant::now();
        let n_found = prepared.run(device, &Control::default(), &mut |_| Ok(()))?.n_candidates();
        scan.push(start.elapsed());
        let wanted = *known.get_or_insert(n_found);
        ensure!(n_found == wanted, "{}: {n_found} candidates, and then {wanted}", case.what);
        if scan.last().is_some_and(|took| *took > LONG) {
            break;
        }
    }
    let scan = Some((known.unwrap_or_default(), Times::new(scan)));
    Ok(Figure { case, planning: Times::new(planning), scan })
}

/// People under many rules, planned for and not scanned.
fn measure_people(device: &dyn Backend, rows: u32) -> Result<Figure> {
    let folder = target().join("bench").join(format!("planning-{rows}"));
    let (table, rules) = (folder.join("people.csv"), folder.join("rules.toml"));
    r#gen::run(&r#gen::Command::People { rows, seed: SEED, duplicates: 0.2, skew: None, output: folder })?;
    let conditions = Pool::people().drawn(OF_PEOPLE.0, OF_PEOPLE.1, SEED);
    let text = rule_file(&conditions.iter().map(String::as_str).collect::<Vec<_>>());
    replace(&rules, |file| file.write_all(text.as_bytes()))?;
    let (mut planning, start) = (Vec::new(), Instant::now());
    for _ in 0..RUNS {
        planning.push(Job::dedupe(&table, &rules).prepare(device, &Control::default())?.planning());
        if planning.len() > 1 && start.elapsed() > ENOUGH {
            break;
        }
    }
    let case = Case { what: "people".to_owned(), records: rows as usize, length: 0, rules: conditions };
    Ok(Figure { case, planning: Times::new(planning), scan: None })
}

/// Records of random letters, every third much like the one before it.
fn write_table(path: &Path, case: &Case) -> Result<()> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut letter = move || char::from(b'a' + random.random_range(0..26u8));
    let mut table = "id,number,text\n".to_owned();
    let mut text = Vec::new();
    for record in 0..case.records {
        match record % 3 {
            1 => text.iter_mut().step_by(11).for_each(|symbol| *symbol = letter()),
            _ => text = (0..case.length).map(|_| letter()).collect(),
        }
        writeln!(table, "{record},{},{}", record % 5_000, text.iter().collect::<String>())?;
    }
    replace(path, |file| file.write_all(table.as_bytes()))
}

fn lines(device: &str, figures: &[Figure]) -> Vec<String> {
    let head = "device,what,records,length,rules,candidates,runs,median_s,planning_s,bound_s".to_owned();
    let row = |figure: &Figure| {
        let Figure { case, planning, scan } = figure;
        let n_candidates =
            scan.as_ref().map_or_else(String::new, |(n_candidates, _)| n_candidates.to_string());
        format!(
            "{device},{},{},{},{},{n_candidates},{},{:.6},{:.6},{:.6}",
            case.what,
            case.records,
            case.length,
            case.rules.len(),
            planning.n_runs(),
            figure.scanning(),
            planning.median(),
            figure.bound(),
        )
    };
    std::iter::once(head).chain(figures.iter().map(row)).collect()
}
