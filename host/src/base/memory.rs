//! Memory: what the process holds, and held.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of large blocks that are held, where an allocator counts them.
static HELD: AtomicU64 = AtomicU64::new(0);

/// An allocator has given out a large block.
pub fn grew(n_bytes: usize) {
    HELD.fetch_add(n_bytes as u64, Relaxed);
}

/// One was given back.
pub fn shrank(n_bytes: usize) {
    HELD.fetch_sub(n_bytes as u64, Relaxed);
}

/// Bytes of large blocks that are held; none, if nobody counts.
pub(crate) fn held() -> u64 {
    HELD.load(Relaxed)
}

/// The bytes that can be had without others being driven out, where the system tells.
pub(crate) fn available_memory() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemAvailable:")
}

/// The most memory that this process held, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

fn kilobytes(file: &str, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(file).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
