//! Cases of places: clusters at the poles, where the longitudes begin and end, and elsewhere; places that are the same, and
//! values that are none. Thresholds are often the very distance of two of the places.

use crate::case::{Case, Sheet};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The columns after `id`: two places, of which the second is text, and a label that few values are of.
const COLUMNS: [&str; 5] = ["lat", "lon", "y", "x", "city"];

/// Degrees.
type Degrees = (f64, f64);

/// Where places cluster.
const CENTRES: [Degrees; 9] = [
    (90.0, 0.0),
    (-90.0, 120.0),
    (89.9999, -77.0),
    (0.0, 180.0),
    (12.5, -180.0),
    (48.1, 0.0),
    (-33.0, 359.9999),
    (60.0, 11.5),
    (-0.00001, -0.00001),
];

fn place(far: f64) -> impl Strategy<Value = Degrees> {
    let near =
        (select(CENTRES.to_vec()), -1.0..=1.0f64, -1.0..=1.0f64).prop_map(move |(centre, lat, lon)| {
            ((centre.0 + lat * far).clamp(-90.0, 90.0), (centre.1 + lon * far).clamp(-360.0, 360.0))
        });
    let anywhere = (-90.0..=90.0f64, -360.0..=360.0f64);
    prop_oneof![6 => near, 2 => select(CENTRES.to_vec()), 1 => anywhere]
}

/// The haversine, in kilometres.
fn distance(a: Degrees, b: Degrees) -> f64 {
    let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let hav = half(b.0 - a.0) + a.0.to_radians().cos() * b.0.to_radians().cos() * half(b.1 - a.1);
    2.0 * 6371.0088 * hav.sqrt().min(1.0).asin()
}

/// As numbers are written: with few digits or all, and now and then what is no such number.
fn written(degrees: f64, form: u8) -> Option<String> {
    match form {
        0 => None,
        1 => Some("NaN".to_owned()),
        2 => Some("91.5e3".to_owned()),
        3..8 => Some(format!("{degrees:.3}")),
        8 => Some(format!("{degrees:.2}e0")),
        _ => Some(degrees.to_string()),
    }
    // Numbers are written without a sign that says nothing.
    .map(|text| if text.trim_start_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text })
}

fn row(far: f64) -> impl Strategy<Value = (Degrees, Degrees, Vec<Option<String>>)> {
    let forms = [0..40u8, 0..40u8, 0..40u8, 0..40u8];
    (place(far), place(far), forms, 0..4u8).prop_map(|(a, b, forms, city)| {
        let values = [a.0, a.1, b.0, b.1];
        let mut row: Vec<Option<String>> =
            values.iter().zip(forms).map(|(v, form)| written(*v, form)).collect();
        // A text that is a number once it is trimmed, and one that never is.
        row[2] = row[2].take().map(|text| if forms[2] % 2 == 0 { format!(" {text}") } else { text });
        row[3] = if forms[3] == 39 { Some("n/a".to_owned()) } else { row[3].take() };
        row.push((city < 3).then(|| format!("c{city}")));
        (a, b, row)
    })
}

/// A comparison with so many kilometres, in one of its forms.
fn comparison(kilometres: Vec<String>) -> impl Strategy<Value = String> {
    let ops = select(vec!["<=", "<=", "<=", "<", ">", ">="]);
    let of = select(vec![
        "l.lat, l.lon, r.lat, r.lon",
        "l.lat, l.lon, r.lat, r.lon",
        "r.lat, r.lon, l.lat, l.lon",
        "l.lat, l.lon, trim(r.y), trim(r.x)",
        "trim(r.y), coalesce(trim(r.x), r.city), trim(l.y), trim(l.x)",
    ]);
    (of, ops, select(kilometres.clone()), select(kilometres), any::<bool>()).prop_map(
        |(of, op, km, more, is_range)| {
            let (least, most): (f64, f64) = (km.parse().expect("a number"), more.parse().expect("a number"));
            match op {
                "<=" if is_range && least < most && least > 0.0 => {
                    format!("distance_km({of}) BETWEEN {km} AND {more}")
                }
                // Nothing is nearer than not at all.
                "<" | ">=" if least == 0.0 => format!("distance_km({of}) <= {km}"),
                _ => format!("distance_km({of}) {op} {km}"),
            }
        },
    )
}

fn when(kilometres: Vec<String>) -> impl Strategy<Value = String> {
    let form = select(vec![
        "{}",
        "{}",
        "{}",
        "{} AND l.city = r.city",
        "{} AND {}",
        "{} OR l.city <> r.city AND {}",
        "l.city = r.city AND ({} OR {})",
        "NOT ({} OR l.city = r.city)",
        "NOT ({} AND {})",
        "{} AND abs(l.lat - r.lat) <= 0.01",
        "{} AND l.city = 'c1'",
    ]);
    (form, comparison(kilometres.clone()), comparison(kilometres))
        .prop_map(|(form, one, other)| form.replacen("{}", &one, 1).replacen("{}", &other, 1))
}

/// See [`super::near_cases`].
pub(super) fn cases(most_rows: usize) -> impl Strategy<Value = Case> {
    let rows = (-9.0..1.5f64).prop_flat_map(move |scale| {
        let far = 10f64.powf(scale);
        (vec(row(far), 1..most_rows), prop::option::of(vec(row(far), 1..most_rows)))
    });
    let picks = vec((any::<Index>(), any::<Index>(), select(vec![0.0, 1e-9, -1e-9, 2e-6])), 4);
    (rows, picks).prop_flat_map(|((left, right), picks)| {
        let places: Vec<Degrees> =
            left.iter().chain(right.iter().flatten()).flat_map(|row| [row.0, row.1]).collect();
        let known =
            ["0", "0.000001", "0.5", "1", "12.4", "100", "2500", "6371", "9999.5", "12000", "19999", "20015"];
        let of_pairs = picks.iter().map(|(a, b, by)| distance(*a.get(&places), *b.get(&places)) + by);
        let of_pairs = of_pairs.filter(|km| (1e-9..20_015.0).contains(km)).map(|km| format!("{km:.9}"));
        let kilometres: Vec<String> =
            known.map(str::to_owned).into_iter().chain(of_pairs.clone()).chain(of_pairs).collect();
        let sheet = |rows: Vec<(Degrees, Degrees, Vec<Option<String>>)>| {
            let mut rows: Vec<_> = rows.into_iter().map(|row| row.2).collect();
            // Columns of numbers, and columns of text, whatever else there is.
            rows.push(
                ["10.5", "-20.25", "10.5 ", "x"]
                    .map(|text| Some(text.to_owned()))
                    .into_iter()
                    .chain([None])
                    .collect(),
            );
            Sheet::new(&COLUMNS, rows)
        };
        let (left, right) = (sheet(left), right.map(sheet));
        vec(when(kilometres), 1..3).prop_map(move |whens| Case {
            left: left.clone(),
            right: right.clone(),
            whens,
        })
    })
}
