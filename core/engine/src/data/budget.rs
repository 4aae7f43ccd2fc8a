//! What the buffers of all passes may hold together where the library chooses their size: a budget of memory.
//! Buffers that are tuned note what they hold, and ask before they grow; users set the budget.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Unless it is set.
const DEFAULT: usize = 256 << 20;

static BUDGET: AtomicUsize = AtomicUsize::new(DEFAULT);
static HELD: AtomicUsize = AtomicUsize::new(0);

/// Sets how many bytes the elements that wait in buffers may have together, in all passes of the process, before buffers whose size is
/// [`AUTOTUNE`](crate::data::AUTOTUNE) stop growing; 256 MiB unless set. TensorFlow's `options.autotune.ram_budget`.
///
/// A buffer may always hold two elements, however large they are, so that something is computed ahead.
///
/// ```
/// use eagerflow as tf;
/// tf::data::set_ram_budget(64 << 20);
/// assert_eq!(tf::data::ram_budget(), 64 << 20);
/// # tf::data::set_ram_budget(256 << 20);
/// ```
pub fn set_ram_budget(bytes: usize) {
    BUDGET.store(bytes, Ordering::Relaxed);
}

/// How many bytes the elements that wait in tuned buffers may have together.
pub fn ram_budget() -> usize {
    BUDGET.load(Ordering::Relaxed)
}

/// How many bytes the elements have that wait in tuned buffers now.
///
/// ```
/// use eagerflow as tf;
/// let mut pass = tf::data::Dataset::range(5).prefetch(tf::data::AUTOTUNE).iter();
/// pass.next();
/// drop(pass);
/// println!("{} bytes wait", tf::data::ram_in_use());
/// ```
pub fn ram_in_use() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// The bytes that one buffer holds, which count until they are given back.
#[derive(Default)]
pub(super) struct Share {
    bytes: usize,
}

impl Share {
    pub fn take(&mut self, bytes: usize) {
        self.bytes += bytes;
        HELD.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn give_back(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        HELD.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether there is room for so many bytes more.
    pub fn has_room(more: usize) -> bool {
        ram_in_use().saturating_add(more) <= ram_budget()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        HELD.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
