//! Steps of passes and plans, counted in tests: how much work is done for a graph, apart from how fast the machine is.
//! Comparisons and look-ups of values and copies of nodes count by themselves; loops over anything else call [`count`].

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Notes so many steps. Nothing outside of tests.
#[inline(always)]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps as u64);
    #[cfg(not(test))]
    let _ = steps;
}

#[cfg(test)]
mod tests;

/// The steps that `work` takes on this thread.
#[cfg(test)]
pub(crate) fn of<R>(work: impl FnOnce() -> R) -> (u64, R) {
    let before = STEPS.get();
    let result = work();
    (STEPS.get() - before, result)
}
