//! Leaving the graph: how code inside a traced function runs at once while it is traced.
//! TensorFlow's `executing_eagerly` and `init_scope`; layers make their variables so.

use crate::execute::{Outside, listener, recording};
use crate::tape::Unseen;

/// Whether operations of this thread run at once, and are not recorded into a graph.
///
/// ```
/// assert!(eagerflow::executing_eagerly());
/// ```
pub fn executing_eagerly() -> bool {
    super::current().is_none() || !recording()
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
    if !recording() {
        return body();
    }
    let listener = listener();
    if let Some(listener) = listener {
        listener.scope_began();
    }
    let _unseen = Unseen::start();
    let _outside = Outside::enter();
    let _closed = super::set_aside();
    let result = body();
    if let Some(listener) = listener {
        listener.scope_ended();
    }
    result
}
