//! `PReLU`: the rectifier whose slope below zero is trained, one for each feature or shared along axes.
//! Keras's `PReLU`.

use crate::initializers::Zeros;
use crate::layers::base::{
    Call, Core, Layer, Masking, Outputs, Weight, buildable, known_size, layer, misfit, named, weights,
};
use crate::layers::normalization::IntoAxisList;
use engine::library::Typed;
use engine::{Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// x above zero, and a trained slope times x below: He et al. 2015.
///
/// There is a slope for each element of an example, starting at 0; `shared_axes` are those along which elements share one.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::PReLU;
/// let images = PReLU::new().shared_axes([1, 2]).alpha_initializer(tf::initializers::Constant::new(0.25));
/// assert_eq!(images.call(tf::ones([2, 4, 4, 3]) * -1.0).at(tf::s![0, 0, 0, ..]).to_vec::<f32>(), [-0.25; 3]);
/// assert_eq!(images.alpha().unwrap().shape(), [1, 1, 3]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct PReLU {
    core: Core,
    shared_axes: Vec<isize>,
    alpha: Weight,
}

layer!(PReLU);

weights! { PReLU:
    alpha, "slope" => alpha_initializer, try_alpha_initializer, alpha_regularizer, try_alpha_regularizer, alpha_constraint, try_alpha_constraint;
}

impl PReLU {
    /// A slope for each element of an example.
    pub fn new() -> Self {
        Self { core: Core::new("p_re_lu"), shared_axes: Vec::new(), alpha: Weight::new("alpha", Zeros) }
    }

    /// The axes along which elements share a slope, counted from 1 as the batch is axis 0.
    ///
    /// # Panics
    /// As [`try_shared_axes`](Self::try_shared_axes) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn shared_axes(self, axes: impl IntoAxisList) -> Self {
        self.try_shared_axes(axes).or_fail()
    }

    /// The axes along which elements share a slope, which may be none of an example.
    ///
    /// # Errors
    /// InvalidArgument for axes below 1.
    #[track_caller]
    pub fn try_shared_axes(mut self, axes: impl IntoAxisList) -> Result<Self> {
        let here = Location::caller();
        self.shared_axes = axes.into_list();
        match self.shared_axes.iter().find(|&&axis| axis < 1) {
            None => Ok(self),
            Some(&axis) => {
                Err(Error::invalid_argument("PReLU", "`shared_axes` has an axis that is none of an example")
                    .got(axis)
                    .expected("axes from 1 on")
                    .at(here))
            }
        }
    }

    /// The slopes, once they are built.
    pub fn alpha(&self) -> Option<&Variable> {
        self.alpha.get()
    }

    #[track_caller]
    fn make(&self, x: &TensorType) -> Result<()> {
        self.slopes(x).map(drop)
    }

    #[track_caller]
    fn slopes(&self, x: &TensorType) -> Result<&Variable> {
        if let Some(alpha) = self.alpha.get() {
            return Ok(alpha);
        }
        let rank = x.shape.rank() as isize;
        if self.shared_axes.iter().any(|&axis| axis >= rank) || rank == 0 {
            let expected = format!("the axes {:?} behind the batch", self.shared_axes);
            return Err(misfit(self.core.name(), "the input lacks an axis along which slopes are shared", x, expected));
        }
        let size = |axis: isize| match self.shared_axes.contains(&axis) {
            true => Ok(1),
            false => known_size(self.core.name(), x, axis),
        };
        let sizes = (1..rank).map(size).collect::<Result<Vec<usize>>>()?;
        self.alpha.make(&self.core, &sizes)
    }
}

impl Default for PReLU {
    fn default() -> Self {
        Self::new()
    }
}

buildable!(PReLU, "PReLU::new()", "[1, 8]", 1);

impl Layer for PReLU {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let alpha = self.core.read(self.slopes(x.ty())?)?;
        let below = x.try_neg()?.try_relu()?.try_multiply(&alpha)?;
        x.try_relu()?.try_subtract(&below).map(Outputs::one)
    }
}

impl Module for PReLU {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.shared_axes);
        fields.field("alpha", &self.alpha);
    }
}
