//! Structures that are lists of tensors and can be made of such a list again: what goes into graphs of layers, and comes out.
//! `Functional` takes and gives them.

use engine::{Nest, Tensor};
use kernels::error::{Error, Result};

/// A tensor, or a tuple, array or `Vec` of tensors.
pub trait TensorsOf: Nest {
    /// The tensors in order.
    fn list(&self) -> Vec<Tensor>;

    /// The structure of a list.
    ///
    /// # Errors
    /// InvalidArgument for a list of another length.
    fn of_list(list: Vec<Tensor>) -> Result<Self>
    where
        Self: Sized;
}

impl TensorsOf for Tensor {
    fn list(&self) -> Vec<Tensor> {
        vec![self.clone()]
    }

    fn of_list(list: Vec<Tensor>) -> Result<Self> {
        <[Self; 1]>::of_list(list).map(|[one]| one)
    }
}

impl TensorsOf for Vec<Tensor> {
    fn list(&self) -> Vec<Tensor> {
        self.clone()
    }

    fn of_list(list: Vec<Tensor>) -> Result<Self> {
        Ok(list)
    }
}

impl<const N: usize> TensorsOf for [Tensor; N] {
    fn list(&self) -> Vec<Tensor> {
        self.to_vec()
    }

    fn of_list(list: Vec<Tensor>) -> Result<Self> {
        list.try_into().map_err(|list: Vec<Tensor>| {
            Error::invalid_argument("model", "there is another number of tensors").got(list.len()).expected(N)
        })
    }
}

/// A tensor in place of each name.
macro_rules! one_of {
    ($name:ident) => {
        Tensor
    };
}

macro_rules! tuples {
    ($count:literal: $($name:ident $index:tt),*) => {
        impl TensorsOf for ($(one_of!($name),)*) {
            fn list(&self) -> Vec<Tensor> {
                vec![$(self.$index.clone()),*]
            }

            fn of_list(list: Vec<Tensor>) -> Result<Self> {
                let [$($name),*] = <[Tensor; $count]>::of_list(list)?;
                Ok(($($name,)*))
            }
        }
    };
}

tuples!(1: a 0);
tuples!(2: a 0, b 1);
tuples!(3: a 0, b 1, c 2);
tuples!(4: a 0, b 1, c 2, d 3);
tuples!(5: a 0, b 1, c 2, d 3, e 4);
tuples!(6: a 0, b 1, c 2, d 3, e 4, f 5);
