//! Schedules against Keras's rates at many steps (PyTorch's formula for `OneCycle`), as numbers and in a traced function.
//! The optimizers' tests run steps with them.

use crate::numbers::{file, number};
use crate::optimizers::build::{self, schedule};
use eagerflow as tf;
use std::collections::HashSet;
use tf::optim::schedules::Schedule;
use tf::optim::{Optimizer, SGD};
use tf::{Tensor, tf_function};

#[tf_function]
fn rate(optimizer: &SGD) -> Tensor {
    optimizer.learning_rate().try_value().unwrap()
}

#[test]
fn rates_are_those_of_keras() {
    let file = file("optimizers");
    for row in file["rates"].as_array().unwrap() {
        let kind = row["schedule"].as_str().unwrap();
        let made = schedule(kind, row["config"].as_object().unwrap());
        let optimizer = SGD::new(schedule(kind, row["config"].as_object().unwrap()));
        let before = tf::function(rate).trace_count();
        for (step, right) in row["steps"].as_array().unwrap().iter().zip(row["values"].as_array().unwrap()) {
            let (step, right) = (step.as_i64().unwrap(), number(right));
            let ours = made.value(step);
            assert!((ours - right).abs() <= 2e-6 * right.abs().max(0.05), "{made:?} at {step}: {ours}, not {right}");
            optimizer.iterations().assign(step);
            let traced = f64::from(rate(&optimizer).item::<f32>());
            assert!(traced == optimizer.learning_rate().get() && traced == ours, "{made:?} at {step}: {traced}");
        }
        // Steps change the rate and not the graph.
        let traces = tf::function(rate).trace_count() - before;
        assert!(traces <= 1, "{made:?}: {traces} traces");
    }
}

#[test]
fn no_schedule_and_no_option_is_without_a_row() {
    let file = file("optimizers");
    for (kind, options) in build::SCHEDULES {
        let rows: Vec<_> = file["rates"].as_array().unwrap().iter().filter(|row| row["schedule"] == *kind).collect();
        let set: HashSet<&str> =
            rows.iter().flat_map(|row| row["config"].as_object().unwrap().keys()).map(String::as_str).collect();
        for option in *options {
            assert!(set.contains(option), "{kind} has no row with `{option}`");
        }
        if *kind != "OneCycle" {
            for option in file["signatures"][kind].as_array().unwrap().iter().filter(|option| *option != "name") {
                assert!(options.contains(&option.as_str().unwrap()), "{kind} has no option {option}");
            }
        }
    }
    super::optimizers::coverage::public_options_are_in("schedules", build::SCHEDULES);
}
