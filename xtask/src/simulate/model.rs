//! A made-up machine: GPUs that take tasks from the dealer, links that bring columns there and runs back, and a host that
//! takes runs one after the other.

use hyperblock::device::{Dealer, Next, Schedule, Speed};

/// How columns come to the GPUs, and candidates back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Link {
    /// Each GPU has sixteen lanes of PCIe 4.0, and the host feeds two of them at once.
    Pcie,
    /// The first GPU has its columns by PCIe, the others have copies from there by NVLink.
    Nvlink,
}

/// Bytes a second that arrive, about four fifths of what is on paper.
const PCIE: f64 = 25e9;
const NVLINK: f64 = 360e9;
/// GPUs that the host's memory feeds at full speed.
const FED: f64 = 2.0;
/// Candidates a second that the host puts in order, once they are runs.
const MERGED: f64 = 100e6;
/// Bytes of a candidate.
const CANDIDATE: f64 = 12.0;

impl Link {
    pub(super) const ALL: [Self; 2] = [Self::Pcie, Self::Nvlink];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pcie => "pcie",
            Self::Nvlink => "nvlink",
        }
    }

    /// When each of so many GPUs has the columns.
    fn loaded(self, n_gpus: u32, n_bytes: f64) -> f64 {
        match self {
            Self::Pcie => n_bytes / PCIE * (f64::from(n_gpus) / FED).max(1.0),
            Self::Nvlink => n_bytes / PCIE + if n_gpus > 1 { n_bytes / NVLINK } else { 0.0 },
        }
    }
}

/// A task as it was recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    /// As it was expected, in milliseconds.
    pub(super) expected: f64,
    /// Seconds.
    pub(super) took: f64,
    pub(super) n_candidates: u64,
}

/// The seconds from the first byte to the last run, by so many GPUs.
pub(super) fn simulate(
    tasks: &[Recorded],
    n_gpus: u32,
    schedule: Schedule,
    link: Link,
    column_bytes: u64,
) -> f64 {
    let expected = tasks.iter().map(|task| [task.expected; 2]).collect();
    let mut dealer = Dealer::new(schedule, expected, &vec![Speed::PLANNED; n_gpus as usize]);
    let mut now = link.loaded(n_gpus, column_bytes as f64);
    // By GPU: the task it has, and when it is done.
    let mut busy: Vec<Option<(usize, f64)>> = vec![None; n_gpus as usize];
    let mut host_free = now;
    loop {
        // Whoever is free asks, again and again, for what one takes may leave something to another.
        let mut has_asked = true;
        while std::mem::take(&mut has_asked) {
            for (gpu, slot) in busy.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
                if let Next::Task(task) = dealer.next(gpu) {
                    let back = tasks[task].n_candidates as f64 * CANDIDATE / PCIE;
                    *slot = Some((task, now + tasks[task].took + back));
                    has_asked = true;
                }
            }
        }
        let ends = busy.iter().enumerate().filter_map(|(gpu, slot)| Some((gpu, (*slot)?)));
        let Some((gpu, (task, end))) = ends.min_by(|a, b| a.1.1.total_cmp(&b.1.1)) else { break };
        now = end;
        busy[gpu] = None;
        dealer.done(gpu, tasks[task].took * 1e3);
        host_free = host_free.max(now) + tasks[task].n_candidates as f64 / MERGED;
    }
    now.max(host_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn even(n: usize) -> Vec<Recorded> {
        vec![Recorded { expected: 1.0, took: 0.1, n_candidates: 0 }; n]
    }

    #[test]
    fn even_tasks_scale_with_gpus() {
        for schedule in [Schedule::Steal, Schedule::BoundedHash, Schedule::EvenSplit, Schedule::RoundRobin] {
            for (n_gpus, seconds) in [(1, 1.6), (2, 0.8), (4, 0.4), (8, 0.2), (32, 0.1)] {
                let took = simulate(&even(16), n_gpus, schedule, Link::Nvlink, 0);
                assert!((took - seconds).abs() < 1e-9, "{schedule}, {n_gpus} GPUs: {took}");
            }
        }
    }

    #[test]
    fn one_long_task_is_a_floor() {
        let mut tasks = even(15);
        tasks.push(Recorded { expected: 10.0, took: 1.0, n_candidates: 0 });
        let took = simulate(&tasks, 8, Schedule::Steal, Link::Pcie, 0);
        assert!((took - 1.0).abs() < 1e-9, "{took}");
        // Who deals without looking begins it last.
        assert!(simulate(&tasks, 2, Schedule::EvenSplit, Link::Pcie, 0) > 1.5);
    }

    #[test]
    fn columns_are_brought_once_by_nvlink() {
        let bytes = 25_000_000_000;
        let by = |link| simulate(&even(8), 8, Schedule::Steal, link, bytes);
        assert!((by(Link::Pcie) - 4.1).abs() < 1e-6, "{}", by(Link::Pcie));
        assert!((by(Link::Nvlink) - 1.1 - 25.0 / 360.0).abs() < 1e-6, "{}", by(Link::Nvlink));
    }
}
