//! `conv2d` and `conv3d`: each output is the sum of a window times a filter; dx and dw are convolutions of their own (`gradients`).
//! TensorFlow's `tf.nn.conv2d`; floats, and `int32` images; groups where the filters have fewer channels than the input.

mod gradients;
mod integers;

use super::sliding::Sliding;
use super::window::{Padding, Pair, Windows, check_batch, check_window};
use super::convolution::convolved;
use super::{AsTensor, public, reshape_to};
use kernels::backend::cpu::conv::{self, ConvGeometry, Float, depthwise};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall};
use kernels::config::winograd_convolutions_enabled;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves};
use kernels::shape::{Dim, Shape};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use gradients::{FilterGradient, InputGradient};
use smallvec::SmallVec;

/// Inputs: images and filters (rows, columns, input channels, output channels), or volumes and filters with planes before rows.
#[derive(Clone)]
pub(crate) struct Conv2d {
    how: How,
}

/// How filters move over images, and how many groups of channels there are, each with filters of its own.
#[derive(Clone)]
pub(crate) struct How {
    windows: Windows,
    groups: usize,
    /// Whether Winograd's transforms may be used; the gradients do as the convolution did.
    winograd: bool,
}

impl How {
    /// As the process is set now.
    fn new(windows: Windows, groups: usize) -> Self {
        Self { windows, groups, winograd: winograd_convolutions_enabled() }
    }

    /// Into how many groups the operands of the CPU's kernels are laid apart: those of integers know no groups.
    fn apart(&self, y: &View) -> usize {
        if y.dtype == DType::I32 { self.groups } else { 1 }
    }

    /// The same for one of so many groups.
    fn one_of(&self, groups: usize) -> Self {
        Self { groups: self.groups / groups, ..self.clone() }
    }

    /// Whether each channel of images has filters of its own.
    fn by_depth(&self, g: &ConvGeometry) -> bool {
        self.groups > 1 && g.in_c == self.groups && g.planes().is_flat()
    }

    /// The name of an operation over images or volumes.
    fn named(&self, images: &'static str, volumes: &'static str) -> &'static str {
        if self.windows.axes() == 2 { images } else { volumes }
    }
}

/// What is convolved; 16-bit floats are added up in f32.
const COMPUTED: DTypes = DTypes::of(&[DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32]);

/// The attributes of a convolution and of its gradients, for `identity!`.
macro_rules! conv_identity {
    ($images:literal $volumes:literal $(, $attr:literal: $kind:ident = |$this:ident| $value:expr)*) => {
        $crate::op::identity!(|this| this.how.named($images, $volumes), {
            "strides": Ints = |this| &this.how.windows.strides,
            "dilations": Ints = |this| &this.how.windows.dilations,
            "padding": Ints = |this| &this.how.windows.padding,
            "same": Bool = |this| this.how.windows.same,
            "groups": Int = |this| this.how.groups as i64,
            "winograd": Bool = |this| this.how.winograd,
            $($attr: $kind = |$this| $value,)*
        });
    };
}
use conv_identity;

impl Op for Conv2d {
    conv_identity!("conv2d" "conv3d");

    fn kind(&self) -> Kind {
        Kind::Contraction
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        let axes = self.how.windows.axes();
        cx.check_dtype(0, if axes == 2 { COMPUTED } else { DTypes::FLOATING })?;
        let shape = output_shape(&self.how, cx.shape(0), cx.shape(1))?;
        let (channels, wanted) = (cx.shape(0).dim(axes + 1), cx.shape(1).dim(axes) * self.how.groups);
        if channels != wanted {
            cx.constraints.push(channels, wanted);
        }
        cx.output(cx.dtype(0), shape);
        Ok(())
    }

    fn may_refuse_sizes(&self, inputs: &[&TensorType]) -> bool {
        let filters = &inputs[1].shape;
        self.how.windows.may_not_fit(&inputs[0].shape, filters.iter().take(self.how.windows.axes()))
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let views = [&call.inputs[0], &call.inputs[1], &call.outputs[0]];
        let apart = self.how.apart(&call.outputs[0]);
        if let Some(staged) = Staged::new(call, apart) {
            let one = Self { how: self.how.one_of(apart) };
            return staged.work(|call| one.work(call));
        }
        let g = geometry(&self.how, views);
        match call.outputs[0].dtype {
            DType::F64 if self.how.by_depth(&g) => depthwise::forward_work::<f64>(&g.planes()),
            _ if self.how.by_depth(&g) => depthwise::forward_work::<f32>(&g.planes()),
            DType::I32 => Work::chunks(integers::chunks(&g)),
            DType::F64 => conv::forward_work::<f64>(&g.in_groups(self.how.groups), call.isa),
            _ => conv::forward_work::<f32>(&g.in_groups(self.how.groups), call.isa),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let apart = self.how.apart(&call.outputs[0]);
        if let Some(staged) = Staged::new(call, apart) {
            let one = Self { how: self.how.one_of(apart) };
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| one.work(c), |c, phase, chunk| one.cpu(c, phase, chunk)) };
        }
        let (x, w, y) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let g = geometry(&self.how, [x, w, y]);
        // SAFETY: dense tensors of the geometry; scratch and chunks are what `work` said.
        unsafe {
            match y.dtype {
                DType::F64 if self.how.by_depth(&g) => by_depth::<f64>(call, &g, phase, chunk),
                _ if self.how.by_depth(&g) => by_depth::<f32>(call, &g, phase, chunk),
                DType::I32 => integers::forward(&g, x.as_ptr(), w.as_ptr(), y.as_ptr(), chunk),
                DType::F64 => forward::<f64>(call, &g.in_groups(self.how.groups), phase, chunk),
                _ => forward::<f32>(call, &g.in_groups(self.how.groups), phase, chunk),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let views = [&call.inputs[0], &call.inputs[1], &call.outputs[0]];
        let g = geometry(&self.how, views);
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

/// # Safety
/// As [`forward`], for filters of each channel.
unsafe fn by_depth<T: Float + kernels::dtype::Element>(call: &CpuCall<'_>, g: &ConvGeometry, phase: usize, chunk: usize) {
    let [x, w] = [call.inputs[0].as_ptr::<T>(), call.inputs[1].as_ptr::<T>()];
    // SAFETY: by the caller's promise.
    unsafe { depthwise::forward::<T>(call.isa, &g.planes(), x, w, call.outputs[0].as_ptr(), call.scratch, phase, chunk) }
}

/// The geometry of a convolution of images `x` with filters `w` to `y`, which the gradients have as well.
fn geometry(how: &How, views: [&View; 3]) -> ConvGeometry {
    let windows = &how.windows;
    let [x, w, y] = views.map(|view| view.dims());
    let axes = windows.axes();
    // Images are volumes of one plane.
    let flat = 3 - axes;
    let sizes = |dims: &[usize]| [0, 1, 2].map(|i| if i < flat { 1 } else { dims[i - flat] });
    let steps = |steps: &[i64]| [0, 1, 2].map(|i| if i < flat { 1 } else { steps[i - flat] as usize });
    let [ins, kernel, outs] = [sizes(&x[1..]), sizes(w), sizes(&y[1..])];
    let [pad_front, pad_top, pad_left] =
        [0, 1, 2].map(|i| if i < flat { 0 } else { windows.before(i - flat, ins[i], kernel[i], outs[i]) });
    let ([in_d, in_h, in_w], [k_d, k_h, k_w], [out_d, out_h, out_w]) = (ins, kernel, outs);
    let ([stride_d, stride_h, stride_w], [dilation_d, dilation_h, dilation_w]) =
        (steps(&windows.strides), steps(&windows.dilations));
    ConvGeometry {
        batch: x[0],
        in_d,
        in_h,
        in_w,
        in_c: x[axes + 1],
        out_d,
        out_h,
        out_w,
        out_c: y[axes + 1],
        k_d,
        k_h,
        k_w,
        stride_d,
        stride_h,
        stride_w,
        dilation_d,
        dilation_h,
        dilation_w,
        pad_front,
        pad_top,
        pad_left,
        groups: 1,
        winograd: how.winograd,
    }
}

fn output_shape(how: &How, x: &Shape, w: &Shape) -> Result<Shape> {
    let windows = &how.windows;
    let (op, axes) = (how.named("conv2d", "conv3d"), windows.axes());
    check_batch(op, x, axes)?;
    if w.rank() != axes + 2 {
        let expected = match axes {
            2 => "four: rows, columns, input channels, output channels",
            _ => "five: planes, rows, columns, input channels, output channels",
        };
        return Err(Error::invalid_argument(op, "the filters have the wrong number of dimensions").got(w).expected(expected));
    }
    check_window(op, &w.sizes()[..axes])?;
    let outputs_fit = w.dim(axes + 1).known_value().is_none_or(|outputs| outputs.is_multiple_of(how.groups));
    if let (Some(channels), Some(own)) = (x.dim(axes + 1).known_value(), w.dim(axes).known_value())
        && (channels != own * how.groups || !outputs_fit)
    {
        return Err(Error::invalid_argument(op, "the filters do not fit the channels of the images")
            .got(format!("images {x}, filters {w}"))
            .expected(format!("filters of {channels} input channels, or of a number that divides them (groups)")));
    }
    let mut sizes = *x;
    for axis in 0..axes {
        windows.check_fits(op, axis, x.dim(axis + 1), w.dim(axis))?;
        let size = windows.output(axis, x.dim(axis + 1), w.dim(axis));
        sizes = sizes.with(axis + 1, size).map_err(|e| e.in_op(op))?;
    }
    sizes.with(axes + 1, w.dim(axes + 1)).map_err(|e| e.in_op(op))
}

/// What a convolution to `x` owes to its input, which has this shape: a transposed convolution.
#[track_caller]
pub(super) fn transposed(op: &str, windows: Windows, w: &Tensor, x: &Tensor, shape: &Shape) -> Result<Tensor> {
    let how = How::new(windows, groups_of(shape, w.shape()).unwrap_or(1));
    let made = output_shape(&how, shape, w.shape())?;
    if x.shape().iter().zip(made.iter()).any(|(a, b)| !a.can_equal(b)) {
        return Err(Error::invalid_argument(op, "a convolution from the output shape does not give the input's")
            .got(format!("an input of {}, where a batch of {shape} with filters of {} gives {made}", x.shape(), w.shape()))
            .expected("an output shape that these strides, this padding and these filters make the input's sizes of"));
    }
    execute1(&InputGradient { how, shape: *shape }, &[w, x])
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
pub(super) fn convolve(x: &Tensor, w: &Tensor, windows: Windows, groups: Option<usize>) -> Result<Tensor> {
    let how = How::new(windows, groups.or_else(|| groups_of(x.shape(), w.shape())).unwrap_or(1));
    let axes = how.windows.axes();
    if how.groups > 1 && x.rank() == axes + 2 {
        // Where the channels are not known yet, they will have to be these.
        let x = reshape_to(x, &x.shape().with(axes + 1, w.shape().dim(axes) * how.groups)?)?;
        return execute1(&Conv2d { how }, &[&x, w]);
    }
    execute1(&Conv2d { how }, &[x, w])
}

/// How many times the channels of the filters go into those of the images, if that is known.
fn groups_of(x: &Shape, w: &Shape) -> Option<usize> {
    let last = x.rank().checked_sub(1).filter(|&last| last >= 3 && w.rank() == x.rank())?;
    let [channels, own, outputs] = [x.dim(last), w.dim(last - 1), w.dim(last)].map(Dim::known_value);
    let groups = channels?.checked_div(own?)?;
    (groups > 0 && channels? == own? * groups && outputs? % groups == 0).then_some(groups)
}

public! {
    /// The convolution of images (batch, rows, columns, channels) with filters (rows, columns, input channels, output
    /// channels), which slide by `strides`.
    ///
    /// Floats and `int32`; 16-bit floats are added up in `f32`. Several dimensions before the rows are one batch. Filters with fewer input channels than the images, of
    /// which they must be a divisor, work on groups of channels.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let image = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 4.0]), [1, 2, 2, 1]);
    /// let sum = tf::conv2d(&image, &tf::ones([2, 2, 1, 1]), 1, tf::Padding::Valid);
    /// assert_eq!(sum.to_vec::<f32>(), [10.0]);
    /// ```
    pub fn conv2d, try_conv2d(x, filters: impl AsTensor, strides: impl Into<Pair>, padding: Padding) -> Tensor {
        convolved("conv2d", 2, x, &filters.as_tensor(), &Sliding::new(strides.into(), padding))
    }

    /// [`conv2d`] with all that TensorFlow's takes: where the channels lie, and dilations.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 1, 5, 5]), tf::ones([2, 2, 1, 4]));
    /// let how = tf::Sliding::new(1, tf::Padding::Valid).data_format(tf::DataFormat::ChannelsFirst).dilations(3);
    /// assert_eq!(tf::conv2d_with(&x, &w, how).shape(), [1, 4, 2, 2]);
    /// ```
    pub fn conv2d_with, try_conv2d_with(x, filters: impl AsTensor, how: Sliding) -> Tensor {
        convolved("conv2d", 2, x, &filters.as_tensor(), &how)
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
        let how = Sliding::new(strides.into(), padding).dilations(dilations.into());
        convolved("conv2d", 2, x, &filters.as_tensor(), &how)
    }

    /// [`conv2d`] whose filters read every `rate`-th row and column. TensorFlow's `tf.nn.atrous_conv2d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 5, 5, 1]), tf::ones([2, 2, 1, 1]));
    /// assert_eq!(tf::atrous_conv2d(&x, &w, 3, tf::Padding::Valid).shape(), [1, 2, 2, 1]);
    /// ```
    pub fn atrous_conv2d, try_atrous_conv2d(x, filters: impl AsTensor, rate: impl Into<Pair>, padding: Padding) -> Tensor {
        let how = Sliding::new(1, padding).dilations(rate.into());
        convolved("atrous_conv2d", 2, x, &filters.as_tensor(), &how)
    }
}

/// The shape that a gradient operation gives must fit its other operands as those of the convolution did. The sizes that have to be
/// equal, in pairs.
fn check_gradient(op: &str, how: &How, x: &Shape, w: &Shape, dy: &Shape) -> Result<SmallVec<[(Dim, Dim); 6]>> {
    let wanted = output_shape(how, x, w).map_err(|e| e.in_op(op))?;
    if dy.rank() != wanted.rank() || dy.iter().zip(wanted.iter()).any(|(a, b)| !a.can_equal(b)) {
        return Err(Error::invalid_argument(op, "the cotangent has not the shape of the convolution")
            .got(dy)
            .expected(wanted));
    }
    let axes = how.windows.axes();
    let channels = (x.dim(axes + 1), w.dim(axes) * how.groups);
    Ok(dy.iter().zip(wanted.iter()).chain([channels]).collect())
}

#[cfg(test)]
mod tests;
