//! What threads make of each thing, in the order of the things.
//!
//! rayon's `collect` has two ways, for iterators that know their length and for those that do not, and each call of it compiles both.
//! Almost all of ours know it: by one way alone a seventh less is compiled. And of several errors it is the first that is told, not
//! the one that came up first.

use rayon::prelude::*;

/// The end of a chain of rayon's.
pub(crate) trait Gather: IndexedParallelIterator + Sized {
    /// All that was made.
    fn gather(self) -> Vec<Self::Item> {
        let mut all = Vec::new();
        self.collect_into_vec(&mut all);
        all
    }

    /// The same where something may fail: then the first error. What has not begun by then is done all the same: the first is known only
    /// when all are.
    fn gather_all<T: Send, E: Send>(self) -> Result<Vec<T>, E>
    where
        Self: IndexedParallelIterator<Item = Result<T, E>>,
    {
        self.gather().into_iter().collect()
    }
}

impl<I: IndexedParallelIterator> Gather for I {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_stay_in_order() {
        assert_eq!((0..1000).into_par_iter().map(|n| n * 2).gather(), Vec::from_iter((0..2000).step_by(2)));
    }

    #[test]
    fn the_first_error_is_told() {
        let odd = |n: u32| if n % 300 == 299 { Err(n) } else { Ok(n) };
        assert_eq!((0..1000).into_par_iter().map(odd).gather_all(), Err(299));
        assert_eq!((0..200).into_par_iter().map(odd).gather_all(), Ok(Vec::from_iter(0..200)));
    }
}
