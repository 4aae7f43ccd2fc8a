//! A network with convolutions, pooling and dense layers under Adam: eager and traced steps on the GPU as on the CPU.
//! Traced steps are captured and started again, so kernels, plans and scratch memory must hold beyond one call.

use crate::agree;
use eagerflow as tf;
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::layers::{Conv2D, Dense, Flatten, MaxPool2D};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor, tf_function};

#[derive(Module)]
struct Net {
    wide: Conv2D,
    single: Conv2D,
    pool: MaxPool2D,
    flatten: Flatten,
    hidden: Dense,
    head: Dense,
}

impl Net {
    fn new() -> Self {
        Self {
            wide: Conv2D::new(5, 3).activation("relu"),
            single: Conv2D::new(4, 1).activation("relu"),
            pool: MaxPool2D::new(2),
            flatten: Flatten::new(),
            hidden: Dense::new(20).activation("tanh"),
            head: Dense::new(10),
        }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        let x = self.pool.call(self.single.call(self.wide.call(x)));
        self.head.call(self.hidden.call(self.flatten.call(x)))
    }
}

fn eager(net: &Net, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean(&tf::nn::sparse_softmax_cross_entropy_with_logits(labels, &net.call(images)), ());
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    loss
}

#[tf_function]
fn traced(net: &Net, optimizer: &Adam, images: &Tensor, labels: &Tensor) -> Tensor {
    eager(net, optimizer, images, labels)
}

type Step = fn(&Net, &Adam, &Tensor, &Tensor) -> Tensor;

/// The losses of some steps, and the variables behind them.
fn train(step: Step, images: &Tensor, labels: &Tensor) -> Vec<Tensor> {
    tf::random::set_seed(7);
    let (net, optimizer) = (Net::new(), Adam::new(0.01));
    let mut results: Vec<Tensor> = (0..6).map(|_| step(&net, &optimizer, images, labels)).collect();
    results.extend(net.trainable_variables().iter().map(tf::Variable::value));
    results
}

#[test]
fn steps_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let images = crate::some(1, tf::DType::F32, &[9, 8, 8, 2]);
    let labels = Tensor::from((0..9).map(|i| i * 7 % 10).collect::<Vec<i32>>()).cpu();
    agree(&gpu, &[images.clone(), labels.clone()], 1e-4, |x| train(eager, &x[0], &x[1]));
    agree(&gpu, &[images, labels], 1e-4, |x| train(traced, &x[0], &x[1]));
}
