//! Joins against a naive one: all backends, both methods, counted and written, of two sides and of one.

use hyperblock::device::cpu::Cpu;
use hyperblock::operators::Backend;
use hyperblock::plan::join::Method;
use hyperblock_tests::joins::{JoinCase, cases};
use hyperblock_tests::threads::KernelOnThreads;
use proptest::prelude::*;

fn assert_exact(case: &JoinCase, device: &dyn Backend) {
    case.assert_exact(device);
}

#[test]
fn cpu() {
    for n_rows in [0, 1, 40, 700] {
        for case in cases(n_rows) {
            assert_exact(&case, &Cpu::new());
        }
    }
}

#[test]
fn kernels_on_threads() {
    let device = KernelOnThreads::new(32, 2, 1 << 12);
    // Rows of one key fill more than what a block builds at once, which is 128.
    for case in cases(135) {
        assert_exact(&case, &device);
    }
}

/// Enough rows for heavy keys, as the CPU's sample finds them.
#[test]
fn cpu_with_heavy_keys() {
    let left = (0..2600).map(|ix| if ix < 2300 { 1 } else { ix }).collect();
    let case = JoinCase::new("a heavy key", left, (0..300).map(|ix| ix % 2 + ix / 100).collect());
    assert_exact(&case, &Cpu::new());
}

/// A product of whole units, which are written two pairs at a time, from an even place and from an odd one.
#[test]
fn whole_products_on_threads() {
    let device = KernelOnThreads::new(64, 1, 1 << 12);
    for n_singles in [0, 1] {
        let mut left = vec![7; 65];
        left.extend((0..n_singles).map(|ix| 100 + ix));
        let mut right = vec![7; 2050];
        right.extend((0..n_singles).map(|ix| 100 + ix));
        // Other ways take long, and have no units.
        JoinCase::new("whole units", left, right).assert_exact_by(&[Method::Skew], &device);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cpu_on_random_keys(
        left in prop::collection::vec(0u32..50, 0..400),
        right in prop::collection::vec(0u32..60, 0..400),
    ) {
        assert_exact(&JoinCase::new("random", left, right), &Cpu::new());
    }
}
