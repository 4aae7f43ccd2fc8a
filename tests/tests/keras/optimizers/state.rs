//! What optimizers keep: in Keras's order, saved and restored, copied with the model, and untouched by a changed rate.
//! The steps are those of the rows.

use super::build::{Config, OPTIONS, build};
use super::{Given, Training, gradients, numbers_of, step};
use crate::numbers::{file, near};
use eagerflow as tf;
use serde_json::Value;
use std::sync::Arc;
use tf::optim::{
    Adafactor, Adam, AdamW, Ftrl, Groups, Lamb, LossScaleOptimizer, Muon, Nadam, Optimizer, RMSprop, Rate, SGD,
    ScheduleFreeAdamW,
};
use tf::train::Checkpoint;
use tf::{Duplicate, Module, Tensor, Variable, tf_function};

/// All variables of the optimizer, one after the other, are Keras's.
pub fn is_kept_as_in_keras(what: &str, t: &Training<Box<dyn Optimizer>>, row: &Value) {
    let Some(kept) = row.get("kept") else { return };
    let (ours, kept) = (t.optimizer.variables(), kept.as_array().unwrap());
    let names: Vec<&str> = ours.iter().map(Variable::name).collect();
    assert_eq!(ours.len(), kept.len(), "{what}: {names:?}");
    for (variable, right) in ours.iter().zip(kept) {
        let name = format!("{what}: {} ({})", variable.name(), right["name"]);
        let sizes = right["value"]["shape"].as_array().unwrap().len();
        assert_eq!(variable.shape().rank(), sizes, "{name}");
        near(&name, &tf::cast(variable.value(), tf::float32), &as_float(&right["value"]), super::tolerance(what));
    }
}

fn as_float(value: &Value) -> Value {
    let mut value = value.clone();
    value["dtype"] = "float32".into();
    value
}

fn one_step<O: Optimizer>(t: &Training<O>, Given { dense, indices, rows }: &Given) {
    step(t, &dense[0], &dense[1], indices, rows, false);
}

struct Directory(std::path::PathBuf);

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn resumes(what: &str, make: &dyn Fn() -> Box<dyn Optimizer>) {
    let (file, name) = (file("optimizers"), what.replace(|c: char| !c.is_alphanumeric(), "_"));
    let directory = Directory(std::env::temp_dir().join(format!("eagerflow-optimizers-{}-{name}", std::process::id())));
    std::fs::create_dir_all(&directory.0).unwrap();
    let steps = gradients(&file);
    let first = Training::new(make(), &file);
    steps[..5].iter().for_each(|given| one_step(&first, given));
    let saved = Checkpoint::of(&first).write(directory.0.join("state")).unwrap();
    steps[5..9].iter().for_each(|given| one_step(&first, given));
    // Once where nothing is made yet, and once where slots are there with other values.
    for steps_before in [0, 2] {
        let second = Training::new(make(), &file);
        steps[20..20 + steps_before].iter().for_each(|given| one_step(&second, given));
        let checkpoint = Checkpoint::of(&second);
        let status = checkpoint.restore(&saved).unwrap();
        steps[5..9].iter().for_each(|given| one_step(&second, given));
        assert_eq!(numbers_of(&first.variables), numbers_of(&second.variables), "{what} behind {steps_before}");
        assert_eq!(numbers_of(&first.optimizer.variables()), numbers_of(&second.optimizer.variables()), "{what}");
        status.assert_consumed();
    }
}

#[test]
fn a_saved_training_goes_on_as_it_would_have() {
    for (kind, _) in OPTIONS {
        resumes(kind, &|| build(kind, &Config::new(), Rate::from(0.05)));
    }
    let options = |o: Adam| o.amsgrad(true).use_ema(true).ema_overwrite_frequency(3).gradient_accumulation_steps(2);
    resumes("options", &|| Box::new(options(Adam::new(0.05))));
    resumes("rms", &|| Box::new(RMSprop::new(0.01).centered(true).momentum(0.5)));
    resumes("scaled", &|| {
        Box::new(LossScaleOptimizer::new(Nadam::new(0.01)).initial_scale(2.0).dynamic_growth_steps(2))
    });
    resumes("schedule", &|| Box::new(Nadam::new(tf::optim::schedules::ExponentialDecay::new(0.1, 3, 0.5))));
}

#[test]
fn a_copy_goes_on_with_the_copy_of_the_model() {
    fn copies<O: Optimizer + Duplicate>(what: &str, make: impl Fn(&[Variable]) -> O) {
        let file = file("optimizers");
        let start = Training::new(SGD::new(0.0), &file);
        let t = Training { optimizer: make(&start.variables), variables: start.variables };
        let steps = gradients(&file);
        steps[..4].iter().for_each(|given| one_step(&t, given));
        let copy = t.duplicate();
        steps[4..8].iter().for_each(|given| one_step(&t, given));
        let after = numbers_of(&t.variables);
        assert_ne!(after, numbers_of(&copy.variables), "{what}: the copy has variables of its own");
        steps[4..8].iter().for_each(|given| one_step(&copy, given));
        assert_eq!(after, numbers_of(&copy.variables), "{what}");
        assert_eq!(after, numbers_of(&t.variables), "{what}: the copy changes its own");
    }
    copies("Adam", |_| Adam::new(0.05).amsgrad(true).use_ema(true).gradient_accumulation_steps(2));
    copies("AdamW", |w| AdamW::new(0.05).weight_decay(0.5).exclude_from_weight_decay(&w[..1], &["bias"]));
    copies("Nadam", |_| Nadam::new(tf::optim::schedules::CosineDecay::new(0.1, 10)));
    copies("Adafactor", |_| Adafactor::new(0.05));
    copies("Ftrl", |_| Ftrl::new(0.05));
    copies("Lamb", |_| Lamb::new(0.05));
    copies("Muon", |_| Muon::new(0.05));
    copies("ScheduleFreeAdamW", |_| ScheduleFreeAdamW::new(0.05));
    copies("LossScale", |_| LossScaleOptimizer::new(SGD::new(0.05).momentum(0.9)).dynamic_growth_steps(2));
    copies("Groups", |w| Groups::new(Adam::new(0.05)).with(&w[..1], SGD::new(0.1).momentum(0.5)));
}

#[test]
fn a_changed_rate_traces_nothing_anew() {
    let file = file("optimizers");
    let t = Training::new(Box::new(Adam::new(0.05).clipnorm(0.5)) as Box<dyn Optimizer>, &file);
    let steps = gradients(&file);
    let run = |given: &Given| rated_step(&t, &given.dense[0], &given.dense[1], &given.indices, &given.rows);
    run(&steps[0]);
    let before = numbers_of(&t.variables);
    t.optimizer.learning_rate().set(0.0);
    run(&steps[1]);
    assert_eq!(before, numbers_of(&t.variables), "no rate, no step");
    t.optimizer.learning_rate().set(0.5);
    run(&steps[2]);
    assert_ne!(before, numbers_of(&t.variables));
    assert_eq!(tf::function(rated_step).trace_count(), 1);
}

#[tf_function]
fn rated_step(t: &Training<Box<dyn Optimizer>>, a: &Tensor, b: &Tensor, indices: &Tensor, rows: &Tensor) {
    step(t, a, b, indices, rows, false);
}

#[test]
fn pointers_to_optimizers_are_optimizers() {
    fn moved(optimizer: impl Optimizer) -> f32 {
        let w = [Variable::new(1.0)];
        optimizer.apply_gradients(&[tf::constant(1.0)].into_iter().collect(), &w);
        assert!(optimizer.name() == "sgd" && optimizer.iterations().value().item::<i64>() == 1);
        w[0].value().item()
    }
    let of = || SGD::new(0.5);
    let boxed: Box<dyn Optimizer> = Box::new(of());
    let shared: Arc<dyn Optimizer> = Arc::new(of());
    let (lent, alone): (&dyn Optimizer, SGD) = (&of(), of());
    assert_eq!([moved(boxed), moved(shared), moved(lent), moved(&alone), moved(Box::new(of()))], [0.5; 5]);
    assert_eq!(Adam::default().named("mine").name(), "mine");
}

#[test]
fn averages_are_swapped_in_and_out() {
    let file = file("optimizers");
    let t = Training::new(Box::new(Adam::new(0.05).use_ema(true).ema_momentum(0.5)) as Box<dyn Optimizer>, &file);
    gradients(&file)[..3].iter().for_each(|given| one_step(&t, given));
    let trained = numbers_of(&t.variables);
    t.optimizer.swap_averages(&t.variables);
    let averages = numbers_of(&t.variables);
    assert_ne!(trained, averages);
    t.optimizer.swap_averages(&t.variables);
    assert_eq!(trained, numbers_of(&t.variables));
    t.optimizer.finalize_variable_values(&t.variables);
    assert_eq!(averages, numbers_of(&t.variables));
}

#[test]
fn checkpoints_of_keras_restore_and_go_on() {
    let file = file("optimizers");
    let prefix = format!("{}/golden/checkpoints/keras_optimizers", env!("CARGO_MANIFEST_DIR"));
    let rows: Vec<(usize, &Value)> = file["steps"].as_array().unwrap().iter().enumerate().collect();
    // Keras's graph of objects names no slot of two of them.
    let named =
        |row: &Value| row.get("kept").is_some() && row["optimizer"] != "Adafactor" && row["optimizer"] != "Muon";
    let rows: Vec<(usize, &Value)> = rows.into_iter().filter(|(_, row)| named(row)).collect();
    let steps = gradients(&file);
    // Once where slots are made later, and once where they are there.
    for steps_before in [0, 2] {
        let make = |&(number, row): &(usize, &Value)| {
            let config = row["config"].as_object().unwrap();
            let rate = Rate::from(crate::numbers::number(&config["learning_rate"]));
            let t = Training::new(build(row["optimizer"].as_str().unwrap(), config, rate), &file);
            steps[30..30 + steps_before].iter().for_each(|given| one_step(&t, given));
            (format!("row{number}"), t)
        };
        let all: Vec<(String, Training<Box<dyn Optimizer>>)> = rows.iter().map(make).collect();
        let checkpoint = all.iter().fold(Checkpoint::new(), |checkpoint, (name, t)| checkpoint.with(name.as_str(), t));
        let status = checkpoint.restore(&prefix).unwrap();
        for ((name, t), (_, row)) in all.iter().zip(&rows) {
            steps[3..].iter().for_each(|given| one_step(t, given));
            for (variable, path) in t.variables.iter().zip(super::NAMES) {
                let what = format!("{} {}", row["optimizer"].as_str().unwrap(), row["config"]);
                let right = &row["seen"]["50"][path];
                near(&format!("{what}, {name}, {path}"), &variable.value(), right, super::tolerance(&what));
            }
        }
        status.assert_consumed();
    }
}
