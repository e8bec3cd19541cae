//! Which pairs are in a report, and how many: some of each rule, those nearest to the threshold, some errors, and those to be labelled.

/// Pairs that are drawn from candidates, by rule.
pub(super) const DRAWN: usize = 150;
/// Pairs near the threshold.
pub(super) const NEAR: usize = 60;
/// Of pairs that are missed, and of those that are wrong, each.
pub(super) const ERRORS: usize = 60;
/// The most pairs that are to be labelled.
pub const MOST_LABELS: usize = 2000;

/// How much of everything is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Pairs that are drawn from candidates.
    pub(super) drawn: usize,
    /// Pairs near the threshold.
    pub(super) near: usize,
    /// Of errors of a kind.
    pub(super) errors: usize,
    /// Pairs to be labelled.
    pub(super) labels: usize,
    /// Characters of a value.
    pub(super) characters: usize,
}

/// From what is shown where there is room, to less and less: values are cut first, then what is there to be looked at, and labels last.
pub(super) fn sizes(labels: usize) -> impl Iterator<Item = Size> {
    let whole = Size { drawn: DRAWN, near: NEAR, errors: ERRORS, labels, characters: 200 };
    let cut = [200, 100, 60].map(|characters| Size { characters, ..whole });
    let fewer = (1..4).map(move |halved| Size {
        drawn: DRAWN >> halved,
        near: NEAR >> halved,
        errors: ERRORS >> halved,
        characters: 60,
        ..whole
    });
    let least = Size { drawn: 10, near: 10, errors: 10, characters: 40, ..whole };
    let fewest = (0..12).map(move |halved| Size { labels: labels >> halved, ..least });
    cut.into_iter().chain(fewer).chain(fewest)
}

/// How many of each, if so many are to be drawn in all, as evenly as there are.
pub(super) fn evenly(n: usize, counts: &[u64]) -> Vec<usize> {
    let mut shares = vec![0; counts.len()];
    let mut left = n;
    loop {
        let open: Vec<usize> = (0..counts.len()).filter(|&ix| (shares[ix] as u64) < counts[ix]).collect();
        if left == 0 || open.is_empty() {
            return shares;
        }
        let each = (left / open.len()).max(1);
        for ix in open {
            let more = each.min(left).min((counts[ix] - shares[ix] as u64) as usize);
            shares[ix] += more;
            left -= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_even_and_come_to_all() {
        assert_eq!(evenly(10, &[100, 2, 100]), [4, 2, 4]);
        assert_eq!(evenly(10, &[1, 2]), [1, 2]);
        assert_eq!(evenly(2, &[5, 5, 5]), [1, 1, 0]);
        assert_eq!(evenly(5, &[]), [0; 0]);
    }

    #[test]
    fn there_is_less_and_less() {
        let all: Vec<Size> = sizes(300).collect();
        let is_less =
            |a: &Size, b: &Size| b.drawn <= a.drawn && b.labels <= a.labels && b.characters <= a.characters;
        assert!(all.windows(2).all(|two| is_less(&two[0], &two[1])));
        assert_eq!(all.last().map(|size| size.labels), Some(0));
    }
}
