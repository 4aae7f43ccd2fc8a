//! The functional forms of TensorFlow's first eager API: from a function to the function that is its gradient.
//! Each call runs the function under a tape of its own; the results are functions again, so they can be nested.

use super::{GradientTape, Sources};
use crate::tape::Gradients;
use crate::tensor::Tensor;
use crate::tensor::local::InName;
use crate::variable::Variable;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// A function of one or several tensors whose gradients by its parameters can be asked for.
pub trait TensorFunction<'f, Parameters> {
    /// The gradients as a function.
    type Gradients;
    /// Value and gradients as a function.
    type ValueAndGradients;
    /// The function of its gradients.
    #[doc(hidden)]
    fn gradients(self, location: &'static Location<'static>) -> Self::Gradients;
    /// The function of its value and gradients.
    #[doc(hidden)]
    fn value_and_gradients(self, location: &'static Location<'static>) -> Self::ValueAndGradients;
}

/// The value of `f` and its gradients by `sources`, which are watched.
fn differentiate<S: Sources>(
    sources: S,
    f: impl FnOnce() -> Tensor,
    location: &'static Location<'static>,
) -> (Tensor, S::Answer) {
    // As in TensorFlow, only the parameters are followed, not the variables that are read.
    let mut tape = GradientTape::unwatched();
    for handle in sources.handles() {
        tape.watch(handle);
    }
    let value = f();
    let _name = InName::of(Some(location));
    let answer = tape.try_gradient(&value, sources).or_fail();
    (value, answer)
}

macro_rules! functions {
    ($(($($x:ident: $t:ident),*) $sources:expr, $answer:ty;)*) => {$(
        impl<'f, F: Fn($(&$t),*) -> Tensor + 'f> TensorFunction<'f, ($($t,)*)> for F {
            type Gradients = Box<dyn Fn($(&$t),*) -> $answer + 'f>;
            type ValueAndGradients = Box<dyn Fn($(&$t),*) -> (Tensor, $answer) + 'f>;
            fn gradients(self, location: &'static Location<'static>) -> Self::Gradients {
                Box::new(move |$($x: &$t),*| differentiate($sources, || self($($x),*), location).1)
            }
            fn value_and_gradients(self, location: &'static Location<'static>) -> Self::ValueAndGradients {
                Box::new(move |$($x: &$t),*| differentiate($sources, || self($($x),*), location))
            }
        }
    )*};
}

functions! {
    (a: Tensor) a, Tensor;
    (a: Tensor, b: Tensor) (a, b), (Tensor, Tensor);
    (a: Tensor, b: Tensor, c: Tensor) (a, b, c), (Tensor, Tensor, Tensor);
    (a: Tensor, b: Tensor, c: Tensor, d: Tensor) (a, b, c, d), (Tensor, Tensor, Tensor, Tensor);
}

/// The function that computes the gradients of `f` by its parameters.
///
/// One parameter gives one tensor, several a tuple. The answer is a function as well, so it can be differentiated again.
/// Applied to a function that reads variables, it leaves those out; see [`implicit_gradients`].
///
/// ```
/// use eagerflow as tf;
/// let cube = |x: &tf::Tensor| x * x * x;
/// let first = tf::gradients_function(cube);
/// let second = tf::gradients_function(tf::gradients_function(cube));
/// let x = tf::constant(2.0);
/// assert_eq!((first(&x).item::<f32>(), second(&x).item::<f32>()), (12.0, 12.0));
///
/// let both = tf::gradients_function(|x: &tf::Tensor, y: &tf::Tensor| x * y);
/// let (dx, dy) = both(&x, &tf::constant(5.0));
/// assert_eq!((dx.item::<f32>(), dy.item::<f32>()), (5.0, 2.0));
/// ```
///
/// # Panics
/// The function that it answers panics where [`GradientTape::try_gradient`] fails: the result is not floating-point,
/// or does not depend on a parameter.
#[track_caller]
pub fn gradients_function<'f, P, F: TensorFunction<'f, P>>(f: F) -> F::Gradients {
    f.gradients(Location::caller())
}

/// As [`gradients_function`], with the value of `f` before the gradients.
///
/// ```
/// use eagerflow as tf;
/// let square = tf::value_and_gradients_function(|x: &tf::Tensor| x * x);
/// let (value, slope) = square(&tf::constant(3.0));
/// assert_eq!((value.item::<f32>(), slope.item::<f32>()), (9.0, 6.0));
/// ```
///
/// # Panics
/// As [`gradients_function`].
#[track_caller]
pub fn value_and_gradients_function<'f, P, F: TensorFunction<'f, P>>(f: F) -> F::ValueAndGradients {
    f.value_and_gradients(Location::caller())
}

/// A function of up to four references, with a tensor as its result: a loss.
pub trait LossFunction<'f, Parameters> {
    /// The gradients as a function.
    type Gradients;
    /// Value and gradients as a function.
    type ValueAndGradients;
    /// The function of its gradients.
    #[doc(hidden)]
    fn gradients(self, location: &'static Location<'static>) -> Self::Gradients;
    /// The function of its value and gradients.
    #[doc(hidden)]
    fn value_and_gradients(self, location: &'static Location<'static>) -> Self::ValueAndGradients;
}

/// The value of `f`, and its gradients by the trainable variables that it reads.
fn differentiate_variables(
    f: impl FnOnce() -> Tensor,
    location: &'static Location<'static>,
) -> (Tensor, (Gradients, Vec<Variable>)) {
    let tape = GradientTape::new();
    let value = f();
    let variables = tape.watched_variables();
    let gradients = match variables.is_empty() {
        true => Err(Error::invalid_argument("implicit_gradients", "the function read no trainable variable")
            .help("use `gradients_function` for gradients by the parameters")),
        false => {
            let _name = InName::of(Some(location));
            tape.try_gradient(&value, &variables)
        }
    };
    let gradients: Result<Gradients> = gradients.map_err(|e| e.at(location));
    (value, (gradients.or_fail(), variables))
}

macro_rules! losses {
    ($(($($x:ident: $t:ident),*);)*) => {$(
        impl<'f, $($t: ?Sized + 'f,)* F: Fn($(&$t),*) -> Tensor + 'f> LossFunction<'f, ($(&'f $t,)*)> for F {
            type Gradients = Box<dyn Fn($(&$t),*) -> (Gradients, Vec<Variable>) + 'f>;
            type ValueAndGradients = Box<dyn Fn($(&$t),*) -> (Tensor, (Gradients, Vec<Variable>)) + 'f>;
            fn gradients(self, location: &'static Location<'static>) -> Self::Gradients {
                Box::new(move |$($x: &$t),*| differentiate_variables(|| self($($x),*), location).1)
            }
            fn value_and_gradients(self, location: &'static Location<'static>) -> Self::ValueAndGradients {
                Box::new(move |$($x: &$t),*| differentiate_variables(|| self($($x),*), location))
            }
        }
    )*};
}

losses! {
    ();
    (a: A);
    (a: A, b: B);
    (a: A, b: B, c: C);
    (a: A, b: B, c: C, d: D);
}

/// The function that computes the gradients of `f` by the trainable variables it reads, with these variables in the
/// order of their first read: what an optimizer takes.
///
/// ```
/// use eagerflow as tf;
/// let w = tf::Variable::new(3.0);
/// let loss = |x: &tf::Tensor| x * &w;
/// let slope = tf::implicit_gradients(loss);
/// let (gradients, variables) = slope(&tf::constant(5.0));
/// assert_eq!(gradients.get(0).unwrap().item::<f32>(), 5.0);
/// assert_eq!(variables[0].id(), w.id());
/// ```
///
/// # Panics
/// The function that it answers panics if `f` reads no trainable variable, or its result is not floating-point.
#[track_caller]
pub fn implicit_gradients<'f, P, F: LossFunction<'f, P>>(f: F) -> F::Gradients {
    f.gradients(Location::caller())
}

/// As [`implicit_gradients`], with the value of `f` before the gradients.
///
/// ```
/// use eagerflow as tf;
/// let w = tf::Variable::new(3.0);
/// let step = tf::implicit_value_and_gradients(|| &w * &w);
/// let (loss, (gradients, _)) = step();
/// assert_eq!((loss.item::<f32>(), gradients.get(0).unwrap().item::<f32>()), (9.0, 6.0));
/// ```
///
/// # Panics
/// As [`implicit_gradients`].
#[track_caller]
pub fn implicit_value_and_gradients<'f, P, F: LossFunction<'f, P>>(f: F) -> F::ValueAndGradients {
    f.value_and_gradients(Location::caller())
}
