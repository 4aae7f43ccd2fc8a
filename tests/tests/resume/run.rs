//! One process of the training: from its start or a checkpoint until a step, told by the environment.
//! It says all that it computes to the last bit, and at the end all that it holds and would draw next.

use super::training::{Passes, Training};
use eagerflow as tf;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use tf::train::Checkpoint;
use tf::{DType, Module, Tensor};

/// What the lines begin with that are compared.
pub const MARK: &str = "| ";

pub const OPTIMIZER: &str = "RESUME_OPTIMIZER";
pub const PASSES: &str = "RESUME_PASSES";
pub const IN_GRAPH: &str = "RESUME_IN_GRAPH";
pub const FROM: &str = "RESUME_FROM";
pub const UNTIL: &str = "RESUME_UNTIL";
pub const SAVE_AT: &str = "RESUME_SAVE_AT";
pub const SEED: &str = "RESUME_SEED";
pub const FOLDER: &str = "RESUME_FOLDER";
pub const LAST: &str = "RESUME_LAST";

/// Where a run saves what it has after a step.
pub fn saved_after(folder: &Path, step: u64) -> PathBuf {
    folder.join(format!("after-{step}"))
}

fn told(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

/// The bits of a tensor.
fn bits(tensor: &Tensor) -> String {
    let words: Vec<String> = match tensor.dtype() {
        DType::F32 => tensor.to_vec::<f32>().into_iter().map(|x| format!("{:08x}", x.to_bits())).collect(),
        DType::F64 => tensor.to_vec::<f64>().into_iter().map(|x| format!("{:016x}", x.to_bits())).collect(),
        _ => tensor.cast(DType::I64).to_vec::<i64>().into_iter().map(|x| format!("{x:x}")).collect(),
    };
    words.join(" ")
}

#[test]
#[ignore = "run by the other tests, in processes of their own"]
fn a_process() {
    // The name of the test stands in this line.
    println!();
    let passes = match told(PASSES).as_str() {
        "iterators" => Passes::Iterators,
        "repeated" => Passes::Repeated,
        _ => Passes::Loops,
    };
    let in_graph = told(IN_GRAPH) == "yes";
    let (from, until, folder) = (told(FROM), told(UNTIL).parse().unwrap(), PathBuf::from(told(FOLDER)));
    let save_at: Vec<u64> = told(SAVE_AT).split(',').filter_map(|step| step.parse().ok()).collect();
    let training = Training::new(&told(OPTIMIZER), passes, told(SEED).parse().unwrap());
    let checkpoint = Checkpoint::of(&training);
    // Neither layers nor optimizer have variables yet: they are restored when they are made.
    if !from.is_empty() {
        checkpoint.restore(&from).unwrap().assert_existing_objects_matched();
    }
    loop {
        let step = training.steps();
        if save_at.contains(&step) {
            checkpoint.write(saved_after(&folder, step)).unwrap();
        }
        if step >= until {
            break;
        }
        println!("{MARK}step {step} {}", bits(&training.advance(passes, in_graph)));
    }
    checkpoint.write(told(LAST)).unwrap();
    tell_the_end(&training, passes, in_graph);
}

/// All that the program holds, and what it would do next.
fn tell_the_end(training: &Training, passes: Passes, in_graph: bool) {
    println!("{MARK}rate {}", bits(&training.optimizer.learning_rate().try_value().unwrap()));
    println!("{MARK}counters {} {}", training.steps(), training.epoch.load(Ordering::Relaxed));
    println!("{MARK}metrics {} {}", bits(&training.loss.result()), bits(&training.accuracy.result()));
    println!("{MARK}draws {}", bits(&tf::random::uniform([3], 0.0, 1.0)));
    println!("{MARK}seeded {}", bits(&tf::random::try_uniform([2], 0.0, 1.0, DType::F32, Some(3)).unwrap()));
    println!("{MARK}generator {}", bits(&tf::random::get_global_generator().normal([2], 0.0, 1.0)));
    println!("{MARK}noise {}", bits(&training.noise.normal([2], 0.0, 1.0)));
    for pass in 0..2 {
        for (images, labels) in training.dataset.take(6).iter() {
            println!("{MARK}pass {pass} {} {}", bits(&labels), bits(&images.sum()));
        }
    }
    // A process that resumed behind the last step has its variables only now.
    println!("{MARK}next {}", bits(&training.advance(passes, in_graph)));
    for (name, variable) in training.built_variables() {
        println!("{MARK}variable {name} {}", bits(&variable.value()));
    }
}
