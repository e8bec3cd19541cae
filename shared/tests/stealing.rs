//! Stealing, under every interleaving: each stretch is taken once, whoever is in the way of whom.
//!
//! Small divisions are model-checked: [loom](https://docs.rs/loom) runs them under all schedules, and with all values
//! that relaxed atomics allow; where those are too many, under all with a few preemptions. Large ones are raced on real
//! threads, many times over.

use hyperblock_shared::stealing::{Bits, Division, Policy, Taker, Word};
use loom::sync::atomic as loomed;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// All four ways to divide.
const POLICIES: [Policy; 4] = [
    Policy { sliding: true, stealing: true },
    Policy { sliding: true, stealing: false },
    Policy { sliding: false, stealing: true },
    Policy { sliding: false, stealing: false },
];

/// A slot that loom watches.
struct LoomWord(loomed::AtomicU64);

impl Word for LoomWord {
    fn load(&self) -> u64 {
        self.0.load(Relaxed)
    }

    fn store(&self, word: u64) {
        self.0.store(word, Relaxed);
    }

    fn exchange(&self, seen: u64, word: u64) -> bool {
        self.0.compare_exchange(seen, word, Relaxed, Relaxed).is_ok()
    }
}

/// Claims that loom watches.
struct LoomBits(loomed::AtomicU32);

impl Bits for LoomBits {
    fn load(&self) -> u32 {
        self.0.load(Relaxed)
    }

    fn set(&self, bits: u32) -> u32 {
        self.0.fetch_or(bits, Relaxed)
    }
}

/// What threads have in common.
struct Common<W, B> {
    firsts: Vec<u32>,
    slots: Vec<W>,
    claimed: Vec<B>,
    policy: Policy,
}

impl<W: Word, B: Bits> Common<W, B> {
    fn new(
        lengths: &[u32],
        n_threads: u32,
        policy: Policy,
        word: impl Fn() -> W,
        bits: impl Fn() -> B,
    ) -> Self {
        let mut firsts = vec![0];
        for length in lengths {
            firsts.push(firsts[firsts.len() - 1] + length);
        }
        let slots = (0..n_threads).map(|_| word()).collect();
        let n_runs = policy.n_runs(n_threads, firsts[firsts.len() - 1]);
        let claimed = (0..n_runs.div_ceil(32)).map(|_| bits()).collect();
        Self { firsts, slots, claimed, policy }
    }

    /// What one thread takes, to the end.
    fn take_all(&self, thread: u32) -> Vec<u32> {
        let Self { firsts, slots, claimed, policy } = self;
        let division = Division { firsts, slots, claimed, policy: *policy };
        let mut taker = Taker::new(thread);
        std::iter::from_fn(|| division.next(&mut taker, || ())).collect()
    }

    fn assert_each_once(&self, mut taken: Vec<u32>) {
        taken.sort_unstable();
        let all: Vec<u32> = (0..self.firsts[self.firsts.len() - 1]).collect();
        assert_eq!(taken, all, "under {:?}", self.policy);
    }
}

/// Under all schedules, or those with at most so many preemptions.
fn check(n_threads: u32, lengths: &'static [u32], most_preemptions: Option<usize>) {
    for policy in POLICIES {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = most_preemptions;
        model.check(move || {
            let (word, bits) =
                (|| LoomWord(loomed::AtomicU64::new(0)), || LoomBits(loomed::AtomicU32::new(0)));
            let common = loom::sync::Arc::new(Common::new(lengths, n_threads, policy, word, bits));
            let others: Vec<_> = (1..n_threads)
                .map(|thread| {
                    let common = common.clone();
                    loom::thread::spawn(move || common.take_all(thread))
                })
                .collect();
            let mut taken = common.take_all(0);
            for other in others {
                taken.extend(other.join().expect("a thread takes without panicking"));
            }
            common.assert_each_once(taken);
        });
    }
}

#[test]
fn one_interval_between_two() {
    check(2, &[3], None);
}

#[test]
fn two_intervals_between_two() {
    check(2, &[2, 1], Some(3));
}

/// The second interval is long enough to be robbed twice.
#[test]
fn a_long_interval_between_two() {
    check(2, &[1, 4], Some(2));
}

/// A thief may be robbed in turn, and two may rob the same victim.
#[test]
fn three_threads() {
    check(3, &[3], Some(1));
}

/// Real threads, and most of the work in a few intervals, so that many steal at once.
#[test]
fn threads_in_a_race() {
    const N_THREADS: u32 = 8;
    const N_ROUNDS: u32 = 50;
    let lengths: Vec<u32> = (0..100).map(|ix| if ix % 37 == 0 { 1500 } else { ix % 5 }).collect();
    for round in 0..N_ROUNDS {
        let policy = POLICIES[round as usize % POLICIES.len()];
        let common = Common::new(&lengths, N_THREADS, policy, || AtomicU64::new(0), || AtomicU32::new(0));
        let start = std::sync::Barrier::new(N_THREADS as usize);
        let taken = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..N_THREADS)
                .map(|thread| {
                    let (common, start) = (&common, &start);
                    scope.spawn(move || {
                        start.wait();
                        common.take_all(thread)
                    })
                })
                .collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<u32>>| {
                thread.join().expect("a thread takes without panicking")
            };
            threads.into_iter().flat_map(join).collect()
        });
        common.assert_each_once(taken);
    }
}
