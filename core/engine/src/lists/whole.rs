//! The operations on lists as wholes: stack and unstack, reserve, length, a list of nothing, and the sum of two.
//! `TensorArray`, `tf::stack` and the gradients of loops record them.

use super::List;
use super::list_op::{Typed, give_only, index_of, list_op, list_output, present, visit_types};
use crate::execute::execute;
use crate::ir::sizes::Sizes;
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Lookup, Op, OpRef, Operands, Outputs, Saves};
use crate::ops;
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// All items along a new first axis, whose size is `count` if that is known: the cotangent of a list may lack its length.
#[derive(Clone)]
pub(crate) struct StackList {
    pub item: TensorType,
    pub count: Option<Dim>,
    /// Whether a list of no items is refused, as `stack` refuses it.
    pub some: bool,
}

impl StackList {
    /// The shape of so many items.
    fn whole(&self, count: Dim) -> Result<Shape> {
        let sizes: SmallVec<[Dim; 8]> = std::iter::once(count).chain(self.item.shape.iter()).collect();
        Shape::from_dims(&sizes)
    }
}

/// The slices along the first axis as a list.
#[derive(Clone)]
pub(crate) struct UnstackList;

/// A list of as many missing items as the input says.
#[derive(Clone)]
pub(crate) struct Reserve;

/// The number of items, `int32`.
#[derive(Clone)]
pub(crate) struct Len;

/// A list of missing items, as many as another has.
#[derive(Clone)]
pub(crate) struct NothingLike;

/// The sum of two cotangents of one list.
#[derive(Clone)]
pub(crate) struct AddLists;

impl Typed for StackList {
    fn types_mut(&mut self) -> &mut [TensorType] {
        std::slice::from_mut(&mut self.item)
    }

    fn count_mut(&mut self) -> Option<&mut Dim> {
        self.count.as_mut()
    }
}

list_op!(StackList, "list_stack", this,
    attributes: |visit| {
        visit_types(std::slice::from_ref(&this.item), visit);
        if let Some(count) = this.count {
            visit("count", Attr::Shape(&Shape::from_dims(&[count]).unwrap_or(Shape::SCALAR)));
        }
        visit("some", Attr::Bool(this.some));
    },
    infer: |cx| {
        let count = this.count.unwrap_or_else(|| cx.unknown_dim());
        cx.output(this.item.dtype, this.whole(count)?);
    },
    host: |inputs, sizes| {
        let list = List::take(inputs.remove(0), "list_stack")?;
        let count = match this.count {
            Some(count) => count.bind(&|s| sizes.get(s))?.known_value(),
            None => list.len(),
        };
        let count = count.ok_or_else(|| Error::internal("list_stack", "a list without a length"))?;
        let items = list.into_items(count)?;
        if items.iter().all(Option::is_none) && (count > 0 || !this.some) {
            let whole = this.whole(Dim::known(count))?.bind(&|s| sizes.get(s))?;
            return Ok(smallvec![ops::zeros_of(&TensorType::new(this.item.dtype, whole))?]);
        }
        let items = items.into_iter().map(|item| present(item, &this.item, sizes)).collect::<Result<Vec<_>>>()?;
        Ok(smallvec![super::concat::stacked(&items)?])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        if g.needs(0) {
            let dy = g.dy(0)?;
            give_only(g, execute(&UnstackList, &[&dy])?);
        }
    }
);

list_op!(UnstackList, "list_unstack", this,
    attributes: |_visit| (),
    infer: |cx| {
        if cx.shape(0).rank() == 0 {
            return Err(Error::invalid_argument("list_unstack", "a scalar has no slices").got(cx.input(0)));
        }
        list_output(cx);
    },
    host: |inputs, _sizes| {
        let rows = inputs[0].shape()[0];
        let items = (0..rows).map(|i| Ok(Some(row(&inputs[0], i)?))).collect::<Result<Vec<_>>>()?;
        Ok(smallvec![List::Full(items).into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dlist = g.dy(0)?;
        let ty = *g.input_type(0);
        let item = TensorType::new(ty.dtype, Shape::from_dims(&ty.shape.sizes()[1..])?);
        // The number of slices is that of the input.
        let count = ty.shape.iter().next();
        give_only(g, execute(&StackList { item, count, some: false }, &[&dlist])?);
    }
);

/// One slice along the first axis, as a tensor of its own memory.
fn row(x: &Tensor, index: usize) -> Result<Tensor> {
    x.try_at(index)?.to_dense()
}

list_op!(Reserve, "list_reserve", this,
    attributes: |_visit| (),
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let len = index_of(&inputs[0], "list_reserve")?;
        Ok(smallvec![List::Full(vec![None; len]).into_tensor()])
    },
    gradient: Gradient::Stops("a new list depends on nothing"), saves: Saves::NOTHING,
    backward: |_g| ()
);

list_op!(Len, "list_len", this,
    attributes: |_visit| (),
    infer: |cx| cx.output(DType::I32, Shape::SCALAR),
    host: |inputs, _sizes| {
        let len = List::of(&inputs[0], "list_len")?.len().unwrap_or(0);
        Ok(smallvec![crate::constant::try_constant_of(len as i32, DType::I32)?])
    },
    gradient: Gradient::Stops("a number of items has no gradient"), saves: Saves::NOTHING,
    backward: |_g| ()
);

list_op!(NothingLike, "list_nothing_like", this,
    attributes: |_visit| (),
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        // What is no list, but a data set on its way, has tangents and cotangents of nothing too.
        let list = match inputs[0].as_object::<List>().and_then(List::len) {
            Some(len) => List::Few { len: Some(len), at: Vec::new() },
            None => List::Last(Vec::new()),
        };
        Ok(smallvec![list.into_tensor()])
    },
    gradient: Gradient::Stops("missing items have no gradient"), saves: Saves::NOTHING,
    backward: |_g| ()
);

list_op!(AddLists, "list_add", this,
    attributes: |_visit| (),
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let b = List::take(inputs.remove(1), "list_add")?;
        let a = List::take(inputs.remove(0), "list_add")?;
        Ok(smallvec![a.plus(b)?.into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dy = g.dy(0)?;
        (0..2).for_each(|i| if g.needs(i) { g.give(i, dy.clone()) });
    }
);
