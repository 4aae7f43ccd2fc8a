//! Gradients: a tape around a product, a linear model trained by gradient descent, and derivatives of derivatives.
//! The guide's sections on automatic differentiation.

use crate::section;
use eagerflow as tf;
use tf::optim::{Optimizer, SGD};
use tf::{GradientTape, Module, Tensor, Variable};

pub fn tape() {
    section("gradients");
    let w = Variable::new([[1.0]]);
    let tape = GradientTape::new();
    let loss = &w * &w;
    let grad = tape.gradient(&loss, &w);
    println!("{grad}");
}

#[derive(Module)]
struct Linear {
    w: Variable,
    b: Variable,
}

impl Linear {
    fn call(&self, inputs: &Tensor) -> Tensor {
        inputs * &self.w + &self.b
    }

    fn loss(&self, inputs: &Tensor, targets: &Tensor) -> Tensor {
        (self.call(inputs) - targets).square().mean()
    }
}

pub fn linear_model() {
    section("train a linear model");
    tf::random::set_seed(1);
    // A toy data set of points around 3 * x + 2.
    let inputs = tf::random::normal([2000], 0.0, 1.0);
    let targets = &inputs * 3.0 + 2.0 + tf::random::normal([2000], 0.0, 1.0);
    let model = Linear { w: Variable::new(5.0), b: Variable::new(10.0) };
    let optimizer = SGD::new(0.01);
    println!("initial loss: {:.3}", model.loss(&inputs, &targets).item::<f32>());
    for step in 0..300 {
        let tape = GradientTape::new();
        let loss = model.loss(&inputs, &targets);
        let variables = model.trainable_variables();
        optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
        if step % 20 == 0 {
            println!("loss at step {step:03}: {:.3}", loss.item::<f32>());
        }
    }
    println!("final loss: {:.3}", model.loss(&inputs, &targets).item::<f32>());
    println!("W = {:.3}, B = {:.3}", model.w.value().item::<f32>(), model.b.value().item::<f32>());
}

pub fn derivatives() {
    section("derivatives of derivatives");
    let cube = |x: &Tensor| x * x * x;
    let first = tf::gradients_function(cube);
    let second = tf::gradients_function(tf::gradients_function(cube));
    let third = tf::gradients_function(tf::gradients_function(tf::gradients_function(cube)));
    let x = tf::constant(3.0);
    println!("x³ at 3: {}", cube(&x).item::<f32>());
    println!("first derivative: {}", first(&x).item::<f32>());
    println!("second derivative: {}", second(&x).item::<f32>());
    println!("third derivative: {}", third(&x).item::<f32>());
    // Control flow is differentiated along the way that ran.
    let abs = tf::gradients_function(|x: &Tensor| if x > 0.0 { x.identity() } else { -x });
    println!("slope of |x| at 3 and -3: {}, {}", abs(&x).item::<f32>(), abs(&-x).item::<f32>());
}
