//! `Dense`: every output is a weighted sum of all inputs, then a bias and an activation.
//! Keras's `Dense`; the kernel is made when the first input tells the size of its last dimension.

use super::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, object_option, weights};
use super::base::{channels, dtype_help, misfit};
use crate::activations::{Activation, Linear};
use crate::initializers::{GlorotUniform, Zeros};
use crate::shared::{IntoShared, Shared};
use engine::library::Typed;
use engine::library::options;
use engine::{Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// A product of the last dimension with a kernel, over any number of leading dimensions.
///
/// Options and defaults are Keras's: no activation, a bias that starts at zero and a kernel from
/// [`GlorotUniform`].
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dense;
/// let head = Dense::new(10).activation("softmax").kernel_regularizer(tf::regularizers::L2::new(1e-4));
/// assert_eq!(head.call(&tf::ones([4, 64])).shape(), [4, 10]);
/// let error = head.try_call(&tf::ones([4, 32]), false).unwrap_err().to_string();
/// assert!(error.contains("[4, 32]") && error.contains("[64, 10]"));
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Dense {
    core: Core,
    units: usize,
    activation: Shared<dyn Activation>,
    use_bias: bool,
    kernel: Weight,
    bias: Weight,
}

layer!(Dense);

weights! { Dense:
    kernel, "kernel" => kernel_initializer, try_kernel_initializer, kernel_regularizer, try_kernel_regularizer, kernel_constraint, try_kernel_constraint;
    bias, "bias" => bias_initializer, try_bias_initializer, bias_regularizer, try_bias_regularizer, bias_constraint, try_bias_constraint;
}

object_option!(Dense, Activation,
    /// The function applied at the end: an activation, or its name.
    activation, try_activation => |this, object| this.activation = object);

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
            core: Core::new("dense"),
            units,
            activation: Linear::new().into_shared()?,
            use_bias: true,
            kernel: Weight::new("kernel", GlorotUniform::new()),
            bias: Weight::new("bias", Zeros),
        })
    }

    /// Whether a bias is added.
    #[must_use]
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

    /// The variables for an input of a type, made if this is the first one.
    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        self.kernel_for(x)?;
        if self.use_bias {
            self.bias.make(&self.core, &[self.units])?;
        }
        Ok(())
    }

    /// The kernel, made for the input's last dimension if this is the first one.
    #[track_caller]
    fn kernel_for(&self, x: &TensorType) -> Result<&Variable> {
        let (rank, dtype, name) = (x.shape.rank(), self.core.compute(), self.core.name());
        if rank < 2 || x.dtype != dtype {
            let expected = format!("{dtype}[batch, …, features]");
            let help = match x.shape.rank() {
                0 => "`reshape` it to a batch of rows".to_owned(),
                1 => "`x.expand_dims(0)` makes a batch of one row; `x.expand_dims(-1)` one of rows of one feature"
                    .to_owned(),
                _ => dtype_help(dtype),
            };
            let what = "the input is no batch of rows of the layer's dtype";
            return Err(misfit(name, what, x, expected).help(help));
        }
        let kernel = match self.kernel.get() {
            Some(kernel) => kernel,
            None => self.kernel.make(&self.core, &[channels(name, x)?, self.units])?,
        };
        let own = kernel.shape();
        if !x.shape.dim(rank - 1).can_equal(own.dim(0)) {
            let expected = format!("{} in the last dimension, as the layer was built for (kernel {own})", own.dim(0));
            return Err(misfit(name, "the input has another last dimension", x, expected));
        }
        Ok(kernel)
    }

    /// What is left to do with a product.
    #[track_caller]
    fn finish(&self, product: Tensor) -> Result<Tensor> {
        let sum = match self.use_bias {
            true => {
                let bias = self.bias.make(&self.core, &[self.units])?;
                engine::try_bias_add(&product, &self.core.read(bias)?)?
            }
            false => product,
        };
        self.activation.apply(&sum)
    }
}

buildable!(Dense, "Dense::new(10)", "[1, 784]", 2);

impl Layer for Dense {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let kernel = self.core.read(self.kernel_for(x.ty())?)?;
        if x.rank() == 2 {
            return self.finish(engine::try_matmul(x, &kernel)?).map(Outputs::one);
        }
        // One product of all rows instead of a batch of small ones.
        let leading = &x.shape().sizes()[..x.rank() - 1];
        let rows = leading.iter().fold(Dim::ONE, |product, &dim| product * dim);
        let flat = engine::library::reshape_to(x, &Shape::from_dims(&[rows, x.shape().dim(x.rank() - 1)])?)?;
        let y = self.finish(engine::try_matmul(&flat, &kernel)?)?;
        engine::library::reshape_to(&y, &Shape::from_dims(leading)?.push(Dim::known(self.units))?).map(Outputs::one)
    }
}

impl Module for Dense {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.units, self.use_bias, self.activation.word()));
        fields.field("kernel", &self.kernel);
        if self.use_bias {
            fields.field("bias", &self.bias);
        }
    }
}
