//! Equality: two values are the same. Equal values of a domain have equal codes, so nothing else is looked at.

/// Whether two codes are the same.
#[inline]
pub fn holds(l: u32, r: u32) -> bool {
    l == r
}
