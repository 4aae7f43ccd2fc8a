//! `Conv2D`: filters that slide over images, then a bias and an activation.
//! Keras's `Conv2D` for `channels_last` images; the kernel is made when the first image tells its channels.

use super::activation::Activation;
use super::kernel_and_bias::weighted;
use super::{Layer, buildable, callable, channels, misfit, names};
use crate::initializers::Initializer;
use engine::Variable;
use engine::library::Sized2;
use engine::library::Typed;
use engine::library::Windows;
use engine::library::options::{self, options};
use engine::{Fields, LazyVariable, Module};
use engine::{Padding, Pair};
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// A convolution over images `[batch, rows, columns, channels]`.
///
/// Options and defaults are Keras's: strides 1, no padding, no dilation, one group, no activation, a bias that starts
/// at zero and a kernel from [`Initializer::GlorotUniform`].
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Activation, Conv2D};
/// let conv = Conv2D::new(32, 3).padding(tf::Padding::Same).activation(Activation::Relu);
/// assert_eq!(conv.call(&tf::ones([4, 8, 8, 1])).shape(), [4, 8, 8, 32]);
/// assert_eq!(conv.kernel().unwrap().shape(), [3, 3, 1, 32]);
/// ```
#[derive(Clone, Debug)]
pub struct Conv2D {
    name: String,
    filters: usize,
    kernel_size: Pair,
    strides: Pair,
    padding: Padding,
    dilation: Pair,
    groups: usize,
    activation: Activation,
    use_bias: bool,
    kernel_initializer: Initializer,
    bias_initializer: Initializer,
    dtype: DType,
    kernel: LazyVariable,
    bias: LazyVariable,
}

callable!(Conv2D);
weighted!(Conv2D, filters);

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
            name: names::next("conv2d"),
            filters,
            kernel_size,
            strides: Pair::from(1),
            padding: Padding::Valid,
            dilation: Pair::from(1),
            groups: 1,
            activation: Activation::Linear,
            use_bias: true,
            kernel_initializer: Initializer::GlorotUniform,
            bias_initializer: Initializer::Zeros,
            dtype: DType::F32,
            kernel: LazyVariable::new(),
            bias: LazyVariable::new(),
        })
    }

    /// The kernel `[rows, columns, input channels, filters]`, once it is built.
    pub fn kernel(&self) -> Option<&Variable> {
        self.kernel.get()
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
        if x.shape.rank() != 4 || x.dtype != self.dtype {
            let expected = format!("{}[batch, rows, columns, channels]", self.dtype);
            let help = if x.shape.rank() == 4 {
                super::dtype_help(self.dtype)
            } else {
                engine::library::images_help(x.shape.rank()).to_owned()
            };
            let what = "the input is no batch of images of the layer's dtype";
            return Err(misfit(&self.name, what, x, expected).help(help));
        }
        let kernel = match self.kernel.get() {
            Some(kernel) => kernel,
            None => self.make_kernel(x)?,
        };
        let (own, given) = (kernel.shape(), x.shape.dim(3));
        if !own.dim(2).known_value().is_some_and(|n| given.can_equal((n * self.groups).into())) {
            let expected = format!("{} channels, as the layer was built for (kernel {own})", own.dim(2) * self.groups);
            return Err(misfit(&self.name, "the input has another number of channels", x, expected));
        }
        Ok(kernel)
    }

    #[track_caller]
    fn make_kernel(&self, x: &TensorType) -> Result<&Variable> {
        let [rows, columns] = self.kernel_size.sizes(&self.name, "the kernel size")?;
        let channels = channels(&self.name, x)?;
        if !channels.is_multiple_of(self.groups) {
            return Err(Error::invalid_argument(&*self.name, "the channels do not divide into the groups")
                .got(format!("{channels} channels, {} groups", self.groups))
                .expected("a multiple of the groups"));
        }
        let shape = [rows as usize, columns as usize, channels / self.groups, self.filters];
        self.kernel_initializer.create(&self.kernel, &shape, self.dtype, &format!("{}/kernel", self.name))
    }
}

buildable!(Conv2D, "Conv2D::new(8, 3)", "[1, 28, 28, 1]");

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
    fn layer_name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn forward(&self, x: &Tensor, _training: bool) -> Result<Tensor> {
        let kernel = self.kernel_for(x.ty())?;
        let steps = [self.strides, self.dilation];
        let y = engine::library::conv2d_in_groups(x, &kernel.value(), steps, self.padding, self.groups)?;
        self.finish(y)
    }
}

impl Module for Conv2D {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&(self.filters, self.kernel_size, self.strides, self.padding, self.dilation, self.groups));
        fields.value(&(self.use_bias, self.activation, self.dtype));
        fields.field("kernel", &self.kernel);
        if self.use_bias {
            fields.field("bias", &self.bias);
        }
    }
}
