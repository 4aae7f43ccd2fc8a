//! What the sample networks share: the trait, the traced training step, and weights by a formula of their place that the peers compute too.
//! The networks' files and `steps.rs` use it; `shapes/peer.py` has the same formula in Python.

use crate::inputs::{labels, numbers};
use eagerflow as tf;
use tf::optim::{Adam, Optimizer, SGD};
use tf::{GradientTape, Module, Tensor, tf_function};

/// The seed of the first variable; each further one has the next.
const SEED: u32 = 100;

/// A network and its loss.
pub trait Network: Module + Send + Sync {
    /// The mean loss of a batch, as a training sees it.
    fn loss(&self, x: &Tensor, y: &Tensor) -> Tensor;
}

/// A training step, bound to a network and its data.
pub struct Step {
    /// Makes a step, of which the loss comes.
    pub run: Box<dyn Fn() -> Tensor>,
    /// What the traced step does, with the times that `tf::profile` measured.
    pub plan: Box<dyn Fn() -> String>,
}

/// Forward, loss, gradients and the optimizer's update as one graph.
#[tf_function]
fn step<N: Network + 'static, O: Optimizer + 'static>(network: &N, optimizer: &O, x: &Tensor, y: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = network.loss(x, y);
    let variables = network.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// The step of a network whose layers are built by a first call and then get the formula's weights.
fn trained<N: Network + 'static, O: Optimizer + 'static>(network: N, optimizer: O, [x, y]: [Tensor; 2]) -> Step {
    network.loss(&x, &y);
    for (seed, variable) in (SEED..).zip(network.trainable_variables()) {
        let shape = variable.shape().dims().to_vec();
        let first = variable.value().to_vec::<f32>();
        // Offsets and scales stay what their layers made them: zeros and ones.
        if first.iter().any(|value| *value != first[0]) {
            let rows = first.len() / shape[shape.len() - 1];
            variable.assign(numbers(seed, &shape) * (12.0 / rows as f32).sqrt());
        }
    }
    Step {
        run: Box::new(move || step(&network, &optimizer, &x, &y)),
        plan: Box::new(|| tf::function(step::<N, O>).plan().unwrap_or_default()),
    }
}

/// The step with Adam, for all but networks of images.
pub fn with_adam<N: Network + 'static>(network: N, data: [Tensor; 2]) -> Step {
    trained(network, Adam::new(1e-3).epsilon(1e-7), data)
}

/// The step with momentum, as networks of images are trained.
pub fn with_momentum<N: Network + 'static>(network: N, data: [Tensor; 2]) -> Step {
    trained(network, SGD::new(0.01).momentum(0.9), data)
}

/// The mean cross entropy of logits, whose last axis is the classes.
pub fn cross_entropy(labels: &Tensor, logits: &Tensor) -> Tensor {
    tf::sparse_softmax_cross_entropy_with_logits(labels, logits).mean()
}

/// Square images with three channels, and a class for each.
pub fn images(batch: usize, side: usize, classes: usize) -> [Tensor; 2] {
    [numbers(1, &[batch, side, side, 3]) * 2.0, labels(2, batch, classes)]
}

/// Sequences of symbols, and as many numbers below `classes` for each as `per` says.
pub fn symbols(batch: usize, time: usize, kinds: usize, classes: usize, per: usize) -> [Tensor; 2] {
    let x = labels(1, batch * time, kinds).reshape([batch, time]);
    let y = labels(2, batch * per, classes);
    [x, if per == 1 { y } else { y.reshape([batch, per]) }]
}
