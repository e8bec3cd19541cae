//! What happens to an accident that two offices write down.
//!
//! Most often the second gives it an index of its own, estimates the time, measures the place again, and has the road's
//! name by ear. Now and then a code is another one, a column is left empty, or a date has its day and month swapped.

use super::accident::{Accident, Date, date, index, junction, weather};
use super::roads::{N_AUTHORITIES, N_FORCES, near};
use super::slips::{drop_word, typo};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

const ABBREVIATED: [(&str, &str); 10] = [
    ("Road", "Rd"),
    ("Street", "St"),
    ("Lane", "Ln"),
    ("Avenue", "Ave"),
    ("Motorway", "Mway"),
    ("Drive", "Dr"),
    ("Crescent", "Cres"),
    ("Place", "Pl"),
    ("Gardens", "Gdns"),
    ("Close", "Cl"),
];

/// The accident as another office wrote it down.
pub(super) fn copy(accident: &Accident, rng: &mut ChaCha8Rng) -> Accident {
    let mut copy = accident.clone();
    reindex(&mut copy, rng);
    redate(&mut copy, rng);
    rename(&mut copy.name, rng);
    match rng.random_range(0..100u32) {
        0..45 => copy.point = copy.point.map(|point| near(point, 15, rng)),
        45..53 => copy.point = copy.point.map(|point| near(point, 250, rng)),
        // To the square of a map.
        53..57 => copy.point = copy.point.map(|point| point.map(|metres| metres / 100 * 100)),
        57..60 => copy.point = None,
        _ => {}
    }
    let another = |n: usize, rng: &mut ChaCha8Rng| rng.random_range(1..=n as u32);
    change(&mut copy.force, 0.02, rng, |_, rng| another(N_FORCES, rng));
    change(&mut copy.authority, 0.04, rng, |_, rng| another(N_AUTHORITIES, rng));
    change(&mut copy.class, 0.04, rng, |class, _| class % 6 + 1);
    change(&mut copy.number, 0.04, rng, |number, rng| number / 10 * 10 + rng.random_range(0..10));
    change(&mut copy.junction, 0.10, rng, |_, rng| junction(rng));
    change(&mut copy.speed_limit, 0.05, rng, |limit, _| if limit < 60 { limit + 10 } else { 50 });
    change(&mut copy.severity, 0.05, rng, |severity, _| if severity == 3 { 2 } else { 3 });
    change(&mut copy.vehicles, 0.05, rng, |vehicles, _| vehicles + 1);
    change(&mut copy.casualties, 0.07, rng, |casualties, _| casualties + 1);
    change(&mut copy.weather, 0.10, rng, |_, rng| weather(rng));
    copy
}

/// With this probability another code; with a third of it none.
fn change(
    code: &mut Option<u32>,
    probability: f64,
    rng: &mut ChaCha8Rng,
    other: impl FnOnce(u32, &mut ChaCha8Rng) -> u32,
) {
    if rng.random_bool(probability / 3.0) {
        *code = None;
    } else if rng.random_bool(probability) {
        *code = code.map(|code| other(code, rng));
    }
}

fn reindex(copy: &mut Accident, rng: &mut ChaCha8Rng) {
    match rng.random_range(0..100u32) {
        0..40 => {
            let year = copy.date.map_or(0, |[year, ..]| year);
            copy.index = index(year, copy.force.unwrap_or_default(), rng);
        }
        40..55 => typo(&mut copy.index, rng),
        55..65 => copy.index.clear(),
        _ => {}
    }
}

fn redate(copy: &mut Accident, rng: &mut ChaCha8Rng) {
    match rng.random_range(0..100u32) {
        0..6 => copy.date = Some(date(copy.day + rng.random_range(1..=3u32))),
        6..9 => copy.date = copy.date.map(swapped),
        9..11 => copy.date = None,
        _ => {}
    }
    match rng.random_range(0..100u32) {
        // To the quarter of an hour.
        0..15 => copy.minute = copy.minute.map(|minute| minute / 15 * 15),
        15..30 => {
            copy.minute = copy.minute.map(|minute| (minute + rng.random_range(1..=20)).min(24 * 60 - 1))
        }
        30..33 => copy.minute = None,
        _ => {}
    }
}

/// Day and month the wrong way round, where that is a date too.
fn swapped([year, month, day]: Date) -> Date {
    if day <= 12 { [year, day, month] } else { [year, month, day] }
}

fn rename(name: &mut String, rng: &mut ChaCha8Rng) {
    if rng.random_bool(0.2) {
        let short = ABBREVIATED.iter().find(|(long, _)| name.ends_with(long));
        if let Some((long, short)) = short {
            name.truncate(name.len() - long.len());
            name.push_str(short);
        }
    }
    for probability in [0.3, 0.1] {
        if rng.random_bool(probability) {
            typo(name, rng);
        }
    }
    match rng.random_range(0..100u32) {
        0..4 => drop_word(name, rng),
        4..8 => name.make_ascii_uppercase(),
        8..11 => name.clear(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{copy, swapped};
    use crate::r#gen::accident::Accident;
    use crate::r#gen::roads::Roads;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn most_of_it_stays() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let roads = Roads::new(1_000, &mut rng);
        let (n_copies, mut n_same, mut least) = (2_000, 0, usize::MAX);
        for _ in 0..n_copies {
            let accident = Accident::draw(&roads, &mut rng);
            let columns = [accident.clone(), copy(&accident, &mut rng)].map(|accident| {
                let mut row = Vec::new();
                accident.write(&mut row).expect("memory can be written");
                String::from_utf8(row).expect("it is text")
            });
            let [one, other] = &columns;
            let n_columns = one.split(',').zip(other.split(',')).filter(|(one, other)| one == other).count();
            n_same += usize::from(one == other);
            least = least.min(n_columns);
        }
        assert!(n_same < n_copies / 20, "{n_same} of {n_copies} copies are exact");
        assert!(least >= 4, "a copy has {least} columns of 17 left");
    }

    #[test]
    fn what_is_swapped_is_a_date() {
        assert_eq!(swapped([1999, 3, 12]), [1999, 12, 3]);
        assert_eq!(swapped([1999, 3, 13]), [1999, 3, 13]);
    }
}
