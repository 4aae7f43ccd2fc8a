//! What `for` goes over: the rows of a tensor, or any iterator of the host.
//! Generated code asks for one step after the other, and hands the position over as a state variable.

use super::condition::Cond;
use super::place::{Place, place};
use super::table::{Slot, TableOfNest as _};
use crate::error::{Error, OrFail, Result};
use crate::tensor::Tensor;
use std::marker::PhantomData;

/// The type of what `for` goes over, asked about.
pub struct Iterated<E>(PhantomData<fn() -> E>);

impl<E> Iterated<E> {
    /// The type of a value.
    pub fn of(_: &E) -> Self {
        Self(PhantomData)
    }
}

/// Tensors: by rows.
pub trait IterateRows<E> {
    /// The rows.
    #[track_caller]
    fn iterate(&self, over: E) -> Rows;
}

impl IterateRows<Tensor> for &Iterated<Tensor> {
    #[track_caller]
    fn iterate(&self, over: Tensor) -> Rows {
        Rows::new(over)
    }
}

impl<'a> IterateRows<&'a Tensor> for &Iterated<&'a Tensor> {
    #[track_caller]
    fn iterate(&self, over: &'a Tensor) -> Rows {
        Rows::new(over.clone())
    }
}

/// Anything else that Rust can iterate over.
pub trait IterateHost<E> {
    /// Its items.
    fn iterate(&self, over: E) -> Items<E::IntoIter>
    where
        E: IntoIterator;
}

impl<E> IterateHost<E> for Iterated<E> {
    fn iterate(&self, over: E) -> Items<E::IntoIter>
    where
        E: IntoIterator,
    {
        Items { iterator: over.into_iter(), next: None, position: () }
    }
}

/// The items of a host iterator.
pub struct Items<I: Iterator> {
    iterator: I,
    next: Option<I::Item>,
    position: (),
}

impl<I: Iterator> Items<I> {
    /// Whether there is another item.
    #[track_caller]
    pub fn advance(&mut self) -> Cond {
        self.next = self.iterator.next();
        Cond::host(self.next.is_some())
    }

    /// The item that [`advance`](Self::advance) found.
    pub fn item(&mut self) -> I::Item {
        match self.next.take() {
            Some(item) => item,
            None => unreachable!("`advance` found an item before"),
        }
    }

    /// Where the loop stands: nothing that a graph could keep.
    pub fn place(&mut self) -> Place<'_> {
        place("the iterator", &mut self.position, (&&&&Slot::<()>::new()).table())
    }
}

/// The rows of a tensor. While a function is traced the position is a value of the graph, and so the loop is one of the
/// graph, however many rows there are.
pub struct Rows {
    tensor: Tensor,
    at: At,
}

enum At {
    Host { count: usize, next: usize },
    Graph { count: Tensor, next: Tensor },
}

impl Rows {
    #[track_caller]
    fn new(tensor: Tensor) -> Self {
        Self::of(tensor).or_fail()
    }

    #[track_caller]
    fn of(tensor: Tensor) -> Result<Self> {
        if tensor.rank() == 0 {
            return Err(Error::invalid_argument("for", "a scalar has no rows to go over").got(tensor.ty()));
        }
        let at = match crate::graph::builder::current() {
            None => At::Host { count: tensor.shape()[0], next: 0 },
            Some(_) => At::Graph {
                count: crate::ops::size_of(tensor.shape(), 0)?,
                next: crate::constant::try_constant_of(0, crate::DType::I32)?,
            },
        };
        Ok(Self { tensor, at })
    }

    /// Whether there is another row.
    #[track_caller]
    pub fn advance(&mut self) -> Cond {
        match &self.at {
            At::Host { count, next } => Cond::host(next < count),
            At::Graph { count, next } => Cond::tensor(crate::ops::functions::less(next, count)),
        }
    }

    /// The row that [`advance`](Self::advance) found.
    #[track_caller]
    pub fn item(&mut self) -> Tensor {
        match &mut self.at {
            At::Host { next, .. } => {
                *next += 1;
                self.tensor.at(*next as i64 - 1)
            }
            At::Graph { next, .. } => {
                let row = crate::ops::functions::gather(&self.tensor, &*next, 0);
                *next = &*next + 1;
                row
            }
        }
    }

    /// Where the loop stands.
    pub fn place(&mut self) -> Place<'_> {
        match &mut self.at {
            At::Host { next, .. } => place("the row", next, (&&&&Slot::<usize>::new()).table()),
            At::Graph { next, .. } => place("the row", next, (&&&&Slot::<Tensor>::new()).table()),
        }
    }
}
