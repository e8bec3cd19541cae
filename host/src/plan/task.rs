//! Tasks: what one place is given to do at a time.
//!
//! A task is a pure function of a job: what some access paths look at in an area, or a share of that, comes to a run of
//! candidates. A sweep is cut into runs of intervals, a join by the hashes of its keys (and where one of them has too many
//! pairs, by its left records), an overlap join into pairs of blocks. Each pair of records that the whole looks at is looked at
//! by one share, so that the union of their candidates is the result, whoever finds them, and in which order.

use crate::base::compared::Compared;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::threads;
use crate::encode::Encoded;
use crate::plan::Program;
use crate::plan::access::{Access, By, ByPath, KeyJoin, KeyList, Unlisted, accesses_by_path, unlisted};
use crate::plan::overlap::OverlapJoin;
use crate::plan::partition::{Area, blocks};
use crate::plan::sweep::Block;
use crate::plan::work::Taking;
use hyperblock_shared::join::hash;
use hyperblock_shared::sweep::{Order, Settings};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Add;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What is to be looked at, whoever does it.
#[derive(Clone, Debug)]
pub struct Task {
    /// By which access paths.
    pub accesses: Vec<Access>,
    /// And what a device lists itself.
    pub unlisted: Vec<Unlisted>,
    /// By access: what it is expected to take.
    pub expected: Vec<Taking>,
    /// Where.
    pub area: Area,
    /// The pairs of records that it stands for, looked at or not: for progress.
    pub n_pairs: u64,
}

/// What is left of a task's time at most, for a CPU beside a GPU to take part.
const WORTH_IT: f64 = 0.97;

/// Records that a thread divides at once, at least.
const LEAST_CHUNK: usize = 1 << 14;

/// Rectangles that a part of a join is cut into at most.
const MOST_RECTANGLES: u64 = 64;

impl Task {
    /// All that the program looks at in an area.
    pub fn new(encoded: &Encoded, program: &Program, area: &Area, control: &Control) -> Result<Self> {
        Self::of_blocks(program, area, |block| {
            Ok((Vec::new(), accesses_by_path(encoded, program, block, control)?))
        })
    }

    /// The same for a device that makes keys and lists itself: as far as it can, they are left to it.
    pub fn unlisted(encoded: &Encoded, program: &Program, area: &Area, control: &Control) -> Result<Self> {
        Self::unlisted_if(encoded, program, area, |_| true, control)
    }

    /// The same for a device that lists some of it itself.
    pub(crate) fn unlisted_if(
        encoded: &Encoded,
        program: &Program,
        area: &Area,
        is_left: impl Fn(&By) -> bool,
        control: &Control,
    ) -> Result<Self> {
        Self::of_blocks(program, area, |block| unlisted(encoded, program, block, &is_left, control))
    }

    fn of_blocks(
        program: &Program,
        area: &Area,
        looked_at: impl Fn(&Block) -> Result<(Vec<Unlisted>, ByPath)>,
    ) -> Result<Self> {
        let (mut accesses, mut all_unlisted, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        let all = blocks(area);
        for block in &all {
            let (unlisted, listed) = looked_at(block)?;
            for (path, access) in &listed {
                // What the accesses of one path have to do goes by their pairs.
                let own = listed.iter().filter(|(other, _)| other == path);
                let sum: f64 = own.map(|(_, access)| n_looked_at(access)).sum();
                let share = n_looked_at(access) / sum / all.len() as f64;
                expected.push(program.expected(*path) * share);
            }
            accesses.extend(listed.into_iter().map(|(_, access)| access));
            let share = 1.0 / all.len() as f64;
            for mut unlisted in unlisted {
                unlisted.expected = unlisted.expected * share;
                all_unlisted.push(unlisted);
            }
        }
        Ok(Self { accesses, unlisted: all_unlisted, expected, area: *area, n_pairs: area.n_pairs() })
    }

    /// With everything listed.
    pub fn listed(&self, encoded: &Encoded, program: &Program, control: &Control) -> Result<Cow<'_, Self>> {
        self.listed_unless(encoded, program, |_| false, control)
    }

    /// The same for a device that lists some of it itself.
    pub(crate) fn listed_unless(
        &self,
        encoded: &Encoded,
        program: &Program,
        is_left: impl Fn(&By) -> bool,
        control: &Control,
    ) -> Result<Cow<'_, Self>> {
        if self.unlisted.iter().all(|unlisted| is_left(&unlisted.by)) {
            return Ok(Cow::Borrowed(self));
        }
        let mut task = Self { unlisted: Vec::new(), ..self.clone() };
        for unlisted in &self.unlisted {
            if is_left(&unlisted.by) {
                task.unlisted.push(unlisted.clone());
                continue;
            }
            let accesses = unlisted.listed(encoded, program, control)?;
            let sum: f64 = accesses.iter().map(n_looked_at).sum();
            let expected = accesses.iter().map(|access| unlisted.expected * (n_looked_at(access) / sum));
            task.expected.extend(expected);
            task.accesses.extend(accesses);
        }
        Ok(Cow::Owned(task))
    }

    /// The pairs of records that it puts beside each other, as far as its lists tell.
    pub fn compared(&self, program: &Program) -> Compared {
        let listed = self.accesses.iter().map(Access::compared);
        Self::by_paths(program, listed.chain(self.unlisted.iter().map(Unlisted::compared)))
    }

    /// What the accesses of some paths come to. One path has no pair twice, and several may.
    pub fn by_paths(program: &Program, compared: impl Iterator<Item = Compared>) -> Compared {
        let sum = compared.fold(Compared::default(), Add::add);
        sum.of(sum.most, program.paths().len() <= 1)
    }

    /// What it is expected to take.
    pub fn taking(&self) -> Taking {
        let unlisted = self.unlisted.iter().map(|unlisted| unlisted.expected);
        self.expected.iter().copied().chain(unlisted).sum()
    }

    /// The milliseconds that it is expected to take where the plan was made for.
    pub fn milliseconds(&self) -> f64 {
        self.taking().planned
    }

    /// Whether it pays to have a CPU do some of it, beside the GPU that it was planned for: its threads then have to list what
    /// both look at, and tasks of an overlap join are more work than the whole.
    pub fn pays_beside(&self) -> bool {
        let kept = |access: &Access| matches!(access, Access::Overlap(_));
        let both = self.accesses.iter().zip(&self.expected);
        let slowed: f64 = both.map(|(access, it)| if kept(access) { it.planned } else { it.of_host }).sum();
        let slowed = slowed + self.unlisted.iter().map(|unlisted| unlisted.expected.of_host).sum::<f64>();
        let Taking { planned, beside, .. } = self.taking();
        let together = (planned + slowed) / (1.0 + planned / beside);
        together < WORTH_IT * planned
    }

    /// A name for it, as one of so many that the same job is always cut into.
    pub(crate) fn name(&self, nth: usize, n: usize) -> String {
        let Area { left_from, left_upto, right_from, right_upto, half } = self.area;
        // What it looks at is in what it is expected to take.
        let bits = self.expected.iter().map(|taking| taking.planned.to_bits());
        let sum = bits.fold(self.n_pairs, |sum, bits| sum.rotate_left(7) ^ bits);
        format!("{left_from}-{left_upto}-{right_from}-{right_upto}-{half}-{nth}-{n}-{sum:016x}")
    }

    /// As about `n` tasks that take about as long as each other: of large accesses shares, of small ones several together.
    pub fn cut(self, n: usize) -> Vec<Self> {
        if n <= 1 || self.accesses.len() + self.unlisted.len() == 0 {
            return vec![self];
        }
        let (area, n_pairs, sum) = (self.area, self.n_pairs, self.milliseconds());
        let each = (sum / n as f64).max(f64::MIN_POSITIVE);
        let mut tasks: Vec<Self> = Vec::new();
        for unlisted in self.unlisted {
            let (accesses, expected) = (Vec::new(), Vec::new());
            tasks.push(Self { accesses, unlisted: vec![unlisted], expected, area, n_pairs: 0 });
        }
        for (access, expected) in self.accesses.into_iter().zip(self.expected) {
            let n_parts = (expected.planned / each).round().max(1.0) as usize;
            let parts = access.parts(n_parts);
            let own: f64 = parts.iter().map(n_looked_at).sum();
            for part in parts {
                let expected = expected * (n_looked_at(&part) / own);
                // Small ones join the last, if that is not full.
                match tasks.last_mut().filter(|last| last.milliseconds() + expected.planned <= each) {
                    Some(last) => {
                        last.accesses.push(part);
                        last.expected.push(expected);
                    }
                    None => {
                        tasks.push(Self {
                            accesses: vec![part],
                            unlisted: Vec::new(),
                            expected: vec![expected],
                            area,
                            n_pairs: 0,
                        });
                    }
                }
            }
        }
        // All pairs are told of, by one task or another.
        let n_tasks = tasks.len() as u64;
        for (task, nth) in tasks.iter_mut().zip(0u64..) {
            let upto = |nth: u64| (u128::from(n_pairs) * u128::from(nth) / u128::from(n_tasks)) as u64;
            task.n_pairs = upto(nth + 1) - upto(nth);
        }
        tasks
    }
}

/// About how much an access looks at, beside others of its kind.
fn n_looked_at(access: &Access) -> f64 {
    1.0 + match access {
        Access::Sweep(sweep) => sweep.n_pairs() as f64,
        Access::Join(join) => (join.left.rows.len() + join.right.rows.len()) as f64 + join.n_pairs as f64,
        Access::Overlap(join) => {
            (f64::from(join.lists[0].len()) + f64::from(join.lists[1].len())) * join.share.part()
        }
    }
}

impl Access {
    /// As `n` shares or so, none of them empty.
    fn parts(self, n: usize) -> Vec<Self> {
        match self {
            _ if n <= 1 => vec![self],
            Self::Sweep(sweep) => {
                sweep.parts(sweep.n_pairs().div_ceil(n as u64)).into_iter().map(Self::Sweep).collect()
            }
            Self::Join(join) => join.parts(n).into_iter().map(Self::Join).collect(),
            Self::Overlap(join) => {
                let shares = join.share.cut(n as u32).into_iter();
                shares.map(|share| Self::Overlap(OverlapJoin { share, ..join.clone() })).collect()
            }
        }
    }
}

impl KeyJoin {
    /// Keys in `n` shares by their hashes; where a share has far more pairs than others, its left records in several.
    fn parts(self, n: usize) -> Vec<Self> {
        let is_self = self.order() == Order::Unordered;
        let share = move |key: u32| ((u64::from(hash(key)) * n as u64) >> u32::BITS) as usize;
        let lefts = self.left.divided(n, &share);
        let rights = if is_self { Vec::new() } else { self.right.divided(n, &share) };
        let n_pairs = self.n_pairs_by(n, &share);
        // Keys that were divided already may all be in one share.
        let most = (self.n_pairs.saturating_mul(3) / (2 * n as u64)).max(1);
        let mut parts = Vec::new();
        for (nth, left) in lefts.into_iter().enumerate().filter(|(nth, _)| n_pairs[*nth] > 0) {
            let left = Arc::new(left);
            let right = if is_self { left.clone() } else { Arc::new(rights[nth].clone()) };
            let n_chunks = n_pairs[nth].div_ceil(most).min(left.rows.len() as u64).min(MOST_RECTANGLES);
            if n_chunks <= 1 {
                parts.push(Self { left, right, n_pairs: n_pairs[nth], ..self.clone() });
                continue;
            }
            // Of one list with itself, a pair counts where its smaller record is on the left.
            let order = if is_self { Order::Ascending } else { self.order() };
            let settings = Settings { order, ..self.settings };
            let chunk = left.rows.len().div_ceil(n_chunks as usize);
            for (keys, rows) in left.keys.chunks(chunk).zip(left.rows.chunks(chunk)) {
                let left = Arc::new(KeyList { keys: keys.to_vec(), rows: rows.to_vec() });
                let n_pairs = n_pairs[nth].div_ceil(n_chunks);
                parts.push(Self { left, right: right.clone(), settings, n_pairs, ..self.clone() });
            }
        }
        parts
    }

    /// By share of the keys: how many pairs of records have the same one.
    fn n_pairs_by(&self, n: usize, share: &(dyn Fn(u32) -> usize + Sync)) -> Vec<u64> {
        let n_keys = self.left.keys.par_iter().max().map_or(0, |&key| key as usize + 1);
        let counted = |list: &KeyList| {
            let counts: Vec<AtomicU32> = (0..n_keys).into_par_iter().map(|_| AtomicU32::new(0)).gather();
            list.keys.par_iter().filter_map(|&key| counts.get(key as usize)).for_each(|count| {
                count.fetch_add(1, Relaxed);
            });
            counts
        };
        let is_self = self.order() == Order::Unordered;
        let lefts = counted(&self.left);
        let rights = if is_self { Vec::new() } else { counted(&self.right) };
        let added = |mut n_pairs: Vec<u64>, key: usize| {
            let left = u64::from(lefts[key].load(Relaxed));
            n_pairs[share(key as u32)] += match rights.get(key) {
                Some(right) => left * u64::from(right.load(Relaxed)),
                None => left * left.saturating_sub(1) / 2,
            };
            n_pairs
        };
        let summed = |mut a: Vec<u64>, b: Vec<u64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        (0..n_keys).into_par_iter().fold(|| vec![0; n], added).reduce(|| vec![0; n], summed)
    }
}

impl KeyList {
    /// In `n` lists, by what share a key is of; each in the order of this one.
    fn divided(&self, n: usize, share: &(dyn Fn(u32) -> usize + Sync)) -> Vec<Self> {
        let chunk = self.keys.len().div_ceil(threads::n_threads()).max(LEAST_CHUNK);
        let dealt = |(keys, rows): (&[u32], &[u32])| {
            let mut parts = vec![Self::default(); n];
            for (&key, &row) in keys.iter().zip(rows) {
                let part = &mut parts[share(key)];
                part.keys.push(key);
                part.rows.push(row);
            }
            parts
        };
        let chunks = self.keys.par_chunks(chunk).zip(self.rows.par_chunks(chunk));
        let chunks: Vec<Vec<Self>> = chunks.map(dealt).collect();
        let joined = |nth: usize| Self {
            keys: chunks.iter().flat_map(|parts| &parts[nth].keys).copied().collect(),
            rows: chunks.iter().flat_map(|parts| &parts[nth].rows).copied().collect(),
        };
        (0..n).into_par_iter().map(joined).gather()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ScanOptions;
    use crate::plan::join::JoinMethod;
    use crate::plan::overlap::BlockShare;
    use crate::plan::path::KeyMethod;
    use hyperblock_shared::screen::Screen;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn list(keys: &[u32]) -> Arc<KeyList> {
        Arc::new(KeyList { keys: keys.to_vec(), rows: (0..keys.len() as u32).rev().collect() })
    }

    fn settings(order: Order) -> Settings {
        Settings {
            screen: Screen::Codes,
            order,
            lead: 0,
            lead_step: 0,
            from: 0,
            upto: 1,
            stretch: 32,
            policy: ScanOptions::default().policy,
            queue: true,
            is_decided: true,
        }
    }

    /// The pairs that a join looks at, as its order counts them.
    fn pairs(join: &KeyJoin) -> Vec<(u32, u32)> {
        let is_self = join.order() == Order::Unordered;
        let of = |list: &KeyList| -> Vec<(u32, u32)> {
            list.keys.iter().copied().zip(list.rows.iter().copied()).collect()
        };
        let (lefts, rights) = (of(&join.left), of(&join.right));
        let mut all = Vec::new();
        for &(left_key, left) in &lefts {
            for &(right_key, right) in &rights {
                let counts = !is_self || left < right;
                if left_key == right_key && counts {
                    all.extend(join.order().pair(left, right));
                }
            }
        }
        all
    }

    #[test]
    fn shares_of_blocks_are_cut_again_and_again() {
        for n in [2, 3, 16, 40] {
            let mut shares = vec![BlockShare::WHOLE];
            for by in [n, 2, 2, 2] {
                shares = shares.into_iter().flat_map(|share| share.cut(by)).collect();
                for ix in 0..500 {
                    assert_eq!(shares.iter().filter(|share| share.has(ix)).count(), 1, "{ix}: {shares:?}");
                }
            }
            assert!(shares.len() >= n as usize);
        }
    }

    proptest! {
        #[test]
        fn each_pair_of_a_join_is_in_one_part(
            lefts in vec(prop_oneof![0u32..3, 0u32..40], 0..60),
            rights in vec(prop_oneof![0u32..3, 0u32..40], 0..60),
            order in 0u32..3,
            n in 1usize..20,
        ) {
            let order = Order::from_number(order);
            let left = list(&lefts);
            let right = match order {
                Order::Unordered => left.clone(),
                Order::AsTheyAre | Order::Ascending => list(&rights),
            };
            let mut join = KeyJoin {
                left,
                right,
                settings: settings(order),
                method: JoinMethod::Skew,
                found_by: KeyMethod::Hash,
                predicates: Vec::new(),
                is_same_value: false,
                n_keys: 40,
                n_pairs: 0,
            };
            join.n_pairs = join.n_pairs_by(1, &|_| 0)[0];
            let expected: BTreeSet<(u32, u32)> = pairs(&join).into_iter().collect();
            let mut seen = BTreeSet::new();
            for pair in join.parts(n).iter().flat_map(pairs) {
                prop_assert!(seen.insert(pair), "{:?} twice", pair);
            }
            prop_assert_eq!(seen, expected);
        }
    }
}
