//! The products of attention with many heads: of features with a kernel for all heads, and of all heads with a kernel for the output.
//! `MultiHeadAttention` and `GroupQueryAttention` have one for each of queries, keys, values and the output.

use crate::initializers::{GlorotUniform, Zeros};
use crate::layers::base::{Core, Weight, misfit};
use engine::library::reshape_to;
use engine::{Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

/// A kernel over some last axes, with a bias.
#[derive(Clone, Debug, Duplicate)]
pub(super) struct Projection {
    kernel: Weight,
    bias: Weight,
    use_bias: bool,
}

/// What the variables of all products start as and are held to.
#[derive(Clone, Debug, Duplicate)]
pub(super) struct Template {
    pub kernel: Weight,
    pub bias: Weight,
}

impl Template {
    pub fn new() -> Self {
        Self { kernel: Weight::new("kernel", GlorotUniform::new()), bias: Weight::new("bias", Zeros) }
    }

    /// What of it counts in a signature.
    pub fn words(&self) -> [(u64, Option<u64>, Option<u64>); 2] {
        [&self.kernel, &self.bias].map(|weight| {
            let regularizer = weight.regularizer.as_ref().map(|object| object.word());
            (weight.initializer.word(), regularizer, weight.constraint.as_ref().map(|object| object.word()))
        })
    }
}

/// A variable with the options of another.
fn dressed(weight: &Weight, as_in: &Weight) -> Weight {
    let mut weight = weight.clone();
    weight.initializer = as_in.initializer.clone();
    weight.regularizer = as_in.regularizer.clone();
    weight.constraint = as_in.constraint.clone();
    weight
}

impl Projection {
    /// Of names such as `query/kernel`.
    pub fn new(kernel: &'static str, bias: &'static str) -> Self {
        Self { kernel: Weight::new(kernel, GlorotUniform::new()), bias: Weight::new(bias, Zeros), use_bias: true }
    }

    pub fn set_use_bias(&mut self, use_bias: bool) {
        self.use_bias = use_bias;
    }

    /// The variables for inputs whose last axes have these sizes, and outputs whose last have those.
    #[track_caller]
    pub fn make(&self, core: &Core, like: &Template, from: &[usize], to: &[usize]) -> Result<()> {
        dressed(&self.kernel, &like.kernel).make(core, &[from, to].concat())?;
        if self.use_bias {
            dressed(&self.bias, &like.bias).make(core, to)?;
        }
        Ok(())
    }

    /// The number of features that the kernel was made for, once it is.
    pub fn features(&self) -> Option<usize> {
        self.kernel.get().and_then(|kernel| kernel.shape().dim(0).known_value())
    }

    /// An error unless the last axes of a type are those that the kernel was made for.
    pub fn check(&self, core: &Core, what: &str, x: &TensorType) -> Result<()> {
        let Some(kernel) = self.kernel.get() else { return Ok(()) };
        let (own, given) = (kernel.shape().dim(0), x.shape.dim(x.shape.rank() - 1));
        match given.can_equal(own) {
            true => Ok(()),
            false => {
                let expected = format!("{own} features, as the layer was built for (kernel {})", kernel.shape());
                Err(misfit(core.name(), &format!("{what} have another number of features"), x, expected))
            }
        }
    }

    /// The product over the last `bound` axes.
    #[track_caller]
    pub fn of(&self, core: &Core, x: &Tensor, bound: usize) -> Result<Tensor> {
        let kernel = core.read(self.kernel.make(core, &[])?)?;
        let (free, to) = (x.rank() - bound, kernel.shape().sizes()[bound..].to_vec());
        let leading = &x.shape().sizes()[..free];
        let product = |dims: &[Dim]| dims.iter().fold(Dim::ONE, |product, &dim| product * dim);
        let depth = product(&kernel.shape().sizes()[..bound]);
        let flat = reshape_to(x, &Shape::from_dims(&[product(leading), depth])?)?;
        let matrix = reshape_to(&kernel, &Shape::from_dims(&[depth, product(&to)])?)?;
        let mut y = engine::try_matmul(&flat, &matrix)?;
        if self.use_bias {
            let bias = core.read(self.bias.make(core, &[])?)?;
            y = engine::try_bias_add(&y, &reshape_to(&bias, &Shape::from_dims(&[product(&to)])?)?)?;
        }
        reshape_to(&y, &Shape::from_dims(&[leading, &to].concat())?)
    }
}

impl Module for Projection {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("kernel", &self.kernel);
        if self.use_bias {
            fields.field("bias", &self.bias);
        }
    }
}
