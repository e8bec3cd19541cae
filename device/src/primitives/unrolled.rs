//! Loops that the compiler is to write out: arrays that they index then stay in registers.

/// Calls `step` with 0, 1 and so on, `N` times, at most 16.
#[inline(always)]
pub(crate) fn unrolled<const N: usize>(mut step: impl FnMut(usize)) {
    const { assert!(N <= 16) };
    macro_rules! steps {
        ($($nth:literal)*) => {
            $(
                if $nth < N {
                    step($nth);
                }
            )*
        };
    }
    steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}
