//! What plays: a small network that gives the odds of both pushes and what it expects to come, how it chooses, and its step of training.
//! `main.rs` lets it play.

use crate::cart_pole::Observation;
use eagerflow as tf;
use tf::layers::Dense;
use tf::losses::{FromLogits, sparse_categorical_crossentropy};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, tf_function};

#[derive(Module)]
pub struct Agent {
    hidden: Dense,
    logits: Dense,
    value: Dense,
}

impl Agent {
    pub fn new() -> Self {
        Self { hidden: Dense::new(64).activation("tanh"), logits: Dense::new(2), value: Dense::new(1) }
    }

    /// The logits of both actions, and the return that is expected, of each observation.
    fn call(&self, observations: &Tensor) -> (Tensor, Tensor) {
        let hidden = self.hidden.call(observations);
        (self.logits.call(&hidden), self.value.call(&hidden).squeeze(-1))
    }
}

/// How an action is chosen.
pub type Choice = fn(&Agent, &Tensor) -> Tensor;

/// At random, with the agent's odds: so it learns.
#[tf_function]
pub fn drawn(agent: &Agent, observation: &Tensor) -> Tensor {
    let (logits, _) = agent.call(&tf::expand_dims(observation, 0));
    tf::random::categorical(logits, 1)
}

/// The action with the better odds: so it is evaluated.
#[tf_function]
pub fn likelier(agent: &Agent, observation: &Tensor) -> Tensor {
    let (logits, _) = agent.call(&tf::expand_dims(observation, 0));
    tf::argmax!(logits, axis = -1)
}

/// Steps of several episodes, one after the other.
#[derive(Default)]
pub struct Played {
    pub observations: Vec<Observation>,
    pub actions: Vec<i64>,
    /// What came from each step on.
    pub returns: Vec<f32>,
}

/// One step of training on the episodes that were played; answers how wrong the baseline was, as a mean square.
pub fn train(agent: &Agent, optimizer: &Adam, played: &Played) -> f32 {
    let observations = tf::constant(&played.observations[..]);
    let actions = Tensor::from(&played.actions[..]);
    train_step(agent, optimizer, &observations, &actions, &tf::constant(&played.returns[..])).item()
}

/// How often the step of training was traced.
pub fn traces() -> usize {
    tf::function(train_step).trace_count()
}

/// The surprise of an action is the negative logarithm of its odds: to lower it where more came than expected is to act so more often.
#[tf_function(input_signature = [_, _, f32[steps, 4], i64[steps], f32[steps]])]
fn train_step(agent: &Agent, optimizer: &Adam, observations: &Tensor, actions: &Tensor, returns: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let (logits, expected) = agent.call(observations);
    let advantages = tf::stop_gradient(returns - &expected);
    let advantages = &advantages / (tf::reduce_std!(&advantages) + 1e-6);
    let surprise = sparse_categorical_crossentropy(actions, logits, FromLogits::Yes);
    let baseline = (returns - expected).square().mean();
    let loss = (surprise * advantages).mean() + &baseline;
    let variables = agent.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    baseline
}
