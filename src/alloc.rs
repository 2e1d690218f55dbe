//! The system's allocator with a tally for each thread, so that a lane's allocations are told apart from
//! those of a run beside it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use rebalance_sim::metrics::Allocated;

thread_local! {
    // constant and without a destructor: reading it never allocates
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static FREED: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn add(to: &'static std::thread::LocalKey<Cell<u64>>, n: usize) {
    // a thread that is ending has no tally any more
    let _ = to.try_with(|tally| tally.set(tally.get().wrapping_add(n as u64)));
}

#[expect(unsafe_code, reason = "an allocator cannot be written without; every call goes on to the system's as it came")]
// SAFETY: each method hands its arguments to `System` unchanged and returns what it returns; the tallies touch
// nothing but thread-local integers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(&BYTES, layout.size());
        add(&COUNT, 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(&BYTES, layout.size());
        add(&COUNT, 1);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(&BYTES, size);
        add(&FREED, layout.size());
        add(&COUNT, 1);
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        add(&FREED, layout.size());
        unsafe { System.dealloc(old, layout) }
    }
}

/// What this thread has allocated so far.
pub(super) fn allocated() -> Allocated {
    let (bytes, freed) = (BYTES.get(), FREED.get());
    Allocated { bytes, count: COUNT.get(), live: bytes.wrapping_sub(freed).cast_signed() }
}
