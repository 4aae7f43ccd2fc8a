//! What the tests of this program save: variables that all tell the step at which they were saved, and directories of their own.

use eagerflow as tf;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tf::train::{Checkpoint, CheckpointManager, latest_checkpoint};
use tf::{Module, Tensor, Variable};

/// Variables of which each element is a function of one step.
#[derive(Module)]
pub struct Model {
    parts: Vec<Variable>,
    step: AtomicU64,
}

impl Model {
    /// Of so many elements each.
    pub fn new(sizes: &[usize]) -> Self {
        let parts = sizes.iter().map(|&size| Variable::new(tf::zeros([size]))).collect();
        let model = Self { parts, step: AtomicU64::new(0) };
        model.set(0);
        model
    }

    pub fn set(&self, step: u64) {
        for (part, variable) in self.parts.iter().enumerate() {
            let size = variable.shape().num_elements();
            let value: Vec<f32> = (0..size).map(|i| value(step, part, i)).collect();
            variable.assign(Tensor::from(value));
        }
        self.step.store(step, Ordering::Relaxed);
    }

    /// The step of all elements.
    ///
    /// # Panics
    /// If they are not of one.
    pub fn step(&self, when: &str) -> u64 {
        let step = self.step.load(Ordering::Relaxed);
        for (part, variable) in self.parts.iter().enumerate() {
            let wrong =
                variable.value().to_vec::<f32>().into_iter().enumerate().find(|&(i, x)| x != value(step, part, i));
            assert_eq!(wrong, None, "{when}: element of variable {part} at step {step}");
        }
        step
    }
}

fn value(step: u64, part: usize, i: usize) -> f32 {
    (step * 1000 + part as u64 * 100 + i as u64 % 97) as f32
}

/// The step of the newest checkpoint of a directory, which must be whole; 0 where there is none.
pub fn newest(directory: &Path, sizes: &[usize], when: &str) -> u64 {
    let newest = latest_checkpoint(directory).unwrap_or_else(|error| panic!("{when}: {error}"));
    newest.map_or(0, |path| restored(&path, sizes, when))
}

/// The step of a checkpoint, which must be whole.
pub fn restored(path: &Path, sizes: &[usize], when: &str) -> u64 {
    let model = Model::new(sizes);
    let checkpoint = Checkpoint::new().with("model", &model);
    let status = checkpoint.restore(path).unwrap_or_else(|error| panic!("{when}: {error}"));
    status.assert_consumed();
    model.step(when)
}

/// Saves as a program that begins does, and answers what is there then: three checkpoints and nothing else.
pub fn saves_as_before(directory: &Path, sizes: &[usize], when: &str) {
    let model = Model::new(sizes);
    let checkpoint = Checkpoint::new().with("model", &model).durable(false);
    let manager = CheckpointManager::new(&checkpoint, directory, 3).unwrap_or_else(|error| panic!("{when}: {error}"));
    manager.restore_or_initialize().unwrap_or_else(|error| panic!("{when}: {error}"));
    let before = model.step(when);
    for step in before + 1..before + 5 {
        model.set(step);
        manager.save().unwrap_or_else(|error| panic!("{when}: {error}"));
    }
    assert_eq!(newest(directory, sizes, when), before + 4, "{when}");
    let files = files(directory);
    assert_eq!(files.len(), 7, "{when}: {files:?}");
}

/// The names of the files of a directory but the lock's.
pub fn files(directory: &Path) -> Vec<String> {
    let names = std::fs::read_dir(directory).unwrap().map(|f| f.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name != ".eagerflow.lock").collect();
    names.sort();
    names
}

/// A directory that goes with the value.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("eagerflow-crashes-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
