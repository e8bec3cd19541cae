//! Cases of several tables with different columns, of which some go by other names, and what there is to find.

use crate::case::{Sheet, is_no_rule};
use crate::generate::COLUMNS;
use crate::neighbours::near_cases;
use crate::oracle::{self, Found, Rows, in_order};
use hyperblock::base::error::Result;
use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::read::table::{ColumnSchema, Kind, ReadOptions, Schema};
use hyperblock::rules::{self, Neighbourhood, Rule, RuleFile};
use hyperblock::{Control, Input, Job, Prepared, Summary, Table};
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::{self, Write};
use std::path::PathBuf;
use tempfile::TempDir;

/// Which pairs are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those of all tables as one.
    Dedupe,
    /// Those of different tables.
    Link,
    /// Both, by way of linking.
    Within,
}

/// Where a table has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Own,
    /// Under its own name, and another column stands under one that it might go by.
    Decoyed,
    /// Under a name that it goes by in all tables.
    Renamed,
    /// Under one that it goes by in this table alone.
    OfTable,
    Nowhere,
}

/// Tables, rules and neighbourhoods.
#[derive(Clone)]
pub struct SeveralCase {
    /// With all columns; and where the table has them.
    tables: Vec<(Sheet, Vec<Place>)>,
    whens: Vec<String>,
    neighbourhoods: Vec<(String, u32)>,
    /// What is wanted.
    pub wanted: Wanted,
}

/// What rules may ask of the tables themselves.
const SOURCES: [&str; 4] = [
    "l.source = 't0' AND l.code = r.code",
    "l.source <> r.source AND l.name = r.name",
    "(l.source = r.source OR r.source = 't1') AND l.title = r.title",
    "l.source IN ('t1', 't2') AND levenshtein(l.name, r.name) <= 1",
];

/// Random cases of up to `most_rows` records a table.
pub fn several_cases(most_rows: usize) -> impl Strategy<Value = SeveralCase> {
    let place = prop_oneof![
        6 => Just(Place::Own),
        1 => Just(Place::Decoyed),
        2 => Just(Place::Renamed),
        2 => Just(Place::OfTable),
        2 => Just(Place::Nowhere),
    ];
    let places = prop::collection::vec(prop::collection::vec(place, COLUMNS.len()), 4);
    let wanted = select(vec![Wanted::Dedupe, Wanted::Link, Wanted::Link, Wanted::Within]);
    let of_sources = prop::option::of(select(&SOURCES[..]));
    let near = || near_cases(most_rows);
    (near(), near(), places, wanted, of_sources, any::<bool>()).prop_map(
        |(one, other, places, wanted, of_sources, has_neighbours)| {
            let cases = [one.case.clone(), other.case];
            let sheets = cases.into_iter().flat_map(|case| [Some(case.left), case.right]).flatten();
            let mut tables: Vec<(Sheet, Vec<Place>)> = sheets.zip(places).collect();
            if wanted == Wanted::Dedupe && has_neighbours {
                tables.truncate(1);
            }
            // Some table has each column.
            tables[0].1.iter_mut().filter(|it| **it == Place::Nowhere).for_each(|it| *it = Place::Own);
            let mut whens = one.case.whens;
            whens.extend(of_sources.map(str::to_owned));
            // `l.` before a key is for one table.
            let neighbourhoods =
                if has_neighbours || whens.is_empty() { one.neighbourhoods } else { Vec::new() };
            SeveralCase { tables, whens, neighbourhoods, wanted }
        },
    )
}

/// Files of a case.
pub struct Files {
    /// Where they are.
    pub folder: TempDir,
    rules: PathBuf,
    tables: Vec<PathBuf>,
}

impl SeveralCase {
    /// As a file has it: columns that it lacks are left out.
    fn sheet(&self, table: usize) -> Sheet {
        let (sheet, places) = &self.tables[table];
        let mut shown =
            Sheet { header: Vec::new(), rows: vec![Vec::new(); sheet.rows.len()], ..sheet.clone() };
        for (column, (name, place)) in COLUMNS.iter().zip(places).enumerate() {
            let name = match place {
                Place::Nowhere => continue,
                Place::Own | Place::Decoyed => (*name).to_owned(),
                Place::Renamed => format!("{name} x"),
                Place::OfTable => format!("{name} y"),
            };
            shown.header.push(name);
            for (row, values) in shown.rows.iter_mut().zip(&sheet.rows) {
                row.push(values[column].clone());
            }
            if *place == Place::Decoyed {
                shown.header.push(format!("{} x", COLUMNS[column]));
                shown.rows.iter_mut().for_each(|row| row.push(Some("decoy".to_owned())));
            }
        }
        shown
    }

    /// The rule file. A column that some table has under another name is named there.
    pub fn toml(&self) -> String {
        let mut toml = String::new();
        for when in &self.whens {
            let escaped = when.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(toml, "[[rules]]\nwhen = \"{escaped}\"\n");
        }
        for (key, window) in &self.neighbourhoods {
            let _ = write!(toml, "[[neighbourhoods]]\nkey = {key}\nwindow = {window}\n");
        }
        toml.push_str("[columns]\n");
        for (column, name) in COLUMNS.iter().enumerate() {
            let of_tables = self.tables.iter().enumerate().filter(|(_, it)| it.1[column] == Place::OfTable);
            let of_tables = of_tables.map(|(table, _)| format!(", \"t{table}.{name} y\""));
            let _ = writeln!(toml, "\"{name}\" = [\"{name} x\"{}]", of_tables.collect::<String>());
        }
        toml
    }

    /// Writes the files.
    pub fn files(&self) -> Files {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file can be written");
            path
        };
        let tables = (0..self.tables.len()).map(|nth| write(&format!("t{nth}.csv"), self.sheet(nth).csv()));
        Files { tables: tables.collect(), rules: write("rules.toml", self.toml()), folder }
    }

    /// The job.
    pub fn job(&self, files: &Files) -> Job {
        let (tables, rules) = (files.tables.iter().cloned().map(Input::from), files.rules.as_path().into());
        match self.wanted {
            Wanted::Dedupe => Job::dedupe_all(tables, rules),
            Wanted::Link => Job::link_all(tables, rules),
            Wanted::Within => Job::link_all(tables, rules).within(),
        }
    }

    /// Whether the rules are such as a rule file may have, and the tables are enough for what is wanted.
    pub fn is_well_formed(&self) -> bool {
        if self.wanted != Wanted::Dedupe && self.tables.len() < 2 {
            return false;
        }
        let files = self.files();
        match self.job(&files).prepare(&Cpu::new(), &Control::default()) {
            Ok(_) => true,
            Err(error) if is_no_rule(&error) => false,
            // Numbers in one table, and text in the next.
            Err(error) if error.to_string().contains("needs numbers or dates") => false,
            Err(error) => {
                let kinds = ["holds text", "holds numbers", "holds dates", "gives text"];
                let said = error.to_string();
                assert!(kinds.iter().any(|kind| said.contains(kind)), "{error}\n{self:?}");
                false
            }
        }
    }

    /// Columns as all tables together have them, the ids first and the sources last: numbers or dates, if all tables say so.
    fn schema(&self, files: &Files) -> Schema {
        let mut columns = vec![("id".to_owned(), Kind::Text)];
        let options = ReadOptions::default();
        let tables =
            files.tables.iter().map(|path| Table::read(path, &options, &|_| true, &Control::default()));
        let tables: Vec<Table> = tables.collect::<Result<_>>().expect("they were read before");
        for (column, name) in COLUMNS.iter().enumerate() {
            let mut kinds = Vec::new();
            for ((_, places), (nth, table)) in self.tables.iter().zip(tables.iter().enumerate()) {
                let sheet = &self.tables[nth].0;
                let has_values =
                    sheet.rows.iter().any(|row| row[column].as_ref().is_some_and(|it| !it.is_empty()));
                let suffix = match places[column] {
                    Place::Nowhere => continue,
                    Place::Own | Place::Decoyed => "",
                    Place::Renamed => " x",
                    Place::OfTable => " y",
                };
                let place = table.schema.find(&format!("{name}{suffix}")).expect("it was written there");
                if has_values {
                    kinds.push(table.schema.columns[place].kind);
                }
            }
            let all = |of: &[Kind]| !kinds.is_empty() && kinds.iter().all(|kind| of.contains(kind));
            let kind = match () {
                () if all(&[Kind::Integer, Kind::Float]) => Kind::Float,
                () if all(&[Kind::Date]) => Kind::Date,
                () => Kind::Text,
            };
            columns.push(((*name).to_owned(), kind));
        }
        columns.push(("source".to_owned(), Kind::Text));
        let column = |(name, kind)| ColumnSchema { name, kind, why_text: None };
        Schema { table: "all".to_owned(), columns: columns.into_iter().map(column).collect() }
    }

    /// What there is to find.
    pub fn oracle(&self, files: &Files, most: Option<usize>) -> Vec<Found> {
        self.with_rows(files, most, |tables, rules, near| {
            oracle::several(tables, self.wanted == Wanted::Link, rules, near, most)
        })
    }

    /// What there is to find by each rule and each neighbourhood alone.
    pub fn alone(&self, files: &Files) -> Vec<Vec<Found>> {
        let across = self.wanted == Wanted::Link;
        self.with_rows(files, None, |tables, rules, near| {
            let rules = rules.chunks(1).map(|rule| oracle::several(tables, across, rule, &[], None));
            let near = near.chunks(1).map(|near| oracle::several(tables, across, &[], near, None));
            rules.chain(near).collect()
        })
    }

    /// All records that may make pairs, by table and id, in order.
    pub fn pairs(&self) -> Vec<[(usize, String); 2]> {
        let records = self.tables.iter().enumerate().flat_map(|(table, (sheet, _))| {
            in_order(&sheet.ids).into_iter().map(move |row| (table, sheet.ids[row].clone()))
        });
        let records: Vec<(usize, String)> = records.collect();
        let pairs = records.iter().enumerate().flat_map(|(nth, left)| {
            records[nth + 1..].iter().map(move |right| [left.clone(), right.clone()])
        });
        pairs.filter(|[left, right]| self.wanted != Wanted::Link || left.0 != right.0).collect()
    }

    /// What a record says in a column, by its place among all there may be; nothing, if its table lacks the column.
    pub fn value(&self, (table, id): &(usize, String), column: usize) -> Option<&str> {
        let (sheet, places) = &self.tables[*table];
        let row = sheet.ids.iter().position(|own| own == id).expect("an id of the table");
        let value = sheet.rows[row][column].as_deref().filter(|value| !value.is_empty());
        value.filter(|_| places[column] != Place::Nowhere)
    }

    /// Does something with all rows, and with the rules as two tables have them.
    fn with_rows<T>(
        &self,
        files: &Files,
        most: Option<usize>,
        work: impl FnOnce(&[(&str, Rows<'_>)], &[Rule], &[Neighbourhood]) -> T,
    ) -> T {
        let (schema, file) = (self.schema(files), RuleFile::read(&files.rules).expect("it was read before"));
        // Blocks are those of conjunctions as they are in one table, with their mirror images.
        let is_turned = most.is_some() && self.wanted != Wanted::Link;
        let rules = rules::bind(&file, &schema, &schema, is_turned).expect("they were bound before");
        let near =
            rules::bind_neighbourhoods(&file, &schema, &schema, false).expect("they were bound before");
        let mut values = Vec::new();
        for (nth, (sheet, places)) in self.tables.iter().enumerate() {
            let row = |(id, row): (&String, &Vec<Option<String>>)| {
                let there =
                    row.iter().zip(places).map(|(it, place)| it.clone().filter(|_| *place != Place::Nowhere));
                let ends = (Some(id.clone()), Some(format!("t{nth}")));
                [ends.0].into_iter().chain(there).chain([ends.1]).collect::<Vec<_>>()
            };
            values.push(sheet.ids.iter().zip(&sheet.rows).map(row).collect::<Vec<_>>());
        }
        let names: Vec<String> = (0..self.tables.len()).map(|nth| format!("t{nth}")).collect();
        let rows =
            self.tables.iter().zip(&values).map(|((sheet, _), values)| Rows { ids: &sheet.ids, values });
        let tables: Vec<(&str, Rows<'_>)> = names.iter().map(String::as_str).zip(rows).collect();
        work(&tables, &rules, &near)
    }

    /// All pairs that there are.
    pub fn n_pairs(&self) -> u64 {
        let pairs = |n: usize| (n * n.saturating_sub(1) / 2) as u64;
        let sizes = || self.tables.iter().map(|(sheet, _)| sheet.rows.len());
        let within: u64 = sizes().map(pairs).sum();
        pairs(sizes().sum()) - if self.wanted == Wanted::Link { within } else { 0 }
    }
}

/// What a device finds, and what is said of it.
pub fn found(prepared: &Prepared, device: &dyn Backend) -> (Vec<Found>, Summary) {
    let (left, right) = (&prepared.left.ids, &prepared.right().ids);
    let mut all = Vec::new();
    let summary = prepared.run(device, &Control::default(), &mut |candidates| {
        all.extend(candidates.iter().map(|candidate| {
            (left.name(candidate.left), right.name(candidate.right), candidate.rule as usize)
        }));
        Ok(())
    });
    let summary = summary.unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    assert_eq!(summary.n_candidates(), all.len() as u64);
    (all, summary)
}

/// As the files would be.
impl fmt::Debug for SeveralCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{}", self.wanted, self.toml())?;
        (0..self.tables.len()).try_for_each(|nth| write!(f, "\nt{nth}:\n{}", self.sheet(nth).csv()))
    }
}
