//! A chained hash table, and what Cbase joins two partitions by: for every hit, the keys are compared.

use super::{Sink, Tuple};

/// Heads of chains, and for each left tuple the next one of its chain; both by place from 1 on, 0 ends a chain. Kept from one
/// partition to the next.
#[derive(Default)]
pub(super) struct Chained {
    heads: Vec<u32>,
    next: Vec<u32>,
}

impl Chained {
    /// Joins two partitions whose keys are alike in the bits below `shift`.
    pub(super) fn join(&mut self, left: &[Tuple], right: &[Tuple], shift: u32, sink: &mut impl Sink) {
        if left.is_empty() || right.is_empty() {
            return;
        }
        let n_heads = left.len().next_power_of_two();
        let head = |key: u32| (u64::from(key) >> shift) as usize & (n_heads - 1);
        self.heads.clear();
        self.heads.resize(n_heads, 0);
        self.next.clear();
        self.next.resize(left.len(), 0);
        for (place, tuple) in (1..).zip(left) {
            self.next[place as usize - 1] = std::mem::replace(&mut self.heads[head(tuple.key)], place);
        }
        for probe in right {
            let mut place = self.heads[head(probe.key)] as usize;
            while place > 0 {
                let tuple = left[place - 1];
                if tuple.key == probe.key {
                    sink.pair(tuple.row, probe.row);
                }
                place = self.next[place - 1] as usize;
            }
        }
    }
}
