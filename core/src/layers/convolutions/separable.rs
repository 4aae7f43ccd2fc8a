//! `SeparableConv1D`, `SeparableConv2D`: a depthwise convolution and one of single cells that mixes its channels.
//! Models hold them as fields; both kernels are made when the first input tells its channels.

use super::depthwise::{convolved, kernel_for};
use super::{Finish, filters, finishing_options, new_bias};
use crate::initializers::GlorotUniform;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, weights};
use crate::layers::spatial::{Slide, sliding_options};
use engine::library::Typed;
use engine::library::options;
use engine::{Duplicate, Fields, Module, PerAxis, Tensor, TensorType, Variable};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Writes the layer for a number of spatial axes.
macro_rules! separable {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal), kernel $kernel:literal, ones $ones:literal, sizes $sizes:literal, build $new:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            filters: usize,
            #[module(value)]
            slide: Slide,
            depth_multiplier: usize,
            finish: Finish,
            depthwise: Weight,
            pointwise: Weight,
            bias: Weight,
        }

        layer!($layer);

        weights! { $layer:
            depthwise, "kernel of the depthwise convolution" => depthwise_initializer, try_depthwise_initializer, depthwise_regularizer, try_depthwise_regularizer, depthwise_constraint, try_depthwise_constraint;
            pointwise, "kernel that mixes the channels" => pointwise_initializer, try_pointwise_initializer, pointwise_regularizer, try_pointwise_regularizer, pointwise_constraint, try_pointwise_constraint;
        }

        finishing_options!($layer, "filters");
        sliding_options!($layer);
        buildable!($layer, $new, $example, 3);

        options::options! { $layer:
            /// How many filters each channel has in the depthwise convolution. 1 unless set.
            pub fn depth_multiplier, try_depth_multiplier(this, multiplier: usize) {
                this.depth_multiplier = options::count(stringify!($layer), "depth_multiplier", multiplier)?;
                Ok(this)
            }
        }

        impl $layer {
            #[doc = concat!("A layer with `filters` channels of output, whose depthwise filters have `kernel_size` ", $sizes, ".")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(filters: usize, kernel_size: impl Into<PerAxis>) -> Self {
                Self::try_new(filters, kernel_size).or_fail()
            }

            #[doc = concat!("A layer with `filters` channels of output, whose depthwise filters have `kernel_size` ", $sizes, ", of which there may be too few.")]
            ///
            /// # Errors
            /// InvalidArgument for no filters, or a kernel without cells.
            #[track_caller]
            pub fn try_new(filters: usize, kernel_size: impl Into<PerAxis>) -> Result<Self> {
                let (here, layer) = (Location::caller(), stringify!($layer));
                Ok(Self {
                    core: Core::new($kind),
                    filters: self::filters(layer, filters).map_err(|e| e.at(here))?,
                    slide: Slide::new(layer, $axes, kernel_size.into()).map_err(|e| e.at(here))?,
                    depth_multiplier: 1,
                    finish: Finish::new()?,
                    depthwise: Weight::new("depthwise_kernel", GlorotUniform::new()),
                    pointwise: Weight::new("pointwise_kernel", GlorotUniform::new()),
                    bias: new_bias(),
                })
            }

            #[doc = concat!("The kernel `[", $kernel, ", input channels, depth_multiplier]` of the depthwise convolution, once it is built.")]
            pub fn depthwise_kernel(&self) -> Option<&Variable> {
                self.depthwise.get()
            }

            #[doc = concat!("The kernel `[", $ones, ", input channels * depth_multiplier, filters]` that mixes the channels, once it is built.")]
            pub fn pointwise_kernel(&self) -> Option<&Variable> {
                self.pointwise.get()
            }

            /// The layer, if its options are possible.
            fn checked(self) -> Result<Self> {
                let slide = self.slide.checked(stringify!($layer))?;
                slide.padding.plain(stringify!($layer))?;
                Ok(Self { slide, ..self })
            }

            /// Both kernels and the number of channels, made for the input if this is the first one.
            #[track_caller]
            fn kernels_for(&self, x: &TensorType) -> Result<(&Variable, &Variable, usize)> {
                let (depthwise, channels) = kernel_for(&self.core, &self.depthwise, &self.slide, self.depth_multiplier, x)?;
                let mut shape = vec![1; $axes];
                shape.extend([channels * self.depth_multiplier, self.filters]);
                Ok((depthwise, self.pointwise.make(&self.core, &shape)?, channels))
            }

            /// The variables for an input of a type, made if this is the first one.
            #[track_caller]
            fn make(&self, x: &TensorType) -> Result<()> {
                self.kernels_for(x)?;
                self.finish.make(&self.core, &self.bias, self.filters)
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
                let (depthwise, pointwise, channels) = self.kernels_for(x.ty())?;
                let each = convolved(slide, x, &core.read(depthwise)?, channels, self.depth_multiplier)?;
                let y = engine::library::conv_in_groups($axes, &each, &core.read(pointwise)?, &slide.pixels(), 1)?;
                self.finish.apply(core, &self.bias, self.filters, y, slide.format())
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.filters, self.slide, self.depth_multiplier, self.finish.word()));
                fields.field("depthwise_kernel", &self.depthwise);
                fields.field("pointwise_kernel", &self.pointwise);
                if self.finish.use_bias {
                    fields.field("bias", &self.bias);
                }
            }
        }
    };
}

separable! {
    /// A separable convolution over sequences `[batch, steps, channels]`: filters of their own for each channel, then a product that mixes
    /// the channels at each step.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, one depthwise filter for each channel, channels last, no
    /// activation, a bias that starts at zero and kernels from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::SeparableConv1D;
    /// let conv = SeparableConv1D::new(16, 3).depth_multiplier(2);
    /// assert_eq!(conv.call(tf::ones([4, 10, 8])).shape(), [4, 8, 16]);
    /// assert_eq!(conv.depthwise_kernel().unwrap().shape(), [3, 8, 2]);
    /// assert_eq!(conv.pointwise_kernel().unwrap().shape(), [1, 16, 16]);
    /// ```
    SeparableConv1D("separable_conv1d", 1), kernel "steps", ones "1", sizes "steps", build "SeparableConv1D::new(8, 3)", "[1, 20, 4]"
}

separable! {
    /// A separable convolution over images `[batch, rows, columns, channels]`: filters of their own for each channel, then a product that
    /// mixes the channels of each pixel, as in [Xception](https://arxiv.org/abs/1610.02357).
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, one depthwise filter for each channel, channels last, no
    /// activation, a bias that starts at zero and kernels from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::SeparableConv2D;
    /// let conv = SeparableConv2D::new(16, 3).padding("same").use_bias(false);
    /// assert_eq!(conv.call(tf::ones([4, 10, 10, 8])).shape(), [4, 10, 10, 16]);
    /// assert_eq!(conv.depthwise_kernel().unwrap().shape(), [3, 3, 8, 1]);
    /// assert_eq!(conv.pointwise_kernel().unwrap().shape(), [1, 1, 8, 16]);
    /// ```
    SeparableConv2D("separable_conv2d", 2), kernel "rows, columns", ones "1, 1", sizes "rows and columns, which may be one number or two", build "SeparableConv2D::new(8, 3)", "[1, 28, 28, 4]"
}
