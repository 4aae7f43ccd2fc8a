//! `Dense`: every output is a weighted sum of all inputs, then a bias and an activation.
//! Keras's `Dense`; the kernel is made when the first input tells the size of its last dimension.

use super::activation::Activation;
use super::{Layer, buildable, callable, channels, floating, misfit, names};
use crate::dtype::DType;
use crate::error::{OrFail, Result};
use crate::initializers::Initializer;
use crate::module::{Fields, LazyVariable, Module};
use crate::ops::{self, functions};
use crate::options::{self, options};
use crate::shape::{Dim, Shape};
use crate::tensor::{Tensor, TensorType};
use crate::variable::Variable;
use std::panic::Location;

/// A product of the last dimension with a kernel, over any number of leading dimensions.
///
/// Options and defaults are Keras's: no activation, a bias that starts at zero and a kernel from
/// [`Initializer::GlorotUniform`].
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dense;
/// let head = Dense::new(10);
/// assert_eq!(head.call(&tf::ones([4, 64])).shape(), [4, 10]);
/// let error = head.try_call(&tf::ones([4, 32]), false).unwrap_err().to_string();
/// assert!(error.contains("[4, 32]") && error.contains("[64, 10]"));
/// ```
#[derive(Clone, Debug)]
pub struct Dense {
    name: String,
    units: usize,
    activation: Activation,
    use_bias: bool,
    kernel_initializer: Initializer,
    bias_initializer: Initializer,
    dtype: DType,
    kernel: LazyVariable,
    bias: LazyVariable,
}

callable!(Dense);

impl Dense {
    /// A layer with `units` outputs.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(units: usize) -> Self {
        Self::try_new(units).or_fail()
    }

    /// A layer with `units` outputs, of which there may be too few.
    ///
    /// # Errors
    /// InvalidArgument for no units.
    #[track_caller]
    pub fn try_new(units: usize) -> Result<Self> {
        let here = Location::caller();
        let units = options::count("Dense", "units", units).map_err(|e| e.at(here))?;
        Ok(Self {
            name: names::next("dense"),
            units,
            activation: Activation::Linear,
            use_bias: true,
            kernel_initializer: Initializer::GlorotUniform,
            bias_initializer: Initializer::Zeros,
            dtype: DType::F32,
            kernel: LazyVariable::new(),
            bias: LazyVariable::new(),
        })
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

    /// The kernel `[inputs, units]`, once it is built.
    pub fn kernel(&self) -> Option<&Variable> {
        self.kernel.get()
    }

    /// The bias `[units]`, once it is built.
    pub fn bias(&self) -> Option<&Variable> {
        self.bias.get()
    }

    /// The kernel, made for the input's last dimension if this is the first one.
    #[track_caller]
    fn kernel_for(&self, x: &TensorType) -> Result<&Variable> {
        let rank = x.shape.rank();
        if rank < 2 || x.dtype != self.dtype {
            let expected = format!("{}[batch, …, features]", self.dtype);
            let help = match x.shape.rank() {
                0 => "`reshape` it to a batch of rows".to_owned(),
                1 => "`x.expand_dims(0)` makes a batch of one row; `x.expand_dims(-1)` one of rows of one feature"
                    .to_owned(),
                _ => super::dtype_help(self.dtype),
            };
            let what = "the input is no batch of rows of the layer's dtype";
            return Err(misfit(&self.name, what, x, expected).help(help));
        }
        let kernel = self.kernel.get_or_build(|| self.make_kernel(x))?;
        let own = kernel.shape();
        if !x.shape.dim(rank - 1).can_equal(own.dim(0)) {
            let expected = format!("{} in the last dimension, as the layer was built for (kernel {own})", own.dim(0));
            return Err(misfit(&self.name, "the input has another last dimension", x, expected));
        }
        Ok(kernel)
    }

    #[track_caller]
    fn make_kernel(&self, x: &TensorType) -> Result<Variable> {
        let shape = [channels(&self.name, x)?, self.units];
        self.kernel_initializer.variable(&shape, self.dtype, &format!("{}/kernel", self.name))
    }

    /// The bias, made if this is the first time, for a layer that has one.
    #[track_caller]
    fn own_bias(&self) -> Result<Option<&Variable>> {
        if !self.use_bias {
            return Ok(None);
        }
        let name = || format!("{}/bias", self.name);
        self.bias.get_or_build(|| self.bias_initializer.variable(&[self.units], self.dtype, &name())).map(Some)
    }

    #[track_caller]
    fn with_bias(&self, y: Tensor) -> Result<Tensor> {
        match self.own_bias()? {
            Some(bias) => functions::try_bias_add(&y, bias),
            None => Ok(y),
        }
    }

    #[track_caller]
    fn make(&self, input: &Shape) -> Result<()> {
        self.kernel_for(&TensorType::new(self.dtype, *input))?;
        self.own_bias().map(drop)
    }
}

buildable!(Dense, "Dense::new(10)", "[1, 784]");

options! { Dense:
    /// How the kernel starts.
    pub fn kernel_initializer, try_kernel_initializer(this, initializer: Initializer) {
        this.kernel_initializer = initializer.checked("Dense")?;
        Ok(this)
    }

    /// How the bias starts.
    pub fn bias_initializer, try_bias_initializer(this, initializer: Initializer) {
        this.bias_initializer = initializer.checked("Dense")?;
        Ok(this)
    }

    /// The dtype of the variables and the input, `float32` unless set.
    pub fn dtype, try_dtype(this, dtype: DType) {
        this.dtype = floating("Dense", dtype)?;
        Ok(this)
    }
}

impl Layer for Dense {
    fn layer_name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn forward(&self, x: &Tensor, _training: bool) -> Result<Tensor> {
        let kernel = self.kernel_for(x.ty())?;
        if x.rank() == 2 {
            return self.activation.apply(self.with_bias(functions::try_matmul(x, kernel)?)?);
        }
        // One product of all rows instead of a batch of small ones.
        let leading = &x.shape().sizes()[..x.rank() - 1];
        let rows = leading.iter().fold(Dim::ONE, |product, &dim| product * dim);
        let flat = ops::reshape_to(x, &Shape::from_dims(&[rows, x.shape().dim(x.rank() - 1)])?)?;
        let y = self.activation.apply(self.with_bias(functions::try_matmul(&flat, kernel)?)?)?;
        ops::reshape_to(&y, &Shape::from_dims(leading)?.push(Dim::known(self.units))?)
    }
}

impl Module for Dense {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&(self.units, self.use_bias, self.activation, self.dtype));
        fields.field("kernel", &self.kernel);
        if self.use_bias {
            fields.field("bias", &self.bias);
        }
    }
}
