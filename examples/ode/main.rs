//! A differentiable while loop: `cargo run --release --example ode`. An adaptive solver takes as many steps as the error
//! allows, the tape goes back through all of them, and gradient descent finds what a population grows by.

mod solver;

use eagerflow as tf;
use solver::{Growth, grow};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

/// The population at a time, and its derivatives by rate, capacity and start, as mathematics knows them.
fn exact(rate: f64, capacity: f64, start: f64, time: f64) -> [f64; 4] {
    let (decay, gap) = ((-rate * time).exp(), capacity / start - 1.0);
    let below = 1.0 + gap * decay;
    let scale = capacity / (below * below) * decay;
    [capacity / below, scale * gap * time, 1.0 / below - scale / start, scale * capacity / (start * start)]
}

/// Compares the gradient through the solver with the exact one.
fn check() -> f64 {
    let growth = Growth { rate: Tensor::from(0.8f64), capacity: Tensor::from(5.0f64) };
    let (start, time) = (Tensor::from(0.5f64), Tensor::from(4.0f64));
    let mut tape = GradientTape::new();
    for x in [&growth.rate, &growth.capacity, &start] {
        tape.watch(x);
    }
    let (end, taken, refused) = grow(&growth, &start, &time);
    let slopes = tape.gradient(&end, [&growth.rate, &growth.capacity, &start]);
    println!("{taken} steps taken, {refused} tried again with a smaller one\n");
    println!("{:>12} {:>14} {:>14} {:>10}", "", "solver", "exact", "apart");
    let all = [&end, &slopes[0], &slopes[1], &slopes[2]];
    let names = ["population", "by rate", "by capacity", "by start"];
    let mut worst = 0.0f64;
    for ((name, got), exact) in names.iter().zip(all).zip(exact(0.8, 5.0, 0.5, 4.0)) {
        let got: f64 = got.item();
        let apart = (got - exact).abs() / exact.abs();
        worst = worst.max(apart);
        println!("{name:>12} {got:>14.9} {exact:>14.9} {apart:>10.1e}");
    }
    worst
}

/// What a fit looks for.
#[derive(Module)]
struct Guess {
    rate: Variable,
    capacity: Variable,
}

/// One step of the fit: the squared distance from what was measured, with one solution after the other, in one graph.
#[tf_function]
fn fit_step(guess: &Guess, optimizer: &Adam, times: &Tensor, measured: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let growth = Growth { rate: guess.rate.value(), capacity: guess.capacity.value() };
    let mut loss = Tensor::from(0.0f64);
    let (mut size, mut now) = (Tensor::from(0.5f64), Tensor::from(0.0f64));
    for i in tf::range(0, tf::shape(times).at(0), 1) {
        let then = times.at(&i);
        (size, _, _) = grow(&growth, &size, &(&then - &now));
        loss = loss + (&size - measured.at(&i)).square();
        now = then;
    }
    let variables = guess.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

/// Finds rate and capacity again from eight measurements.
fn fit(steps: usize) -> (f64, f64) {
    let times = [0.5, 1.0, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0];
    let noise = [0.01, -0.02, 0.015, -0.01, 0.02, -0.015, 0.01, -0.005];
    let values: Vec<f64> = times.iter().zip(noise).map(|(&t, e)| exact(0.8, 5.0, 0.5, t)[0] + e).collect();
    let (times, measured) = (Tensor::from(times), Tensor::from(values));
    let guess = Guess { rate: Variable::new(Tensor::from(0.3f64)), capacity: Variable::new(Tensor::from(3.0f64)) };
    let optimizer = Adam::new(0.1);
    for step in 0..=steps {
        let loss = fit_step(&guess, &optimizer, &times, &measured).item::<f64>();
        if step % 25 == 0 {
            let (rate, capacity) = (guess.rate.value(), guess.capacity.value());
            println!("step {step:>3}  loss {loss:>9.5}  rate {rate:.4}  capacity {capacity:.4}");
        }
    }
    (guess.rate.value().item(), guess.capacity.value().item())
}

fn main() {
    println!("growth with a limit: dy/dt = rate * y * (1 - y / capacity), y(0) = 0.5, at t = 4\n");
    check();
    println!("\nthe fit to eight measurements, made with rate 0.8 and capacity 5:\n");
    fit(150);
    println!("\ntraces made: {}", tf::function(fit_step).trace_count());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_exact() {
        let apart = check();
        assert!(apart < 1e-6, "{apart}");
    }

    #[test]
    fn the_fit_finds_what_was_hidden() {
        let (rate, capacity) = fit(150);
        assert!((rate - 0.8).abs() < 0.02 && (capacity - 5.0).abs() < 0.05, "{rate} {capacity}");
        assert_eq!(tf::function(fit_step).trace_count(), 1);
    }
}
