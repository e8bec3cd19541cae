//! Doubles of few digits, as nearly all are that people have written.
//!
//! Where a double is the one that is nearest to a decimal of six places and 15 digits at most, that decimal is what there is to
//! write: no other one of so few digits has the same double nearest to it. To see whether it is takes a multiplication and a
//! division, where the shortest decimal of any double takes much more (Adams, *Ryū: fast float-to-string conversion*, PLDI 2018).

/// Six places.
const SCALE: u64 = 1_000_000;
const PLACES: usize = 6;
/// From this on, and below the smallest number with fewer places before its digits, numbers have an exponent.
const LEAST: u64 = 10;
/// 15 digits.
const MOST: u64 = 1_000_000_000_000_000;

/// Bytes of a text, at most: of 15 digits, a sign and a point; and so many that are copied at once.
pub(super) const LONGEST: usize = 32;

/// The decimal as `ryu` writes it, and how many bytes that is, if it is one of those.
#[inline]
pub(super) fn short(value: f64) -> Option<([u8; LONGEST], usize)> {
    let scaled = value.abs() * SCALE as f64;
    if !(scaled >= LEAST as f64 && scaled < MOST as f64 - 1.0) {
        return None;
    }
    let number = (scaled + 0.5) as u64;
    if number as f64 / SCALE as f64 != value.abs() {
        return None;
    }
    let mut text = [0; LONGEST];
    let mut len = 0;
    if value < 0.0 {
        text[0] = b'-';
        len = 1;
    }
    let (mut whole, mut fraction) = (number / SCALE, number % SCALE);
    len += whole.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut at = len;
    loop {
        at -= 1;
        text[at] = b'0' + (whole % 10) as u8;
        whole /= 10;
        if whole == 0 {
            break;
        }
    }
    text[len] = b'.';
    len += 1;
    for place in (0..PLACES).rev() {
        text[len + place] = b'0' + (fraction % 10) as u8;
        fraction /= 10;
    }
    // Zeros at the end say nothing, but there is one digit at least.
    let n_zeros = text[len + 1..len + PLACES].iter().rev().take_while(|digit| **digit == b'0').count();
    Some((text, len + PLACES - n_zeros))
}

#[cfg(test)]
mod tests {
    use super::short;
    use proptest::prelude::*;

    fn assert_same(value: f64) -> bool {
        let Some((text, len)) = short(value) else { return false };
        assert_eq!(std::str::from_utf8(&text[..len]).unwrap(), ryu::Buffer::new().format(value));
        true
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn as_others_write_them(digits in 0u64..100_000_000_000_000_000, places in 0i32..12, by in -3i64..=3) {
            let value = digits as f64 / 10f64.powi(places);
            let beside = f64::from_bits(value.to_bits().saturating_add_signed(by));
            for value in [value, -value, beside] {
                assert_same(value);
            }
            let few = (digits % 1_000_000_000) as f64 / 10f64.powi(places.min(6));
            prop_assert!(few < 1e-5 || assert_same(few) && assert_same(-few), "{} has few digits", few);
        }

        #[test]
        fn any_double(bits in any::<u64>()) {
            assert_same(f64::from_bits(bits));
        }
    }

    #[test]
    fn the_ends() {
        for value in [
            0.0,
            -0.0,
            1e-5,
            9e-6,
            1e-6,
            0.1,
            1.0,
            10.0,
            999_999_999.0,
            999_999_999.999_999,
            1e9,
            1e15,
            1e16,
            0.3,
        ] {
            assert_same(value);
        }
        for none in [f64::NAN, f64::INFINITY, 0.0, 1e-6, 1.0 / 3.0, 1e15] {
            assert!(short(none).is_none(), "{none}");
        }
    }
}
