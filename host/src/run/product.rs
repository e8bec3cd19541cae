//! All pairs of records, as they are: the product of two tables, or of a table with itself.

use crate::base::compared::Compared;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::plan::partition::Area;
use hyperblock_shared::layout::Candidate;

/// Pairs that are handed on at once (50 MB).
const AT_ONCE: usize = 1 << 22;

/// Hands on the pairs of an area in order, as candidates of the first rule.
pub fn product(
    area: &Area,
    control: &Control,
    sink: &mut dyn FnMut(&[Candidate]) -> Result<()>,
) -> Result<()> {
    let at_once = control.budget().at_once(AT_ONCE);
    let mut pairs = Vec::with_capacity(at_once.min(area.n_pairs() as usize));
    let mut hand_on = |pairs: &mut Vec<Candidate>| {
        control.check()?;
        sink(pairs)?;
        control.advance(pairs.len() as u64);
        control.compare(Compared::exactly(pairs.len() as u64));
        pairs.clear();
        Ok(())
    };
    for left in area.left_from..area.left_upto {
        let first = if area.half == 1 { area.right_from.max(left + 1) } else { area.right_from };
        for right in first..area.right_upto {
            pairs.push(Candidate { left, right, rule: 0 });
            if pairs.len() == at_once {
                hand_on(&mut pairs)?;
            }
        }
    }
    hand_on(&mut pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::partition::whole;

    #[test]
    fn every_pair_once_and_in_order() {
        for (n_left, n_right, half) in
            [(0, 0, true), (1, 1, true), (70, 70, true), (3, 40, false), (0, 3, false)]
        {
            let (mut found, control) = (Vec::new(), Control::default());
            let area = whole(n_left, n_right, half);
            product(&area, &control, &mut |pairs| {
                found.extend(pairs.iter().map(|pair| (pair.left, pair.right)));
                Ok(())
            })
            .unwrap();
            let all = (0..n_left).flat_map(|left| (0..n_right).map(move |right| (left, right)));
            assert_eq!(found, all.filter(|(left, right)| !half || left < right).collect::<Vec<_>>());
            assert_eq!((area.n_pairs(), control.n_compared()), (found.len() as u64, found.len() as u64));
        }
    }

    #[test]
    fn more_than_are_handed_on_at_once() {
        let (mut n, mut last, mut n_parts) = (0, None, 0);
        product(&whole(3000, 3000, true), &Control::default(), &mut |pairs| {
            assert!(pairs.len() <= AT_ONCE && pairs.first().copied() > last);
            (n, last, n_parts) = (n + pairs.len(), pairs.last().copied(), n_parts + 1);
            Ok(())
        })
        .unwrap();
        assert_eq!((n, n_parts), (3000 * 2999 / 2, 2));
    }
}
