//! `DepthwiseConv1D`, `DepthwiseConv2D`: filters of their own for each channel, then a bias and an activation.
//! Models hold them as fields; `separable` has the convolution in it too.

use super::{Finish, finishing_options, new_bias};
use crate::initializers::GlorotUniform;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, weights};
use crate::layers::spatial::{Slide, sliding_options};
use engine::library::Typed;
use engine::library::{options, reshape_to};
use engine::{Duplicate, Fields, Module, PerAxis, Tensor, TensorType, Variable};
use kernels::error::{OrFail, Result};
use kernels::shape::Shape;
use std::panic::Location;

/// Writes the layer for a number of spatial axes.
macro_rules! depthwise {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal), kernel $kernel:literal, sizes $sizes:literal, build $new:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            #[module(value)]
            slide: Slide,
            depth_multiplier: usize,
            finish: Finish,
            kernel: Weight,
            bias: Weight,
        }

        layer!($layer);

        weights! { $layer:
            kernel, "kernel" => depthwise_initializer, try_depthwise_initializer, depthwise_regularizer, try_depthwise_regularizer, depthwise_constraint, try_depthwise_constraint;
        }

        finishing_options!($layer, "input channels * depth_multiplier");
        sliding_options!($layer);
        buildable!($layer, $new, $example, 2);

        options::options! { $layer:
            /// How many filters each channel has, and so how many channels of the output there are for one of the input. 1 unless set.
            pub fn depth_multiplier, try_depth_multiplier(this, multiplier: usize) {
                this.depth_multiplier = options::count(stringify!($layer), "depth_multiplier", multiplier)?;
                Ok(this)
            }
        }

        impl $layer {
            #[doc = concat!("A layer whose filters have `kernel_size` ", $sizes, ".")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(kernel_size: impl Into<PerAxis>) -> Self {
                Self::try_new(kernel_size).or_fail()
            }

            #[doc = concat!("A layer whose filters have `kernel_size` ", $sizes, ", of which there may be too few.")]
            ///
            /// # Errors
            /// InvalidArgument for a kernel without cells.
            #[track_caller]
            pub fn try_new(kernel_size: impl Into<PerAxis>) -> Result<Self> {
                let (here, layer) = (Location::caller(), stringify!($layer));
                Ok(Self {
                    core: Core::new($kind),
                    slide: Slide::new(layer, $axes, kernel_size.into()).map_err(|e| e.at(here))?,
                    depth_multiplier: 1,
                    finish: Finish::new()?,
                    kernel: Weight::new("kernel", GlorotUniform::new()),
                    bias: new_bias(),
                })
            }

            #[doc = concat!("The kernel `[", $kernel, ", input channels, depth_multiplier]`, once it is built.")]
            pub fn kernel(&self) -> Option<&Variable> {
                self.kernel.get()
            }

            /// The layer, if its options are possible.
            fn checked(self) -> Result<Self> {
                let slide = self.slide.checked(stringify!($layer))?;
                slide.padding.plain(stringify!($layer))?;
                Ok(Self { slide, ..self })
            }

            /// The variables for an input of a type, made if this is the first one.
            #[track_caller]
            fn make(&self, x: &TensorType) -> Result<()> {
                let (_, channels) = kernel_for(&self.core, &self.kernel, &self.slide, self.depth_multiplier, x)?;
                self.finish.make(&self.core, &self.bias, channels * self.depth_multiplier)
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Refuses
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
                let (core, slide, x) = (&self.core, &self.slide, &inputs[0]);
                let (kernel, channels) = kernel_for(core, &self.kernel, slide, self.depth_multiplier, x.ty())?;
                let y = convolved(slide, x, &core.read(kernel)?, channels, self.depth_multiplier)?;
                self.finish.apply(core, &self.bias, channels * self.depth_multiplier, y, slide.format())
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.slide, self.depth_multiplier, self.finish.word()));
                fields.field("kernel", &self.kernel);
                if self.finish.use_bias {
                    fields.field("bias", &self.bias);
                }
            }
        }
    };
}

depthwise! {
    /// A depthwise convolution over sequences `[batch, steps, channels]`: each channel has filters of its own.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, one filter for each channel, channels last, no activation, a bias
    /// that starts at zero and a kernel from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::DepthwiseConv1D;
    /// let conv = DepthwiseConv1D::new(3).depth_multiplier(2);
    /// assert_eq!(conv.call(tf::ones([4, 10, 8])).shape(), [4, 8, 16]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [3, 8, 2]);
    /// ```
    DepthwiseConv1D("depthwise_conv1d", 1), kernel "steps", sizes "steps", build "DepthwiseConv1D::new(3)", "[1, 20, 4]"
}

depthwise! {
    /// A depthwise convolution over images `[batch, rows, columns, channels]`: each channel has filters of its own.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, one filter for each channel, channels last, no activation, a bias
    /// that starts at zero and a kernel from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::DepthwiseConv2D;
    /// let conv = DepthwiseConv2D::new(3).padding("same").activation("relu6");
    /// assert_eq!(conv.call(tf::ones([4, 10, 10, 8])).shape(), [4, 10, 10, 8]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [3, 3, 8, 1]);
    /// ```
    DepthwiseConv2D("depthwise_conv2d", 2), kernel "rows, columns", sizes "rows and columns, which may be one number or two", build "DepthwiseConv2D::new(3)", "[1, 28, 28, 4]"
}

/// The kernel with the number of channels, made for the input if this is the first one.
#[track_caller]
pub(super) fn kernel_for<'a>(
    core: &Core,
    kernel: &'a Weight,
    slide: &Slide,
    multiplier: usize,
    x: &TensorType,
) -> Result<(&'a Variable, usize)> {
    let batch = slide.batch;
    batch.check_type(core, x)?;
    if let Some(kernel) = kernel.get() {
        let own = kernel.shape();
        let channels = own.dim(batch.axes).known_value().unwrap_or(0);
        batch.check_channels(core, x, channels, &own)?;
        return Ok((kernel, channels));
    }
    let channels = batch.known_channels(core, x)?;
    Ok((kernel.make(core, &slide.kernel_shape([channels, multiplier]))?, channels))
}

/// The convolution of each channel, which is one in as many groups as there are channels.
#[track_caller]
pub(super) fn convolved(
    slide: &Slide,
    x: &Tensor,
    kernel: &Tensor,
    channels: usize,
    multiplier: usize,
) -> Result<Tensor> {
    let filters = reshape_to(kernel, &Shape::new(&slide.kernel_shape([1, channels * multiplier]))?)?;
    engine::library::conv_in_groups(slide.batch.axes, x, &filters, &slide.how(), channels)
}
