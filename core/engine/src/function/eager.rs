//! Whether functions are traced at all: for the process, or for what one thread calls.
//! TensorFlow's `run_functions_eagerly`; calls of traced functions ask.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

static EAGER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static EAGER_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Makes all traced functions run operation by operation, so that a debugger stops on every line; `false` undoes it.
///
/// ```
/// use eagerflow as tf;
/// tf::config::run_functions_eagerly(true);
/// assert!(tf::config::functions_run_eagerly());
/// tf::config::run_functions_eagerly(false);
/// ```
pub fn run_functions_eagerly(on: bool) {
    EAGER.store(on, Ordering::Relaxed);
}

/// Runs `body` with the traced functions that this thread calls run operation by operation, whatever holds for the
/// process.
///
/// ```
/// use eagerflow as tf;
/// assert!(tf::config::with_eager_functions(tf::config::functions_run_eagerly));
/// assert!(!tf::config::functions_run_eagerly());
/// ```
pub fn with_eager_functions<R>(body: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            EAGER_HERE.set(self.0);
        }
    }
    let _back = Back(EAGER_HERE.replace(true));
    body()
}

/// Whether traced functions run operation by operation on this thread.
///
/// ```
/// assert!(!eagerflow::config::functions_run_eagerly());
/// ```
pub fn functions_run_eagerly() -> bool {
    EAGER.load(Ordering::Relaxed) || EAGER_HERE.get()
}
