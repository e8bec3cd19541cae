//! What reads files, a target each. It returns what it said, or nothing if all was well.

use hyperblock::base::kept;
use hyperblock::base::sealed::sealed;
use hyperblock::base::spill::{Row, packed, unpacked};
use hyperblock::device::cpu::Cpu;
use hyperblock::entities::score::Weights;
use hyperblock::read::edges::EdgeList;
use hyperblock::read::pairs::{PairFile, PairSource};
use hyperblock::read::table::{Cache, IdSource, ReadOptions, Schema, Table};
use hyperblock::rules::{RuleFile, bind, bind_neighbourhoods, bind_score};
use hyperblock::tell::evaluate::Truth;
use hyperblock::{Candidate, Control, Error, Job, Result};
use hyperblock_shared::layout::ScoredPair;
use std::fmt::Debug;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A kind of file.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Files to begin with: folders below the tests' own, and how the names end.
    pub(crate) corpus: &'static [(&'static str, &'static str)],
    /// What its files are called, since names say how a table is read.
    pub(crate) suffix: &'static str,
    /// Files of `tests/data` of which all that differ in one bit are read in the tests too.
    pub(crate) flipped: &'static [&'static str],
    read: fn(&Path) -> Result<()>,
}

impl Target {
    /// What is said about a file.
    pub(crate) fn read(&self, path: &Path) -> Option<String> {
        (self.read)(path).err().map(|error| error.to_string())
    }

    /// All files to begin with.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for (folder, end) in self.corpus {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
            let paths = entries.map(|entry| entry.expect("an entry").path());
            files.extend(paths.filter(|path| path.to_string_lossy().ends_with(end)));
        }
        files.sort();
        files
    }
}

const NONE: &[&str] = &[];

/// All of them.
pub(crate) const TARGETS: [Target; 13] = [
    Target { name: "csv", corpus: &[("corpus/csv", "")], suffix: ".csv", flipped: NONE, read: table },
    Target {
        name: "parquet",
        corpus: &[("data", ".parquet"), ("corpus/parquet", "")],
        suffix: ".parquet",
        flipped: &["snappy.parquet"],
        read: table,
    },
    Target {
        name: "arrow",
        corpus: &[("data", ".feather"), ("data", ".arrow"), ("corpus/arrow", "")],
        suffix: ".arrow",
        flipped: &["lz4.feather", "stream.arrow"],
        read: table,
    },
    Target { name: "edges", corpus: &[("corpus/edges", "")], suffix: ".tsv", flipped: NONE, read: edges },
    Target { name: "pairs", corpus: &[("corpus/pairs", "")], suffix: ".csv", flipped: NONE, read: pairs },
    Target { name: "truth", corpus: &[("corpus/truth", "")], suffix: ".csv", flipped: NONE, read: truth },
    Target {
        name: "rules",
        corpus: &[("corpus/rules", ""), ("rules", "")],
        suffix: ".toml",
        flipped: NONE,
        read: rules,
    },
    Target { name: "scores", corpus: &[("corpus/scores", "")], suffix: ".toml", flipped: NONE, read: rules },
    Target {
        name: "weights",
        corpus: &[("corpus/weights", "")],
        suffix: ".toml",
        flipped: NONE,
        read: weights,
    },
    Target {
        name: "blocks",
        corpus: &[("corpus/blocks", "")],
        suffix: ".block",
        flipped: NONE,
        read: blocks,
    },
    Target { name: "runs", corpus: &[("corpus/runs", "")], suffix: ".run", flipped: NONE, read: runs },
    Target {
        name: "manifest",
        corpus: &[("corpus/manifest", "")],
        suffix: ".manifest",
        flipped: NONE,
        read: manifest,
    },
    Target { name: "cache", corpus: &[("corpus/cache", "")], suffix: ".edits", flipped: NONE, read: cache },
];

/// More than any of the files to begin with unpacks to, and little enough for all threads at once.
const MOST_UNPACKED: Option<u64> = Some(64 << 20);

fn table(path: &Path) -> Result<()> {
    for id in [IdSource::Usual, IdSource::RowNumbers] {
        let options = ReadOptions { id, most_unpacked: MOST_UNPACKED, ..ReadOptions::default() };
        Table::read(path, &options, &|_| true, &Control::default())?;
    }
    Ok(())
}

fn edges(path: &Path) -> Result<()> {
    let control = Control::default();
    let read = |header| EdgeList::read(path, header, MOST_UNPACKED, &control);
    read(true).and(read(false)).map(drop)
}

fn pairs(path: &Path) -> Result<()> {
    let source = |two_tables| PairSource {
        path: path.to_owned(),
        most_unpacked: MOST_UNPACKED,
        two_tables,
        ..PairSource::default()
    };
    let control = Control::default();
    PairFile::read(&source(true), &control).and(PairFile::read(&source(false), &control)).map(drop)
}

fn truth(path: &Path) -> Result<()> {
    let people = people();
    let control = Control::default();
    Truth::read(path, people, None, &control).and(Truth::read(path, people, Some(people), &control)).map(drop)
}

fn rules(path: &Path) -> Result<()> {
    let file = RuleFile::read(path)?;
    let schema: &Schema = &people().schema;
    for dedupe in [true, false] {
        bind(&file, schema, schema, dedupe)?;
        bind_neighbourhoods(&file, schema, schema, dedupe)?;
    }
    bind_score(&file, schema, schema, true).map(drop)
}

fn weights(path: &Path) -> Result<()> {
    Weights::read(path).map(drop)
}

/// What the files below hold, under a checksum that is right: with another one nobody would look at it.
fn under_seal(path: &Path) -> Result<Vec<u8>> {
    Ok(sealed(&std::fs::read(path).map_err(Error::io(path))?))
}

/// Blocks of what was spilled: those that can be read come back as they are.
fn blocks(path: &Path) -> Result<()> {
    fn read<R: Row + PartialEq + Debug>(bytes: &[u8]) -> Option<()> {
        let rows: Vec<R> = unpacked(bytes)?;
        let again = packed(&rows).expect("what was unpacked can be packed");
        assert_eq!(unpacked(&again), Some(rows));
        Some(())
    }
    let bytes = under_seal(path)?;
    let (narrow, wide) = (read::<Candidate>(&bytes), read::<(u32, ScoredPair)>(&bytes));
    narrow.or(wide).ok_or_else(|| Error::Job("no block".into()))
}

/// Runs that were kept.
fn runs(path: &Path) -> Result<()> {
    kept::unpacked(&under_seal(path)?).map(drop).ok_or_else(|| Error::Job("no run".into()))
}

/// Which job they are of.
fn manifest(path: &Path) -> Result<()> {
    kept::job(&under_seal(path)?).map(drop).ok_or_else(|| Error::Job("no manifest".into()))
}

/// Edits of a cache's headers, under their seal: a job takes what it finds there, or makes it anew. A file says which of the
/// cache's is edited, and then of each edit where, in two bytes, and what stands there then.
fn cache(path: &Path) -> Result<()> {
    let edits = std::fs::read(path).map_err(Error::io(path))?;
    let Some((&which, edits)) = edits.split_first() else { return Ok(()) };
    let CachedJob { table, rules, files, .. } = cached_job();
    let folder = tempfile::tempdir().map_err(Error::io(path))?;
    for (nth, (name, bytes)) in files.iter().enumerate() {
        let mut bytes = bytes.clone();
        if nth == usize::from(which) % files.len() {
            edit(&mut bytes, edits);
        }
        std::fs::write(folder.path().join(name), bytes).map_err(Error::io(path))?;
    }
    run_cached(table, rules, folder.path())
}

/// Edits the header of a store, and seals it.
fn edit(bytes: &mut [u8], edits: &[u8]) {
    // Behind the header are its length, the checksum of both, and eight bytes.
    let end = bytes.len() - 12;
    let (before, len) = bytes[..end].split_last_chunk::<8>().expect("a store has an end");
    let start = before.len() - u64::from_le_bytes(*len) as usize;
    let n_header = before.len() - start;
    for edit in edits.as_chunks::<3>().0 {
        bytes[start + usize::from(u16::from_be_bytes([edit[0], edit[1]])) % n_header] = edit[2];
    }
    let sealed = sealed(&bytes[start..end]);
    bytes[start..end + 4].copy_from_slice(&sealed);
}

/// A job whose tables are in a cache.
struct CachedJob {
    _folder: tempfile::TempDir,
    table: PathBuf,
    rules: PathBuf,
    files: Vec<(std::ffi::OsString, Vec<u8>)>,
}

fn cached_job() -> &'static CachedJob {
    static JOB: OnceLock<CachedJob> = OnceLock::new();
    JOB.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (table, rules) = (folder.path().join("t.csv"), folder.path().join("r.toml"));
        let row = |n: u32| format!("k{},name {},{},19{}-01-02\n", (7 * n) % 31, n % 5, n % 9, 60 + n);
        let text: String = (0..31).map(row).collect();
        std::fs::write(&table, format!("id,name,size,born\n{text}")).expect("a file can be written");
        let text = "[[rules]]\nwhen = \"levenshtein(l.name, r.name) <= 1 AND abs(l.size - r.size) <= 2 AND l.size > 1\"\n\
                    [[rules]]\nwhen = \"jaccard(words(l.name), words(r.name)) >= 0.5 AND l.born = r.born\"\n\
                    [[neighbourhoods]]\nkey = \"l.name\"\nwindow = 2\n";
        std::fs::write(&rules, text).expect("a file can be written");
        let kept = folder.path().join("kept");
        run_cached(&table, &rules, &kept).unwrap_or_else(|error| panic!("{error}"));
        let entries = std::fs::read_dir(&kept).expect("a folder").map(|entry| entry.expect("an entry"));
        let mut files: Vec<_> =
            entries.map(|it| (it.file_name(), std::fs::read(it.path()).expect("a file"))).collect();
        files.sort();
        assert!(files.len() >= 3, "a table, its columns, and ranks");
        CachedJob { _folder: folder, table, rules, files }
    })
}

fn run_cached(table: &Path, rules: &Path, folder: &Path) -> Result<()> {
    let (device, control) = (Cpu::new(), Control::default());
    let cache = Cache { folder: folder.to_owned(), verifies: false };
    let job = Job::dedupe(table, rules).cache(Some(cache)).prepare(&device, &control)?;
    job.run(&device, &control, &mut |_| Ok(())).map(drop)
}

/// A table whose columns the rules are about.
fn people() -> &'static Table {
    static PEOPLE: OnceLock<Table> = OnceLock::new();
    PEOPLE.get_or_init(|| {
        let mut file = tempfile::Builder::new().suffix(".csv").tempfile().expect("a file can be made");
        let text = "id,title,name,authors,venue,city,zip,year,born\n1,a,b,c,d,e,007,1999,2001-02-03\n2,f,,g,,h,8,2000,\n";
        file.write_all(text.as_bytes()).expect("a file can be written");
        let read = Table::read(file.path(), &ReadOptions::default(), &|_| true, &Control::default());
        read.unwrap_or_else(|error| panic!("{error}"))
    })
}
