//! `Dense`: every output is a weighted sum of all inputs, then a bias and an activation.
//! Keras's `Dense`; the kernel is made when the first input tells the size of its last dimension.

use super::activation::Activation;
use super::kernel_and_bias::weighted;
use super::{Layer, buildable, callable, channels, misfit, names};
use crate::initializers::Initializer;
use engine::library::Typed;
use engine::{Fields, LazyVariable, Module};

use engine::Variable;
use engine::library::options;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
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
weighted!(Dense, units);

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

    /// The kernel `[inputs, units]`, once it is built.
    pub fn kernel(&self) -> Option<&Variable> {
        self.kernel.get()
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
        let kernel = match self.kernel.get() {
            Some(kernel) => kernel,
            None => self.make_kernel(x)?,
        };
        let own = kernel.shape();
        if !x.shape.dim(rank - 1).can_equal(own.dim(0)) {
            let expected = format!("{} in the last dimension, as the layer was built for (kernel {own})", own.dim(0));
            return Err(misfit(&self.name, "the input has another last dimension", x, expected));
        }
        Ok(kernel)
    }

    #[track_caller]
    fn make_kernel(&self, x: &TensorType) -> Result<&Variable> {
        let shape = [channels(&self.name, x)?, self.units];
        self.kernel_initializer.create(&self.kernel, &shape, self.dtype, &format!("{}/kernel", self.name))
    }
}

buildable!(Dense, "Dense::new(10)", "[1, 784]");

impl Layer for Dense {
    fn layer_name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn forward(&self, x: &Tensor, _training: bool) -> Result<Tensor> {
        let kernel = self.kernel_for(x.ty())?;
        if x.rank() == 2 {
            return self.finish(engine::try_matmul(x, kernel)?);
        }
        // One product of all rows instead of a batch of small ones.
        let leading = &x.shape().sizes()[..x.rank() - 1];
        let rows = leading.iter().fold(Dim::ONE, |product, &dim| product * dim);
        let flat = engine::library::reshape_to(x, &Shape::from_dims(&[rows, x.shape().dim(x.rank() - 1)])?)?;
        let y = self.finish(engine::try_matmul(&flat, kernel)?)?;
        engine::library::reshape_to(&y, &Shape::from_dims(leading)?.push(Dim::known(self.units))?)
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
