//! `assign` of a part of a variable, and the same added: the part's memory is written and the rest stays as it is.
//! `Variable::at` runs it, eagerly and in graphs; no gradient flows through a write, which is TensorFlow's rule.

use super::Slice;
use super::add::{add_to, share, shares};
use crate::op::{Access, Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::backend::cpu::{CpuCall, Work, copy};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use std::sync::Arc;

/// Inputs: a variable's handle, and a value of its dtype and of the part's size. No output.
#[derive(Clone)]
pub(crate) struct AssignPart {
    pub slice: Slice,
    /// Whether the value is added to what is there.
    pub adds: bool,
}

impl Op for AssignPart {
    identity!("assign_part", {
        "begin": Shape = |this| &this.slice.begin,
        "size": Shape = |this| &this.slice.size,
        "steps": Ints = |this| &this.slice.steps,
        "adds": Bool = |this| this.adds,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { slice: self.slice.bound(lookup)?, adds: self.adds })))
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let (ty, _) = cx.resource(0)?;
        let given = cx.input(1);
        if self.adds && !DTypes::NUMBERS.and(DTypes::COMPLEX).has(ty.dtype) {
            return Err(Error::invalid_argument("assign", "only numbers can be added").got(ty).expected("numbers"));
        }
        if !DTypes::ALL.has(ty.dtype) {
            return Err(Error::invalid_argument("assign", "strings are not set in part")
                .got(ty)
                .help("make the whole value, with `concat` or `where_`, and `assign` it"));
        }
        if given.dtype != ty.dtype {
            return Err(Error::invalid_argument("assign", "the value has not the variable's dtype")
                .got(given.dtype)
                .expected(ty.dtype)
                .help("a variable keeps its dtype; `cast` the value"));
        }
        self.slice.check("assign", &ty.shape)
    }

    fn access(&self, _: usize) -> Access {
        Access::Update
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(shares(&call.inputs[1]).1)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (value, given) = (&call.inputs[0], &call.inputs[1]);
        let (given, to) = share(given, &self.slice.part_of(value, given.dims()), chunk);
        // SAFETY: a part of the variable that `check` found inside, in memory that nobody else sees; chunks change disjoint slabs of it.
        unsafe {
            match self.adds {
                true => copy::add(&given, &to),
                false => copy::copy(&given, &to),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (value, given) = (&call.inputs[0], &call.inputs[1]);
        let to = self.slice.part_of(value, given.dims());
        // SAFETY: valid views of one dtype and shape; the part lies inside the variable, whose memory nobody else sees.
        unsafe {
            match self.adds {
                true => add_to(call, given, &to),
                false => cuda::copy_to(call, given, &to),
            }
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("no gradient flows through an assignment")
    }
}
