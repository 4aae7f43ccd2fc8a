//! Whether a thread met denormal numbers: the processor notes it, and here the note is read, and carried from workers to whom they work for.
//! Measured plans ask around each of their steps; the thread pool asks around each chunk meanwhile.
//!
//! Denormal numbers lie below the least normal one (1.2e-38 in `float32`). Many processors compute with them a hundred times slower.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static WATCHING: AtomicUsize = AtomicUsize::new(0);

/// While one lives, workers tell what they met to the thread whose job it was.
pub struct Watch(());

impl Watch {
    /// Begins.
    pub fn start() -> Self {
        WATCHING.fetch_add(1, Relaxed);
        Self(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHING.fetch_sub(1, Relaxed);
    }
}

/// Whether anybody asks.
#[inline]
pub fn is_watched() -> bool {
    WATCHING.load(Relaxed) > 0
}

/// Forgets what this thread met so far.
#[inline]
pub fn forget() {
    flags::change(!flags::DENORMAL, 0);
}

/// Whether this thread met a denormal operand or result since [`forget`]. Results that are denormal and exact are not noted. Never on
/// processors other than x86-64.
#[inline]
pub fn met() -> bool {
    flags::change(u32::MAX, 0) & flags::DENORMAL != 0
}

/// Notes that another thread met some in this one's stead.
#[inline]
pub fn note() {
    flags::change(u32::MAX, flags::DENORMAL);
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod flags {
    use std::arch::asm;

    /// Bits of MXCSR: an operand was denormal; a result was, and was rounded.
    pub const DENORMAL: u32 = 1 << 1 | 1 << 4;

    /// Keeps some of the thread's status flags and sets others; answers what they were.
    #[inline]
    pub fn change(kept: u32, set: u32) -> u32 {
        // How to round, and what to trap, stays as it is.
        let (kept, set) = (kept | !DENORMAL, set & DENORMAL);
        let mut word = 0_u32;
        // SAFETY: four bytes on this thread's stack are written and read. Of MXCSR only status flags change, which code may do that
        // does not promise to preserve flags.
        unsafe {
            asm!("stmxcsr [{0}]", in(reg) &raw mut word, options(nostack));
            let next = word & kept | set;
            asm!("ldmxcsr [{0}]", in(reg) &raw const next, options(nostack));
        }
        word
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod flags {
    pub const DENORMAL: u32 = 0;

    #[inline]
    pub fn change(_: u32, _: u32) -> u32 {
        0
    }
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn operands_and_results_are_noted() {
        let product = |a: f32, b: f32| {
            forget();
            black_box(black_box(a) * black_box(b));
            met()
        };
        assert!(!product(1e-20, 3e-10));
        assert!(product(1e-20, 3e-25), "a denormal result");
        assert!(product(1e-40, 3e10), "a denormal operand");
        assert!(!product(0.0, 3e-25));
        forget();
        note();
        assert!(met());
        forget();
        assert!(!met());
    }
}
