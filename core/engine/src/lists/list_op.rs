//! What all operations on lists have in common: how one is written, its types among the attributes, and small helpers.
//! `list_ops`, `list_whole` and `list_concat` write theirs with `list_op!`; compilers of loops tell them by [`ListOp`].

use super::concat::{ConcatList, SplitList};
use super::items::{Get, Nth, Pack, Pop, Push, Set, Unpack};
use super::whole::{AddLists, Len, NothingLike, Reserve, StackList, UnstackList};
use crate::ir::sizes::Sizes;
use crate::op::{Attr, Infer, Kind, Lookup, Op, Outputs};
use crate::ops;
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;

macro_rules! list_ops {
    ($($op:ident)*) => {
        /// The operations on lists, for those that compile them.
        #[allow(dead_code, reason = "compilers of loops tell some operations by their variant alone")]
        pub(crate) enum ListOp<'a> {
            $($op(&'a $op)),*
        }

        impl<'a> ListOp<'a> {
            /// Which operation on lists `op` is, if it is one.
            pub fn of(op: &'a dyn Op) -> Option<Self> {
                if !matches!(op.kind(), Kind::Host) {
                    return None;
                }
                None$(.or_else(|| op.downcast::<$op>().map(Self::$op)))*
            }
        }
    };
}

list_ops! {
    Pack Unpack Push Pop Get Set StackList UnstackList Len NothingLike ConcatList SplitList AddLists Nth Reserve
}

pub(crate) fn visit_types(types: &[TensorType], visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
    for ty in types {
        visit("dtype", Attr::DType(ty.dtype));
        visit("shape", Attr::Shape(&ty.shape));
    }
}

/// The types among the attributes, whose sizes a call binds.
pub(crate) trait Typed {
    fn types_mut(&mut self) -> &mut [TensorType] {
        &mut []
    }

    /// A number of items among them.
    fn count_mut(&mut self) -> Option<&mut Dim> {
        None
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
pub(crate) fn present(item: Option<Tensor>, ty: &TensorType, sizes: &Sizes<'_>) -> Result<Tensor> {
    match item {
        Some(item) => Ok(item),
        None => ops::zeros_of(&TensorType::new(ty.dtype, ty.shape.bind(&|s| sizes.get(s))?)),
    }
}

pub(crate) fn index_of(tensor: &Tensor, op: &str) -> Result<usize> {
    let index = ops::cast_to(tensor, DType::I64)?.try_item::<i64>()?;
    usize::try_from(index).map_err(|_| Error::out_of_range(op, "a negative index").got(index))
}

pub(crate) fn list_output(cx: &mut Infer<'_>) {
    cx.output(DType::Variant, Shape::SCALAR);
}

/// The type with numbers for those of its sizes that have one. What is still open concerns missing items alone.
pub(crate) fn with_sizes(ty: &TensorType, lookup: &Lookup<'_>) -> TensorType {
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
                    *ty = $crate::lists::list_op::with_sizes(ty, lookup);
                }
                if let Some(count) = bound.count_mut() {
                    *count = count.bind(lookup)?;
                }
                Ok(OpRef::Shared(Arc::new(bound)))
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

            fn as_control(&self) -> Option<&dyn ControlOp> {
                Some(self)
            }
        }

        impl ControlOp for $op {
            #[allow(unused_mut, reason = "some operations take their operands as they are")]
            fn host(&self, mut $inputs: Operands, $sizes: &Sizes<'_>) -> Result<Outputs> {
                let $this = self;
                let _ = ($this, $sizes);
                $host
            }
        }
    };
}

pub(crate) use list_op;

/// The type of a value's cotangent: its own, or a scalar that stands where nothing flows.
pub(crate) fn cotangent_type(ty: &TensorType) -> TensorType {
    if cotangent_dtype(ty.dtype) == ty.dtype { *ty } else { TensorType::scalar(DType::F32) }
}

pub(crate) fn cotangent_dtype(dtype: DType) -> DType {
    if dtype.is_differentiable() || dtype == DType::Variant { dtype } else { DType::F32 }
}

pub(crate) fn give_only(g: &mut Backward<'_>, mut outputs: Outputs) {
    if let Some(dx) = outputs.pop() {
        g.give(0, dx);
    }
}
