//! The operations on [`List`]s: pack and unpack, push and pop, get and set, stack and unstack, and the sum of two.
//! Push and pop are each other's gradient, so a loop backwards is an ordinary loop with the same operations.

use super::list::List;
use super::list_concat::{ConcatList, SplitList};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::execute::execute;
use crate::graph::sizes::Sizes;
use crate::op::{Attr, Gradient, Infer, Kind, Lookup, Op, OpRef, Operands, Outputs, Saves};
use crate::ops;
use crate::shape::{Dim, Shape};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Several values as one list. Input `i` is item `items[i]`; the others are missing.
#[derive(Clone)]
pub(crate) struct Pack {
    pub items: Vec<u32>,
    /// The dtypes of all items, missing ones too: they tell packs of different bundles apart.
    pub dtypes: Vec<DType>,
}

/// The values of a list, which has these types.
#[derive(Clone)]
pub(crate) struct Unpack {
    pub types: Arc<[TensorType]>,
}

/// A list with one more item; a missing one unless it is given.
#[derive(Clone)]
pub(crate) struct Push {
    pub present: bool,
}

/// A list without its last item, and that item.
#[derive(Clone)]
pub(crate) struct Pop {
    pub item: TensorType,
}

/// Item `index` of a list.
#[derive(Clone)]
pub(crate) struct Get {
    pub item: TensorType,
}

/// A list with another item `index`; a missing one unless it is given. Growing lists grow up to it.
#[derive(Clone)]
pub(crate) struct Set {
    pub present: bool,
    pub grows: bool,
}

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

/// The operations on lists, for those that compile them.
#[allow(dead_code, reason = "compilers of loops tell some operations by their variant alone")]
pub(crate) enum ListOp<'a> {
    Pack(&'a Pack),
    Unpack(&'a Unpack),
    Push(&'a Push),
    Pop(&'a Pop),
    Get(&'a Get),
    Set(&'a Set),
    StackList(&'a StackList),
    UnstackList(&'a UnstackList),
    Len(&'a Len),
    NothingLike(&'a NothingLike),
    ConcatList(&'a ConcatList),
    SplitList(&'a SplitList),
    AddLists(&'a AddLists),
    Nth(&'a Nth),
    Reserve(&'a Reserve),
}

pub(super) fn visit_types(types: &[TensorType], visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
    for ty in types {
        visit("dtype", Attr::DType(ty.dtype));
        visit("shape", Attr::Shape(&ty.shape));
    }
}

/// The types among the attributes, whose sizes a call binds.
pub(super) trait Typed {
    fn types_mut(&mut self) -> &mut [TensorType] {
        &mut []
    }

    /// A number of items among them.
    fn count_mut(&mut self) -> Option<&mut Dim> {
        None
    }
}

impl Typed for StackList {
    fn types_mut(&mut self) -> &mut [TensorType] {
        std::slice::from_mut(&mut self.item)
    }

    fn count_mut(&mut self) -> Option<&mut Dim> {
        self.count.as_mut()
    }
}

impl Typed for Unpack {
    fn types_mut(&mut self) -> &mut [TensorType] {
        Arc::make_mut(&mut self.types)
    }
}

macro_rules! typed {
    ($($with_item:ident)*; $($without:ident)*) => {
        $(impl Typed for $with_item {
            fn types_mut(&mut self) -> &mut [TensorType] {
                std::slice::from_mut(&mut self.item)
            }
        })*
        $(impl Typed for $without {})*
    };
}

typed!(Pop Nth Get ConcatList SplitList; Pack Push Set UnstackList Reserve Len NothingLike AddLists);

/// An item, or zeros where it is missing.
pub(super) fn present(item: Option<Tensor>, ty: &TensorType, sizes: &Sizes<'_>) -> Result<Tensor> {
    match item {
        Some(item) => Ok(item),
        None => ops::zeros_of(&TensorType::new(ty.dtype, ty.shape.bind(&|s| sizes.get(s))?)),
    }
}

fn index_of(tensor: &Tensor, op: &str) -> Result<usize> {
    let index = ops::cast_to(tensor, DType::I64)?.try_item::<i64>()?;
    usize::try_from(index).map_err(|_| Error::out_of_range(op, "a negative index").got(index))
}

pub(super) fn list_output(cx: &mut Infer<'_>) {
    cx.output(DType::Variant, Shape::SCALAR);
}

/// The type with numbers for those of its sizes that have one. What is still open concerns missing items alone.
pub(super) fn with_sizes(ty: &TensorType, lookup: &Lookup<'_>) -> TensorType {
    let size = |d: Dim| d.bind(lookup).unwrap_or(d);
    let sizes: SmallVec<[Dim; 8]> = ty.shape.iter().map(size).collect();
    Shape::from_dims(&sizes).map_or(*ty, |shape| TensorType::new(ty.dtype, shape))
}

macro_rules! list_op {
    ($op:ident, $name:literal, $this:ident, attributes: |$visit:ident| $attributes:expr, infer: |$cx:ident| $infer:expr,
     host: |$inputs:ident, $sizes:ident| $host:expr, gradient: $gradient:expr, saves: $saves:expr, backward: |$g:ident| $backward:expr) => {
        impl Op for $op {
            fn name(&self) -> &'static str {
                $name
            }
            #[allow(clippy::no_effect, clippy::unit_arg, reason = "most of these operations have no attributes")]
            fn attributes(&self, $visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
                let $this = self;
                let _ = ($this, &$visit);
                $attributes;
            }
            fn keep(&self) -> OpRef {
                OpRef::Shared(Arc::new(self.clone()))
            }
            fn as_dyn(&self) -> &dyn Op {
                self
            }
            fn kind(&self) -> Kind {
                Kind::Host
            }
            fn infer(&self, $cx: &mut Infer<'_>) -> Result<()> {
                let $this = self;
                let _ = $this;
                $infer;
                Ok(())
            }
            fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
                let mut bound = self.clone();
                for ty in bound.types_mut() {
                    *ty = $crate::graph::control::list_ops::with_sizes(ty, lookup);
                }
                if let Some(count) = bound.count_mut() {
                    *count = count.bind(lookup)?;
                }
                Ok(OpRef::Shared(Arc::new(bound)))
            }
            fn list_op(&self) -> Option<ListOp<'_>> {
                Some(ListOp::$op(self))
            }
            #[allow(unused_mut, reason = "some operations take their operands as they are")]
            fn host(&self, mut $inputs: Operands, $sizes: &Sizes<'_>) -> Result<Outputs> {
                let $this = self;
                let _ = ($this, $sizes);
                $host
            }
            fn gradient(&self) -> Gradient {
                $gradient
            }
            fn saves(&self, _: &[bool]) -> Saves {
                $saves
            }
            #[allow(clippy::no_effect, reason = "some of these operations have no gradient")]
            fn backward(&self, $g: &mut Backward<'_>) -> Result<()> {
                let $this = self;
                let _ = $this;
                $backward;
                Ok(())
            }
        }
    };
}

pub(super) use list_op;

list_op!(Pack, "pack", this,
    attributes: |visit| {
        visit("len", Attr::Int(this.dtypes.len() as i64));
        let items: Vec<i64> = this.items.iter().map(|&i| i64::from(i)).collect();
        visit("items", Attr::Ints(&items));
        let missing = (0..this.dtypes.len()).filter(|&i| !this.items.contains(&(i as u32)));
        missing.for_each(|i| visit("missing", Attr::DType(this.dtypes[i])));
    },
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let mut items = vec![None; this.dtypes.len()];
        this.items.iter().zip(inputs).for_each(|(&i, value)| items[i as usize] = Some(value));
        Ok(smallvec![List::Full(items).into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        // The list may be longer than the inputs that need something; they are taken by their numbers.
        if let Some(dy) = g.dy_or_none(0).cloned() {
            for input in 0..g.len() {
                if g.needs(input) {
                    let item = cotangent_type(g.input_type(input));
                    let dtypes = this.dtypes.iter().map(|&dtype| cotangent_dtype(dtype)).collect();
                    let dx = execute(&Nth { index: this.items[input], dtypes, item }, &[&dy])?.remove(0);
                    g.give(input, dx);
                }
            }
        }
    }
);

/// The type of a value's cotangent: its own, or a scalar that stands where nothing flows.
pub(super) fn cotangent_type(ty: &TensorType) -> TensorType {
    if cotangent_dtype(ty.dtype) == ty.dtype { *ty } else { TensorType::scalar(DType::F32) }
}

fn cotangent_dtype(dtype: DType) -> DType {
    if dtype.is_floating() || dtype == DType::Variant { dtype } else { DType::F32 }
}

/// Item number `index` of a list of items of these dtypes.
#[derive(Clone)]
pub(crate) struct Nth {
    pub index: u32,
    pub dtypes: Vec<DType>,
    pub item: TensorType,
}

list_op!(Nth, "list_item", this,
    attributes: |visit| {
        visit("index", Attr::Int(i64::from(this.index)));
        this.dtypes.iter().for_each(|&dtype| visit("of", Attr::DType(dtype)));
        visit_types(std::slice::from_ref(&this.item), visit);
    },
    infer: |cx| cx.output(this.item.dtype, this.item.shape),
    host: |inputs, sizes| {
        let item = match List::of(&inputs[0], "list_item")? {
            // The last items of all.
            List::Last(items) => {
                let at = (items.len() + this.index as usize).checked_sub(this.dtypes.len());
                at.and_then(|i| items[i].clone())
            }
            list => list.get(this.index as usize)?,
        };
        Ok(smallvec![present(item, &this.item, sizes)?])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dy = g.dy(0)?;
        let dlist = execute(&Pack { items: vec![this.index], dtypes: this.dtypes.clone() }, &[&dy])?.remove(0);
        g.give(0, dlist);
    }
);

list_op!(Unpack, "unpack", this,
    attributes: |visit| visit_types(&this.types, visit),
    infer: |cx| this.types.iter().for_each(|ty| cx.output(ty.dtype, ty.shape)),
    host: |inputs, sizes| {
        let mut list = List::take(inputs.remove(0), "unpack")?;
        let mut outputs = Outputs::new();
        // From the last to the first: a cotangent may lack the first ones.
        for ty in this.types.iter().rev() {
            let item = list.pop()?;
            outputs.push(present(item, ty, sizes)?);
        }
        outputs.reverse();
        Ok(outputs)
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let mut items = Vec::new();
        let mut values: Vec<Tensor> = Vec::new();
        for i in 0..this.types.len() {
            if let Some(dy) = g.dy_or_none(i) {
                items.push(i as u32);
                values.push(dy.clone());
            }
        }
        let refs: Vec<&Tensor> = values.iter().collect();
        let dtypes = this.types.iter().map(|ty| cotangent_type(ty).dtype).collect();
        let dlist = execute(&Pack { items, dtypes }, &refs)?.remove(0);
        g.give(0, dlist);
    }
);

list_op!(Push, "list_push", this,
    attributes: |visit| visit("present", Attr::Bool(this.present)),
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let item = if this.present { inputs.pop() } else { None };
        let mut list = List::take(inputs.remove(0), "list_push")?;
        list.push(item)?;
        Ok(smallvec![list.into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dlist = g.dy(0)?;
        let item = match this.present {
            true => cotangent_type(g.input_type(1)),
            false => TensorType::scalar(DType::F32),
        };
        let mut popped = execute(&Pop { item }, &[&dlist])?;
        if this.present && g.needs(1) {
            g.give(1, popped.remove(1));
        }
        if g.needs(0) {
            g.give(0, popped.remove(0));
        }
    }
);

list_op!(Pop, "list_pop", this,
    attributes: |visit| visit_types(std::slice::from_ref(&this.item), visit),
    infer: |cx| {
        list_output(cx);
        cx.output(this.item.dtype, this.item.shape);
    },
    host: |inputs, sizes| {
        let mut list = List::take(inputs.remove(0), "list_pop")?;
        let item = list.pop()?;
        let item = present(item, &this.item, sizes)?;
        Ok(smallvec![list.into_tensor(), item])
    },
    gradient: Gradient::Rule, saves: Saves::NOTHING,
    backward: |g| {
        let dlist = g.dy(0)?;
        let pushed = match g.dy_or_none(1) {
            Some(dx) => execute(&Push { present: true }, &[&dlist, dx])?,
            None => execute(&Push { present: false }, &[&dlist])?,
        };
        give_only(g, pushed);
    }
);

pub(super) fn give_only(g: &mut Backward<'_>, mut outputs: Outputs) {
    if let Some(dx) = outputs.pop() {
        g.give(0, dx);
    }
}

list_op!(Get, "list_get", this,
    attributes: |visit| visit_types(std::slice::from_ref(&this.item), visit),
    infer: |cx| cx.output(this.item.dtype, this.item.shape),
    host: |inputs, sizes| {
        let item = List::of(&inputs[0], "list_get")?.get(index_of(&inputs[1], "list_get")?)?;
        Ok(smallvec![present(item, &this.item, sizes)?])
    },
    gradient: Gradient::Rule, saves: Saves::inputs(&[0, 1]),
    backward: |g| {
        let (dy, list, at) = (g.dy(0)?, g.input(0)?.clone(), g.input(1)?.clone());
        let none = execute(&NothingLike, &[&list])?.remove(0);
        let dlist = execute(&Set { present: true, grows: false }, &[&none, &at, &dy])?;
        give_only(g, dlist);
    }
);

list_op!(Set, "list_set", this,
    attributes: |visit| {
        visit("present", Attr::Bool(this.present));
        visit("grows", Attr::Bool(this.grows));
    },
    infer: |cx| list_output(cx),
    host: |inputs, _sizes| {
        let item = if this.present { inputs.pop() } else { None };
        let index = index_of(&inputs[1], "list_set")?;
        let mut list = List::take(inputs.swap_remove(0), "list_set")?;
        list.set(index, item, this.grows)?;
        Ok(smallvec![list.into_tensor()])
    },
    gradient: Gradient::Rule, saves: Saves::inputs(&[1]),
    backward: |g| {
        let (dlist, at) = (g.dy(0)?, g.input(1)?.clone());
        if this.present && g.needs(2) {
            let item = cotangent_type(g.input_type(2));
            let dx = execute(&Get { item }, &[&dlist, &at])?.remove(0);
            g.give(2, dx);
        }
        if g.needs(0) {
            let rest = execute(&Set { present: false, grows: false }, &[&dlist, &at])?;
            give_only(g, rest);
        }
    }
);

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
        Ok(smallvec![super::list_concat::stacked(&items)?])
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
        let list = match List::of(&inputs[0], "list_nothing_like")?.len() {
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
