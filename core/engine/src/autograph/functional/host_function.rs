//! `host_function`: a closure of the host as an operation of the graph, run when the graph runs, with a gradient of its own or the one of
//! what it calls. Users call it; TensorFlow's `tf.py_function`.

use super::host_operation::{HostFunction, NAME, Run, Types};
use super::parts::{Parts, or_fail, with_tensors};
use crate::autodiff::{GradientOptions, GradientTape};
use crate::custom_gradient::{call, input};
use crate::execute::execute;
use crate::module::InputSpec;
use crate::structure::Nest;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::sync::Arc;

/// Runs `f` on `inputs`: at once, or, while a function is traced, whenever the graph runs. TensorFlow's `tf.py_function`.
///
/// `f` is given tensors with elements, and may do whatever Rust can: read them, write files, call other libraries. It is an effect, which a graph
/// keeps in program order and never leaves out. `outputs` says what it gives, as [`build`](crate::build()) is told of inputs: a shape of
/// `float32`, in which `None` is a size that only a run knows; a [`TensorSpec`](crate::TensorSpec) for other dtypes; a tuple or array of
/// these for several results.
///
/// The gradient runs `f` once more, under a tape, and is that of the library's operations in it. Where `f` leaves them, as
/// where it reads numbers, the gradient is an error: say it with [`host_function_with_gradient`], or write
/// [`stop_gradient`](crate::stop_gradient) around inputs. Variables that `f` reads are constants to gradients, as in
/// TensorFlow.
///
/// ```
/// use eagerflow::{self as tf, Tensor, tf_function};
///
/// #[tf_function]
/// fn sorted(x: &Tensor) -> Tensor {
///     let sort = |x: &Tensor| {
///         let mut numbers = x.to_vec::<f32>();
///         numbers.sort_by(f32::total_cmp);
///         tf::constant(numbers)
///     };
///     tf::host_function(sort, x, [None]) * 2.0
/// }
///
/// assert_eq!(sorted(&tf::constant([3.0, 1.0, 2.0])).to_vec::<f32>(), [2.0, 4.0, 6.0]);
/// ```
///
/// # Panics
/// Where `f` does, at the call or when the graph runs; if it gives other dtypes or shapes than were said.
#[track_caller]
pub fn host_function<I, S>(f: impl Fn(&I) -> S::Tensors + Send + Sync + 'static, inputs: &I, outputs: S) -> S::Tensors
where
    I: Nest + Send + Sync,
    S: InputSpec,
    S::Tensors: Nest,
{
    let (like, f) = (Arc::new(Like(inputs.map(&mut placeholder))), Arc::new(f));
    let run = {
        let (like, f) = (like.clone(), f.clone());
        move |given: &[&Tensor]| Ok(Parts::of(&f(&like.with(given))).tensors)
    };
    let again = move |given: &[&Tensor]| of_operations(&|given| Parts::of(&f(&like.with(given))).tensors, given);
    or_fail(recorded(Arc::new(run), inputs, &outputs, Arc::new(again)))
}

/// As [`host_function`], with the gradient: `gradient` is given the inputs, the outputs and the cotangents of the outputs, and gives
/// those of the inputs, in their structure. It too runs on the host, when the gradient is needed.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant(3.0);
/// let mut tape = tf::GradientTape::new();
/// tape.watch(&x);
/// let y = tf::host_function_with_gradient(
///     |x: &tf::Tensor| tf::constant(x.item::<f32>().powi(2)),
///     &x,
///     [0usize; 0],
///     |x, _, dy| x * 2.0 * dy,
/// );
/// assert_eq!(tape.gradient(&y, &x).item::<f32>(), 6.0);
/// ```
///
/// # Panics
/// As [`host_function`], and where `gradient` gives other dtypes or shapes than those of the inputs.
#[track_caller]
pub fn host_function_with_gradient<I, S>(
    f: impl Fn(&I) -> S::Tensors + Send + Sync + 'static,
    inputs: &I,
    outputs: S,
    gradient: impl Fn(&I, &S::Tensors, &S::Tensors) -> I + Send + Sync + 'static,
) -> S::Tensors
where
    I: Nest + Send + Sync,
    S: InputSpec,
    S::Tensors: Nest + Send + Sync,
{
    let given = Arc::new(Like(inputs.map(&mut placeholder)));
    let result = or_fail(outputs.tensors(&mut |_| crate::constant(0.0)).map(Like));
    let run = {
        let given = given.clone();
        move |tensors: &[&Tensor]| Ok(Parts::of(&f(&given.with(tensors))).tensors)
    };
    let own = Parts::of(inputs).tensors.len();
    let back = move |tensors: &[&Tensor]| {
        let (inputs, rest) = tensors.split_at(own);
        let (outputs, dys) = rest.split_at(rest.len() / 2);
        let given = gradient(&given.with(inputs), &result.with(outputs), &result.with(dys));
        Ok(Parts::of(&given).tensors)
    };
    or_fail(recorded(Arc::new(run), inputs, &outputs, Arc::new(back)))
}

/// A structure that is kept for its form.
struct Like<I>(I);

impl<I: Nest> Like<I> {
    /// The structure with these tensors.
    fn with(&self, tensors: &[&Tensor]) -> I {
        with_tensors(&self.0, tensors.iter().map(|&t| t.clone()).collect())
    }
}

/// Stands for a tensor where the form alone is kept.
fn placeholder(_: &Tensor) -> Tensor {
    crate::constant(0.0)
}

#[track_caller]
fn recorded<I: Nest, S: InputSpec>(run: Arc<Run>, inputs: &I, outputs: &S, back: Arc<Run>) -> Result<S::Tensors>
where
    S::Tensors: Nest,
{
    let mut types = Vec::new();
    let form = outputs.tensors(&mut |ty| {
        types.push(*ty);
        crate::constant(0.0)
    })?;
    let own = Parts::of(inputs).tensors;
    let call = call(NAME, input("inputs", &own));
    let results = execute(&HostFunction::new(run, Types::Said(types.into())), &own.iter().collect::<Vec<_>>())?;
    let kept: Vec<Tensor> = own.iter().chain(&results).cloned().collect();
    let follows: Arc<[usize]> = (0..own.len()).filter(|&i| own[i].dtype().is_differentiable()).collect();
    let rule = call.gradient_list(move |dys: &[Tensor]| {
        let mut given: Vec<Option<Tensor>> = vec![None; own.len()];
        let operands: Vec<&Tensor> = kept.iter().chain(dys).collect();
        let op = HostFunction::new(back.clone(), Types::OfInputs { follows: follows.clone(), of: own.len() });
        for (&i, dx) in follows.iter().zip(execute(&op, &operands)?) {
            given[i] = Some(dx);
        }
        Ok((given, Vec::<(Variable, Tensor)>::new()))
    });
    let list = call.try_finish((results.into_vec(), rule))?;
    Ok(with_tensors(&form, list))
}

/// The gradient of what `f` does with the library's operations: of inputs, outputs and cotangents of the outputs.
fn of_operations(f: &dyn Fn(&[&Tensor]) -> Vec<Tensor>, given: &[&Tensor]) -> Result<Vec<Tensor>> {
    // As many inputs as lie in front of as many outputs as cotangents: those are found by running `f`.
    let follows = |t: &&Tensor| t.dtype().is_differentiable();
    let mut tape = GradientTape::unwatched();
    given.iter().copied().filter(|t| follows(t)).for_each(|t| tape.watch(t));
    let outputs = f(given);
    let Some(count) = given.len().checked_sub(2 * outputs.len()) else {
        return Err(Error::invalid_argument(NAME, "the function gives another number of tensors when it runs again"));
    };
    let (inputs, dys) = (&given[..count], &given[count + outputs.len()..]);
    let (targets, dys): (Vec<&Tensor>, Vec<Tensor>) =
        outputs.iter().zip(dys).filter(|(y, _)| follows(y)).map(|(y, dy)| (y, (*dy).clone())).unzip();
    let sources: Vec<&Tensor> = inputs.iter().copied().filter(|t| follows(t)).collect();
    let options = GradientOptions::new().output_gradients(dys);
    let gradients = match targets.is_empty() || sources.is_empty() {
        true => None,
        false => Some(tape.try_gradient_with(&targets[..], &sources[..], &options)?),
    };
    let mut at = 0;
    let mut all = Vec::with_capacity(count);
    for input in inputs {
        if !follows(input) {
            all.push((*input).clone());
            continue;
        }
        let dx = gradients.as_ref().and_then(|gradients| gradients.get(at));
        all.push(dx.ok_or_else(|| no_gradient(at))?);
        at += 1;
    }
    Ok(all)
}

#[cold]
fn no_gradient(index: usize) -> Error {
    Error::invalid_argument(NAME, format!("the gradient by input {index} is not known: the function leaves the library's operations"))
        .got("a result that was not computed from it while a tape recorded")
        .expected("operations of the library from the input to a result, or a gradient that is given")
        .help("give the gradient with `host_function_with_gradient`, or `stop_gradient(x)` as the input where none shall flow")
}
