//! Which characters tell two texts apart: those that are not in a longest common subsequence of theirs.
//!
//! Characters are Unicode scalar values, as those of measures are. What texts begin and end with alike is set aside; what is left
//! between is aligned (Wagner and Fischer, J. ACM 21(1), 1974), or marked as a whole where it is too long for that.

use std::iter::zip;
use std::ops::Range;

/// The largest table that is filled for it.
const MOST_CELLS: usize = 1 << 20;

/// The characters of each text that the other one has not: ranges of bytes, in order.
pub(crate) fn marks(left: &str, right: &str) -> [Vec<Range<usize>>; 2] {
    let texts = [left, right].map(|text| text.chars().collect::<Vec<char>>());
    let [l, r] = &texts;
    let before = zip(l, r).take_while(|(l, r)| l == r).count();
    let (l_rest, r_rest) = (&l[before..], &r[before..]);
    let behind = zip(l_rest.iter().rev(), r_rest.iter().rev()).take_while(|(l, r)| l == r).count();
    let middles = [&l_rest[..l_rest.len() - behind], &r_rest[..r_rest.len() - behind]];
    let differ = different(middles);
    [0, 1].map(|side| ranges(&texts[side], before, &differ[side]))
}

/// By character: whether it is not in the alignment.
fn different([l, r]: [&[char]; 2]) -> [Vec<bool>; 2] {
    let mut differ = [vec![true; l.len()], vec![true; r.len()]];
    let width = r.len() + 1;
    if (l.len() + 1).saturating_mul(width) > MOST_CELLS {
        return differ;
    }
    // How much of what is behind a place of each is alike.
    let mut common = vec![0u32; (l.len() + 1) * width];
    for i in (0..l.len()).rev() {
        for j in (0..r.len()).rev() {
            common[i * width + j] = match l[i] == r[j] {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < l.len() && j < r.len() {
        if l[i] == r[j] {
            (differ[0][i], differ[1][j]) = (false, false);
            (i, j) = (i + 1, j + 1);
        } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    differ
}

/// Those that are different, as bytes of the text, of which the first are before them.
fn ranges(text: &[char], before: usize, differ: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut start = text[..before].iter().map(|char| char.len_utf8()).sum();
    for (char, differs) in text[before..].iter().zip(differ) {
        let end = start + char.len_utf8();
        match ranges.last_mut().filter(|last| last.end == start) {
            _ if !differs => {}
            Some(last) => last.end = end,
            None => ranges.push(start..end),
        }
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marked(left: &str, right: &str) -> [String; 2] {
        let marks = marks(left, right);
        [(left, &marks[0]), (right, &marks[1])].map(|(text, ranges)| {
            let mut out = text.to_owned();
            for range in ranges.iter().rev() {
                out.insert(range.end, ']');
                out.insert(range.start, '[');
            }
            out
        })
    }

    #[test]
    fn what_is_different_is_marked() {
        for (left, right, want) in [
            ("Smith", "Smyth", ["Sm[i]th", "Sm[y]th"]),
            ("Smith", "Smithe", ["Smith", "Smith[e]"]),
            ("naïve", "naive", ["na[ï]ve", "na[i]ve"]),
            // The mark combines with what is before it.
            ("nai\u{308}ve", "naive", ["nai[\u{308}]ve", "naive"]),
            ("東京都", "京都市", ["[東]京都", "京都[市]"]),
            ("", "a", ["", "[a]"]),
            ("aXbYc", "abc", ["a[X]b[Y]c", "abc"]),
        ] {
            assert_eq!(marked(left, right), want.map(str::to_owned), "{left} {right}");
        }
        let [long, other] = ["ab".repeat(2000), "ba".repeat(2000)];
        // All of both.
        let all = std::iter::once(0..4000).collect::<Vec<_>>();
        assert_eq!(marks(&long, &other), [all.clone(), all]);
    }

    /// By its definition.
    fn longest(l: &[char], r: &[char]) -> usize {
        match (l, r) {
            ([a, l @ ..], [b, r @ ..]) if a == b => 1 + longest(l, r),
            ([_, l_rest @ ..], [_, r_rest @ ..]) => longest(l_rest, r).max(longest(l, r_rest)),
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn what_is_left_is_a_longest_common_subsequence(left in "[abé漢]{0,7}", right in "[abé漢]{0,7}") {
            let marks = marks(&left, &right);
            let rest = |text: &str, ranges: &[Range<usize>]| -> String {
                let is_left = |(at, _): &(usize, char)| !ranges.iter().any(|range| range.contains(at));
                text.char_indices().filter(is_left).map(|(_, char)| char).collect()
            };
            let (l, r) = (rest(&left, &marks[0]), rest(&right, &marks[1]));
            prop_assert_eq!(&l, &r);
            let chars = [&left, &right].map(|text| text.chars().collect::<Vec<_>>());
            prop_assert_eq!(l.chars().count(), longest(&chars[0], &chars[1]));
        }
    }
}
