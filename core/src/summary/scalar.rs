//! `scalar`: one number at a step, which TensorBoard draws as a curve.
//! Programs call it most, so that a number outside of traced functions goes to the queue without a tensor and without an operation.

use super::encode::{metadata, now, numbers};
use super::state::{Plain, default_number, with_plain_writer};
use super::step::{IntoStep, Step};
use super::work::{Content, check_scalar, scalar_of, write, write_scalar};
use engine::library::{OrFail, is_recorded, named_scope};
use engine::{AsTensor, Tensor, TensorType, Variable, try_constant};
use formats::events::SummaryMetadata;
use formats::messages::{DataType, TensorProto};
use kernels::error::Result;
use std::panic::Location;
use std::sync::Arc;

/// What may be given as a scalar's value: a number of Rust, or a tensor or variable of one real number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scalar",
    label = "expected a number, `&Tensor` or `&Variable`"
)]
pub trait IntoScalar {
    /// The value.
    #[doc(hidden)]
    fn into_scalar(self) -> Scalar;
}

/// The value of a scalar.
pub enum Scalar {
    /// A number of the program.
    Number(f32),
    /// A tensor, perhaps of a graph.
    Tensor(Tensor),
}

macro_rules! numbers_of_rust {
    ($($t:ty),*) => {$(
        impl IntoScalar for $t {
            #[inline]
            #[allow(clippy::cast_lossless, reason = "the same for all")]
            fn into_scalar(self) -> Scalar {
                Scalar::Number(self as f32)
            }
        }
    )*};
}

numbers_of_rust!(f32, f64, i32, i64, u32, u64, usize);

impl IntoScalar for Tensor {
    fn into_scalar(self) -> Scalar {
        Scalar::Tensor(self)
    }
}

impl IntoScalar for &Tensor {
    fn into_scalar(self) -> Scalar {
        Scalar::Tensor(self.clone())
    }
}

impl IntoScalar for &Variable {
    #[track_caller]
    fn into_scalar(self) -> Scalar {
        Scalar::Tensor(Tensor::clone(&self.as_tensor()))
    }
}

/// Writes a number at a step of the default writer; without a default writer it does nothing, as in TensorFlow. The tag is the name
/// behind the open [`name_scope`](crate::name_scope)s. In a traced function it is an effect in program order, with the writer that was the
/// default one when the function was traced.
///
/// The value becomes a `float32`. The step is an integer, a variable or tensor of one, or `()` for that of
/// [`set_step`](super::set_step).
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-scalar-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// tf::summary::scalar("loss", 0.5, 1);
/// tf::summary::scalar("accuracy", tf::constant(0.9), 1);
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_scalar`] fails, at the caller's line.
#[track_caller]
pub fn scalar(name: &str, value: impl IntoScalar, step: impl IntoStep) {
    try_scalar(name, value, step).or_fail();
}

/// Writes a number at a step of the default writer; without one it does nothing.
///
/// # Errors
/// InvalidArgument for a value that is not one real number or a step that is not one integer; FailedPrecondition without a step, or for a
/// writer that is closed. What the disk refuses is an error of [`flush`](super::flush).
#[track_caller]
pub fn try_scalar(name: &str, value: impl IntoScalar, step: impl IntoStep) -> Result<()> {
    let here = Location::caller();
    let (value, step) = (value.into_scalar(), step.into_step());
    if let Some(done) = at_once(name, &value, &step) {
        return done.map_err(|e| e.at(here));
    }
    let tensor = match value {
        Scalar::Number(number) => try_constant(number).map_err(|e| e.at(here))?,
        Scalar::Tensor(tensor) => tensor,
    };
    write_scalar(name, &tensor, step).map_err(|e| e.at(here))
}

/// The short way, for what is known outside of traced functions and conditions; `None` if that is not so.
fn at_once(name: &str, value: &Scalar, step: &Step) -> Option<Result<()>> {
    let step = match step {
        Step::Number(number) => *number,
        Step::Default => default_number()?,
        _ => return None,
    };
    if matches!(value, Scalar::Tensor(tensor) if is_recorded(tensor)) {
        return None;
    }
    let plain = with_plain_writer(|writer| {
        let Some(queue) = writer.queue() else { return Ok(()) };
        let value = match value {
            Scalar::Number(number) => *number,
            Scalar::Tensor(tensor) => {
                check_scalar(engine::library::Typed::ty(tensor)).and_then(|()| scalar_of(tensor))?
            }
        };
        match named_scope() {
            None => queue.push_scalar(("", name), now(), step, value),
            Some(scope) => queue.push_scalar((&format!("{scope}/"), name), now(), step, value),
        }
    });
    match plain {
        Plain::NoWriter => Some(Ok(())),
        Plain::Done(done) => Some(done),
        Plain::Other => None,
    }
}

/// A scalar with a text beside it.
struct Described(String);

impl Content for Described {
    fn name(&self) -> &'static str {
        "summary.scalar"
    }

    fn metadata(&self) -> SummaryMetadata {
        metadata("scalars", Vec::new(), &self.0)
    }

    fn check(&self, inputs: &[&TensorType]) -> Result<()> {
        check_scalar(inputs[0])
    }

    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto> {
        Ok(numbers(DataType::Float, scalar_of(&inputs[0])?.to_le_bytes().to_vec(), &[]))
    }
}

/// [`scalar`] with a text in Markdown that TensorBoard shows beside the curve.
///
/// # Panics
/// As [`try_scalar_described`] fails, at the caller's line.
#[track_caller]
pub fn scalar_described(name: &str, value: impl IntoScalar, step: impl IntoStep, description: &str) {
    try_scalar_described(name, value, step, description).or_fail();
}

/// [`try_scalar`] with a text beside the curve.
///
/// # Errors
/// As [`try_scalar`].
#[track_caller]
pub fn try_scalar_described(name: &str, value: impl IntoScalar, step: impl IntoStep, description: &str) -> Result<()> {
    let here = Location::caller();
    let tensor = match value.into_scalar() {
        Scalar::Number(number) => try_constant(number),
        Scalar::Tensor(tensor) => Ok(tensor),
    };
    let content = Arc::new(Described(description.to_owned()));
    tensor.and_then(|tensor| write(content, name, &[&tensor], step)).map_err(|e| e.at(here))
}
