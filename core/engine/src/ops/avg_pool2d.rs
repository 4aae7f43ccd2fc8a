//! `avg_pool2d`: the mean of each window's cells inside the image; dx spreads dy over those cells.
//! TensorFlow's `tf.nn.avg_pool2d`, NHWC, floating-point only; its gradient is linear, and the pooling is its gradient.

use super::pooling::{Pool, PoolKernel, at_once, pool_identity, pool_kernel, pooling, run_on_device};
use super::window::{Padding, Pair};
use super::public;
use kernels::backend::cpu::pool2d;
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef};
use kernels::shape::Shape;
use crate::tape::Backward;
use crate::tensor::Tensor;
use std::sync::Arc;

/// Input: images.
#[derive(Clone)]
pub(crate) struct AvgPool2d {
    pub(super) pool: Pool,
}

/// Input: the cotangent of the pooled images. The images' shape does not follow from it.
#[derive(Clone)]
struct AvgPoolGradient {
    pool: Pool,
    shape: Shape,
}

/// What is pooled; means of 16-bit floats are computed in f32.
const REAL: DTypes = DTypes::FLOATING;

impl Op for AvgPool2d {
    pooling!("avg_pool2d", REAL);

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        Work::chunks(pool2d::forward_chunks(&self.pool.geometry(call.inputs[0].dims(), call.outputs[0].dims())))
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
        // SAFETY: dense tensors of the geometry, chunks as `work` said.
        unsafe {
            match y.dtype {
                DType::F64 => pool2d::avg_pool::<f64>(call.isa, &g, x.as_ptr(), y.as_ptr(), chunk),
                _ => pool2d::avg_pool::<f32>(call.isa, &g, x.as_ptr(), y.as_ptr(), chunk),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: PoolKernel = pool_kernel!("avg_pool");
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), y.dims());
        // SAFETY: dense tensors of the geometry.
        unsafe { run_on_device(call, &KERNEL, at_once(&g, &[x, y]), &g, &[x, y], |_| {}) }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let op = AvgPoolGradient { pool: self.pool.clone(), shape: g.input_type(0).shape };
        let dx = execute1(&op, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

impl Op for AvgPoolGradient {
    pool_identity!("avg_pool2d_gradient", "shape": Shape = |this| &this.shape);

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, pool: self.pool.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, REAL)?;
        self.pool.check_output("avg_pool2d_gradient", &self.shape, cx.shape(0))?;
        cx.output(cx.dtype(0), self.shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        Work::chunks(pool2d::gradient_chunks(&self.pool.geometry(call.outputs[0].dims(), call.inputs[0].dims())))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        let (dy, dx) = (&call.inputs[0], &call.outputs[0]);
        let g = self.pool.geometry(dx.dims(), dy.dims());
        if dx.is_empty() {
            return Ok(());
        }
        // SAFETY: dense tensors of the geometry, chunks as `work` said.
        unsafe {
            match dx.dtype {
                DType::F64 => pool2d::avg_pool_gradient::<f64>(call.isa, &g, dy.as_ptr(), dx.as_ptr(), chunk),
                _ => pool2d::avg_pool_gradient::<f32>(call.isa, &g, dy.as_ptr(), dx.as_ptr(), chunk),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: PoolKernel = pool_kernel!("avg_pool_gradient");
        let (dy, dx) = (&call.inputs[0], &call.outputs[0]);
        let g = self.pool.geometry(dx.dims(), dy.dims());
        // SAFETY: dense tensors of the geometry.
        unsafe { run_on_device(call, &KERNEL, at_once(&g, &[dy, dx]), &g, &[dy, dx], |_| {}) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let ddy = execute1(&AvgPool2d { pool: self.pool.clone() }, &[&g.dy(0)?])?;
        g.give(0, ddy);
        Ok(())
    }
}

#[track_caller]
fn pooled(x: &Tensor, pool: Pool) -> Result<Tensor> {
    execute1(&AvgPool2d { pool }, &[x])
}

public! {
    /// The mean of each `size` window of images (batch, rows, columns, channels); windows slide by `strides`.
    ///
    /// Padding does not count: a mean is over the cells inside the image.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let image = tf::reshape(&tf::constant([1.0, 5.0, 2.0, 4.0]), [1, 2, 2, 1]);
    /// assert_eq!(tf::avg_pool2d(&image, 2, 2, tf::Padding::Valid).to_vec::<f32>(), [3.0]);
    /// ```
    pub fn avg_pool2d, try_avg_pool2d(
        x,
        size: impl Into<Pair>,
        strides: impl Into<Pair>,
        padding: Padding
    ) -> Tensor {
        pooled(x, Pool::new("avg_pool2d", size.into(), strides.into(), padding)?)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use crate::{DType, Padding};

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
                    let y = tf::avg_pool2d(&x[0], size, strides, padding);
                    &y * &y
                },
                &[numbers(5, &shape)],
            );
        }
    }

    #[test]
    fn padding_does_not_count() {
        let y = tf::avg_pool2d(tf::ones([1, 3, 3, 1]), 2, 2, Padding::Same);
        assert_eq!(y.to_vec::<f32>(), [1.0; 4]);
        assert_eq!(tf::avg_pool2d(tf::ones([1, 3, 3, 1]).cast(DType::BF16), 2, 2, Padding::Same).dtype(), DType::BF16);
        assert!(tf::try_avg_pool2d(tf::ones([1, 3, 3, 1]).cast(DType::I32), 2, 2, Padding::Same).is_err());
    }
}
