//! Checkpoints over the public surface: saving, restoring at once and later, sharing, renaming, managers, and mistakes.
//! Each test has a directory of its own, which it leaves empty.

mod damage;
mod deferred;
mod graph;
mod managers;
mod mistakes;
mod saving_mistakes;
mod tensorflow;
mod weights;

use eagerflow as tf;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tf::layers::{Dense, Dropout, Flatten};
use tf::optim::{Adam, Optimizer};
use tf::{GradientTape, Module, Tensor};

/// A directory that goes with the value.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("eagerflow-checkpoints-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of the files in it, sorted.
    fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap().map(|f| f.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }
}

impl AsRef<Path> for Directory {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A model of several layers, some without variables.
#[derive(Module)]
struct Net {
    hidden: Dense,
    flat: Flatten,
    drop: Dropout,
    output: Dense,
}

impl Net {
    fn new() -> Self {
        let hidden = Dense::new(5).activation("tanh");
        Self { hidden, flat: Flatten::new(), drop: Dropout::new(0.5), output: Dense::new(2) }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.output.call(self.flat.call(self.drop.call(self.hidden.call(x))))
    }

    /// One step of training.
    fn step(&self, optimizer: &dyn Optimizer, x: &Tensor) {
        let tape = GradientTape::new();
        let loss = self.call(x).square().mean();
        let variables = self.trainable_variables();
        optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    }
}

fn input() -> Tensor {
    tf::constant([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
}

fn bits(tensors: impl IntoIterator<Item = Tensor>) -> Vec<Vec<u32>> {
    tensors.into_iter().map(|t| t.to_vec::<f32>().into_iter().map(f32::to_bits).collect()).collect()
}

/// The values of all variables that are made.
fn values(module: &impl Module) -> Vec<Vec<u32>> {
    bits(module.built_variables().into_iter().map(|(_, v)| v.value()).filter(|v| v.dtype() == tf::DType::F32))
}

fn trained(steps: usize) -> (Net, Adam) {
    let (net, optimizer) = (Net::new(), Adam::new(0.05));
    (0..steps).for_each(|_| net.step(&optimizer, &input()));
    (net, optimizer)
}
