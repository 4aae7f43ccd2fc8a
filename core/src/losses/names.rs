//! Losses by their names, as Keras takes them in `compile(loss="mse")`: classes, functions and short names.
//! [`get`] finds them; metrics look for near names by the same rule.

use super::*;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// The loss with Keras's name: that of its class, of its function, or a short one such as `"mse"`. It has Keras's defaults, so a
/// cross entropy takes probabilities; for logits make the object.
///
/// ```
/// use eagerflow as tf;
/// let loss = tf::losses::get("mse");
/// assert_eq!(loss.name(), "mean_squared_error");
/// let error = tf::losses::try_get("mean_square_error").unwrap_err().to_string();
/// assert!(error.contains("`mean_squared_error`"));
/// ```
///
/// # Panics
/// As [`try_get`] fails, at the caller's line.
#[track_caller]
pub fn get(name: &str) -> Box<dyn Loss> {
    try_get(name).or_fail()
}

/// The loss with Keras's name.
///
/// # Errors
/// NotFound for another name, with those that are near.
#[track_caller]
pub fn try_get(name: &str) -> Result<Box<dyn Loss>> {
    let found = LOSSES.iter().find(|(names, _)| names.contains(&name));
    match found {
        Some((_, make)) => Ok(make()),
        None => {
            let names = LOSSES.iter().flat_map(|(names, _)| names.iter().copied());
            Err(nearest("losses::get", "loss", name, names).at(Location::caller()))
        }
    }
}

type Made = (&'static [&'static str], fn() -> Box<dyn Loss>);

macro_rules! losses {
    ($($name:ident: $($text:literal),*;)*) => {
        /// Every loss with its names: the class, the function, and Keras's short ones.
        const LOSSES: &[Made] = &[$((&[stringify!($name), $($text),*], || Box::new($name::new()))),*];
    };
}

losses! {
    BinaryCrossentropy: "binary_crossentropy", "bce", "BCE";
    BinaryFocalCrossentropy: "binary_focal_crossentropy";
    CategoricalCrossentropy: "categorical_crossentropy";
    CategoricalFocalCrossentropy: "categorical_focal_crossentropy";
    CategoricalGeneralizedCrossEntropy: "categorical_generalized_cross_entropy";
    CategoricalHinge: "categorical_hinge";
    Circle: "circle";
    CosineSimilarity: "cosine_similarity";
    CTC: "ctc";
    Dice: "dice";
    Hinge: "hinge";
    Huber: "huber";
    KLDivergence: "kl_divergence", "kld", "KLD";
    LogCosh: "log_cosh", "logcosh";
    MeanAbsoluteError: "mean_absolute_error", "mae", "MAE";
    MeanAbsolutePercentageError: "mean_absolute_percentage_error", "mape", "MAPE";
    MeanSquaredError: "mean_squared_error", "mse", "MSE";
    MeanSquaredLogarithmicError: "mean_squared_logarithmic_error", "msle", "MSLE";
    Poisson: "poisson";
    SparseCategoricalCrossentropy: "sparse_categorical_crossentropy";
    SquaredHinge: "squared_hinge";
    Tversky: "tversky";
}

/// The error for a name that nothing has, with up to three that are near.
#[cold]
pub(crate) fn nearest<'a>(op: &str, kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Error {
    let given = plain(name);
    let mut near: Vec<(usize, usize, &str)> = names
        .map(|other| (distance(&given, &plain(other)), distance(name, other), other))
        .filter(|&(far, _, other)| far <= 2 + other.len() / 4)
        .collect();
    near.sort();
    // The class and the function of one loss differ in spelling alone: one of them is enough.
    near.dedup_by_key(|(_, _, other)| plain(other));
    let error = Error::not_found(op, format!("there is no {kind} of this name")).got(format!("`{name}`"));
    let list: Vec<String> = near.iter().take(3).map(|(_, _, other)| format!("`{other}`")).collect();
    match list.is_empty() {
        true => error.help(format!("the documentation of `tf::{}` lists them", op.trim_end_matches("::get"))),
        false => error.help(format!("near names are {}", list.join(", "))),
    }
}

/// A name without capitals and underscores.
fn plain(name: &str) -> String {
    name.chars().filter(|&c| c != '_').flat_map(char::to_lowercase).collect()
}

/// How many letters differ: insertions, deletions and exchanges.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let here = (corner + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = here;
        }
    }
    row[b.len()]
}
