//! Who is told that a program reads elements: a trace under way, for which a number that was read may not change.
//! Everything that reads elements calls [`note_read`]; `function` sets the hook while it traces.

use super::Tensor;
use std::cell::Cell;
use std::panic::Location;

/// Is told the tensors whose elements are read, and where.
pub(crate) type ReadHook = fn(u64, Option<&'static Location<'static>>);

thread_local! {
    static HOOK: Cell<Option<ReadHook>> = const { Cell::new(None) };
}

/// Sets who is told of this thread's reads; gives the one before.
pub(crate) fn set_read_hook(hook: Option<ReadHook>) -> Option<ReadHook> {
    HOOK.replace(hook)
}

/// Tells the one who wants to know that elements are read.
#[inline]
pub(crate) fn note_read(tensor: &Tensor, location: Option<&'static Location<'static>>) {
    if let Some(hook) = HOOK.get() {
        hook(tensor.id(), location);
    }
}
