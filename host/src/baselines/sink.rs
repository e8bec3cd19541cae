//! Where a thread's pairs go.

/// It is given all of them, one by one.
pub(super) trait Sink: Send {
    fn pair(&mut self, left: u32, right: u32);
}

/// They are counted.
impl Sink for u64 {
    #[inline]
    fn pair(&mut self, _: u32, _: u32) {
        *self += 1;
    }
}

/// They are collected.
impl Sink for Vec<(u32, u32)> {
    #[inline]
    fn pair(&mut self, left: u32, right: u32) {
        self.push((left, right));
    }
}
