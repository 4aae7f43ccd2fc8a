//! The rows of a structure of tensors: what `map_fn`, `scan` and folds go over, at once or in a loop of the graph.
//! Those functions ask for one row after the other, and keep what they get in arrays.

use super::parts::{Parts, with_tensors};
use crate::autograph::regions;
use crate::autograph::rt::{Next, Test, While, condition};
use crate::builder::{self, Apart, Builder};
use crate::ops::functions::{less, shape, try_ensure_shape, try_gather};
use crate::structure::{Nest, Place, Slot, place, result};
use crate::tensor::{Tensor, TensorType};
use crate::tensor_array::TensorArray;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay as _, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;
use std::rc::Rc;

/// The number of a row: known, or a value of the graph.
#[derive(Clone)]
pub(super) enum At {
    Host(usize),
    Graph(Tensor),
}

/// What a loop changes, as places.
type Places<S> = for<'s> fn(&'s mut S) -> Vec<Place<'s>>;

/// A structure of tensors by rows.
pub(super) struct Rows<'e, E> {
    op: &'static str,
    elems: &'e E,
    leaves: Vec<Tensor>,
    count: Dim,
    reverse: bool,
}

impl<'e, E: Nest> Rows<'e, E> {
    #[track_caller]
    pub fn of(op: &'static str, elems: &'e E, reverse: bool) -> Result<Self> {
        let mut leaves = Parts::of(elems).tensors;
        let Some(first) = leaves.first() else {
            return Err(Error::invalid_argument(op, "there is no tensor to go over")
                .expected("a tensor, or a structure with one"));
        };
        if let Some(scalar) = leaves.iter().find(|leaf| leaf.rank() == 0) {
            return Err(Error::invalid_argument(op, "a scalar has no rows to go over").got(scalar.ty()));
        }
        let count = first.shape().dim(0);
        for leaf in &mut leaves[1..] {
            let own = leaf.shape().dim(0);
            if !own.can_equal(count) {
                return Err(Error::invalid_argument(op, "the tensors have different numbers of rows")
                    .got(format!("{count} and {own}"))
                    .expected("as many rows in each"));
            }
            // Whether sizes that only a run knows are equal, the run looks.
            if own != count {
                *leaf = try_ensure_shape(&*leaf, leaf.shape().with(0, count)?).map_err(|e| e.named(op))?;
            }
        }
        Ok(Self { op, elems, leaves, count, reverse })
    }

    /// The number of rows, where it is known and nothing is recorded.
    pub fn on_host(&self) -> Option<usize> {
        self.count.known_value().filter(|_| builder::current().is_none())
    }

    /// The number of rows as a tensor.
    #[track_caller]
    pub fn count(&self) -> Tensor {
        match self.count.known_value() {
            Some(count) => crate::constant(i32::try_from(count).unwrap_or(i32::MAX)),
            None => shape(&self.leaves[0]).at(0),
        }
    }

    /// An error if there is no row.
    pub fn not_empty(&self) -> Result<()> {
        if self.count == Dim::ZERO {
            return Err(Error::invalid_argument(self.op, "there is no first row to begin with")
                .got("0 rows")
                .help("give the value to begin with as `initializer`"));
        }
        Ok(())
    }

    /// The row that comes as number `index` on the way.
    #[track_caller]
    pub fn row(&self, index: &At) -> Result<E> {
        let take = |leaf: &Tensor| match index {
            At::Host(index) => {
                let count = self.count.known_value().unwrap_or(0);
                Ok(leaf.at(if self.reverse { count - 1 - index } else { *index }))
            }
            At::Graph(index) if self.reverse => try_gather(leaf, self.count() - 1 - index, 0),
            At::Graph(index) => try_gather(leaf, index, 0),
        };
        let rows = self.leaves.iter().map(take).collect::<Result<_>>()?;
        Ok(with_tensors(self.elems, rows))
    }

    /// What a function makes of a row, recorded for its structure and types alone.
    #[track_caller]
    pub fn probe<R: Nest>(&self, f: &dyn Fn(&E) -> R) -> Result<(R, Vec<TensorType>)> {
        match builder::current() {
            Some(outer) => self.recorded(outer.inside(self.op), f),
            None => {
                let _apart = Apart::reading(None);
                self.recorded(Builder::standalone(self.op), f)
            }
        }
    }

    #[track_caller]
    fn recorded<R: Nest>(&self, body: Rc<Builder>, f: &dyn Fn(&E) -> R) -> Result<(R, Vec<TensorType>)> {
        let here = Location::caller();
        let row = |leaf: &Tensor| body.param_at(&TensorType::new(leaf.dtype(), leaf.shape().remove(0)), here);
        let row = with_tensors(self.elems, self.leaves.iter().map(row).collect());
        let open = Open(regions::enter(body.clone()));
        let value = f(&row);
        let fell = regions::settle(open.0, None, Some(Parts::of(&value).tensors))?;
        let types = fell.unwrap_or_default().iter().map(|t| body.type_of(t)).collect::<Result<_>>()?;
        Ok((value, types))
    }

    /// Goes over all rows from number `first` on: `state` is what `round` changes.
    #[track_caller]
    pub fn each<S>(
        &self,
        first: usize,
        state: &mut S,
        places: Places<S>,
        round: &dyn Fn(&At, &mut S) -> Result<()>,
    ) -> Result<()> {
        if let Some(count) = self.on_host() {
            return (first..count).try_for_each(|index| round(&At::Host(index), state));
        }
        let (mut index, count) = (crate::constant(i32::try_from(first).unwrap_or(i32::MAX)), self.count());
        fn head<'s, S>(index: &'s mut Tensor, state: &'s mut S, places: Places<S>) -> Vec<Place<'s>> {
            let mut all = vec![place("the row", index, result::<Tensor>())];
            all.extend(places(state));
            all
        }
        let mut protocol = While::new(Slot::<()>::new(), &[], false);
        loop {
            protocol.head(&mut head(&mut index, state, places));
            let more = condition(&less(&index, &count));
            match protocol.test(more, &mut head(&mut index, state, places)) {
                Test::Exit => break,
                Test::Again => continue,
                Test::Body => {}
            }
            round(&At::Graph(index.clone()), state)?;
            index = index + 1;
            match protocol.next(&mut head(&mut index, state, places), true) {
                Next::More => {}
                Next::Over | Next::Left => break,
            }
        }
        protocol.after(&mut head(&mut index, state, places));
        Ok(())
    }
}

/// An array of `count` items for each type.
#[track_caller]
pub(super) fn arrays(types: impl Iterator<Item = DType>, count: &Tensor) -> Result<Vec<TensorArray>> {
    types.map(|dtype| TensorArray::try_new(dtype, count)).collect()
}

/// Writes a row's results.
#[track_caller]
pub(super) fn write(arrays: &mut Vec<TensorArray>, index: &At, values: Vec<Tensor>) -> Result<()> {
    // Taken out, as an array that somebody else holds is copied.
    let own = std::mem::take(arrays).into_iter().zip(values);
    let mut written = Vec::with_capacity(own.len());
    for (array, value) in own {
        written.push(match index {
            At::Host(index) => array.try_write(i32::try_from(*index).unwrap_or(i32::MAX), value),
            At::Graph(index) => array.try_write(index, value),
        }?);
    }
    *arrays = written;
    Ok(())
}

/// What a function gives for no rows at all.
pub(super) fn no_rows<R: Nest>(like: &R, types: &[TensorType], op: &str) -> Result<R> {
    let empty = |ty: &TensorType| {
        let mut sizes = vec![Dim::ZERO];
        sizes.extend(ty.shape.iter());
        if sizes.iter().any(|size| !size.is_known()) {
            return Err(Error::invalid_argument(op, "no rows, and so no telling how large a result would be").got(ty));
        }
        crate::ops::zeros_of(&TensorType::new(ty.dtype, Shape::from_dims(&sizes)?))
    };
    Ok(with_tensors(like, types.iter().map(empty).collect::<Result<_>>()?))
}

/// A region that is closed whatever happens.
struct Open(usize);

impl Drop for Open {
    fn drop(&mut self) {
        regions::abandon(self.0);
    }
}
