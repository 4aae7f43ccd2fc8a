//! The gradient of `max_pool2d`, which lays dy where the maxima are, and its own: the numbers that lie there.
//! TensorFlow's `MaxPoolGrad` and `MaxPoolGradGrad`; each is the other's gradient, so every order exists.

use super::plain;
use kernels::backend::cpu::pool2d;
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves};
use crate::ops::pooling::{Pool, PoolKernel, at_once, pool_identity, pool_kernel, run_on_device};
use crate::ops::zeros_of;
use crate::tape::Backward;

const REAL: DTypes = DTypes::FLOATING;

/// Inputs: the images, and the cotangent of the pooled ones.
#[derive(Clone)]
pub(super) struct MaxPoolGradient {
    pub pool: Pool,
}

/// Inputs: images, and numbers of their shape; output: those numbers that lie at the maxima.
#[derive(Clone)]
struct MaxPoolPick {
    pool: Pool,
}

impl Op for MaxPoolGradient {
    pool_identity!("max_pool2d_gradient");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, REAL)?;
        self.pool.check_output("max_pool2d_gradient", cx.shape(0), cx.shape(1))?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        let g = self.pool.geometry(call.inputs[0].dims(), call.inputs[1].dims());
        Work::chunks(pool2d::gradient_chunks(&g))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        let (x, dy, dx) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), dy.dims());
        if dx.is_empty() {
            return Ok(());
        }
        // SAFETY: dense tensors of the geometry, chunks as `work` said.
        unsafe {
            match dx.dtype {
                DType::F64 => {
                    pool2d::max_pool_gradient::<f64>(call.isa, &g, x.as_ptr(), dy.as_ptr(), dx.as_ptr(), chunk)
                }
                _ => pool2d::max_pool_gradient::<f32>(call.isa, &g, x.as_ptr(), dy.as_ptr(), dx.as_ptr(), chunk),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static PLACES: PoolKernel = pool_kernel!("max_pool_places");
        static KERNEL: PoolKernel = pool_kernel!("max_pool_gradient");
        let (x, dy, dx) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), dy.dims());
        let places = call.scratch(dy.len() * size_of::<i32>())?;
        let cells = View::dense(places.address() as usize as *mut u8, DType::I32, dy.dims());
        let each = at_once(&g, &[x, dy, dx]);
        // SAFETY: dense tensors of the geometry, and a place for each window.
        unsafe {
            run_on_device(call, &PLACES, each, &g, &[x, &cells], |_| {})?;
            run_on_device(call, &KERNEL, each, &g, &[&cells, dy, dx], |_| {})
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        if needs[1] { Saves::inputs(&[0]) } else { Saves::NOTHING }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        if g.needs(0) {
            // The places of the maxima do not move with the numbers.
            let zeros = zeros_of(g.input_type(0))?;
            g.give(0, zeros);
        }
        if g.needs(1) {
            let ddy = execute1(&MaxPoolPick { pool: self.pool.clone() }, &[g.input(0)?, &g.dy(0)?])?;
            g.give(1, ddy);
        }
        Ok(())
    }
}

impl Op for MaxPoolPick {
    pool_identity!("max_pool2d_pick");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, REAL)?;
        let shape = self.pool.output("max_pool2d_pick", cx.shape(0))?;
        if cx.shape(0).iter().zip(cx.shape(1).iter()).any(|(a, b)| !a.can_equal(b)) {
            return Err(Error::invalid_argument("max_pool2d_pick", "the shapes differ").got(cx.shape(1)));
        }
        cx.output(cx.dtype(0), shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        Work::chunks(call.outputs[0].dims()[0])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        let (x, v, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), out.dims());
        if out.is_empty() {
            return Ok(());
        }
        // SAFETY: dense tensors of the geometry; one chunk per image.
        unsafe {
            match out.dtype {
                DType::F64 => plain::pick::<f64>(&g, x.as_slice(), v.as_slice(), out.as_ptr(), chunk),
                _ => plain::pick::<f32>(&g, x.as_slice(), v.as_slice(), out.as_ptr(), chunk),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: PoolKernel = pool_kernel!("max_pool_pick");
        let (x, v, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), out.dims());
        // SAFETY: dense tensors of the geometry.
        unsafe { run_on_device(call, &KERNEL, at_once(&g, &[x, v, out]), &g, &[x, v, out], |_| {}) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        if needs[1] { Saves::inputs(&[0]) } else { Saves::NOTHING }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        if g.needs(0) {
            let zeros = zeros_of(g.input_type(0))?;
            g.give(0, zeros);
        }
        if g.needs(1) {
            let dv = execute1(&MaxPoolGradient { pool: self.pool.clone() }, &[g.input(0)?, &g.dy(0)?])?;
            g.give(1, dv);
        }
        Ok(())
    }
}
