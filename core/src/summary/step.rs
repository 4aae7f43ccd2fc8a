//! Steps of summaries, as programs give them: a number, a variable or a tensor that is read when the summary is written, or the default.
//! Every function of `tf::summary` takes one.

use engine::library::cast_to;
use engine::{AsTensor, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// What was given as a step.
#[derive(Clone, Debug)]
pub enum Step {
    /// A number.
    Number(i64),
    /// A tensor of an integer, which a traced function reads when it runs.
    Tensor(Tensor),
    /// A variable of an integer.
    Variable(Variable),
    /// The one of [`set_step`](super::set_step).
    Default,
}

/// What may be given as a step: an integer, a variable or tensor of one, or `()` for the default step.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a step",
    label = "expected an integer, `&Variable`, `&Tensor`, or `()` for the default step"
)]
pub trait IntoStep {
    /// The step.
    #[doc(hidden)]
    fn into_step(self) -> Step;
}

macro_rules! numbers {
    ($($t:ty),*) => {$(
        impl IntoStep for $t {
            #[inline]
            fn into_step(self) -> Step {
                Step::Number(i64::try_from(self).unwrap_or(i64::MAX))
            }
        }
    )*};
}

numbers!(i32, i64, u32, u64, usize);

impl IntoStep for () {
    fn into_step(self) -> Step {
        Step::Default
    }
}

impl IntoStep for &Variable {
    fn into_step(self) -> Step {
        Step::Variable(self.clone())
    }
}

impl IntoStep for &Tensor {
    fn into_step(self) -> Step {
        Step::Tensor(self.clone())
    }
}

impl IntoStep for Tensor {
    fn into_step(self) -> Step {
        Step::Tensor(self)
    }
}

impl IntoStep for Step {
    fn into_step(self) -> Step {
        self
    }
}

impl Step {
    /// The number, or the tensor that has it: a variable is read here.
    ///
    /// # Errors
    /// InvalidArgument for what is no integer, or not just one.
    #[track_caller]
    pub fn read(&self) -> Result<Read> {
        let tensor = match self {
            Self::Number(number) => return Ok(Read::Number(*number)),
            Self::Default => return Err(missing()),
            Self::Tensor(tensor) => tensor.clone(),
            Self::Variable(variable) => Tensor::clone(&variable.as_tensor()),
        };
        if tensor.rank() != 0 || !tensor.dtype().is_integer() {
            return Err(Error::invalid_argument("summary", "the step is no integer")
                .got(format!("{} {}", tensor.dtype(), tensor.shape()))
                .expected("one integer, of shape []"));
        }
        match engine::library::is_recorded(&tensor) {
            true => Ok(Read::Tensor(cast_to(&tensor, DType::I64)?)),
            false => number(&tensor).map(Read::Number),
        }
    }
}

/// A step that was read, or will be when a graph runs.
pub enum Read {
    /// A number.
    Number(i64),
    /// A value of the graph that is recorded, `int64`.
    Tensor(Tensor),
}

/// The number of a tensor of one integer.
pub fn number(tensor: &Tensor) -> Result<i64> {
    match tensor.dtype() {
        DType::I64 => tensor.try_item::<i64>(),
        _ => cast_to(tensor, DType::I64)?.try_item::<i64>(),
    }
}

#[cold]
pub fn missing() -> Error {
    Error::failed_precondition("summary", "there is no step")
        .got("`()` for the default step, which is not set")
        .help("give a step, or set the default one with `tf::summary::set_step`")
}
