//! Numbers, or dates, whose difference is within bounds. Codes of numbers ascend with them, so what is near enough to a
//! left number is a range of right codes: its [`Reach`].

use crate::columns::Reach;

/// Whether a right code is within a left one's reach.
#[inline]
pub fn holds(reaches: &[Reach], l: u32, r: u32) -> bool {
    let reach = reaches[l as usize];
    reach.from <= r && r < reach.upto
}
