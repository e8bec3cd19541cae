//! Tables that are resolved again and again: records come, go and change, thresholds move, and ids survive as the naive way says.

use super::set;
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::survival::Survival;
use hyperblock::tell::output::{ChangeRows, EntityRows, Output};
use hyperblock::{Control, Job, Resolve};
use hyperblock_shared::join::hash;
use hyperblock_tests::survival::{Outcome, Row, Update};
use libtest_mimic::{Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Records of a table, about.
const N: usize = 900;
const UPDATES: u32 = 10;

/// A table, and what of it is compared.
struct Table {
    name: &'static str,
    path: PathBuf,
    when: &'static str,
    measure: &'static str,
    /// A column with values that change.
    column: &'static str,
}

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let tables = [
        Table {
            name: "people",
            path: Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/people/people.csv"),
            when: "soundex(l.last_name) = soundex(r.last_name)",
            measure: "jaro_winkler(l.first_name, r.first_name)",
            column: "first_name",
        },
        Table {
            name: "febrl2",
            path: set::folder().join("febrl2/table.csv"),
            when: "l.surname = r.surname",
            measure: "jaro_winkler(l.given_name, r.given_name)",
            column: "given_name",
        },
        Table {
            name: "musicbrainz_20k",
            path: set::folder().join("musicbrainz_20k/table.csv"),
            when: "left(lower(l.artist), 3) = left(lower(r.artist), 3)",
            measure: "jaro_winkler(lower(l.title), lower(r.title))",
            column: "title",
        },
    ];
    tables.into_iter().map(|table| {
        let is_there = table.path.is_file();
        Trial::test(format!("updates::{}", table.name), move || updated(&table)).with_ignored_flag(!is_there)
    })
}

/// Ten updates, each of what the one before left.
fn updated(table: &Table) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let mut file = csv::Reader::from_path(&table.path)?;
    let header = file.headers()?.clone();
    let all: Vec<csv::StringRecord> = file.records().take(2 * N).collect::<Result<_, _>>()?;
    let column = header.iter().position(|name| name == table.column).ok_or("no such column")?;
    let mut kinds = BTreeSet::new();
    for nth in 0..=UPDATES {
        // Which records are there, and how they are written, is another one each time.
        let random = |ix: usize, below: u32| hash(ix as u32 * 64 + nth) % below;
        let mut writer = csv::Writer::from_path(at("table.csv"))?;
        writer.write_record(&header)?;
        for (ix, record) in all.iter().enumerate() {
            let was_there = hash(ix as u32).is_multiple_of(2);
            if was_there == (random(ix, 12) == 0) {
                continue;
            }
            let is_changed = random(ix, 25) == 1;
            let values = record.iter().enumerate();
            let values = values.map(|(place, value)| {
                if is_changed && place == column { value.chars().rev().collect() } else { value.to_owned() }
            });
            writer.write_record(values.collect::<Vec<String>>())?;
        }
        writer.flush()?;
        let threshold = ["0.8", "0.9", "0.95", "0.7"][random(7, 4) as usize];
        let rules = format!(
            "[[rules]]\nwhen = \"{}\"\n[score]\nthreshold = {threshold}\n[[score.attributes]]\nmeasure = \"{}\"\n",
            table.when, table.measure
        );
        fs::write(at("rules.toml"), rules)?;
        if nth == 0 {
            fs::write(at("entities.csv"), "id,entity_id\n")?;
        }
        kinds.extend(resolved(folder.path())?);
    }
    // `gone` and `new` come up whatever changes; these say that entities do change.
    for kind in ["grown", "shrunk", "merged", "split", "removed", "added"] {
        assert!(kinds.contains(kind), "no id was {kind}: {kinds:?}");
    }
    Ok(())
}

/// Resolves the table once more, compares with the naive way, and leaves the entities for the next time. Says which kinds of
/// changes there were.
fn resolved(folder: &Path) -> Result<BTreeSet<String>, Failed> {
    let (at, control, device) = (|name: &str| folder.join(name), Control::default(), Cpu::new());
    let before =
        rows(&at("entities.csv"))?.into_iter().map(|row| (row[0].to_owned(), row[1].to_owned())).collect();
    let job = Job::dedupe(at("table.csv"), at("rules.toml"));
    let resolve = Resolve::new(job).previous(at("entities.csv")).prepare(&device, &control)?;
    let found = resolve.run_with(&device, &control, &mut |_| Ok(()))?;
    let own = &resolve.job.left.ids;
    let Survival { ids, changes, counts } = found.survival.ok_or("ids do not survive")?;
    assert_eq!(Some(counts), found.summary.ids);
    let ids = OnceLock::from(ids);
    let named = EntityRows::new(own, None).named(&ids);
    let members: Vec<(u32, u32)> = (0..).zip(found.entities.iter().copied()).collect();
    let mut output = Output::create(&at("entities.csv"), named.clone(), &control)?;
    output.write(&members)?;
    output.finish()?;
    let mut output = Output::create(&at("changes.csv"), ChangeRows::new(named, &ids), &control)?;
    output.write(&changes)?;
    output.finish()?;

    let records: Vec<String> = (0..own.len()).map(|record| own.text(record)).collect();
    let update = Update { before, usual: records.clone(), records, entities: found.entities };
    let told = rows(&at("changes.csv"))?.into_iter();
    let told: BTreeSet<Row> = told
        .map(|row| Ok((row[0].to_owned(), row[1].to_owned(), row[2].to_owned(), row[3].parse()?)))
        .collect::<Result<_, Failed>>()?;
    let of_ids: BTreeMap<String, String> =
        rows(&at("entities.csv"))?.into_iter().map(|row| (row[0].to_owned(), row[1].to_owned())).collect();
    let ids = update.records.iter().map(|record| of_ids[record].clone()).collect();
    let wanted = update.outcome();
    let found = Outcome { ids, rows: told, unchanged: wanted.unchanged.clone() };
    assert_eq!(counts.unchanged, wanted.unchanged.len() as u64);
    update.assert_accounted(&found);
    assert!(found == wanted, "{found:?}\nnot {wanted:?}");
    Ok(found.rows.into_iter().map(|row| row.0).collect())
}

/// The rows of a CSV file, without its header.
fn rows(path: &Path) -> Result<Vec<csv::StringRecord>, Failed> {
    Ok(csv::Reader::from_path(path)?.into_records().collect::<Result<_, _>>()?)
}
