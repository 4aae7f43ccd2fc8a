//! `Conv1DTranspose`, `Conv2DTranspose`, `Conv3DTranspose`: convolutions turned around, which make inputs larger.
//! Models hold them as fields; the output's size follows from that of the input by Keras's rule, here.

use super::{Finish, filters, finishing_options, new_bias};
use crate::initializers::GlorotUniform;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, weights};
use crate::layers::spatial::{ConvPadding, Slide, sliding_options};
use engine::library::options;
use engine::library::{Along, Typed};
use engine::{Duplicate, Fields, Module, Padding, PerAxis, Tensor, TensorType, Variable};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// Writes the layer for a number of spatial axes.
macro_rules! transposed {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal), kernel $kernel:literal, sizes $sizes:literal, build $new:literal, $example:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            filters: usize,
            #[module(value)]
            slide: Slide,
            #[module(value)]
            output_padding: Option<PerAxis>,
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
            /// By how much the output is larger than the smallest from which a convolution gives the input: one number, or one for each axis,
            /// less than the strides there. Unless set, the output is the input's size times the strides, or with
            /// [`Padding::Valid`](crate::Padding::Valid) as much as the windows cover. Set the strides first.
            pub fn output_padding, try_output_padding(this, padding: impl Into<PerAxis>) {
                this.output_padding = Some(padding.into());
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
                    output_padding: None,
                    finish: Finish::new()?,
                    kernel: Weight::new("kernel", GlorotUniform::new()),
                    bias: new_bias(),
                })
            }

            #[doc = concat!("The kernel `[", $kernel, ", filters, input channels]`, once it is built.")]
            pub fn kernel(&self) -> Option<&Variable> {
                self.kernel.get()
            }

            /// The layer, if its options are possible.
            fn checked(self) -> Result<Self> {
                let layer = stringify!($layer);
                let slide = self.slide.checked(layer)?.without_explicit_padding(layer)?;
                slide.padding.plain(layer)?;
                let output_padding = self.output_padding.map(|more| check_more(layer, more, &slide)).transpose()?;
                Ok(Self { slide, output_padding, ..self })
            }

            /// The variables for an input of a type, made if this is the first one.
            #[track_caller]
            fn make(&self, x: &TensorType) -> Result<()> {
                kernel_for(&self.core, &self.kernel, &self.slide, self.filters, x)?;
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
                let kernel = core.read(kernel_for(core, &self.kernel, slide, self.filters, x.ty())?)?;
                let shape = output_shape(slide, self.output_padding, self.filters, x.shape())?;
                let y = engine::try_conv_transpose(x, &kernel, shape, slide.how())?;
                self.finish.apply(core, &self.bias, self.filters, y, slide.format())
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.filters, self.slide, self.output_padding, self.finish.word()));
                fields.field("kernel", &self.kernel);
                if self.finish.use_bias {
                    fields.field("bias", &self.bias);
                }
            }
        }
    };
}

transposed! {
    /// A transposed convolution over sequences `[batch, steps, channels]`, which makes them longer.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, channels last, no activation, a bias that starts at zero and a
    /// kernel from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Conv1DTranspose;
    /// let conv = Conv1DTranspose::new(16, 3).strides(2).padding("same");
    /// assert_eq!(conv.call(tf::ones([4, 10, 8])).shape(), [4, 20, 16]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [3, 16, 8]);
    /// ```
    Conv1DTranspose("conv1d_transpose", 1), kernel "steps", sizes "steps", build "Conv1DTranspose::new(8, 3)", "[1, 20, 4]"
}

transposed! {
    /// A transposed convolution over images `[batch, rows, columns, channels]`, which makes them larger.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, channels last, no activation, a bias that starts at zero and a
    /// kernel from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Conv2DTranspose;
    /// let conv = Conv2DTranspose::new(3, 4).strides(2).padding("same").activation("tanh");
    /// assert_eq!(conv.call(tf::ones([4, 8, 8, 16])).shape(), [4, 16, 16, 3]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [4, 4, 3, 16]);
    /// ```
    Conv2DTranspose("conv2d_transpose", 2), kernel "rows, columns", sizes "rows and columns, which may be one number or two", build "Conv2DTranspose::new(8, 3)", "[1, 28, 28, 4]"
}

transposed! {
    /// A transposed convolution over volumes `[batch, planes, rows, columns, channels]`, which makes them larger.
    ///
    /// Options and defaults are Keras's: strides 1, no padding, no dilation, channels last, no activation, a bias that starts at zero and a
    /// kernel from [`GlorotUniform`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Conv3DTranspose;
    /// let conv = Conv3DTranspose::new(3, 3).strides(2).output_padding(1);
    /// assert_eq!(conv.call(tf::ones([1, 2, 2, 2, 5])).shape(), [1, 6, 6, 6, 3]);
    /// assert_eq!(conv.kernel().unwrap().shape(), [3, 3, 3, 3, 5]);
    /// ```
    Conv3DTranspose("conv3d_transpose", 3), kernel "planes, rows, columns", sizes "planes, rows and columns, which may be one number or three", build "Conv3DTranspose::new(8, 3)", "[1, 6, 6, 6, 1]"
}

/// The kernel, made for the input's channels if this is the first input.
#[track_caller]
fn kernel_for<'a>(
    core: &Core,
    kernel: &'a Weight,
    slide: &Slide,
    filters: usize,
    x: &TensorType,
) -> Result<&'a Variable> {
    let batch = slide.batch;
    batch.check_type(core, x)?;
    if let Some(kernel) = kernel.get() {
        let own = kernel.shape();
        batch.check_channels(core, x, own.dim(batch.axes + 1).known_value().unwrap_or(0), &own)?;
        return Ok(kernel);
    }
    kernel.make(core, &slide.kernel_shape([filters, batch.known_channels(core, x)?]))
}

/// What the output has more, with a number for each axis, if it is less than the strides.
fn check_more(layer: &str, more: PerAxis, slide: &Slide) -> Result<PerAxis> {
    let more = more.along(layer, "`output_padding`", slide.batch.axes, 0)?;
    match more.numbers().iter().zip(slide.strides.numbers()).all(|(more, stride)| more < stride) {
        true => Ok(more),
        false => Err(Error::invalid_argument(layer, "`output_padding` must be less than the strides")
            .got(format!("{:?} for strides {:?}", more.numbers(), slide.strides.numbers()))
            .expected("less along each axis")
            .help("set `strides` before `output_padding`")),
    }
}

/// The shape of the output for that of an input, by Keras's rule.
fn output_shape(slide: &Slide, more: Option<PerAxis>, filters: usize, x: &Shape) -> Result<Shape> {
    let same = slide.padding == ConvPadding::Of(Padding::Same);
    let mut shape = x.with(slide.batch.channels(), filters)?;
    let steps = slide.strides.numbers().iter().zip(slide.dilation.numbers());
    for (at, (k, (&stride, &dilation))) in slide.sizes().zip(steps).enumerate() {
        let axis = slide.batch.first() + at;
        let (stride, reach) = (stride as usize, (k - 1) * dilation as usize + 1);
        let more = more.map(|more| more.numbers()[at] as usize);
        // From the first window's begin to the last one's, and what lies behind that.
        let behind = match (same, more) {
            (true, None) => stride,
            (true, Some(more)) => reach % 2 + more,
            (false, None) => reach.max(stride),
            (false, Some(more)) => reach + more,
        };
        shape = shape.with(axis, covered(x.dim(axis), stride, behind))?;
    }
    Ok(shape)
}

/// `(n - 1) * stride + behind`, and nothing for nothing.
fn covered(n: Dim, stride: usize, behind: usize) -> Dim {
    match n == Dim::ZERO {
        true => Dim::ZERO,
        false => n * stride + behind - stride,
    }
}
