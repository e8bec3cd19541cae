//! Sorted neighbourhoods: who is near whom (Hernández and Stolfo, *The merge/purge problem for large databases*, 1995).
//!
//! Records are numbered through, those of the right table after those of the left; each order has them by key. A left record
//! looks both ways, so that all its neighbours are found where it stands, and nothing has to be brought together.

/// The place of a record without a key.
pub const NOWHERE: u32 = u32::MAX;

/// The most neighbours of one record that a warp sorts by counting; more take longer than they are worth.
pub const MOST_COUNTED: u32 = 1 << 10;

/// Records in the order of a key.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// By place.
    pub records: &'a [u32],
    /// By left record: its place, or [`NOWHERE`].
    pub places: &'a [u32],
    /// Places that differ by less are near.
    pub window: u32,
}

impl Order<'_> {
    /// The places from the first that is near a left record to the last, its own among them; none, if it is nowhere.
    #[inline(always)]
    pub fn near(&self, left: u32) -> core::ops::Range<u32> {
        match self.places.get(left as usize) {
            None | Some(&NOWHERE) => 0..0,
            Some(&place) => {
                let n_places = self.records.len() as u32;
                place.saturating_sub(self.window - 1)..place.saturating_add(self.window).min(n_places)
            }
        }
    }

    /// The neighbour at a place, if it makes a pair with the left record: one of the right table, whose records are numbered
    /// from `n_left` on; of one table, one that comes after it.
    #[inline(always)]
    pub fn neighbour(&self, left: u32, place: u32, n_left: u32, is_one_table: bool) -> Option<u32> {
        let record = *self.records.get(place as usize)?;
        match is_one_table {
            true => (record > left).then_some(record),
            false => record.checked_sub(n_left),
        }
    }
}

/// The place of a record where all of two tables are gone through by their numbers, a left one before the right one of the same
/// number. Records of the right table are numbered after those of the left.
#[inline(always)]
pub fn turn(record: u32, [n_left, n_right]: [u32; 2]) -> u32 {
    match record.checked_sub(n_left) {
        None => record + record.min(n_right),
        Some(right) => right + (right + 1).min(n_left),
    }
}

/// Words of shared memory for each warp that looks for neighbours, where a record has so many, a multiple of four, in so
/// many orders: the neighbours, and which order each is of.
pub const fn warp_words(room: u32, n_orders: u32) -> u32 {
    if n_orders > 1 { 2 * room } else { room }
}

#[cfg(test)]
mod tests {
    use super::turn;
    use std::vec::Vec;

    #[test]
    fn left_and_right_take_turns() {
        for (n_left, n_right) in [(0u32, 3u32), (3, 0), (2, 5), (5, 2), (4, 4), (1, 1)] {
            let by_number = (0..n_left.max(n_right)).flat_map(|nth| {
                let (left, right) = ((nth < n_left).then_some(nth), (nth < n_right).then_some(n_left + nth));
                left.into_iter().chain(right)
            });
            let turns: Vec<u32> = by_number.map(|record| turn(record, [n_left, n_right])).collect();
            assert_eq!(turns, (0..n_left + n_right).collect::<Vec<u32>>(), "{n_left} and {n_right}");
        }
    }
}
