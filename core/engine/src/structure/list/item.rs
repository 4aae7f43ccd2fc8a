//! What the items of a list have in common, which all states of its variable learn together: the graph's list of the same
//! items has a type. [`List`](super::List) asks when an item is pushed, and where a loop makes a list anew.

use crate::ir::fresh_sizes;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape, Symbol};
use std::sync::{Arc, Mutex, PoisonError};

/// What all items of a list have in common; sizes that differ or are known only when the graph runs are none.
#[derive(Clone)]
pub struct Item {
    pub dtype: DType,
    pub sizes: Vec<Option<Dim>>,
}

impl Item {
    pub fn of(tensor: &Tensor) -> Self {
        let open = |d: Dim| d.symbols().iter().any(|s| matches!(s, Symbol::Unbacked(_)));
        let sizes = tensor.shape().iter().map(|d| (!open(d)).then_some(d)).collect();
        Self { dtype: tensor.dtype(), sizes }
    }

    /// What is common with other items, if one list can have both.
    fn or(&self, other: &Self) -> Option<Self> {
        let both = self.sizes.iter().zip(&other.sizes);
        let fits = self.dtype == other.dtype && self.sizes.len() == other.sizes.len();
        fits.then(|| Self { dtype: self.dtype, sizes: both.map(|(a, b)| a.filter(|_| a == b)).collect() })
    }

    pub fn ty(&self) -> Result<TensorType> {
        let size = |d: &Option<Dim>| d.unwrap_or_else(|| Dim::unbacked(fresh_sizes(1)));
        let sizes: Vec<Dim> = self.sizes.iter().map(size).collect();
        Ok(TensorType::new(self.dtype, Shape::from_dims(&sizes)?))
    }
}

/// What is known so far.
#[derive(Clone, Default)]
pub struct Known(Arc<Mutex<Option<Item>>>);

impl Known {
    pub fn now(&self) -> Option<Item> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same, which learns apart from now on.
    pub fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(self.now())))
    }

    /// Whether both learn together.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Learns of more items; those known before, if one list cannot have both.
    pub fn add(&self, new: &Item) -> Result<(), Item> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.as_ref().map(|before| before.or(new).ok_or(before)) {
            None => *known = Some(new.clone()),
            Some(Ok(both)) => *known = Some(both),
            Some(Err(before)) => return Err(before.clone()),
        }
        Ok(())
    }
}
