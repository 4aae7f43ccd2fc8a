//! Settings of the whole process: how many threads kernels run on, and what devices have to say of themselves.
//! Users call these functions, as TensorFlow's `tf.config`.

mod devices;

pub use crate::function::{functions_run_eagerly, run_functions_eagerly, with_eager_functions};
pub use devices::*;

use crate::backend::cpu::team;

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
    team::threads()
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
    team::set_threads(count);
}
