//! `matmul_add`: a matrix, or a row for all rows, plus a product of two matrices, z + a b, in one pass over the result.
//! The graph's pass `accumulate` makes it for plans; it has no gradient, because graphs are differentiated before.

use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::ops::product_of;
use kernels::backend::cpu::gemm::{self, Addend};
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall, Plus};
use kernels::error::Result;

/// Inputs: the addend with unit column stride, and the matrices of a product for which `gemm::can_add` holds.
#[derive(Clone)]
pub(crate) struct MatMulAdd;

impl Op for MatMulAdd {
    identity!("matmul_add");

    fn kind(&self) -> Kind {
        Kind::Contraction
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let shape = kernels::shape::Shape::from_dims(&[cx.shape(1).dim(0), cx.shape(2).dim(1)])?;
        cx.output(cx.dtype(1), shape);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let product = product_of(&call.inputs[1], &call.inputs[2], &call.outputs[0]);
        gemm::work(&product, call.outputs[0].dtype, call.isa)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let [plus, a, b] = [&call.inputs[0], &call.inputs[1], &call.inputs[2]];
        let c = &call.outputs[0];
        let product = product_of(a, b, c);
        let row_stride = if plus.rank() == 2 && plus.dims()[0] != 1 { plus.strides()[0] } else { 0 };
        let plus = Addend { data: plus.ptr, row_stride };
        // SAFETY: the strides are those of the views; scratch and phases are what `work` said; the pass saw to the rest.
        unsafe { gemm::run(&product, c.dtype, call.isa, a.ptr, b.ptr, c.ptr, plus, call.scratch, phase, chunk) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let [plus, a, b] = [&call.inputs[0], &call.inputs[1], &call.inputs[2]];
        let (n, columns) = (plus.dims().last().copied().unwrap_or(1), plus.strides().last().copied().unwrap_or(1));
        let repeats = plus.rank() < 2 || plus.dims()[0] == 1;
        let rows = if repeats { 0 } else { plus.strides()[0] };
        let mut addend = Plus { address: plus.ptr.addr() as u64, row_stride: rows as usize };
        let mut copied = None;
        if (n > 1 && columns != 1) || rows < 0 {
            let scratch = call.scratch(plus.len() * plus.dtype.size())?;
            let dense = View::dense(scratch.address() as usize as *mut u8, plus.dtype, plus.dims());
            // SAFETY: scratch of the addend's size.
            unsafe { cuda::copy(call, plus, &dense)? };
            addend = Plus { address: scratch.address(), row_stride: if repeats { 0 } else { n } };
            copied = Some(scratch);
        }
        // SAFETY: the same contract.
        unsafe { cuda::product(call, a, b, &call.outputs[0], Some(addend))? };
        // The memory is given out again behind the kernels that read it.
        drop(copied);
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Missing
    }
}
