//! `Conv2D`: filters that slide over images, then a bias and an activation.
//! Keras's `Conv2D` for `channels_last` images; the kernel is made when the first image tells its channels.

use super::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, object_option, weights};
use super::base::{channels, dtype_help, misfit};
use crate::activations::{Activation, Linear};
use crate::initializers::{GlorotUniform, Zeros};
use crate::shared::{IntoShared, Shared};
use engine::Variable;
use engine::library::Sized2;
use engine::library::Typed;
use engine::library::Windows;
use engine::library::options::{self, options};
use engine::{Duplicate, Fields, Module};
use engine::{Padding, Pair};
use engine::{Tensor, TensorType};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// A convolution over images `[batch, rows, columns, channels]`.
///
/// Options and defaults are Keras's: strides 1, no padding, no dilation, one group, no activation, a bias that starts
/// at zero and a kernel from [`GlorotUniform`].
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Conv2D;
/// let conv = Conv2D::new(32, 3).padding(tf::Padding::Same).activation("relu");
/// assert_eq!(conv.call(&tf::ones([4, 8, 8, 1])).shape(), [4, 8, 8, 32]);
/// assert_eq!(conv.kernel().unwrap().shape(), [3, 3, 1, 32]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Conv2D {
    core: Core,
    filters: usize,
    #[module(value)]
    kernel_size: Pair,
    #[module(value)]
    strides: Pair,
    #[module(value)]
    padding: Padding,
    #[module(value)]
    dilation: Pair,
    groups: usize,
    activation: Shared<dyn Activation>,
    use_bias: bool,
    kernel: Weight,
    bias: Weight,
}

layer!(Conv2D);

weights! { Conv2D:
    kernel, "kernel" => kernel_initializer, try_kernel_initializer, kernel_regularizer, try_kernel_regularizer, kernel_constraint, try_kernel_constraint;
    bias, "bias" => bias_initializer, try_bias_initializer, bias_regularizer, try_bias_regularizer, bias_constraint, try_bias_constraint;
}

object_option!(Conv2D, Activation,
    /// The function applied at the end: an activation, or its name.
    activation, try_activation => |this, object| this.activation = object);

impl Conv2D {
    /// A layer of `filters` filters of `kernel_size` rows and columns, which may be one number or two.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(filters: usize, kernel_size: impl Into<Pair>) -> Self {
        Self::try_new(filters, kernel_size).or_fail()
    }

    /// A layer of `filters` filters of `kernel_size` rows and columns, of which there may be too few.
    ///
    /// # Errors
    /// InvalidArgument for no filters, or a kernel without cells.
    #[track_caller]
    pub fn try_new(filters: usize, kernel_size: impl Into<Pair>) -> Result<Self> {
        let here = Location::caller();
        let kernel_size = kernel_size.into();
        let filters = options::count("Conv2D", "filters", filters).map_err(|e| e.at(here))?;
        kernel_size.sizes("Conv2D", "the kernel size").map_err(|e| e.at(here))?;
        Ok(Self {
            core: Core::new("conv2d"),
            filters,
            kernel_size,
            strides: Pair::from(1),
            padding: Padding::Valid,
            dilation: Pair::from(1),
            groups: 1,
            activation: Linear::new().into_shared()?,
            use_bias: true,
            kernel: Weight::new("kernel", GlorotUniform::new()),
            bias: Weight::new("bias", Zeros),
        })
    }

    /// The kernel `[rows, columns, input channels, filters]`, once it is built.
    pub fn kernel(&self) -> Option<&Variable> {
        self.kernel.get()
    }

    /// Whether a bias is added.
    #[must_use]
    pub fn use_bias(mut self, use_bias: bool) -> Self {
        self.use_bias = use_bias;
        self
    }

    /// The bias `[filters]`, once it is built.
    pub fn bias(&self) -> Option<&Variable> {
        self.bias.get()
    }

    /// The variables for an input of a type, made if this is the first one.
    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        self.kernel_for(x)?;
        if self.use_bias {
            self.bias.make(&self.core, &[self.filters])?;
        }
        Ok(())
    }

    /// The layer, if its options are possible.
    fn checked(self) -> Result<Self> {
        Windows::new("Conv2D", self.strides, self.dilation, self.padding)?;
        if self.filters.is_multiple_of(self.groups) {
            return Ok(self);
        }
        Err(Error::invalid_argument("Conv2D", "the filters do not divide into the groups")
            .got(format!("{} filters, {} groups", self.filters, self.groups))
            .expected("a multiple of the groups"))
    }

    /// The kernel, made for the input's channels if this is the first one.
    #[track_caller]
    fn kernel_for(&self, x: &TensorType) -> Result<&Variable> {
        if x.shape.rank() != 4 || x.dtype != self.core.compute() {
            let expected = format!("{}[batch, rows, columns, channels]", self.core.compute());
            let help = if x.shape.rank() == 4 {
                dtype_help(self.core.compute())
            } else {
                engine::library::images_help(x.shape.rank()).to_owned()
            };
            let what = "the input is no batch of images of the layer's dtype";
            return Err(misfit(self.core.name(), what, x, expected).help(help));
        }
        let kernel = match self.kernel.get() {
            Some(kernel) => kernel,
            None => self.make_kernel(x)?,
        };
        let (own, given) = (kernel.shape(), x.shape.dim(3));
        if !own.dim(2).known_value().is_some_and(|n| given.can_equal((n * self.groups).into())) {
            let expected = format!("{} channels, as the layer was built for (kernel {own})", own.dim(2) * self.groups);
            return Err(misfit(self.core.name(), "the input has another number of channels", x, expected));
        }
        Ok(kernel)
    }

    #[track_caller]
    fn make_kernel(&self, x: &TensorType) -> Result<&Variable> {
        let [rows, columns] = self.kernel_size.sizes(self.core.name(), "the kernel size")?;
        let channels = channels(self.core.name(), x)?;
        if !channels.is_multiple_of(self.groups) {
            return Err(Error::invalid_argument(self.core.name(), "the channels do not divide into the groups")
                .got(format!("{channels} channels, {} groups", self.groups))
                .expected("a multiple of the groups"));
        }
        let shape = [rows as usize, columns as usize, channels / self.groups, self.filters];
        self.kernel.make(&self.core, &shape)
    }
}

buildable!(Conv2D, "Conv2D::new(8, 3)", "[1, 28, 28, 1]", 2);

options! { Conv2D:
    /// How far the filters move between two outputs.
    pub fn strides, try_strides(this, strides: impl Into<Pair>) {
        this.strides = strides.into();
        this.checked()
    }

    /// What lies around the images.
    pub fn padding, try_padding(this, padding: Padding) {
        this.padding = padding;
        this.checked()
    }

    /// How many rows and columns apart the pixels are that a filter reads, Keras's `dilation_rate`.
    pub fn dilation_rate, try_dilation_rate(this, dilation: impl Into<Pair>) {
        this.dilation = dilation.into();
        this.checked()
    }

    /// Into how many groups the channels are divided; each group of filters sees one. The filters must divide into them.
    pub fn groups, try_groups(this, groups: usize) {
        this.groups = options::count("Conv2D", "groups", groups)?;
        this.checked()
    }
}

impl Layer for Conv2D {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let kernel = self.core.read(self.kernel_for(x.ty())?)?;
        let steps = [self.strides, self.dilation];
        let y = engine::library::conv2d_in_groups(x, &kernel, steps, self.padding, self.groups)?;
        let y = match self.use_bias {
            true => {
                let bias = self.bias.make(&self.core, &[self.filters])?;
                engine::try_bias_add(&y, &self.core.read(bias)?)?
            }
            false => y,
        };
        self.activation.apply(&y).map(Outputs::one)
    }
}

impl Module for Conv2D {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.filters, self.kernel_size, self.strides, self.padding, self.dilation, self.groups));
        fields.value(&(self.use_bias, self.activation.word()));
        fields.field("kernel", &self.kernel);
        if self.use_bias {
            fields.field("bias", &self.bias);
        }
    }
}
