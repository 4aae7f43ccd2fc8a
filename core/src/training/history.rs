//! Numbers of a training: those of one moment, and those of all epochs.
//! Steps and epochs make [`Logs`], `fit` answers a [`History`], callbacks read both.

use std::fmt;

/// Named numbers, in the order in which they are shown: `loss`, metrics, and those of the validation with `val_` before their names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Logs(Vec<(String, f64)>);

impl Logs {
    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }

    /// The names and numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// The names.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Sets a number, in its place if the name is there.
    pub fn set(&mut self, name: impl Into<String>, value: f64) {
        let name = name.into();
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Adds those of a validation, with `val_` before their names.
    pub(crate) fn add_validation(&mut self, validation: &Self) {
        validation.iter().for_each(|(name, value)| self.set(format!("val_{name}"), value));
    }
}

impl std::ops::Index<&str> for Logs {
    type Output = f64;

    /// The number of a name.
    ///
    /// # Panics
    /// Where there is none, with the names that there are.
    #[track_caller]
    fn index(&self, name: &str) -> &f64 {
        match self.0.iter().find(|(own, _)| own == name) {
            Some((_, value)) => value,
            None => panic!("there is no \"{name}\" among the logs {:?}", self.names()),
        }
    }
}

impl fmt::Display for Logs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.iter().enumerate() {
            let gap = if at == 0 { "" } else { " - " };
            // As Keras writes them: small numbers by their exponent.
            match value.abs() >= 1e-3 || value == 0.0 || !value.is_finite() {
                true => write!(f, "{gap}{name}: {value:.4}")?,
                false => write!(f, "{gap}{name}: {value:.4e}")?,
            }
        }
        Ok(())
    }
}

/// What `fit` answers: the numbers of each epoch, Keras's `History`.
///
/// ```
/// use eagerflow as tf;
/// use tf::{layers::Dense, optim::SGD, training::{Compile, Fit}};
/// let model = tf::Sequential::new((Dense::new(1),));
/// let x = tf::random::normal([32, 2], 0.0, 1.0);
/// let y = tf::reduce_sum(&x, tf::keep_dims(1));
/// let history = model.compile(SGD::new(0.1), "mse").fit((&x, &y), Fit::new().epochs(3).verbose(0));
/// assert_eq!(history.epochs(), [0, 1, 2]);
/// assert!(history["loss"][2] < history["loss"][0]);
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct History {
    epochs: Vec<usize>,
    curves: Vec<(String, Vec<f64>)>,
}

impl History {
    /// The numbers of the epochs, counted from 0.
    pub fn epochs(&self) -> &[usize] {
        &self.epochs
    }

    /// The names and curves, one number per epoch; NaN for epochs that had none.
    pub fn curves(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.curves.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The curve of a name.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.curves.iter().find(|(own, _)| own == name).map(|(_, values)| values.as_slice())
    }

    /// The numbers of the last epoch.
    pub fn last(&self) -> Logs {
        Logs(self.curves.iter().filter_map(|(name, values)| Some((name.clone(), *values.last()?))).collect())
    }

    pub(crate) fn push(&mut self, epoch: usize, logs: &Logs) {
        self.epochs.push(epoch);
        for (name, value) in logs.iter() {
            let at = self.curves.iter().position(|(own, _)| own == name).unwrap_or_else(|| {
                self.curves.push((name.to_owned(), Vec::new()));
                self.curves.len() - 1
            });
            let values = &mut self.curves[at].1;
            values.resize(self.epochs.len() - 1, f64::NAN);
            values.push(value);
        }
        self.curves.iter_mut().for_each(|(_, values)| values.resize(self.epochs.len(), f64::NAN));
    }
}

impl std::ops::Index<&str> for History {
    type Output = [f64];

    /// The curve of a name.
    ///
    /// # Panics
    /// Where there is none, with the names that there are.
    #[track_caller]
    fn index(&self, name: &str) -> &[f64] {
        match self.get(name) {
            Some(values) => values,
            None => {
                let names: Vec<&str> = self.curves.iter().map(|(name, _)| name.as_str()).collect();
                panic!("there is no \"{name}\" in the history, which has {names:?}")
            }
        }
    }
}
