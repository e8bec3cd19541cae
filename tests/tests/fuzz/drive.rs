//! Runs targets: over their corpus, over all files with one bit changed, or over random files for as long as asked.
//!
//! What a target says is the only thing known about the way it took, so a file that makes it say something new is kept
//! and changed further. A file is written down before it is read: if the process is ended, it is there.

use crate::mutate::{Random, mutated};
use crate::targets::Target;
use libtest_mimic::Failed;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Longer than anything small should take, in a build without optimisation and beside others.
const PATIENCE: Duration = Duration::from_secs(20);
/// Files that are kept to be changed further.
const MOST_KEPT: usize = 4000;

/// How long to search, if that was asked for.
pub(crate) fn seconds() -> Option<u64> {
    std::env::var("HYPERBLOCK_FUZZ_SECONDS").ok()?.parse().ok()
}

/// Reads the corpus.
pub(crate) fn replay(target: &Target) -> Result<(), Failed> {
    let desk = Desk::new(target, "replayed")?;
    for path in target.files() {
        desk.read(&std::fs::read(&path)?).map_err(|failed| format!("{}: {failed}", path.display()))?;
    }
    Ok(())
}

/// Reads all files that differ from one in a single bit.
pub(crate) fn flip_all_bits(target: &Target, name: &str) -> Result<(), Failed> {
    let file = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name))?;
    let desk = Desk::new(target, name)?;
    for bit in 0..8 * file.len() {
        let mut flipped = file.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        desk.read(&flipped).map_err(|failed| format!("{name}, bit {bit}: {failed}"))?;
    }
    Ok(())
}

/// Changes what is in the corpus, and reads it, on all cores.
pub(crate) fn search(target: &Target, seconds: u64) -> Result<(), Failed> {
    let corpus: Vec<Vec<u8>> = target.files().iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let (pool, said) = (Mutex::new(corpus), Mutex::new(HashSet::new()));
    let (start, n_read) = (Instant::now(), AtomicU64::new(0));
    let n_threads = std::thread::available_parallelism()?.get() as u64;
    // Another hour finds other files.
    let seed = std::time::SystemTime::UNIX_EPOCH.elapsed()?.as_secs();
    let work = |thread: u64| -> Result<(), Failed> {
        let desk = Desk::new(target, &format!("thread-{thread}"))?;
        let mut random = Random::new(seed * n_threads + thread);
        while start.elapsed().as_secs() < seconds {
            let file = {
                let pool = pool.lock().expect("nobody panics with it");
                let (one, other) = (random.below(pool.len()), random.below(pool.len()));
                mutated(&pool[one], &pool[other], &mut random)
            };
            let is_new = desk.read(&file)?.is_some_and(|words| said.lock().expect("as above").insert(words));
            n_read.fetch_add(1, Relaxed);
            let mut pool = pool.lock().expect("as above");
            if is_new && pool.len() < MOST_KEPT {
                pool.push(file);
            }
        }
        Ok(())
    };
    let work = &work;
    let done: Result<Vec<()>, Failed> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|thread| scope.spawn(move || work(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("panics are caught")).collect()
    });
    let n_kept = pool.lock().expect("as above").len();
    println!("{}: {} files, {n_kept} kept, {:.0?}", target.name, n_read.into_inner(), start.elapsed());
    done.map(drop)
}

/// Where a target reads one file after the other.
struct Desk<'a> {
    target: &'a Target,
    /// The file that is being read.
    path: PathBuf,
    /// When it was begun, in milliseconds; 0 between files.
    begun: std::sync::Arc<AtomicU64>,
    clock: Instant,
}

impl<'a> Desk<'a> {
    fn new(target: &'a Target, name: &str) -> Result<Self, Failed> {
        let folder = std::env::current_exe()?.ancestors().nth(3).unwrap_or(Path::new(".")).join("fuzz");
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}-{name}{}", target.name, target.suffix));
        let desk = Self { target, path, begun: std::sync::Arc::default(), clock: Instant::now() };
        desk.watch();
        Ok(desk)
    }

    /// Ends the process if a file takes too long; nothing else can.
    fn watch(&self) {
        let (begun, clock, path) = (std::sync::Arc::downgrade(&self.begun), self.clock, self.path.clone());
        std::thread::spawn(move || {
            while let Some(begun) = begun.upgrade().map(|begun| begun.load(Relaxed)) {
                let takes = (clock.elapsed().as_millis() as u64).saturating_sub(begun);
                if begun > 0 && takes > PATIENCE.as_millis() as u64 {
                    eprintln!("{} takes longer than {PATIENCE:?}", path.display());
                    std::process::exit(1);
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
    }

    /// What the target says of a file.
    fn read(&self, file: &[u8]) -> Result<Option<String>, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", self.path.display());
        std::fs::write(&self.path, file).map_err(wrong)?;
        self.begun.store(self.clock.elapsed().as_millis() as u64 + 1, Relaxed);
        let read = catch_unwind(AssertUnwindSafe(|| self.target.read(&self.path)));
        self.begun.store(0, Relaxed);
        let Ok(said) = read else {
            let kept = self.path.with_extension(format!("found{}", self.target.suffix));
            std::fs::write(&kept, file).map_err(wrong)?;
            return Err(format!("panicked; see {}", kept.display()));
        };
        std::fs::remove_file(&self.path).map_err(wrong)?;
        Ok(said.map(|said| words(&said)))
    }
}

/// The letters of a message, without what it quotes: numbers and names differ from file to file.
fn words(said: &str) -> String {
    let unquoted = said.lines().next().unwrap_or_default().split('`').step_by(2);
    unquoted.flat_map(str::chars).filter(char::is_ascii_alphabetic).take(200).collect()
}
