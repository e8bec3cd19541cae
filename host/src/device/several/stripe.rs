//! Stripes: things that stand in a row, cut where it suits.

use super::dealer::Expected;
use super::round::Part;
use std::ops::Range;

/// Some of them, each of which takes about as long.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stripe {
    pub(super) range: Range<usize>,
    /// What one is expected to take.
    pub(super) milliseconds: f64,
    /// What becomes of them.
    pub(super) kind: &'static str,
}

impl Part for Stripe {
    fn kind(&self) -> Option<&'static str> {
        Some(self.kind)
    }

    fn expected(&self) -> Expected {
        [self.range.len() as f64 * self.milliseconds; 2]
    }

    /// Half of what a GPU takes for it is for its host to receive what was made.
    fn pays_beside(&self) -> bool {
        false
    }

    fn cut(self, n: usize) -> Vec<Self> {
        let Self { range, milliseconds, kind } = self;
        let n = n.clamp(1, range.len().max(1));
        let cut = |nth: usize| range.start + (range.len() as u128 * nth as u128 / n as u128) as usize;
        (0..n).map(|nth| Self { range: cut(nth)..cut(nth + 1), milliseconds, kind }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stripes_make_up_all(start in 0usize..1000, len in 0usize..1000, n in 0usize..50) {
            let whole = Stripe { range: start..start + len, milliseconds: 1.0, kind: "score" };
            let stripes = whole.clone().cut(n);
            prop_assert!(stripes.len() <= n.max(1));
            let all: Vec<usize> = stripes.into_iter().flat_map(|stripe| stripe.range).collect();
            prop_assert_eq!(all, whole.range.collect::<Vec<_>>());
        }
    }
}
