//! `conv2d`: each output is the sum of a window times a filter; dx and dw are convolutions of their own (`gradients`).
//! TensorFlow's `tf.nn.conv2d`, NHWC; floats and `int32`; groups where the filters have fewer channels than the input.

mod gradients;
mod integers;

use super::window::{Padding, Pair, Windows, check_images, check_window};
use super::{AsTensor, public, reshape_to};
use kernels::backend::cpu::conv::{self, ConvGeometry, Float};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves};
use kernels::shape::{Dim, Shape};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use gradients::{FilterGradient, InputGradient};

/// Inputs: images and filters (rows, columns, input channels, output channels).
#[derive(Clone)]
pub(crate) struct Conv2d {
    how: How,
}

/// How filters move over images, and how many groups of channels there are, each with filters of its own.
#[derive(Clone)]
pub(crate) struct How {
    windows: Windows,
    groups: usize,
}

impl How {
    /// The same for one group.
    fn alone(&self) -> Self {
        Self { windows: self.windows.clone(), groups: 1 }
    }
}

/// What is convolved; 16-bit floats are added up in f32.
const COMPUTED: DTypes = DTypes::of(&[DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32]);

/// The attributes of a convolution and of its gradients, for `identity!`.
macro_rules! conv_identity {
    ($name:literal $(, $attr:literal: $kind:ident = |$this:ident| $value:expr)*) => {
        $crate::op::identity!($name, {
            "strides": Ints = |this| &this.how.windows.strides,
            "dilations": Ints = |this| &this.how.windows.dilations,
            "padding": Ints = |this| &this.how.windows.padding,
            "same": Bool = |this| this.how.windows.same,
            "groups": Int = |this| this.how.groups as i64,
            $($attr: $kind = |$this| $value,)*
        });
    };
}
use conv_identity;

impl Op for Conv2d {
    conv_identity!("conv2d");

    fn kind(&self) -> Kind {
        Kind::Contraction
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, COMPUTED)?;
        let shape = output_shape(&self.how, cx.shape(0), cx.shape(1))?;
        let (channels, wanted) = (cx.shape(0).dim(3), cx.shape(1).dim(2) * self.how.groups);
        if channels != wanted {
            cx.constraints.push(channels, wanted);
        }
        cx.output(cx.dtype(0), shape);
        Ok(())
    }

    fn may_refuse_sizes(&self, inputs: &[&TensorType]) -> bool {
        let filters = &inputs[1].shape;
        self.how.windows.may_not_fit(&inputs[0].shape, [filters.dim(0), filters.dim(1)])
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, self.how.groups) {
            let one = Self { how: self.how.alone() };
            return staged.work(|call| one.work(call));
        }
        let g = geometry(&self.how.windows, [&call.inputs[0], &call.inputs[1], &call.outputs[0]].map(|v| v.dims()));
        match call.outputs[0].dtype {
            DType::I32 => Work::chunks(integers::chunks(&g)),
            DType::F64 => conv::forward_work::<f64>(&g, call.isa),
            _ => conv::forward_work::<f32>(&g, call.isa),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, self.how.groups) {
            let one = Self { how: self.how.alone() };
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| one.work(c), |c, phase, chunk| one.cpu(c, phase, chunk)) };
        }
        let (x, w, y) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = geometry(&self.how.windows, [x, w, y].map(|v| v.dims()));
        // SAFETY: dense tensors of the geometry; scratch and chunks are what `work` said.
        unsafe {
            match y.dtype {
                DType::I32 => integers::forward(&g, x.as_ptr(), w.as_ptr(), y.as_ptr(), chunk),
                DType::F64 => forward::<f64>(call, &g, phase, chunk),
                _ => forward::<f32>(call, &g, phase, chunk),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let views = [&call.inputs[0], &call.inputs[1], &call.outputs[0]];
        let g = geometry(&self.how.windows, views.map(|v| v.dims()));
        // SAFETY: dense tensors of the geometry.
        unsafe { cuda::conv_forward(call, &g, self.how.groups, views) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, needs: &[bool]) -> Saves {
        saved(needs)
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        if g.needs(0) {
            let dx = input_gradient(&self.how, g.input(1)?, &dy, &g.input_type(0).shape)?;
            g.give(0, dx);
        }
        if g.needs(1) {
            let dw = filter_gradient(&self.how, g.input(0)?, &dy, &g.input_type(1).shape)?;
            g.give(1, dw);
        }
        Ok(())
    }
}

/// Each factor's gradient reads the other factor.
fn saved(needs: &[bool]) -> Saves {
    match (needs[0], needs[1]) {
        (true, true) => Saves::inputs(&[0, 1]),
        (true, false) => Saves::inputs(&[1]),
        _ => Saves::inputs(&[0]),
    }
}

/// # Safety
/// As `Op::cpu`, for a call in `T`.
unsafe fn forward<T: Float + kernels::dtype::Element>(call: &CpuCall<'_>, g: &ConvGeometry, phase: usize, chunk: usize) {
    let [x, w] = [call.inputs[0].as_ptr::<T>(), call.inputs[1].as_ptr::<T>()];
    // SAFETY: by the caller's promise.
    unsafe { conv::forward::<T>(call.isa, g, x, w, call.outputs[0].as_ptr(), call.scratch, phase, chunk) }
}

/// The geometry of a convolution of images `x` with filters `w` to `y`, which the gradients have as well.
fn geometry(windows: &Windows, [x, w, y]: [&[usize]; 3]) -> ConvGeometry {
    let [stride_h, stride_w] = windows.strides.map(|n| n as usize);
    let [dilation_h, dilation_w] = windows.dilations.map(|n| n as usize);
    ConvGeometry {
        batch: x[0],
        in_h: x[1],
        in_w: x[2],
        in_c: x[3],
        out_h: y[1],
        out_w: y[2],
        out_c: y[3],
        k_h: w[0],
        k_w: w[1],
        stride_h,
        stride_w,
        dilation_h,
        dilation_w,
        pad_top: windows.before(0, x[1], w[0], y[1]),
        pad_left: windows.before(1, x[2], w[1], y[2]),
    }
}

fn output_shape(how: &How, x: &Shape, w: &Shape) -> Result<Shape> {
    let windows = &how.windows;
    check_images("conv2d", x)?;
    if w.rank() != 4 {
        return Err(Error::invalid_argument("conv2d", "the filters have the wrong number of dimensions")
            .got(w)
            .expected("four: rows, columns, input channels, output channels"));
    }
    check_window("conv2d", [w.dim(0), w.dim(1)])?;
    let outputs_fit = w.dim(3).known_value().is_none_or(|outputs| outputs.is_multiple_of(how.groups));
    if let (Some(channels), Some(own)) = (x.dim(3).known_value(), w.dim(2).known_value())
        && (channels != own * how.groups || !outputs_fit)
    {
        return Err(Error::invalid_argument("conv2d", "the filters do not fit the channels of the images")
            .got(format!("images {x}, filters {w}"))
            .expected(format!("filters of {channels} input channels, or of a number that divides them (groups)")));
    }
    for axis in [0, 1] {
        windows.check_fits("conv2d", axis, x.dim(axis + 1), w.dim(axis))?;
    }
    let size = |axis: usize| windows.output(axis, x.dim(axis + 1), w.dim(axis));
    Shape::from_dims(&[x.dim(0), size(0), size(1), w.dim(3)]).map_err(|e| e.in_op("conv2d"))
}

#[track_caller]
fn input_gradient(how: &How, w: &Tensor, dy: &Tensor, shape: &Shape) -> Result<Tensor> {
    execute1(&InputGradient { how: how.clone(), shape: *shape }, &[w, dy])
}

#[track_caller]
fn filter_gradient(how: &How, x: &Tensor, dy: &Tensor, shape: &Shape) -> Result<Tensor> {
    execute1(&FilterGradient { how: how.clone(), shape: *shape }, &[x, dy])
}

/// The convolution with as many groups as the caller knows of, or as channels and filters tell.
#[track_caller]
fn convolve(x: &Tensor, w: &Tensor, windows: Windows, groups: Option<usize>) -> Result<Tensor> {
    let how = How { windows, groups: groups.or_else(|| groups_of(x.shape(), w.shape())).unwrap_or(1) };
    if how.groups > 1 && x.rank() == 4 {
        // Where the channels are not known yet, they will have to be these.
        let x = reshape_to(x, &x.shape().with(3, w.shape().dim(2) * how.groups)?)?;
        return execute1(&Conv2d { how }, &[&x, w]);
    }
    execute1(&Conv2d { how }, &[x, w])
}

/// How many times the channels of the filters go into those of the images, if that is known.
fn groups_of(x: &Shape, w: &Shape) -> Option<usize> {
    if x.rank() != 4 || w.rank() != 4 {
        return None;
    }
    let [channels, own, outputs] = [x.dim(3), w.dim(2), w.dim(3)].map(Dim::known_value);
    let groups = channels?.checked_div(own?)?;
    (groups > 0 && channels? == own? * groups && outputs? % groups == 0).then_some(groups)
}

/// The convolution of a layer, which knows the number of groups also where the images' channels are not known.
#[track_caller]
pub(crate) fn conv2d_in_groups(
    x: &Tensor,
    w: &Tensor,
    [strides, dilations]: [Pair; 2],
    padding: Padding,
    groups: usize,
) -> Result<Tensor> {
    let windows = Windows::new("conv2d", strides, dilations, padding)?;
    convolve(x, w, windows, Some(groups))
}

public! {
    /// The convolution of images (batch, rows, columns, channels) with filters (rows, columns, input channels, output
    /// channels), which slide by `strides`.
    ///
    /// Floats and `int32`; 16-bit floats are added up in `f32`. Filters with fewer input channels than the images, of
    /// which they must be a divisor, work on groups of channels.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let image = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 4.0]), [1, 2, 2, 1]);
    /// let sum = tf::conv2d(&image, &tf::ones([2, 2, 1, 1]), 1, tf::Padding::Valid);
    /// assert_eq!(sum.to_vec::<f32>(), [10.0]);
    /// ```
    pub fn conv2d, try_conv2d(x, filters: impl AsTensor, strides: impl Into<Pair>, padding: Padding) -> Tensor {
        let windows = Windows::new("conv2d", strides.into(), Pair::from(1), padding)?;
        convolve(x, &filters.as_tensor(), windows, None)
    }

    /// [`conv2d`] whose filters read every `dilations`-th row and column of the images: TensorFlow's `dilations`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 5, 5, 1]), tf::ones([2, 2, 1, 1]));
    /// assert_eq!(tf::conv2d_dilated(&x, &w, 1, tf::Padding::Valid, 3).shape(), [1, 2, 2, 1]);
    /// ```
    pub fn conv2d_dilated, try_conv2d_dilated(
        x,
        filters: impl AsTensor,
        strides: impl Into<Pair>,
        padding: Padding,
        dilations: impl Into<Pair>
    ) -> Tensor {
        let windows = Windows::new("conv2d", strides.into(), dilations.into(), padding)?;
        convolve(x, &filters.as_tensor(), windows, None)
    }
}

/// The shape that a gradient operation gives must fit its other operands as those of the convolution did.
fn check_gradient(op: &str, how: &How, x: &Shape, w: &Shape, dy: &Shape) -> Result<()> {
    let wanted = output_shape(how, x, w).map_err(|e| e.in_op(op))?;
    let differs = |a: Dim, b: Dim| !a.can_equal(b);
    if dy.rank() != 4 || dy.iter().zip(wanted.iter()).any(|(a, b)| differs(a, b)) {
        return Err(Error::invalid_argument(op, "the cotangent has not the shape of the convolution")
            .got(dy)
            .expected(wanted));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
