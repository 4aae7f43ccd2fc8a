//! Settings of kernels for the whole process: how many threads they run on, how exactly they multiply and convolve, and what devices have to
//! say of themselves. Users call these functions, as TensorFlow's `tf.config`; kernels ask for the values.

mod devices;

pub use devices::*;

use crate::backend::cpu::thread_pool;
use std::sync::atomic::{AtomicU8, Ordering};

/// The number of threads that kernels run on, the calling thread included.
///
/// It is the number of processors that this process may use, unless [`set_threads`] or the environment variable
/// `EAGERFLOW_THREADS` says otherwise. Results do not depend on it, down to the last bit.
///
/// ```
/// use eagerflow as tf;
/// assert!(tf::config::threads() >= 1);
/// ```
pub fn threads() -> usize {
    thread_pool::threads()
}

/// Sets the number of threads that kernels run on, the calling thread included, from the next operation on; 0 stands for
/// the default.
///
/// ```
/// use eagerflow as tf;
/// tf::config::set_threads(1);
/// assert_eq!(tf::config::threads(), 1);
/// tf::config::set_threads(0);
/// ```
pub fn set_threads(count: usize) {
    thread_pool::set_threads(count);
}

/// A setting that is on unless an environment variable is `0`, or until somebody sets it.
struct Switch {
    variable: &'static str,
    /// 0 and 1 as set, 2 for the default.
    state: AtomicU8,
}

impl Switch {
    const fn new(variable: &'static str) -> Self {
        Self { variable, state: AtomicU8::new(2) }
    }

    fn set(&self, on: bool) {
        self.state.store(u8::from(on), Ordering::Relaxed);
    }

    #[inline]
    fn is_on(&self) -> bool {
        match self.state.load(Ordering::Relaxed) {
            2 => self.ask(),
            set => set == 1,
        }
    }

    #[cold]
    fn ask(&self) -> bool {
        let wanted = std::env::var_os(self.variable).is_none_or(|v| v != "0");
        // Somebody who sets it meanwhile comes first.
        let _ = self.state.compare_exchange(2, u8::from(wanted), Ordering::Relaxed, Ordering::Relaxed);
        self.state.load(Ordering::Relaxed) == 1
    }
}

/// Whether GPUs may round the factors of products in `float32` to TensorFloat-32, which has 10 bits behind the point.
static TENSOR_FLOAT_32: Switch = Switch::new("EAGERFLOW_TF32");
/// Whether convolutions may be computed by Winograd's transforms.
static WINOGRAD: Switch = Switch::new("EAGERFLOW_WINOGRAD");

/// Allows or forbids GPUs to round the factors of products in `float32` to TensorFloat-32: much faster, with three digits of
/// each factor. Sums keep all digits.
///
/// TensorFlow's `tf.config.experimental.enable_tensor_float_32_execution`, and as there it is allowed by default, unless the
/// environment variable `EAGERFLOW_TF32` is `0`. On the CPU nothing changes.
///
/// ```
/// use eagerflow as tf;
/// tf::config::enable_tensor_float_32_execution(false);
/// assert!(!tf::config::tensor_float_32_execution_enabled());
/// # tf::config::enable_tensor_float_32_execution(true);
/// ```
pub fn enable_tensor_float_32_execution(enabled: bool) {
    TENSOR_FLOAT_32.set(enabled);
}

/// Whether GPUs may round the factors of products in `float32`, see [`enable_tensor_float_32_execution`].
///
/// ```
/// use eagerflow as tf;
/// tf::config::enable_tensor_float_32_execution(true);
/// assert!(tf::config::tensor_float_32_execution_enabled());
/// ```
pub fn tensor_float_32_execution_enabled() -> bool {
    TENSOR_FLOAT_32.is_on()
}

/// Allows or forbids convolutions on the CPU to use Winograd's transforms, with which filters of 3x3 that move by one pixel take down to a
/// third of the time. They are allowed by default, unless the environment variable `EAGERFLOW_WINOGRAD` is `0`.
///
/// The sums are added up in another order, with errors of rounding of the same order as those of plain sums: 0.3 to 2.6 times as large in
/// the root of the mean square. The 16 outputs of a tile share these errors: a zero between large numbers may become a tiny one. They also
/// share infinities and NaN, which reach neighbours that do not read them. Where that matters, forbid the transforms.
///
/// A convolution keeps what was allowed when it was called, and so do its gradients; a traced function keeps what was allowed when it
/// was traced.
///
/// ```
/// use eagerflow as tf;
/// tf::config::enable_winograd_convolutions(false);
/// assert!(!tf::config::winograd_convolutions_enabled());
/// # tf::config::enable_winograd_convolutions(true);
/// ```
pub fn enable_winograd_convolutions(enabled: bool) {
    WINOGRAD.set(enabled);
}

/// Whether convolutions on the CPU may use Winograd's transforms, see [`enable_winograd_convolutions`].
///
/// ```
/// use eagerflow as tf;
/// tf::config::enable_winograd_convolutions(true);
/// assert!(tf::config::winograd_convolutions_enabled());
/// ```
#[inline]
pub fn winograd_convolutions_enabled() -> bool {
    WINOGRAD.is_on()
}
