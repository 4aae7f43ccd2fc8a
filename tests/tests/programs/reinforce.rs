//! REINFORCE with a baseline on a cart-pole, which is written here: a loop of one's own with a traced step.
//! The same as `reinforce.py`.

use eagerflow as tf;
use tf::layers::Dense;
use tf::losses::{FromLogits, sparse_categorical_crossentropy};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, tf_function};

const LIMIT: usize = 200;
const GAMMA: f32 = 0.99;

/// A pole on a cart that is pushed left or right; it ends when either goes too far.
struct CartPole {
    state: [f32; 4],
}

impl CartPole {
    fn reset(&mut self) -> [f32; 4] {
        self.state = tf::random::uniform([4], -0.05, 0.05).to_vec().try_into().unwrap();
        self.state
    }

    fn step(&mut self, action: i64) -> ([f32; 4], bool) {
        let [x, speed, angle, turn] = self.state;
        let force = if action == 1 { 10.0 } else { -10.0 };
        let (sin, cos) = angle.sin_cos();
        let push = (force + 0.05 * turn.powi(2) * sin) / 1.1;
        let turn_speed = (9.8 * sin - cos * push) / (0.5 * (4.0 / 3.0 - 0.1 * cos.powi(2) / 1.1));
        let pull = push - 0.05 * turn_speed * cos / 1.1;
        self.state = [x + 0.02 * speed, speed + 0.02 * pull, angle + 0.02 * turn, turn + 0.02 * turn_speed];
        (self.state, self.state[0].abs() > 2.4 || self.state[2].abs() > 0.2095)
    }
}

#[derive(Module)]
struct Agent {
    hidden: Dense,
    logits: Dense,
    value: Dense,
}

impl Agent {
    fn new() -> Self {
        Self { hidden: Dense::new(64).activation("tanh"), logits: Dense::new(2), value: Dense::new(1) }
    }

    fn call(&self, observations: &Tensor) -> (Tensor, Tensor) {
        let x = self.hidden.call(observations);
        (self.logits.call(&x), self.value.call(&x).squeeze(1))
    }
}

#[tf_function]
fn act(agent: &Agent, observation: &Tensor) -> Tensor {
    let (logits, _) = agent.call(&tf::expand_dims(observation, 0));
    tf::random::categorical(logits, 1)
}

#[tf_function]
fn train_step(agent: &Agent, optimizer: &Adam, observations: &Tensor, actions: &Tensor, returns: &Tensor) {
    let tape = GradientTape::new();
    let (logits, values) = agent.call(observations);
    let chosen = -sparse_categorical_crossentropy(actions, logits, FromLogits::Yes);
    let advantages = tf::stop_gradient(returns - &values);
    let advantages = &advantages / (tf::reduce_std!(&advantages) + 1e-6);
    let policy_loss = -(chosen * advantages).mean();
    let loss = policy_loss + (returns - values).square().mean() * 0.5;
    let variables = agent.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
}

/// What was seen and done until the pole fell or the time was over.
fn episode(agent: &Agent, world: &mut CartPole) -> (Vec<[f32; 4]>, Vec<i64>) {
    let (mut observations, mut actions) = (vec![], vec![]);
    let (mut observation, mut fell) = (world.reset(), false);
    while !fell && actions.len() < LIMIT {
        let action = act(agent, &tf::constant(observation)).item();
        observations.push(observation);
        actions.push(action);
        (observation, fell) = world.step(action);
    }
    (observations, actions)
}

/// The sum of what is to come from each step on, where each gives 1.
fn discounted(length: usize) -> Vec<f32> {
    let mut returns = vec![1.0; length];
    for i in (0..length - 1).rev() {
        returns[i] += GAMMA * returns[i + 1];
    }
    returns
}

/// The mean length of the episodes of the first and of the last batches.
pub fn run(batches: usize, episodes: usize) -> (f32, f32) {
    tf::random::set_seed(1);
    let (mut world, agent, optimizer) = (CartPole { state: [0.0; 4] }, Agent::new(), Adam::new(1e-2));
    let mut lengths = vec![];
    for _ in 0..batches {
        let (mut observations, mut actions, mut returns) = (vec![], vec![], vec![]);
        for _ in 0..episodes {
            let (seen, done) = episode(&agent, &mut world);
            returns.extend(discounted(done.len()));
            observations.extend(seen);
            actions.extend(done);
        }
        lengths.push(actions.len() as f32 / episodes as f32);
        let returns = tf::constant(returns) / 100.0;
        train_step(&agent, &optimizer, &tf::constant(observations), &Tensor::from(actions), &returns);
    }
    let mean = |lengths: &[f32]| lengths.iter().sum::<f32>() / lengths.len() as f32;
    (mean(&lengths[..3]), mean(&lengths[batches - 3..]))
}

#[test]
fn it_learns() {
    let (first, last) = run(30, 8);
    assert!(last > 1.5 * first, "{first} {last}");
}
