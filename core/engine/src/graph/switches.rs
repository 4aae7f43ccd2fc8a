//! Ways that graphs take and that the suite can turn off: plans, loops in registers, kernels compiled together.
//! Executors ask; without the hidden feature `testing` each answer is a constant.

#[cfg(any(test, feature = "testing"))]
pub use switched::*;

#[cfg(not(any(test, feature = "testing")))]
pub(crate) use always::*;

/// What holds for users.
#[cfg(not(any(test, feature = "testing")))]
mod always {
    /// Whether graphs run by their plans.
    #[inline(always)]
    pub(crate) fn plans() -> bool {
        true
    }

    /// Whether loops over numbers run in registers.
    #[inline(always)]
    pub(crate) fn loops_in_registers() -> bool {
        true
    }

    /// Whether they run as machine code, where there is some.
    #[inline(always)]
    pub(crate) fn loops_as_code() -> bool {
        true
    }

    /// Notes that a loop runs in registers.
    #[inline(always)]
    pub(crate) fn note_loop() {}

    /// Notes that it does so as machine code.
    #[inline(always)]
    pub(crate) fn note_code() {}

    /// Whether kernels of traced functions are compiled together.
    #[inline(always)]
    pub(crate) fn kernels_together() -> bool {
        true
    }
}

/// The same with switches.
#[cfg(any(test, feature = "testing"))]
mod switched {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering};

    thread_local! {
        static WITHOUT_PLANS: Cell<bool> = const { Cell::new(false) };
        static ONE_BY_ONE_LOOPS: Cell<bool> = const { Cell::new(false) };
        static INTERPRETED_LOOPS: Cell<bool> = const { Cell::new(false) };
        static LOOPS: Cell<u64> = const { Cell::new(0) };
        static CODED_LOOPS: Cell<u64> = const { Cell::new(0) };
    }

    static ONE_BY_ONE_KERNELS: AtomicBool = AtomicBool::new(false);

    #[inline]
    pub(crate) fn plans() -> bool {
        !WITHOUT_PLANS.get()
    }

    #[inline]
    pub(crate) fn loops_in_registers() -> bool {
        !ONE_BY_ONE_LOOPS.get()
    }

    #[inline]
    pub(crate) fn loops_as_code() -> bool {
        !INTERPRETED_LOOPS.get()
    }

    #[inline]
    pub(crate) fn note_loop() {
        LOOPS.set(LOOPS.get() + 1);
    }

    #[inline]
    pub(crate) fn note_code() {
        CODED_LOOPS.set(CODED_LOOPS.get() + 1);
    }

    pub(crate) fn kernels_together() -> bool {
        !ONE_BY_ONE_KERNELS.load(Ordering::Relaxed)
    }

    /// Runs `body` with the graphs of this thread's calls run operation by operation, without passes and plans.
    #[cfg_attr(not(feature = "testing"), allow(dead_code, reason = "the unit tests need some of the switches"))]
    pub fn without_plans<R>(body: impl FnOnce() -> R) -> R {
        struct Back(bool);
        impl Drop for Back {
            fn drop(&mut self) {
                WITHOUT_PLANS.set(self.0);
            }
        }
        let _back = Back(WITHOUT_PLANS.replace(true));
        body()
    }

    /// From now on, this thread runs loops over numbers in registers or, if not `on`, operation by operation.
    pub fn set_loops_in_registers(on: bool) {
        ONE_BY_ONE_LOOPS.set(!on);
    }

    /// From now on, this thread runs loops in registers as machine code where it can or, if not `on`, by the bytecode machine.
    pub fn set_loops_as_code(on: bool) {
        INTERPRETED_LOOPS.set(!on);
    }

    /// How many loops this thread has run in registers so far.
    pub fn loops_run_in_registers() -> u64 {
        LOOPS.get()
    }

    /// How many of them ran as machine code.
    pub fn loops_run_as_code() -> u64 {
        CODED_LOOPS.get()
    }

    /// From now on, kernels of traced functions are compiled one by one as they are needed, or together before again.
    #[cfg_attr(not(feature = "testing"), allow(dead_code, reason = "the unit tests need some of the switches"))]
    pub fn kernels_one_by_one(on: bool) {
        ONE_BY_ONE_KERNELS.store(on, Ordering::Relaxed);
    }
}
