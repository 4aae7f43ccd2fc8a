//! `Conv2D`: filters that slide over images, then a bias and an activation.
//! Keras's `Conv2D` for `channels_last` images; the kernel is made when the first image tells its channels.

use super::activation::Activation;
use super::{Layer, callable, channels, misfit, names};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::initializers::Initializer;
use crate::module::{Fields, LazyVariable, Module};
use crate::ops::{self, Padding, Pair, functions};
use crate::tensor::Tensor;
use crate::variable::Variable;

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

impl Conv2D {
    /// A layer of `filters` filters of `kernel_size` rows and columns, which may be one number or two.
    pub fn new(filters: usize, kernel_size: impl Into<Pair>) -> Self {
        Self {
            name: names::next("conv2d"),
            filters,
            kernel_size: kernel_size.into(),
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
        }
    }

    /// How far the filters move between two outputs.
    pub fn strides(mut self, strides: impl Into<Pair>) -> Self {
        self.strides = strides.into();
        self
    }

    /// What lies around the images.
    pub fn padding(mut self, padding: Padding) -> Self {
        self.padding = padding;
        self
    }

    /// How many rows and columns apart the pixels are that a filter reads, Keras's `dilation_rate`.
    pub fn dilation_rate(mut self, dilation: impl Into<Pair>) -> Self {
        self.dilation = dilation.into();
        self
    }

    /// Into how many groups the channels are divided; each group of filters sees one.
    pub fn groups(mut self, groups: usize) -> Self {
        self.groups = groups;
        self
    }

    /// The function applied at the end.
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// Whether a bias is added.
    pub fn use_bias(mut self, use_bias: bool) -> Self {
        self.use_bias = use_bias;
        self
    }

    /// How the kernel starts.
    pub fn kernel_initializer(mut self, initializer: Initializer) -> Self {
        self.kernel_initializer = initializer;
        self
    }

    /// How the bias starts.
    pub fn bias_initializer(mut self, initializer: Initializer) -> Self {
        self.bias_initializer = initializer;
        self
    }

    /// The dtype of the variables and the input, `float32` unless set.
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self
    }

    /// The kernel `[rows, columns, input channels, filters]`, once it is built.
    pub fn kernel(&self) -> Option<&Variable> {
        self.kernel.get()
    }

    /// The bias `[filters]`, once it is built.
    pub fn bias(&self) -> Option<&Variable> {
        self.bias.get()
    }

    /// The kernel, made for the input's channels if this is the first one.
    #[track_caller]
    fn kernel_for(&self, x: &Tensor) -> Result<&Variable> {
        if x.rank() != 4 || x.dtype() != self.dtype {
            let expected = format!("{}[batch, rows, columns, channels]", self.dtype);
            let help =
                if x.rank() == 4 { super::dtype_help(self.dtype) } else { ops::images_help(x.rank()).to_owned() };
            let what = "the input is no batch of images of the layer's dtype";
            return Err(misfit(&self.name, what, x, expected).help(help));
        }
        let kernel = self.kernel.get_or_build(|| self.build(x))?;
        let (own, given) = (kernel.shape(), x.shape().dim(3));
        if !own.dim(2).known_value().is_some_and(|n| given.can_equal((n * self.groups).into())) {
            let expected = format!("{} channels, as the layer was built for (kernel {own})", own.dim(2) * self.groups);
            return Err(misfit(&self.name, "the input has another number of channels", x, expected));
        }
        Ok(kernel)
    }

    #[track_caller]
    fn build(&self, x: &Tensor) -> Result<Variable> {
        let [rows, columns] = self.kernel_size.sizes(&self.name, "the kernel size")?;
        let channels = channels(&self.name, x)?;
        if self.filters == 0
            || self.groups == 0
            || !channels.is_multiple_of(self.groups)
            || !self.filters.is_multiple_of(self.groups)
        {
            return Err(Error::invalid_argument(&*self.name, "channels and filters must divide into the groups")
                .got(format!("{channels} channels, {} filters, {} groups", self.filters, self.groups)));
        }
        let shape = [rows as usize, columns as usize, channels / self.groups, self.filters];
        self.kernel_initializer.variable(&shape, self.dtype, &format!("{}/kernel", self.name))
    }

    #[track_caller]
    fn with_bias(&self, y: Tensor) -> Result<Tensor> {
        if !self.use_bias {
            return Ok(y);
        }
        let name = || format!("{}/bias", self.name);
        let bias = self.bias.get_or_build(|| self.bias_initializer.variable(&[self.filters], self.dtype, &name()))?;
        functions::try_bias_add(&y, bias)
    }
}

impl Layer for Conv2D {
    fn layer_name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn forward(&self, x: &Tensor, _training: bool) -> Result<Tensor> {
        let kernel = self.kernel_for(x)?;
        let steps = [self.strides, self.dilation];
        let y = ops::conv2d_in_groups(x, &kernel.value(), steps, self.padding, self.groups)?;
        self.activation.apply(self.with_bias(y)?)
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
