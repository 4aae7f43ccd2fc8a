//! Optimizers by their names, as Keras takes them in `compile(optimizer="adam")`: the class, or the same in small letters.
//! [`get`] finds them; `compile` takes names too, by [`IntoOptimizer`].

use super::*;
use crate::losses::nearest;
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// The optimizer with Keras's name, in capitals or small letters, with Keras's defaults. For other options make the object.
/// Keras's `optimizers.get`.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::Optimizer;
/// let optimizer = tf::optim::get("adam");
/// assert_eq!((optimizer.name(), optimizer.learning_rate().get() as f32), ("adam", 0.001));
/// let error = tf::optim::try_get("adem").err().unwrap().to_string();
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
    match OPTIMIZERS.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)) {
        Some((_, make)) => Ok(make()),
        None => {
            let names: Vec<String> = OPTIMIZERS.iter().map(|(own, _)| own.to_lowercase()).collect();
            let names = names.iter().map(String::as_str);
            Err(nearest("optim::get", "optimizer", name, names).at(Location::caller()))
        }
    }
}

type Made = (&'static str, fn() -> Box<dyn Optimizer>);

macro_rules! optimizers {
    ($($name:ident),* $(,)?) => {
        /// Every optimizer that has defaults for all its options.
        const OPTIMIZERS: &[Made] = &[$((stringify!($name), || Box::<$name>::default())),*];
    };
}

optimizers! {
    Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Ftrl, Lamb, Lion, Muon, Nadam, RMSprop, SGD, ScheduleFreeAdamW,
}

/// What `compile` takes for an optimizer: an object, its name such as `"adam"`, or `()` for a model whose steps have optimizers of
/// their own, and for one that is only evaluated.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no optimizer",
    label = "neither an optimizer, nor its name, nor `()` for none"
)]
pub trait IntoOptimizer {
    /// The optimizer, if there is one.
    ///
    /// # Errors
    /// NotFound for a name that is none, with those that are near.
    fn into_optimizer(self) -> Result<Option<Box<dyn Optimizer>>>;
}

impl<O: Optimizer + 'static> IntoOptimizer for O {
    fn into_optimizer(self) -> Result<Option<Box<dyn Optimizer>>> {
        Ok(Some(Box::new(self)))
    }
}

impl IntoOptimizer for &str {
    #[track_caller]
    fn into_optimizer(self) -> Result<Option<Box<dyn Optimizer>>> {
        try_get(self).map(Some)
    }
}

impl IntoOptimizer for () {
    fn into_optimizer(self) -> Result<Option<Box<dyn Optimizer>>> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keras calls its optimizers by the same names, whatever the letters.
    #[test]
    fn all_are_found_by_both_spellings() {
        for (name, _) in OPTIMIZERS {
            let small = name.to_lowercase();
            assert_eq!(get(name).name(), get(&small).name());
        }
        assert_eq!(get("sgd").learning_rate().get() as f32, 0.01);
        assert_eq!(get("ScheduleFreeAdamW").learning_rate().get() as f32, 0.0025);
    }
}
