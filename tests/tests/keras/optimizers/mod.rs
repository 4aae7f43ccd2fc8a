//! Fifty steps of every optimizer with each of its options, against Keras's numbers: dense variables of two shapes and a table whose
//! gradient is rows; eager and traced steps have the same bits. Schedules, saving and mistakes are in the files beside.

pub mod build;
pub mod coverage;
mod mistakes;
mod state;

use crate::numbers::{file, near, number, tensor};
use build::{Config, build, schedule};
use eagerflow as tf;
use serde_json::Value;
use tf::optim::{Adam, AdamW, Groups, LossScaleOptimizer, Nadam, Optimizer, Rate, SGD};
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

/// Keras's variables by their paths.
pub const NAMES: [&str; 3] = ["dense/kernel", "dense/bias", "embedding/table"];

/// An optimizer with what it trains.
#[derive(Module, tf::Duplicate)]
pub struct Training<O: Module> {
    pub optimizer: O,
    pub variables: Vec<Variable>,
}

impl<O: Optimizer> Training<O> {
    pub fn new(optimizer: O, file: &Value) -> Self {
        let starts = file["starts"].as_array().unwrap().iter();
        let variables = starts.zip(NAMES).map(|(start, name)| Variable::with(tensor(start), name, true)).collect();
        Self { optimizer, variables }
    }
}

/// The gradients of a step: two dense ones, and numbers and values of rows.
pub struct Given {
    pub dense: Vec<Tensor>,
    pub indices: Tensor,
    pub rows: Tensor,
}

pub fn gradients(file: &Value) -> Vec<Given> {
    let one = |step: &Value| Given {
        dense: step["dense"].as_array().unwrap().iter().map(tensor).collect(),
        indices: tensor(&step["indices"]),
        rows: tensor(&step["rows"]),
    };
    file["gradients"].as_array().unwrap().iter().map(one).collect()
}

/// A step whose gradients are the numbers given; those of the table are rows, or the same as a dense tensor.
pub fn step<O: Optimizer>(t: &Training<O>, a: &Tensor, b: &Tensor, indices: &Tensor, rows: &Tensor, sparse: bool) {
    let (w, loss);
    let tape = GradientTape::new();
    w = &t.variables;
    let looked_up = tf::embedding_lookup(&w[2], indices) * rows;
    loss = tf::reduce_sum(&w[0] * a, ()) + tf::reduce_sum(&w[1] * b, ()) + tf::reduce_sum(looked_up, ());
    let found = tape.gradient(&loss, &w[..]);
    match sparse {
        true => {
            assert!(found.rows(2).is_some());
            t.optimizer.apply_gradients(&found, w);
        }
        false => t.optimizer.apply_gradients(&found.try_to_vec().unwrap().into_iter().collect(), w),
    }
}

#[tf_function]
fn dense_step(t: &Training<Box<dyn Optimizer>>, a: &Tensor, b: &Tensor, indices: &Tensor, rows: &Tensor) {
    step(t, a, b, indices, rows, false);
}

#[tf_function]
fn rows_step(t: &Training<Box<dyn Optimizer>>, a: &Tensor, b: &Tensor, indices: &Tensor, rows: &Tensor) {
    step(t, a, b, indices, rows, true);
}

pub fn numbers_of(variables: &[Variable]) -> Vec<Vec<u64>> {
    let bits = |v: &Variable| tf::cast(v.value(), tf::float64).to_vec::<f64>().into_iter().map(f64::to_bits).collect();
    variables.iter().map(bits).collect()
}

/// Runs all steps, eager and traced, and compares with what was seen of Keras.
fn follows_keras(
    what: &str,
    make: &dyn Fn() -> Box<dyn Optimizer>,
    sparse: bool,
    row: &Value,
    file: &Value,
) -> [Training<Box<dyn Optimizer>>; 2] {
    let both = [Training::new(make(), file), Training::new(make(), file)];
    for (at, Given { dense, indices, rows }) in gradients(file).iter().enumerate() {
        step(&both[0], &dense[0], &dense[1], indices, rows, sparse);
        match sparse {
            true => rows_step(&both[1], &dense[0], &dense[1], indices, rows),
            false => dense_step(&both[1], &dense[0], &dense[1], indices, rows),
        }
        if let Some(seen) = row.get((at + 1).to_string()) {
            for (variable, name) in both[0].variables.iter().zip(NAMES) {
                near(&format!("{what}, step {}, {name}", at + 1), &variable.value(), &seen[name], tolerance(what));
            }
        }
    }
    assert_eq!(numbers_of(&both[0].variables), numbers_of(&both[1].variables), "{what}: traced is not eager");
    both
}

/// Keras takes powers of betas in `float32`, and an iteration of products grows what is lost.
fn tolerance(what: &str) -> f64 {
    match what {
        _ if what.starts_with("Muon") => 2e-4,
        _ if what.starts_with("Ftrl") => 1e-4,
        _ => 2e-5,
    }
}

fn check(rows: impl Iterator<Item = Value>) {
    let file = file("optimizers");
    let mut failures = Vec::new();
    for row in rows {
        let (kind, config) = (row["optimizer"].as_str().unwrap(), row["config"].as_object().unwrap());
        let sparse = row["rows"].as_bool().unwrap();
        let what = format!("{kind} {} rows={sparse}", row["config"]);
        let make = || build(kind, config, Rate::from(number(&config["learning_rate"])));
        let run = || {
            // Keras fails on some options with rows: SGD's numbers are then those of a dense gradient.
            let seen = match row.get("refused") {
                None => row["seen"].clone(),
                Some(_) => file["steps"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|r| r["optimizer"] == row["optimizer"] && r["config"] == row["config"] && r["rows"] == false)
                    .filter(|_| kind == "SGD")
                    .map_or(Value::Null, |r| r["seen"].clone()),
            };
            let [eager, _] = follows_keras(&what, &make, sparse, &seen, &file);
            state::is_kept_as_in_keras(&what, &eager, &row);
            if let Some(end) = row.get("final") {
                eager.optimizer.finalize_variable_values(&eager.variables);
                for (variable, name) in eager.variables.iter().zip(NAMES) {
                    near(&format!("{what}, average of {name}"), &variable.value(), &end[name], tolerance(&what));
                }
            }
        };
        if let Err(failure) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
            let text = failure.downcast_ref::<String>().cloned();
            failures.push(text.unwrap_or_else(|| failure.downcast_ref::<&str>().unwrap_or(&"?").to_string()));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

macro_rules! one_test_for_each {
    ($($test:ident: $kind:literal),*) => {$(
        #[test]
        fn $test() {
            check(file("optimizers")["steps"].as_array().unwrap().iter().filter(|row| row["optimizer"] == $kind).cloned());
        }
    )*};
}

one_test_for_each! {
    sgd: "SGD", adam: "Adam", adamw: "AdamW", adamax: "Adamax", nadam: "Nadam", rmsprop: "RMSprop", adagrad: "Adagrad",
    adadelta: "Adadelta", ftrl: "Ftrl", adafactor: "Adafactor", lion: "Lion", lamb: "Lamb", muon: "Muon",
    schedule_free_adamw: "ScheduleFreeAdamW"
}

#[test]
fn variables_are_left_out_of_decay() {
    let file = file("optimizers");
    let by_name =
        || Box::new(AdamW::new(0.05).weight_decay(0.2).exclude_from_weight_decay(&[], &["bia", "tab.e"])) as _;
    follows_keras("by name", &by_name, false, &file["excluded"]["by_name"], &file);
    // By handle: the variables are there before the optimizer.
    let mut training = Training::new(Box::new(SGD::new(0.0)) as Box<dyn Optimizer>, &file);
    let own = training.variables[..1].to_vec();
    training.optimizer = Box::new(AdamW::new(0.05).weight_decay(0.2).exclude_from_weight_decay(&own, &[]));
    for (at, Given { dense, indices, rows }) in gradients(&file).iter().enumerate() {
        dense_step(&training, &dense[0], &dense[1], indices, rows);
        if let Some(seen) = file["excluded"]["by_handle"].get((at + 1).to_string()) {
            let all = training.variables.iter().zip(NAMES);
            all.for_each(|(v, name)| near(name, &v.value(), &seen[name], 2e-5));
        }
    }
}

#[test]
fn a_schedule_is_the_rate_of_each_step() {
    let file = file("optimizers");
    let config: Config = serde_json::from_str(
        r#"{"initial_learning_rate": 0.0, "decay_steps": 30, "alpha": 0.1, "warmup_target": 0.1, "warmup_steps": 8}"#,
    )
    .unwrap();
    let rate = || schedule("CosineDecay", &config);
    let all = &file["by_schedule"];
    follows_keras("alone", &|| Box::new(SGD::new(rate()).momentum(0.5)), false, &all["alone"], &file);
    let added_up = || Box::new(Nadam::new(rate()).gradient_accumulation_steps(3)) as _;
    follows_keras("added up", &added_up, false, &all["added_up"], &file);
    let adafactor = || Box::new(tf::optim::Adafactor::new(rate())) as _;
    follows_keras("adafactor", &adafactor, false, &all["adafactor"], &file);
}

#[test]
fn groups_have_optimizers_of_their_own() {
    let file = file("optimizers");
    let start = Training::new(Box::new(SGD::new(0.0)) as Box<dyn Optimizer>, &file);
    let groups = Groups::new(Adam::new(0.05)).with(&start.variables[1..2], SGD::new(0.1).momentum(0.5));
    let training = Training { optimizer: Box::new(groups) as Box<dyn Optimizer>, variables: start.variables };
    for (at, Given { dense, indices, rows }) in gradients(&file).iter().enumerate() {
        match at % 2 {
            0 => dense_step(&training, &dense[0], &dense[1], indices, rows),
            _ => step(&training, &dense[0], &dense[1], indices, rows, false),
        }
        if let Some(seen) = file["groups"].get((at + 1).to_string()) {
            let all = training.variables.iter().zip(NAMES);
            all.for_each(|(v, name)| near(name, &v.value(), &seen[name], 2e-5));
        }
    }
    assert_eq!(training.optimizer.iterations().value().item::<i64>(), 50);
}

#[tf_function]
fn scaled_step(t: &Training<LossScaleOptimizer<SGD>>, a: &Tensor, b: &Tensor, table: &Tensor) {
    let gradients = [a, b, table].map(Tensor::clone).into_iter().collect();
    t.optimizer.apply_gradients(&gradients, &t.variables);
}

#[test]
fn losses_are_scaled_as_far_as_gradients_are_finite() {
    let file = file("optimizers");
    let make = || LossScaleOptimizer::new(SGD::new(0.05).momentum(0.9)).initial_scale(64.0).dynamic_growth_steps(4);
    for traced in [false, true] {
        let t = Training::new(make(), &file);
        let seen = file["loss_scale"]["seen"].as_array().unwrap();
        for (at, Given { dense, indices, rows }) in gradients(&file).iter().enumerate() {
            let scale = t.optimizer.scale_loss(&tf::constant(1.0)).item::<f32>();
            let table = tf::unsorted_segment_sum(rows, indices, 6) * scale;
            let mut dense: Vec<Vec<f32>> = dense.iter().map(|g| (g * scale).to_vec()).collect();
            if at % 7 == 5 {
                dense[at % 2][1] = [f32::INFINITY, f32::NAN][at % 3 % 2];
            }
            let [a, b] = [tf::reshape(&Tensor::from(dense[0].clone()), [3, 4]), Tensor::from(dense[1].clone())];
            match traced {
                true => scaled_step(&t, &a, &b, &table),
                false => t.optimizer.apply_gradients(&[a, b, table].into_iter().collect(), &t.variables),
            }
            let right = [number(&seen[at][0]), number(&seen[at][1]), number(&seen[at][2])];
            let steps = |v: &Variable| v.value().item::<i64>() as f64;
            let ours = [f64::from(scale), steps(t.optimizer.step_counter()), steps(t.optimizer.iterations())];
            assert_eq!(ours, right, "step {at}");
        }
        let all = t.variables.iter().zip(NAMES);
        all.for_each(|(v, name)| near(name, &v.value(), &file["loss_scale"]["end"][name], 2e-5));
    }
    assert_eq!(tf::function(scaled_step).trace_count(), 1);
}

/// Keras's `NonNeg`.
#[derive(Debug)]
struct NonNeg;

impl eagerflow_engine::library::VariableConstraint for NonNeg {
    fn project(&self, value: &Tensor) -> tf::Result<Tensor> {
        tf::try_maximum(value, 0.0)
    }
}

#[test]
fn constraints_hold_behind_each_step() {
    let file = file("optimizers");
    let t = Training::new(Box::new(Adam::new(0.1)) as Box<dyn Optimizer>, &file);
    for variable in &t.variables {
        eagerflow_engine::library::set_constraint(variable, std::sync::Arc::new(NonNeg)).unwrap();
        assert!(eagerflow_engine::library::set_constraint(variable, std::sync::Arc::new(NonNeg)).is_err());
    }
    for (at, Given { dense, indices, rows }) in gradients(&file).iter().enumerate() {
        dense_step(&t, &dense[0], &dense[1], indices, rows);
        if let Some(seen) = file["constrained"].get((at + 1).to_string()) {
            let all = t.variables.iter().zip(NAMES);
            all.for_each(|(v, name)| near(name, &v.value(), &seen[name], 2e-5));
        }
    }
    let copy = tf::Duplicate::duplicate(&t.variables[0]);
    assert!(eagerflow_engine::library::constraint_of(&copy).is_some());
}

#[test]
fn steps_in_double_precision() {
    let file = file("optimizers");
    for (name, row) in file["dtypes"].as_object().unwrap() {
        let kind = name.split('/').next().unwrap();
        let mut t = Training::new(build(kind, &Config::new(), Rate::from(0.05)), &file);
        let wide = |v: &Variable| Variable::with(tf::cast(v.value(), tf::float64), v.name(), true);
        t.variables = t.variables.iter().map(wide).collect();
        for (at, Given { dense, indices, rows }) in gradients(&file).iter().enumerate() {
            let all = [&dense[0], &dense[1], &tf::unsorted_segment_sum(rows, indices, 6)];
            t.optimizer.apply_gradients(&all.map(|g| tf::cast(g, tf::float64)).into_iter().collect(), &t.variables);
            if let Some(seen) = row.get((at + 1).to_string()) {
                // Rates are `float32`, as Keras's are; its betas too, on their way to their powers.
                let tolerance = if kind == "Adam" || kind == "Lamb" { 1e-5 } else { 1e-7 };
                let all = t.variables.iter().zip(NAMES);
                all.for_each(|(v, n)| near(&format!("{name} {n}"), &v.value(), &seen[n], tolerance));
            }
        }
    }
}
