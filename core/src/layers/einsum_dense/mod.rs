//! `EinsumDense`: a dense layer whose product is any `einsum` of the input with a kernel.
//! Keras's `EinsumDense`; attention projects with it, and kernels of more than two dimensions are made of it.

mod equation;

use self::equation::{Equation, Shapes};
use super::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, object_option, weights};
use super::node::IntoInputShape;
use crate::activations::{Activation, Linear};
use crate::initializers::{GlorotUniform, Zeros};
use crate::shared::{IntoShared, Shared};
use engine::library::Typed;
use engine::library::options::options;
use engine::{Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// An `einsum` of the input with a kernel, then a bias along some axes and an activation.
///
/// The equation has one of the forms `ab,bc->ac`, `...ab,bc->...ac` and `ab...,bc->ac...`; its first operand is the input. The kernel's
/// sizes follow from the input and from `output_shape`, which is told without the batch and may leave sizes out that the input has.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::EinsumDense;
/// let dense = EinsumDense::new("ab,bc->ac", 64).bias_axes("c");
/// assert_eq!(dense.call(tf::ones([2, 32])).shape(), [2, 64]);
/// let heads = EinsumDense::new("bsf,fhd->bshd", [None, Some(4), Some(8)]).bias_axes("hd");
/// assert_eq!(heads.call(tf::ones([2, 5, 32])).shape(), [2, 5, 4, 8]);
/// assert_eq!(heads.kernel().unwrap().shape(), [32, 4, 8]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct EinsumDense {
    core: Core,
    text: String,
    #[module(value)]
    equation: Equation,
    output_shape: Vec<Option<usize>>,
    activation: Shared<dyn Activation>,
    bias_axes: Option<String>,
    kernel: Weight,
    bias: Weight,
}

layer!(EinsumDense);

weights! { EinsumDense:
    kernel, "kernel" => kernel_initializer, try_kernel_initializer, kernel_regularizer, try_kernel_regularizer, kernel_constraint, try_kernel_constraint;
    bias, "bias" => bias_initializer, try_bias_initializer, bias_regularizer, try_bias_regularizer, bias_constraint, try_bias_constraint;
}

object_option!(EinsumDense, Activation,
    /// The function applied at the end: an activation, or its name.
    activation, try_activation => |this, object| this.activation = object);

options! { EinsumDense:
    /// The letters of the output along which a bias is added; without them there is none.
    pub fn bias_axes, try_bias_axes(this, bias_axes: &str) {
        this.equation.check_bias(bias_axes)?;
        this.bias_axes = Some(bias_axes.to_owned());
        Ok(this)
    }
}

impl EinsumDense {
    /// A layer of an equation and the shape of an example's output, of which sizes may be `None` that the input has.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(equation: &str, output_shape: impl IntoInputShape) -> Self {
        Self::try_new(equation, output_shape).or_fail()
    }

    /// A layer of an equation, which may have another form.
    ///
    /// # Errors
    /// InvalidArgument for an equation of another form, or one that does not tell the sizes of the kernel.
    #[track_caller]
    pub fn try_new(equation: &str, output_shape: impl IntoInputShape) -> Result<Self> {
        let here = Location::caller();
        Ok(Self {
            core: Core::new("einsum_dense"),
            text: equation.to_owned(),
            equation: Equation::parse(equation).map_err(|e| e.at(here))?,
            output_shape: output_shape.into_sizes(),
            activation: Linear::new().into_shared()?,
            bias_axes: None,
            kernel: Weight::new("kernel", GlorotUniform::new()),
            bias: Weight::new("bias", Zeros),
        })
    }

    /// The kernel, once it is built.
    pub fn kernel(&self) -> Option<&Variable> {
        self.kernel.get()
    }

    /// The bias, once it is built.
    pub fn bias(&self) -> Option<&Variable> {
        self.bias.get()
    }

    /// The variables for an input of a type, made if this is the first one.
    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        if self.kernel.get().is_some() && (self.bias_axes.is_none() || self.bias.get().is_some()) {
            return Ok(());
        }
        let Shapes { kernel, input_axes, output_axes, bias } =
            self.equation.shapes(self.core.name(), x, &self.output_shape, self.bias_axes.as_deref())?;
        self.kernel.make_between(&self.core, &kernel, [&input_axes, &output_axes])?;
        if self.bias_axes.is_some() {
            self.bias.make(&self.core, &bias)?;
        }
        Ok(())
    }
}

buildable!(EinsumDense, "EinsumDense::new(\"ab,bc->ac\", 10).bias_axes(\"c\")", "[1, 784]", 2);

impl Layer for EinsumDense {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        self.make(x.ty())?;
        let mut y = match self.kernel.get() {
            Some(kernel) => engine::try_einsum(&self.text, &[x, &self.core.read(kernel)?])?,
            None => return Err(kernels::error::Error::internal(self.core.name(), "the kernel is gone")),
        };
        if let Some(bias) = self.bias.get() {
            y = y.try_add(&self.core.read(bias)?)?;
        }
        self.activation.apply(&y).map(Outputs::one)
    }
}

impl Module for EinsumDense {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(&self.text, &self.output_shape, &self.bias_axes, self.activation.word()));
        fields.field("kernel", &self.kernel);
        if self.bias_axes.is_some() {
            fields.field("bias", &self.bias);
        }
    }
}
