//! What `#[model]` refuses, each at the user's tokens.

use eagerflow::{self as tf, Tensor};

struct NoCall;

#[tf::model]
impl NoCall {
    fn forward(&self, x: &Tensor) -> Tensor {
        x.clone()
    }
}

struct Exclusive;

#[tf::model]
impl Exclusive {
    fn call(&mut self, x: &Tensor) -> Tensor {
        x.clone()
    }
}

struct ByValue;

#[tf::model]
impl ByValue {
    fn call(&self, x: Tensor) -> Tensor {
        x
    }
}

struct NoInput;

#[tf::model]
impl NoInput {
    fn call(&self) -> Tensor {
        tf::ones([1])
    }
}

struct NoOutput;

#[tf::model]
impl NoOutput {
    fn call(&self, _x: &Tensor) {}
}

struct PublicStep;

#[tf::model]
impl PublicStep {
    fn call(&self, x: &Tensor) -> Tensor {
        x.clone()
    }
    pub fn train_step(&self) {}
}

struct OfATrait;

#[tf::model]
impl Clone for OfATrait {
    fn clone(&self) -> Self {
        Self
    }
}

#[tf::model(fast)]
impl OfATrait {
    fn call(&self, x: &Tensor) -> Tensor {
        x.clone()
    }
}

#[tf::model]
fn not_an_impl() {}

fn main() {}
