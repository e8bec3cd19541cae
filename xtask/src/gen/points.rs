//! Places spread evenly over a piece of the Earth: what joins of places by their distance compare.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::io::{self, Write};

/// Millionths of a degree: of all that there are places in, the latitudes, the first longitude, and the longitudes for a
/// million places. So many of them have some ten others within a kilometre.
const LATITUDES: std::ops::Range<u32> = 47_000_000..52_000_000;
const FIRST_LONGITUDE: u32 = 6_000_000;
const LONGITUDES_OF_A_MILLION: u32 = 8_000_000;

/// The northernmost of them, in degrees.
pub(crate) const NORTHERNMOST: f64 = LATITUDES.end as f64 / 1e6;

/// So many places, each a latitude and a longitude in millionths of a degree; as dense, however many there are.
pub(crate) fn draw(rows: u32, seed: u64) -> Vec<[u32; 2]> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let longitudes = (u64::from(LONGITUDES_OF_A_MILLION) * u64::from(rows) / 1_000_000).max(1) as u32;
    let place = |_| [rng.random_range(LATITUDES), FIRST_LONGITUDE + rng.random_range(0..longitudes)];
    (0..rows).map(place).collect()
}

pub(crate) fn write(points: &[[u32; 2]], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "id,lat,lon")?;
    for (id, [latitude, longitude]) in (1..).zip(points) {
        let (lat, lon) = (degrees(*latitude), degrees(*longitude));
        writeln!(out, "{id},{lat},{lon}")?;
    }
    Ok(())
}

fn degrees(millionths: u32) -> String {
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::{draw, write};

    #[test]
    fn places_are_the_same_for_a_seed_and_lie_within_bounds() {
        let points = draw(1000, 1);
        assert_eq!(points, draw(1000, 1));
        assert_ne!(points, draw(1000, 2));
        assert!(points.iter().all(|[lat, lon]| (47_000_000..52_000_000).contains(lat) && *lon < 6_008_000));
        let mut out = Vec::new();
        write(&[[47_000_001, 6_120_000]], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "id,lat,lon\n1,47.000001,6.120000\n");
    }
}
