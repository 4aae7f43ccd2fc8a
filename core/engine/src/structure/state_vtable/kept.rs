//! [`BoxedState`]: a value of a type that only its [`StateVtable`](super::StateVtable) knows, on the heap. Places keep copies of state in it, and
//! traces their results.

use std::ptr::NonNull;

/// A value of a type that only its table knows. It must not outlive what the value borrows.
pub(crate) struct BoxedState {
    pub(crate) value: NonNull<()>,
    drop: unsafe fn(NonNull<()>),
}

impl BoxedState {
    pub(crate) fn new<T>(value: T) -> Self {
        /// # Safety
        /// An address that `Box::into_raw` gave for a `T`, for the last time.
        unsafe fn free<T>(value: NonNull<()>) {
            // SAFETY: by the caller's promise.
            drop(unsafe { Box::from_raw(value.cast::<T>().as_ptr()) });
        }
        Self { value: NonNull::from(Box::leak(Box::new(value))).cast(), drop: free::<T> }
    }

    /// The value's address, good until the value is dropped.
    pub(crate) fn address(&self) -> *mut () {
        self.value.as_ptr()
    }

    /// The value.
    ///
    /// # Safety
    /// It was made of a `T`.
    pub(crate) unsafe fn take<T>(self) -> T {
        let value = self.value.cast::<T>();
        std::mem::forget(self);
        // SAFETY: by the caller's promise, and `self` is gone.
        *unsafe { Box::from_raw(value.as_ptr()) }
    }
}

impl Drop for BoxedState {
    fn drop(&mut self) {
        // SAFETY: the function of this value's type, called once.
        unsafe { (self.drop)(self.value) }
    }
}
