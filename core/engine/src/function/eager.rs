//! Leaving the graph: whether functions are traced at all, and how code inside one runs at once while it is traced.
//! TensorFlow's `run_functions_eagerly`, `executing_eagerly` and `init_scope`.

use crate::builder;
use crate::execute::Outside;
use crate::tape::Unseen;
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

/// Whether operations of this thread run at once, and are not recorded into a graph.
///
/// ```
/// assert!(eagerflow::executing_eagerly());
/// ```
pub fn executing_eagerly() -> bool {
    builder::current().is_none() || !crate::execute::recording()
}

/// Runs `body` outside the graph that is being traced: at once, and not again when the traced function is called.
/// Outside of traces it just runs. Layers make their variables so.
///
/// What it gives is the same in all calls that the trace serves. So are random numbers, and a variable that is made of them and kept by
/// nobody else: `tf::init_scope(|| Variable::new(tf::random::normal([2], 0.0, 1.0)))` starts every call with the very numbers of the
/// first, of which a warning tells once. Draw outside of it for new numbers in each call; make what shall last outside of the function,
/// or keep it in a field, as layers do.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::init_scope(|| (tf::constant(1) + 1).item::<i32>()), 2);
/// ```
pub fn init_scope<R>(body: impl FnOnce() -> R) -> R {
    if !crate::execute::recording() {
        return body();
    }
    super::pins::note_scope();
    let _unseen = Unseen::start();
    let _outside = Outside::enter();
    let _closed = builder::set_aside();
    let result = body();
    super::eager_draws::end_scope();
    result
}
