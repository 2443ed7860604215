//! Asking for memory ahead of its use. A room's data is cold when its turn comes; what a shot reads and
//! writes is known before the work that leads there is done, so it loads meanwhile.

/// Asks for all the memory of a value. Changes nothing but time.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    let bytes = size_of::<T>();
    let start = std::ptr::from_ref(value).cast::<i8>();
    for line in (0..bytes).step_by(LINE) {
        ask(start.wrapping_add(line));
    }
    // It may begin in the middle of a line, and end in one more.
    if bytes > 1 && bytes % LINE != 1 {
        ask(start.wrapping_add(bytes - 1));
    }
}

/// Asks for the line a value begins in.
#[inline(always)]
pub(crate) fn prefetch_line<T>(value: &T) {
    ask(std::ptr::from_ref(value).cast());
}

/// Bytes the processor loads at once.
const LINE: usize = 64;

#[inline(always)]
fn ask(place: *const i8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which reads nothing and faults nowhere.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
