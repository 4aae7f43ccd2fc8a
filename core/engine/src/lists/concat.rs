//! `list_concat` and `list_split`: the items of a list one behind the other along an axis, and a tensor cut as they lie in it.
//! Each is the other's gradient; `tf::concat` of a list that a loop of the graph pushed onto records the first one.

use super::List;
use super::list_op::{Typed, list_op, list_output, present, visit_types};
use crate::execute::execute;
use crate::ir::sizes::Sizes;
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Lookup, Op, OpRef, Operands, Outputs, Saves};
use crate::ops;
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use smallvec::smallvec;
use std::sync::Arc;

/// Inputs: the list, and one whose items have the sizes; the first may lack items, which are zeros.
#[derive(Clone)]
pub(crate) struct ConcatList {
    pub item: TensorType,
    pub axis: usize,
}

/// Inputs: a list whose items have the sizes, and the tensor to cut.
#[derive(Clone)]
pub(crate) struct SplitList {
    pub item: TensorType,
    pub axis: usize,
}

/// How many items a list has, of which none are missing.
fn count(like: &Tensor, op: &str) -> Result<usize> {
    List::of(like, op)?.len().ok_or_else(|| Error::internal(op, "a list without a length"))
}

fn item(like: &Tensor, index: usize, op: &str) -> Result<Tensor> {
    List::of(like, op)?.get(index)?.ok_or_else(|| Error::internal(op, "an item is missing"))
}

/// Tensors one after another, of which there is at least one. Groups are joined first: each part of the copy looks for its
/// place among all operands, which takes long where there are thousands.
fn join(mut items: Vec<Tensor>, axis: usize) -> Result<Tensor> {
    const FEW: usize = 64;
    let all = |items: &[Tensor]| ops::concat_all(&items.iter().collect::<Vec<_>>(), axis);
    while items.len() > FEW {
        items = items.chunks(FEW).map(all).collect::<Result<_>>()?;
    }
    all(&items)
}

/// Tensors along a new first axis, or the error that `stack` has for them.
pub(crate) fn stacked(items: &[Tensor]) -> Result<Tensor> {
    let alike = items.first().filter(|first| items.iter().all(|item| item.ty() == first.ty()));
    let Some(first) = alike else {
        return ops::stack_all(&items.iter().collect::<Vec<_>>(), 0).map_err(|e| e.in_op("stack"));
    };
    let row = first.shape().insert(0, Dim::ONE)?;
    join(items.iter().map(|item| ops::reshape_to(item, &row)).collect::<Result<_>>()?, 0)
}

list_op!(ConcatList, "list_concat", this,
    attributes: |visit| {
        visit_types(std::slice::from_ref(&this.item), visit);
        visit("axis", Attr::Int(this.axis as i64));
    },
    infer: |cx| {
        let whole = cx.unknown_dim();
        cx.output(this.item.dtype, this.item.shape.with(this.axis, whole)?);
    },
    host: |inputs, sizes| {
        let like = inputs[1].clone();
        let mut list = List::take(inputs.swap_remove(0), "concat")?;
        let mut items = Vec::new();
        // From the last to the first: a cotangent may lack the first ones.
        for i in (0..count(&like, "concat")?).rev() {
            items.push(match list.pop()? {
                None => ops::zeros_of(item(&like, i, "concat")?.ty())?,
                given => present(given, &this.item, sizes)?,
            });
        }
        items.reverse();
        if items.is_empty() {
            return Err(ops::no_tensors("concat"));
        }
        Ok(smallvec![join(items, this.axis)?])
    },
    gradient: Gradient::Rule, saves: Saves::inputs(&[1]),
    backward: |g| {
        if !g.needs(0) {
            return Ok(());
        }
        let (dy, like) = (g.dy(0)?, g.input(1)?.clone());
        let op = SplitList { item: this.item, axis: this.axis };
        let dlist = execute(&op, &[&like, &dy])?.remove(0);
        g.give(0, dlist);
    }
);

list_op!(SplitList, "list_split", this,
    attributes: |visit| {
        visit_types(std::slice::from_ref(&this.item), visit);
        visit("axis", Attr::Int(this.axis as i64));
    },
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let mut begin = Dim::ZERO;
        let mut items = Vec::new();
        for i in 0..count(&inputs[0], "list_split")? {
            let size = item(&inputs[0], i, "list_split")?.shape().dim(this.axis);
            items.push(Some(ops::slice_axis(&inputs[1], this.axis, begin, size)?.to_dense()?));
            begin = begin + size;
        }
        Ok(smallvec![List::Full(items).into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::inputs(&[0]),
    backward: |g| {
        if !g.needs(1) {
            return Ok(());
        }
        let (dlist, like) = (g.dy(0)?, g.input(0)?.clone());
        let op = ConcatList { item: this.item, axis: this.axis };
        let dx = execute(&op, &[&dlist, &like])?.remove(0);
        // The items make up the whole axis.
        let dx = ops::reshape_to(&dx, &g.input_type(1).shape)?;
        g.give(1, dx);
    }
);
