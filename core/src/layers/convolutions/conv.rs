//! `Conv1D`, `Conv2D`, `Conv3D`: filters that slide over sequences, images and volumes, then a bias and an activation.
//! Models hold them as fields; the kernel is made when the first input tells its channels.

use super::{Finish, filters, finishing_options, new_bias};
use crate::initializers::GlorotUniform;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, weights};
use crate::layers::spatial::{Slide, sliding_options};
use engine::library::Typed;
use engine::library::options;
use engine::{Duplicate, Fields, Module, PerAxis, Tensor, TensorType, Variable};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// Writes the layer for a number of spatial axes.
macro_rules! convolution {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal), kernel $kernel:literal, sizes $sizes:literal, build $new:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            filters: usize,
            #[module(value)]
            slide: Slide,
            groups: usize,
            finish: Finish,
            kernel: Weight,
            bias: Weight,
        }

        layer!($layer);

        weights! { $layer:
            kernel, "kernel" => kernel_initializer, try_kernel_initializer, kernel_regularizer, try_kernel_regularizer, kernel_constraint, try_kernel_constraint;
        }

        finishing_options!($layer, "filters");
        sliding_options!($layer);
        buildable!($layer, $new, $example, 2);

        options::options! { $layer:
            /// Into how many groups the channels are divided, 1 unless set; each group of filters sees one. Filters and channels must
            /// divide into them.
            pub fn groups, try_groups(this, groups: usize) {
                this.groups = options::count(stringify!($layer), "groups", groups)?;
                this.checked()
            }
        }

        impl $layer {
            #[doc = concat!("A layer of `filters` filters of `kernel_size` ", $sizes, ".")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(filters: usize, kernel_size: impl Into<PerAxis>) -> Self {
                Self::try_new(filters, kernel_size).or_fail()
            }

            #[doc = concat!("A layer of `filters` filters of `kernel_size` ", $sizes, ", of which there may be too few.")]
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
                    groups: 1,
                    finish: Finish::new()?,
                    kernel: Weight::new("kernel", GlorotUniform::new()),
                    bias: new_bias(),
                })
            }

            #[doc = concat!("The kernel `[", $kernel, ", input channels / groups, filters]`, once it is built.")]
            pub fn kernel(&self) -> Option<&Variable> {
                self.kernel.get()
            }

            /// The layer, if its options are possible.
            fn checked(self) -> Result<Self> {
                let slide = self.slide.checked(stringify!($layer))?;
                check_groups(stringify!($layer), self.filters, self.groups)?;
                Ok(Self { slide, ..self })
            }

            /// The variables for an input of a type, made if this is the first one.
            #[track_caller]
            fn make(&self, x: &TensorType) -> Result<()> {
                kernel_for(&self.core, &self.kernel, &self.slide, self.groups, self.filters, x)?;
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
                let kernel = core.read(kernel_for(core, &self.kernel, slide, self.groups, self.filters, x.ty())?)?;
                let y = engine::library::conv_in_groups($axes, &slide.padded(x)?, &kernel, &slide.how(), self.groups)?;
                self.finish.apply(core, &self.bias, self.filters, y, slide.format())
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.filters, self.slide, self.groups, self.finish.word()));
                fields.field("kernel", &self.kernel);
                if self.finish.use_bias {
                    fields.field("bias", &self.bias);
                }
            }
        }
    };
}

convolution! {
    /// A convolution over sequences `[batch, steps, channels]`.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, one group, channels last, no activation, a bias that starts
    /// at zero and a kernel from [`GlorotUniform`]. The padding may be causal, so that no output knows of later steps.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Conv1D;
    /// let conv = Conv1D::new(16, 3).padding("causal").dilation_rate(2).activation("relu");
    /// assert_eq!(conv.call(tf::ones([4, 10, 8])).shape(), [4, 10, 16]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [3, 8, 16]);
    /// ```
    Conv1D("conv1d", 1), kernel "steps", sizes "steps", build "Conv1D::new(8, 3)", "[1, 20, 4]"
}

convolution! {
    /// A convolution over images `[batch, rows, columns, channels]`.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, one group, channels last, no activation, a bias that starts
    /// at zero and a kernel from [`GlorotUniform`]. Explicit padding is a possibility more.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Conv2D;
    /// let conv = Conv2D::new(32, 3).padding(tf::Padding::Same).activation("relu");
    /// assert_eq!(conv.call(&tf::ones([4, 8, 8, 1])).shape(), [4, 8, 8, 32]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [3, 3, 1, 32]);
    /// ```
    Conv2D("conv2d", 2), kernel "rows, columns", sizes "rows and columns, which may be one number or two", build "Conv2D::new(8, 3)", "[1, 28, 28, 1]"
}

convolution! {
    /// A convolution over volumes `[batch, planes, rows, columns, channels]`.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, one group, channels last, no activation, a bias that starts
    /// at zero and a kernel from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Conv3D;
    /// let conv = Conv3D::new(8, [1, 3, 3]).strides(2);
    /// assert_eq!(conv.call(tf::ones([1, 4, 7, 7, 2])).shape(), [1, 2, 3, 3, 8]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [1, 3, 3, 2, 8]);
    /// ```
    Conv3D("conv3d", 3), kernel "planes, rows, columns", sizes "planes, rows and columns, which may be one number or three", build "Conv3D::new(8, 3)", "[1, 6, 6, 6, 1]"
}

/// An error where filters do not divide into groups.
fn check_groups(layer: &str, filters: usize, groups: usize) -> Result<()> {
    match filters.is_multiple_of(groups) {
        true => Ok(()),
        false => Err(Error::invalid_argument(layer, "the filters do not divide into the groups")
            .got(format!("{filters} filters, {groups} groups"))
            .expected("a multiple of the groups")),
    }
}

/// The kernel, made for the input's channels if this is the first input.
#[track_caller]
fn kernel_for<'a>(
    core: &Core,
    kernel: &'a Weight,
    slide: &Slide,
    groups: usize,
    filters: usize,
    x: &TensorType,
) -> Result<&'a Variable> {
    let batch = slide.batch;
    batch.check_type(core, x)?;
    if let Some(kernel) = kernel.get() {
        let own = kernel.shape();
        batch.check_channels(core, x, own.dim(batch.axes).known_value().unwrap_or(0) * groups, &own)?;
        return Ok(kernel);
    }
    let channels = batch.known_channels(core, x)?;
    if !channels.is_multiple_of(groups) {
        return Err(Error::invalid_argument(core.name(), "the channels do not divide into the groups")
            .got(format!("{channels} channels, {groups} groups"))
            .expected("a multiple of the groups"));
    }
    kernel.make(core, &slide.kernel_shape([channels / groups, filters]))
}
