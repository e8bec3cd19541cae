//! Data sets, and cuts of them: few enough records for a test, with many matches among them.

use flate2::read::MultiGzDecoder;
use hyperblock::Job;
use hyperblock_tests::case::Sheet;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Pairs of ids.
type Matches = Vec<(String, String)>;

/// Of longer tables, only the beginning is looked at.
const MOST_READ: usize = 12_000;

/// A data set and the rules for it.
#[derive(Clone)]
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) rules: PathBuf,
}

/// Where data sets are, if not beside the checkout; the benchmarks know it by the same name.
const DATA: &str = "HYPERBLOCK_DATA";

/// The folder of data sets.
pub(crate) fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    std::env::var_os(DATA).map_or_else(beside, PathBuf::from)
}

/// Data sets that have rules for benchmarks too, as many as in HyperBlocker's paper.
const OF_THE_PAPER: [&str; 3] = ["dblp_acm", "dblp_scholar_1to1", "dblp_scholar_labelled"];

/// The data sets that there are rules for, whether they are there or not. A folder of folders is a data set each.
pub(crate) fn all() -> Vec<DataSet> {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut all = Vec::new();
    for file in names(&rules) {
        let name = file.trim_end_matches(".toml").to_owned();
        let (folder, rules) = (folder().join(&name), rules.join(&file));
        let inner: Vec<_> = names(&folder).into_iter().filter(|inner| folder.join(inner).is_dir()).collect();
        if inner.is_empty() {
            all.push(DataSet { name, folder, rules });
            continue;
        }
        all.extend(inner.into_iter().map(|inner| DataSet {
            name: format!("{name}/{inner}"),
            folder: folder.join(inner),
            rules: rules.clone(),
        }));
    }
    all.extend(OF_THE_PAPER.map(|name| DataSet {
        name: format!("{name}/paper"),
        folder: folder().join(name),
        rules: of_the_paper(name),
    }));
    all
}

/// `cargo xtask gen traffic --rows 400 --seed 1`, which is always there, with fifty rules.
pub(crate) fn traffic() -> DataSet {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/traffic");
    DataSet { name: "traffic".to_owned(), folder, rules: of_the_paper("traffic") }
}

fn of_the_paper(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../xtask/paper").join(format!("{name}.toml"))
}

/// The names in a folder, sorted; none if it is not there.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// A part of a data set, as files and in memory.
pub(crate) struct Cut {
    folder: TempDir,
    rules: PathBuf,
    pub(crate) left: Sheet,
    pub(crate) right: Option<Sheet>,
}

impl DataSet {
    pub(crate) fn is_there(&self) -> bool {
        self.folder.is_dir()
    }

    /// At most so many records of each table: those of the first matches, up to half of them, and others from all over.
    pub(crate) fn cut(&self, n_records: usize) -> Result<Cut, Box<dyn Error>> {
        self.cut_of(n_records, |_| true)
    }

    /// The same, of the rows whose values are all wanted.
    pub(crate) fn cut_of(
        &self,
        n_records: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Cut, Box<dyn Error>> {
        let read = |name: &str| -> Result<Option<Sheet>, Box<dyn Error>> {
            self.file(name)?.map(|file| sheet(file).map(|sheet| only(sheet, &wanted))).transpose()
        };
        let (left, right) = match read("table")? {
            Some(table) => (table, None),
            None => (read("tableA")?.ok_or("no table")?, Some(read("tableB")?.ok_or("no right table")?)),
        };
        let matches = match self.matches()? {
            Some(matches) => matches,
            None => same_titles(&left),
        };
        let (mut lefts, mut rights) = (Chosen::of(&left), right.as_ref().map(Chosen::of));
        for (a, b) in &matches {
            let (Some(a), Some(b)) = (lefts.place(a), rights.as_ref().unwrap_or(&lefts).place(b)) else {
                continue;
            };
            let n_chosen = lefts.rows.len().max(rights.as_ref().map_or(0, |rights| rights.rows.len()));
            if n_chosen >= n_records / 2 {
                break;
            }
            lefts.rows.insert(a);
            rights.as_mut().unwrap_or(&mut lefts).rows.insert(b);
        }
        let left_cut = lefts.filled(n_records);
        let right_cut = rights.map(|rights| rights.filled(n_records));
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("left.csv"), left_cut.csv())?;
        if let Some(right) = &right_cut {
            std::fs::write(folder.path().join("right.csv"), right.csv())?;
        }
        Ok(Cut { folder, rules: self.rules.clone(), left: left_cut, right: right_cut })
    }

    fn file(&self, name: &str) -> Result<Option<Box<dyn Read>>, Box<dyn Error>> {
        let open = |name: String| {
            Some(self.folder.join(name)).filter(|path| path.exists()).map(File::open).transpose()
        };
        if let Some(plain) = open(format!("{name}.csv"))? {
            return Ok(Some(Box::new(plain)));
        }
        Ok(open(format!("{name}.csv.gz"))?
            .map(|packed| Box::new(MultiGzDecoder::new(packed)) as Box<dyn Read>))
    }

    /// Pairs of ids that are the same thing, or as near to it as the data set tells, if it tells.
    fn matches(&self) -> Result<Option<Matches>, Box<dyn Error>> {
        let rows = |file: Box<dyn Read>| -> Result<Matches, csv::Error> {
            let mut reader = csv::Reader::from_reader(file);
            reader.records().map(|row| row.map(|row| (row[0].to_owned(), row[1].to_owned()))).collect()
        };
        if let Some(matches) = self.file("matches")? {
            return Ok(Some(rows(matches)?));
        }
        let entities = match self.file("truth")? {
            Some(truth) => Some(truth),
            None => self.file("same_link")?,
        };
        entities.map(|entities| Ok(in_entities(rows(entities)?))).transpose()
    }
}

/// Records with the same title, for want of a truth.
fn same_titles(sheet: &Sheet) -> Matches {
    let Some(title) = sheet.header.iter().position(|name| name.ends_with("title")) else { return Vec::new() };
    let titles = sheet.ids.iter().zip(&sheet.rows).filter_map(|(id, row)| Some((id, row[title].as_ref()?)));
    in_entities(titles.map(|(id, title)| (id.clone(), title.to_lowercase())))
}

/// Each id with the one before it that has the same entity.
fn in_entities(ids: impl IntoIterator<Item = (String, String)>) -> Matches {
    let mut last: HashMap<String, String> = HashMap::new();
    let mut matches = Vec::new();
    for (id, entity) in ids {
        if let Some(before) = last.insert(entity, id.clone()) {
            matches.push((before, id));
        }
    }
    matches
}

impl Cut {
    pub(crate) fn job(&self) -> Job {
        let left = self.folder.path().join("left.csv");
        match self.right {
            None => Job::dedupe(left, &self.rules),
            Some(_) => Job::link(left, self.folder.path().join("right.csv"), &self.rules),
        }
    }

    pub(crate) fn rules(&self) -> &Path {
        &self.rules
    }
}

/// Rows of a table.
struct Chosen<'a> {
    of: &'a Sheet,
    places: HashMap<&'a str, usize>,
    rows: HashSet<usize>,
}

impl<'a> Chosen<'a> {
    fn of(sheet: &'a Sheet) -> Self {
        let places = sheet.ids.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
        Self { of: sheet, places, rows: HashSet::new() }
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// With others, as far from each other as there are many, up to a number of rows.
    fn filled(mut self, n_rows: usize) -> Sheet {
        let others: Vec<usize> = (0..self.of.ids.len()).filter(|row| !self.rows.contains(row)).collect();
        let wanted = n_rows.saturating_sub(self.rows.len()).min(others.len());
        self.rows.extend((0..wanted).map(|nth| others[nth * others.len() / wanted]));
        let mut rows: Vec<usize> = self.rows.into_iter().collect();
        rows.sort_unstable();
        Sheet {
            header: self.of.header.clone(),
            ids: rows.iter().map(|&row| self.of.ids[row].clone()).collect(),
            rows: rows.iter().map(|&row| self.of.rows[row].clone()).collect(),
        }
    }
}

/// The rows whose values are all wanted.
fn only(sheet: Sheet, wanted: impl Fn(&str) -> bool) -> Sheet {
    let Sheet { header, ids, rows } = sheet;
    let kept = ids.into_iter().zip(rows).filter(|(_, row)| row.iter().flatten().all(|value| wanted(value)));
    let (ids, rows) = kept.unzip();
    Sheet { header, ids, rows }
}

/// Reads the beginning of a CSV file whose first column is the id.
pub(crate) fn sheet(file: impl Read) -> Result<Sheet, Box<dyn Error>> {
    let mut reader = csv::Reader::from_reader(file);
    let header = reader.headers()?.iter().skip(1).map(str::to_owned).collect();
    let mut sheet = Sheet { header, ids: Vec::new(), rows: Vec::new() };
    for record in reader.records().take(MOST_READ) {
        let record = record?;
        let mut fields = record.iter().map(|field| (!field.is_empty()).then(|| field.to_owned()));
        sheet.ids.push(fields.next().flatten().ok_or("a row without an id")?);
        sheet.rows.push(fields.collect());
    }
    Ok(sheet)
}
