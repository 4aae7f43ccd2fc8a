//! `argmax`: the index of the largest element along an axis, the first among equals; no gradient flows.
//! TensorFlow's `tf.argmax`; NaN counts as TensorFlow's kernel counts it: it is never larger.

use super::public;
use crate::backend::cpu::collapse::for_each_offset;
use crate::backend::cpu::{CpuCall, View};
use crate::dtype::{DType, DTypes, bf16, f16, for_dtype};
use crate::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::shape::resolve_axis;
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Argmax {
    axis: usize,
}

impl Op for Argmax {
    identity!("argmax", { "axis": Int = |this| this.axis as i64 });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::NUMBERS.and(DTypes::BOOL))?;
        let size = cx.shape(0).dim(self.axis);
        if size.known_value() == Some(0) {
            return Err(Error::invalid_argument("argmax", "the axis is empty, so no element is the largest")
                .got(cx.shape(0))
                .expected("a size of at least 1 along the axis"));
        }
        let shape = cx.shape(0).remove(self.axis);
        cx.output(DType::I64, shape);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let input = &call.inputs[0];
        // SAFETY: views of the inferred types; the output is dense and fresh.
        unsafe {
            match input.dtype {
                // Bytes order as truth values do.
                DType::Bool => run::<u8>(input, self.axis, call.outputs[0].ptr.cast()),
                dtype => for_dtype!(dtype, T => run::<<T as Ordered>::Raw>(input, self.axis, call.outputs[0].ptr.cast()), else {}),
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("an index does not change with small changes of its input")
    }
}

/// The type whose comparison orders a dtype's elements.
trait Ordered {
    type Raw: Copy + PartialOrd;
}

macro_rules! ordered {
    ($($t:ty => $raw:ty),*) => {$(
        impl Ordered for $t {
            type Raw = $raw;
        }
    )*};
}

ordered!(f32 => f32, f64 => f64, i8 => i8, i16 => i16, i32 => i32, i64 => i64, u8 => u8, u16 => u16, u32 => u32,
    u64 => u64, f16 => f16, bf16 => bf16, bool => u8);

/// # Safety
/// The input holds elements of type `T`; `out` has room for one index per row along the axis.
unsafe fn run<T: Copy + PartialOrd>(input: &View, axis: usize, out: *mut i64) {
    let (mut dims, mut strides) = (input.dims().to_vec(), input.strides().to_vec());
    let (len, stride) = (dims.remove(axis), strides.remove(axis));
    let mut next = 0;
    for_each_offset(&dims, &strides, |offset| {
        // SAFETY: offsets of elements; `next` counts the outputs.
        unsafe {
            let row = input.ptr.cast::<T>().offset(offset);
            let (mut best, mut at) = (*row, 0);
            for i in 1..len {
                let value = *row.offset(i as isize * stride);
                if value > best {
                    (best, at) = (value, i);
                }
            }
            out.add(next).write(at as i64);
        }
        next += 1;
    });
}

public! {
    /// The index of the largest element along `axis` (the first of several), as `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 5.0, 5.0], [7.0, 0.0, 2.0]]);
    /// assert_eq!(tf::argmax(&x, 1).to_vec::<i64>(), [1, 0]);
    /// ```
    pub fn argmax, try_argmax(x, axis: isize) -> Tensor {
        let axis = resolve_axis("argmax", axis, x.rank())?;
        execute1(&Argmax { axis }, &[x])
    }
}
