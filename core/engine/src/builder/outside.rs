//! Leaving the graph: how code inside a traced function runs at once while it is traced.
//! TensorFlow's `executing_eagerly` and `init_scope`; layers make their variables so.

use super::stack::Aside;
use crate::execute::{Outside, listener, recording};
use crate::tape::Unseen;
use kernels::shape::{PinHook, set_pin_hook};

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
    let apart = Apart::begin();
    let result = body();
    drop(apart);
    if let Some(listener) = listener {
        listener.scope_ended();
    }
    result
}

/// While it lives, this thread is apart from what is going on: neither tapes nor a trace under way see what it does, and a graph that is
/// open goes on behind it.
pub(crate) struct Apart {
    // Ended in this order, the reverse of the beginning.
    _sizes: Option<HookBefore>,
    _closed: Aside,
    _outside: Outside,
    _unseen: Unseen,
}

impl Apart {
    /// For code that runs at once, or opens a graph of its own.
    pub fn begin() -> Self {
        let _unseen = Unseen::start();
        let _outside = Outside::enter();
        Self { _sizes: None, _closed: super::set_aside(), _outside, _unseen }
    }

    /// The same, where `read` says what an open size is when somebody reads its number; without one that is an error.
    pub fn reading(read: Option<PinHook>) -> Self {
        let apart = Self::begin();
        Self { _sizes: Some(HookBefore(set_pin_hook(read))), ..apart }
    }
}

/// The hook of before, put back also where the code panics.
struct HookBefore(Option<PinHook>);

impl Drop for HookBefore {
    fn drop(&mut self) {
        set_pin_hook(self.0);
    }
}
