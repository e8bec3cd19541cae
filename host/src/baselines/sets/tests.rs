//! What is refused, and what prefixes are; that baselines are exact is shown beside the engine's own join.

use super::prefix::Need;
use super::*;
use hyperblock_shared::measure::ArchivedAsked;
use hyperblock_shared::measure::of_sets::ArchivedOfSets;
use hyperblock_shared::threshold::ArchivedThreshold;

fn similar(by: ArchivedOfSets, tenths: u32, strict: bool) -> ArchivedMeasure {
    let threshold = ArchivedThreshold { digits: tenths.into(), scale: 10.into(), strict };
    ArchivedMeasure::Sets { sets: 0.into(), by, asked: ArchivedAsked::Similarity(threshold) }
}

/// A set of ten, under a Jaccard similarity of 0.8: it meets sets of 8 or more, and needs 9 of 10 in common with its equals.
#[test]
fn prefixes_are_those_of_the_papers() {
    let (jaccard, none) = (similar(ArchivedOfSets::Jaccard, 8, false), Sets::default());
    let need = Need::of(&Ordered::new(&none, &jaccard), 10).unwrap();
    assert_eq!((need.smallest, need.probing, need.indexed), (8, 3, 2));
    assert_eq!([8, 9, 10].map(|size| need.least(size)), [8, 9, 9]);
    // √(10 · 7) · 0.8 is below 7, √(10 · 6) · 0.8 above 6.
    let cosine = similar(ArchivedOfSets::Cosine, 8, false);
    let need = Need::of(&Ordered::new(&none, &cosine), 10).unwrap();
    assert_eq!((need.smallest, need.probing, need.indexed), (7, 4, 3));
    let more_than_equal = similar(ArchivedOfSets::Dice, 10, true);
    assert!(Need::of(&Ordered::new(&none, &more_than_equal), 10).is_none());
}

#[test]
fn other_measures_are_refused_and_joins_can_be_cancelled() {
    let sets = Sets::new([&[1, 2][..], &[1, 2]]);
    let (jaccard, control) = (similar(ArchivedOfSets::Jaccard, 5, false), Control::default());
    for baseline in Baseline::ALL {
        assert_eq!(baseline.count(&sets, &jaccard, &control).unwrap(), 1);
        assert!(matches!(baseline.count(&sets, &ArchivedMeasure::Equal, &control), Err(Error::Job(_))));
    }
    control.cancel();
    for baseline in Baseline::ALL {
        assert!(matches!(baseline.count(&sets, &jaccard, &control), Err(Error::Interrupted)));
    }
}

#[test]
fn names_are_read_as_they_are_written() {
    for &baseline in Baseline::ALL {
        assert_eq!(baseline.to_string().parse(), Ok(baseline));
    }
    assert_eq!("ppjoin+".parse::<Baseline>().unwrap_err(), "expected all-pairs, ppjoin or gssjoin");
}
