//! [`Storm`]: whether a function is traced again and again, so that tracing costs more than the traces save.
//! The list of traces asks it at each new one, and warns the user once.

/// After so many traces in a row that hardly served the user is told why.
pub(super) const TRACES: u32 = 8;
/// A trace that has served more calls than this, beside the one that it was made for, was worth it.
const HARDLY: u64 = 1;

/// What is known of the traces made last.
#[derive(Debug)]
pub(super) struct Storm {
    /// How many in a row have hardly served.
    in_a_row: u32,
    /// The calls that traces had served when the last one was made.
    served: u64,
    told: bool,
}

impl Storm {
    pub const fn new() -> Self {
        Self { in_a_row: 0, served: 0, told: false }
    }

    /// Notes a new trace, made after so many calls were served by others, and whether so many are for the same types and the same model.
    /// The answer is whether to warn, which it is once.
    ///
    /// The number of traces alone says nothing: a program that trains several models, or one on batches of several sizes, makes a trace
    /// for each, and then uses it for an epoch.
    pub fn trace(&mut self, served: u64, alike: bool) -> bool {
        let since = served.saturating_sub(self.served);
        self.in_a_row = if since > HARDLY { 1 } else { self.in_a_row + 1 };
        self.served = served;
        let warns = self.in_a_row >= TRACES && alike && !self.told;
        self.told |= warns;
        warns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether there is a warning at each of 20 traces, of which each serves so many calls more.
    fn warnings(calls: u64) -> Vec<usize> {
        let mut storm = Storm::new();
        (1..=20).filter(|&i| storm.trace(i as u64 * calls, true)).collect()
    }

    #[test]
    fn traces_that_hardly_serve_are_told_once() {
        assert_eq!(warnings(0), [8]);
        assert_eq!(warnings(1), [8]);
    }

    #[test]
    fn traces_that_serve_are_not_told() {
        assert!(warnings(2).is_empty());
        assert!(warnings(500).is_empty());
    }

    #[test]
    fn one_trace_for_each_of_many_models_is_none() {
        let mut storm = Storm::new();
        assert!((0..20).all(|_| !storm.trace(0, false)));
    }

    /// Whatever was in between counts anew.
    #[test]
    fn rows_are_broken() {
        let mut storm = Storm::new();
        assert!((0..7).all(|_| !storm.trace(0, true)));
        assert!(!storm.trace(100, true));
        assert!((0..6).all(|_| !storm.trace(100, true)));
        assert!(storm.trace(100, true));
    }
}
