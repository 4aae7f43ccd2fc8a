//! Optimizers by their names, as Keras takes them in `compile(optimizer="adam")`.
//! Programs whose optimizer is a setting call [`get`].

use super::*;
use crate::losses::nearest;

/// The optimizer with Keras's name, that of its class or its short one such as `"adam"`, with Keras's defaults. Its learning rate may be
/// set afterwards.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::Optimizer;
/// let optimizer = tf::optim::get("rmsprop");
/// optimizer.learning_rate().set(0.01);
/// assert_eq!((optimizer.name(), optimizer.learning_rate().get() as f32), ("rmsprop", 0.01));
/// let error = tf::optim::try_get("adan").err().unwrap().to_string();
/// assert!(error.contains("`adam`"));
/// ```
///
/// # Panics
/// As [`try_get`] fails, at the caller's line.
#[track_caller]
pub fn get(name: &str) -> Box<dyn Optimizer> {
    try_get(name).or_fail()
}

/// The optimizer with Keras's name.
///
/// # Errors
/// NotFound for another name, with those that are near.
#[track_caller]
pub fn try_get(name: &str) -> Result<Box<dyn Optimizer>> {
    // The class `ScheduleFreeAdamW` goes by `schedule_free_adamw`, too.
    let plain = name.to_lowercase().replace('_', "");
    match OPTIMIZERS.iter().find(|(own, _)| own.to_lowercase() == plain) {
        Some((_, make)) => Ok(make()),
        None => {
            let lower: Vec<String> = OPTIMIZERS.iter().map(|(own, _)| own.to_lowercase()).collect();
            let names = lower.iter().map(String::as_str);
            Err(nearest("optim::get", "optimizer", name, names).at(Location::caller()))
        }
    }
}

macro_rules! optimizers {
    ($($name:ident),*) => {
        /// Every optimizer of Keras; the short name is that of the class in small letters.
        const OPTIMIZERS: &[(&str, fn() -> Box<dyn Optimizer>)] =
            &[$((stringify!($name), || Box::new($name::default()))),*];
    };
}

optimizers!(
    SGD,
    Adam,
    AdamW,
    RMSprop,
    Adadelta,
    Adagrad,
    Adamax,
    Nadam,
    Ftrl,
    Lion,
    Lamb,
    Adafactor,
    Muon,
    ScheduleFreeAdamW
);
