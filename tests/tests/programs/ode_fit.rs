//! The four rates of Lotka and Volterra's equations, fitted to noisy observations through the loop of a solver.
//! The same as `ode_fit.py`.

use eagerflow as tf;
use tf::optim::{Adam, Optimizer};
use tf::{DType, GradientTape, Module, Tensor, TensorArray, Variable, tf_function};

const RATES: [f32; 4] = [1.1, 0.4, 0.4, 0.1];
const START: [f32; 2] = [10.0, 5.0];

fn slope(state: &Tensor, rates: &Tensor) -> Tensor {
    let (prey, predators) = (state.at(0), state.at(1));
    let (births, eaten, deaths, grown) = (rates.at(0), rates.at(1), rates.at(2), rates.at(3));
    tf::stack(&[births * &prey - eaten * &prey * &predators, grown * &prey * &predators - deaths * &predators], 0)
}

fn runge_kutta(state: &Tensor, rates: &Tensor, dt: f64) -> Tensor {
    let k1 = slope(state, rates);
    let k2 = slope(&(state + dt / 2.0 * &k1), rates);
    let k3 = slope(&(state + dt / 2.0 * &k2), rates);
    let k4 = slope(&(state + dt * &k3), rates);
    state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
}

/// The states at so many times.
#[tf_function]
fn solve(start: &Tensor, rates: &Tensor, steps: &Tensor, dt: f64) -> Tensor {
    let mut states = TensorArray::new(DType::F32, steps);
    let mut state = start.clone();
    for i in tf::range!(steps) {
        state = runge_kutta(&state, rates, dt);
        states = states.write(i, &state);
    }
    states.stack()
}

/// Rates that stay positive.
#[derive(Module)]
struct Model {
    logs: Variable,
}

impl Model {
    fn new() -> Self {
        Self { logs: Variable::new(tf::constant([0.8, 0.3, 0.6, 0.15]).log()) }
    }

    fn rates(&self) -> Tensor {
        tf::exp(&self.logs)
    }
}

#[tf_function]
fn train_step(model: &Model, optimizer: &Adam, observed: &Tensor, dt: f64) -> Tensor {
    let tape = GradientTape::new();
    let states = solve(&tf::constant(START), &model.rates(), &tf::shape(observed).at(0), dt);
    let loss = (states.log() - observed.log()).square().mean();
    let variables = model.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// The first and last loss, and the rates that were found.
pub fn run(steps: usize) -> (f32, f32, Vec<f32>) {
    tf::random::set_seed(1);
    let dt = 0.1;
    let exact = solve(&tf::constant(START), &tf::constant(RATES), &tf::constant(60), dt);
    let observed = &exact * tf::random::normal(exact.shape(), 0.0, 0.02).exp();
    let (model, optimizer, mut losses) = (Model::new(), Adam::new(0.02), vec![]);
    for _ in 0..steps {
        losses.push(train_step(&model, &optimizer, &observed, dt).item());
    }
    (losses[0], losses[steps - 1], model.rates().to_vec())
}

#[test]
fn it_learns() {
    let (first, last, rates) = run(100);
    assert!(last < 0.1 * first, "{first} {last}");
    assert!(rates.iter().zip(RATES).all(|(found, rate)| (found / rate - 1.0).abs() < 0.3), "{rates:?}");
}
