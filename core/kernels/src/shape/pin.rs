//! Pins: what happens when host code reads a symbolic size as a number while a function is traced.
//! The tracer installs the hook for its thread; `Shape`'s number readings end here, on their cold side only.

use std::cell::Cell;
use std::collections::HashSet;
use std::panic::Location;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::Dim;
use crate::error::{Error, OrFail, Result};

/// Gives the number of a symbolic size that is read at a source line, and notes that the trace holds only for it. It answers
/// an error rather than panic: whoever reads the size is the panic's place.
pub type PinHook = fn(Dim, &'static Location<'static>) -> Result<usize>;

thread_local! {
    static HOOK: Cell<Option<PinHook>> = const { Cell::new(None) };
}

/// Installs this thread's hook and returns the one before, which the caller puts back when its trace ends.
pub fn set_pin_hook(hook: Option<PinHook>) -> Option<PinHook> {
    HOOK.replace(hook)
}

/// This thread's hook.
pub fn pin_hook() -> Option<PinHook> {
    HOOK.get()
}

/// The number of one size, read by the caller.
#[cold]
#[track_caller]
pub(super) fn pin(size: Dim) -> usize {
    read(size, Location::caller()).or_fail()
}

fn read(size: Dim, at: &'static Location<'static>) -> Result<usize> {
    size.valid().map_err(|e| e.in_op("shape").at(at))?;
    match (size.known_value(), HOOK.get()) {
        (Some(size), _) => Ok(size),
        (None, Some(hook)) => hook(size, at),
        (None, None) => Err(Error::failed_precondition(
            "shape",
            format!("the size {size} was read as a number, but it has none here"),
        )
        .at(at)
        .expected("a size that is known, or a function being traced on this thread")
        .help("use `x.dim(i)`, which stays a size, or read the shape of an eager tensor")),
    }
}

/// The numbers of several sizes, as a slice that lives on: equal slices are one, so that there are few.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn pin_all(sizes: &[Dim]) -> &'static [usize] {
    static SLICES: LazyLock<Mutex<HashSet<&'static [usize]>>> = LazyLock::new(Mutex::default);
    // The hook is foreign code: it runs before the lock is taken.
    let at = Location::caller();
    let numbers: Vec<usize> = sizes.iter().map(|&size| read(size, at)).collect::<Result<_>>().or_fail();
    let mut slices = SLICES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(slice) = slices.get(numbers.as_slice()) {
        return slice;
    }
    let slice: &'static [usize] = Box::leak(numbers.into_boxed_slice());
    slices.insert(slice);
    slice
}
