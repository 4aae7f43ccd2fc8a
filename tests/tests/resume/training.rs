//! The training that is interrupted: a model with dropout, an optimizer whose rate is set as it goes, shuffled data, random noise.
//! Everything that makes its next step lies in one module, which a checkpoint holds.

use eagerflow as tf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tf::data::{Dataset, DatasetIterator};
use tf::layers::{Conv2D, Dense, Dropout, Flatten};
use tf::losses::{FromLogits, sparse_categorical_crossentropy};
use tf::metrics::{Mean, SparseCategoricalAccuracy};
use tf::optim::{Adam, Optimizer, SGD};
use tf::random::{Generator, GlobalState};
use tf::{GradientTape, Module, Tensor, tf_function};

/// The rows of the data, the last batch of which is smaller: 22 rows make five batches of 4 and one of 2.
const ROWS: i32 = 22;

#[derive(Module)]
pub struct Net {
    conv: Conv2D,
    first: Dropout,
    flatten: Flatten,
    hidden: Dense,
    second: Dropout,
    output: Dense,
}

impl Net {
    fn new() -> Self {
        Self {
            conv: Conv2D::new(3, 3).activation("relu"),
            first: Dropout::new(0.25),
            flatten: Flatten::new(),
            hidden: Dense::new(6).activation("tanh"),
            second: Dropout::new(0.5),
            output: Dense::new(3),
        }
    }

    fn call(&self, images: &Tensor) -> Tensor {
        let x = self.first.call_training(self.conv.call(images), true);
        let x = self.hidden.call(self.flatten.call(x));
        self.output.call(self.second.call_training(x, true))
    }
}

/// How the program goes over its data.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Passes {
    /// By an iterator for each epoch, which is saved wherever it stands.
    Iterators,
    /// By one iterator over data that repeat for ever.
    Repeated,
    /// By `for batch in &dataset`, saved between epochs: one "step" is one epoch.
    Loops,
}

#[derive(Module)]
pub struct Training {
    pub net: Net,
    pub optimizer: Box<dyn Optimizer>,
    pub noise: Generator,
    pub dataset: Dataset<(Tensor, Tensor)>,
    pub batches: Mutex<DatasetIterator<(Tensor, Tensor)>>,
    pub loss: Mean,
    pub accuracy: SparseCategoricalAccuracy,
    pub step: AtomicU64,
    pub epoch: AtomicU64,
    pub random: GlobalState,
}

/// One step: the loss of a batch.
fn eager(
    net: &Net,
    optimizer: &dyn Optimizer,
    noise: &Generator,
    images: &Tensor,
    labels: &Tensor,
) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let images = images + noise.normal([6, 6, 1], 0.0, 0.1);
    let logits = net.call(&images);
    let loss = sparse_categorical_crossentropy(labels, &logits, FromLogits::Yes).mean();
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    (loss, logits)
}

/// The same as a graph; the smaller batch has a trace of its own.
#[tf_function]
fn traced(
    net: &Net,
    optimizer: &dyn Optimizer,
    noise: &Generator,
    images: &Tensor,
    labels: &Tensor,
) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let images = images + noise.normal([6, 6, 1], 0.0, 0.1);
    let logits = net.call(&images);
    let loss = sparse_categorical_crossentropy(labels, &logits, FromLogits::Yes).mean();
    let variables = net.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    (loss, logits)
}

/// A whole epoch as one graph, with its loop: the sum of the losses.
#[tf_function]
fn traced_epoch(
    net: &Net,
    optimizer: &dyn Optimizer,
    noise: &Generator,
    dataset: &Dataset<(Tensor, Tensor)>,
    mean: &Mean,
) -> Tensor {
    let mut sum = tf::constant(0.0);
    for (images, labels) in dataset {
        let tape = GradientTape::new();
        let images = images + noise.normal([6, 6, 1], 0.0, 0.1);
        let logits = net.call(&images);
        let loss = sparse_categorical_crossentropy(labels, &logits, FromLogits::Yes).mean();
        let variables = net.trainable_variables();
        optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
        mean.update(&loss);
        sum = sum + loss;
    }
    sum
}

impl Training {
    /// A program at its start. The seeds differ between processes where a checkpoint must bring all.
    pub fn new(optimizer: &str, passes: Passes, seed: i64) -> Self {
        tf::random::set_seed(seed);
        tf::random::set_global_generator(Generator::from_seed(seed + 1));
        let images: Vec<f32> = (0..ROWS * 36).map(|i| ((i * 37 % 101) as f32) / 50.0 - 1.0).collect();
        let images = tf::constant(images).reshape([ROWS as isize, 6, 6, 1]);
        let labels = tf::constant((0..ROWS).map(|i| i % 3).collect::<Vec<i32>>());
        let rows = Dataset::from_tensor_slices((images, labels)).shuffle(9).batch(4);
        let dataset = if passes == Passes::Repeated { rows.repeat(None) } else { rows };
        let optimizer: Box<dyn Optimizer> = match optimizer {
            "adam" => Box::new(Adam::new(0.02)),
            _ => Box::new(SGD::new(0.05).momentum(0.9)),
        };
        Self {
            net: Net::new(),
            optimizer,
            noise: Generator::from_seed(seed + 2),
            batches: Mutex::new(dataset.iter()),
            dataset,
            loss: Mean::new("loss"),
            accuracy: SparseCategoricalAccuracy::new(),
            step: AtomicU64::new(0),
            epoch: AtomicU64::new(0),
            random: tf::random::global(),
        }
    }

    pub fn steps(&self) -> u64 {
        self.step.load(Ordering::Relaxed)
    }

    /// The next step, and what it has to show.
    pub fn advance(&self, passes: Passes, in_graph: bool) -> Tensor {
        let loss = match passes {
            Passes::Loops => self.whole_epoch(in_graph),
            Passes::Iterators | Passes::Repeated => self.one_batch(in_graph),
        };
        let step = self.step.fetch_add(1, Ordering::Relaxed) + 1;
        // A schedule that goes on from the rate as it is.
        if step.is_multiple_of(4) {
            self.optimizer.learning_rate().set(self.optimizer.learning_rate().get() * 0.75);
        }
        // Draws between the steps, with a seed and without one.
        let seeded = tf::random::try_normal([0usize; 0], 0.0, 1.0, tf::DType::F32, Some(5)).unwrap();
        let generator = tf::random::get_global_generator().uniform([0usize; 0], 0.0, 1.0);
        tf::stack(&[loss, tf::random::uniform([0usize; 0], 0.0, 1.0), seeded, generator], 0)
    }

    fn one_batch(&self, in_graph: bool) -> Tensor {
        let mut batches = self.batches.lock().unwrap();
        let (images, labels) = match batches.next() {
            Some(batch) => batch,
            None => {
                self.next_epoch();
                *batches = self.dataset.iter();
                batches.next().expect("an epoch has batches")
            }
        };
        let (loss, logits) = self.update(in_graph, &images, &labels);
        self.loss.update(&loss);
        self.accuracy.update(&labels, &logits);
        loss
    }

    fn update(&self, in_graph: bool, images: &Tensor, labels: &Tensor) -> (Tensor, Tensor) {
        let (net, optimizer, noise) = (&self.net, &*self.optimizer, &self.noise);
        if in_graph {
            traced(net, optimizer, noise, images, labels)
        } else {
            eager(net, optimizer, noise, images, labels)
        }
    }

    fn next_epoch(&self) {
        self.epoch.fetch_add(1, Ordering::Relaxed);
        self.loss.reset();
        self.accuracy.reset();
    }

    fn whole_epoch(&self, in_graph: bool) -> Tensor {
        self.next_epoch();
        if in_graph {
            return traced_epoch(&self.net, &*self.optimizer, &self.noise, &self.dataset, &self.loss);
        }
        let mut sum = tf::constant(0.0);
        for (images, labels) in &self.dataset {
            let (loss, logits) = self.update(false, &images, &labels);
            self.loss.update(&loss);
            self.accuracy.update(&labels, &logits);
            sum = sum + loss;
        }
        sum
    }
}
