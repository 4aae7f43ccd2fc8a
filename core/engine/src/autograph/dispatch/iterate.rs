//! What `for` goes over: the rows of a tensor, or any iterator of the host.
//! Generated code asks for one step after the other, and hands the position over as a state variable.

use super::condition::Cond;
use crate::builder;
use crate::ops::try_gather;
use crate::structure::place::{Place, place};
use crate::structure::state_vtable::{Slot, StateVtableOfNest as _, lending};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OrFail};
use std::any::type_name;
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
    #[track_caller]
    fn iterate(&self, over: E) -> Items<E::IntoIter>
    where
        E: IntoIterator;
}

impl<E> IterateHost<E> for Iterated<E> {
    #[track_caller]
    fn iterate(&self, over: E) -> Items<E::IntoIter>
    where
        E: IntoIterator,
    {
        Items { iterator: over.into_iter(), next: None, position: (), lends: Lending(PhantomData) }
    }
}

/// The items of a host iterator.
pub struct Items<I: Iterator> {
    iterator: I,
    next: Option<I::Item>,
    position: (),
    lends: Lending<I>,
}

/// Stands for what an iterator lends by `&mut`.
pub struct Lending<I>(PhantomData<fn() -> I>);

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
        place("the iterator", &mut self.position, (&&&&&&Slot::<()>::new()).table())
    }

    /// The same for a loop that may change what the items lead to.
    pub fn lending_place(&mut self) -> Place<'_> {
        match type_name::<I::Item>().contains("&mut ") {
            true => place("the iterator", &mut self.lends, lending::<Lending<I>>()),
            false => self.place(),
        }
    }
}

/// The rows of a tensor.
pub struct Rows {
    tensor: Tensor,
    position: Position,
}

/// Where a loop over rows stands.
enum Position {
    /// Rust goes round.
    Host { next: usize, count: usize },
    /// The loop is one of the graph: the number of the next row is a value of it.
    Graph { next: Tensor, count: Tensor },
}

impl Rows {
    #[track_caller]
    fn new(tensor: Tensor) -> Self {
        if tensor.rank() == 0 {
            Err(Error::invalid_argument("for", "a scalar has no rows to go over").got(tensor.ty())).or_fail()
        }
        let position = match builder::current() {
            Some(_) => Position::Graph { next: crate::constant(0i32), count: row_count(&tensor) },
            None => Position::Host { next: 0, count: tensor.shape()[0] },
        };
        Self { tensor, position }
    }

    /// Whether there is another row.
    #[track_caller]
    pub fn advance(&mut self) -> Cond {
        match &self.position {
            Position::Host { next, count } => Cond::host(next < count),
            Position::Graph { next, count } => Cond::tensor(crate::less(next, count)),
        }
    }

    /// The row that [`advance`](Self::advance) found.
    #[track_caller]
    pub fn item(&mut self) -> Tensor {
        match &mut self.position {
            Position::Host { next, .. } => {
                *next += 1;
                self.tensor.at(*next as i64 - 1)
            }
            Position::Graph { next, .. } => {
                let row = try_gather(&self.tensor, &*next, 0).or_fail();
                *next = &*next + 1;
                row
            }
        }
    }

    /// Where the loop stands.
    pub fn place(&mut self) -> Place<'_> {
        match &mut self.position {
            Position::Host { next, .. } => place("the row", next, (&&&&&&Slot::<usize>::new()).table()),
            Position::Graph { next, .. } => place("the row", next, (&&&&&&Slot::<Tensor>::new()).table()),
        }
    }

    /// The same: rows are values.
    pub fn lending_place(&mut self) -> Place<'_> {
        self.place()
    }
}

/// The number of rows, also where it is known only when the graph runs.
#[track_caller]
fn row_count(tensor: &Tensor) -> Tensor {
    if let Some(count) = tensor.shape().sizes()[0].known_value() {
        return crate::constant(count as i32);
    }
    let ones = crate::ones_like(tensor).cast(DType::I32);
    let rest: Vec<isize> = (1..tensor.rank() as isize).collect();
    crate::reduce_sum(if rest.is_empty() { ones } else { crate::reduce_max(ones, rest) }, ())
}
