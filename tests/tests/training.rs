//! Training as a user does it: memory stays where it is over ten thousand steps, and a seed repeats a run bit by bit.
//! Both go through data sets, layers, tape and optimizer.

use eagerflow as tf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tf::data::{Dataset, Shuffle};
use tf::layers::{Conv2D, Dense, Dropout, Flatten, MaxPool2D};
use tf::losses::{FromLogits, sparse_categorical_crossentropy};
use tf::metrics::Mean;
use tf::optim::{Adam, Optimizer, SGD};
use tf::{GradientTape, Module, Tensor};

/// Random numbers and memory belong to the process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Module)]
struct Net {
    conv: Conv2D,
    pool: MaxPool2D,
    flatten: Flatten,
    dropout: Dropout,
    head: Dense,
}

impl Net {
    fn new() -> Self {
        Self {
            conv: Conv2D::new(4, 3).activation("relu"),
            pool: MaxPool2D::new(2),
            flatten: Flatten::new(),
            dropout: Dropout::new(0.25),
            head: Dense::new(3),
        }
    }

    fn call(&self, images: &Tensor, training: bool) -> Tensor {
        let x = self.flatten.call(self.pool.call(self.conv.call(images)));
        self.head.call(self.dropout.call_training(x, training))
    }
}

fn batches() -> Dataset<(Tensor, Tensor)> {
    let images = tf::random::stateless_uniform([40, 8, 8, 1], [1, 2], 0.0, 1.0);
    let labels = tf::constant((0..40).map(|i| i % 3).collect::<Vec<i32>>());
    Dataset::from_tensor_slices((images, labels)).shuffle(Shuffle::whole()).batch(8).repeat(None)
}

/// Trains for a number of steps and calls `look` after each.
fn train(net: &Net, optimizer: &dyn Optimizer, steps: usize, mut look: impl FnMut(usize, &Tensor)) {
    let mean = Mean::new("mean");
    for (step, (images, labels)) in batches().take(steps).iter().enumerate() {
        let tape = GradientTape::new();
        let logits = net.call(&images, true);
        let loss = sparse_categorical_crossentropy(&labels, &logits, FromLogits::Yes).mean();
        let variables = net.trainable_variables();
        optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
        mean.update(&loss);
        look(step, &loss);
    }
}

/// Pages that the process holds, where the system tells.
fn resident_pages() -> Option<usize> {
    std::fs::read_to_string("/proc/self/statm").ok()?.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn memory_does_not_grow() {
    let _alone = alone();
    let mut seen = Vec::new();
    train(&Net::new(), &Adam::new(1e-3), 10_000, |step, _| {
        if step == 999 || step == 9_999 {
            seen.push((tf::memory::stats(), resident_pages()));
        }
    });
    let ((first, pages), (last, pages_last)) = (seen[0], seen[1]);
    assert!(last.acquired > first.acquired + 9_000, "the steps must have used the allocator: {last:?}");
    // Not a byte more than after a thousand steps, in use or kept for reuse.
    assert!(last.in_use <= first.in_use, "{first:?}, then {last:?}");
    assert!(last.in_use + last.cached <= first.in_use + first.cached, "{first:?}, then {last:?}");
    assert_eq!(last.from_system, first.from_system);
    // Small tensors lie outside the allocator; the whole process may grow by the test's own bookkeeping at most.
    if let (Some(before), Some(after)) = (pages, pages_last) {
        assert!(after <= before + 64, "{before} pages, then {after}");
    }
}

/// The bits of all losses and weights of a short training.
fn run(seed: i64, optimizer: &dyn Fn() -> Box<dyn Optimizer>) -> Vec<u32> {
    tf::random::set_seed(seed);
    let net = Net::new();
    let mut bits = Vec::new();
    train(&net, &*optimizer(), 60, |_, loss| bits.push(loss.item::<f32>().to_bits()));
    bits.extend(net.trainable_variables().iter().flat_map(|v| v.value().to_vec::<f32>()).map(f32::to_bits));
    bits
}

#[test]
fn a_seed_repeats_the_run() {
    let _alone = alone();
    let optimizers: [&dyn Fn() -> Box<dyn Optimizer>; 2] =
        [&|| Box::new(Adam::new(1e-2)), &|| Box::new(SGD::new(0.05).momentum(0.9))];
    for optimizer in optimizers {
        let first = run(5, optimizer);
        assert!(first == run(5, optimizer), "the same seed, another run");
        assert!(first != run(6, optimizer), "another seed, the same run");
    }
}

#[test]
fn the_loss_falls() {
    let _alone = alone();
    tf::random::set_seed(1);
    let mut losses = Vec::new();
    train(&Net::new(), &Adam::new(1e-2), 1000, |_, loss| losses.push(loss.item::<f32>()));
    let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
    let (first, last) = (mean(&losses[..50]), mean(&losses[950..]));
    assert!(last < 0.5 * first, "{first}, then {last}");
}
