//! `max_pool2d`: the greatest number of each window; its gradient goes to the first of them in row-major order.
//! TensorFlow's `tf.nn.max_pool2d`, NHWC; all numbers but `uint32` and `uint64`.

mod gradient;
pub(super) mod plain;

use super::pooling::{Pool, PoolKernel, at_once, pool_kernel, pooling, run_on_device};
use super::window::{Padding, Pair};
use super::public;
use kernels::backend::cpu::pool2d;
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Op, Saves};
use crate::tape::Backward;
use crate::tensor::Tensor;
use gradient::MaxPoolGradient;
use half::{bf16, f16};

/// Input: images.
#[derive(Clone)]
pub(crate) struct MaxPool2d {
    pub(super) pool: Pool,
}

/// What is pooled; `max_pool2d` refuses `uint32` and `uint64`, as TensorFlow does.
pub(super) const COMPUTED: DTypes = DTypes::of(&[
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
]);

impl Op for MaxPool2d {
    pooling!("max_pool2d", COMPUTED);

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        let g = self.pool.geometry(call.inputs[0].dims(), call.outputs[0].dims());
        match call.outputs[0].dtype.is_floating() {
            true => Work::chunks(pool2d::forward_chunks(&g)),
            false => Work::chunks(g.batch),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), y.dims());
        if y.is_empty() {
            return Ok(());
        }
        // SAFETY: dense tensors of the geometry, chunks as `work` said, and an output that is not empty.
        unsafe {
            match y.dtype {
                DType::F32 => pool2d::max_pool::<f32>(call.isa, &g, x.as_ptr(), y.as_ptr(), chunk),
                DType::F64 => pool2d::max_pool::<f64>(call.isa, &g, x.as_ptr(), y.as_ptr(), chunk),
                DType::I8 => plain::max_pool::<i8>(&g, x.as_slice(), y.as_ptr(), chunk, i8::MIN),
                DType::I16 => plain::max_pool::<i16>(&g, x.as_slice(), y.as_ptr(), chunk, i16::MIN),
                DType::I32 => plain::max_pool::<i32>(&g, x.as_slice(), y.as_ptr(), chunk, i32::MIN),
                DType::I64 => plain::max_pool::<i64>(&g, x.as_slice(), y.as_ptr(), chunk, i64::MIN),
                DType::U8 => plain::max_pool::<u8>(&g, x.as_slice(), y.as_ptr(), chunk, 0),
                DType::U32 => plain::max_pool::<u32>(&g, x.as_slice(), y.as_ptr(), chunk, 0),
                DType::U64 => plain::max_pool::<u64>(&g, x.as_slice(), y.as_ptr(), chunk, 0),
                _ => plain::max_pool::<u16>(&g, x.as_slice(), y.as_ptr(), chunk, 0),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: PoolKernel = pool_kernel!("max_pool");
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), y.dims());
        let lowest = match y.dtype {
            DType::F32 => u64::from(f32::MIN.to_bits()),
            DType::F64 => f64::MIN.to_bits(),
            DType::F16 => u64::from(f16::MIN.to_bits()),
            DType::BF16 => u64::from(bf16::MIN.to_bits()),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => 0,
            signed => 1 << (8 * signed.size() - 1),
        };
        // SAFETY: dense tensors of the geometry.
        unsafe { run_on_device(call, &KERNEL, at_once(&g, &[x, y]), &g, &[x, y], |to| to.value(lowest)) }
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&MaxPoolGradient { pool: self.pool.clone() }, &[g.input(0)?, &g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

#[track_caller]
pub(super) fn pooled(x: &Tensor, pool: Pool) -> Result<Tensor> {
    if matches!(x.dtype(), DType::U32 | DType::U64) {
        return Err(Error::invalid_argument("max_pool2d", "wrong dtype")
            .got(x.dtype())
            .expected("a floating-point or an integer dtype but uint32 and uint64")
            .help("`max_pool_with_argmax` takes these, as TensorFlow's"));
    }
    execute1(&MaxPool2d { pool }, &[x])
}

public! {
    /// The greatest number of each `size` window of images (batch, rows, columns, channels); windows slide by
    /// `strides`.
    ///
    /// Padding never wins. A nan wins over numbers, as in `reduce_max`, and gets the gradient; TensorFlow's CPU kernel
    /// skips nan, and answers the lowest finite number where a window has nothing but minus infinity.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let image = tf::reshape(&tf::constant([1, 5, 2, 4]), [1, 2, 2, 1]);
    /// assert_eq!(tf::max_pool2d(&image, 2, 2, tf::Padding::Valid).to_vec::<i32>(), [5]);
    /// ```
    pub fn max_pool2d, try_max_pool2d(
        x,
        size: impl Into<Pair>,
        strides: impl Into<Pair>,
        padding: Padding
    ) -> Tensor {
        pooled(x, Pool::new("max_pool2d", size.into(), strides.into(), padding)?)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use crate::{DType, GradientTape, Padding, Tensor, bf16, f16};

    fn whole(size: usize) -> Tensor {
        let values: Vec<i32> = (0..size * size * 2).map(|i| (i * 37 % 41) as i32).collect();
        Tensor::try_from_vec(values, [1, size, size, 2]).unwrap()
    }

    #[test]
    fn gradients_of_both_orders() {
        for (shape, size, strides, padding) in [
            ([2, 4, 4, 3], [2, 2], [2, 2], Padding::Valid),
            ([1, 5, 4, 2], [3, 2], [1, 2], Padding::Same),
            ([1, 4, 5, 1], [1, 3], [2, 1], Padding::Explicit([[0, 0], [1, 2]])),
            ([0, 4, 4, 1], [2, 2], [2, 2], Padding::Valid),
        ] {
            check(
                &|x| {
                    let y = tf::max_pool2d(&x[0], size, strides, padding);
                    &y * &y
                },
                &[numbers(5, &shape)],
            );
        }
    }

    #[test]
    fn all_dtypes_agree() {
        let x = whole(5);
        for padding in [Padding::Valid, Padding::Same] {
            let right = tf::max_pool2d(&x, 3, 2, padding).to_vec::<i32>();
            let run = |dtype| tf::max_pool2d(x.cast(dtype), 3, 2, padding);
            let same = |values: Vec<f64>| assert!(values.iter().zip(&right).all(|(a, &b)| *a == f64::from(b)));
            for dtype in [DType::F32, DType::F64, DType::I8, DType::I16, DType::I64, DType::U8, DType::U16] {
                same(run(dtype).cast(DType::F64).to_vec());
            }
            same(run(DType::F16).to_vec::<f16>().iter().map(|v| v.to_f64()).collect());
            same(run(DType::BF16).to_vec::<bf16>().iter().map(|v| v.to_f64()).collect());
        }
        assert!(tf::try_max_pool2d(x.cast(DType::U32), 2, 2, Padding::Valid).is_err());
        assert!(tf::try_max_pool2d(&x, 0, 2, Padding::Valid).is_err());
        assert!(tf::try_max_pool2d(&x, 2, 2, Padding::Explicit([[2, 0], [0, 0]])).is_err());
    }

    #[test]
    fn the_first_of_equals_gets_the_gradient() {
        let x = tf::ones([1, 2, 2, 1]);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = tf::max_pool2d(&x, 2, 2, Padding::Valid);
        assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [1.0, 0.0, 0.0, 0.0]);
    }
}
