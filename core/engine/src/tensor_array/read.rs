//! What is read from a [`TensorArray`]: an item, some of them, or all of them as one tensor.
//! Users call these methods after a loop has written.

use super::{Items, TensorArray, number, staged};
use crate::builder;
use crate::execute::execute;
use crate::lists::items::Get;
use crate::lists::whole::StackList;
use crate::lists::{READ, outside};
use crate::ops::{AsTensor, ToOperand, functions};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::Shape;
use std::panic::Location;

impl TensorArray {
    /// Item `index`.
    ///
    /// # Panics
    /// As [`try_read`](Self::try_read) fails.
    #[track_caller]
    pub fn read(&self, index: impl ToOperand) -> Tensor {
        self.try_read(index).or_fail()
    }

    /// Item `index`.
    ///
    /// # Errors
    /// OutOfRange if there is none; FailedPrecondition if it was not written and the shape of items is not known.
    #[track_caller]
    pub fn try_read(&self, index: impl ToOperand) -> Result<Tensor> {
        let here = Location::caller();
        let index = index.to_operand().tensor(READ, DType::I32).map_err(|e| e.at(here))?;
        if let Items::Host(items) = &self.items
            && builder::current().is_none()
        {
            let at = number(READ, &index).map_err(|e| e.at(here))?;
            let item = items.get(at).ok_or_else(|| outside(READ, at, items.len()).at(here))?;
            return match item {
                Some(item) => Ok(item.clone()),
                None => crate::ops::zeros_of(&self.item_type().map_err(|e| e.at(here))?),
            };
        }
        let op = Get { item: self.item_type().map_err(|e| e.at(here))? };
        Ok(execute(&op, &[&staged(self.items.clone()), &index])?.remove(0))
    }

    /// All items along a new first axis.
    ///
    /// # Panics
    /// If nothing was written and the shape of items is not known.
    #[track_caller]
    pub fn stack(&self) -> Tensor {
        self.try_stack().or_fail()
    }

    /// All items along a new first axis.
    ///
    /// # Errors
    /// FailedPrecondition if nothing was written and the shape of items is not known.
    #[track_caller]
    pub fn try_stack(&self) -> Result<Tensor> {
        let here = Location::caller();
        let item = self.item_type().map_err(|e| e.at(here))?;
        if let Items::Host(items) = &self.items
            && builder::current().is_none()
            && !items.is_empty()
        {
            let zeros = if items.iter().any(Option::is_none) { Some(crate::ops::zeros_of(&item)?) } else { None };
            let all: Vec<&Tensor> = items.iter().filter_map(|i| i.as_ref().or(zeros.as_ref())).collect();
            return functions::try_stack(&all, 0);
        }
        let op = StackList { item, count: None, some: false };
        Ok(execute(&op, &[&staged(self.items.clone())])?.remove(0))
    }

    /// All items one behind the other along their first axis.
    ///
    /// # Panics
    /// If nothing was written and the shape of items is not known, or items are scalars.
    #[track_caller]
    pub fn concat(&self) -> Tensor {
        let stacked = self.stack();
        let sizes = stacked.shape().sizes();
        if sizes.len() < 2 {
            Err(Error::invalid_argument("TensorArray", "scalars cannot be put one behind the other")
                .help("use `stack`"))
            .or_fail()
        }
        let mut merged = vec![sizes[0] * sizes[1]];
        merged.extend_from_slice(&sizes[2..]);
        crate::ops::reshape_to(&stacked, &Shape::from_dims(&merged).or_fail()).or_fail()
    }

    /// The items at the given indices, along a new first axis.
    ///
    /// # Panics
    /// As [`stack`](Self::stack); and if an index names no item.
    #[track_caller]
    pub fn gather(&self, indices: impl AsTensor) -> Tensor {
        crate::execute::note_said("gather", "TensorArray.gather");
        let taken = functions::try_gather(self.stack(), &*indices.as_tensor(), 0);
        taken.map_err(|e| e.named("TensorArray.gather")).or_fail()
    }
}
