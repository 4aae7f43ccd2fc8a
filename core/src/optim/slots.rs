//! The values that an optimizer keeps for each variable, such as its momentum: variables themselves, by the id of theirs.
//! Optimizers look them up at every step and make them at the first.

use crate::error::Result;
use crate::module::{Fields, Module};
use crate::ops;
use crate::tensor::TensorType;
use crate::variable::Variable;
use std::sync::{Mutex, PoisonError};

/// `N` slots for each variable, of its dtype and shape, which start at zero.
#[derive(Debug)]
pub(super) struct Slots<const N: usize> {
    names: [&'static str; N],
    /// In the order of the variables' first steps, which is that of a checkpoint.
    list: Mutex<Vec<(u64, [Variable; N])>>,
}

impl<const N: usize> Slots<N> {
    pub fn new(names: [&'static str; N]) -> Self {
        Self { names, list: Mutex::new(Vec::new()) }
    }

    /// The slots of `variable`, which is usually the one at `place` in the list.
    #[track_caller]
    pub fn of(&self, variable: &Variable, place: usize) -> Result<[Variable; N]> {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let id = variable.id();
        let known = list.get(place).filter(|(other, _)| *other == id);
        if let Some((_, slots)) = known.or_else(|| list.iter().find(|(other, _)| *other == id)) {
            return Ok(slots.clone());
        }
        let zeros = ops::zeros_of(&TensorType::new(variable.dtype(), variable.shape()))?;
        let slots = self.names.map(|name| Variable::with(&zeros, format!("{}/{name}", variable.name()), false));
        list.push((id, slots.clone()));
        Ok(slots)
    }
}

impl<const N: usize> Module for Slots<N> {
    fn visit(&self, fields: &mut Fields<'_>) {
        for (i, (_, slots)) in self.list.lock().unwrap_or_else(PoisonError::into_inner).iter().enumerate() {
            fields.item(i, slots);
        }
    }
}
