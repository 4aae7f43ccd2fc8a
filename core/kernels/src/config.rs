//! Settings of kernels for the whole process: how many threads they run on, how exactly GPUs multiply, and what devices have to
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

/// Whether GPUs may round the factors of products in `float32` to TensorFloat-32, which has 10 bits behind the point: 0 and 1
/// as set, 2 for the default.
static TENSOR_FLOAT_32: AtomicU8 = AtomicU8::new(2);

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
    TENSOR_FLOAT_32.store(u8::from(enabled), Ordering::Relaxed);
}

/// Whether GPUs may round the factors of products in `float32`, see [`enable_tensor_float_32_execution`].
///
/// ```
/// use eagerflow as tf;
/// tf::config::enable_tensor_float_32_execution(true);
/// assert!(tf::config::tensor_float_32_execution_enabled());
/// ```
pub fn tensor_float_32_execution_enabled() -> bool {
    match TENSOR_FLOAT_32.load(Ordering::Relaxed) {
        2 => {
            let wanted = std::env::var_os("EAGERFLOW_TF32").is_none_or(|v| v != "0");
            // Somebody who sets it meanwhile comes first.
            let _ = TENSOR_FLOAT_32.compare_exchange(2, u8::from(wanted), Ordering::Relaxed, Ordering::Relaxed);
            TENSOR_FLOAT_32.load(Ordering::Relaxed) == 1
        }
        set => set == 1,
    }
}
