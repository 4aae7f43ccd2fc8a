//! The gradients of `conv2d` and `conv3d` by images and by filters; each is linear in both operands, and its gradients are again
//! `conv2d` and these two. TensorFlow's `Conv2DBackpropInput` and `Conv2DBackpropFilter`.

use super::{COMPUTED, Conv2d, How, check_gradient, conv_identity, filter_gradient, geometry, input_gradient, integers, saved};
use kernels::backend::cpu::conv::{self, ConvGeometry, depthwise};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves};
use kernels::shape::Shape;
use crate::ops::reshape_to;
use crate::tape::Backward;
use crate::tensor::Tensor;
use std::sync::Arc;

/// The gradient of the second input, whose sizes follow from the other operands only where those are equal that have to be.
#[track_caller]
fn shaped_as(gradient: Tensor, g: &Backward<'_>) -> Result<Tensor> {
    reshape_to(&gradient, &g.input_type(1).shape)
}

/// One of the two operations: its operands by name, which of them are the images, the filters and the cotangent of the output, the
/// order in which the CPU's kernel takes them, and its own gradients by its inputs.
macro_rules! conv_gradient {
    (
        $(#[$doc:meta])*
        $op:ident, $images:literal $volumes:literal: |$first:ident, $second:ident, $out:ident| [$x:ident, $w:ident, $y:ident];
        takes $dtypes:expr;
        cpu $work:ident, $kernel:ident($($pointer:ident),*);
        cuda $cuda:ident;
        gradients |$how:ident, $g:ident, $d:ident| $by_first:expr, $by_second:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub(super) struct $op {
            pub how: How,
            pub shape: Shape,
        }

        impl $op {
            /// Images, filters and the cotangent of the output.
            fn operands<'a>(call: &'a CpuCall<'_>) -> [&'a View; 3] {
                let [$first, $second, $out] = [&call.inputs[0], &call.inputs[1], &call.outputs[0]];
                [$x, $w, $y]
            }

            fn geometry(&self, call: &CpuCall<'_>) -> ConvGeometry {
                geometry(&self.how, Self::operands(call))
            }

            /// The same for one of so many groups of channels.
            fn one_of(&self, groups: usize) -> Self {
                Self { how: self.how.one_of(groups), shape: self.shape }
            }
        }

        impl Op for $op {
            conv_identity!($images $volumes, "shape": Shape = |this| &this.shape);

            fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
                Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, ..self.clone() })))
            }

            fn kind(&self) -> Kind {
                Kind::Contraction
            }

            fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
                cx.same_dtype()?;
                cx.check_dtype(0, if self.how.windows.axes() == 2 { $dtypes } else { DTypes::FLOATING })?;
                let [$first, $second, $out] = [cx.shape(0), cx.shape(1), &self.shape];
                let equal = check_gradient(self.name(), &self.how, $x, $w, $y)?;
                equal.into_iter().filter(|(a, b)| a != b).for_each(|(a, b)| cx.constraints.push(a, b));
                cx.output(cx.dtype(0), self.shape);
                Ok(())
            }

            fn work(&self, call: &CpuCall<'_>) -> Work {
                let apart = self.how.apart(&call.outputs[0]);
                if let Some(staged) = Staged::new(call, apart) {
                    let one = self.one_of(apart);
                    return staged.work(|call| one.work(call));
                }
                let g = self.geometry(call);
                match call.outputs[0].dtype {
                    DType::I32 => Work::chunks(integers::chunks(&g)),
                    DType::F64 if self.how.by_depth(&g) => depthwise::$work::<f64>(&g.planes()),
                    _ if self.how.by_depth(&g) => depthwise::$work::<f32>(&g.planes()),
                    DType::F64 => conv::$work::<f64>(&g.in_groups(self.how.groups), call.isa),
                    _ => conv::$work::<f32>(&g.in_groups(self.how.groups), call.isa),
                }
            }

            unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
                let apart = self.how.apart(&call.outputs[0]);
                if let Some(staged) = Staged::new(call, apart) {
                    let one = self.one_of(apart);
                    let run = |c: &CpuCall<'_>, phase, chunk| {
                        // SAFETY: by the caller's promise; what is staged is what the loops know.
                        unsafe { one.cpu(c, phase, chunk) }
                    };
                    // SAFETY: the same contract.
                    return unsafe { staged.run(phase, chunk, |c| one.work(c), run) };
                }
                let [$first, $second, $out] = [&call.inputs[0], &call.inputs[1], &call.outputs[0]];
                let g = self.geometry(call);
                // SAFETY: dense tensors of the geometry; scratch and chunks are what `work` said.
                unsafe {
                    match call.outputs[0].dtype {
                        // The only one of the two that takes integers.
                        DType::I32 => {
                            integers::input_gradient(&g, $($pointer.as_ptr()),*, chunk);
                        }
                        DType::F64 if self.how.by_depth(&g) => {
                            let g = g.planes();
                            depthwise::$kernel::<f64>(call.isa, &g, $($pointer.as_ptr()),*, call.scratch, phase, chunk);
                        }
                        _ if self.how.by_depth(&g) => {
                            let g = g.planes();
                            depthwise::$kernel::<f32>(call.isa, &g, $($pointer.as_ptr()),*, call.scratch, phase, chunk);
                        }
                        DType::F64 => {
                            let g = g.in_groups(self.how.groups);
                            conv::$kernel::<f64>(call.isa, &g, $($pointer.as_ptr()),*, call.scratch, phase, chunk);
                        }
                        _ => {
                            let g = g.in_groups(self.how.groups);
                            conv::$kernel::<f32>(call.isa, &g, $($pointer.as_ptr()),*, call.scratch, phase, chunk);
                        }
                    }
                }
                Ok(())
            }

            unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
                let [$first, $second, $out] = [&call.inputs[0], &call.inputs[1], &call.outputs[0]];
                let g = geometry(&self.how, [$x, $w, $y]);
                // SAFETY: dense tensors of the geometry.
                unsafe { cuda::$cuda(call, &g, self.how.groups, [$first, $second, $out]) }
            }

            fn gradient(&self) -> Gradient {
                Gradient::Rule
            }

            fn saves(&self, needs: &[bool]) -> Saves {
                saved(needs)
            }

            fn backward(&self, $g: &mut Backward<'_>) -> Result<()> {
                let ($how, $d) = (&self.how, $g.dy(0)?);
                if $g.needs(0) {
                    let by_first = $by_first?;
                    $g.give(0, by_first);
                }
                if $g.needs(1) {
                    let by_second = $by_second?;
                    $g.give(1, by_second);
                }
                Ok(())
            }
        }
    };
}

conv_gradient! {
    /// Inputs: filters and the cotangent of the output. The images' shape does not follow from them.
    InputGradient, "conv2d_input_gradient" "conv3d_input_gradient": |w, dy, dx| [dx, w, dy];
    // Integers have no gradient, but transposed convolutions.
    takes COMPUTED;
    cpu input_gradient_work, input_gradient(dy, w, dx);
    cuda conv_input_gradient;
    gradients |how, g, dx|
        filter_gradient(how, &dx, g.input(1)?, &g.input_type(0).shape),
        shaped_as(execute1(&Conv2d { how: how.clone() }, &[&dx, g.input(0)?])?, g)
}

conv_gradient! {
    /// Inputs: images and the cotangent of the output. The filters' shape does not follow from them.
    FilterGradient, "conv2d_filter_gradient" "conv3d_filter_gradient": |x, dy, dw| [x, dw, dy];
    takes DTypes::FLOATING;
    cpu filter_gradient_work, filter_gradient(x, dy, dw);
    cuda conv_filter_gradient;
    gradients |how, g, dw|
        input_gradient(how, &dw, g.input(1)?, &g.input_type(0).shape),
        shaped_as(execute1(&Conv2d { how: how.clone() }, &[g.input(0)?, &dw])?, g)
}
