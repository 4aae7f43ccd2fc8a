//! `complex`: real numbers laid side by side as the parts of complex ones; dre and dim are the parts of dy.
//! Every complex result that is computed part by part comes from here, as `tf::complex` does.

use super::parts;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::{CpuCall, View, Work, copy, part};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::MAX_RANK;

#[derive(Clone)]
pub(crate) struct Join;

/// Elements that one chunk lays.
const CHUNK: usize = 16 * 1024;

/// The view of one part of a complex output.
fn place(out: &View, imaginary: bool) -> View {
    let mut strides = [0; MAX_RANK];
    for (to, &from) in strides.iter_mut().zip(out.strides()) {
        *to = 2 * from;
    }
    let dtype = out.dtype.real_dtype();
    let first = out.ptr.wrapping_add(if imaginary { dtype.size() } else { 0 });
    View::new(first, dtype, out.dims(), &strides[..out.rank()])
}

impl Join {
    fn is_dense(call: &CpuCall<'_>) -> bool {
        call.inputs.iter().all(View::is_dense)
    }
}

/// # Safety
/// Dense elements at all three, the output fresh.
unsafe fn lay<T: Copy>(call: &CpuCall<'_>, range: std::ops::Range<usize>) {
    let (re, im, out) =
        (call.inputs[0].ptr.cast::<T>(), call.inputs[1].ptr.cast::<T>(), call.outputs[0].ptr.cast::<[T; 2]>());
    // SAFETY: by the caller's promise.
    unsafe {
        let (re, im) = (re.add(range.start), im.add(range.start));
        let out = out.add(range.start);
        for i in 0..range.len() {
            out.add(i).write([*re.add(i), *im.add(i)]);
        }
    }
}

impl Op for Join {
    identity!("complex");

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::of(&[DType::F32, DType::F64]))?;
        let (re, im) = (cx.shape(0), cx.shape(1));
        if re.rank() != im.rank() {
            return Err(Error::internal("complex", "the parts have different shapes"));
        }
        for axis in 0..re.rank() {
            if re.dim(axis) != im.dim(axis) {
                cx.constraints.push(re.dim(axis), im.dim(axis));
            }
        }
        cx.output(if cx.dtype(0) == DType::F32 { DType::C64 } else { DType::C128 }, *re);
        Ok(())
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        match Self::is_dense(call) {
            true => Work::chunks(call.outputs[0].len().div_ceil(CHUNK)),
            false => Work::chunks(2),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: a dense fresh output, whose chunks and parts are disjoint, and operands of its shape.
        unsafe {
            if !Self::is_dense(call) {
                copy::copy(&call.inputs[chunk], &place(out, chunk == 1));
                return Ok(());
            }
            let range = part(out.len(), chunk, self.work(call).phases[0], 1);
            match out.dtype {
                DType::C64 => lay::<u32>(call, range),
                _ => lay::<u64>(call, range),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        for (i, part) in call.inputs.iter().enumerate() {
            // SAFETY: the same contract.
            unsafe { cuda::copy_to(call, part, &place(&call.outputs[0], i == 1))? };
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let (re, im) = parts(&g.dy(0)?)?;
        for (i, part) in [re, im].into_iter().enumerate() {
            if g.needs(i) {
                g.give(i, part);
            }
        }
        Ok(())
    }
}

/// Complex numbers of their parts, which have one shape.
#[track_caller]
pub(crate) fn joined(re: &Tensor, im: &Tensor) -> Result<Tensor> {
    execute1(&Join, &[re, im])
}
