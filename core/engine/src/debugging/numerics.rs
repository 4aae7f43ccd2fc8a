//! Checks for NaN and infinities: of all operations, as TensorFlow's `tf.debugging.enable_check_numerics`, and of one tensor.
//! Users switch the mode on when a loss has become NaN.

use crate::execute::{checks_numerics, set_check_numerics};
use crate::ops::{self, AsTensor};
use crate::tensor::Tensor;
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// From here on, on this thread, an operation that makes NaN or an infinity is an error that names it and the user's line.
///
/// TensorFlow's function of this name; as there it holds for the calling thread, and calling it twice is calling it once. The first
/// line of the error says the operation, dtype and shape of its result, how many elements are NaN, +Inf and -Inf of how many, and the
/// line. What follows tells the range of each operand, or that the operand had such numbers already. Checked are operations that run
/// at once, those of the walk backwards (`gradient of sqrt`), and those of traced functions, `fit` included: while the mode holds, their
/// graphs run node by node as they were recorded, so that fusion hides nothing. Nothing is traced anew. Operations that only pass
/// numbers on (views, copies, `where`, `maximum`, `minimum`, constants) are left out, as in TensorFlow.
///
/// Every result is read, and one of a GPU waited for: for finding a fault, not for training. While the mode is off it costs nothing.
///
/// ```
/// use eagerflow as tf;
/// tf::debugging::enable_check_numerics();
/// let x = tf::constant([4.0, -1.0]);
/// let error = tf::try_sqrt(&x).unwrap_err().to_string();
/// tf::debugging::disable_check_numerics();
/// let first = error.lines().next().unwrap();
/// assert!(first.contains("sqrt: the result, float32[2], has 1 NaN, 0 +Inf and 0 -Inf among 2 elements"), "{error}");
/// assert!(tf::sqrt(&x).to_vec::<f32>()[1].is_nan());
/// ```
pub fn enable_check_numerics() {
    set_check_numerics(true);
}

/// Undoes [`enable_check_numerics`] on this thread; TensorFlow's function of this name.
///
/// ```
/// use eagerflow as tf;
/// tf::debugging::enable_check_numerics();
/// tf::debugging::disable_check_numerics();
/// assert!(!tf::debugging::check_numerics_enabled());
/// ```
pub fn disable_check_numerics() {
    set_check_numerics(false);
}

/// Whether operations of this thread are checked for NaN and infinities.
///
/// ```
/// assert!(!eagerflow::debugging::check_numerics_enabled());
/// ```
pub fn check_numerics_enabled() -> bool {
    checks_numerics()
}

/// Runs `body` as under [`enable_check_numerics`], and puts back what held before, also after a panic.
///
/// ```
/// use eagerflow as tf;
/// let zero = tf::constant(0.0);
/// let error = tf::debugging::with_check_numerics(|| tf::try_log(&zero)).unwrap_err();
/// assert!(error.to_string().contains("1 -Inf"));
/// assert!(tf::try_log(&zero).is_ok());
/// ```
pub fn with_check_numerics<R>(body: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            set_check_numerics(self.0);
        }
    }
    let _back = Back(set_check_numerics(true));
    body()
}

/// The tensor itself, if no element is NaN or infinite; its gradient must be finite too. TensorFlow's function of this name.
/// Floating-point only.
///
/// In a traced function the check is a part of the graph, and its error that of the call.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([0.0, 4.0]);
/// let mut tape = tf::GradientTape::new();
/// tape.watch(&x);
/// let y = tf::sqrt(tf::debugging::check_numerics(&x, "the squares"));
/// let error = tape.try_gradient(&y, &x).unwrap_err().to_string();
/// assert!(error.contains("in the gradient: the squares") && error.contains("x[0] = inf"), "{error}");
/// ```
///
/// # Panics
/// Where [`try_check_numerics`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn check_numerics(x: impl AsTensor, message: &str) -> Tensor {
    try_check_numerics(x, message).or_fail()
}

/// [`check_numerics`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument where an element is NaN or infinite, with its place, and for a tensor that is not floating-point.
#[track_caller]
pub fn try_check_numerics(x: impl AsTensor, message: &str) -> Result<Tensor> {
    let here = Location::caller();
    ops::check_numerics(&x.as_tensor(), message).map_err(|e| e.in_op("check_numerics").at(here))
}
