//! `bitcast`: the same bytes as elements of another dtype; no gradient.
//! TensorFlow's `tf.bitcast`, real and complex numbers: a smaller dtype adds a last axis, a larger one takes it away.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{self, Along, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

#[derive(Clone)]
pub(crate) struct Bitcast {
    to: DType,
}

/// All whose every byte is a value: not truth values.
const TAKEN: DTypes = DTypes::NUMBERS.and(DTypes::COMPLEX);

/// Bytes that one chunk copies, about.
const CHUNK: usize = 256 * 1024;

fn chunks(call: &CpuCall<'_>) -> usize {
    (call.outputs[0].len() * call.outputs[0].dtype.size()).div_ceil(CHUNK).max(1)
}

impl Op for Bitcast {
    identity!("bitcast", { "to": DType = |this| this.to });

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, TAKEN)?;
        let (from, shape) = (cx.dtype(0), *cx.shape(0));
        if from.size() >= self.to.size() {
            let parts = from.size() / self.to.size();
            let shape =
                if parts == 1 { shape } else { shape.push(Dim::known(parts)).map_err(|e| e.in_op("bitcast"))? };
            cx.output(self.to, shape);
            return Ok(());
        }
        let parts = Dim::known(self.to.size() / from.size());
        let Some(last) = shape.rank().checked_sub(1).filter(|&last| shape.dim(last).can_equal(parts)) else {
            return Err(Error::invalid_argument(
                "bitcast",
                "the last axis does not make one element of the larger dtype",
            )
            .got(format!("{from} of {shape} as {}", self.to))
            .expected(format!("a last axis of {parts}"))
            .help("`reshape` it first, so that the bytes of one element lie along the last axis"));
        };
        cx.constraints.push(shape.dim(last), parts);
        cx.output(self.to, Shape::from_dims(&shape.sizes()[..last])?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(chunks(call))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let bytes = part(call.outputs[0].len() * call.outputs[0].dtype.size(), chunk, chunks(call), 64);
        // SAFETY: both are dense and have as many bytes by the type rule; chunks are apart.
        unsafe {
            let (from, to) = (call.inputs[0].ptr.add(bytes.start), call.outputs[0].ptr.add(bytes.start));
            std::ptr::copy_nonoverlapping(from, to, bytes.len());
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let unit = input.dtype.size().min(out.dtype.size());
        let size = out.len() * out.dtype.size() / unit;
        // SAFETY: both are dense and have as many bytes by the type rule.
        unsafe { cuda::walk(call, unit, input.ptr, out.ptr, &[Along { size, from: 1, to: 1 }]) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("bits carry no gradient")
    }
}

public! {
    /// The bytes of the elements as elements of another dtype, which is as in TensorFlow not `bool`.
    ///
    /// A smaller dtype adds a last axis of as many parts as an element has, lowest byte first; for a larger one the last axis must
    /// have that size and goes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let bits = tf::bitcast(&tf::constant([1.0, -2.0]), tf::DType::U32);
    /// assert_eq!(bits.to_vec::<u32>(), [0x3f80_0000, 0xc000_0000]);
    /// let bytes = tf::bitcast(&bits, tf::DType::U8);
    /// assert_eq!(bytes.shape(), [2, 4]);
    /// assert_eq!(tf::bitcast(&bytes, tf::DType::F32).to_vec::<f32>(), [1.0, -2.0]);
    /// ```
    pub fn bitcast, try_bitcast(x, dtype: DType) -> Tensor {
        if !TAKEN.has(dtype) {
            return Err(Error::invalid_argument("bitcast", "not every byte is a value of this dtype")
                .got(dtype)
                .expected(format!("one of {TAKEN}")));
        }
        execute1(&Bitcast { to: dtype }, &[x])
    }
}
