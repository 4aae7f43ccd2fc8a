//! `recompute_grad`: a function whose gradient computes it once more, in place of keeping what it computed in between.
//! Users wrap the blocks of deep models with it; it is a custom gradient function, whose closure runs the function under a tape.

use super::parts::{Parts, with_tensors};
use crate::autodiff::{GradientOptions, GradientTape};
use crate::custom_gradient::{call, input};
use crate::graph::control::barrier::barrier;
use crate::ops::functions::zeros_like;
use crate::structure::Nest;
use crate::tape::Unseen;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{OrFail, Result};
use std::rc::Rc;

/// `f` as a function that keeps its inputs for the gradient, and nothing that it computes from them: the gradient runs it again.
/// TensorFlow's `tf.recompute_grad`, gradient checkpointing (Chen et al., 2016).
///
/// A model of n blocks that are wrapped so needs the memory of n inputs and of one block, and computes each block twice. The gradient is
/// the same, of every order, by inputs and by trainable variables that `f` reads. `f` must give the same when it runs again: what
/// it draws at random are new numbers, so draw with `stateless` functions, and variables that it changes are changed twice.
///
/// ```
/// use eagerflow as tf;
/// let w = tf::Variable::new(2.0);
/// let block = tf::recompute_grad({
///     let w = w.clone();
///     move |x: &tf::Tensor| tf::tanh(x * &w)
/// });
/// let tape = tf::GradientTape::new();
/// let y = block(&block(&tf::constant(0.5)));
/// let plain = tf::GradientTape::new();
/// let z = tf::tanh(tf::tanh(tf::constant(0.5) * &w) * &w);
/// assert_eq!(tape.gradient(&y, &w).item::<f32>(), plain.gradient(&z, &w).item::<f32>());
/// ```
///
/// # Panics
/// The function that it gives panics where `f` does.
pub fn recompute_grad<I: Nest, O: Nest>(f: impl Fn(&I) -> O + 'static) -> impl Fn(&I) -> O {
    let f: Rc<dyn Fn(&I) -> O> = Rc::new(f);
    move |inputs: &I| first(&f, inputs)
}

/// The call itself.
#[track_caller]
fn first<I: Nest, O: Nest>(f: &Rc<dyn Fn(&I) -> O>, inputs: &I) -> O {
    let handles = Parts::of(inputs).tensors;
    let call = call("recompute_grad", input("inputs", &handles));
    let outputs = {
        // No tape keeps what it computes.
        let _unseen = Unseen::start();
        f(inputs)
    };
    let (again, inputs) = (f.clone(), with_tensors(inputs, handles));
    let rule = call.gradient_list(move |dys: &[Tensor]| second(&*again, &inputs, dys));
    let list = call.try_finish((Parts::of(&outputs).tensors, rule)).or_fail();
    with_tensors(&outputs, list)
}

/// Cotangents of inputs, where there are any, and of variables.
type Cotangents = (Vec<Option<Tensor>>, Vec<(Variable, Tensor)>);

/// The function once more, under a tape.
fn second<I: Nest, O: Nest>(f: &dyn Fn(&I) -> O, inputs: &I, dys: &[Tensor]) -> Result<Cotangents> {
    let own = Parts::of(inputs).tensors;
    let follows = |t: &Tensor| t.dtype().is_differentiable();
    let after = dys.iter().find(|dy| follows(dy));
    let mut fresh = Vec::with_capacity(own.len());
    for tensor in own {
        fresh.push(match after.filter(|_| follows(&tensor)) {
            Some(after) => barrier(&tensor, after)?,
            None => tensor,
        });
    }
    let mut tape = GradientTape::new();
    fresh.iter().filter(|t| follows(t)).for_each(|t| tape.watch(t));
    let outputs = Parts::of(&f(&with_tensors(inputs, fresh.clone()))).tensors;
    let variables = tape.watched_variables();
    let (targets, dys): (Vec<&Tensor>, Vec<Tensor>) =
        outputs.iter().zip(dys).filter(|(y, _)| follows(y)).map(|(y, dy)| (y, dy.clone())).unzip();
    let sources: Vec<&Tensor> =
        fresh.iter().filter(|t| follows(t)).chain(variables.iter().map(Variable::as_handle)).collect();
    if targets.is_empty() || sources.is_empty() {
        return Ok((vec![None; fresh.len()], Vec::new()));
    }
    let options = GradientOptions::new().output_gradients(dys);
    let gradients = tape.try_gradient_with(&targets[..], &sources[..], &options)?;
    let mut at = 0;
    let mut next = || {
        at += 1;
        gradients.get(at - 1)
    };
    let given: Vec<Option<Tensor>> = fresh.iter().map(|t| follows(t).then(&mut next).flatten()).collect();
    let mut of_variables = Vec::new();
    for variable in variables {
        let dv = match next() {
            Some(dv) => dv,
            None => zeros_like(variable.value()),
        };
        of_variables.push((variable, dv));
    }
    Ok((given, of_variables))
}
