//! Kept runs: candidates of finished tasks, in files of a folder, so that a job which ends early can go on where it was.
//!
//! ```text
//! folder ─┬─ manifest    which job it is: tables, rules, plan, program; and a checksum
//!         ├─ lock        held by the process that works on it
//!         └─ *.run       the run of a task: packed, with a checksum, and put in its place when it is whole
//! ```
//!
//! A file that is not what was written is as good as none: the task is done again. Files hold personal data, so nobody but
//! their owner may read them.

use crate::base::error::{Error, Result};
use crate::base::sealed::{sealed, unsealed};
use hyperblock_shared::layout::Candidate;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";
const RUN: &str = "run";
const PART: &str = "part";
/// What a run begins with; the last byte is the version of its layout.
const MAGIC: [u8; 8] = *b"hb-run\0\x01";
/// Bytes of the head, and of a candidate.
const HEAD: usize = 16;
const CANDIDATE: usize = 12;
/// Runs are written while others are found: packing them must not take longer than that.
const LEVEL: i32 = 1;

/// A folder of runs.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    _lock: File,
    /// What is under way, beside the task: a part of the tables, if not all of them.
    within: Mutex<String>,
    n_found: AtomicUsize,
    n_kept: AtomicUsize,
}

/// What is in a folder.
enum Manifest {
    None,
    Damaged,
    Of(String),
}

impl Kept {
    /// Opens a folder for a job, or makes it. One that has runs of the job already is opened only to go on with it.
    pub fn open(folder: &Path, job: &str, resumes: bool) -> Result<Self> {
        let shown = folder.display();
        let io = |error| Error::io(folder)(error);
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io)?;
        for entry in fs::read_dir(folder).map_err(io)? {
            let name = entry.map_err(io)?.file_name();
            let extension = Path::new(&name).extension();
            let is_ours =
                name == MANIFEST || name == LOCK || extension.is_some_and(|it| it == RUN || it == PART);
            if !is_ours {
                let name = name.display();
                let message =
                    format!("{shown}: `{name}` is no part of a checkpoint; name a new folder for it");
                return Err(Error::Job(message));
            }
        }
        let lock = private().create(true).truncate(false).open(folder.join(LOCK)).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Job(format!(
                    "{shown}: another process works on this checkpoint; wait for it, or name another folder"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        let kept = Self {
            folder: folder.to_owned(),
            _lock: lock,
            within: Mutex::default(),
            n_found: AtomicUsize::new(0),
            n_kept: AtomicUsize::new(0),
        };
        match kept.manifest()? {
            Manifest::Of(other) if other == job && resumes => return Ok(kept),
            Manifest::Of(other) if other == job => {
                return Err(Error::Job(format!(
                    "{shown}: this job was begun here before; add --resume to go on with it, or remove the folder"
                )));
            }
            Manifest::Of(_) => {
                return Err(Error::Job(format!(
                    "{shown}: the checkpoint of another job, or of this one before tables, rules, options or program \
                     changed; remove the folder, or name another one"
                )));
            }
            Manifest::None if resumes => {
                tracing::warn!("{shown}: there is nothing to resume; all is done from the start")
            }
            Manifest::None => {}
            Manifest::Damaged => {
                tracing::warn!("{shown}: the manifest is damaged; all is done from the start")
            }
        }
        kept.clear(false)?;
        kept.write(&kept.folder.join(MANIFEST), &sealed(job.as_bytes()))?;
        Ok(kept)
    }

    fn manifest(&self) -> Result<Manifest> {
        let path = self.folder.join(MANIFEST);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Manifest::None),
            Err(error) => return Err(Error::io(&path)(error)),
        };
        Ok(job(&bytes).map_or(Manifest::Damaged, |job| Manifest::Of(job.to_owned())))
    }

    /// From now on tasks are about a part of the tables, or with an empty name about all of them.
    pub(crate) fn within(&self, part: String) {
        *self.within.lock().unwrap_or_else(PoisonError::into_inner) = part;
    }

    fn path(&self, task: &str) -> PathBuf {
        let mut name = self.within.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _ = write!(name, "{task}.{RUN}");
        self.folder.join(name)
    }

    /// The run of a task, if it was kept, and is as it was written; none either, if it has more than so many candidates: then
    /// there was more memory when it was found.
    pub(crate) fn run(&self, task: &str, most: usize) -> Option<Vec<Candidate>> {
        let path = self.path(task);
        let bytes = match read(&path, most) {
            Ok(bytes) => bytes?,
            Err(error) => {
                if error.kind() != ErrorKind::NotFound {
                    tracing::warn!("{}: {error}; the task is done again", path.display());
                }
                return None;
            }
        };
        let run = unpacked(&bytes);
        match &run {
            Some(_) => drop(self.n_found.fetch_add(1, Relaxed)),
            None => tracing::warn!("{} is damaged; the task is done again", path.display()),
        }
        run
    }

    /// Keeps the run of a task.
    pub(crate) fn keep(&self, task: &str, run: &[Candidate]) -> Result<()> {
        let path = self.path(task);
        self.write(&path, &packed(run).map_err(Error::io(&path))?)?;
        self.n_kept.fetch_add(1, Relaxed);
        Ok(())
    }

    /// How many runs were there already, and how many were added.
    pub fn counts(&self) -> (usize, usize) {
        (self.n_found.load(Relaxed), self.n_kept.load(Relaxed))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file appears whole or not at all.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let part = path.with_extension(PART);
        let written = private().create(true).truncate(true).open(&part).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_data()
        });
        written.and_then(|()| fs::rename(&part, path)).map_err(|error| {
            // What is half written is of no use; that it cannot be removed is no news either.
            let _ = fs::remove_file(&part);
            Error::io(path)(error)
        })
    }

    /// Removes all runs, and at the end the rest.
    fn clear(&self, is_end: bool) -> Result<()> {
        let io = |error: io::Error| Error::io(&self.folder)(error);
        for entry in fs::read_dir(&self.folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if is_end || path.file_name().is_none_or(|name| name != LOCK) {
                fs::remove_file(&path).map_err(Error::io(&path))?;
            }
        }
        if is_end { fs::remove_dir(&self.folder).map_err(io) } else { Ok(()) }
    }

    /// The job is done: nothing of it is needed any more.
    pub fn remove(&self) -> Result<()> {
        self.clear(true)
    }
}

/// For files that only their owner may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// The bytes of a run, unless it says that it has more candidates than so many.
fn read(path: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(HEAD as u64).read_to_end(&mut bytes)?;
    if let Some((_, n)) = bytes.split_last_chunk::<8>().filter(|(magic, _)| **magic == MAGIC)
        && u64::from_le_bytes(*n) > most as u64
    {
        return Ok(None);
    }
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Which job a manifest is of, if it is whole.
pub fn job(manifest: &[u8]) -> Option<&str> {
    unsealed(manifest).and_then(|text| std::str::from_utf8(text).ok())
}

/// A run as bytes: how many candidates, then lefts, rights and rules, packed.
fn packed(run: &[Candidate]) -> io::Result<Vec<u8>> {
    let mut columns = Vec::with_capacity(CANDIDATE * run.len());
    for column in [|it: &Candidate| it.left, |it: &Candidate| it.right, |it: &Candidate| it.rule] {
        columns.extend(run.iter().flat_map(|candidate| column(candidate).to_le_bytes()));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend((run.len() as u64).to_le_bytes());
    bytes.extend(zstd::bulk::compress(&columns, LEVEL)?);
    Ok(sealed(&bytes))
}

/// The run, if the bytes are those of one.
pub fn unpacked(bytes: &[u8]) -> Option<Vec<Candidate>> {
    let (head, columns) = unsealed(bytes)?.split_at_checked(HEAD)?;
    let (magic, n) = head.split_first_chunk::<8>()?;
    let n = usize::try_from(u64::from_le_bytes(n.try_into().ok()?)).ok()?;
    let n_bytes = n.checked_mul(CANDIDATE).filter(|_| *magic == MAGIC)?;
    // As much memory as is unpacked, whatever the number says.
    let mut unpacked = Vec::new();
    let packed = zstd::stream::read::Decoder::new(columns).ok()?;
    packed.take((n_bytes as u64).saturating_add(1)).read_to_end(&mut unpacked).ok()?;
    if unpacked.len() != n_bytes {
        return None;
    }
    let numbers: Vec<u32> = unpacked.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let (lefts, others) = numbers.split_at(n);
    let (rights, rules) = others.split_at(n);
    let candidates = lefts.iter().zip(rights).zip(rules);
    Some(candidates.map(|((&left, &right), &rule)| Candidate { left, right, rule }).collect())
}

#[cfg(test)]
mod tests;
