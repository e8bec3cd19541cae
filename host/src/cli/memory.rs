//! Memory: large blocks in large pages, and counted; and when it runs out, a message that says what was under way and exit code 1, where
//! Rust would abort.

#![expect(unsafe_code, reason = "an allocator is unsafe to write: see below")]

use crate::cli::exit::FAILED;
use crate::cli::say::say;
use hyperblock::base::memory::{grew, shrank};
use hyperblock::base::stopwatch::under_way;
use hyperblock::base::target::abandon;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use std::time::Duration;

/// The system's allocator, but for large blocks, and for what it does when there is no more.
pub(crate) struct Reporting;

// SAFETY: every block comes from `System` and goes back to it with the layout that it was asked for with. When there is
// none, nothing is returned at all.
unsafe impl GlobalAlloc for Reporting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the layout is the caller's, who promises that its size is not zero.
        in_large_pages(or_leave(unsafe { System.alloc(layout) }, layout.size()), layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(0, layout.size());
        // SAFETY: the layout is the caller's, who promises that its size is not zero.
        in_large_pages(or_leave(unsafe { System.alloc_zeroed(layout) }, layout.size()), layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(layout.size(), new_size);
        // SAFETY: the block came from here, so from `System`, with this layout, as the caller promises.
        in_large_pages(or_leave(unsafe { System.realloc(block, layout, new_size) }, new_size), new_size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(layout.size(), 0);
        // SAFETY: the block came from here, so from `System`, with this layout, as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Bytes of a block that is worth counting.
const COUNTED: usize = 1 << 16;

/// Counts what large blocks there are: one of so many bytes has become one of so many.
fn count(before: usize, after: usize) {
    if before >= COUNTED {
        shrank(before);
    }
    if after >= COUNTED {
        grew(after);
    }
}

/// Has blocks that are worth it come from the system one by one, and go back there when they are freed: who may not use much
/// keeps nothing for later.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_little() {
    const FROM_SYSTEM: libc::c_int = 1 << 20;
    // SAFETY: this sets a number of the system's allocator, which may be done at any time.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, FROM_SYSTEM) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_little() {}

/// Bytes of a large page, and of a block that is worth some of them.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;
#[cfg(target_os = "linux")]
const LARGE: usize = 4 * LARGE_PAGE;

/// Asks for large pages within a large block: one comes with each first touch, and of small ones there would be five hundred,
/// for which threads wait in line.
#[cfg(target_os = "linux")]
fn in_large_pages(block: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE {
        let skipped = block.align_offset(LARGE_PAGE);
        let n_bytes = size.saturating_sub(skipped) / LARGE_PAGE * LARGE_PAGE;
        // SAFETY: the range lies within the block, which is the caller's, and begins with a page. Advice changes nothing that
        // anybody reads there; where it is not taken, nothing is lost.
        unsafe { libc::madvise(block.wrapping_add(skipped).cast(), n_bytes, libc::MADV_HUGEPAGE) };
    }
    block
}

#[cfg(not(target_os = "linux"))]
fn in_large_pages(block: *mut u8, _: usize) -> *mut u8 {
    block
}

/// What leaving takes, kept from the beginning.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
const RESERVED: Layout = Layout::new::<[u8; 1 << 18]>();

/// Puts memory by for the day on which there is none.
fn reserve() {
    // SAFETY: the layout has a size.
    RESERVE.store(unsafe { System.alloc(RESERVED) }, SeqCst);
}

/// Whether so many more bytes can be had from the system. It ends a process that has none for a stack, and says nothing.
pub(crate) fn has(n_bytes: usize) -> bool {
    let Ok(layout) = Layout::array::<u8>(n_bytes.max(1)) else {
        return false;
    };
    // A compiler that sees nobody use the block would ask for none, and say that there is one.
    // SAFETY: the layout has a size.
    let block = black_box(unsafe { System.alloc(layout) });
    if !block.is_null() {
        // SAFETY: the block has just come with this layout, and nobody else knows of it.
        unsafe { System.dealloc(block, layout) };
    }
    !block.is_null()
}

/// Bytes that a process should have to begin with: for the stack of its first thread, and for the thread that waits for signals.
const TO_BEGIN: usize = 4 << 20;

/// Puts memory by, and has the first thread's stack grow while it can.
pub(crate) fn begin() {
    if !has(TO_BEGIN) {
        tell_and_exit(TO_BEGIN);
    }
    reserve();
    deepen();
}

#[inline(never)]
fn deepen() {
    const MUCH: usize = 1 << 19;
    black_box([0_u8; MUCH]);
}

fn or_leave(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        leave(size);
    }
    block
}

/// Ends the process. Nothing half-written stays.
#[cold]
fn leave(size: usize) -> ! {
    let reserve = RESERVE.swap(null_mut(), SeqCst);
    if reserve.is_null() {
        // Somebody else is on the way out, or this is their own last step: nobody may go on without memory.
        std::thread::sleep(Duration::from_secs(1));
        std::process::abort();
    }
    // SAFETY: `reserve` allocated it with this layout, and the swap gave it to nobody else.
    unsafe { System.dealloc(reserve, RESERVED) };
    tell_and_exit(size)
}

fn tell_and_exit(size: usize) -> ! {
    let stage = under_way().unwrap_or("start");
    say!(
        "error: out of memory in stage `{stage}`: {size} more bytes were asked for, and the system has none; \
         leave columns or records out, or run where there is more memory\n"
    );
    abandon();
    std::process::exit(FAILED.into())
}
