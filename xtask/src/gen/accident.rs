//! One accident, as the police wrote it down.
//!
//! It happens on a road, mostly at one of its junctions; more often on Fridays than on Sundays, and at the hours in which
//! people drive to work and home. Minutes are mostly multiples of five, since somebody estimated them.

use super::roads::{Point, Road, Roads, near};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::io::{self, Write};

/// The columns after `id`.
pub(super) const COLUMNS: [&str; 16] = [
    "accident_index",
    "date",
    "time",
    "police_force",
    "local_authority",
    "road_class",
    "road_number",
    "road_name",
    "junction",
    "speed_limit",
    "easting",
    "northing",
    "severity",
    "vehicles",
    "casualties",
    "weather",
];

const FIRST_YEAR: u32 = 1979;
const N_YEARS: u32 = 37;
/// Of the days from Monday on, how often one is taken of ten times that it is drawn. 1979 began with a Monday.
const WEEKDAYS: [u32; 7] = [8, 8, 8, 9, 10, 8, 6];
/// By hour of the day.
const HOURS: [u32; 24] = [2, 1, 1, 1, 1, 1, 3, 7, 12, 7, 6, 7, 8, 8, 8, 11, 13, 14, 11, 8, 6, 5, 4, 3];
/// By code, from 1: fine, rain, snow, the same three with wind, fog, other.
const WEATHERS: [u32; 8] = [800, 118, 7, 12, 14, 2, 6, 41];
/// By code, from 0: none within 20 metres, roundabout, mini-roundabout, T, slip road, crossroads, more than four arms,
/// private drive, other.
const JUNCTIONS: [u32; 9] = [40, 9, 1, 31, 1, 10, 1, 4, 3];
/// By code, from 1: fatal, serious, slight.
const SEVERITIES: [u32; 3] = [1, 14, 85];
const VEHICLES: [u32; 6] = [30, 59, 8, 2, 1, 1];
const CASUALTIES: [u32; 6] = [76, 16, 5, 2, 1, 1];
/// Where on a road its junctions are, in thousandths of the way, the busiest first.
const JUNCTIONS_AT: [i32; 7] = [480, 150, 820, 300, 640, 940, 30];

/// Year, month and day.
pub(super) type Date = [u32; 3];

/// What is missing is none, or empty.
#[derive(Clone)]
pub(super) struct Accident {
    pub(super) index: String,
    pub(super) date: Option<Date>,
    /// Of the day.
    pub(super) minute: Option<u32>,
    pub(super) force: Option<u32>,
    pub(super) authority: Option<u32>,
    pub(super) class: Option<u32>,
    pub(super) number: Option<u32>,
    pub(super) name: String,
    pub(super) junction: Option<u32>,
    pub(super) speed_limit: Option<u32>,
    pub(super) point: Option<Point>,
    pub(super) severity: Option<u32>,
    pub(super) vehicles: Option<u32>,
    pub(super) casualties: Option<u32>,
    pub(super) weather: Option<u32>,
    /// The day, from the first day of all. No column: what becomes of the date is counted from it.
    pub(super) day: u32,
}

impl Accident {
    pub(super) fn draw(roads: &Roads, rng: &mut ChaCha8Rng) -> Self {
        let road = roads.draw(rng);
        let day = day(rng);
        let date = date(day);
        let estimated = rng.random_bool(0.6);
        let minute = if estimated { 5 * rng.random_range(0..12u32) } else { rng.random_range(0..60) };
        let minute = 60 * weighted(&HOURS, rng) + minute;
        let (junction, point) = spot(road, rng);
        Self {
            index: index(date[0], road.force, rng),
            date: Some(date),
            minute: known(minute, 0.01, rng),
            force: Some(road.force),
            authority: Some(road.authority),
            class: Some(road.class),
            number: road.number,
            name: known(road.name.clone(), 0.03, rng).unwrap_or_default(),
            junction: known(junction, 0.04, rng),
            speed_limit: known(road.speed_limit, 0.01, rng),
            point: known(point, 0.01, rng),
            severity: Some(weighted(&SEVERITIES, rng) + 1),
            vehicles: Some(weighted(&VEHICLES, rng) + 1),
            casualties: Some(weighted(&CASUALTIES, rng) + 1),
            weather: known(weather(rng), 0.03, rng),
            day,
        }
    }

    /// The columns, with a comma before each. Nothing in them needs quotes.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, ",{},", self.index)?;
        if let Some([year, month, day]) = self.date {
            write!(out, "{year}-{month:02}-{day:02}")?;
        }
        out.write_all(b",")?;
        if let Some(minute) = self.minute {
            write!(out, "{:02}:{:02}", minute / 60, minute % 60)?;
        }
        number(self.force, out)?;
        out.write_all(b",")?;
        if let Some(authority) = self.authority {
            write!(out, "E{authority:05}")?;
        }
        number(self.class, out)?;
        number(self.number, out)?;
        write!(out, ",{}", self.name)?;
        number(self.junction, out)?;
        number(self.speed_limit, out)?;
        number(self.point.map(|[easting, _]| easting), out)?;
        number(self.point.map(|[_, northing]| northing), out)?;
        for column in [self.severity, self.vehicles, self.casualties, self.weather] {
            number(column, out)?;
        }
        Ok(())
    }
}

fn number(number: Option<impl std::fmt::Display>, out: &mut impl Write) -> io::Result<()> {
    match number {
        Some(number) => write!(out, ",{number}"),
        None => out.write_all(b","),
    }
}

/// The value, or none with this probability.
fn known<T>(value: T, missing: f64, rng: &mut ChaCha8Rng) -> Option<T> {
    (!rng.random_bool(missing)).then_some(value)
}

/// A place in a list of weights, from 0.
fn weighted(weights: &[u32], rng: &mut ChaCha8Rng) -> u32 {
    let mut left = rng.random_range(0..weights.iter().sum());
    let mut place = 0;
    for weight in weights {
        if left < *weight {
            break;
        }
        left -= weight;
        place += 1;
    }
    place
}

/// Year, police force, a letter and seven digits.
pub(super) fn index(year: u32, force: u32, rng: &mut ChaCha8Rng) -> String {
    let letter = char::from(rng.random_range(b'A'..=b'Z'));
    format!("{year}{force:02}{letter}{:07}", rng.random_range(0..10_000_000u32))
}

pub(super) fn weather(rng: &mut ChaCha8Rng) -> u32 {
    weighted(&WEATHERS, rng) + 1
}

pub(super) fn junction(rng: &mut ChaCha8Rng) -> u32 {
    weighted(&JUNCTIONS, rng)
}

/// What kind of junction is there, and where it is: those who are at none are anywhere along the road.
fn spot(road: &Road, rng: &mut ChaCha8Rng) -> (u32, Point) {
    let junction = junction(rng);
    if junction == 0 {
        return (junction, near(road.at(rng.random_range(0..1000)), 6, rng));
    }
    let [one, other] = std::array::from_fn(|_| rng.random_range(0..JUNCTIONS_AT.len()));
    (junction, near(road.at(JUNCTIONS_AT[one.min(other)]), 25, rng))
}

fn day(rng: &mut ChaCha8Rng) -> u32 {
    let n_days = (FIRST_YEAR..FIRST_YEAR + N_YEARS).map(days_of_year).sum();
    loop {
        let day = rng.random_range(0..n_days);
        if rng.random_range(0..10) < WEEKDAYS[day as usize % 7] {
            return day;
        }
    }
}

/// Years without a leap day that four divides are far away.
fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4)
}

fn days_of_year(year: u32) -> u32 {
    365 + u32::from(is_leap(year))
}

fn days_of_month(year: u32, month: u32) -> u32 {
    match month {
        2 => 28 + u32::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The date of a day, from the first day of all.
pub(super) fn date(day: u32) -> Date {
    let (mut year, mut month, mut left) = (FIRST_YEAR, 1, day);
    while left >= days_of_year(year) {
        left -= days_of_year(year);
        year += 1;
    }
    while left >= days_of_month(year, month) {
        left -= days_of_month(year, month);
        month += 1;
    }
    [year, month, left + 1]
}

#[cfg(test)]
mod tests {
    use super::{Accident, COLUMNS, HOURS, date, weighted};
    use crate::r#gen::roads::Roads;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn days_have_their_dates() {
        for (day, wanted) in [
            (0, [1979, 1, 1]),
            (58, [1979, 2, 28]),
            (59, [1979, 3, 1]),
            (365, [1980, 1, 1]),
            (365 + 59, [1980, 2, 29]),
            (365 + 366, [1981, 1, 1]),
            (13_513, [2015, 12, 31]),
        ] {
            assert_eq!(date(day), wanted, "{day}");
        }
    }

    #[test]
    fn rush_hours_are_those_of_most_accidents() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0u32; HOURS.len()];
        for _ in 0..20_000 {
            counts[weighted(&HOURS, &mut rng) as usize] += 1;
        }
        assert!(counts.iter().all(|count| *count > 0));
        assert!(counts[8] > 2 * counts[22] && counts[17] > 3 * counts[6], "{counts:?}");
    }

    #[test]
    fn a_row_has_its_columns() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let roads = Roads::new(1_000, &mut rng);
        for _ in 0..1_000 {
            let mut row = Vec::new();
            Accident::draw(&roads, &mut rng).write(&mut row).expect("memory can be written");
            let row = String::from_utf8(row).expect("it is text");
            assert_eq!(row.split(',').count(), COLUMNS.len() + 1, "{row}");
            assert!(!row.contains(['"', '\n']), "{row}");
        }
    }
}
