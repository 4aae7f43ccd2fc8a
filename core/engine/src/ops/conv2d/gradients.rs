//! The gradients of `conv2d` by images and by filters; each is linear in both operands, and its gradients are again
//! `conv2d` and these two. TensorFlow's `Conv2DBackpropInput` and `Conv2DBackpropFilter`.

use super::{Conv2d, How, check_gradient, conv_identity, filter_gradient, geometry, input_gradient, saved};
use kernels::backend::cpu::conv::{self, ConvGeometry};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves};
use kernels::shape::Shape;
use crate::tape::Backward;
use std::sync::Arc;

/// Integers have no gradient.
const REAL: DTypes = DTypes::FLOATING;

/// Inputs: filters and the cotangent of the output. The images' shape does not follow from them.
#[derive(Clone)]
pub(super) struct InputGradient {
    pub how: How,
    pub shape: Shape,
}

/// Inputs: images and the cotangent of the output. The filters' shape does not follow from them.
#[derive(Clone)]
pub(super) struct FilterGradient {
    pub how: How,
    pub shape: Shape,
}

impl InputGradient {
    fn geometry(&self, call: &CpuCall<'_>) -> ConvGeometry {
        geometry(&self.how.windows, [call.outputs[0].dims(), call.inputs[0].dims(), call.inputs[1].dims()])
    }
}

impl Op for InputGradient {
    conv_identity!("conv2d_input_gradient", "shape": Shape = |this| &this.shape);

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Contraction
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, REAL)?;
        check_gradient("conv2d_input_gradient", &self.how, &self.shape, cx.shape(0), cx.shape(1))?;
        cx.output(cx.dtype(0), self.shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, self.how.groups) {
            let one = Self { how: self.how.alone(), shape: self.shape };
            return staged.work(|call| one.work(call));
        }
        let g = self.geometry(call);
        match call.outputs[0].dtype {
            DType::F64 => conv::input_gradient_work::<f64>(&g, call.isa),
            _ => conv::input_gradient_work::<f32>(&g, call.isa),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, self.how.groups) {
            let one = Self { how: self.how.alone(), shape: self.shape };
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| one.work(c), |c, phase, chunk| one.cpu(c, phase, chunk)) };
        }
        let (w, dy, dx) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = self.geometry(call);
        macro_rules! run {
            ($t:ty) => {
                conv::input_gradient::<$t>(
                    call.isa,
                    &g,
                    dy.as_ptr(),
                    w.as_ptr(),
                    dx.as_ptr(),
                    call.scratch,
                    phase,
                    chunk,
                )
            };
        }
        // SAFETY: dense tensors of the geometry; scratch and chunks are what `work` said.
        unsafe {
            match dx.dtype {
                DType::F64 => run!(f64),
                _ => run!(f32),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (w, dy, dx) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = geometry(&self.how.windows, [dx, w, dy].map(|v| v.dims()));
        // SAFETY: dense tensors of the geometry.
        unsafe { cuda::conv_input_gradient(call, &g, self.how.groups, [w, dy, dx]) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        saved(needs)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = g.dy(0)?;
        if g.needs(0) {
            let dw = filter_gradient(&self.how, &dx, g.input(1)?, &g.input_type(0).shape)?;
            g.give(0, dw);
        }
        if g.needs(1) {
            let dy = execute1(&Conv2d { how: self.how.clone() }, &[&dx, g.input(0)?])?;
            g.give(1, dy);
        }
        Ok(())
    }
}

impl FilterGradient {
    fn geometry(&self, call: &CpuCall<'_>) -> ConvGeometry {
        geometry(&self.how.windows, [call.inputs[0].dims(), call.outputs[0].dims(), call.inputs[1].dims()])
    }
}

impl Op for FilterGradient {
    conv_identity!("conv2d_filter_gradient", "shape": Shape = |this| &this.shape);

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Contraction
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, REAL)?;
        check_gradient("conv2d_filter_gradient", &self.how, cx.shape(0), &self.shape, cx.shape(1))?;
        cx.output(cx.dtype(0), self.shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, self.how.groups) {
            let one = Self { how: self.how.alone(), shape: self.shape };
            return staged.work(|call| one.work(call));
        }
        let g = self.geometry(call);
        match call.outputs[0].dtype {
            DType::F64 => conv::filter_gradient_work::<f64>(&g, call.isa),
            _ => conv::filter_gradient_work::<f32>(&g, call.isa),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, self.how.groups) {
            let one = Self { how: self.how.alone(), shape: self.shape };
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| one.work(c), |c, phase, chunk| one.cpu(c, phase, chunk)) };
        }
        let (x, dy, dw) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = self.geometry(call);
        macro_rules! run {
            ($t:ty) => {
                conv::filter_gradient::<$t>(
                    call.isa,
                    &g,
                    x.as_ptr(),
                    dy.as_ptr(),
                    dw.as_ptr(),
                    call.scratch,
                    phase,
                    chunk,
                )
            };
        }
        // SAFETY: dense tensors of the geometry; scratch and chunks are what `work` said.
        unsafe {
            match dw.dtype {
                DType::F64 => run!(f64),
                _ => run!(f32),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, dy, dw) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = geometry(&self.how.windows, [x, dw, dy].map(|v| v.dims()));
        // SAFETY: dense tensors of the geometry.
        unsafe { cuda::conv_filter_gradient(call, &g, self.how.groups, [x, dy, dw]) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        saved(needs)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dw = g.dy(0)?;
        if g.needs(0) {
            let dx = input_gradient(&self.how, &dw, g.input(1)?, &g.input_type(0).shape)?;
            g.give(0, dx);
        }
        if g.needs(1) {
            let dy = execute1(&Conv2d { how: self.how.clone() }, &[g.input(0)?, &dw])?;
            g.give(1, dy);
        }
        Ok(())
    }
}
