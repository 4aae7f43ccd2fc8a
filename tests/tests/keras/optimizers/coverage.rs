//! No optimizer, schedule or option is without a row of Keras's numbers, and none of Keras's is missing: the sources and Keras's
//! signatures are asked.

use super::build::{OPTIONS, SCHEDULES, SHARED};
use crate::numbers::file;
use eagerflow::{self as tf, optim::Optimizer};
use std::collections::HashSet;
use std::path::Path;

fn source(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/optim").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The options that a source declares: functions that take and give the optimizer itself.
fn declared(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some(rest) = line.trim_start().strip_prefix("pub fn ") else { continue };
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let takes_itself = rest.contains("(this,") || rest.contains("(mut self") || rest.contains("(self,");
        if takes_itself && !name.starts_with("try_") {
            found.push(name);
        }
    }
    found
}

/// Every option in the sources of a folder is one of some class in the list.
pub fn public_options_are_in(folder: &str, classes: &[(&str, &[&str])]) {
    let known: HashSet<&str> = classes.iter().flat_map(|(_, options)| options.iter().copied()).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/optim").join(folder);
    let mut seen = 0;
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        for option in declared(&std::fs::read_to_string(&path).unwrap()) {
            seen += 1;
            assert!(known.contains(option.as_str()), "the option `{option}` of {} has no row", path.display());
        }
    }
    assert!(seen > 5, "no options were found in the sources");
}

#[test]
fn no_option_is_without_a_row() {
    let file = file("optimizers");
    for (kind, own) in OPTIONS {
        let rows =
            file["steps"].as_array().unwrap().iter().filter(|row| row["optimizer"] == *kind && row["rows"] == false);
        let set: HashSet<&str> =
            rows.flat_map(|row| row["config"].as_object().unwrap().keys()).map(String::as_str).collect();
        for option in own.iter().chain(&SHARED) {
            assert!(set.contains(option), "{kind} has no row with `{option}`");
        }
        for option in file["signatures"][kind].as_array().unwrap() {
            let option = option.as_str().unwrap();
            // The rate is the argument of `new`; the name is `named`, since `name()` answers it.
            let known =
                own.contains(&option) || SHARED.contains(&option) || ["learning_rate", "name"].contains(&option);
            assert!(known, "Keras's {kind} has an option `{option}`");
        }
    }
}

#[test]
fn options_in_the_sources_are_tried() {
    // Options that are tried by tests of their own, above.
    let elsewhere: &[&str] =
        &["named", "exclude_from_weight_decay", "initial_scale", "dynamic_growth_steps", "with", "loss_scale_factor"];
    let mut classes: Vec<(&str, &[&str])> = OPTIONS.to_vec();
    classes.push(("all", &SHARED));
    classes.push(("others", elsewhere));
    public_options_are_in("", &classes);
}

#[test]
fn every_optimizer_is_found_by_its_name() {
    for (kind, _) in OPTIONS {
        let by_class = tf::optim::get(kind);
        assert_eq!(by_class.name().replace('_', ""), kind.to_lowercase());
        assert_eq!(tf::optim::get(by_class.name()).name(), by_class.name());
    }
}

#[test]
fn no_class_of_keras_is_missing() {
    let text = source("mod.rs") + &source("schedules/mod.rs");
    let ours = |class: &str| match class {
        // Bases, and the map from paths to optimizers, for which groups are.
        "Optimizer" | "OptimizerMap" => true,
        "LearningRateSchedule" => text.contains("pub trait Schedule"),
        "MultiOptimizer" => text.contains("Groups"),
        class => text.contains(class),
    };
    for class in file("optimizers")["signatures"]["classes"].as_array().unwrap() {
        assert!(ours(class.as_str().unwrap()), "Keras has {class}");
    }
    // What the library makes public has rows.
    for line in text.lines().filter_map(|line| line.strip_prefix("pub use ")) {
        let names = line.rsplit("::").next().unwrap().trim_matches(|c| "{};".contains(c)).split(", ");
        for name in names {
            let rows = OPTIONS.iter().chain(SCHEDULES).any(|(kind, _)| *kind == name);
            let others =
                ["Groups", "LossScaleOptimizer", "LearningRate", "Rate", "Anneal", "IntoOptimizer", "get", "try_get"];
            assert!(rows || others.contains(&name), "{name} has no row");
        }
    }
}
