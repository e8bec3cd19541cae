//! A country's roads: police forces, the authorities in them, and their roads.
//!
//! Few forces, authorities and roads have most of the accidents, by Zipf's law. A force lies somewhere, its authorities
//! around that place, and their roads around theirs, so coordinates lie in clusters of clusters. A road runs straight
//! from its start to its end, and has a few junctions. There are more roads where there are more accidents to happen.

use super::skew::place;
use super::vocabulary::{capitalised, distinct, word};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand_distr::Zipf;

pub(super) const N_FORCES: usize = 51;
pub(super) const N_AUTHORITIES: usize = 416;
/// Rows for a road, on average.
const ROWS_PER_ROAD: u32 = 20;
/// Few rows still have some roads, and many rows no more than there may be.
const FEWEST_ROADS: usize = 8;
const MOST_ROADS: usize = 1_200;
const N_NAMES: usize = 4_000;

/// By road class, from 1: what the last word of a name may be.
const KINDS: [&[&str]; 6] = [
    &["Motorway"],
    &["Motorway", "Expressway"],
    &["Road", "Way", "Bypass", "High Road", "Ring Road"],
    &["Road", "Lane", "Hill", "High Street"],
    &["Road", "Lane", "Street", "Avenue"],
    &["Street", "Lane", "Avenue", "Close", "Drive", "Crescent", "Place", "Gardens"],
];
/// By road class, from 1: the usual limits, in miles an hour.
const LIMITS: [&[u32]; 6] =
    [&[70], &[70, 60], &[30, 30, 40, 50, 60, 70], &[30, 30, 40, 60], &[30, 30, 60], &[30, 30, 30, 20]];

/// Metres east and north.
pub(super) type Point = [i32; 2];

pub(super) struct Road {
    pub(super) force: u32,
    pub(super) authority: u32,
    /// 1 is a motorway, 2 nearly one, 3 an A road, 4 a B road, 5 a C road, 6 has no class.
    pub(super) class: u32,
    /// C roads and those without a class have none.
    pub(super) number: Option<u32>,
    pub(super) name: String,
    pub(super) speed_limit: u32,
    start: Point,
    /// From start to end.
    along: Point,
}

impl Road {
    /// So many thousandths of the way.
    pub(super) fn at(&self, thousandths: i32) -> Point {
        [0, 1].map(|axis| self.start[axis] + self.along[axis] * thousandths / 1000)
    }
}

/// All roads, those of an authority together, the busy ones first.
pub(super) struct Roads {
    roads: Vec<Road>,
    n_each: usize,
    by_authority: Zipf<f64>,
    by_road: Zipf<f64>,
}

impl Roads {
    /// For so many rows.
    pub(super) fn new(rows: u32, rng: &mut ChaCha8Rng) -> Self {
        let n_each = ((rows / ROWS_PER_ROAD) as usize / N_AUTHORITIES).clamp(FEWEST_ROADS, MOST_ROADS);
        let zipf = |n: usize, exponent| Zipf::new(n as f64, exponent).expect("there are some");
        let names = distinct(N_NAMES, || capitalised(&word(rng, 1..=3)));
        let (by_name, by_force) = (zipf(N_NAMES, 0.5), zipf(N_FORCES, 0.7));
        let forces: Vec<Point> = (0..N_FORCES)
            .map(|_| [rng.random_range(150_000..600_000), rng.random_range(80_000..600_000)])
            .collect();
        let mut roads = Vec::with_capacity(n_each * N_AUTHORITIES);
        for authority in 0..N_AUTHORITIES {
            let force = place(&by_force, N_FORCES, rng);
            let town = near(forces[force], 30_000, rng);
            for nth in 0..n_each {
                let class = class(nth * 8 < n_each, rng);
                let one = |rng: &mut ChaCha8Rng| names[place(&by_name, N_NAMES, rng)].as_str();
                let mut name = one(rng).to_owned();
                if rng.random_bool(0.5) {
                    name = format!("{name} {}", one(rng));
                }
                let at = class as usize - 1;
                name = format!("{name} {}", KINDS[at].choose(rng).copied().unwrap_or_default());
                roads.push(Road {
                    force: force as u32 + 1,
                    authority: authority as u32 + 1,
                    class,
                    number: number(class, rng),
                    name,
                    speed_limit: LIMITS[at].choose(rng).copied().unwrap_or_default(),
                    start: near(town, 9_000, rng),
                    along: near([0, 0], if class < 3 { 15_000 } else { 2_500 }, rng),
                });
            }
        }
        Self { roads, n_each, by_authority: zipf(N_AUTHORITIES, 0.6), by_road: zipf(n_each, 0.6) }
    }

    pub(super) fn draw(&self, rng: &mut ChaCha8Rng) -> &Road {
        let authority = place(&self.by_authority, N_AUTHORITIES, rng);
        &self.roads[authority * self.n_each + place(&self.by_road, self.n_each, rng)]
    }
}

/// A place at most so far off in each direction, and mostly less: the mean of three draws.
pub(super) fn near(point: Point, metres: i32, rng: &mut ChaCha8Rng) -> Point {
    point.map(|centre| centre + (0..3).map(|_| rng.random_range(-metres..=metres)).sum::<i32>() / 3)
}

fn class(is_busy: bool, rng: &mut ChaCha8Rng) -> u32 {
    match (is_busy, rng.random_range(0..100u32)) {
        (true, 0..12) => 1,
        (true, 12..14) => 2,
        (true, 14..80) | (false, 0..20) => 3,
        (true, 80..) | (false, 20..35) => 4,
        (false, 35..45) => 5,
        (false, _) => 6,
    }
}

fn number(class: u32, rng: &mut ChaCha8Rng) -> Option<u32> {
    match class {
        1 | 2 => Some(rng.random_range(1..100)),
        3 => Some(if rng.random_bool(0.2) { rng.random_range(1..100) } else { rng.random_range(100..7_000) }),
        4 => Some(rng.random_range(1_000..10_000)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{FEWEST_ROADS, MOST_ROADS, N_AUTHORITIES, Roads};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use std::collections::HashMap;

    #[test]
    fn there_are_as_many_roads_as_rows_need() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (rows, n_each) in [(0, FEWEST_ROADS), (100_000, 12), (u32::MAX, MOST_ROADS)] {
            assert_eq!(Roads::new(rows, &mut rng).roads.len(), n_each * N_AUTHORITIES);
        }
    }

    #[test]
    fn few_have_most() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let roads = Roads::new(200_000, &mut rng);
        let (mut authorities, mut forces) = (HashMap::new(), HashMap::new());
        let n_draws = 20_000;
        for _ in 0..n_draws {
            let road = roads.draw(&mut rng);
            *authorities.entry(road.authority).or_insert(0u32) += 1;
            *forces.entry(road.force).or_insert(0u32) += 1;
            assert_eq!(road.number.is_some(), road.class < 5, "{}", road.name);
        }
        let most = |counts: HashMap<u32, u32>| counts.into_values().max().unwrap_or_default();
        // The law says 0.036 for authorities.
        assert!((500..1_000).contains(&most(authorities)));
        assert!((1_500..8_000).contains(&most(forces)));
    }
}
